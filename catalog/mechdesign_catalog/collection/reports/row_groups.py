"""Groups of rows of one size, each with a digest: the units by which work is shared out.

How many rows a group has follows from the columns alone, so a batch in memory and its file have the same groups, on
every machine and however the reports came. All groups but the last are full.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from mechdesign_catalog.randomizers.reports.ragged import Ragged
from mechdesign_catalog.randomizers.reports.report_schema import ByteStrings, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import AnyColumn, Reports, joined

MOST_ROWS = 1 << 18
GROUP_BYTES = 1 << 22


def rows_of_group(report_schema: ReportSchema) -> int:
    """Return the number of rows of a full group.

    It is the largest power of two whose reports take at most 4 MiB, at least 1 and at most 2^18. Byte strings count
    with the average length over the oracles that they may be of, rounded up.

    >>> from mechdesign_catalog.randomizers.reports.report_schema import Numbers, PackedBits
    >>> rows_of_group(ReportSchema((Numbers("item", 1000),))), rows_of_group(ReportSchema((PackedBits("bits", 1000),)))
    (262144, 32768)
    """
    width = 0
    for column in report_schema.columns:
        if isinstance(column, ByteStrings):
            width += -(-sum(each.width for each in column.wires) // len(column.wires))
        else:
            width += column.width
    return min(MOST_ROWS, 1 << max(0, (GROUP_BYTES // width).bit_length() - 1))


def regrouped(pieces: Iterable[Reports], rows: int) -> Iterator[Reports]:
    """Yield the reports of all pieces again, so many rows at a time; only the last may have fewer."""
    waiting: list[Reports] = []
    count = 0
    for piece in pieces:
        start = 0
        while start < len(piece):
            part = piece[start : start + rows - count]
            start, count = start + len(part), count + len(part)
            waiting.append(part)
            if count == rows:
                yield joined(waiting)
                waiting, count = [], 0
    if waiting:
        yield joined(waiting)


def group_digest(report_schema: ReportSchema, group: Reports) -> str:
    """Compute the SHA-256 of a group: the number of rows as 8 bytes, then column after column.

    Numbers and packed bits count as the bytes that a message has of them; of byte strings first come all lengths, 4
    bytes each, then all bytes. Every number has its little end first.
    """
    found = hashlib.sha256(len(group).to_bytes(8, "little"))
    for column in report_schema.columns:
        for content in _contents(group.columns[column.name]):
            found.update(content)
    return found.hexdigest()


def _contents(column: AnyColumn) -> Iterator[memoryview]:
    if isinstance(column, Ragged):
        yield column.widths.astype("<u4").data
        yield np.ascontiguousarray(column.data).data
    else:
        yield np.ascontiguousarray(column).reshape(-1).view(np.uint8).data


def digest_of_groups(digests: Sequence[str]) -> str:
    """Compute the SHA-256 over the digests of all groups, 32 bytes each."""
    return hashlib.sha256(bytes.fromhex("".join(digests))).hexdigest()
