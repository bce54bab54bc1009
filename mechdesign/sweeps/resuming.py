"""Resumable tables of a sweep: finished designs are kept beside them until they are whole."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mechdesign.documents.files import write_together
from mechdesign.errors import ClusterError, InputError, MachineError
from mechdesign.sweeps.journal import Journal, journal_path, open_journal
from mechdesign.sweeps.run import run_sweep
from mechdesign.sweeps.table import require_table, table_bytes
from mechdesign.sweeps.worker import SweepRow, Task
from mechdesign.workers.choosing import IN_PROCESS, WorkerChoice


def write_sweep(
    tasks: Sequence[Task],
    output: Path,
    *,
    workers: WorkerChoice = IN_PROCESS,
    overwrite: bool = False,
    report: Callable[[int], None] = lambda finished: None,
    tell: Callable[[str], None] = lambda message: None,
    pictures: Callable[[Sequence[SweepRow]], Mapping[Path, bytes]] = lambda rows: {},
) -> list[SweepRow]:
    """Design every task and write the table; the same call goes on where one that was stopped left off.

    Finished rows are in the journal `OUTPUT.journal` until the table is written. It stays where a design failed (only
    failed ones are then tried again) and where it holds rows of another sweep.

    Args:
        tasks, workers, report: as `run_sweep` takes them.
        output: the table, `.csv` or `.parquet`.
        overwrite: replace a table that is there already.
        tell: told in a line what is found in the journal, and what is kept there when the work is interrupted.
        pictures: what is written together with the table.

    Raises:
        InputError: for an output that cannot be written or is there already, or a journal that is in use.
        ClusterError, MachineError: where nobody is left who can work, with what the journal has.
    """
    require_table(output)
    with open_journal(journal_path(output)) as journal:
        finished = len(journal.rows_for(tasks))
        if output.exists() and not overwrite and (not finished or journal.has_other_rows(tasks)):
            raise InputError(f"output must not exist yet, got {output}; --overwrite replaces it")
        if finished:
            tell(f"going on: {finished} of {len(tasks)} designs are in {journal.path} already")
        try:
            rows = run_sweep(tasks, workers=workers, journal=journal, report=report)
            write_together({output: table_bytes(rows, output.suffix), **pictures(rows)})
        except KeyboardInterrupt:
            if kept := _kept(journal, tasks):
                tell(kept)
            raise
        except (ClusterError, MachineError) as error:
            kept = _kept(journal, tasks)
            raise type(error)(f"{error}; {kept}" if kept else str(error)) from None
        journal.discard(tasks)
    return rows


def _kept(journal: Journal, tasks: Sequence[Task]) -> str:
    """Say what the journal has of an interrupted sweep; nothing where that is nothing."""
    journal.load()  # a row may have been on its way to the disk
    finished = len(journal.rows_for(tasks))
    if not finished:
        return ""
    return f"{finished} of {len(tasks)} designs are kept in {journal.path}; the same command goes on from there"
