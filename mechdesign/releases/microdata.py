"""Microdata: a row for each unit, a 0 or a 1, and its group.

Groups of any sizes are counted from it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mechdesign.documents.csv_rows import Cells, column_position
from mechdesign.errors import InputError
from mechdesign.ledgers.spellings import without_invisible

BITS = {"0": False, "1": True, "False": False, "True": True}


@dataclass(frozen=True)
class BitColumn:
    """The column that says who is counted, and the texts that count.

    Attributes:
        name: of the column.
        position: where it stands in the header.
        yes, no: the two texts of the column, compared exactly; None where it has 0 and 1.
    """

    name: str
    position: int
    yes: str | None = None
    no: str | None = None

    @classmethod
    def find(cls, column: str, header: Cells, source: str) -> "BitColumn":
        """Find the column of `NAME`, which has 0 and 1, or of `NAME=YES/NO`, which has these two texts.

        A column whose own name has a `=` is found first.

        Raises:
            InputError: for a column that does not stand there once, or texts that are not two.
        """
        splits = [k for k, letter in enumerate(column) if letter == "="]
        at = next((k for k in reversed(splits) if column[:k].strip() in header), splits[0] if splits else None)
        if column in header or at is None:
            return cls(column, column_position(header, column, source, "bit"))
        name, texts = column[:at].strip(), column[at + 1 :].split("/")
        if len(texts) != 2 or not all(texts) or texts[0] == texts[1]:
            raise InputError(f"bit must be COLUMN or COLUMN=YES/NO, with two texts of the column, got {column[:80]}")
        return cls(name, column_position(header, name, source, "bit", texts), *texts)

    @property
    def counted(self) -> str:
        """What is counted: the column, with the text that counts where it is not 1."""
        return self.name if self.yes is None else f"{self.name}={self.yes}"

    def read(self, row: Cells, number: int, source: str) -> bool:
        """Read the bit of a row.

        Raises:
            InputError: naming the row that has something else, or nothing.
        """
        text = row[self.position]
        bit = BITS.get(text.strip()) if self.yes is None else {self.yes: True, self.no: False}.get(text)
        if bit is None:
            raise InputError(self._refusal("another" if text.strip() else "none", number, source))
        return bit

    def _refusal(self, got: str, number: int, source: str) -> str:
        if self.yes is not None:
            return f"{self.name} must be {self.yes} or {self.no}, got {got} in row {number} of {source}"
        return (
            f"{self.name} must be 0 or 1, got {got} in row {number} of {source}; if the column holds two texts, "
            f"name them, the counted one first: --bit {self.name}=yes/no"
        )


MOST_VALUES = 20
"""The most values of a category."""


@dataclass(frozen=True)
class CategoryColumn:
    """A column with one of several values for each unit.

    The values are public before the count.

    Values are compared exactly. A column of one value, or without a list, would publish which values occur.
    """

    name: str
    position: int
    values: tuple[str, ...]

    @classmethod
    def find(cls, column: str, header: Cells, source: str) -> "CategoryColumn":
        """Find the column of `NAME=A/B/C`, which has these values; one whose own name has a `=` is found first.

        Raises:
            InputError: for a column that does not stand there once, or values that are not 2 to 20 different ones.
        """
        splits = [k for k, letter in enumerate(column) if letter == "="]
        at = next((k for k in reversed(splits) if column[:k].strip() in header), splits[0] if splits else len(column))
        name, values = column[:at].strip(), tuple(column[at + 1 :].split("/"))
        plain = all(value and value == value.strip() and value.isprintable() for value in values)
        if not (2 <= len(values) <= MOST_VALUES and plain and len(set(map(without_invisible, values))) == len(values)):
            raise InputError(
                f"category must be COLUMN=A/B/C with 2 to {MOST_VALUES} different values, which are public, got "
                f"{column[:80]}"
            )
        return cls(name, column_position(header, name, source, "category", values), values)

    def read(self, row: Cells, number: int, source: str) -> str:
        """Read the value of a row.

        Raises:
            InputError: naming the row that has another one, or none.
        """
        text = row[self.position]
        if text not in self.values:
            got = "another" if text.strip() else "none"
            raise InputError(
                f"{self.name} must be one of the {len(self.values)} values of category, got {got} in row {number} of "
                f"{source}"
            )
        return text


Name = tuple[str, ...]
"""A group's name: its text, or those of its region and its own."""


def group_columns(column: str, header: Cells) -> Name:
    """Find the columns that name groups: one, or those of a region and of a group in it, between a comma.

    A column whose own name has a comma is found first.

    Raises:
        InputError: for more than two columns, or one twice.
    """
    names = (column,) if column in header else tuple(name.strip() for name in column.split(","))
    if len(names) > 2 or len(set(names)) < len(names):
        raise InputError(f"group must be a column, or REGION,GROUP, two columns, got {column[:80]}")
    return names


@dataclass(frozen=True)
class CountedGroups:
    """The groups of microdata: names in the order of their first rows, ones and rows of each, what is counted."""

    names: tuple[Name, ...]
    counts: tuple[int, ...]
    sizes: tuple[int, ...]
    counted: str

    def in_public_order(self) -> "CountedGroups":
        """Sort by name, whole numbers by value: the order of the rows could tell something of the answers."""
        rows = zip(self.names, self.counts, self.sizes, strict=True)
        place = dict(zip(in_public_order(self.names), range(len(self.names)), strict=True))
        names, counts, sizes = zip(*sorted(rows, key=lambda row: place[row[0]]), strict=True)
        return CountedGroups(names, counts, sizes, self.counted)


