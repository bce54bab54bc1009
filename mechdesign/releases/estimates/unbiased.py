"""Unbiased estimates of sums of the true counts, and their variance by the noise alone.

A group of n releases r, its true count is t. Let `c` be weights with `sum_i c_i P[i,j] = j` for every j, and `s`
weights with `sum_i s_i P[i,j] = j^2`, for the mechanism P of that size. Then c_r has the expectation t and the variance

    v(t) = sum_i P[i,t] c_i^2 - t^2,      for which c_r^2 - s_r is unbiased.

Groups are drawn independently, so for any coefficients a, which may depend on the sizes,

    sum_g a_g c_r(g)    is unbiased for    sum_g a_g t_g,    and    sum_g a_g^2 (c_r(g)^2 - s_r(g))    for its variance.

The true counts are fixed in this; only the noise is random, by its exact law. Whatever the true counts are, the
variance is between the sums of the smallest and of the largest v, so the estimate of it is kept between these. Where
no weights s exist the upper end is taken. All of it is computed in rationals; the weights of the fair mechanism, as a
matrix or as a law, have a bias of at most 2^-40 (`fair_estimates`).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from statistics import NormalDist

from mechdesign.counts.estimation.by_fair_law import fair_estimates
from mechdesign.counts.estimation.by_law import LawEstimates, law_estimates, least_estimated
from mechdesign.counts.estimation.intervals import Bounds, count_intervals
from mechdesign.counts.estimation.intervals_by_fair_law import law_intervals
from mechdesign.counts.estimation.inversion import LARGEST_SYSTEM, unbiased_weights
from mechdesign.counts.estimation.mean import MeanEstimator
from mechdesign.mechanism.fair import FairMechanism, LawMechanism
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair, fair_alpha
from mechdesign.rational import nearest_float


class Missing(Enum):
    """The reason why a size has no weights."""

    SINGULAR = "no unbiased estimate exists"
    UNSOLVED = "the equations are too large to be solved"


@dataclass(frozen=True)
class Figure:
    """An estimate with the standard error of the noise, and an interval within what is possible."""

    value: float
    standard_error: float
    low: float
    high: float

    def exact(self, coefficient: Fraction, interval: tuple[int, int]) -> "Figure":
        """Return it with the exact interval of its one group, instead of the normal one."""
        low, high = (nearest_float(coefficient * end) for end in interval)
        return replace(self, low=low, high=high)


@dataclass(frozen=True)
class Sum:
    """An unbiased estimate, the estimated variance of the noise in it, and the bounds of what it estimates."""

    value: Fraction
    variance: Fraction
    most: Fraction

    def figure(self, confidence: float) -> Figure:
        """Return it as floats, with the normal interval at this level, cut to 0..most.

        It is around the possible number next to the estimate: no farther from the truth than the estimate is, so the
        interval holds the truth wherever one around the estimate does, and it is never empty when cut.
        """
        error = math.sqrt(nearest_float(self.variance))
        reach = NormalDist().inv_cdf((1.0 + confidence) / 2.0) * error
        value, most = nearest_float(self.value), nearest_float(self.most)
        middle = min(max(value, 0.0), most)
        low, high = max(middle - reach, 0.0), min(middle + reach, most)
        return Figure(value, error, low, high)


@dataclass(frozen=True)
class SizeWeights:
    """The weights of one size's mechanism: of counts, and of variances; and the least and largest variance."""

    counts: tuple[Fraction, ...]
    variances: tuple[Fraction, ...]
    least: Fraction
    largest: Fraction

    @classmethod
    def of(cls, mechanism: Mechanism) -> "SizeWeights | Missing":
        """Solve exact systems; none are solved beyond `LARGEST_SYSTEM` inputs."""
        if mechanism.n_inputs > LARGEST_SYSTEM:
            return Missing.UNSOLVED
        estimator = MeanEstimator.of(mechanism)
        if estimator is None:
            return Missing.SINGULAR
        squares = unbiased_weights(mechanism, [j * j for j in range(mechanism.n_inputs)])
        largest = max(estimator.noise)
        if squares is None:
            variances = (largest,) * mechanism.n_outputs
        else:
            variances = tuple(c * c - s for c, s in zip(estimator.weights, squares, strict=True))
        return cls(estimator.weights, variances, min(estimator.noise), largest)

    def total(self, counts: Mapping[int, int]) -> Fraction:
        """Sum the weights of counts: `counts[i]` groups released i."""
        return sum((times * self.counts[i] for i, times in counts.items()), Fraction(0))

    def variance(self, counts: Mapping[int, int]) -> tuple[Fraction, Fraction, Fraction]:
        """Sum the weights of variances, and the least and the largest variance, over the groups."""
        groups = sum(counts.values())
        found = sum((times * self.variances[i] for i, times in counts.items()), Fraction(0))
        return found, groups * self.least, groups * self.largest


