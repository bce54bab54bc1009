"""Estimates of the true counts behind a release, all sizes at once.

They need its output and its record.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mechdesign.arguments import checked
from mechdesign.counts.estimation.estimate import CONFIDENCE
from mechdesign.counts.estimation.mean import as_confidence
from mechdesign.documents.files import FilePath
from mechdesign.errors import InputError
from mechdesign.mechanism.fair import LawMechanism
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import one_line
from mechdesign.rational import Number, as_rational
from mechdesign.releases.checking import read_release
from mechdesign.releases.estimates.pooled import MOST_COUNTS, PooledEstimate, pooled_estimate
from mechdesign.releases.estimates.unbiased import Figure, UnbiasedSums
from mechdesign.releases.output import ReleasedCounts
from mechdesign.releases.record import ReleaseRecord


@dataclass(frozen=True)
class SizeEstimate:
    """The estimated mean count of the groups of one size; None where it has no unbiased estimate."""

    size: int
    groups: int
    mean: Figure | None

    @property
    def is_informative(self) -> bool:
        """Whether the interval rules out anything that is possible."""
        return self.mean is not None and (self.mean.low > 0.0 or self.mean.high < self.size)


@dataclass(frozen=True)
class RegionEstimate:
    """The estimate of a region: the sum of its groups' true counts, and its share of units.

    The sum is that of the groups' unbiased estimates; both are None where a group has none.
    """

    name: str
    groups: int
    units: int
    total: Figure | None
    share: Figure | None


@dataclass(frozen=True)
class ReleaseEstimate:
    """The estimates of a release: what it says of the true counts of its own groups.

    Attributes:
        groups: number of groups.
        units: number of units in them.
        confidence: the level of each interval.
        singular: sizes whose design has no unbiased estimate; where there are some, the three sums are None.
        unsolved: sizes whose unbiased estimate is not computed, since the equations are too large; as above.
        total: of the true counts.
        share: `total / units`.
        mean_share: the mean over the groups of count / size.
        sizes: the mean count by size.
        pooled: the distribution between groups, under a model; None where they are too many, and too large.
        regions: what is estimated of each region, in public order; none where groups have no regions.
    """

    groups: int
    units: int
    confidence: float
    singular: tuple[int, ...]
    unsolved: tuple[int, ...]
    total: Figure | None
    share: Figure | None
    mean_share: Figure | None
    sizes: tuple[SizeEstimate, ...]
    pooled: PooledEstimate | None
    regions: tuple[RegionEstimate, ...] = ()

    def __repr__(self) -> str:
        share = "no unbiased share" if self.share is None else f"share {self.share.value:.6g}"
        return one_line("ReleaseEstimate", f"{self.groups} groups of {self.units} units", share)


@checked
def estimate_release(
    output: FilePath, record: FilePath, *, confidence: Number = CONFIDENCE, value: str | None = None
) -> ReleaseEstimate:
    """Estimate total, shares and means by size behind the output of a release, and totals and shares of regions.

    This is post-processing: it spends no privacy.

    Args:
        output: the file of released counts.
        record: the record of their release; all that it says is proved first.
        confidence: of each interval.
        value: of a category, whose counts are taken; None where a bit or a table was counted.

    Raises:
        InputError: for a value that the record does not have, a file that is unusable, or a confidence outside (0, 1).
        RefusedError: naming the first thing in the record that is false, or false of this output.
    """
    as_confidence(confidence)
    known, found = read_release(Path(output), Path(record))
    if known.values and value not in known.values:
        raise InputError(f"value must be one of {', '.join(known.values)[:200]}, got {value}")
    if value is not None and not known.values:
        raise InputError(f"value goes with a record of a category, got value={value[:40]}")
    return estimate_value(known, found, value, confidence)


def estimate_value(
    known: ReleaseRecord,
    released: ReleasedCounts,
    value: str | None,
    confidence: Number = CONFIDENCE,
    fits_model: bool = True,
) -> ReleaseEstimate:
    """Estimate from a release that was read and proved.

    Args:
        known: its record.
        released: its output.
        value: of the record's category; None where it has none.
        confidence: of each interval.
        fits_model: whether the distribution between groups is fitted, which takes longest.
    """
    chosen = released if value is None else released.of_value(value)
    mechanisms = {entry.size: entry.mechanism for entry in known.sizes}
    law = None if known.law is None else known.law.mechanism
    return estimate_sizes(mechanisms, chosen.counts, confidence, law, chosen.counts_by_region, fits_model)


def estimate_sizes(
    mechanisms: Mapping[int, Mechanism],
    counts: Mapping[int, Mapping[int, int]],
    confidence: Number = CONFIDENCE,
    law: LawMechanism | None = None,
    by_region: Mapping[str, Mapping[int, Mapping[int, int]]] = MappingProxyType({}),
    fits_model: bool = True,
) -> ReleaseEstimate:
    """Estimate from released counts and the mechanism of each size.

    Args:
        mechanisms: by size.
        counts: `counts[n][i]` groups of n released i.
        confidence: of each interval.
        law: the mechanism of all other sizes.
        by_region: the counts of each region, where groups have regions.
        fits_model: whether the distribution between groups is fitted.
    """
    level, chance = as_confidence(confidence), as_rational(confidence, "confidence")
    sums = UnbiasedSums(mechanisms, law, counts, chance)
    groups = {size: sum(of_size.values()) for size, of_size in counts.items()}
    every, units = sum(groups.values()), sum(size * number for size, number in groups.items())

    def figure(coefficients: Mapping[int, Fraction]) -> Figure | None:
        return sums.figure(counts, coefficients)

    def rows_at(size: int, outputs: Sequence[int]) -> NDArray[np.float64]:
        own = mechanisms.get(size)
        if own is not None:
            return own.matrix()[list(outputs)]
        assert law is not None  # every size has one of the two
        return law.rows_at(size, outputs)

    is_fitted = fits_model and (law is None or sum(size + 1 for size in groups) <= MOST_COUNTS)
    return ReleaseEstimate(
        groups=every,
        units=units,
        confidence=level,
        singular=sums.singular,
        unsolved=sums.unsolved,
        total=figure(dict.fromkeys(groups, Fraction(1))),
        share=figure(dict.fromkeys(groups, Fraction(1, units))),
        mean_share=figure({size: Fraction(1, size * every) for size in groups}),
        sizes=tuple(SizeEstimate(size, number, figure({size: Fraction(1, number)})) for size, number in groups.items()),
        pooled=pooled_estimate(rows_at, counts, level) if is_fitted else None,
        regions=tuple(_region(sums, name, of_region) for name, of_region in by_region.items()),
    )


def _region(sums: UnbiasedSums, name: str, counts: Mapping[int, Mapping[int, int]]) -> RegionEstimate:
    groups = {size: sum(of_size.values()) for size, of_size in counts.items()}
    units = sum(size * number for size, number in groups.items())
    total, share = (sums.figure(counts, dict.fromkeys(counts, a)) for a in (Fraction(1), Fraction(1, units)))
    return RegionEstimate(name, sum(groups.values()), units, total, share)
