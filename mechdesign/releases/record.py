"""Hold the record of a release: what was done to which groups, by designs with their proofs, and to which output."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from mechdesign.counts.release import RELEASED
from mechdesign.documents.document import FORMAT, Document
from mechdesign.documents.json_text import DecimalText
from mechdesign.documents.parsing import parse_document
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import integer_from_text

FIRST_FORMAT, RECORD_FORMAT = RECORD_FORMATS = ("mechdesign-release/1", "mechdesign-release/2")
"""The first holds designs of the first version, without intervals, and its statement tells of the largest score."""

INTERVALS = ("low", "high", "low_all", "high_all")
"""Columns of the output after the released count, where intervals were asked for."""

SIZE = "size"
"""The column of group sizes in the output of microdata."""

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class SizeEntry:
    """State how many groups of `size` units there are, and by which design they were released."""

    size: int
    groups: int
    design: Entry

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the design, in hexadecimal digits."""
        return hashlib.sha256(canonical_text(self.design).encode()).hexdigest()

    @cached_property
    def document(self) -> Document | None:
        """The design document; None for the plain matrix of a file, which no record to be published has."""
        if "format" not in self.design:
            return None
        return parse_document(dict(self.design), f"the design for n = {self.size}")

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism of these groups."""
        if self.document is not None:
            return self.document.mechanism()
        rows = tuple(tuple(integer_from_text(x, "weights") for x in row) for row in self.design["weights"])
        return Mechanism(rows, integer_from_text(self.design["denominator"], "denominator"))


@dataclass(frozen=True)
class ReleaseRecord:
    """Hold what is published beside released counts, so that anybody can check them and estimate from them.

    Attributes:
        column: what was counted: the column of the bits or of the true counts.
        group: the column that names the groups, where they were counted from rows of units; else None.
        unit: what is protected: one row of microdata, or one of those who are counted.
        unit_column: the column in which no unit may stand twice; None where that was not checked.
        alpha: every group is released with alpha-DP, `exp(-epsilon)`.
        sizes: an entry for each size, rising.
        columns: of the output, in order; the last is that of the released counts.
        size_column: which of them has the size of each group; None where all are of one size.
        output_digest: SHA-256 of the output's bytes.
        input_hmac: HMAC-SHA256 of the input's bytes under a secret key, or None.
        simulation: whether the noise came from a seed.
        version: of mechdesign.
        date: the day of the draw in UTC, `YYYY-MM-DD`.
        confidence: of the intervals in the output; None where it has none.
        format: of the record.
    """

    column: str
    group: str | None
    unit: str
    unit_column: str | None
    alpha: Fraction
    sizes: tuple[SizeEntry, ...]
    columns: tuple[str, ...]
    size_column: str | None
    output_digest: str
    input_hmac: str | None
    simulation: bool
    version: str
    date: str
    confidence: Fraction | None = None
    format: str = RECORD_FORMAT

    @property
    def groups(self) -> int:
        """Number of groups."""
        return sum(entry.groups for entry in self.sizes)

    @property
    def units(self) -> int:
        """Number of units in all groups."""
        return sum(entry.size * entry.groups for entry in self.sizes)

    @property
    def designs_digest(self) -> str:
        """SHA-256 of the designs' digests in the order of the sizes, each on a line."""
        return hashlib.sha256("".join(f"{entry.digest}\n" for entry in self.sizes).encode()).hexdigest()

    @property
    def released_at(self) -> int:
        """Where the released counts stand in a row of the output."""
        return len(self.columns) - len(self.last_columns)

    @property
    def last_columns(self) -> tuple[str, ...]:
        """What the output's header must end with."""
        return (RELEASED,) if self.confidence is None else (RELEASED, *INTERVALS)

    def entry(self, size: int) -> SizeEntry | None:
        """Return the entry of one size."""
        return self._by_size.get(size)

    @cached_property
    def _by_size(self) -> dict[int, SizeEntry]:
        return {entry.size: entry for entry in self.sizes}

    def __repr__(self) -> str:
        return (
            f"<ReleaseRecord: {self.groups} groups, {self.units} of {self.unit}, {len(self.sizes)} sizes, {self.date}>"
        )


def needed_format(sizes: Sequence[SizeEntry], confidence: Fraction | None) -> str:
    """Return the first format where it can say everything, as it always has; else the second."""
    documents = [entry.document for entry in sizes]
    first = all(one is None or (one.raw["format"], one.problem.loss.name) == (FORMAT, "L0") for one in documents)
    return FIRST_FORMAT if first and confidence is None else RECORD_FORMAT


def canonical_text(value: object) -> str:
    """Write JSON in the one form that digests are taken of: keys sorted, no white space, numbers as they are written.

    >>> canonical_text({"b": [1, "x"], "a": None})
    '{"a":null,"b":[1,"x"]}'
    """
    import json

    if isinstance(value, Mapping):
        inner = (f"{json.dumps(key)}:{canonical_text(value[key])}" for key in sorted(value))
        return "{" + ",".join(inner) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(canonical_text, value)) + "]"
    return str(value) if isinstance(value, DecimalText) else json.dumps(value)


def file_digest(path: Path) -> str:
    """Compute the SHA-256 of a file."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"file must be readable, got {path} ({error.strerror})") from None


def sizes_text(sizes: Sequence[int]) -> str:
    """Write rising numbers as runs: `1..30, 32`."""
    starts = [size for size in sizes if size - 1 not in sizes]
    ends = [size for size in sizes if size + 1 not in sizes]
    return ", ".join(f"{a}..{b}" if a < b else str(a) for a, b in zip(starts, ends, strict=True))
