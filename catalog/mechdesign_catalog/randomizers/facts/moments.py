"""Moments of one user's report on linear queries: variances, and covariances within it.

A frequency oracle's estimates are means over the users of *scores*: a user's report gives each item v a score `y_v`
with the expectation 1 for the user's own item and 0 for every other. The answer of the query with weights w is the mean
of `sum_v w_v y_v`, so its variance needs how the scores of one report vary together.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from mechdesign.workloads.queries import Queries
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support

CANCELLED = 1e-8
"""A sum that is below this part of its terms has lost digits, and is formed again in rationals."""

ROUNDED = 1e-12
"""A sum of k terms that is below this part of k times the largest is 0 but for rounding."""


@dataclass(frozen=True)
class Moments:
    """The second moments of one user's scores, for an oracle that treats all items alike.

    Args:
        other: variance of the score of an item that the user does not have.
        own: variance of the score of the user's own item.
        others: covariance of the scores of two different items that the user does not have.
        own_other: covariance of the scores of the own item and another one.

    >>> coin = Moments.of(Support(Fraction(3, 4), Fraction(1, 4)), both=Fraction(0), with_own=Fraction(0))
    >>> coin.other, coin.own, coin.own_other
    (Fraction(3, 4), Fraction(3, 4), Fraction(-3, 4))
    """

    other: Fraction
    own: Fraction
    others: Fraction
    own_other: Fraction

    @classmethod
    def of(cls, support: Support, both: Fraction | None = None, with_own: Fraction | None = None) -> "Moments":
        """Compute the moments of the scores `(support - q)/(p - q)` of a pure oracle.

        Args:
            support: p and q.
            both: chance that a report supports two given items that the user does not have; `q^2`, as for independent
                bits, if it is not given.
            with_own: chance that it supports the own item and another given one; `p q` if it is not given.
        """
        p, q = support.p, support.q
        both, with_own = q**2 if both is None else both, p * q if with_own is None else with_own
        scale = (p - q) ** 2
        return cls(support.rare_variance, p * (1 - p) / scale, (both - q**2) / scale, (with_own - p * q) / scale)

    def of_groups(self, size: int) -> "Moments":
        """Compute the moments of the scores of groups of so many items, each the sum of its items' scores.

        So the tables of several attributes are told from an oracle on all cells, or on those of a larger table.

        >>> Moments(Fraction(4), Fraction(5), Fraction(0), Fraction(-1)).of_groups(3)
        Moments(other=Fraction(12, 1), own=Fraction(9, 1), others=Fraction(0, 1), own_other=Fraction(-3, 1))
        """
        rest, pairs = size - 1, size * (size - 1)
        return Moments(
            other=size * self.other + pairs * self.others,
            own=self.own + rest * (self.other + 2 * self.own_other + (size - 2) * self.others),
            others=size**2 * self.others,
            own_other=size * (self.own_other + rest * self.others),
        )

    def covariance(self, frequencies: Floats) -> Floats:
        """Compute how the scores of all items vary together, the mean over users of these shares; shape (k, k).

        `frequencies` has the shares of all k items, which sum to 1.
        """
        own, other, own_other, others = (float(part) for part in (self.own, self.other, self.own_other, self.others))
        found: Floats = others + (own_other - others) * (frequencies[:, None] + frequencies)
        np.fill_diagonal(found, other + (own - other) * frequencies)
        return found

    def noise(self, sums: Floats | float, squares: Floats | float, answers: Floats, square_answers: Floats) -> Floats:
        """Compute the variance of `sum_v w_v y_v`, its mean over the users; shape (q,).

        With f the shares of the items, `q1 = sum_v w_v` (sums), `q2 = sum_v w_v^2` (squares), `R = sum_v w_v f_v`
        (answers) and `R2 = sum_v w_v^2 f_v` (square_answers) it is

            other (q2 - R2) + own R2 + others [(q1^2 - 2 q1 R + R2) - (q2 - R2)] + 2 own_other (q1 R - R2).
        """
        squared, sum_squared, crossed, own = self._float_factors
        found = squared * squares + own * square_answers
        if not self.is_uncorrelated:
            found = found + (sum_squared * sums + crossed * answers) * sums
        return np.asarray(found)

    def items(self, frequencies: Floats) -> Floats:
        """Compute the noise of each item by itself, where it has these shares: `other (1 - f) + own f`."""
        return self.noise(1.0, 1.0, frequencies, frequencies)

    def of_user(self, sums: Floats, squares: Floats, weights: Floats) -> Floats:
        """Compute the variance of `sum_v w_v y_v` for a user whose own item has this weight; shape (q,).

        Where the terms cancel, as for the sum of all items under an oracle whose scores always add up to 1, the result
        is that of rationals, so that 0 is 0.
        """
        found = self.noise(sums, squares, weights, weights**2)
        size = float(abs(self._factors[0])) * squares + float(abs(self._factors[1])) * sums**2
        for query in np.flatnonzero(np.abs(found) < CANCELLED * size):
            first, second, weight = (Fraction(float(part[query])) for part in (sums, squares, weights))
            terms = (second, first**2, first * weight, weight**2)
            exact = sum((factor * term for factor, term in zip(self._factors, terms, strict=True)), Fraction(0))
            found[query] = float(exact)
        return found

    def least_and_largest(self, queries: Queries) -> tuple[Floats, Floats]:
        """Compute bounds of the noise that hold whatever the shares are; shape (q,) each.

        A user's variance is a quadratic function of the weight of the own item. The bounds are its least and largest
        value between the query's least and largest weight; at those alone where no weight lies between them.
        """
        sums, squares, (low, high) = queries.sums, queries.squares, queries.extremes()
        ends = np.array([self.of_user(sums, squares, weights) for weights in (low, high)])
        _, _, crossed, own = (float(factor) for factor in self._factors)
        if own != 0.0:
            vertex = np.clip(-crossed * sums / (2 * own), low, high)
            between = (low + high) * sums - squares - queries.k * low * high  # sum of (w - low)(high - w)
            only_ends = between <= ROUNDED * queries.k * np.maximum(low**2, high**2)
            ends = np.vstack([ends, np.where(only_ends, ends[0], self.of_user(sums, squares, vertex))])
        return np.maximum(ends.min(axis=0), 0.0), ends.max(axis=0)

    def at_uniform_shares(self, k: int) -> tuple[Fraction, Fraction]:
        """Return a, b for which the noise is `a q1^2 + b q2` where each of the k items has the share 1/k, exactly.

        So averages over a workload follow from the averages of `q1^2` and `q2`.
        """
        squared, sum_squared, crossed, own = self._factors
        return sum_squared + crossed / k, squared + own / k

    def of_total(self, k: int) -> Fraction:
        """Return the variance of the sum of all k scores, exactly: 0 where the scores of every report add up to one."""
        squared, sum_squared, crossed, own = self._factors
        return squared * k + sum_squared * k**2 + crossed * k + own

    @property
    def is_uncorrelated(self) -> bool:
        """Whether the scores of different items do not vary together."""
        return self.others == 0 == self.own_other

    @cached_property
    def _float_factors(self) -> tuple[float, float, float, float]:
        squared, sum_squared, crossed, own = (float(factor) for factor in self._factors)
        return squared, sum_squared, crossed, own

    @cached_property
    def _factors(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """Factors of `q2`, `q1^2`, `q1 R` and `R2` in the noise."""
        return (
            self.other - self.others,
            self.others,
            2 * (self.own_other - self.others),
            self.own - self.other + 2 * self.others - 2 * self.own_other,
        )
