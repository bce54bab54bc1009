"""The command `mechdesign sweep`: one table of many designs."""

from collections.abc import Sequence
from pathlib import Path

from mechdesign.documents.files import split_around_files
from mechdesign.errors import MachineError, NoAnswerError
from mechdesign.sweeps.grid import SweepGrid, choose_sizes
from mechdesign.sweeps.journal import journal_path
from mechdesign.sweeps.resuming import write_sweep
from mechdesign.sweeps.table import require_table
from mechdesign.sweeps.worker import SweepRow, tasks_of
from mechdesign.workers.choosing import workers_for
from mechdesign_cli.files.targets import require_targets
from mechdesign_cli.parsing import numbers, options
from mechdesign_cli.parsing.choices import files_read, model_of, read_loss, read_prior, require_no_prior
from mechdesign_cli.record import REQUIRED, Command, Group, option
from mechdesign_cli.showing.messages import note_written, say
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.progress import progress_after_a_second


class SweepSolver(Group, title="Solver"):
    """The search for the designs of a sweep, and its workers."""

    solver: options.SolverOption = "highs"
    time_limit: float | None = option(
        "Seconds for each design; the row of one that takes longer says that it failed.",
        parser=numbers.seconds,
        metavar="SECONDS",
    )
    exact: options.Exact = False
    jobs: options.Jobs = None
    cluster: options.Cluster = None


class Sweep(Command):
    """Every n (or k) is designed with every alpha, set of properties and loss.

    If a sweep is stopped, run the same command again: it goes on where it was. Finished rows are kept in a journal next
    to the output until the table is written.

    Example: mechdesign sweep --n 2:8:2 --alpha 0.5,2/3 --props "none;WH,CM" --output sweep.csv
    """

    n: options.GroupSizes = None
    k: str | None = option("Numbers of items, instead of --n: the local model.")
    model: str | None = option("count, ldp or lldp; follows from --n, --k and --radius.")
    radius: options.Radius = None
    alpha: options.Alphas = None
    epsilon: options.Epsilons = None
    properties: str = option("Sets of properties between semicolons: none;WH;WH,RM,CM.", "--props", default="none")
    loss: str = option("A list of losses, Lp, Lp:d, PB:TAU or a CSV file of a matrix.", default="L0")
    prior: options.PriorOption = None
    aggregate: options.Aggregate = "expected"
    output: Path = option("The table, .csv or .parquet.", "--output", "-o", default=REQUIRED)
    plot: Path | None = option("Draw the scores against n or alpha to .png, .svg or .pdf.")
    overwrite: bool = option("Replace an output that already exists.", default=False)
    solver: SweepSolver

    def run(self) -> None:
        """Design all, write the table and the picture."""
        losses, grid = split_around_files(self.loss), self._grid()
        tasks = tasks_of(grid, **self.solver.arguments("jobs", "cluster"))
        workers = workers_for(self.solver.jobs, cluster=self.solver.cluster)
        self._require_targets(grid, files_read(None, self.prior, *losses))
        with progress_after_a_second("designing", len(tasks)) as show:
            rows = write_sweep(
                tasks,
                self.output,
                workers=workers,
                overwrite=self.overwrite,
                report=show,
                tell=say,
                pictures=lambda rows: (
                    {} if self.plot is None else {self.plot: picture("sweep.plot_sweep", rows, self.plot.suffix)}
                ),
            )
        for path in (self.output, self.plot):
            if path is not None:
                note_written(path)
        self._report(rows)

    def _grid(self) -> SweepGrid:
        model = model_of(None if self.model is None else self.model.lower(), None, self.radius, self.k)
        require_no_prior(self.aggregate, self.prior)
        return SweepGrid.parse(
            choose_sizes(model, self.n, self.k),
            **self.arguments("n", "k", "model", "loss", "prior", "output", "plot", "overwrite"),
            losses=[read_loss(word) for word in split_around_files(self.loss)],
            prior=read_prior(self.prior),
            model=model,
        )

    def _require_targets(self, grid: SweepGrid, sources: Sequence[Path]) -> None:
        require_table(self.output)
        require_targets([self.output], self.plot, sources)
        if self.plot is not None:
            from mechdesign_figures.plots.sweep import require_plottable

            require_plottable(len(grid.property_sets))

    def _report(self, rows: Sequence[SweepRow]) -> None:
        """Say what is kept, and which designs failed.

        Raises:
            NoAnswerError, MachineError: where some did.
        """
        journal = journal_path(self.output)
        failed = sum(row.failed for row in rows)
        if failed:
            again = (
                f"; the same command tries only those again, with another --time-limit where that ran out "
                f"({journal} is kept)"
            )
            told = again if journal.exists() else ""
            ending = MachineError if any(row.is_accident for row in rows) else NoAnswerError
            raise ending(f"{failed} of {len(rows)} designs failed, see status in {self.output}{told}")
        if journal.exists():
            say(f"{journal} is kept: it holds rows of another sweep")
