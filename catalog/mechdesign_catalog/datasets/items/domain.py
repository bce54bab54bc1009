"""Domains: public lists of items, and CSV columns read against them.

The domain never comes from the private values: which items occur would itself tell something.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice, repeat
from pathlib import Path
from typing import TextIO

import numpy as np

from mechdesign.counts.release import CHUNK_ROWS
from mechdesign.documents.csv_rows import column_position
from mechdesign.documents.files import FilePath, require_readable
from mechdesign.documents.sources import open_csv
from mechdesign.errors import InputError, shorten
from mechdesign.names import nearest_name
from mechdesign_catalog.datasets.items.counts import ItemCounts, Values
from mechdesign_catalog.datasets.texts import CodedTexts, many_texts

MISSING = -1
LONGEST_LINE = 1_000_000
MOST_COMPARED, LONGEST_COMPARED = 10_000, 100


@dataclass(frozen=True)
class Domain:
    """The items of a public domain: k distinct texts, numbered 0..k-1 in their order.

    No text has space around it.

    Raises:
        InputError: for less than two items, an empty one, or one that stands twice.

    >>> Domain(("Cork", "Galway")).encode(["Galway", " Cork"], "two rows").tolist()
    [1, 0]
    """

    items: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.items) < 2:
            raise InputError(f"a domain must have at least 2 items, got {len(self.items)}")
        if len(self._number) != len(self.items):
            raise InputError(f"items of a domain must be distinct, got {_first_repeat(self.items)[0]} twice")
        for item in self.items:
            if not item or item != item.strip() or "\n" in item or "\r" in item:
                raise InputError(f"items of a domain must be texts of one line without space around, got {item!r:.40}")

    @property
    def k(self) -> int:
        """Number of items."""
        return len(self.items)

    @cached_property
    def _number(self) -> dict[str, int]:
        return dict(zip(self.items, range(len(self.items)), strict=True))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the items in UTF-8, each ended by a line feed: equal exactly for equal domains."""
        found = hashlib.sha256()
        for start in range(0, self.k, CHUNK_ROWS):
            found.update("".join(f"{item}\n" for item in self.items[start : start + CHUNK_ROWS]).encode())
        return found.hexdigest()

    def __contains__(self, text: str) -> bool:
        """Return whether this is an item, space around it aside."""
        return text.strip() in self._number

    def encode(self, texts: Sequence[str], source: str, first_row: int = 1) -> Values:
        """Return the number of each text's item, shape of `texts`; space around a text does not count.

        Raises:
            InputError: naming the first row that is outside the domain, not its text, which is private and would end
                up in a log; `texts[0]` is in row `first_row`.
        """
        different = texts.texts if isinstance(texts, CodedTexts) else texts
        found = map(self._number.get, map(str.strip, different), repeat(MISSING))
        codes = np.fromiter(found, dtype=np.int64, count=len(different))
        if isinstance(texts, CodedTexts):
            codes = codes[texts.codes]
        outside = codes == MISSING
        if outside.any():
            row = int(np.argmax(outside))
            got = "another" if texts[row].strip() else "a blank cell"
            raise InputError(f"values must be items of the domain, got {got} in row {first_row + row} of {source}")
        return codes

    def first_of(self, text: str) -> int:
        """Return the number of an item that begins a range.

        Raises:
            InputError: for a text that is no item, with the nearest one.
        """
        item = self._number.get(text.strip())
        if item is None:
            raise InputError(unknown_item(text.strip(), self.items))
        return item

    def last_of(self, text: str) -> int:
        """Return the number of an item that ends a range; errors as `first_of`."""
        return self.first_of(text)

    def span(self, first: int, last: int) -> str:
        """Name a range of items by its first and last one."""
        return self.items[first] if first == last else f"{self.items[first]} .. {self.items[last]}"


def unknown_item(text: str, items: Sequence[str]) -> str:
    """Say that a text is no item of a domain, and which is nearest among the first of them."""
    near = nearest_name(text[:LONGEST_COMPARED], items[:MOST_COMPARED])
    return f"must be an item, got {shorten(text) or 'a blank cell'}" + (f"; did you mean {near}?" if near else "")


DomainLike = Domain | FilePath | Iterable[object]
"""A domain as people have it: a file with an item a line, or the items themselves."""


