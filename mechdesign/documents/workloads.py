"""Workloads from texts: their names, and CSV files of weights."""

import io
import re
from pathlib import Path

from mechdesign.arguments import checked
from mechdesign.documents.csv_rows import csv_rows
from mechdesign.documents.files import rational_rows, read_text
from mechdesign.errors import InputError
from mechdesign.workloads.matrix import DIGITS, MOST_WEIGHTS, MatrixWorkload
from mechdesign.workloads.registry import parse_named_workload
from mechdesign.workloads.workload import Workload

LARGEST_FILE = 1 << 26
"""Bytes of the largest file of weights, 64 for each of the most weights."""

_NAMED_FILE = re.compile(rf"(?P<path>.+\.csv)(@(?P<digest>[0-9a-f]{{{DIGITS}}}))?", re.IGNORECASE | re.DOTALL)


@checked
def parse_workload(text: str, k: int) -> Workload:
    """Parse a workload on k items, as `Workload.name` writes it.

    Args:
        text: `histogram`, `prefixes`, `ranges`, `ranges:L`, `circular`, `grid:A,B` with A B = k (a side may be
            `prefixes:A`, `circular:A` or `histogram:A`; else it has ranges), `marginals:K:R1,R2,..` of attributes with
            R, S, .. items and k = R S .. (`marginals:K` where each has two), or the path of a CSV file without header,
            a row of k weights (decimals or fractions) for each query. The name of a workload from a file ends in `@`
            and a digest of its weights; with the digest only a file of the same weights is taken.
        k: the number of items.

    Raises:
        InputError: for another name, one that does not fit k items, or a file that is no matrix of weights.
    """
    named = _NAMED_FILE.fullmatch(text.strip())
    if named is None:
        return parse_named_workload(text, k)
    workload = _read(Path(named["path"]), k)
    if named["digest"] and named["digest"].lower() != workload.digest:
        raise InputError(f"workload must be the one that was named, got other weights in {named['path']}")
    return workload


def _read(path: Path, k: int) -> MatrixWorkload:
    text = _read_short(path)
    rows: list[list[str]] = []
    for row in csv_rows(io.StringIO(text), str(path)):
        if len(row) not in (0, k):
            raise InputError(
                f"workload must have k = {k} weights a query, got {len(row)} in row {len(rows) + 1} of {path}"
            )
        rows.append(row)
        if len(rows) * k > MOST_WEIGHTS:
            raise InputError(f"workload must have at most {MOST_WEIGHTS} weights, got more in {path}")
    return MatrixWorkload.of(rational_rows(rows, str(path)), str(path))


def _read_short(path: Path) -> str:
    """Read a file that is not too long."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return read_text(path)  # which says what is wrong
    if status.st_size > LARGEST_FILE:
        raise InputError(f"workload must be a file of at most {LARGEST_FILE} bytes, got {status.st_size} in {path}")
    return read_text(path)