def in_public_order(names: Iterable[Name]) -> list[Name]:
    """Sort names of groups, by region first; texts of which all are whole numbers by value."""
    found = list(names)
    whole = [all(text.isascii() and text.isdecimal() for text in texts) for texts in zip(*found, strict=True)]

    def place(name: Name) -> list[tuple[int, str, str]]:
        digits = [text.lstrip("0") if is_whole else "" for text, is_whole in zip(name, whole, strict=True)]
        return [(len(value), value, text) for value, text in zip(digits, name, strict=True)]

    return sorted(found, key=place)


@dataclass(frozen=True)
class CountedCells:
    """The groups of microdata in public order: names, sizes, and how many units of each have each value."""

    category: CategoryColumn
    names: tuple[Name, ...]
    sizes: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]


def count_categories(
    header: Cells, rows: Iterable[Cells], category: str, group: Name, source: str, unit_column: str | None = None
) -> CountedCells:
    """Count the rows of each group that have each value of a category; arguments and errors as `count_groups`.

    A value is one more column of names here: each is a group of its own, of which the rows are counted.
    """
    found = CategoryColumn.find(category, header, source)
    if found.name in group:
        raise InputError(f"category and group must be two columns, got {found.name} for both")
    cells: Counter[tuple[Name, str]] = Counter()
    at = [column_position(header, column, source, "group") for column in group]

    def noted() -> Iterator[Cells]:
        for number, row in enumerate(rows, start=1):
            cells[tuple([row[k].strip() for k in at]), found.read(row, number, source)] += 1
            yield row

    groups = count_groups(header, noted(), None, group, source, unit_column).in_public_order()
    counts = tuple(tuple(cells[name, value] for value in found.values) for name in groups.names)
    return CountedCells(found, groups.names, groups.sizes, counts)


def count_groups(
    header: Cells, rows: Iterable[Cells], bit: str | None, group: Name, source: str, unit_column: str | None = None
) -> CountedGroups:
    """Count the rows and the ones of each group: rows with the same texts in the columns `group` belong together.

    Args:
        header: of the rows.
        rows: one for each unit.
        bit: the column with a 0 or a 1, or with two other texts, as `BitColumn.find` reads it; None counts rows alone.
        group: the column that names the groups, or those of regions and of groups in them.
        source: what errors call the rows.
        unit_column: a column that names the units, in which no name may stand twice.

    Raises:
        InputError: naming the row whose bit, group or unit is missing or unfit, a group that is spelled in two ways, a
            unit that has two rows, or no rows at all.
    """
    bits = None if bit is None else BitColumn.find(bit, header, source)
    at_group = [column_position(header, column, source, "group") for column in group]
    if bits is not None and bits.position in at_group:
        raise InputError(f"bit and group must be two columns, got {bits.name} for both")
    kinds = ("a group",) if len(group) == 1 else ("a region", "a group")
    known = [_Names(column, kind, source) for column, kind in zip(group, kinds, strict=True)]
    units = None
    if unit_column is not None:
        units = _Units(unit_column, column_position(header, unit_column, source, "unit_column"), source)
    ones: dict[Name, int] = {}
    sizes: dict[Name, int] = {}
    for number, row in enumerate(rows, start=1):
        one = bits is not None and bits.read(row, number, source)
        name = tuple([row[at].strip() for at in at_group])
        if name not in sizes:
            for names, text in zip(known, name, strict=True):
                names.add(text, number)
            ones[name] = sizes[name] = 0
        ones[name] += one
        sizes[name] += 1
        if units is not None:
            units.add(row, number)
    if not sizes:
        raise InputError(f"the input must have at least one row, got none in {source}")
    return CountedGroups(
        tuple(sizes), tuple(ones.values()), tuple(sizes.values()), "" if bits is None else bits.counted
    )


class _Names:
    """Names that differ by more than how a computer writes the same letters; errors name rows, never a name."""

    def __init__(self, column: str, named: str, source: str) -> None:
        self.column, self.named, self.source = column, named, source
        self.first: dict[str, tuple[str, int]] = {}

    def add(self, name: str, number: int) -> None:
        """Note a name that was not noted before."""
        place = f"in row {number} of {self.source}"
        if not name:
            raise InputError(f"{self.column} must name {self.named}, got none {place}")
        if not name.isprintable():
            raise InputError(f"{self.column} must be a name in one line, got another {place}")
        spelled, row = self.first.setdefault(without_invisible(name), (name, number))
        if spelled != name:
            raise InputError(
                f"{self.column} must spell each name the same in all rows, got two in rows {row} and {number} of "
                f"{self.source}, which look the same but differ in code points"
            )


class _Units:
    """Units, none of which has two rows."""

    def __init__(self, column: str, at: int, source: str) -> None:
        self.names, self.at = _Names(column, "a unit", source), at
        self.rows: dict[str, int] = {}

    def add(self, row: Cells, number: int) -> None:
        name = row[self.at].strip()
        if name in self.rows:
            raise InputError(
                f"{self.names.column} must name each unit once, got one twice in rows {self.rows[name]} and {number} "
                f"of {self.names.source}; a unit with two rows would spend epsilon for each"
            )
        self.names.add(name, number)
        self.rows[name] = number
