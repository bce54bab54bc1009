"""Estimates of the true counts behind a table of released ones.

They need the released counts and the public mechanism alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mechdesign.counts.estimation.intervals import count_intervals
from mechdesign.counts.estimation.inversion import LARGEST_INVERSE, LARGEST_SYSTEM, Inversion, invert, rank
from mechdesign.counts.estimation.likelihood import TOLERANCE, LikelihoodEstimate, maximum_likelihood
from mechdesign.counts.estimation.mean import Interval, MeanEstimate, MeanEstimator, as_confidence
from mechdesign.documents.tabular import Table
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import Value, decimal, facts, one_line, page, table
from mechdesign.rational import Number, as_rational, nearest_float

CONFIDENCE = "0.95"


@dataclass(frozen=True)
class Estimate:
    """The estimated distribution of the true counts behind `counts[i]` releases of i, and their mean.

    `rank` is that of the matrix, None where it is too large to be found exactly. `inversion` is None where the matrix
    is singular, or larger than `LARGEST_INVERSE`; `mean` where no unbiased estimate of it exists, or beyond
    `LARGEST_SYSTEM`.
    """

    counts: tuple[int, ...]
    likelihood: LikelihoodEstimate
    rank: int | None
    inversion: Inversion | None
    mean: MeanEstimate | None

    @property
    def releases(self) -> int:
        """Number of released counts."""
        return sum(self.counts)

    @property
    def released_shares(self) -> tuple[float, ...]:
        """The share of each released count 0..n."""
        return tuple(count / self.releases for count in self.counts)

    @property
    def is_singular(self) -> bool:
        """Whether some distributions of true counts cannot be told apart, however many counts are released."""
        return self.rank is not None and self.rank < len(self.likelihood.distribution)

    @property
    def doubt(self) -> str:
        """Say why the distribution of the true counts cannot be told from the released ones; nothing where it can.

        It can where every share has a standard error no larger than the largest released share.
        """
        if self.is_singular:
            return "different true counts give the same releases, as the matrix is singular"
        if self.inversion is None:
            return f"how well it is known is computed up to n = {LARGEST_INVERSE - 1}"
        errors = self.inversion.standard_errors
        if errors is None:
            return "standard errors are unknown, from one release"
        if max(errors) > max(self.released_shares):
            known = f"up to {max(errors):#,.2g}" if math.isfinite(max(errors)) else "beyond any float"
            return f"standard errors are {known}, more than any released share"
        return ""

    def tabulate(self) -> Table:
        """Return the shares of each count; None where they are unknown."""
        unknown, inversion = [None] * len(self.counts), self.inversion
        return Table(
            {
                "count": range(len(self.counts)),
                "released": self.released_shares,
                "likelihood": self.likelihood.distribution,
                "inversion": unknown if inversion is None else inversion.distribution,
                "standard_error": unknown if inversion is None else inversion.standard_errors or unknown,
            }
        )

    def __repr__(self) -> str:
        n = len(self.counts) - 1
        mean = "no unbiased mean" if self.mean is None else f"mean {self.mean.value:.6g}"
        return one_line("Estimate", f"{self.releases} releases of 0..{n}", mean)

    def _repr_html_(self) -> str:
        mean = self.mean
        known: list[tuple[str, Value]] = [("releases", self.releases), ("likeliest mean", self.likelihood.mean)]
        if mean is not None:
            level = f"{100 * mean.confidence:.6g} %"
            known += [
                ("mean, unbiased", mean.value),
                (f"  for these groups, {level}", _interval_text(mean.noise)),
                (f"  for their population, {level}", _interval_text(mean.population)),
            ]
        shares = self.tabulate()
        return page("Estimate", facts(known), table([*shares.columns], shares.rows(), "shares of groups by count"))


def _interval_text(interval: Interval | None) -> str:
    if interval is None:
        return "unknown: a variance needs at least two released counts"
    return f"{decimal(interval.low)} to {decimal(interval.high)}"


def estimate_counts(
    mechanism: Mechanism, counts: Sequence[int], confidence: Number = CONFIDENCE, tolerance: float = TOLERANCE
) -> Estimate:
    """Estimate the distribution and the mean of the true counts from how often each count was released.

    This is post-processing: it spends no privacy.

    Args:
        mechanism: the one that released the counts.
        counts: `counts[i]` of the released counts are i; length n_outputs.
        confidence: of the intervals of the mean.
        tolerance: how far the log-likelihood may be from its maximum, raised to what rounding allows.

    Raises:
        InputError: as `maximum_likelihood`, or for a confidence outside (0, 1).

    >>> coin = Mechanism(((2, 1), (1, 2)), 3)
    >>> found = estimate_counts(coin, [50, 40])
    >>> found.inversion.distribution, found.mean.value
    ((0.6666666666666666, 0.3333333333333333), 0.3333333333333333)
    """
    as_confidence(confidence)
    likelihood = maximum_likelihood(mechanism, counts, tolerance)
    size = mechanism.n_inputs
    known = rank(mechanism) if size <= LARGEST_SYSTEM else None
    inversion = (
        invert(mechanism, counts, likelihood.distribution) if size <= LARGEST_INVERSE and known == size else None
    )
    estimator = MeanEstimator.of(mechanism) if known is not None else None
    mean = None if estimator is None else estimator.estimate(counts, likelihood.distribution, confidence)
    if mean is not None and estimator is not None and sum(counts) == 1:
        mean = replace(mean, noise=_of_one(mechanism, counts, mean, estimator, confidence))
    return Estimate(tuple(counts), likelihood, known, inversion, mean)


def _of_one(
    mechanism: Mechanism, counts: Sequence[int], mean: MeanEstimate, estimator: MeanEstimator, confidence: Number
) -> Interval:
    """Find the exact interval of a single group; its standard error is at most the largest of any true count."""
    error = math.sqrt(nearest_float(max(estimator.noise))) if mean.noise is None else mean.noise.standard_error
    low, high = count_intervals(mechanism, as_rational(confidence, "confidence"))[counts.index(1)]
    return Interval(error, float(low), float(high))
