"""Estimate the true counts behind a release from its output and its record: all sizes at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mechdesign.arguments import checked
from mechdesign.counts.estimation.estimate import CONFIDENCE
from mechdesign.counts.estimation.intervals import Bounds, count_intervals
from mechdesign.counts.estimation.intervals_by_law import LawIntervals
from mechdesign.counts.estimation.mean import as_confidence
from mechdesign.documents.claims import require_true
from mechdesign.documents.files import FilePath
from mechdesign.mechanism.layered import LayeredMechanism
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import one_line
from mechdesign.rational import Number, as_rational
from mechdesign.releases.checking import output_claims, read_record
from mechdesign.releases.estimates.pooled import MOST_COUNTS, PooledEstimate, pooled_estimate
from mechdesign.releases.estimates.unbiased import (
    Figure,
    LawWeights,
    SizeWeights,
    Weights,
    estimate_sum,
    singular_sizes,
)
from mechdesign.releases.output import read_output
from mechdesign.releases.record import ReleaseRecord


@dataclass(frozen=True)
class SizeEstimate:
    """Hold the estimated mean count of the groups of one size; None where no unbiased estimate of it exists."""

    size: int
    groups: int
    mean: Figure | None

    @property
    def is_told(self) -> bool:
        """Whether the interval rules out anything that is possible."""
        return self.mean is not None and (self.mean.low > 0.0 or self.mean.high < self.size)


@dataclass(frozen=True)
class ReleaseEstimate:
    """Hold what a release says of the true counts of its own groups.

    Attributes:
        groups: number of groups.
        units: number of units in them.
        confidence: the level of each interval.
        singular: sizes whose design has no unbiased estimate; where there are some, the three sums are None.
        total: of the true counts.
        share: `total / units`.
        mean_share: the mean over the groups of count / size.
        sizes: the mean count by size.
        pooled: the distribution between groups, under a model; None where they are too many, and too large.
        is_by_law: whether a law released some of the groups.
    """

    groups: int
    units: int
    confidence: float
    singular: tuple[int, ...]
    total: Figure | None
    share: Figure | None
    mean_share: Figure | None
    sizes: tuple[SizeEstimate, ...]
    pooled: PooledEstimate | None
    is_by_law: bool = False

    def __repr__(self) -> str:
        share = "no unbiased share" if self.share is None else f"share {self.share.value:.6g}"
        return one_line("ReleaseEstimate", f"{self.groups} groups of {self.units} units", share)


@checked
def estimate_release(output: FilePath, record: FilePath, *, confidence: Number = CONFIDENCE) -> ReleaseEstimate:
    """Estimate total, shares and means by size behind the output of a release.

    This is post-processing: it spends no privacy.

    Args:
        output: the file of released counts.
        record: the record of their release; all that it says is proved first.
        confidence: of each interval.

    Raises:
        InputError: for a file that is unusable, or a confidence outside (0, 1).
        RefusedError: naming the first thing in the record that is false, or false of this output.
    """
    as_confidence(confidence)
    known = read_record(record)
    require_true(output_claims(known, Path(output)), str(output))
    return estimate_counts_of(known, read_output(known, Path(output)).counts, confidence)


def estimate_counts_of(
    record: ReleaseRecord, counts: Mapping[int, Mapping[int, int]], confidence: Number = CONFIDENCE
) -> ReleaseEstimate:
    """Estimate from `counts[n][i]`, the number of groups of n that released i."""
    mechanisms = {entry.size: entry.mechanism for entry in record.sizes}
    return estimate_sizes(mechanisms, counts, confidence, None if record.law is None else record.law.mechanism)


def estimate_sizes(
    mechanisms: Mapping[int, Mechanism],
    counts: Mapping[int, Mapping[int, int]],
    confidence: Number = CONFIDENCE,
    law: LayeredMechanism | None = None,
) -> ReleaseEstimate:
    """Estimate from released counts and the mechanism of each size.

    Args:
        mechanisms: by size.
        counts: `counts[n][i]` groups of n released i.
        confidence: of each interval.
        law: the mechanism of all other sizes.
    """
    level, chance = as_confidence(confidence), as_rational(confidence, "confidence")
    found: dict[int, Weights | None] = {size: SizeWeights.of(mechanism) for size, mechanism in mechanisms.items()}
    if law is not None:
        found |= LawWeights.of(law, sorted(counts.keys() - mechanisms.keys()))
    by_law = None if law is None else LawIntervals(law, chance)
    weights = {size: one for size, one in found.items() if one is not None}
    singular = singular_sizes(dict(sorted(found.items())))
    groups = {size: sum(of_size.values()) for size, of_size in counts.items()}
    every, units = sum(groups.values()), sum(size * number for size, number in groups.items())

    def interval(size: int, released: int) -> Bounds:
        own = mechanisms.get(size)
        if own is not None:
            return count_intervals(own, chance)[released]
        assert by_law is not None  # every size has one of the two
        return by_law.of(size, released)

    def figure(coefficients: Mapping[int, Fraction]) -> Figure | None:
        if any(size not in weights for size in coefficients):
            return None
        found = estimate_sum(weights, counts, coefficients).figure(level)
        if sum(groups[size] for size in coefficients) > 1:
            return found
        (size,), (released,) = coefficients, counts[next(iter(coefficients))]
        return found.exact(coefficients[size], interval(size, released))

    def rows_at(size: int, outputs: Sequence[int]) -> NDArray[np.float64]:
        own = mechanisms.get(size)
        if own is not None:
            return own.matrix()[list(outputs)]
        assert law is not None  # every size has one of the two
        return law.rows_at(size, outputs)

    is_fitted = law is None or sum(size + 1 for size in groups) <= MOST_COUNTS
    return ReleaseEstimate(
        groups=every,
        units=units,
        confidence=level,
        singular=tuple(singular),
        total=figure(dict.fromkeys(groups, Fraction(1))),
        share=figure(dict.fromkeys(groups, Fraction(1, units))),
        mean_share=figure({size: Fraction(1, size * every) for size in groups}),
        sizes=tuple(SizeEstimate(size, number, figure({size: Fraction(1, number)})) for size, number in groups.items()),
        pooled=pooled_estimate(rows_at, counts, level) if is_fitted else None,
        is_by_law=law is not None,
    )
