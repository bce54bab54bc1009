"""Name the reports of many users that are collected together, in a file or in memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from mechdesign.documents.files import FilePath
from mechdesign.errors import InputError
from mechdesign_catalog.collection.reports.report_files import (
    Header,
    completed_header,
    read_header,
    read_reports,
    write_reports,
)
from mechdesign_catalog.oracles.reports import Reports


class Batch(Protocol):
    """Some users' reports, with all that a server needs to read them."""

    @property
    def name(self) -> str:
        """The name that errors give it."""

    @property
    def header(self) -> Header:
        """The header: oracle, domain, number of rows, digest."""

    def pieces(self) -> Iterator[Reports]:
        """Yield the reports piece by piece; believe them only when all have been read."""


@dataclass(frozen=True)
class ReportFile:
    """Read reports from a file; errors as `read_header` and `read_reports`."""

    path: Path

    @property
    def name(self) -> str:
        """The path of the file."""
        return str(self.path)

    @cached_property
    def header(self) -> Header:
        """The header, read once."""
        return read_header(self.path)

    def pieces(self) -> Iterator[Reports]:
        """Yield the reports group of rows by group of rows."""
        return read_reports(self.path)


@dataclass(frozen=True, eq=False)
class PrivateReports:
    """Hold reports in memory: each is private by itself, and may be sent to whoever aggregates them."""

    header: Header
    reports: Reports

    @classmethod
    def of(cls, header: Header, reports: Reports) -> "PrivateReports":
        """Make them with a header whose rows, digest and identity are filled in."""
        return cls(completed_header(header, reports), reports)

    def __len__(self) -> int:
        return len(self.reports)

    @property
    def name(self) -> str:
        """The name that errors give them."""
        return "a batch in memory"

    def pieces(self) -> Iterator[Reports]:
        """Yield all reports at once."""
        yield self.reports

    def save(self, path: FilePath) -> None:
        """Write the reports to a Parquet file, whole or not at all; it counts as the same reports.

        Raises:
            InputError: for another suffix, or a file that cannot be written.
        """
        target = Path(path)
        if target.suffix.lower() != ".parquet":
            raise InputError(f"reports must be saved to a .parquet file, got {target}")
        write_reports(target, self.header, self.pieces())


Collected = FilePath | PrivateReports
"""Reports as people have them: a file's name, or what `privatize` returned."""


def as_batches(reports: Collected | Iterable[Collected]) -> list[Batch]:
    """Return the batches that are meant by one of them or several.

    Raises:
        InputError: for none, or the same file twice.
    """
    given = [reports] if isinstance(reports, str | Path | PrivateReports) else list(reports)
    if not given:
        raise InputError("at least one file of reports must be given, got none")
    batches: list[Batch] = [one if isinstance(one, PrivateReports) else ReportFile(Path(one)) for one in given]
    resolved = [batch.path.resolve() for batch in batches if isinstance(batch, ReportFile)]
    for path in resolved:
        if resolved.count(path) > 1:
            shown = next(one for one in given if not isinstance(one, PrivateReports) and Path(one).resolve() == path)
            raise InputError(f"each file of reports must be given once, got {shown} twice")
    return batches
