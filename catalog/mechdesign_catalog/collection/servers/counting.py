"""Counts of the reports of some files: one worker's unit at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

from mechdesign.errors import InputError
from mechdesign_catalog.collection.reports.batches import Batch
from mechdesign_catalog.collection.reports.row_groups import rows_of_group
from mechdesign_catalog.collection.states.provenance import Provenance
from mechdesign_catalog.collection.states.summing import sum_up
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.reports.reports import State


@dataclass(frozen=True)
class Unit:
    """The unit of counting: batches, their offset among all of them, and their bytes.

    `task` is that of `owner`, which all must have. Of a single batch there may be only some groups of rows, from
    `groups[0]` up to and without `groups[1]`, of the file whose reports had this `digest` when it was cut.
    """

    task: Task
    owner: str
    first: int
    batches: Sequence[Batch]
    size: int
    groups: tuple[int, int] | None = None
    digest: str = ""
    drop_invalid: bool = False


@dataclass(frozen=True, slots=True)
class CountedBatch:
    """A batch that was counted: its place among all, the digest of its reports, and where these are from."""

    place: int
    digest: str
    provenance: Provenance


@dataclass(frozen=True)
class UnitSums:
    """The sums of a unit, what was counted for them, and how many reports were left out."""

    sums: State | None
    batches: Sequence[CountedBatch]
    dropped: int = 0


def count_unit(unit: Unit) -> UnitSums:
    """Add up the batches of a unit, group of rows by group of rows.

    Raises:
        InputError: for a batch of another task, a damaged file, one that has changed since it was cut, or reports that
            no client makes.
    """
    oracle = task_oracle(unit.task)
    sums: State | None = None
    found, dropped = [], 0
    for place, batch in enumerate(unit.batches, start=unit.first):
        with batch.opened() as opened:
            header = opened.header
            unit.task.require_same(header.task, unit.owner, batch.name)
            if unit.groups is not None and header.reports_digest != unit.digest:
                raise changed_file(batch.name)
            first, end = unit.groups or (0, len(header.groups))
            rows_before = first * rows_of_group(oracle.report_schema)
            pieces = map(opened.group, range(first, end))
            part = sum_up(oracle, pieces, batch.name, rows_before=rows_before, drop_invalid=unit.drop_invalid)
        dropped += part.dropped
        if part.sums is not None:
            sums = part.sums if sums is None else sums.merge(part.sums)
        found.append(CountedBatch(place, header.reports_digest, Provenance.of_header(header)))
    return UnitSums(sums, found, dropped)


def changed_file(name: str) -> InputError:
    """Say that a file is another one than when counting began: with its first rows it would lose or repeat some."""
    return InputError(f"file must not change while it is read, got {name}, which changed")
