"""`mechdesign sweep`: one table of many designs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.errors import InputError, NoAnswerError
from mechdesign.machine import require_jobs
from mechdesign.problem.loss import Loss
from mechdesign.sweeps import (
    Journal,
    Row,
    SweepGrid,
    Task,
    open_journal,
    require_table,
    run_sweep,
    table_bytes,
    tasks_of,
)
from mechdesign.sweeps.grid import SWEPT
from mechdesign.sweeps.journal import journal_path
from mechdesign_cli import options
from mechdesign_cli.choices import files_read, read_loss, read_prior
from mechdesign_cli.progress import progress_after_a_second
from mechdesign_cli.tables import say
from mechdesign_cli.targets import require_targets, write_and_say


def sweep(
    output: Annotated[Path, typer.Option("--output", "-o", help="The table, .csv or .parquet.")],
    n: options.GroupSizes = None,
    k: Annotated[str | None, typer.Option("--k", help="Numbers of items instead, for --model ldp and lldp.")] = None,
    model: Annotated[str, typer.Option("--model", help="count, ldp or lldp.")] = "count",
    radius: options.Radius = None,
    aggregate: options.Aggregate = "expected",
    alpha: options.Alphas = None,
    epsilon: options.Epsilons = None,
    props: Annotated[
        str, typer.Option("--props", help="Sets of properties between semicolons: none;WH;WH,RM,CM.")
    ] = "none",
    loss: Annotated[str, typer.Option("--loss", help="A list of losses, Lp, Lp:d or a CSV file of a matrix.")] = "L0",
    prior: options.PriorOption = None,
    solver: options.SolverOption = "highs",
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            help="Seconds for each design, after which its row says that it failed.",
            parser=options.seconds,
            metavar="SECONDS",
        ),
    ] = None,
    exact: options.Exact = False,
    jobs: options.Jobs = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the scores against n or alpha to .png, .svg or .pdf.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output that is there already.")] = False,
) -> None:
    """Design many mechanisms: one row for each, resumable.

    Every n (or k) with every alpha, set of properties and loss. A sweep that was stopped, by whatever means, goes on
    where it was when the same command is given again: finished rows are kept in a journal beside the output until the
    table is written.

    Example: mechdesign sweep --n 2:8:2 --alpha 0.5,2/3 --props "none;WH,CM" --output sweep.csv
    """
    model = model.lower()
    if aggregate == "worst" and prior is not None:
        raise InputError(f"--aggregate worst must have no prior, got --prior {prior}; leave it out")
    grid = SweepGrid.parse(
        _sizes(model, n, k),
        alpha,
        epsilon=epsilon,
        properties=props,
        losses=_read_losses(loss),
        prior=read_prior(prior),
        model=model,
        radius=radius,
        aggregate=aggregate,
    )
    tasks = tasks_of(grid, solver=solver, time_limit=time_limit, exact=exact)
    jobs = require_jobs(jobs)
    _require_targets(grid, output, plot, files_read(None, prior, *loss.split(",")))
    with open_journal(journal_path(output)) as journal:
        _resume(journal, tasks, output, overwrite)
        try:
            rows = _designed(tasks, jobs, journal)
            _write(rows, output, plot)
        except KeyboardInterrupt:
            _say_how_to_go_on(journal, tasks)
            raise
        kept = journal.discard(tasks)
    failed = sum(row.failed for row in rows)
    if failed:
        again = (
            f"; the same command tries only those again, with another --time-limit where that ran out "
            f"({journal.path} is kept)"
        )
        told = again if journal.path.exists() else ""
        raise NoAnswerError(f"{failed} of {len(rows)} designs failed, see status in {output}{told}")
    if kept:
        say(f"{journal.path} is kept: it holds rows of another sweep")


def _sizes(model: str, n: str | None, k: str | None) -> str:
    """The sizes, under the name that the model has for them."""
    if model not in SWEPT:
        raise InputError(f"model must be one of {', '.join(SWEPT)} in a sweep, got model={model}")
    wanted, other = (("n", n), ("k", k)) if model == "count" else (("k", k), ("n", n))
    if other[1] is not None:
        raise InputError(f"--{other[0]} must be --{wanted[0]} for --model {model}, got --{other[0]} {other[1]}")
    if wanted[1] is None:
        raise InputError(f"--{wanted[0]} must be given for --model {model}, got none")
    return wanted[1]


def _read_losses(text: str) -> list[Loss]:
    return [read_loss(word.strip()) for word in text.split(",")]


def _require_targets(grid: SweepGrid, output: Path, plot: Path | None, sources: list[Path]) -> None:
    require_table(output)
    require_targets([output], plot, sources)
    if plot is not None:
        from mechdesign_figures.plots.sweep import require_plottable

        require_plottable(len(grid.property_sets))


def _resume(journal: Journal, tasks: Sequence[Task], output: Path, overwrite: bool) -> None:
    """Say what is there already; never replace a table that nobody asked to replace."""
    finished = len(journal.rows_for(tasks))
    if output.exists() and not overwrite and (not finished or journal.holds_others(tasks)):
        raise InputError(f"output must not be there yet, got {output}; --overwrite replaces it")
    if finished:
        say(f"going on: {finished} of {len(tasks)} designs are in {journal.path} already")


def _designed(tasks: Sequence[Task], jobs: int, journal: Journal) -> list[Row]:
    with progress_after_a_second("designing", len(tasks)) as show:
        return run_sweep(tasks, jobs=jobs, journal=journal, report=show)


def _write(rows: Sequence[Row], output: Path, plot: Path | None) -> None:
    """Table and picture, both or none."""
    contents = {output: table_bytes(rows, output.suffix)}
    if plot is not None:
        from mechdesign_figures.plots.style import picture_bytes
        from mechdesign_figures.plots.sweep import plot_sweep

        contents[plot] = picture_bytes(plot_sweep(rows), plot.suffix)
    write_and_say(contents)


def _say_how_to_go_on(journal: Journal, tasks: Sequence[Task]) -> None:
    journal.load()  # a row may have been on its way to the disk
    finished = len(journal.rows_for(tasks))
    if finished:
        say(f"{finished} of {len(tasks)} designs are kept in {journal.path}; the same command goes on from there")
