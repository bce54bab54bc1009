"""Encoders of users' texts for oracles: items of public domains, steps of a grid."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from mechdesign.errors import InputError, argument, shorten
from mechdesign_catalog.datasets.attributes import TUPLE, Attributes
from mechdesign_catalog.datasets.items.bins import Bins, Grid, ItemDomain, as_beyond, parse_grid
from mechdesign_catalog.datasets.items.domain import Domain, DomainLike, as_domain
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean

Columns = Sequence[Sequence[str]]
"""The values of users as texts: one column or more, with a row for each user."""


About = TypeVar("About", bound=ItemDomain | Attributes)
About_co = TypeVar("About_co", bound=ItemDomain | Attributes | None, covariant=True)


@dataclass(frozen=True)
class Encoder(Generic[About_co]):
    """An encoder of users' texts, with what they are about.

    `encode(columns, source, first_row)` returns what the texts of each row stand for; one column, two for bins of two,
    d for as many attributes. It raises an InputError that names the first row that is out of range, not its value,
    which is private. `is_value` tells whether a user could have a text in some column. `domain` is None for numbers;
    `ordered` is for items that are listed in their order.
    """

    encode: Callable[[Columns, str, int], Values]
    is_value: Callable[[str], bool]
    domain: About_co
    ordered: bool = False

    @property
    def remarks(self) -> tuple[str, ...]:
        """What whoever collects the reports should know of the items: which bins are shorter than the others."""
        domain: object = self.domain
        sides = (domain,) if isinstance(domain, Bins) else domain.sides if isinstance(domain, Grid) else ()
        short = [side.items[-1] for side in sides if (side.last - side.first) % side.step]
        return tuple(f"the last bin, {label}, is shorter than the others" for label in short)


def encoder_of(domain: About, ordered: bool = False, beyond: str | None = None) -> Encoder[About]:
    """Make the encoder of texts that are items, numbers or dates in bins, or an item of each attribute.

    Raises:
        InputError: as `as_beyond`.
    """
    if isinstance(domain, Attributes):
        return Encoder(domain.encode, domain.__contains__, domain)
    moved = as_beyond(beyond)

    def encode(columns: Columns, source: str, first_row: int) -> Values:
        if isinstance(domain, Grid):
            return domain.encode(columns, source, first_row, moved)
        (texts,) = columns
        if isinstance(domain, Bins):
            return domain.encode(texts, source, first_row, moved)
        return domain.encode(texts, source, first_row)

    return Encoder(encode, domain.__contains__, domain, ordered)


def tuple_encoder(table: Attributes) -> Encoder[Domain]:
    """Make the encoder of texts of several columns as one item: their tuple, the last changing fastest.

    For designs whose items are the tuples. An item is named by those of the attributes, as `no x yes`.
    """

    def encode(columns: Columns, source: str, first_row: int) -> Values:
        found = table.encode(columns, source, first_row)
        tuples: Values = np.ravel_multi_index(tuple(found.T), table.sizes).astype(np.int64)
        return tuples

    return Encoder(encode, table.__contains__, Domain(tuple(TUPLE.join(cell) for cell in table.cells())))


def encoder_for(
    domain: DomainLike | None, bins: str | Sequence[str] | None, beyond: str | None, ordered: bool
) -> Encoder[ItemDomain] | None:
    """Make the encoder of items that is asked for: of a public list of them, or of bins; None if neither is given.

    Raises:
        InputError: for what does not go together, and as `read_domain`, `parse_grid` and `as_beyond`.
    """
    if bins is not None:
        if domain is not None:
            raise InputError(f"exactly one of {argument('domain')} and {argument('bins')} must be given, got both")
        if ordered:
            raise InputError("ordered goes with a domain, got it with bins, which are in order")
        return encoder_of(parse_grid([bins] if isinstance(bins, str) else bins), beyond=beyond)
    if beyond is not None:
        raise InputError(f"beyond goes with {argument('bins')}, got beyond={shorten(beyond)} without them")
    if domain is not None:
        return encoder_of(as_domain(domain), ordered)
    if ordered:
        raise InputError("ordered goes with a domain, got none")
    return None


def number_encoder(oracle: OneBitMean) -> Encoder[None]:
    """Make the encoder of texts that are decimals in the range of an oracle for means."""

    def encode(columns: Columns, source: str, first_row: int) -> Values:
        (texts,) = columns
        numbers = [_number(text, source, first_row + place) for place, text in enumerate(texts)]
        try:
            return oracle.on_grid(numbers, first_row)
        except InputError as error:
            raise InputError(f"{error} of {source}") from None

    return Encoder(encode, lambda text: bool(_DECIMAL.fullmatch(text.strip())), None)


_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def _number(cell: str, source: str, row: int) -> float:
    """Parse a decimal; what else stands there is not shown, since it is private."""
    text = cell.strip()
    if not _DECIMAL.fullmatch(text):
        got = "another text" if text else "a blank cell"
        raise InputError(f"numbers must be decimals, got {got} in row {row} of {source}")
    return float(text)
