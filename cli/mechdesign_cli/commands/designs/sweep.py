"""Run `mechdesign sweep`: make one table of many designs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.documents.files import split_around_files
from mechdesign.errors import InputError, MachineError, NoAnswerError
from mechdesign.sweeps.grid import SweepGrid, choose_sizes
from mechdesign.sweeps.journal import journal_path
from mechdesign.sweeps.resuming import write_sweep
from mechdesign.sweeps.table import require_table
from mechdesign.sweeps.worker import SweepRow, tasks_of
from mechdesign.workers.choosing import workers_for
from mechdesign_cli.files.targets import require_targets
from mechdesign_cli.parsing import numbers, options
from mechdesign_cli.parsing.choices import files_read, model_of, read_loss, read_prior
from mechdesign_cli.showing.messages import say, say_wrote
from mechdesign_cli.showing.progress import progress_after_a_second


def sweep(
    output: Annotated[Path, typer.Option("--output", "-o", help="The table, .csv or .parquet.")],
    n: options.GroupSizes = None,
    k: Annotated[str | None, typer.Option("--k", help="Numbers of items in place of --n: the local model.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="count, ldp or lldp; follows from --n, --k and --radius.")
    ] = None,
    radius: options.Radius = None,
    aggregate: options.Aggregate = "expected",
    alpha: options.Alphas = None,
    epsilon: options.Epsilons = None,
    props: Annotated[
        str, typer.Option("--props", help="Sets of properties between semicolons: none;WH;WH,RM,CM.")
    ] = "none",
    loss: Annotated[
        str, typer.Option("--loss", help="A list of losses, Lp, Lp:d, PB:TAU or a CSV file of a matrix.")
    ] = "L0",
    prior: options.PriorOption = None,
    solver: options.SolverOption = "highs",
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            help="Seconds for each design, after which its row says that it failed.",
            parser=numbers.seconds,
            metavar="SECONDS",
        ),
    ] = None,
    exact: options.Exact = False,
    jobs: options.Jobs = None,
    cluster: options.Cluster = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the scores against n or alpha to .png, .svg or .pdf.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output that is there already.")] = False,
) -> None:
    """Design every n (or k) with every alpha, set of properties and loss.

    If a sweep is stopped, run the same command again: it goes on where it was. Finished rows are kept in a journal next
    to the output until the table is written.

    Example: mechdesign sweep --n 2:8:2 --alpha 0.5,2/3 --props "none;WH,CM" --output sweep.csv
    """
    model, losses = model_of(None if model is None else model.lower(), None, radius, k), split_around_files(loss)
    if aggregate == "worst" and prior is not None:
        raise InputError(f"--aggregate worst must have no prior, got --prior {prior}; leave it out")
    grid = SweepGrid.parse(
        choose_sizes(model, n, k),
        alpha,
        epsilon=epsilon,
        properties=props,
        losses=[read_loss(word) for word in losses],
        prior=read_prior(prior),
        model=model,
        radius=radius,
        aggregate=aggregate,
    )
    tasks = tasks_of(grid, solver=solver, time_limit=time_limit, exact=exact)
    workers = workers_for(jobs, cluster=cluster)
    _require_targets(grid, output, plot, files_read(None, prior, *losses))
    with progress_after_a_second("designing", len(tasks)) as show:
        rows = write_sweep(
            tasks,
            output,
            workers=workers,
            overwrite=overwrite,
            report=show,
            tell=say,
            pictures=lambda rows: {} if plot is None else _picture(rows, plot),
        )
    for path in (output, plot):
        if path is not None:
            say_wrote(path)
    journal = journal_path(output)
    failed = sum(row.failed for row in rows)
    if failed:
        again = (
            f"; the same command tries only those again, with another --time-limit where that ran out "
            f"({journal} is kept)"
        )
        told = again if journal.exists() else ""
        ending = MachineError if any(row.is_accident for row in rows) else NoAnswerError
        raise ending(f"{failed} of {len(rows)} designs failed, see status in {output}{told}")
    if journal.exists():
        say(f"{journal} is kept: it holds rows of another sweep")


def _require_targets(grid: SweepGrid, output: Path, plot: Path | None, sources: list[Path]) -> None:
    require_table(output)
    require_targets([output], plot, sources)
    if plot is not None:
        from mechdesign_figures.plots.sweep import require_plottable

        require_plottable(len(grid.property_sets))


def _picture(rows: Sequence[SweepRow], plot: Path) -> dict[Path, bytes]:
    from mechdesign_figures.plots.parts.saving import picture_bytes
    from mechdesign_figures.plots.sweep import plot_sweep

    return {plot: picture_bytes(plot_sweep(rows), plot.suffix)}
