"""The run of a sweep: designs from the journal, and new ones for the rest."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from mechdesign.problem.properties import COLUMN_PROPERTIES
from mechdesign.program.solvers.choice import choose_solver
from mechdesign.sweeps.journal import Journal
from mechdesign.sweeps.worker import UNEXPECTED, SweepRow, Task, Work, failed_row, solve_one
from mechdesign.workers.choosing import IN_PROCESS, WorkerChoice
from mechdesign.workers.work_through import Outcome, work_through
from mechdesign.workers.workers import Workers


@dataclass(frozen=True)
class FinishedTask:
    """A task and its row. `final` is False where trying again may end otherwise (a process died, a bug)."""

    task: Task
    row: SweepRow
    final: bool = True


def run_sweep(
    tasks: Sequence[Task],
    *,
    workers: WorkerChoice = IN_PROCESS,
    journal: Journal | None = None,
    report: Callable[[int], None] = lambda finished: None,
    work: Work = solve_one,
) -> list[SweepRow]:
    """Run the tasks of a sweep, and return a row for each, in their order.

    Args:
        tasks: what to design.
        workers: who designs, as `workers_for` chooses them; this process by default.
        journal: rows found there are not designed again, and new ones are put there as they come.
        report: called with the number of finished rows, about twice a second and after each row.
        work: does one task; must be importable by name in a new process.

    Raises:
        InputError: unknown solver.
        MachineError: if no process can be started. A design that fails is a row that says so.
        ClusterError: if the cluster cannot be reached, or is lost.
    """
    for solver in {task.solver for task in tasks}:
        choose_solver(solver)
    rows = {} if journal is None else journal.rows_for(tasks)
    missing = {task.key: task for task in tasks if task.key not in rows}
    if missing:
        with workers.open(len(missing)) as opened:
            coming = finished_tasks(list(missing.values()), opened, work, lambda: report(len(rows)))
            with closing(coming):
                for finished in coming:
                    rows[finished.task.key] = finished.row
                    if journal is not None and finished.final:
                        journal.append(finished.task, finished.row)
                    report(len(rows))
    return [rows[task.key] for task in tasks]


def finished_tasks(
    tasks: Sequence[Task], workers: Workers, work: Work, tick: Callable[[], None]
) -> Generator[FinishedTask, None, None]:
    """Yield each task with its row as it comes, the hardest begun first; closing the generator ends the work."""
    ranked = sorted(tasks, key=_hardness, reverse=True)
    with closing(work_through(work, ranked, workers, tick)) as coming:
        for outcome in coming:
            yield _finished(ranked[outcome.place], outcome)


def _hardness(task: Task) -> tuple[int, bool]:
    """Rank long designs first, so that none is left for the end when the other processes have run out of work."""
    return task.problem.n, bool(task.problem.properties & COLUMN_PROPERTIES)


def _finished(task: Task, outcome: Outcome[SweepRow]) -> FinishedTask:
    """Return the row, or a failed one for an error that nobody foresaw: one design must not cost all the others."""
    error = outcome.error
    if error is None:
        return FinishedTask(task, outcome.result())
    reason = str(error) if outcome.died else f"{UNEXPECTED} {type(error).__name__}: {error}"
    return FinishedTask(task, failed_row(task, reason, None), final=False)
