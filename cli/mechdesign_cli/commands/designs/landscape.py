"""Run `mechdesign landscape`: find what each property costs, over all subsets of them."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from mechdesign.documents.document import document_text
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import fraction_text
from mechdesign.sweeps.landscape import Landscape, ScoreClass, closed_subsets, landscape_document
from mechdesign.sweeps.landscape import landscape as all_classes
from mechdesign_catalog.mechanisms.landmarks import class_names
from mechdesign_cli.files.targets import require_targets, write_and_say
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
    n: options.OptionalGroupSize = None,
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

    Example: mechdesign landscape --n 8 --alpha 0.9 --loss L1 --plot lattice.png
    """
    chosen = ModelRequest(model, n, k, radius, distances, unit).read()
    problem = read_problem(chosen, Privacy(alpha, epsilon), "none", loss, prior, aggregate)
    require_targets(output or [], plot, files_read(distances, loss, prior), SUFFIXES)
    found = _solved(problem, time_limit, jobs, cluster)
    names = class_names(found)
    document = document_text(landscape_document(found, names))
    contents = {
        path: (document if path.suffix.lower() == ".json" else csv_text(found, names)).encode() for path in output or []
    }
    if plot is not None:
        from mechdesign_figures.plots.lattice import plot_landscape
        from mechdesign_figures.plots.parts.saving import picture_bytes

        contents[plot] = picture_bytes(plot_landscape(found, names=names), plot.suffix)
    write_and_say(contents)
    if json:
        print(document, end="")
    else:
        report(found, names, problem.privacy)


def _solved(problem: DesignProblem, time_limit: float | None, jobs: int, cluster: str | None) -> Landscape:
    """The landscape, with a progress bar over its closed subsets."""
    with progress_after_a_second("property subsets", len(closed_subsets(problem))) as show:
        return all_classes(problem, time_limit=time_limit, on_progress=show, jobs=jobs, cluster=cluster)


def csv_text(found: Landscape, names: Names) -> str:
    """Write the landscape as CSV: one line for each subset, classes from free to strict."""
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(["subset", "score", "exact", "status", "class", "name"])
    for number, (group, name) in enumerate(zip(found.classes, names, strict=True), start=1):
        for subset in group.subsets:
            score = [repr(float(group.score)), fraction_text(group.score), group.status]
            table.writerow([",".join(subset) or "none", *score, number, name or ""])
    return stream.getvalue()


def report(found: Landscape, names: Names, asked: Privacy) -> None:
    """Print the landscape: facts, then a line for each class; `asked` is the privacy parameter as it was given."""
    screen = console()
    symmetry = "S is free: with it or without, the same score"
    if not found.problem.symmetry_is_free:
        symmetry = "S has a price under this loss and prior"
    spared = len(found.closed) - len(found.solved)
    proved = sum(group.status == "exact" for group in found.classes)
    rows = [
        ("asked", found.describe()),
        *([] if asked.is_exact else [("scores", f"for this alpha, just above exp(-{asked.budget})")]),
        ("classes", f"{len(found.classes)}, {_proved_text(proved, len(found.classes))}"),
        ("symmetry", symmetry),
        ("solved", f"{len(found.solved)} of {len(found.closed)} closed subsets; {spared} follow from the others"),
        ("seconds", f"{found.seconds:.3f}"),
    ]
    screen.print(facts(rows, screen.width))
    screen.print()
    screen.print(class_table(found, names, wide=screen.width >= WIDE))
    every = sum(len(group.subsets) for group in found.classes)
    screen.print(f"\nsubsets: number out of {every}; weakest, strictest: implied properties are left out")


def _proved_text(proved: int, total: int) -> str:
    if proved == total:
        return "every score exact"
    return f"{total - proved} of them within bounds only; neighbours may be equal"


def class_table(found: Landscape, names: Names, *, wide: bool) -> Table:
    """Return a table of the classes: number, name, score, size, weakest and strictest subsets.

    The exact score is there where the terminal is wide.
    """
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("#", justify="right", no_wrap=True)
    if any(names):
        table.add_column("name", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    if wide:
        table.add_column("exact", no_wrap=True)
    table.add_column("subsets", justify="right", no_wrap=True)
    table.add_column("weakest", overflow="fold")
    table.add_column("strictest", overflow="fold")
    for number, (group, name, decimal) in enumerate(zip(found.classes, names, found.decimals, strict=True), start=1):
        called = [name or ""] if any(names) else []
        exact = [_exact_text(group)] if wide else []
        cells = [str(number), *called, decimal, *exact, str(len(group.subsets))]
        table.add_row(*map(Text, [*cells, _listed(group.weakest), _listed(group.strictest)]))
    return table


def _exact_text(group: ScoreClass) -> str:
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
