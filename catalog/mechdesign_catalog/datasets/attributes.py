"""Attributes of users, public, each with its list of items, and columns read against them.

The lists never come from the private values: which items occur would itself tell something.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from mechdesign.documents.csv_rows import column_position
from mechdesign.documents.files import FilePath
from mechdesign.documents.sources import open_csv
from mechdesign.documents.tabular import csv_bytes
from mechdesign.errors import InputError, shorten
from mechdesign.names import nearest_name
from mechdesign_catalog.datasets.items.counts import Values
from mechdesign_catalog.datasets.items.domain import Domain

COLUMN, ITEM = "column", "item"
MOST_NAMED = 20


TUPLE = " x "
"""What stands between the items of a tuple of attributes."""


@dataclass(frozen=True)
class Attributes:
    """The d attributes by name, each with its domain of at least two items.

    Users have an item of each.

    Names are texts of one line without commas.

    Raises:
        InputError: for no attribute, a name that stands twice, or one that is none.

    >>> asked = Attributes.of({"coin": ["head", "tail"], "die": range(1, 7)})
    >>> asked.encode([["tail"], ["6"]], "one row").tolist(), asked.sizes
    ([[1, 5]], (2, 6))
    """

    names: tuple[str, ...]
    domains: tuple[Domain, ...]

    def __post_init__(self) -> None:
        if not self.names or len(self.names) != len(self.domains):
            raise InputError(f"attributes must have a domain each, got {len(self.domains)} for {len(self.names)}")
        for place, name in enumerate(self.names):
            if not name or name != name.strip() or any(mark in name for mark in ",\n\r"):
                shown = repr(shorten(name))
                raise InputError(f"names of attributes must be texts of one line without commas, got {shown}")
            if name in self.names[:place]:
                raise InputError(f"names of attributes must be distinct, got {shorten(name)} twice")

    @classmethod
    def of(cls, items: Mapping[str, Iterable[object]]) -> "Attributes":
        """Make attributes of lists of items by name.

        Raises:
            InputError: as `Attributes` and `Domain`, naming the attribute.
        """
        return cls(tuple(items), tuple(_domain(name, listed) for name, listed in items.items()))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of items of each attribute."""
        return tuple(domain.k for domain in self.domains)

    @property
    def characters(self) -> int:
        """Letters of all names and items together."""
        return sum(map(len, self.names)) + sum(len(item) for domain in self.domains for item in domain.items)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of names, numbers of items and items in UTF-8, each ended by a line feed."""
        found = hashlib.sha256()
        for name, domain in zip(self.names, self.domains, strict=True):
            lines = (name, str(domain.k), *domain.items)
            found.update("".join(f"{line}\n" for line in lines).encode())
        return found.hexdigest()

    def place(self, name: str) -> int:
        """Return the number of an attribute.

        Raises:
            InputError: for another name, with the nearest one.
        """
        word = name.strip()
        if word not in self.names:
            near = nearest_name(word, self.names)
            hint = f"; did you mean {near}?" if near else ""
            raise InputError(f"attribute must be one of {self.listed}, got {shorten(word) or 'an empty name'}{hint}")
        return self.names.index(word)

    @property
    def listed(self) -> str:
        """The names with commas between them, of many the first ones."""
        return listed_names(self.names)

    def taken(self, names: Sequence[str]) -> "Attributes":
        """Return the attributes of these names, in this order; errors as `place` and `Attributes`."""
        places = [self.place(name) for name in names]
        return Attributes(tuple(self.names[i] for i in places), tuple(self.domains[i] for i in places))

    def __contains__(self, text: str) -> bool:
        """Return whether this is an item of some attribute."""
        return any(text in domain for domain in self.domains)

    def cells(self) -> list[tuple[str, ...]]:
        """List the items of each cell of the table of all attributes, the last attribute changing fastest."""
        return list(product(*(domain.items for domain in self.domains)))

    def encode(self, columns: Sequence[Sequence[str]], source: str, first_row: int = 1) -> Values:
        """Return the number of each text's item, shape (users, d); `columns` are as many as attributes.

        Raises:
            InputError: naming row and attribute of the first text that is no item, not the text, which is private.
        """
        found = np.empty((len(columns[0]), len(self)), dtype=np.int64)
        for place, (name, domain, texts) in enumerate(zip(self.names, self.domains, columns, strict=True)):
            try:
                found[:, place] = domain.encode(texts, source, first_row)
            except InputError as error:
                raise InputError(f"{error}, attribute {shorten(name)}") from None
        return found

    def csv_bytes(self) -> bytes:
        """Write columns column, item: one row for each item, in the order of the items."""
        pairs = zip(self.names, self.domains, strict=True)
        return csv_bytes((COLUMN, ITEM), ((name, item) for name, domain in pairs for item in domain.items))


def listed_names(names: Sequence[str]) -> str:
    """Write names with commas between them, of many the first ones."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


AttributesLike = Attributes | FilePath | Mapping[str, Iterable[object]]
"""Attributes as people have them: a CSV file with columns column, item, or lists of items by name."""


def as_attributes(attributes: AttributesLike) -> Attributes:
    """Return the attributes that are meant.

    Raises:
        InputError: as `read_attributes` and `Attributes.of`.
    """
    if isinstance(attributes, Attributes):
        return attributes
    if isinstance(attributes, Mapping):
        return Attributes.of(attributes)
    return read_attributes(attributes)


def read_attributes(path: FilePath) -> Attributes:
    """Read attributes from a public CSV file with columns column, item.

    The order of rows is the order of items, and that in which names come first the order of attributes.

    Raises:
        InputError: for an unreadable file, other columns, an attribute with one item, or an item that stands twice.
    """
    items: dict[str, list[str]] = {}
    with open_csv(path, "domain") as (header, rows):
        name, item = (column_position(header, title, str(path)) for title in (COLUMN, ITEM))
        for row in rows:
            items.setdefault(row[name].strip(), []).append(row[item].strip())
    if not items:
        raise InputError(f"domain must have a row for each item, got none in {path}")
    try:
        return Attributes.of(items)
    except InputError as error:
        raise InputError(f"{error} in {path}") from None


def _domain(name: str, items: Iterable[object]) -> Domain:
    if isinstance(items, Domain):
        return items
    try:
        return Domain(tuple(map(str, items)))
    except InputError as error:
        raise InputError(f"{error} for attribute {shorten(name)}") from None
