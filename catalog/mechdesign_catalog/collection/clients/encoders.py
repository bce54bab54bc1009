"""Encode users' texts as what an oracle takes: items of a public domain, or steps of a grid of numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from mechdesign.errors import InputError, argument, shorten
from mechdesign_catalog.collection.tasks.task import MOST_CHARACTERS
from mechdesign_catalog.datasets.attributes import TUPLE, Attributes
from mechdesign_catalog.datasets.items.bins import Beyond, Bins, Grid, as_beyond, parse_grid
from mechdesign_catalog.datasets.items.domain import Domain, DomainLike, as_domain
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.oracle import Values

Columns = Sequence[Sequence[str]]
"""The values of users as texts: one column or more, with a row for each user."""


class Encoder(Protocol):
    """An encoder of users' texts, with what a header says of it."""

    @property
    def domain_digest(self) -> str:
        """Digest of the items; empty for numbers."""

    @property
    def items(self) -> tuple[str, ...] | None:
        """Items for the header; None where there are none, or too many to travel along."""

    @property
    def bins(self) -> tuple[str, ...]:
        """The texts of the bins for the header, one for each column; empty where items are no bins."""

    @property
    def attributes(self) -> Attributes | None:
        """Attributes for the header; None where users have one item."""

    @property
    def ordered(self) -> bool:
        """Whether the order of the items means something, so that ranges and quantiles of them do."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What whoever collects the reports should know of the items."""

    def encode(self, columns: Columns, source: str, first_row: int) -> Values:
        """Return what the texts of each row stand for; one column, two for bins of two, d for as many attributes.

        Raises:
            InputError: naming the first row that is out of range, not its value, which is private.
        """

    def is_value(self, text: str) -> bool:
        """Tell whether a user could have this."""


@dataclass(frozen=True)
class ItemEncoder:
    """Encode texts that are items of a domain; `ordered` is for items that are listed in their order."""

    domain: Domain
    ordered: bool = False
    bins: tuple[str, ...] = ()
    attributes: Attributes | None = None
    remarks: tuple[str, ...] = ()

    @property
    def domain_digest(self) -> str:
        """Digest of the items."""
        return self.domain.digest

    @property
    def items(self) -> tuple[str, ...] | None:
        """Items for the header; None where they are too many to travel along."""
        return None if sum(map(len, self.domain.items)) > MOST_CHARACTERS else self.domain.items

    def encode(self, columns: Columns, source: str, first_row: int) -> Values:
        """Return what the texts stand for."""
        (texts,) = columns
        return self.domain.encode(texts, source, first_row)

    def is_value(self, text: str) -> bool:
        """Tell whether a user could have this."""
        return text in self.domain


@dataclass(frozen=True)
class TupleEncoder:
    """Encode texts of several columns, an item of each attribute, as one item: their tuple, the last changing fastest.

    For designs whose items are the tuples. An item is named by those of the attributes, as `no x yes`.
    """

    table: Attributes
    ordered: bool = False
    bins: tuple[str, ...] = ()
    attributes: Attributes | None = None
    remarks: tuple[str, ...] = ()

    @cached_property
    def domain(self) -> Domain:
        """The tuples."""
        return Domain(tuple(TUPLE.join(cell) for cell in self.table.cells()))

    @property
    def domain_digest(self) -> str:
        """Digest of the tuples."""
        return self.domain.digest

    @property
    def items(self) -> tuple[str, ...] | None:
        """Tuples for the header; None where they are too many to travel along."""
        return ItemEncoder(self.domain).items

    def encode(self, columns: Columns, source: str, first_row: int) -> Values:
        """Return the tuple of each row."""
        found = self.table.encode(columns, source, first_row)
        tuples: Values = np.ravel_multi_index(tuple(found.T), self.table.sizes).astype(np.int64)
        return tuples

    def is_value(self, text: str) -> bool:
        """Tell whether a user could have this in some column."""
        return any(text in domain for domain in self.table.domains)


@dataclass(frozen=True)
class BinEncoder:
    """Encode texts that are numbers or dates in bins, in one column, or in two for a grid of bins."""

    domain: Bins | Grid
    beyond: Beyond = Beyond.REFUSE
    items: tuple[str, ...] | None = None
    attributes: Attributes | None = None

    @property
    def domain_digest(self) -> str:
        """Digest of the bins."""
        return self.domain.digest

    @property
    def bins(self) -> tuple[str, ...]:
        """The text of the bins of each column."""
        return self.domain.texts

    @property
    def ordered(self) -> bool:
        """Whether bins are in one row; pairs of them are not."""
        return isinstance(self.domain, Bins)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Which bins are shorter than the others."""
        sides = (self.domain,) if isinstance(self.domain, Bins) else self.domain.sides
        short = [side.items[-1] for side in sides if (side.last - side.first) % side.step]
        return tuple(f"the last bin, {label}, is shorter than the others" for label in short)

    def encode(self, columns: Columns, source: str, first_row: int) -> Values:
        """Return the bins, or pairs of bins."""
        if isinstance(self.domain, Bins):
            (texts,) = columns
            return self.domain.encode(texts, source, first_row, self.beyond)
        return self.domain.encode(columns, source, first_row, self.beyond)

    def is_value(self, text: str) -> bool:
        """Tell whether a user could have this."""
        return text in self.domain


DomainEncoder = ItemEncoder | TupleEncoder | BinEncoder


def asked_encoder(
    domain: DomainLike | None, bins: str | Sequence[str] | None, beyond: str | None, ordered: bool
) -> DomainEncoder | None:
    """Make the encoder of items that is asked for: of a public list of them, or of bins; None if neither is given.

    Raises:
        InputError: for what does not go together, and as `read_domain`, `parse_grid` and `as_beyond`.
    """
    if bins is not None:
        if domain is not None:
            raise InputError(f"exactly one of {argument('domain')} and {argument('bins')} must be given, got both")
        if ordered:
            raise InputError("ordered goes with a domain, got it with bins, which are in order")
        texts = [bins] if isinstance(bins, str) else bins
        return BinEncoder(parse_grid(texts), Beyond.REFUSE if beyond is None else as_beyond(beyond))
    if beyond is not None:
        raise InputError(f"beyond goes with {argument('bins')}, got beyond={shorten(beyond)} without them")
    if domain is not None:
        return ItemEncoder(as_domain(domain), ordered)
    if ordered:
        raise InputError("ordered goes with a domain, got none")
    return None


@dataclass(frozen=True)
class NumberEncoder:
    """Encode texts that are decimals in the range of an oracle for means."""

    oracle: OneBitMean
    domain_digest: str = ""
    items: tuple[str, ...] | None = None
    bins: tuple[str, ...] = ()
    attributes: Attributes | None = None
    ordered: bool = False
    remarks: tuple[str, ...] = ()

    def encode(self, columns: Columns, source: str, first_row: int) -> Values:
        """Return what the texts stand for."""
        (texts,) = columns
        numbers = [_number(text, source, first_row + place) for place, text in enumerate(texts)]
        try:
            return self.oracle.on_grid(numbers, first_row)
        except InputError as error:
            raise InputError(f"{error} of {source}") from None

    def is_value(self, text: str) -> bool:
        """Tell whether a user could have this."""
        return bool(_DECIMAL.fullmatch(text.strip()))


_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def _number(cell: str, source: str, row: int) -> float:
    """Parse a decimal; what else stands there is not shown, since it is private."""
    text = cell.strip()
    if not _DECIMAL.fullmatch(text):
        got = "another text" if text else "a blank cell"
        raise InputError(f"numbers must be decimals, got {got} in row {row} of {source}")
    return float(text)
