"""Sweeps: a grid of designs, run in processes, resumable, one row for each.

>>> from mechdesign.sweeps import SweepGrid, run_sweep, tasks_of
>>> grid = SweepGrid.parse("2:6:2", alpha="1/2,0.9", properties="none;WH,CM")
>>> [row.score_exact for row in run_sweep(tasks_of(grid))][:3]
['2/3', '2/3', '18/19']

With `workers=workers_for(jobs=2)` the work is done in processes of their own: a script that calls `run_sweep` must then
do so under `if __name__ == "__main__":`, as with every use of `multiprocessing`.
"""

from mechdesign.sweeps.grid import SweepGrid
from mechdesign.sweeps.journal import Journal, open_journal
from mechdesign.sweeps.resuming import write_sweep
from mechdesign.sweeps.run import run_sweep
from mechdesign.sweeps.table import require_table, table_bytes
from mechdesign.sweeps.worker import SweepRow, Task, solve_one, tasks_of
from mechdesign.workers.choosing import workers_for

__all__ = [
    "Journal",
    "SweepGrid",
    "SweepRow",
    "Task",
    "open_journal",
    "require_table",
    "run_sweep",
    "solve_one",
    "table_bytes",
    "tasks_of",
    "workers_for",
    "write_sweep",
]
