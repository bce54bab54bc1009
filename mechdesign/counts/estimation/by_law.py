"""Unbiased estimates of true counts from counts that a layered mechanism released.

They exist for every size of the group.

In the middle a released count is its own unbiased estimate. Near an end the estimates `g(0), .., g(b)` solve b+1
equations, `sum_i g(i) P[i,j] = j` for j = 0..b; all others follow from them, since every column beyond is a multiple of
the last but for the middle (docs: any-n). Every solution is exact, and takes no number that grows with n.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq_mat

from mechdesign.errors import InputError
from mechdesign.mechanism.layered import LayeredMechanism
from mechdesign.program.exact.numbers import to_exact, to_fraction


@dataclass(frozen=True)
class LawEstimates:
    """Unbiased estimates by released count, and of their variances, for groups of n.

    Attributes:
        near: estimates for the released counts 0..b; that of i in the middle is i, and `g(n-i) = n - g(i)`.
        variances: unbiased estimates of the variances for 0..b; beyond, that of the middle.
        middle: the variance in the middle, `2a/(1-a)^2`.
        least, largest: what the variance is between, whatever the true count is.
    """

    n: int
    near: tuple[Fraction, ...]
    variances: tuple[Fraction, ...]
    middle: Fraction
    least: Fraction
    largest: Fraction

    def estimate(self, released: int) -> Fraction:
        """Return the unbiased estimate of the true count."""
        if released < len(self.near):
            return self.near[released]
        other = self.n - released
        return self.n - self.near[other] if other < len(self.near) else Fraction(released)

    def variance(self, released: int) -> Fraction:
        """Return the unbiased estimate of the variance of `estimate`."""
        place = min(released, self.n - released)
        return self.variances[place] if place < len(self.variances) else self.middle


def least_estimated(mechanism: LayeredMechanism) -> int:
    """Return the smallest n for which the two ends do not meet in the estimates."""
    return 2 * mechanism.depth + 1


def law_estimates(mechanism: LayeredMechanism, n: int) -> LawEstimates | None:
    """Compute unbiased estimates for groups of n; None where there are none, since some rows say the same.

    Raises:
        InputError: for n below `2 depth + 1`.
    """
    if n < least_estimated(mechanism):
        raise InputError(f"n must be at least {least_estimated(mechanism)} for estimates by this law, got n={n}")
    b, a, c = mechanism.depth, mechanism.alpha, mechanism.weight
    rows, denominator = mechanism.table(n)
    columns = []  # P[0..b, j] for j = 0..b; column b is a times column b-1 in the rows of the layer
    for j in range(b + 1):
        decay = a ** (j - min(j, b - 1))
        layer = [Fraction(row[min(j, b - 1)], denominator) * decay for row in rows]
        columns.append([*layer, c * a ** (b - j)])
    far = [_moments_from(b + 1, j, a) for j in range(b + 1)]
    near = _solved(columns, [j - far[j][1] for j in range(b + 1)])
    if near is None:
        return None
    middle = 2 * a / (1 - a) ** 2
    # sum_i g(i)^2 P[i,j] - j^2, of which the rows beyond b are estimated by the variance in the middle
    wanted = [
        sum((g * g * x for g, x in zip(near, column, strict=True)), Fraction(0)) + squares - j * j - middle * share
        for j, (column, (share, _, squares)) in enumerate(zip(columns, far, strict=True))
    ]
    variances = _solved(columns, wanted)
    assert variances is not None  # the same equations
    # the variance at a true count t is middle + D(t) + D(n-t), with D(t) = D(b) a^(t-b) from b on
    ends = [value - middle * (1 - share) for value, (share, _, _) in zip(wanted, far, strict=True)]
    least = middle + min(*ends, Fraction(0)) + min(ends[-1], Fraction(0))
    largest = middle + max(*ends, Fraction(0)) + max(ends[-1], Fraction(0))
    return LawEstimates(n, near, variances, middle, least, largest)


def _moments_from(first: int, j: int, a: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """Return `sum_(i >= first) i^m c a^(i-j)` for m = 0, 1, 2 and j < first."""
    zero, one, two = 1 / (1 - a), a / (1 - a) ** 2, a * (1 + a) / (1 - a) ** 3
    scale = (1 - a) / (1 + a) * a ** (first - j)
    return scale * zero, scale * (first * zero + one), scale * (first**2 * zero + 2 * first * one + two)


def _solved(columns: Sequence[Sequence[Fraction]], wanted: Sequence[Fraction]) -> tuple[Fraction, ...] | None:
    """Solve `sum_i g(i) columns[j][i] = wanted[j]`; None where there is not exactly one solution."""
    system = fmpq_mat([[to_exact(value) for value in column] for column in columns])
    try:
        found = system.solve(fmpq_mat([[to_exact(value)] for value in wanted]))
    except ZeroDivisionError:
        return None
    return tuple(map(to_fraction, found.entries()))
