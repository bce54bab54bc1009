"""Stability histograms: noise on items that somebody has, and only clear counts.

A clear count is clearly above zero.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.rational import as_rational, natural_log
from mechdesign_catalog.central.baseline import SENSITIVITY, CentralBaseline, Counts, checked_counts
from mechdesign_catalog.central.opendp_ import WHOLE, opendp, private
from mechdesign_catalog.randomizers.reports.probabilities import Floats

NEIGHBOURS = (SENSITIVITY, float(SENSITIVITY), 1.0)
"""How far neighbours are apart, in OpenDP's terms: items that change, the sum of the changes, the largest of them."""


@dataclass(frozen=True)
class Stability(CentralBaseline):
    """Stability histogram: (eps, delta)-DP without touching the items that nobody has.

    So the number of such items costs nothing.

    On shares: `Lap(2/(eps n))` is added to the positive ones, and those below `2 ln(2/delta)/(eps n) + 1/n` become 0
    (Bun, Nissim, Stemmer, ITCS 2016; Vadhan, *The complexity of differential privacy*, 2017). Here the same on counts,
    n times that.

    Without `delta` it is `1/(2n)`. **That is weak**: telling the item of one user drawn at random, and nothing else, is
    (0, 1/n)-DP, so a delta near 1/n promises next to nothing to one user in n. Take one far below 1/n, such as n^-2.

    What delta pays for is an item that one person alone has: it is told with the chance delta/4. Two items can come or
    go between neighbours, so OpenDP certifies `1 - (1 - delta/4)^2`, less than delta/2: the published threshold is on
    the safe side.

    Raises:
        InputError: for a delta that is not in (0, 1).
    """

    delta: Fraction | None = None
    name: ClassVar[str] = "stability"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta is not None:
            object.__setattr__(self, "delta", as_rational(self.delta, "delta"))
            if not 0 < self.delta < 1:
                raise InputError(f"delta must be in (0, 1), got delta={float(self.delta):.6g}")

    def delta_for(self, users: int) -> Fraction:
        """Return the delta that was given, else `1/(2n)`."""
        return Fraction(1, 2 * users) if self.delta is None else self.delta

    def remark(self, users: int) -> str | None:
        """Write a sentence for the user where delta is weak (more than 1/(10 n)); None where it is not."""
        delta = self.delta_for(users)
        if 10 * users * delta <= 1:
            return None
        return (
            f"delta = {float(delta):.3g} is weak for {users} users: telling one user's item, drawn at random, would be "
            f"allowed with delta = {1 / users:.3g}; take one far below, such as {users**-2.0:.3g}"
        )

    def threshold(self, users: int) -> float:
        """Compute the threshold on counts: `2 ln(2/delta)/eps + 1`."""
        return self.scale * natural_log(2 / self.delta_for(users)) + 1

    def simulate(self, counts: Counts, generator: np.random.Generator) -> Floats:
        """Draw noisy counts with floats; those below the threshold become 0."""
        counts = checked_counts(counts)
        noisy = counts + generator.laplace(scale=self.scale, size=len(counts))
        told = (counts > 0) & (noisy >= self.threshold(int(counts.sum())))
        return np.where(told, noisy, 0.0)

    def release(self, counts: Counts) -> Floats:
        """Release noisy counts through OpenDP; those below the threshold become 0."""
        counts = checked_counts(counts)
        present = np.flatnonzero(counts)
        known = dict(zip(present.tolist(), counts[present].astype(np.float64).tolist(), strict=True))
        told = self.measurement(int(counts.sum()))(known)
        result = np.zeros(len(counts))
        result[np.array(list(told), dtype=np.int64)] = list(told.values())
        return result

    def measurement(self, users: int) -> Any:
        """Make OpenDP's measurement for the distance `NEIGHBOURS`; its `map` says what it loses, epsilon and delta."""
        dp = opendp()
        space = (
            dp.map_domain(dp.atom_domain(T=WHOLE), dp.atom_domain(T=float, nan=False)),
            dp.l01inf_distance(dp.absolute_distance(T=float)),
        )
        cut = self.threshold(users)
        return private(lambda scale: dp.m.make_laplace_threshold(*space, scale, cut), NEIGHBOURS, self.privacy.budget)

    def expected(self, counts: Counts) -> Floats:
        """Return the mean of each result: below the count for rare items, as what is not told counts as 0."""
        return self._moments(counts)[0]

    def variance(self, counts: Counts) -> Floats:
        """Return the variance of each result, where what is not told counts as 0; 0 for an item that nobody has."""
        mean, square = self._moments(counts)
        return square - mean**2

    def _moments(self, counts: Counts) -> tuple[Floats, Floats]:
        """Compute mean and mean square of `(c + Z) 1[c + Z >= t]`.

        With `g = t - c`, `h = |g|`, b the scale and `e = exp(-h/b)/2`: for `g >= 0` the part of Z above g has the
        moments `e`, `e (h+b)`, `e (h^2 + 2hb + 2b^2)` of order 0, 1, 2; for `g < 0` it has `1 - e`, `e (h+b)` and
        `2b^2 - e (h^2 + 2hb + 2b^2)`.
        """
        counts = checked_counts(counts)
        b, gap = self.scale, self.threshold(int(counts.sum())) - counts
        h = np.abs(gap)
        tail = np.exp(-h / b) / 2
        chance = np.where(gap >= 0, tail, 1 - tail)
        first = tail * (h + b)
        upper = tail * (h**2 + 2 * h * b + 2 * b**2)
        second = np.where(gap >= 0, upper, 2 * b**2 - upper)
        mean = np.where(counts > 0, counts * chance + first, 0.0)
        square = np.where(counts > 0, counts**2 * chance + 2 * counts * first + second, 0.0)
        return mean, square
