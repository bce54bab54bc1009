"""Rational multipliers and prices over one denominator.

They are exact, or rounded so that they stay a proof.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from mechdesign.certificate.proof import dual_certificate
from mechdesign.program.exact.numbers import Exact, to_fraction, whole_values
from mechdesign.verify.certificates import Certificate

DUAL_BITS = 256
"""Multipliers that need not be exact are rounded to this many binary places (of the largest, where all are small)."""

PRIOR_BITS = 2 * DUAL_BITS
"""A worst case's prior that need not be exact is rounded to this many: an error that the room below prices covers."""

ROWS_AT_AN_ENTRY = 16
"""No entry is on the right side of more rows of properties than this, F aside."""


class RowMultiplier(NamedTuple):
    """The multiplier m of the row `P[i,j] >= ratio P[k,h]`."""

    kind: str
    i: int
    j: int
    k: int
    h: int
    m: Exact


def over_one_denominator(
    multipliers: Sequence[RowMultiplier],
    prices: Sequence[Exact] | None,
    prior: tuple[Fraction, ...] | None,
    *,
    rounded: bool,
) -> Certificate:
    """Make a proof from multipliers and prices, rounded down to `DUAL_BITS` places or exact."""
    values = [row.m for row in multipliers]
    if rounded:
        denominator = 1 << (DUAL_BITS + _bits_below_one([*values, *(prices or ())]))
        integers = [_floor(m * denominator) for m in values]
        # rounding multipliers lowers a reduced cost by less than 1 for each row at its entry; the price makes up for it
        room = ROWS_AT_AN_ENTRY + len(prices or ())
        whole_prices = [_floor(y * denominator) - room for y in prices or ()]
    else:
        whole, denominator = whole_values([*values, *(prices or ())])
        integers, whole_prices = whole[: len(values)], whole[len(values) :]
    return dual_certificate(
        [
            (row.kind, row.i, row.j, row.k, row.h, value)
            for row, value in zip(multipliers, integers, strict=True)
            if value
        ],
        denominator,
        None if prices is None else whole_prices,
        prior,
    )


def rounded_prior(prior: Sequence[Exact]) -> tuple[Fraction, ...]:
    """Round the prior of a worst case to `PRIOR_BITS` places, to sum 1; one with shorter denominators is kept.

    Any prior proves a bound, so it has to be rounded before the reduced costs are formed, and not after.
    """
    if max(int(weight.q).bit_length() for weight in prior) <= PRIOR_BITS:
        return tuple(map(to_fraction, prior))
    one = 1 << PRIOR_BITS
    shares = [_floor(weight * one) for weight in prior]
    shares[shares.index(max(shares))] += one - sum(shares)
    return tuple(Fraction(share, one) for share in shares)


def _bits_below_one(values: Sequence[Exact]) -> int:
    """Count the binary places that the largest of the values is below 1: tiny losses have tiny multipliers."""
    largest = max((abs(value) for value in values), default=Exact(0))
    return max(0, int(largest.q).bit_length() - int(largest.p).bit_length()) if largest else 0


def _floor(value: Exact) -> int:
    return int(value.floor())
