"""Count groups of any sizes from microdata: a row for each unit, with a 0 or a 1 and the name of its group."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from mechdesign.documents.csv_rows import Cells, column_position
from mechdesign.errors import InputError

BITS = {"0": False, "1": True, "False": False, "True": True}
LONGEST_SHOWN = 40


@dataclass(frozen=True)
class CountedGroups:
    """Hold the groups of microdata: names in the order of their first rows, ones and rows of each."""

    names: tuple[str, ...]
    counts: tuple[int, ...]
    sizes: tuple[int, ...]

    def in_public_order(self) -> "CountedGroups":
        """Sort by name, whole numbers by value: the order of the rows could tell something of the answers."""
        whole = all(name.isascii() and name.isdecimal() for name in self.names)

        def place(row: tuple[str, int, int]) -> tuple[int, str, str]:
            digits = row[0].lstrip("0") if whole else ""
            return len(digits), digits, row[0]

        rows = sorted(zip(self.names, self.counts, self.sizes, strict=True), key=place)
        return CountedGroups(*(tuple(column) for column in zip(*rows, strict=True)))


def read_bit(text: str, column: str, number: int, source: str) -> bool:
    """Read a 0 or a 1.

    Raises:
        InputError: naming the row that has something else, or nothing.
    """
    bit = BITS.get(text.strip())
    if bit is None:
        raise InputError(f"{column} must be 0 or 1, got {text.strip()[:30] or 'none'} in row {number} of {source}")
    return bit


def count_groups(
    header: Cells, rows: Iterable[Cells], bit: str, group: str, source: str, unit_column: str | None = None
) -> CountedGroups:
    """Count the rows and the ones of each group: rows with the same text in column `group` belong together.

    Args:
        header: of the rows.
        rows: one for each unit.
        bit: the column with a 0 or a 1.
        group: the column that names the groups.
        source: what errors call the rows.
        unit_column: a column that names the units, in which no name may stand twice.

    Raises:
        InputError: naming the row whose bit, group or unit is missing or unfit, a group that is spelled in two ways, a
            unit that has two rows, or no rows at all.
    """
    at_bit, at_group = column_position(header, bit, source), column_position(header, group, source)
    if at_bit == at_group:
        raise InputError(f"bit and group must be two columns, got {bit} for both")
    names = _Names(group, "a group", source)
    units = None if unit_column is None else _Units(unit_column, column_position(header, unit_column, source), source)
    ones: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        one = read_bit(row[at_bit], bit, number, source)
        name = row[at_group].strip()
        if name not in sizes:
            names.add(name, number)
            ones[name] = sizes[name] = 0
        ones[name] += one
        sizes[name] += 1
        if units is not None:
            units.add(row, number)
    if not sizes:
        raise InputError(f"the input must have at least one row, got none in {source}")
    return CountedGroups(tuple(sizes), tuple(ones.values()), tuple(sizes.values()))


class _Names:
    """Names that differ by more than how a computer writes the same letters."""

    def __init__(self, column: str, named: str, source: str) -> None:
        self.column, self.named, self.source = column, named, source
        self.spelled: dict[str, str] = {}

    def add(self, name: str, number: int) -> None:
        """Note a name that was not noted before."""
        place = f"in row {number} of {self.source}"
        if not name:
            raise InputError(f"{self.column} must name {self.named}, got none {place}")
        if not name.isprintable():
            raise InputError(f"{self.column} must be a name in one line, got {name[:LONGEST_SHOWN]!a} {place}")
        key = name if name.isascii() else unicodedata.normalize("NFKC", name)
        first = self.spelled.setdefault(key, name)
        if first != name:
            got = f"{first[:LONGEST_SHOWN]!a} and {name[:LONGEST_SHOWN]!a}"
            raise InputError(f"{self.column} must spell each name in one way, got {got} {place}; both are {key[:40]}")


class _Units:
    """Units, none of which has two rows."""

    def __init__(self, column: str, at: int, source: str) -> None:
        self.names, self.at = _Names(column, "a unit", source), at
        self.seen: set[str] = set()

    def add(self, row: Cells, number: int) -> None:
        name = row[self.at].strip()
        if name in self.seen:
            raise InputError(
                f"{self.names.column} must name each unit once, got {name[:LONGEST_SHOWN]} again in row {number} of "
                f"{self.names.source}; a unit with two rows would spend epsilon for each"
            )
        self.names.add(name, number)
        self.seen.add(name)
