"""Read and write files of reports: Parquet, with all that a server needs to read them.

The header is JSON in the file's metadata: the task (the oracle's parameters and the domain, its items where they are
few enough), the number of rows, the SHA-256 of the reports, and one of all this. So a file that was changed or cut off
is found out. Two random identities tell copies and rounds apart: that of the file, and that of the memory which
answered (`memory`), where one did. Then the file's identity is that of the batch, and `round` the collection that the
batch is a part of.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mechdesign.documents.files import whole_binary_file
from mechdesign.errors import InputError, reason_of
from mechdesign_catalog.collection.reports.report_columns import from_arrow, streams, to_arrow
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.oracles import headers
from mechdesign_catalog.oracles.reports import Reports, random_identity

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

FORMAT = "mechdesign-reports/1"
KEY = b"mechdesign"


@dataclass(frozen=True)
class Header:
    """Describe reports: of which task they are, and how many there are.

    `identity` is the file's own, empty where a seed makes it reproducible; `memory` is that of the memory, empty where
    reports are fresh. With a memory `identity` is that of the batch, and `round` names the collection in which each
    user answers once; without one `round` is empty.
    """

    task: Task
    rows: int = 0
    reports_digest: str = ""
    seed: int | None = None
    memory: str = ""
    identity: str = ""
    round: str = ""

    def to_json(self) -> str:
        """Write the header with the digest of everything else."""
        body = {
            "format": FORMAT,
            "task": self.task.body(),
            "rows": self.rows,
            "reports": {"sha256": self.reports_digest},
            "seed": self.seed,
            "memory": self.memory,
            "identity": self.identity,
            "round": self.round,
        }
        return json.dumps({**body, "sha256": _digest(body)})

    @classmethod
    def from_json(cls, text: str, path: Path) -> "Header":
        """Parse the header of a file.

        Raises:
            InputError: for one of another format, whose digest is not that of its content, or with an impossible field.
        """
        try:
            body = headers.parse_header(text, FORMAT)
            claimed, found = body.pop("sha256", None), _digest(body)
        except (InputError, RecursionError):
            raise InputError(f"reports must be of format {FORMAT}, got another header in {path}") from None
        if claimed != found:
            raise InputError(f"the header's digest must be that of its content, got a changed header in {path}")
        try:
            header = cls(
                task=Task.of_body(headers.part(body, "task")),
                rows=headers.count(body, "rows"),
                reports_digest=headers.hexadecimal(headers.part(body, "reports"), "sha256", headers.SHA256_DIGITS),
                seed=headers.seed(body),
                memory=headers.hexadecimal_or_empty(body, "memory", headers.IDENTITY_DIGITS),
                identity=headers.hexadecimal_or_empty(body, "identity", headers.IDENTITY_DIGITS),
                round="" if body.get("round") == "" else checked_round(body.get("round")),
            )
            if {bool(header.memory), bool(header.memory and header.identity)} != {bool(header.round)}:
                raise InputError("memory, round and identity of a batch must stand together, got only some")
            return header
        except InputError as error:
            raise InputError(f"{error} in the header of {path}") from None


def checked_round(name: object) -> str:
    """Check the name of a round.

    Raises:
        InputError: unless it is made of 1 to 64 letters and digits of ASCII, and of `.`, `_`, `:` and `-` after the
            first.

    >>> checked_round("2026-11-20")
    '2026-11-20'
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}", name):
        shown = repr(name[:40]) if isinstance(name, str) else "no text"
        raise InputError(f"round must be 1 to 64 letters, digits or . _ : - such as 2026-11-20, got {shown}")
    return name


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


class _Content:
    """Count rows, and take the digest, of reports that pass by, however they are cut into pieces."""

    def __init__(self) -> None:
        self.rows = 0
        self._hashes: dict[str, hashlib._Hash] = {}

    def add(self, reports: Reports) -> None:
        for name, column in reports.columns.items():
            for stream, kind, content in streams(name, column):
                self._hashes.setdefault(stream, hashlib.sha256(kind.encode())).update(content)
        self.rows += len(reports)

    @property
    def digest(self) -> str:
        return hashlib.sha256(b"".join(found.digest() for found in self._hashes.values())).hexdigest()

    def header(self, header: Header) -> Header:
        """Return the header with rows and digest, and an identity of its own unless it has one or a seed."""
        identity = header.identity or ("" if header.seed is not None else random_identity())
        return replace(header, rows=self.rows, reports_digest=self.digest, identity=identity)


def write_reports(path: Path, header: Header, pieces: Iterable[Reports]) -> int:
    """Write reports piece by piece; the file appears whole at the end, or not at all. Returns the number of rows.

    Rows, digest and identity of the header are filled in.

    Raises:
        InputError: for no reports at all, or where the file cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = iter(pieces)
    first = next(source, None)
    if first is None:
        raise InputError("the input must have at least one row, got none")
    content = _Content()
    schema = pa.schema([(name, to_arrow(column[:0]).type) for name, column in first.columns.items()])
    with whole_binary_file(path) as stream, pq.ParquetWriter(stream, schema) as parquet:
        for piece in chain([first], source):
            parquet.write_table(pa.table({name: to_arrow(column) for name, column in piece.columns.items()}))
            content.add(piece)
        parquet.add_key_value_metadata({KEY.decode(): content.header(header).to_json()})
    return content.rows


def completed_header(header: Header, reports: Reports) -> Header:
    """Fill in what a header says of these reports: rows, digest and identity."""
    content = _Content()
    content.add(reports)
    return content.header(header)


def read_header(path: Path) -> Header:
    """Read the header of a file of reports.

    Raises:
        InputError: for a file that is missing, cut off, of another kind, or whose header was changed.
    """
    with _opened(path) as file:
        return _header(file, path)


def read_reports(path: Path) -> Iterator[Reports]:
    """Read the reports of a file, group of rows by group of rows; believe them only when all have been read.

    Raises:
        InputError: as `read_header`, and where the reports are not those that the header was written for.
    """
    with _opened(path) as file:
        header = _header(file, path)
        if file.metadata.num_rows != header.rows:
            raise InputError(f"{path} must have the {header.rows} rows of its header, got {file.metadata.num_rows}")
        content = _Content()
        for group in range(file.metadata.num_row_groups):
            table = _read_group(file, group, path)
            columns = {name: from_arrow(table[name].combine_chunks(), name, path) for name in table.column_names}
            reports = Reports(header.task.parameters, columns)
            content.add(reports)
            yield reports
        if content.digest != header.reports_digest or content.rows != header.rows:
            raise InputError(f"the reports' digest must be that of the header, got changed reports in {path}")


@contextmanager
def _opened(path: Path) -> Iterator["pq.ParquetFile"]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        source = pa.OSFile(str(path))  # a name with a colon would be taken for an address
        file = pq.ParquetFile(source)
    except FileNotFoundError:
        raise InputError(f"file must exist, got {path}") from None
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from None
    with source, file:
        yield file


def _read_group(file: "pq.ParquetFile", group: int, path: Path) -> "pa.Table":
    import pyarrow as pa

    try:
        return file.read_row_group(group)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> InputError:
    said = reason_of(error)
    return InputError(f"reports must be a whole Parquet file of mechdesign privatize, got {path} ({said})")


def _header(file: "pq.ParquetFile", path: Path) -> Header:
    text = (file.metadata.metadata or {}).get(KEY)
    if text is None:
        raise InputError(f"reports must have a header of format {FORMAT}, got none in {path}")
    return Header.from_json(text.decode("utf-8", errors="replace"), path)
