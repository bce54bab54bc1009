"""Work through tasks in processes: hardest first, no process left behind, and a dead one costs one row."""

import os
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial

from mechdesign.errors import MachineError
from mechdesign.problem.properties import COLUMN_PROPERTIES
from mechdesign.sweeps.processes import MOST_PROCESSES, TICK_SECONDS, process_pool, sheltered
from mechdesign.sweeps.worker import PROCESS_DIED, UNEXPECTED, SweepRow, Task, Work, failed_row

AHEAD = 2
"""Tasks handed to the pool for each process: one at work, one waiting so that it need not idle."""


@dataclass(frozen=True)
class Outcome:
    """Hold a task and its row. `final` is False where trying again may end otherwise (a process died, a bug)."""

    task: Task
    row: SweepRow
    final: bool = True


def outcomes(tasks: Sequence[Task], jobs: int, work: Work, tick: Callable[[], None]) -> Generator[Outcome, None, None]:
    """Yield an outcome for each task as it comes; closing the generator ends all processes.

    `tick()` is called twice a second meanwhile.

    Raises:
        MachineError: if no process can be started at all.
    """
    waiting = deque(sorted(tasks, key=_hardness, reverse=True))
    jobs = min(jobs, len(waiting), MOST_PROCESSES)
    if jobs <= 1:
        yield from (_outcome(task, partial(work, task)) for task in waiting)
        return
    proved = False
    while waiting:
        suspects = yield from _pooled(waiting, jobs, work, tick)
        if suspects and not proved:
            _require_processes()
            proved = True
        for task in suspects:  # one of them killed its process: each alone shows which
            if (yield from _pooled(deque([task]), 1, work, tick)):
                yield Outcome(task, failed_row(task, PROCESS_DIED, None), final=False)


def _hardness(task: Task) -> tuple[int, bool]:
    """Rank long designs first, so that none is left for the end when the other processes have run out of work."""
    return task.problem.size, bool(task.problem.properties & COLUMN_PROPERTIES)


def _pooled(
    waiting: deque[Task], jobs: int, work: Work, tick: Callable[[], None]
) -> Generator[Outcome, None, list[Task]]:
    """Take tasks from `waiting` until all are done or a process dies; returns those then under way."""
    running: dict[Future[SweepRow], Task] = {}
    lost: list[Task] = []
    broken = False
    with process_pool(jobs) as pool:
        while running or (waiting and not broken):
            while waiting and not broken and len(running) < AHEAD * jobs:
                try:
                    with sheltered():
                        future = pool.submit(work, waiting[0])
                except BrokenProcessPool:
                    broken = True
                else:
                    running[future] = waiting.popleft()
            done, _ = wait(running, timeout=TICK_SECONDS, return_when=FIRST_COMPLETED)
            for future in done:
                task = running.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    broken = True
                    lost.append(task)
                else:
                    yield _outcome(task, future.result)
            tick()
    return lost


def _outcome(task: Task, result: Callable[[], SweepRow]) -> Outcome:
    """Return the row, or a failed one for an error that nobody foresaw: one design must not cost all the others."""
    try:
        return Outcome(task, result())
    except Exception as error:
        return Outcome(task, failed_row(task, f"{UNEXPECTED} {type(error).__name__}: {error}", None), final=False)


def _require_processes() -> None:
    """Refuse to go on where even a process without work dies: then no task is to blame."""
    try:
        with process_pool(1) as pool:
            with sheltered():
                answer = pool.submit(os.getpid)
            answer.result()
    except BrokenProcessPool:
        raise MachineError("worker processes die as they start; --jobs 1 does the work in one process") from None
