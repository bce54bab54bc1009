"""Run a sweep: take from the journal what it has, and design the rest."""

from collections.abc import Callable, Sequence
from contextlib import closing

from mechdesign.machine import require_jobs
from mechdesign.program.solvers.choice import choose_solver
from mechdesign.sweeps.journal import Journal
from mechdesign.sweeps.worker import SweepRow, Task, Work, solve_one


def run_sweep(
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    journal: Journal | None = None,
    report: Callable[[int], None] = lambda finished: None,
    work: Work = solve_one,
) -> list[SweepRow]:
    """Run the tasks of a sweep, and return a row for each, in their order.

    Args:
        tasks: what to design.
        jobs: processes; 1 works in this one, None takes one for each usable processor.
        journal: rows found there are not designed again, and new ones are put there as they come.
        report: called with the number of finished rows, about twice a second and after each row.
        work: does one task; must be importable by name in a new process.

    Raises:
        InputError: unknown solver, or no jobs.
        MachineError: if no process can be started. A design that fails is a row that says so.
    """
    from mechdesign.sweeps.pool import outcomes

    jobs = require_jobs(jobs)
    for solver in {task.solver for task in tasks}:
        choose_solver(solver)
    rows = {} if journal is None else journal.rows_for(tasks)
    missing = {task.key: task for task in tasks if task.key not in rows}
    with closing(outcomes(list(missing.values()), jobs, work, lambda: report(len(rows)))) as coming:
        for outcome in coming:
            rows[outcome.task.key] = outcome.row
            if journal is not None and outcome.final:
                journal.append(outcome.task, outcome.row)
            report(len(rows))
    return [rows[task.key] for task in tasks]
