"""Guarantees of (epsilon, delta), as they are asked of a noise table."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from mechdesign.errors import InputError, quote
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import as_rational, number_text

LARGE = "large"
"""The start of a guarantee for all counts that the last row of a table serves."""

ENCLOSING_BITS = 32
"""The two rationals around `exp(epsilon)` are apart by less than 1e-9 of it."""

LARGEST_EPSILON = 20
"""Beyond it delta is about what a table gives away for certain."""

_FORM = re.compile(r"(?P<epsilon>[^:@=]+)(:(?P<delta>[^:@=]+))?(@(?P<start>[^:@=]+))?(=(?P<weight>[^:@=]+))?")


def ratio_below(epsilon: Fraction) -> Fraction:
    """Return a rational just below `exp(epsilon)`, at which a guarantee is computed: delta falls in the ratio."""
    return 1 / Privacy(epsilon=epsilon).finer(ENCLOSING_BITS).alpha


def ratio_above(epsilon: Fraction) -> Fraction:
    """Return a rational just above `exp(epsilon)`, at which a bound for all tables is computed."""
    return 1 / Privacy(epsilon=epsilon).finer(ENCLOSING_BITS).bound_alpha


def parse_epsilon(value: str | float | Fraction) -> Fraction:
    """Return the epsilon of a guarantee or of a point of a curve.

    Raises:
        InputError: for one that is not in (0, 20].
    """
    found = as_rational(value, "epsilon")
    if not 0 < found <= LARGEST_EPSILON:
        raise InputError(f"epsilon must be in (0, {LARGEST_EPSILON}], got epsilon={number_text(found)}")
    return found


@dataclass(frozen=True)
class Guarantee:
    """A guarantee: for neighbours j, j+1 with j >= start, delta at epsilon is at most a number, or as small as can be.

    Attributes:
        epsilon: in (0, 20].
        delta: the cap; None where it is part of the objective.
        start: the least count that it speaks of, `"large"` for those of the last row, None for the usual one.
        weight: of delta in the objective.
    """

    epsilon: Fraction
    delta: Fraction | None = None
    start: int | str | None = None
    weight: Fraction = Fraction(1)

    @classmethod
    def parse(cls, text: str) -> "Guarantee":
        """Read `EPS[:DELTA][@START][=WEIGHT]`.

        Raises:
            InputError: for any other text, or a number that is out of range.

        >>> Guarantee.parse("1:0.02@large").delta
        Fraction(1, 50)
        """
        found = _FORM.fullmatch(text.strip())
        if found is None:
            raise InputError(
                f"guarantee must be EPS[:DELTA][@START][=WEIGHT] such as 1:0.02@large, got guarantee={quote(text)}"
            )
        delta = None if found["delta"] is None else as_rational(found["delta"], "delta of a guarantee")
        weight = Fraction(1) if found["weight"] is None else as_rational(found["weight"], "weight of a guarantee")
        if delta is not None and not 0 <= delta <= 1:
            raise InputError(f"delta of a guarantee must be in [0, 1], got {number_text(delta)}")
        if delta is not None and found["weight"] is not None:
            raise InputError(f"guarantee must have DELTA or WEIGHT, got both in {quote(text)}")
        if not 0 < weight <= 10**6:
            raise InputError(f"weight of a guarantee must be in (0, 1000000], got {number_text(weight)}")
        return cls(parse_epsilon(found["epsilon"]), delta, _start(found["start"]), weight)

    @cached_property
    def ratio(self) -> Fraction:
        """At most `exp(epsilon)`: delta of a table is computed there, and is never below that at epsilon."""
        return ratio_below(self.epsilon)

    @cached_property
    def bound_ratio(self) -> Fraction:
        """At least `exp(epsilon)`: what is proved of all tables is proved there."""
        return ratio_above(self.epsilon)

    def capped(self, delta: str) -> str:
        """Write it with a delta."""
        start = "" if self.start is None else f"@{self.start}"
        return f"{number_text(self.epsilon)}:{delta}{start}"

    def __str__(self) -> str:
        delta = "" if self.delta is None else f":{number_text(self.delta)}"
        start = "" if self.start is None else f"@{self.start}"
        weight = "" if self.weight == 1 else f"={number_text(self.weight)}"
        return f"{number_text(self.epsilon)}{delta}{start}{weight}"


def _start(text: str | None) -> int | str | None:
    if text in (None, LARGE):
        return text
    assert text is not None
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise InputError(f"start of a guarantee must be a count or {LARGE}, got {quote(text)}")
    return int(text)
