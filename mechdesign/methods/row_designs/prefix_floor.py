"""A lower bound of the variance of prefixes over any number of items, by multipliers and a recursion.

Multipliers `v > 0` of sum `kappa = (1+E)^2 / (4E)` bound every local mechanism (docs, "As many unknowns as items"):

    variance for each user >= (tr M^(1/2))^2 / (kappa (kappa - 1)) + constant,   M = F'(Diag(v) - vv')F,   Gc = F F'.

For prefixes `W P = T^-1 D` with the differences D of neighbours and `T = D D'`. So with whole numbers `m = v S / kappa`
of sum S, and `M' = M S / kappa`, for every s > 0

    det(M' + s) = (kappa/S) det Y (1 - c 1'Y^-1 1),   Y = Diag(m) + s D'D,   c = (kappa - 1) S / (kappa k^2),

since `det(D X D') = det X 1'X^-1 1`, and Y 1 = m. Y is tridiagonal. Its pivots are `s (1 + f_i)`, the last is `s f_k`,
with `f_1 = m_1/s`, `f_(i+1) = m_(i+1)/s + f_i/(1 + f_i)`: nothing is subtracted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, log

import numpy as np
from numpy.typing import NDArray

from mechdesign.workloads.root_sums import UNIT, exponents_between, log2_bounds, root_sum

Floats = NDArray[np.float64]

SCALE = 1 << 12
"""The multiplier of items in the middle."""

FITTED = 1 << 10
"""Items up to which multipliers are searched; more items take the slope that is found there."""

GOLDEN, CLOSE = (5**0.5 - 1) / 2, 0.04
"""The golden section, and how close the search for a slope comes: the bound is flat there."""

STEPS = 1 << 5
"""Pivots that are multiplied before the exponent is taken out; each is below 2^28."""


@dataclass(frozen=True)
class PrefixMultipliers:
    """Whole numbers for k items: given at distances 1, 2, 4, .. from the nearer end, linear between, rounded down."""

    k: int
    knots: tuple[int, ...]

    @classmethod
    def rising(cls, k: int, slope: float) -> "PrefixMultipliers":
        """Return multipliers that rise to the ends with the logarithm of the distance; all are equal for slope 0."""
        half = (k + 1) // 2
        near = np.minimum(2.0 ** np.arange(half.bit_length() + 1), half)
        distance = np.sin(np.pi * (near - 0.92) / (k - 0.84)) * k / np.pi
        rise = np.maximum(np.log(k / np.pi / distance), 0) / np.log(k)
        return cls(k, tuple((SCALE * (1 + slope * rise) ** 2).astype(np.int64).tolist()))

    def values(self) -> Floats:
        """Return the multipliers of all items: whole numbers."""
        items = np.arange(self.k)
        distance = np.minimum(items, self.k - 1 - items) + 1
        octave = np.frexp(distance.astype(np.float64))[1] - 1
        start, width = np.array(self.knots)[octave], np.diff(self.knots)[octave]
        values: Floats = (start + (width * (distance - (1 << octave)) >> octave)).astype(np.float64)
        return values


def prefix_multipliers(k: int, alpha: Fraction) -> PrefixMultipliers:
    """Search the slope of the multipliers whose bound is largest.

    The bound is above that of equal multipliers by 3 % at 16 items and 0.4 % at 2^20 where epsilon is small. It takes a
    tenth of a second, and half a second for each million items more.

    >>> multipliers = prefix_multipliers(256, Fraction(3, 8))
    >>> f"{float(bound_by_multipliers(multipliers, Fraction(121, 96))):.5g}"
    '4103.3'
    """
    kappa = (1 + alpha) ** 2 / (4 * alpha)
    small = min(k, FITTED)
    slope = _largest(
        lambda slope: bound_by_multipliers(PrefixMultipliers.rising(small, slope), kappa), 1.5 / float(kappa)
    )
    return PrefixMultipliers.rising(k, slope)


def _largest(value: Callable[[float], Fraction], end: float) -> float:
    """Return nearly where a value is largest from 0 to an end, by the golden section."""
    low, high = 0.0, end
    points = [GOLDEN**2 * end, GOLDEN * end]
    values = [value(point) for point in points]
    while high - low > CLOSE:
        if values[0] >= values[1]:
            high = points[1]
            points = [low + GOLDEN**2 * (high - low), points[0]]
            values = [value(points[0]), values[0]]
        else:
            low = points[0]
            points = [points[1], low + GOLDEN * (high - low)]
            values = [values[1], value(points[1])]
    return points[values[0] < values[1]]


def bound_by_multipliers(multipliers: PrefixMultipliers, kappa: Fraction) -> Fraction:
    """Return a lower bound of `(tr M^(1/2))^2 / (kappa (kappa - 1))`; 0 where `Diag(v) - vv'` is not semidefinite."""
    values = multipliers.values()
    whole = int(values.sum())
    exponents = exponents_between(values.min(), values.max() * multipliers.k**2 / 10)
    logarithms = _logarithms(values, whole, kappa, exponents)
    root = root_sum(exponents, logarithms) if logarithms else Fraction(0)
    return root * root / (whole * (kappa - 1))


def _logarithms(values: Floats, whole: int, kappa: Fraction, exponents: range) -> list[tuple[Fraction, Fraction]]:
    """Return bounds of `log2 det(1 + M'/4^n)` for every n; none where a determinant is not shown to be above 0.

    With u = 2^-53, a pivot's f is off by less than 16 k u of itself: a step adds 4 u, and 6 u where its matrix is
    multiplied, and earlier errors count less than once. So `sum log2(1 + f)` is off by 16 k u of itself and 3 k u more.
    The sum for `1'Y^-1 1` consists of products of `1/(1 + f)`, whose mean error is that of f times at most `ln k`.
    """
    k = len(values)
    small = k * UNIT
    product, last, inverse = _eliminated(values, np.ldexp(1.0, 2 * np.array(exponents)))
    charge = float((kappa - 1) * whole / (kappa * k * k))
    relative = (40 + 32 * log(k)) * small
    if charge * float((1 / values).sum()) * (1 + relative) >= 1:
        return []
    found = []
    for n, (mantissa, exponent), f, q in zip(exponents, product, last.tolist(), inverse.tolist(), strict=True):
        rests = [1 - Fraction(charge) * Fraction(q) * (1 + sign * Fraction(relative)) for sign in (1, -1)]
        if rests[0] <= 0:
            return []
        low, high = (rest * kappa / whole * Fraction(mantissa) * Fraction(f) for rest in rests)
        found.append(log2_bounds(low, high, exponent + 2 * n, Fraction((16 * max(exponent, 1) + 32) * small)))
    return found


def _eliminated(values: Floats, nodes: Floats) -> tuple[list[tuple[float, int]], Floats, Floats]:
    """Return `prod_(i<k) (1 + f_i)` as mantissa and exponent, `f_k`, and `1'Y^-1 1`, for every node.

    `s 1'Y^-1 1 = sum_(i<k) b_i^2 / (1 + f_i) + b_k^2 / f_k` with `b_1 = 1`, `b_(i+1) = 1 + b_i / (1 + f_i)`. The items
    are cut into about sqrt(k) stretches, which go on together: first to learn where each begins, then to sum.
    """
    length = isqrt(len(values) - 1)
    rest = 1 + (len(values) - 1) % length
    f, b, q = values[:1, None] / nodes, np.ones_like(nodes), np.zeros_like(nodes)
    mantissa, exponent = np.ones_like(nodes), np.zeros(len(nodes), dtype=np.int64)
    for stretches in (values[None, 1:rest], values[rest:].reshape(-1, length)):
        sums = _Stretches(_starts(stretches, nodes, f[-1]))
        for step, weights in enumerate(stretches.T, 1):
            sums.advance(weights[:, None] / nodes, step % STEPS == 0 or step == stretches.shape[1])
        f = sums.f
        for a, c, aa, ac, cc, part in zip(sums.a, sums.c, sums.aa, sums.ac, sums.cc, sums.mantissa, strict=True):
            q += aa * b * b + 2 * ac * b + cc
            b = a * b + c
            mantissa, carried = np.frexp(mantissa * part)
            exponent += carried
        exponent += sums.exponent.sum(axis=0)
    return list(zip(mantissa.tolist(), exponent.tolist(), strict=True)), f[-1], (q + b * b / f[-1]) / nodes


class _Stretches:
    """Sums over stretches of items, a row for each, a column for each node; b is `a b_0 + c` for b_0 at its start."""

    def __init__(self, f: Floats) -> None:
        self.f, self.a, self.mantissa = f, np.ones_like(f), np.ones_like(f)
        self.c, self.aa, self.ac, self.cc = (np.zeros_like(f) for _ in range(4))
        self.exponent = np.zeros(f.shape, dtype=np.int64)

    def advance(self, weights: Floats, is_long: bool) -> None:
        """Go on by an item; where the product is long, its exponent is taken out."""
        pivot = 1 + self.f
        inverse = 1 / pivot
        a, c = self.a * inverse, self.c * inverse
        self.aa += self.a * a
        self.ac += self.a * c
        self.cc += self.c * c
        self.a, self.c, self.f = a, 1 + c, weights + self.f * inverse
        self.mantissa *= pivot
        if is_long:
            self.mantissa, carried = np.frexp(self.mantissa)
            self.exponent += carried


def _starts(stretches: Floats, nodes: Floats, first: Floats) -> Floats:
    """Return f at the beginning of each stretch, from products of the matrices of `f -> w + f / (1 + f)`."""
    count, length = stretches.shape
    tops, bottoms = (np.multiply.outer(column, np.ones((count, len(nodes)))) for column in np.eye(2))
    for step in range(length if count > 1 else 0):
        bottoms = bottoms + tops
        tops = tops + stretches[:, step, None] / nodes * bottoms
        if (step + 1) % STEPS == 0:
            shift = -np.frexp(bottoms[0])[1]
            tops, bottoms = np.ldexp(tops, shift), np.ldexp(bottoms, shift)
    starts = [first]
    for top, bottom in zip(np.moveaxis(tops, 1, 0)[:-1], np.moveaxis(bottoms, 1, 0)[:-1], strict=True):
        starts.append((top[0] * starts[-1] + top[1]) / (bottom[0] * starts[-1] + bottom[1]))
    return np.array(starts)
