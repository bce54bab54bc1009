"""The command `mechdesign landscape`: the price of each property, over all subsets."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from mechdesign.documents.document import document_text
from mechdesign.documents.tabular import Column, Table, csv_bytes, words
from mechdesign.errors import InputError
from mechdesign.formulas.landscape import formula_landscape, formula_landscape_document
from mechdesign.laws.problem import LawProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import fraction_text
from mechdesign.sweeps import landscape as landscapes
from mechdesign.sweeps.landscape import ScoreClass, all_subsets, closed_subsets, landscape_document
from mechdesign.sweeps.landscape import landscape as all_classes
from mechdesign.sweeps.law_landscape import LawLandscape, law_landscape, law_landscape_document
from mechdesign.sweeps.subset_designs import design_exactly, design_soon
from mechdesign_catalog.mechanisms.landmarks import class_names
from mechdesign_cli.files.output import Output
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import Inputs, Objective, files_read
from mechdesign_cli.parsing.laws import ANY, law_obstacle, read_group_size
from mechdesign_cli.python_text import CATALOG, ENGINE, FIGURES, Code, NoPythonError, PythonText
from mechdesign_cli.record import Command, Group, option
from mechdesign_cli.showing.formula_landscapes import show_formula_landscape
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.tables import console, print_facts, print_table

WIDE = 72
"""Narrower terminals get the table without the exact scores."""

LONGEST_LINE = 24
"""A fraction longer than this is broken at its bar; one with a longer half is not shown."""

Names = Sequence[str | None]
AnyLandscape = landscapes.Landscape | LawLandscape


OF_MATRICES = ("model", "k", "radius", "distances", "unit", "matrices")
"""Options that no landscape of laws takes."""

NOT_OF_FORMULAS = ("alpha", "epsilon", "matrices", "jobs", "cluster")
"""Options that no landscape for every alpha takes."""


class Search(Group, title="Solver"):
    """The search for the designs of a landscape."""

    time_limit: options.TimeLimit = None
    jobs: int = option("Number of processes; 1 works in this one.", default=1)
    cluster: options.Cluster = None


class LandscapeOutput(Output):
    """The output of a landscape."""

    output: list[Path] | None = option("All subsets as .csv, or the .json document (repeatable).", "--output", "-o")
    plot: Path | None = option("Draw the lattice to .png, .svg or .pdf.")

    def python(self, text: PythonText, *, all_alpha: bool) -> None:
        """Write the picture of `result`; its tables are written by the command alone."""
        if self.plot is not None and all_alpha:
            text.picture(self.plot, f"{text.use(FIGURES, 'plot_formula_landscape')}(result)")
        elif self.plot is not None:
            text.use(FIGURES, "plot_landscape")
            text.use(CATALOG, "class_names")
            text.picture(self.plot, "plot_landscape(result, names=class_names(result))")
        for path in self.output or ():
            text.leave_out(path, "landscape")


class Landscape(Command):
    """Every subset of the properties is grouped by the exact score of its best mechanism, the cheapest first.

    With --n any, scores are formulas in n. Beyond 128 people, laws are used where they serve. A subset without a law is
    named and skipped if its matrix would take more than a minute. With --all-alpha, scores are functions of alpha.

    Example: mechdesign landscape --n 8 --alpha 0.9 --loss L1 --plot lattice.png

    Example: mechdesign landscape --n 8 --all-alpha

    Example: mechdesign landscape --n any --alpha 0.8 --loss L1
    """

    n: str | None = option("Number of people in a group, or any: the law of each subset.", metavar="N")
    k: options.DomainSize = None
    matrices: bool = option("Where no law serves, also design matrices that take more than a minute.", default=False)
    all_alpha: bool = option(
        "Every alpha at once: ranges where the same sets cost the same, and where two meet.", default=False
    )
    privacy: options.PrivacyOptions
    objective: Objective
    inputs: Inputs
    search: Search
    files: LandscapeOutput

    def run(self) -> None:
        """Find the landscape, write the files and print."""
        if self.all_alpha:
            self._of_every_alpha()
            return
        size, privacy = read_group_size(self.n), self.privacy.read()
        found: AnyLandscape
        if size == ANY:
            found = self._of_laws(privacy)
            names = found.names
            entries = law_landscape_document(found)
        else:
            assert size is None or isinstance(size, int)
            found = self._of_matrices(size, privacy)
            names = class_names(found)
            entries = landscape_document(found, names)
        draw = partial(picture, "lattice.plot_landscape", found, names=names)
        show = partial(report, found, names, privacy)
        self.files.deliver_table(document_text(entries), subsets_csv(found, names), draw, show)

    def _of_every_alpha(self) -> None:
        """Find the formulas of all closed subsets, write the files and print."""
        given = self.given()
        wrong = next((name for name in NOT_OF_FORMULAS if name in given), None)
        if wrong is not None or self.n == ANY:
            option = "--n any" if wrong is None else f"--{wrong}"
            raise InputError(f"--all-alpha must stand without {option}, got both; leave one of them out")
        size = read_group_size(self.n)
        assert size is None or isinstance(size, int)
        problem = self.objective.formula_problem(self.inputs.read(size, self.k), "none")
        self.files.require_targets(files_read(self.inputs.distances, self.objective.loss, self.objective.prior))
        with progress_after_a_second("property subsets", len(closed_subsets(problem.at_place))) as show:
            found = formula_landscape(problem, time_limit=self.search.time_limit, on_progress=show)
        document = document_text(formula_landscape_document(found))
        draw = partial(picture, "formula_curve.plot_formula_landscape", found)
        table = found.tabulate().csv_bytes()
        self.files.deliver_table(document, table, draw, partial(show_formula_landscape, found))

    def _of_laws(self, privacy: Privacy) -> LawLandscape:
        """Find the landscape of laws, with a progress bar over its closed subsets."""
        given = self.given()
        others = [name for name in OF_MATRICES if name in given] + ["prior"] * self.objective.has_prior
        obstacle = law_obstacle("none", self.objective, others)
        if obstacle:
            raise InputError(obstacle)
        loss = Loss.parse(self.objective.loss)
        problem = LawProblem(privacy, frozenset(), loss, self.objective.aggregate)
        self.files.require_targets([])
        with progress_after_a_second("property subsets", len(closed_subsets(problem))) as show:
            return law_landscape(problem, on_progress=show, **self.search.arguments())

    def _of_matrices(self, n: int | None, privacy: Privacy) -> landscapes.Landscape:
        """Find the landscape of one size, with a progress bar over its closed subsets."""
        problem = self.objective.problem(self.inputs.read(n, self.k), privacy, "none")
        self.files.require_targets(files_read(self.inputs.distances, self.objective.loss, self.objective.prior))
        solve = design_exactly if self.matrices else design_soon
        with progress_after_a_second("property subsets", len(closed_subsets(problem))) as show:
            return all_classes(problem, on_progress=show, solve=solve, **self.search.arguments())

    def python(self, text: PythonText) -> None:
        """Write a landscape."""
        size = read_group_size(self.n)
        if size == ANY:
            raise NoPythonError("landscapes of laws")
        stated = self.privacy.arguments() | self.objective.python(text)
        model = self.inputs.python(text, self.k)
        if self.all_alpha:
            call, limit = text.use(ENGINE, "formula_landscape"), self.search.time_limit
            text.call("result", call, n=size, model=model, time_limit=limit, **stated)
            text.add("print(result.tabulate().csv_bytes().decode())")
        else:
            text.call("problem", text.use(ENGINE, "DesignProblem"), n=size, model=model, **stated)
            call = text.use(ENGINE, "landscape")
            text.call("result", call, Code("problem"), time_limit=self.search.time_limit)
            text.add("for group in result.classes:", "    print(group.score, group.status, group.weakest)")
        self.files.python(text, all_alpha=self.all_alpha)


def subsets_csv(landscape: AnyLandscape, names: Names) -> bytes:
    """Write a line for each subset, classes from free to strict, then those without a score."""
    scores: dict[str, Iterable[object]]
    if isinstance(landscape, LawLandscape):
        scores = {
            "score": landscape.decimals,
            "excess": (fraction_text(group.score.constant) for group in landscape.classes),
            "slope": (fraction_text(group.score.slope) for group in landscape.classes),
            "from": map(landscape.least, landscape.classes),
        }
    else:
        scores = {
            "score": (float(group.score) for group in landscape.classes),
            "exact": (fraction_text(group.score) for group in landscape.classes),
            "status": (group.status for group in landscape.classes),
        }
    classes: Sequence[ScoreClass[Any]] = landscape.classes
    cells = zip(*scores.values(), range(1, len(classes) + 1), names, strict=True)
    rows = {subset: row for group, row in zip(classes, cells, strict=True) for subset in group.subsets}
    rows |= {subset: (None,) * (len(scores) + 2) for subset in all_subsets() if subset not in rows}
    header = ("subset", *scores, "class", "name")
    return csv_bytes(header, ((",".join(subset) or "none", *row) for subset, row in rows.items()))


def report(landscape: AnyLandscape, names: Names, privacy: Privacy) -> None:
    """Print the landscape: facts, then a line for each class; `privacy` is the privacy parameter as it was given."""
    screen = console()
    symmetry = "S is free: with it or without, the same score"
    if not isinstance(landscape, LawLandscape) and not landscape.problem.symmetry_is_free:
        symmetry = "S has a price under this loss and prior"
    spared = len(landscape.closed) - len(landscape.solved)
    proved = sum(group.status == "exact" for group in landscape.classes)
    said = _proved_text(proved, len(landscape.classes))
    if isinstance(landscape, LawLandscape) and landscape.problem.power and proved == len(landscape.classes):
        said = "scores but for a term that falls with n like a power of alpha"
    rows = [
        ("asked", landscape.describe()),
        *([] if privacy.is_exact else [("scores", f"for this alpha, just above exp(-{privacy.budget})")]),
        ("classes", f"{len(landscape.classes)}, {said}"),
        ("symmetry", symmetry),
        (
            "solved",
            f"{len(landscape.solved)} of {len(landscape.closed)} closed subsets; {spared} follow from the others",
        ),
        ("seconds", f"{landscape.seconds:.3f}"),
    ]
    print_facts(rows)
    screen.print()
    print_table(class_table(landscape, names, wide=screen.width >= WIDE))
    every = sum(len(group.subsets) for group in landscape.classes)
    screen.print(f"\nsubsets: number out of {every}; weakest, strictest: implied properties are left out")
    if isinstance(landscape, LawLandscape) and any("y" in score for score in landscape.decimals):
        screen.print("y: the diagonal entry of EM at n")
    if landscape.skipped:
        every_one = len(all_subsets())
        asks = "" if isinstance(landscape, LawLandscape) else "; --matrices designs them"
        screen.print(f"\n{every_one - every} of {every_one} subsets have no score{asks}")
    for why, sets in landscape.without.items():
        screen.print(f"{'; '.join(','.join(one) for one in sets)}: {why}")


def _proved_text(proved: int, total: int) -> str:
    if proved == total:
        return "every score exact"
    return f"{total - proved} of them within bounds only; neighbours may be equal"


def class_table(landscape: AnyLandscape, names: Names, *, wide: bool) -> Table:
    """Return a table of the classes: number, name, score, size, weakest and strictest subsets.

    The exact score is there where the terminal is wide; of laws, the price and the n from which all of it is proved.
    """
    classes: Sequence[ScoreClass[Any]] = landscape.classes
    columns = [Column("#", [str(number) for number in range(1, len(classes) + 1)])]
    if any(names):
        columns.append(words("name", [name or "" for name in names]))
    columns.append(Column("score", landscape.decimals, folds=isinstance(landscape, LawLandscape)))
    if isinstance(landscape, LawLandscape):
        columns.append(words("price", landscape.prices))
        columns.append(Column("from n", [str(landscape.least(group)) for group in landscape.classes]))
    elif wide:
        columns.append(words("exact", [_exact_text(group) for group in landscape.classes]))
    columns.append(Column("subsets", [str(len(group.subsets)) for group in classes]))
    columns.append(words("weakest", [_listed(group.weakest) for group in classes], folds=True))
    columns.append(words("strictest", [_listed(group.strictest) for group in classes], folds=True))
    return Table.of_columns(columns)


def _exact_text(group: ScoreClass[Fraction]) -> str:
    """The fraction, on two lines where it is long; its length where that is too long still."""
    if group.status != "exact":
        return f"upper bound; lower bound\n{float(group.lower_bound):.15g}"
    text = fraction_text(group.score)
    if len(text) <= LONGEST_LINE:
        return text
    top, _, bottom = text.partition("/")
    if max(len(top), len(bottom) + 1) <= LONGEST_LINE:
        return f"{top}\n/{bottom}"
    return f"{len(text)} digits: see --json"


def _listed(subsets: Sequence[Sequence[str]]) -> str:
    return "\n".join(",".join(subset) or "none" for subset in subsets)
