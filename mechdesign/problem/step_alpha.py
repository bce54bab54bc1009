"""Enclosures of `alpha^unit`, the privacy ratio over one unit of distance.

Both ends are rationals.

Where the unit is a fraction, `alpha^unit` is hardly ever rational. A matrix that is private at a ratio above it is
private as asked; a bound that holds for every matrix private at a ratio below it holds for those that are private as
asked. The nearer the two, the narrower the gap between score and bound.
"""

from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction

from flint import fmpz

from mechdesign.errors import InputError
from mechdesign.rational import LONGEST_RATIO, natural_log, nearest_float, short_text, simplest_between
from mechdesign.verify.enclosures import encloses_power

SMALLEST_LOG = -250_000.0
"""ln(alpha^unit) is at least this: a ratio below has numbers too long to be of use."""

SPARE_DIGITS = 30
"""Decimal digits that are computed beyond those that are kept."""


@dataclass(frozen=True)
class StepAlpha:
    """Rationals `low <= alpha^unit <= high < 1`; they are equal where `alpha^unit` is rational."""

    low: Fraction
    high: Fraction

    @classmethod
    def around(cls, alpha: Fraction, unit: Fraction, bits: int) -> "StepAlpha":
        """Enclose `alpha^unit` by the simplest rationals within `2^-bits (1 - alpha^unit)` of it, relatively.

        Raises:
            InputError: if `alpha^unit` is too small to be of use, or too near 1.
        """
        if natural_log(alpha) * nearest_float(unit) < SMALLEST_LOG:
            raise InputError(
                f"alpha^unit must be at least exp({SMALLEST_LOG:.0f}), got alpha={short_text(alpha)} and "
                f"unit={short_text(unit)}"
            )
        power = _rational_power(alpha, unit)
        if power is not None:
            return cls(power, power)
        below, above = _enclosed(alpha, unit, bits)
        if above >= 1:
            raise InputError(
                f"alpha^unit must be further below 1, got alpha={short_text(alpha)} and unit={short_text(unit)}"
            )
        width = above * (1 - above) / (1 << bits)
        found = cls(simplest_between(below - width, below), simplest_between(above, above + width))
        return found.checked(alpha, alpha, unit)

    def checked(self, bound_alpha: Fraction, alpha: Fraction, unit: Fraction) -> "StepAlpha":
        """Return this, if it encloses `bound_alpha^unit` and `alpha^unit`, the lower from below.

        Raises:
            InputError: saying what is wrong.
        """
        pairs = [(value.numerator, value.denominator) for value in (self.low, self.high, bound_alpha, unit, alpha)]
        if not encloses_power(*pairs):
            raise InputError(
                f"step_alpha must have 0 < low <= alpha^unit <= high < 1, got low={short_text(self.low)} and "
                f"high={short_text(self.high)} for alpha={short_text(alpha)} and unit={short_text(unit)}"
            )
        return self

    @property
    def is_exact(self) -> bool:
        """Whether the two are `alpha^unit` itself."""
        return self.low == self.high


def _rational_power(alpha: Fraction, unit: Fraction) -> Fraction | None:
    """Return `alpha^unit` where it is rational: where numerator and denominator of alpha are powers of that order.

    One of more than `LONGEST_RATIO` bits is of no use: it is enclosed like those that are not rational.
    """
    if alpha.denominator.bit_length() * unit.numerator > LONGEST_RATIO * unit.denominator:
        return None
    roots = []
    for value in (alpha.numerator, alpha.denominator):
        order = min(unit.denominator, value.bit_length() + 1)  # beyond that the root of every number above 1 is 1
        root = int(fmpz(value).root(order))
        if root**order != value:
            return None
        roots.append(root)
    return Fraction(*roots) ** unit.numerator


def _enclosed(alpha: Fraction, unit: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Return bounds of `alpha^unit`, tighter than the bits by many digits (`Decimal` rounds ln and exp correctly)."""
    digits = int((bits + alpha.denominator.bit_length() + unit.denominator.bit_length()) * 0.302) + SPARE_DIGITS
    context = Context(prec=digits, Emin=MIN_EMIN, Emax=MAX_EMAX)
    logarithm = context.ln(context.divide(Decimal(alpha.numerator), Decimal(alpha.denominator)))
    exponent = context.divide(context.multiply(logarithm, Decimal(unit.numerator)), Decimal(unit.denominator))
    power = Fraction(context.exp(exponent))
    error = power / 10 ** (digits - SPARE_DIGITS // 2)
    return power - error, power + error
