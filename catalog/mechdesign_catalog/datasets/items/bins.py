"""Bins of numbers or dates: an ordered domain of any size behind a short text.

Edges are exact decimals or dates. No float decides which bin a value is in.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError, argument, quote, shorten
from mechdesign_catalog.datasets.items.counts import Values
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.datasets.items.units import Unit, edges_in_units

MOST_BINS = 1 << 40
LONGEST_TEXT = 200
BETWEEN = ".."
"""Between the first and the last unit of a bin."""


class Beyond(StrEnum):
    """The rule for a value beyond the bins: refused, or moved to the first or the last bin."""

    REFUSE = "refuse"
    CLIP = "clip"


@dataclass(frozen=True)
class Bins:
    """The k bins of `step` units each, from `first` to before `last`.

    The last bin of dates may be shorter.

    Bin i has the values x with `first + i step <= x < first + (i+1) step` in units: 1 for edges that are whole numbers,
    `10^-d` for edges of d decimals, a day for dates. Between two edges every value counts, not only whole units.

    >>> ages = parse_bins("0:120:5")
    >>> ages.k, ages.items[6], ages.encode(["34.99", "35"], "two rows").tolist()
    (24, '30..34', [6, 7])
    """

    unit: Unit
    first: int
    last: int
    step: int

    @property
    def k(self) -> int:
        """Number of bins."""
        return -(-(self.last - self.first) // self.step)

    @property
    def text(self) -> str:
        """The text `FIRST:LAST:STEP` that makes these bins again."""
        return f"{self.unit.text(self.first)}:{self.unit.text(self.last)}:{self.unit.step_text(self.step)}"

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each side; there is one."""
        return (self.text,)

    @cached_property
    def digest(self) -> str:
        """SHA-256 that is equal exactly for equal bins."""
        return _digest(self.texts)

    @property
    def items(self) -> "Labels":
        """The labels of the bins, made when they are looked at."""
        return Labels(self.k, self.label)

    def label(self, item: int) -> str:
        """Name a bin: by its only unit, or by its first and last one, both of which are in it."""
        return self.span(item, item)

    def span(self, first: int, last: int) -> str:
        """Name a range of bins by its first and last unit."""
        start, stop = self._ends(first)[0], self._ends(last)[1]
        return self.unit.text(start) + (f"{BETWEEN}{self.unit.text(stop)}" if stop > start else "")

    def edge(self, item: int) -> str:
        """Write the lower edge of a bin; that of bin k is the upper edge of the last bin."""
        return self.unit.text(min(self.first + item * self.step, self.last))

    def numbers(self, edges: Values) -> NDArray[np.float64]:
        """Return the lower edges of these bins as numbers, or as days since 1970-01-01; edge k is the last upper one.

        >>> parse_bins("0:1:0.25").numbers(np.array([0, 1, 4])).tolist()
        [0.0, 0.25, 1.0]
        """
        units = np.minimum(self.first + edges * self.step, self.last)
        return np.asarray(units / self.unit.in_one, dtype=np.float64)

    def _ends(self, item: int) -> tuple[int, int]:
        """First and last unit of a bin."""
        start = self.first + item * self.step
        return start, min(start + self.step, self.last) - 1

    def encode(self, texts: Sequence[str], source: str, first_row: int = 1, beyond: Beyond = Beyond.REFUSE) -> Values:
        """Return the bin of each text; space around a text does not count.

        Raises:
            InputError: naming the first row that is no number or no date, or beyond the bins unless these are clipped;
                not its text, which is private. `texts[0]` is in row `first_row`.
        """
        units, is_value = self.unit.floors(texts)
        if not is_value.all():
            row = int(np.argmin(is_value))
            got = "another text" if texts[row].strip() else "a blank cell"
            raise InputError(f"values must be {self.unit.kind}, got {got} in row {first_row + row} of {source}")
        if beyond is Beyond.CLIP:
            units = np.clip(units, self.first, self.last - 1)
        outside = (units < self.first) | (units >= self.last)
        if outside.any():
            row = first_row + int(np.argmax(outside))
            raise InputError(
                f"values must be from {self.edge(0)} to below {self.edge(self.k)}, got one beyond in row {row} of "
                f"{source}; take another column or wider bins, or move such values to the first or last bin: "
                f"give {argument('beyond')}=clip"
            )
        found: Values = (units - self.first) // self.step
        return found

    def __contains__(self, text: str) -> bool:
        """Return whether this is a value that can be in a bin, or beyond all of them."""
        _, is_value = self.unit.floors([text])
        return bool(is_value[0])

    def first_of(self, text: str) -> int:
        """Return the bin that begins with this unit, or has this label.

        Raises:
            InputError: for a value inside a bin or beyond all of them, or another text.
        """
        return self._named(text, 0)

    def last_of(self, text: str) -> int:
        """Return the bin that ends with this unit, or has this label; errors as `first_of`."""
        return self._named(text, 1)

    def _named(self, text: str, end: int) -> int:
        parts = text.strip().split(BETWEEN)
        units = [self.unit.exact(part) for part in parts]
        if units[0] is not None and self.first <= units[0] < self.last:
            item = (units[0] - self.first) // self.step
            ends = self._ends(item)
            if units in ([ends[end]], list(ends)):
                return item
        raise InputError(self._refusal(parts, ("first", "last")[end]))

    def _refusal(self, parts: Sequence[str], name: str) -> str:
        """Say why a text names no bin: it is none, beyond all of them, or splits one."""
        word = shorten(BETWEEN.join(parts))
        units, is_value = self.unit.floors(parts)
        if len(parts) > 2 or not is_value.all():
            return f"must be a bin such as {self.label(0)}, or its {name} unit, got {word or 'a blank cell'}"
        if ((units < self.first) | (units >= self.last)).any():
            return f"must be within {self.text}, got {word}"
        if "e" in word.lower():
            return f"must be a decimal without an exponent, got {word}"
        bin_ = self.label(int((units[0] - self.first) // self.step))
        return f"must be a bin or its {name} unit, got {word}, which splits the bin {bin_}"


@dataclass(frozen=True)
class Grid:
    """The product of two lists of bins: item `i B + j` is bin i and bin j.

    Bin i is of the first list, bin j of the second, which has B bins.

    >>> parse_grid(["0:2:1", "0:30:10"]).items[4]
    '1 x 10..19'
    """

    sides: tuple[Bins, Bins]

    @property
    def k(self) -> int:
        """Number of pairs of bins."""
        return self.sides[0].k * self.sides[1].k

    @property
    def shape(self) -> tuple[int, int]:
        """Number of bins of each side."""
        return self.sides[0].k, self.sides[1].k

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each side."""
        return tuple(side.text for side in self.sides)

    @cached_property
    def digest(self) -> str:
        """SHA-256 that is equal exactly for equal bins on both sides."""
        return _digest(self.texts)

    @property
    def items(self) -> "Labels":
        """The labels of the pairs, made when they are looked at."""
        return Labels(self.k, self.label)

    def label(self, item: int) -> str:
        """Name a pair of bins."""
        row, column = divmod(item, self.sides[1].k)
        return f"{self.sides[0].label(row)} x {self.sides[1].label(column)}"

    def encode(
        self, columns: Sequence[Sequence[str]], source: str, first_row: int = 1, beyond: Beyond = Beyond.REFUSE
    ) -> Values:
        """Return the pair of bins of each row of two columns of texts; errors as `Bins.encode`."""
        rows, places = (
            side.encode(texts, source, first_row, beyond) for side, texts in zip(self.sides, columns, strict=True)
        )
        return rows * self.sides[1].k + places

    def __contains__(self, text: str) -> bool:
        """Return whether this is a value that can be in a bin of either side, or beyond all of them."""
        return any(text in side for side in self.sides)


ItemDomain = Domain | Bins | Grid
"""A public domain of k items, numbered 0..k-1 in their order."""


class Labels(Sequence[str]):
    """The names of k items, made when they are needed."""

    def __init__(self, k: int, label: Callable[[int], str]) -> None:
        self._k, self._label = k, label

    def __len__(self) -> int:
        return self._k

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self._label(item) for item in range(*place.indices(self._k))]
        return self._label(range(self._k)[place])

    def __iter__(self) -> Iterator[str]:
        return map(self._label, range(self._k))


def parse_bins(text: str) -> Bins:
    """Parse bins `FIRST:LAST:STEP` of decimals, as 0:120:1, or of dates, as 2020-01-01:2021-01-01:7d.

    LAST is the upper edge of the last bin and not in it. The last bin of dates may be shorter than the others, since
    no year has a whole number of weeks; a step of numbers must divide the length.

    Raises:
        InputError: for edges that do not increase, a step that is 0 or does not divide, less than 2 or more than 2^40
            bins, dates that do not exist, or any other text.

    >>> parse_bins("0:1:0.25").text
    '0.00:1.00:0.25'
    """
    words = [word.strip() for word in text.split(":")]
    if len(words) != 3 or len(text) > LONGEST_TEXT:
        raise InputError(f"bins must be FIRST:LAST:STEP, as 0:120:1 or 2020-01-01:2021-01-01:7d, got {quote(text)}")
    unit, (first, last), step = edges_in_units(words[:2], words[2], text)
    bins = Bins(unit, first, last, step)
    if first >= last:
        raise InputError(f"edges of bins must increase, got {shorten(text)}")
    if unit.kind == "decimals" and (last - first) % step:
        raise InputError(f"step of bins must divide their length {unit.text(last - first)}, got {shorten(text)}")
    if not 2 <= bins.k <= MOST_BINS:
        raise InputError(f"bins must be 2 to 2^40, got {bins.k:,} in {shorten(text)}")
    return bins


def parse_grid(texts: Sequence[str]) -> Bins | Grid:
    """Parse the bins of one column, or of two, which make a grid.

    Raises:
        InputError: as `parse_bins`; for more than two, or more than 2^40 pairs.
    """
    sides = [parse_bins(text) for text in texts]
    if len(sides) == 1:
        return sides[0]
    if len(sides) != 2:
        raise InputError(f"bins must be given for one column or two, got {len(sides)}")
    grid = Grid((sides[0], sides[1]))
    if grid.k > MOST_BINS:
        raise InputError(f"pairs of bins must be at most 2^40, got {grid.k:,}")
    return grid


def as_beyond(word: str | None) -> Beyond:
    """Parse what becomes of values beyond the bins: they are refused if nothing is said.

    Raises:
        InputError: for another word than refuse and clip.
    """
    try:
        return Beyond.REFUSE if word is None else Beyond(word)
    except ValueError:
        raise InputError(f"beyond must be refuse or clip, got {quote(str(word))}") from None


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256("".join(f"bins {text}\n" for text in texts).encode()).hexdigest()