@dataclass(frozen=True)
class LawWeights:
    """Weights as `SizeWeights` has them, for one size of a law.

    There are fewer weights than counts.
    """

    known: LawEstimates

    @classmethod
    def of(cls, mechanism: LawMechanism, sizes: Iterable[int]) -> "dict[int, Weights | Missing]":
        """Find the weights of all these sizes.

        Where the two ends meet a matrix is inverted. Larger groups have the weights of one, at their two ends.
        """
        if isinstance(mechanism, FairMechanism):
            return {n: cls.of_fair(mechanism, n) for n in sizes}
        found: dict[int, Weights | Missing] = {}
        least = least_estimated(mechanism)
        shared = law_estimates(mechanism, least) if mechanism.slopes is None else None
        for n in sizes:
            if n < least:
                found[n] = SizeWeights.of(mechanism.at(n))
                continue
            own = law_estimates(mechanism, n) if mechanism.slopes is not None else shared and replace(shared, n=n)
            found[n] = Missing.SINGULAR if own is None else cls(own)
        return found

    @classmethod
    def of_fair(cls, mechanism: FairMechanism, n: int) -> "Weights | Missing":
        """Find the weights of one size of the fair mechanism; where alpha is too near to 1 a matrix is inverted."""
        own = fair_estimates(mechanism, n)
        if own is not None:
            return cls(own)
        return SizeWeights.of(explicit_fair(n, mechanism.alpha)) if n < LARGEST_SYSTEM else Missing.UNSOLVED

    def total(self, counts: Mapping[int, int]) -> Fraction:
        """Sum the weights of counts: `counts[i]` groups released i."""
        return sum((times * self.known.estimate(i) for i, times in counts.items()), Fraction(0))

    def variance(self, counts: Mapping[int, int]) -> tuple[Fraction, Fraction, Fraction]:
        """Sum the weights of variances, and the least and the largest variance, over the groups."""
        groups = sum(counts.values())
        found = sum((times * self.known.variance(i) for i, times in counts.items()), Fraction(0))
        return found, groups * self.known.least, groups * self.known.largest


Weights = SizeWeights | LawWeights


def matrix_weights(mechanism: Mechanism) -> Weights | Missing:
    """Find the weights of a matrix."""
    alpha = fair_alpha(mechanism)
    if alpha is None:
        return SizeWeights.of(mechanism)
    return LawWeights.of_fair(FairMechanism(alpha), mechanism.n_inputs - 1)


def estimate_sum(
    weights: Mapping[int, Weights], counts: Mapping[int, Mapping[int, int]], coefficients: Mapping[int, Fraction]
) -> Sum:
    """Estimate `sum_g a_g t_g`, where `a_g` is the coefficient of the group's size.

    Args:
        weights: of each size.
        counts: `counts[n][i]` groups of n released i.
        coefficients: by size; sizes that have none do not count.
    """
    value = variance = least = largest = most = Fraction(0)
    for size, a in coefficients.items():
        value += a * weights[size].total(counts[size])
        found, low, high = weights[size].variance(counts[size])
        variance, least, largest = variance + a * a * found, least + a * a * low, largest + a * a * high
        most += a * size * sum(counts[size].values())
    return Sum(value, min(max(variance, least), largest), most)


class UnbiasedSums:
    """Unbiased estimates of sums of the true counts of any groups, with intervals.

    Args:
        mechanisms: by size.
        law: the mechanism of all other sizes.
        sizes: of all groups.
        confidence: of each interval.
    """

    def __init__(
        self,
        mechanisms: Mapping[int, Mechanism],
        law: LawMechanism | None,
        sizes: Iterable[int],
        confidence: Fraction,
    ) -> None:
        self.mechanisms, self.confidence = mechanisms, confidence
        found = {size: matrix_weights(mechanism) for size, mechanism in mechanisms.items()}
        if law is not None:
            found |= LawWeights.of(law, sorted(set(sizes) - mechanisms.keys()))
        self.weights = {size: one for size, one in found.items() if not isinstance(one, Missing)}
        self.singular, self.unsolved = (
            tuple(sorted(size for size, one in found.items() if one is why)) for why in Missing
        )
        self.by_law = None if law is None else law_intervals(law, confidence)

    def figure(self, counts: Mapping[int, Mapping[int, int]], coefficients: Mapping[int, Fraction]) -> Figure | None:
        """Estimate `sum_g a_g t_g` over the groups of `counts`; None where a size has no weights.

        The interval is normal; that of one group is exact.
        """
        if any(size not in self.weights for size in coefficients):
            return None
        found = estimate_sum(self.weights, counts, coefficients).figure(float(self.confidence))
        if sum(sum(counts[size].values()) for size in coefficients) > 1:
            return found
        (size,) = coefficients
        (released,) = counts[size]
        return found.exact(coefficients[size], self._interval(size, released))

    def _interval(self, size: int, released: int) -> Bounds:
        own = self.mechanisms.get(size)
        if own is not None:
            return count_intervals(own, self.confidence)[released]
        assert self.by_law is not None  # every size has one of the two
        return self.by_law.of(size, released)
