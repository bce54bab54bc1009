"""Sweeps in one call: a grid of problems, designed."""

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from mechdesign.arguments import checked
from mechdesign.documents.files import FilePath
from mechdesign.problem.prior import Prior
from mechdesign.sweeps.grid import Alphas, Losses, PropertySets, Sizes, SweepGrid, choose_sizes
from mechdesign.sweeps.resuming import write_sweep
from mechdesign.sweeps.run import run_sweep
from mechdesign.sweeps.worker import SweepRows, tasks_of
from mechdesign.workers.choosing import workers_for


@checked
def sweep(
    n: Sizes | None = None,
    alpha: Alphas | None = None,
    *,
    epsilon: Alphas | None = None,
    k: Sizes | None = None,
    model: str = "count",
    radius: int | None = None,
    properties: PropertySets = "none",
    loss: Losses = "L0",
    prior: str | Prior = "uniform",
    aggregate: str = "expected",
    output: FilePath | None = None,
    overwrite: bool = False,
    solver: str = "highs",
    time_limit: float | None = None,
    exact: bool = False,
    jobs: int | None = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
    report: Callable[[int], None] = lambda finished: None,
) -> SweepRows:
    """Design every combination of sizes, alphas, sets of properties and losses; one row for each.

    The rows are frozen dataclasses: `pandas.DataFrame(rows)` and `polars.DataFrame(rows)` are their table.

    Args:
        n: group sizes: a number, several, or a text of numbers and ranges `2:8:2,16`, which include their end.
        alpha, epsilon: one of the two: a number, several, or a text such as `0.5:0.9:0.1`.
        k: numbers of items instead of n, for the models ldp and lldp.
        model, radius: `"count"`, `"ldp"`, or `"lldp"` with a radius.
        properties: sets between semicolons, `"none;WH;WH,RM,CM"`, or several sets as `DesignProblem` takes them.
        loss: `"L0,L1"`, a `Loss`, or several.
        prior, aggregate: as `DesignProblem` takes them.
        output: a `.csv` or `.parquet` table to write. The same call goes on where a stopped one left off.
        overwrite: replace an output that is there already.
        solver, time_limit, exact: as `design` takes them; the limit is for each design.
        jobs, cluster, executor: who designs, as `workers_for` takes them: so many processes (None: one for each usable
            processor), a Dask cluster, or an executor. With more than one process, a script must call this under
            `if __name__ == "__main__":`.
        report: called with the number of finished rows.

    Returns:
        The rows, sizes varying slowest. A design that failed is a row with `failed` true and no score.

    Raises:
        InputError: for a value out of range, or an output that cannot be written or is there already.
        ClusterError, MachineError: if the cluster or the executor is lost; finished rows are in the journal.

    >>> [row.score_exact for row in sweep(n=[2, 4], alpha="0.9", properties="none;WH,CM")]
    ['18/19', '26/27', '18/19', '391/405']
    """
    grid = SweepGrid.parse(
        choose_sizes(model, n, k),
        alpha,
        epsilon=epsilon,
        properties=properties,
        losses=loss,
        prior=prior,
        model=model,
        radius=radius,
        aggregate=aggregate,
    )
    tasks = tasks_of(grid, solver=solver, time_limit=time_limit, exact=exact)
    workers = workers_for(jobs, cluster=cluster, executor=executor)
    if output is None:
        return SweepRows(run_sweep(tasks, workers=workers, report=report))
    return SweepRows(write_sweep(tasks, Path(output), workers=workers, overwrite=overwrite, report=report))
