"""Decimals and dates as whole numbers of a unit, rounded down, exact and many at a time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError, quote, shorten
from mechdesign_catalog.datasets.items.counts import Values

Flags = NDArray[np.bool_]

MOST_UNITS = 10**18
"""Whole numbers of a unit are kept between its negative and itself: 64 bits hold their differences."""

MOST_PLACES = 15
FAST_DIGITS = 18
MOST_LETTERS = 100
"""Of a number. Longer ones have digits that no measurement has."""

_DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?", re.ASCII)
_PLAIN = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)
_DATE_LETTERS = 10
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TIME = re.compile(r"[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?", re.ASCII)
_EPOCH = date(1970, 1, 1).toordinal()
_ZERO, _POINT, _PLUS, _MINUS = map(ord, "0.+-")


@dataclass(frozen=True)
class Decimals:
    """The unit `10^-places` of decimals.

    >>> Decimals(0).floors(["30.7", "-0.5", "3e1"])[0].tolist()
    [30, -1, 30]
    """

    places: int
    kind: str = "decimals"

    @property
    def in_one(self) -> int:
        """Number of units in 1."""
        return int(10**self.places)

    def floors(self, texts: Sequence[str]) -> tuple[Values, Flags]:
        """Return for each text `floor(x 10^places)`, and whether it is a value at all.

        Short plain decimals are read column by column, others one by one. What is beyond `MOST_UNITS` on either side is
        moved next to it.
        """
        stripped = [text.strip() for text in texts]
        lengths = np.fromiter(map(len, stripped), dtype=np.int64, count=len(stripped))
        width = max(1, FAST_DIGITS - self.places)
        found, is_value = self._plain(_letters([text[:width] for text in stripped], width), lengths)
        is_value &= lengths <= width
        for place in np.flatnonzero(~is_value).tolist():
            floor = self._floor(stripped[place])
            if floor is not None:
                found[place], is_value[place] = floor, True
        return found, is_value

    def _plain(self, letters: NDArray[np.uint32], lengths: Values) -> tuple[Values, Flags]:
        """Parse plain decimals of at most `FAST_DIGITS - places` letters, one column of letters after the other."""
        users = len(letters)
        found, decimals, digits = (np.zeros(users, dtype=np.int64) for _ in range(3))
        seen_point, lost = np.zeros(users, dtype=bool), np.zeros(users, dtype=bool)
        is_value = np.ones(users, dtype=bool)
        for column, letter in enumerate(letters.T):
            inside = lengths > column
            is_digit = inside & (letter >= _ZERO) & (letter < _ZERO + 10)
            is_point = inside & (letter == _POINT) & ~seen_point
            is_sign = ((letter == _PLUS) | (letter == _MINUS)) if column == 0 else np.zeros(users, dtype=bool)
            is_value &= is_digit | is_point | is_sign | ~inside
            seen_point |= is_point
            kept = is_digit & (~seen_point | (decimals < self.places))
            found = np.where(kept, 10 * found + (letter.astype(np.int64) - _ZERO), found)
            lost |= is_digit & ~kept & (letter != _ZERO)
            decimals += kept & seen_point
            digits += is_digit
        found *= 10 ** (self.places - decimals)
        negative = letters[:, 0] == _MINUS
        return np.where(negative, -found - lost, found), is_value & (digits > 0)

    def _floor(self, text: str) -> int | None:
        """Parse any decimal, with an exponent or not; None for another text."""
        match = _DECIMAL.fullmatch(text) if len(text) <= MOST_LETTERS else None
        if match is None:
            return None
        sign, whole, decimals, exponent = match.groups(default="")
        if not whole + decimals:
            return None
        digits = int(whole + decimals) * (-1 if sign == "-" else 1)
        shift = int(exponent or 0) - len(decimals) + self.places
        power: int = 10 ** min(abs(shift), MOST_LETTERS + 1)
        found = digits * power if shift >= 0 else digits // power
        return min(max(found, -MOST_UNITS - 1), MOST_UNITS + 1)

    def exact(self, text: str) -> int | None:
        """Return `x 10^places` of a plain decimal where that is whole."""
        stripped = text.strip()
        if len(stripped) > MOST_LETTERS or not _PLAIN.fullmatch(stripped):
            return None
        whole, _, decimals = stripped.partition(".")
        kept, dropped = decimals[: self.places], decimals[self.places :]
        return None if dropped.strip("0") else int(whole + kept.ljust(self.places, "0"))

    def text(self, units: int) -> str:
        """Write a decimal with all its places."""
        if not self.places:
            return str(units)
        digits = str(abs(units)).rjust(self.places + 1, "0")
        return f"{'-' * (units < 0)}{digits[: -self.places]}.{digits[-self.places :]}"

    def step_text(self, units: int) -> str:
        """Write a length as a decimal."""
        return self.text(units)


@dataclass(frozen=True)
class Days:
    """The unit of days since 1970-01-01.

    A time of day after a date does not matter, a time zone is refused.

    >>> Days().floors(["1970-01-03", "1970-01-03 23:59", "1970-02-30"])
    (array([2, 2, 0]), array([ True,  True, False]))
    """

    kind: str = "dates"
    in_one: int = 1

    def floors(self, texts: Sequence[str]) -> tuple[Values, Flags]:
        """Return for each text the days since 1970-01-01, and whether it is a value at all."""
        stripped = [text.strip() for text in texts]
        has_form = [len(text) == _DATE_LETTERS or bool(_TIME.fullmatch(text[_DATE_LETTERS:])) for text in stripped]
        letters = _letters([text[:_DATE_LETTERS] for text in stripped], _DATE_LETTERS)
        digits = letters.astype(np.int64) - _ZERO
        at = [0, 1, 2, 3, 5, 6, 8, 9]
        is_value = np.array(has_form, dtype=bool) & ((digits[:, at] >= 0) & (digits[:, at] < 10)).all(axis=1)
        is_value &= (letters[:, [4, 7]] == _MINUS).all(axis=1)
        digits[~is_value] = 0
        year, month, day = digits[:, :4] @ (1000, 100, 10, 1), digits[:, 5:7] @ (10, 1), digits[:, 8:] @ (10, 1)
        months = (12 * (year - 1970) + month - 1).astype("datetime64[M]")
        days = months.astype("datetime64[D]") + (day - 1)
        is_value &= (year >= 1) & (month >= 1) & (month <= 12) & (days.astype("datetime64[M]") == months)
        return np.where(is_value, days.astype(np.int64), 0), is_value

    def exact(self, text: str) -> int | None:
        """Return the days since 1970-01-01 of a date without a time of day."""
        match = _DATE.fullmatch(text.strip())
        try:
            return None if match is None else date.fromisoformat(match[0]).toordinal() - _EPOCH
        except ValueError:
            return None

    def text(self, units: int) -> str:
        """Write a date."""
        return date.fromordinal(units + _EPOCH).isoformat()

    def step_text(self, units: int) -> str:
        """Write a number of days."""
        return f"{units}d"


Unit = Decimals | Days
"""A unit in which values are counted, and how people write them."""


def _letters(texts: Sequence[str], width: int) -> NDArray[np.uint32]:
    """Return the letters of texts of at most `width` letters, one text a row, filled up with zeros."""
    return np.array(texts, dtype=f"U{width}").reshape(-1, 1).view(np.uint32)


def edges_in_units(edges: Sequence[str], step: str, text: str) -> tuple[Unit, list[int], int]:
    """Return the unit of edges and step as people write them, and both in whole numbers of it.

    Dates with a step in days are counted in days. Decimals are counted in ones where all are whole, else in their last
    decimal place.

    Raises:
        InputError: for a text that is neither; `text` is all that was given.
    """
    if step.endswith("d"):
        days = Days()
        found = [days.exact(edge) for edge in edges]
        length = Decimals(0).exact(step.removesuffix("d"))
        return days, _all_known(found, edges, "dates such as 2020-01-31", text), _known(length, step, text)
    for word in (*edges, step):
        if len(word) > MOST_LETTERS or not _PLAIN.fullmatch(word):
            raise InputError(
                "edges and step of bins must be plain decimals such as 0, -5 or 0.25, or dates with a step in days "
                f"such as 7d, got {quote(word)} in {shorten(text)}"
            )
    places = max(len(word.partition(".")[2]) for word in (*edges, step))
    if places > MOST_PLACES:
        raise InputError(f"edges and step of bins must have at most {MOST_PLACES} decimals, got {shorten(text)}")
    unit = Decimals(places)
    found = [unit.exact(edge) for edge in edges]
    return unit, _all_known(found, edges, "plain decimals", text), _known(unit.exact(step), step, text)


def _all_known(numbers: Sequence[int | None], edges: Sequence[str], kind: str, text: str) -> list[int]:
    for edge, units in zip(edges, numbers, strict=True):
        if units is None or abs(units) > MOST_UNITS:
            limit = "" if units is None else " and at most 10^18 of their last decimal place"
            raise InputError(f"edges of bins must be {kind}{limit}, got {quote(edge)} in {shorten(text)}")
    return [units for units in numbers if units is not None]


def _known(length: int | None, step: str, text: str) -> int:
    if length is None or length < 1:
        raise InputError(f"step of bins must be above 0, as 5, 0.25 or 7d, got {quote(step)} in {shorten(text)}")
    return length
