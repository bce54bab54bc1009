"""The record of a release: its groups, its designs with their proofs, and its output."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from mechdesign.counts.release import RELEASED
from mechdesign.documents.stored import StoredDesign, StoredLaw, read_document
from mechdesign.errors import InputError
from mechdesign.laws.law import Law
from mechdesign.mechanism.fair import LawMechanism
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import integer_from_text
from mechdesign.verify.document import FORMAT
from mechdesign.verify.record import FORMATS as RECORD_FORMATS
from mechdesign.verify.record import canonical

FIRST_FORMAT, RECORD_FORMAT, THIRD_FORMAT, FORMAT_OF_STAGES = RECORD_FORMATS
"""The first holds designs of the first version, without intervals, and its statement tells of the largest score. The
third holds a law for groups of many sizes, perhaps beside designs of their own for others, or groups in regions, or
intervals of a table of counts: the statement of the second counts them among the columns that are published exactly.
The fourth is the third where a design is best in further respects too."""

INTERVALS = ("low", "high", "low_all", "high_all")
"""Columns of the output after the released count, where intervals were asked for."""

LONGEST_SIZES = 60
"""Letters of a list of sizes that a line has room for."""

SIZE = "size"
"""The column of group sizes in the output of microdata."""

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class SizeEntry:
    """The groups of `size` units: their number, and the design that released them."""

    size: int
    groups: int
    design: Entry
    stored: StoredDesign | None = field(default=None, compare=False, repr=False)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the design, in hexadecimal digits."""
        return entry_digest(self.design)

    @cached_property
    def document(self) -> StoredDesign | None:
        """The design document; None for the plain matrix of a file, which no record to be published has."""
        if self.stored is not None or "format" not in self.design:
            return self.stored
        source = f"the design for n = {self.size}"
        found = read_document(self.design, source)
        if not isinstance(found, StoredDesign):
            raise InputError(f"design must be of counts 0..{self.size}, got another kind (in {source})")
        return found

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism of these groups."""
        if self.document is not None:
            return self.document.mechanism()
        rows = tuple(tuple(integer_from_text(x, "weights") for x in row) for row in self.design["weights"])
        return Mechanism(rows, integer_from_text(self.design["denominator"], "denominator"))


@dataclass(frozen=True)
class LawEntry:
    """The groups of many sizes that one law released, by size; sizes rise."""

    groups: Mapping[int, int]
    design: Entry
    stored: StoredLaw | None = field(default=None, compare=False, repr=False)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the law's document, in hexadecimal digits."""
        return entry_digest(self.design)

    @cached_property
    def document(self) -> StoredLaw:
        """The document of the law."""
        found = read_document(self.design, "the law") if self.stored is None else self.stored
        if not isinstance(found, StoredLaw):
            raise InputError("law must be the document of a law, got another design")
        return found

    @property
    def law(self) -> Law:
        """The law as its document has it; nothing is proved yet."""
        return self.document.law

    @property
    def mechanism(self) -> LawMechanism:
        """The mechanism of these groups, whatever their size."""
        return self.law.mechanism

    @property
    def ends(self) -> tuple[int, ...]:
        """The smallest and the largest size."""
        sizes = list(self.groups)
        return tuple(sorted({sizes[0], sizes[-1]}))

    @property
    def gap(self) -> Fraction:
        """The proved gap of the law at its smallest and its largest size, the wider one, as a part of the score."""
        return max(map(self.law.gap, self.ends))


def entry_digest(entry: Entry) -> str:
    """Return the SHA-256 of JSON values by their one canonical text, in hexadecimal digits."""
    return hashlib.sha256(canonical(entry).encode()).hexdigest()


