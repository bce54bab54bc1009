"""Messages of other clients, checked as a server does.

They are kept as a file of reports.

A message is one report as bytes (`ReportSchema`). In a file of messages each is a line of hexadecimal
digits; or, raw, they follow each other, since each says where it ends.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from mechdesign.documents.files import FilePath, require_readable
from mechdesign.errors import InputError, shorten
from mechdesign_catalog.collection.reports.report_files import write_reports
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.randomizers.reports.headers import IDENTITY_DIGITS
from mechdesign_catalog.randomizers.reports.report_schema import LENGTH_BYTES, ByteStrings, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Reports
from mechdesign_catalog.randomizers.reports.validity import without_invalid

AT_ONCE = 1 << 16
LONGEST_LINE = 1 << 24
"""Characters of a line at most: a report of 8 MiB."""

LONGEST_NAME = 200


@dataclass(frozen=True)
class ReceivedReports:
    """The number of received reports, and of messages left out as no client makes them."""

    reports: int
    dropped: int


@dataclass(frozen=True, eq=False)
class MessageBatch:
    """Some messages, the reports that they are, and how many others were left out between them."""

    messages: list[bytes]
    reports: Reports | None
    dropped: int


def receive_messages(
    messages: FilePath,
    task: Task,
    output: FilePath,
    *,
    raw: bool = False,
    batch: str = "",
    drop_invalid: bool = False,
    report: Callable[[int], None] = lambda users: None,
) -> ReceivedReports:
    """Write a file of reports from the messages of clients in any language, each checked; say how many there are.

    The identity of the file follows from the messages, the task and the name of the batch. So the same messages that
    are received twice are known as the same reports, and no user counts twice.

    Args:
        messages: a file with a message a line, in hexadecimal digits.
        task: what the reports are about.
        output: a .parquet file.
        raw: messages are bytes that follow each other, without lines.
        batch: tells batches apart whose few reports are the same by chance, such as a day.
        drop_invalid: leave out messages that no client of the task makes; without it one of them refuses the file. The
            file is then that of the others alone. Raw ones must still follow each other to the end.
        report: told how many messages were read so far.

    Raises:
        InputError: for a file without messages, or without valid ones, bytes that are no message of this task, a report
            that no client makes, or another suffix. Then nothing is written.
    """
    source, target = Path(messages), Path(output)
    if target.suffix.lower() != ".parquet":
        raise InputError(f"reports must be saved to a .parquet file, got {target}")
    if len(batch) > LONGEST_NAME:
        raise InputError(f"batch must be at most {LONGEST_NAME} characters, got {shorten(batch)}")
    identity, dropped = _identity(source, task, raw, batch, drop_invalid)
    pieces = read_messages(source, task, raw=raw, drop_invalid=drop_invalid, report=report)
    rows = write_reports(target, Header(task, identity=identity), (p.reports for p in pieces if p.reports is not None))
    return ReceivedReports(rows, dropped)


def read_messages(
    path: Path,
    task: Task,
    *,
    raw: bool = False,
    drop_invalid: bool = False,
    report: Callable[[int], None] = lambda users: None,
) -> Iterator[MessageBatch]:
    """Yield the reports of a file of messages piece by piece, checked; errors as `receive_messages`."""
    oracle = task_oracle(task)
    done, kept = 0, 0
    for messages in _pieces(path, oracle.report_schema, raw, drop_invalid):
        try:
            piece = _valid(oracle, messages) if drop_invalid else _all(oracle, messages)
        except InputError as error:
            after = f", counted from message {done + 1} on" if done else ""
            raise InputError(f"{error} of {path}{after}") from None
        done, kept = done + len(messages), kept + len(piece.messages)
        report(done)
        yield piece
    if not done:
        raise InputError(f"file must hold at least one message, got none in {path}")
    if not kept:
        raise InputError(f"at least one message must be valid, got none of {done:,} in {path}")


def _all(oracle: LocalOracle, messages: list[bytes]) -> MessageBatch:
    """Return what all of these messages are.

    Raises:
        InputError: for one that no client makes.
    """
    reports = oracle.report_schema.from_messages(messages, oracle.parameters)
    oracle.aggregate(reports)  # finds out whether a client can have made them
    return MessageBatch(messages, reports, 0)


def _valid(oracle: LocalOracle, messages: list[bytes]) -> MessageBatch:
    """Return what these messages are, without those that no client makes; one by one where there are some."""
    try:
        return _all(oracle, messages)
    except InputError:
        kept = [message for message in messages if _is_valid(oracle, message)]
    reports = oracle.report_schema.from_messages(kept, oracle.parameters) if kept else None
    return MessageBatch(kept, reports, len(messages) - len(kept))


def _is_valid(oracle: LocalOracle, message: bytes) -> bool:
    """Whether some client makes this message."""
    try:
        reports = oracle.report_schema.from_messages([message], oracle.parameters)
        return without_invalid(oracle.report_schema, reports, oracle.parameters)[1] == 0
    except InputError:
        return False


def _pieces(path: Path, report_schema: ReportSchema, raw: bool, drop_invalid: bool) -> Iterator[list[bytes]]:
    """Yield the messages of a file, some at a time; of a line to be left out, no bytes."""
    require_readable(path)
    try:
        with path.open("rb") as stream:
            messages = raw_messages(stream, report_schema) if raw else hex_messages(stream, drop_invalid=drop_invalid)
            while piece := list(islice(messages, AT_ONCE)):
                yield piece
    except FileNotFoundError:
        raise InputError(f"file must exist, got {path}") from None
    except OSError as error:
        raise InputError(f"file must be readable, got {path} ({error.strerror})") from None
    except InputError as error:
        raise InputError(f"{error} of {path}") from None


def hex_messages(stream: BinaryIO, *, drop_invalid: bool = False) -> Iterator[bytes]:
    """Yield the messages that lines of hexadecimal digits spell.

    Raises:
        InputError: naming the first line that is something else; with `drop_invalid` such a line is an empty message,
            which no client makes.
    """
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        word = line.strip()
        if not re.fullmatch(rb"(?:[0-9A-Fa-f]{2})+", word):
            if drop_invalid:
                yield b""
                continue
            raise InputError(f"a message must be pairs of hexadecimal digits, got something else in line {number}")
        yield bytes.fromhex(word.decode())


def raw_messages(stream: BinaryIO, report_schema: ReportSchema) -> Iterator[bytes]:
    """Yield the messages that follow each other; each column says how long it is, byte strings by their length.

    Raises:
        InputError: naming the message that is cut off.
    """
    number = 0
    while first := stream.read(1):
        number += 1
        message = bytearray()
        for column in report_schema.columns:
            if isinstance(column, ByteStrings):
                first = _more(stream, message, first, LENGTH_BYTES, number)
                width = int.from_bytes(message[-LENGTH_BYTES:], "little")
                if width > LONGEST_LINE:
                    raise InputError(f"byte strings must be at most 2^24 bytes, got {width} in message {number}")
            else:
                width = column.width
            first = _more(stream, message, first, width, number)
        yield bytes(message)


def _more(stream: BinaryIO, message: bytearray, first: bytes, count: int, number: int) -> bytes:
    """Read so many bytes more, of which the first may have been read already."""
    if count:
        part = first + stream.read(count - len(first))
        if len(part) < count:
            raise InputError(f"messages must be complete, got only the beginning of the last one, message {number}")
        message += part
        return b""
    return first


def _identity(path: Path, task: Task, raw: bool, batch: str, drop_invalid: bool) -> tuple[str, int]:
    """Return the digest of the messages, in their order, with the task and the batch; and how many are left out.

    Those that are left out are not in the digest: the same others with or without them are the same reports.
    """
    found = hashlib.sha256(f"{task.digest} {batch}\n".encode("utf-8", "surrogatepass"))
    dropped = 0
    for piece in read_messages(path, task, raw=raw, drop_invalid=drop_invalid):
        dropped += piece.dropped
        for message in piece.messages:
            found.update(len(message).to_bytes(8, "little") + message)
    return found.hexdigest()[:IDENTITY_DIGITS], dropped
