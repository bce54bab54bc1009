"""Batches of reports that are collected together, in a file or in memory."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mechdesign.documents.files import FilePath
from mechdesign.errors import InputError
from mechdesign_catalog.collection.reports.locations import Location, find_files
from mechdesign_catalog.collection.reports.report_files import OpenFile, completed_header, open_reports, write_reports
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.reports.row_groups import regrouped, rows_of_group
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.reports.reports import Reports


@dataclass(frozen=True)
class ReportFile:
    """The reports of a file; errors as `open_reports` and `OpenFile.group`."""

    location: Location

    @classmethod
    def at(cls, path: FilePath) -> "ReportFile":
        """Name the file at a path or an address."""
        return cls(Location.of(path))

    @property
    def name(self) -> str:
        """The path or the address of the file."""
        return self.location.name

    @cached_property
    def header(self) -> Header:
        """The header, read once."""
        with open_reports(self.location) as found:
            return found.header

    def opened(self) -> AbstractContextManager[OpenFile]:
        """Open the file, once for the header and all groups of rows."""
        return open_reports(self.location)

    def pieces(self) -> Iterator[Reports]:
        """Yield the reports group of rows by group of rows."""
        with open_reports(self.location) as found:
            yield from found.pieces()


@dataclass(frozen=True, eq=False)
class PrivateReports:
    """Reports in memory: each is private by itself, and may be sent to whoever aggregates them."""

    header: Header
    reports: Reports

    @classmethod
    def of(cls, header: Header, reports: Reports) -> "PrivateReports":
        """Make them with a header whose rows, digest and identity are filled in."""
        typed = task_oracle(header.task).report_schema.typed(reports)
        return cls(completed_header(header, typed), typed)

    def __len__(self) -> int:
        return len(self.reports)

    @property
    def name(self) -> str:
        """The name that errors give them."""
        return "a batch in memory"

    def opened(self) -> AbstractContextManager["PrivateReports"]:
        """Return the reports: they are open."""
        return nullcontext(self)

    def group(self, number: int) -> Reports:
        """Return one of the groups of rows that a file of these reports would have."""
        rows = rows_of_group(task_oracle(self.header.task).report_schema)
        return self.reports[number * rows : (number + 1) * rows]

    def pieces(self) -> Iterator[Reports]:
        """Yield the groups of rows that a file of these reports would have."""
        return regrouped([self.reports], rows_of_group(task_oracle(self.header.task).report_schema))

    def save(self, path: FilePath) -> None:
        """Write the reports to a Parquet file, whole or not at all; it counts as the same reports.

        Raises:
            InputError: for another suffix, or a file that cannot be written.
        """
        target = Path(path)
        if target.suffix.lower() != ".parquet":
            raise InputError(f"reports must be saved to a .parquet file, got {target}")
        write_reports(target, self.header, self.pieces())


Batch = ReportFile | PrivateReports
"""Reports of many users: a header, and groups of rows that `opened` gives one by one."""

Collected = FilePath | PrivateReports
"""Reports as people have them: the name of a file, a folder or a pattern, or what `privatize` returned."""


def as_batches(reports: Collected | Iterable[Collected]) -> list[Batch]:
    """Return the batches that are meant by one of them or several.

    Raises:
        InputError: for none, the same file twice, and as `find_files`.
    """
    given = [reports] if isinstance(reports, str | Path | PrivateReports) else list(reports)
    if not given:
        raise InputError("at least one file of reports must be given, got none")
    batches: list[Batch] = []
    seen: set[object] = set()
    for one in given:
        if isinstance(one, PrivateReports):
            batches.append(one)
            continue
        for location in find_files(one):
            key = location.key
            if key in seen:
                raise InputError(f"each file of reports must be given once, got {location.name} twice")
            seen.add(key)
            batches.append(ReportFile(location))
    return batches