@dataclass(frozen=True)
class ReleaseRecord:
    """The record beside released counts, by which anybody can check and estimate.

    Attributes:
        column: what was counted: the column of the bits or of the true counts.
        group: the column that names the groups, where they were counted from rows of units; else None.
        unit: what is protected: one row of microdata, or one of those who are counted.
        unit_column: the column in which no unit may stand twice; None where that was not checked.
        alpha: every group is released with alpha-DP, `exp(-epsilon)`.
        sizes: an entry for each size that has a design of its own, rising.
        columns: of the output, in order; the last is that of the released counts.
        size_column: which of them has the size of each group; None where all are of one size.
        output_digest: SHA-256 of the output's bytes.
        input_hmac: HMAC-SHA256 of the input's bytes under a secret key, or None.
        simulation: whether the noise came from a seed.
        version: of mechdesign.
        date: the day of the draw in UTC, `YYYY-MM-DD`.
        confidence: of the intervals in the output; None where it has none.
        format: of the record.
        law: of all other sizes; None where every size has a design of its own.
        values: of a category; each is counted in each group, and a unit that moves from one to another changes two
            counts. None for a bit.
        region: the column that names the region of each group, before that of the groups; None without regions.
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
    law: LawEntry | None = None
    region: str | None = None
    values: tuple[str, ...] = ()

    @property
    def counts(self) -> int:
        """Number of released counts."""
        return self.groups * max(1, len(self.values))

    @property
    def is_of_all_kinds(self) -> bool:
        """Whether its format has the keys of the third."""
        return self.format in (THIRD_FORMAT, FORMAT_OF_STAGES)

    def keeps(self, alpha: Fraction) -> bool:
        """Return whether draws that have this alpha each spend no more than the record says in all."""
        return spent_alpha(alpha, self.values) >= self.alpha

    @property
    def name_columns(self) -> tuple[str, ...]:
        """The columns of the output that tell what a row is a count of."""
        return (*self.group_columns, *([self.column] if self.values else []))

    @property
    def group_columns(self) -> tuple[str, ...]:
        """The columns that name the groups counted from rows of units: none, one, or that of regions before it."""
        return tuple(name for name in (self.region, self.group) if name is not None)

    @cached_property
    def groups_by_size(self) -> dict[int, int]:
        """Number of groups of each size, whatever they were released by; sizes rise."""
        found = {entry.size: entry.groups for entry in self.sizes}
        return dict(sorted({**found, **({} if self.law is None else self.law.groups)}.items()))

    @property
    def groups(self) -> int:
        """Number of groups."""
        return sum(self.groups_by_size.values())

    @property
    def units(self) -> int:
        """Number of units in all groups."""
        return sum(size * groups for size, groups in self.groups_by_size.items())

    @property
    def designs_digest(self) -> str:
        """SHA-256 of the designs' digests in the order of the sizes, and that of the law, each on a line."""
        digests = [entry.digest for entry in (*self.sizes, *(() if self.law is None else (self.law,)))]
        return hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()

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
            f"<ReleaseRecord: {self.groups} groups, {self.units} of {self.unit}, {len(self.groups_by_size)} sizes, "
            f"{self.date}>"
        )


def spent_alpha(alpha: Fraction, values: Sequence[str]) -> Fraction:
    """Return the alpha that a unit is given in all, where each draw has this one.

    One count changes with a bit. With a category two change where a unit moves from one value to another.
    """
    return alpha**2 if values else alpha


def needed_format(
    sizes: Sequence[SizeEntry],
    confidence: Fraction | None,
    group: str | None,
    law: LawEntry | None = None,
    region: str | None = None,
    values: Sequence[str] = (),
) -> str:
    """Return the first format that can say everything, as it always has, and nothing that is false."""
    documents = [entry.document for entry in sizes]
    if any(one is not None and one.stages for one in documents):
        return FORMAT_OF_STAGES
    if law is not None or region is not None or values or (group is None and confidence is not None):
        return THIRD_FORMAT
    first = all(one is None or (one.raw["format"], one.problem.loss.name) == (FORMAT, "L0") for one in documents)
    return FIRST_FORMAT if first and confidence is None else RECORD_FORMAT


def file_digest(path: Path) -> str:
    """Compute the SHA-256 of a file."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"file must be readable, got {path} ({error.strerror})") from None


def sizes_text(sizes: Iterable[int]) -> str:
    """Write rising numbers as runs: `1..30, 32`."""
    found = list(sizes)
    known = set(found)
    starts = [size for size in found if size - 1 not in known]
    ends = [size for size in found if size + 1 not in known]
    return ", ".join(f"{a}..{b}" if a < b else str(a) for a, b in zip(starts, ends, strict=True))


def sizes_in_short(sizes: Iterable[int]) -> str:
    """Write rising numbers as runs, and where there are many as `1 to 1000, 250 different`."""
    found = list(sizes)
    text = sizes_text(found)
    return text if len(text) <= LONGEST_SIZES else f"{found[0]} to {found[-1]}, {len(found)} different"
