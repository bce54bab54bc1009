"""Workers that misbehave, importable by name in a new process; and rows without their times."""

import os
import time
from dataclasses import asdict
from io import FileIO
from pathlib import Path

from mechdesign import InputError
from mechdesign.sweeps import SweepRow, Task, solve_one, worker
from mechdesign.sweeps.subset_designs import design_exactly


def untimed(row):
    """What two runs must agree on: everything but seconds."""
    return {name: value for name, value in asdict(row).items() if not name.startswith("seconds")}


def accident_prone(task: Task) -> SweepRow:
    """Kills its process at n = 3, meets a bug at n = 4."""
    if task.problem.n == 3:
        os._exit(9)
    if task.problem.n == 4:
        raise ZeroDivisionError("somebody's\nmistake")
    return solve_one(task)


def die_at_once() -> None:
    os._exit(9)


def die_designing(n: int, gate: Path) -> None:
    """Have this process die at a design for groups of n, once a file is there."""

    def deadly(problem, **options):
        if problem.n == n:
            while not gate.exists():
                time.sleep(0.02)
            os._exit(9)
        return design(problem, **options)

    design, worker.design = worker.design, deadly


def must_not_work(task: Task) -> SweepRow:
    raise AssertionError("was designed again")


def slow_at_three(task: Task) -> SweepRow:
    """At n = 3, comes to its end only after ten minutes, and leaves a mark then."""
    if task.problem.n == 3:
        time.sleep(600)
        Path(os.environ["SWEEP_MARK"]).touch()
    return solve_one(task)


class Stingy(FileIO):
    """A file that takes ten bytes at a time."""

    def write(self, content) -> int:
        return super().write(content[:10])


def squared(number: int) -> int:
    return number * number


def dies_at_three(number: int) -> int:
    if number == 3:
        os._exit(9)
    return number


def refuses_three(number: int) -> int:
    if number == 3:
        raise InputError("number must not be 3, got number=3")
    return number


def dies_at_wh(problem, seconds):
    if problem.properties == {"WH"}:
        os._exit(9)
    return design_exactly(problem, seconds)
