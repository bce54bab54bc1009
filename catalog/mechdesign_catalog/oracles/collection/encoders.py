"""Encode users' texts as what an oracle takes: items of a public domain, or steps of a grid of numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mechdesign.errors import InputError
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.oracles.collection.report_files import MOST_CHARACTERS
from mechdesign_catalog.oracles.mean import MeanOracle
from mechdesign_catalog.oracles.oracle import Values


class Encoder(Protocol):
    """An encoder of users' texts, with what a header says of it."""

    @property
    def domain_digest(self) -> str:
        """Digest of the items; empty for numbers."""

    @property
    def items(self) -> tuple[str, ...] | None:
        """Items for the header; None where there are none, or too many to travel along."""

    def encode(self, texts: Sequence[str], source: str, first_row: int) -> Values:
        """Return what the texts stand for.

        Raises:
            InputError: naming the first row that is out of range, not its value, which is private.
        """

    def is_value(self, text: str) -> bool:
        """Tell whether a user could have this."""


@dataclass(frozen=True)
class ItemEncoder:
    """Encode texts that are items of a domain."""

    domain: Domain

    @property
    def domain_digest(self) -> str:
        """Digest of the items."""
        return self.domain.digest

    @property
    def items(self) -> tuple[str, ...] | None:
        """Items for the header; None where they are too many to travel along."""
        return None if sum(map(len, self.domain.items)) > MOST_CHARACTERS else self.domain.items

    def encode(self, texts: Sequence[str], source: str, first_row: int) -> Values:
        """Return what the texts stand for."""
        return self.domain.encode(texts, source, first_row)

    def is_value(self, text: str) -> bool:
        """Tell whether a user could have this."""
        return text in self.domain


@dataclass(frozen=True)
class NumberEncoder:
    """Encode texts that are decimals in the range of an oracle for means."""

    oracle: MeanOracle
    domain_digest: str = ""
    items: tuple[str, ...] | None = None

    def encode(self, texts: Sequence[str], source: str, first_row: int) -> Values:
        """Return what the texts stand for."""
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