def as_domain(domain: DomainLike) -> Domain:
    """Return the domain that is meant: a file is read, other items are taken as texts.

    Raises:
        InputError: as `read_domain` and `Domain`.
    """
    if isinstance(domain, Domain):
        return domain
    return read_domain(Path(domain)) if isinstance(domain, str | Path) else Domain(tuple(map(str, domain)))


def read_domain(path: FilePath) -> Domain:
    """Read a public domain from a file: one item a line, in UTF-8; blank lines at the end do not count.

    Raises:
        InputError: for an unreadable file, less than two items, a blank line between items, a line that is too long, or
            an item that stands twice, with the numbers of its lines.
    """
    require_readable(path)
    try:
        with Path(path).open(encoding="utf-8-sig") as stream:
            lines = list(_lines(stream, path))
    except UnicodeDecodeError:
        raise InputError(f"domain must be text in UTF-8, got {path}, which is not") from None
    except OSError as error:
        raise InputError(f"domain must be a readable file, got {path} ({error.strerror})") from None
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) < 2:
        raise InputError(f"a domain must have at least 2 items, one a line, got {len(lines)} in {path}")
    if "" in lines:
        raise InputError(f"a domain must have an item in every line, got a blank line {lines.index('') + 1} in {path}")
    if len(set(lines)) != len(lines):
        item, first, second = _first_repeat(lines)
        raise InputError(
            f"items of a domain must be distinct, got {shorten(item)} in lines {first + 1} and {second + 1} of {path}"
        )
    return Domain(tuple(lines))


def _lines(stream: TextIO, path: FilePath) -> Iterator[str]:
    """Yield the lines of a domain; one that does not end, as that of a device, is not read to its end."""
    for number, line in enumerate(iter(partial(stream.readline, LONGEST_LINE + 1), ""), 1):
        if len(line) > LONGEST_LINE:
            raise InputError(f"items must have at most {LONGEST_LINE} letters, got more in line {number} of {path}")
        yield line.strip()


def _first_repeat(items: Sequence[str]) -> tuple[str, int, int]:
    """Find the first item that stood before, and both places, counted from 0."""
    seen: dict[str, int] = {}
    for place, item in enumerate(items):
        if item in seen:
            return item, seen[item], place
        seen[item] = place
    raise ValueError("all items are distinct")


def require_header(
    header: Sequence[str], names: Sequence[str | None], is_value: Callable[[str], bool], source: str
) -> None:
    """Refuse a first row with a value in it where a column cannot be found by its name: it is a user's, not a header.

    Its user would be lost, or the value shown among the names of the columns. `names` are those that are looked for;
    None is a column that was not named.

    Raises:
        InputError: without the value, which is private.
    """
    unnamed = [name for name in header if name not in names]
    if not set(names) <= set(header) and any(map(is_value, unnamed)):
        raise InputError(
            f"the first row of {source} must be a header, got a value in it; if that is the name of the column, "
            "give it with --column"
        )


def column_counts(path: Path, column: str, domain: Domain) -> ItemCounts:
    """Count how many rows of a CSV file with a header have each item of a public domain, chunk by chunk of rows.

    Raises:
        InputError: for an unreadable file, an unknown column, no row at all, or naming the row that is outside the
            domain.
    """
    counts, done = np.zeros(domain.k, dtype=np.int64), 0
    with open_csv(path) as (header, rows):
        require_header(header, [column], domain.__contains__, str(path))
        at = column_position(header, column, str(path), "column")
        while chunk := [row[at] for row in islice(rows, CHUNK_ROWS)]:
            counts += np.bincount(domain.encode(chunk, str(path), done + 1), minlength=domain.k)
            done += len(chunk)
    if not done:
        raise InputError(f"the input must have at least one row, got none in {path}")
    return ItemCounts(f"{path.name}, {column}", domain.items, counts)


def count_items(values: object, domain: DomainLike, name: str = "the values") -> ItemCounts:
    """Count how many users have each item of a public domain, for a comparison of oracles.

    Args:
        values: one for each user: a list, an array, or a column of pandas, polars or pyarrow.
        domain: all items, in order: a file with one a line, or the items.
        name: what the data are called.

    Raises:
        InputError: naming the first row that is missing or outside the domain, not its value; or for no row at all.

    >>> count_items(["Cork", "Galway", "Cork"], ["Cork", "Galway"]).counts.tolist()
    [2, 1]
    """
    found = as_domain(domain)
    codes = found.encode(many_texts(values, "the values"), "the values")
    return ItemCounts(name, found.items, np.bincount(codes, minlength=found.k))
