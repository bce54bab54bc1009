"""Exact intervals of the groups of a release, from its counts and its designs."""

from fractions import Fraction

from mechdesign.counts.estimation.intervals import confidence_of_each, count_intervals
from mechdesign.counts.estimation.intervals_by_fair_law import law_intervals
from mechdesign.errors import InputError, shorten
from mechdesign.rational import Number, as_rational
from mechdesign.releases.record import ReleaseRecord

SHARPEST = 10**9
"""The largest denominator of a confidence."""


def interval_confidence(value: Number, name: str) -> Fraction:
    """Parse the confidence of intervals; `name` is what errors call it.

    Raises:
        InputError: for one outside (0, 1), or with a denominator beyond 1e9.
    """
    confidence = as_rational(value, name)
    if not 0 < confidence < 1 or confidence.denominator > SHARPEST:
        raise InputError(f"{name} must be in (0, 1), such as 0.95 for 95 %, got {shorten(value)}")
    return confidence


class GroupIntervals:
    """The intervals of groups: of each by itself, and of all of them at once."""

    def __init__(self, record: ReleaseRecord, confidence: Fraction) -> None:
        levels = (confidence, confidence_of_each(confidence, record.counts))
        self._by_size = {
            entry.size: [count_intervals(entry.mechanism, level) for level in levels] for entry in record.sizes
        }
        self._by_law = [] if record.law is None else [law_intervals(record.law.mechanism, level) for level in levels]

    def of(self, size: int, released: int) -> tuple[int, int, int, int]:
        """Return low and high of a group of this size by itself, then those with which all groups hold at once."""
        known = self._by_size.get(size)
        if known is None:
            alone, together = (law.of(size, released) for law in self._by_law)
        else:
            alone, together = (bounds[released] for bounds in known)
        return (*alone, *together)
