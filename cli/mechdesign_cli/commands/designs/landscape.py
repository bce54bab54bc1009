"""Run `mechdesign landscape`: find what each property costs, over all subsets of them."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from mechdesign.documents.document import document_text
from mechdesign.documents.tabular import csv_bytes
from mechdesign.errors import InputError
from mechdesign.laws.problem import LawProblem
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import fraction_text
from mechdesign.sweeps.landscape import Landscape, ScoreClass, all_subsets, closed_subsets, landscape_document
from mechdesign.sweeps.landscape import landscape as all_classes
from mechdesign.sweeps.law_landscape import LawLandscape, law_landscape, law_landscape_document
from mechdesign.sweeps.subset_designs import design_exactly, design_soon
from mechdesign_catalog.mechanisms.landmarks import class_names
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.laws.asked_law import ANY, AskedLaw, read_group_size
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import ModelRequest, files_read, read_problem
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.tables import console, facts

SUFFIXES = (".csv", ".json")
WIDE = 72
"""Narrower terminals get the table without the exact scores."""

LONGEST_LINE = 24
"""A fraction longer than this is broken at its bar; one with a longer half is not shown."""

Names = Sequence[str | None]


def landscape(
    n: Annotated[
        str | None,
        typer.Option("--n", help="Number of people in a group, or any: the law of each subset.", metavar="N"),
    ] = None,
    alpha: options.Alpha = None,
    epsilon: options.Epsilon = None,
    loss: options.LossOption = "L0",
    prior: options.PriorOption = None,
    aggregate: options.Aggregate = "expected",
    model: options.ModelName = None,
    k: options.DomainSize = None,
    radius: options.Radius = None,
    distances: options.Distances = None,
    unit: options.Unit = None,
    matrices: Annotated[
        bool, typer.Option("--matrices", help="Design a matrix of more than a minute too where no law serves.")
    ] = False,
    time_limit: options.TimeLimit = None,
    jobs: options.JobsOrOne = 1,
    cluster: options.Cluster = None,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", metavar="FILE", help="All subsets as .csv, or the .json document (repeatable)."),
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the lattice to .png, .svg or .pdf.")] = None,
    json: options.Json = False,
) -> None:
    """Group every subset of the properties by the exact score of its best mechanism, free ones first.

    With --n any by its score as a formula in n. Beyond 128 people laws are taken where they serve. A subset
    without a law is named and skipped where its matrix would take more than a minute.

    Example: mechdesign landscape --n 8 --alpha 0.9 --loss L1 --plot lattice.png

    Example: mechdesign landscape --n any --alpha 0.8 --loss L1
    """
    size, privacy = read_group_size(n), Privacy(alpha, epsilon)
    found: Landscape | LawLandscape
    if size == ANY:
        others = {"model": model, "k": k, "radius": radius, "distances": distances, "unit": unit}
        given = {name: value is not None for name, value in others.items()} | {"matrices": matrices}
        given["prior"] = (prior or "uniform").strip().lower() != "uniform"
        asked = _law_problem(AskedLaw(ANY, "none", loss, aggregate, "auto", time_limit, given), privacy)
        require_targets(output or [], plot, [], SUFFIXES)
        found = _laws(asked, time_limit, jobs, cluster)
        names = found.names
        entries = law_landscape_document(found)
    else:
        assert size is None or isinstance(size, int)
        chosen = ModelRequest(model, size, k, radius, distances, unit).read()
        problem = read_problem(chosen, privacy, "none", loss, prior, aggregate)
        require_targets(output or [], plot, files_read(distances, loss, prior), SUFFIXES)
        found = _solved(problem, matrices, time_limit, jobs, cluster)
        names = class_names(found)
        entries = landscape_document(found, names)
    document = document_text(entries)
    contents = {
        path: document.encode() if path.suffix.lower() == ".json" else subsets_csv(found, names)
        for path in output or []
    }
    if plot is not None:
        from mechdesign_figures.plots.lattice import plot_landscape
        from mechdesign_figures.plots.parts.saving import picture_bytes

        contents[plot] = picture_bytes(plot_landscape(found, names=names), plot.suffix)
    write_and_say(contents)
    if json:
        print(document, end="")
    else:
        report(found, names, privacy)


def _law_problem(asked: AskedLaw, privacy: Privacy) -> LawProblem:
    """State what is asked of laws besides properties."""
    obstacle = asked.obstacle()
    if obstacle:
        raise InputError(obstacle)
    return LawProblem(privacy, frozenset(), asked.read_loss(), asked.aggregate)


def _laws(problem: LawProblem, time_limit: float | None, jobs: int, cluster: str | None) -> LawLandscape:
    """The landscape of laws, with a progress bar over its closed subsets."""
    with progress_after_a_second("property subsets", len(closed_subsets(problem))) as show:
        return law_landscape(problem, time_limit=time_limit, on_progress=show, jobs=jobs, cluster=cluster)


def _solved(
    problem: DesignProblem, matrices: bool, time_limit: float | None, jobs: int, cluster: str | None
) -> Landscape:
    """The landscape, with a progress bar over its closed subsets."""
    solve = design_exactly if matrices else design_soon
    with progress_after_a_second("property subsets", len(closed_subsets(problem))) as show:
        return all_classes(problem, time_limit=time_limit, on_progress=show, jobs=jobs, cluster=cluster, solve=solve)


def subsets_csv(found: Landscape | LawLandscape, names: Names) -> bytes:
    """Write a line for each subset, classes from free to strict, then those without a score."""
    scores: dict[str, Iterable[object]]
    if isinstance(found, LawLandscape):
        scores = {
            "score": found.decimals,
            "excess": (fraction_text(group.score.constant) for group in found.classes),
            "slope": (fraction_text(group.score.slope) for group in found.classes),
            "from": map(found.least, found.classes),
        }
    else:
        scores = {
            "score": (float(group.score) for group in found.classes),
            "exact": (fraction_text(group.score) for group in found.classes),
            "status": (group.status for group in found.classes),
        }
    classes: Sequence[ScoreClass[Any]] = found.classes
    cells = zip(*scores.values(), range(1, len(classes) + 1), names, strict=True)
    rows = {subset: row for group, row in zip(classes, cells, strict=True) for subset in group.subsets}
    rows |= {subset: (None,) * (len(scores) + 2) for subset in all_subsets() if subset not in rows}
    header = ("subset", *scores, "class", "name")
    return csv_bytes(header, ((",".join(subset) or "none", *row) for subset, row in rows.items()))


def report(found: Landscape | LawLandscape, names: Names, asked: Privacy) -> None:
    """Print the landscape: facts, then a line for each class; `asked` is the privacy parameter as it was given."""
    screen = console()
    symmetry = "S is free: with it or without, the same score"
    if not isinstance(found, LawLandscape) and not found.problem.symmetry_is_free:
        symmetry = "S has a price under this loss and prior"
    spared = len(found.closed) - len(found.solved)
    proved = sum(group.status == "exact" for group in found.classes)
    said = _proved_text(proved, len(found.classes))
    if isinstance(found, LawLandscape) and found.problem.power and proved == len(found.classes):
        said = "scores but for a term that falls with n like a power of alpha"
    rows = [
        ("asked", found.describe()),
        *([] if asked.is_exact else [("scores", f"for this alpha, just above exp(-{asked.budget})")]),
        ("classes", f"{len(found.classes)}, {said}"),
        ("symmetry", symmetry),
        ("solved", f"{len(found.solved)} of {len(found.closed)} closed subsets; {spared} follow from the others"),
        ("seconds", f"{found.seconds:.3f}"),
    ]
    screen.print(facts(rows, screen.width))
    screen.print()
    screen.print(class_table(found, names, wide=screen.width >= WIDE))
    every = sum(len(group.subsets) for group in found.classes)
    screen.print(f"\nsubsets: number out of {every}; weakest, strictest: implied properties are left out")
    if isinstance(found, LawLandscape) and any("y" in score for score in found.decimals):
        screen.print("y: the diagonal entry of EM at n")
    if found.skipped:
        every_one = len(all_subsets())
        asks = "" if isinstance(found, LawLandscape) else "; --matrices designs them"
        screen.print(f"\n{every_one - every} of {every_one} subsets have no score{asks}")
    for why, sets in found.without.items():
        screen.print(f"{'; '.join(','.join(one) for one in sets)}: {why}")


def _proved_text(proved: int, total: int) -> str:
    if proved == total:
        return "every score exact"
    return f"{total - proved} of them within bounds only; neighbours may be equal"


def class_table(found: Landscape | LawLandscape, names: Names, *, wide: bool) -> Table:
    """Return a table of the classes: number, name, score, size, weakest and strictest subsets.

    The exact score is there where the terminal is wide; of laws, the price and the n from which all of it is proved.
    """
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("#", justify="right", no_wrap=True)
    if any(names):
        table.add_column("name", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=not isinstance(found, LawLandscape))
    if isinstance(found, LawLandscape):
        table.add_column("price", no_wrap=True)
        table.add_column("from n", justify="right", no_wrap=True)
    elif wide:
        table.add_column("exact", no_wrap=True)
    table.add_column("subsets", justify="right", no_wrap=True)
    table.add_column("weakest", overflow="fold")
    table.add_column("strictest", overflow="fold")
    if isinstance(found, LawLandscape):
        more = [[price, str(found.least(group))] for price, group in zip(found.prices, found.classes, strict=True)]
    else:
        more = [[_exact_text(group)] if wide else [] for group in found.classes]
    classes: Sequence[ScoreClass[Any]] = found.classes
    rows = zip(classes, names, found.decimals, more, strict=True)
    for number, (group, name, decimal, told) in enumerate(rows, start=1):
        called = [name or ""] if any(names) else []
        cells = [str(number), *called, decimal, *told, str(len(group.subsets))]
        table.add_row(*map(Text, [*cells, _listed(group.weakest), _listed(group.strictest)]))
    return table


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
