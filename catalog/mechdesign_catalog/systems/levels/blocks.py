"""Blocks: rows at public shifts of a circle, for ranges and arcs of any number of items."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.workloads.ordered import Histogram, Prefixes
from mechdesign.workloads.queries import Intervals, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.circles.circle import Circle
from mechdesign_catalog.decoders.circles.cuts import PAIRS, CutMoments, CutPairs, PlaceShares, mean_over_pairs
from mechdesign_catalog.decoders.trees.level_sums import total_variance
from mechdesign_catalog.randomizers.oracle import Users, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants
from mechdesign_catalog.systems.levels.blocks_plan import naming, optimal_levels
from mechdesign_catalog.systems.levels.shifted_levels import ShiftedLevels
from mechdesign_catalog.systems.levels.shifted_rows import CircleRows
from mechdesign_catalog.systems.levels.weighed_levels import OPTIMAL, Naming, WeighedLevel

LENGTHS_LOOKED_AT, STARTS_LOOKED_AT = 2, 4
"""Of a circle with padding: lengths with the largest variances without it, and where ranges of these start."""


@dataclass(frozen=True)
class Blocks(ShiftedLevels[CircleRows]):
    """A row of blocks of a circle at a public shift, the level drawn by public chances.

    Items lie on a circle of K places (`Circle`; some places may be padding). A level has blocks as even as can be, of
    which a report holds those in some buckets of public masks (`MaskedBlocks`), or cells of which it holds a rotation
    of a row (`RotatedCells`).

    `levels` are `optimal`, the best ones for all arcs, which are the best for all ranges too; or levels with weights,
    as `blocks_plan` names them.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign.workloads.ordered import Ranges
    >>> oracle = Blocks(256, Privacy(epsilon=1))
    >>> f"{oracle.average_variance(Ranges(256), 1000) * 1000 * Ranges(256).count:.4g}"
    '7.887e+05'
    """

    levels: str = OPTIMAL
    name: ClassVar[str] = "blocks"
    decoder: ClassVar[str] = "inverse on the circle"
    closed: ClassVar[str] = "ranges, prefixes or circular"

    @cached_property
    def circle(self) -> Circle:
        """The circle that the items lie on."""
        return Circle(self.k)

    @property
    def ground(self) -> Circle:
        """The circle."""
        return self.circle

    @property
    def optimal(self) -> tuple[WeighedLevel[CircleRows], ...]:
        """The best levels, the finest first."""
        return optimal_levels(self.k, self.privacy)

    @property
    def naming(self) -> Naming[CircleRows]:
        """How texts name levels."""
        return naming(self.circle, self.privacy)

    def own_constants(self) -> Constants:
        """State the places of the circle, and how often each level is drawn, with its oracle."""
        return {"places": self.circle.size, **super().own_constants()}

    def of_queries(self, queries: Queries, shares: Floats, users: Users, least: float) -> Floats:
        """Compute the variance of queries at these shares; that of many ranges with one end in common at once."""
        self.require_own(queries)
        if isinstance(queries, Intervals):
            return self._of_intervals(queries, shares, users, least)
        return self.by_weights(queries, shares, users, least)

    def _of_intervals(self, queries: Intervals, shares: Floats, users: Users, least: float) -> Floats:
        """Compute the variance of ranges, as differences of cuts: of many with one end in common at once."""
        first, end, places = queries.first, queries.last + 1, PlaceShares(self.circle, self.circle.padded(shares))
        cuts, others = (first, end) if _different(first, self.k) <= _different(end, self.k) else (end, first)
        sums, order = queries.apply(shares), np.argsort(cuts, kind="stable")
        of_one_cut = np.split(order, np.flatnonzero(np.diff(cuts[order])) + 1) if len(order) else []

        def levels() -> Iterator[tuple[Floats, Floats]]:
            for moments in self.cut_moments():
                level, found = CutPairs(moments, places), np.empty((2, len(queries)))
                for at in of_one_cut:
                    found[:, at] = level.noise_and_spread(int(cuts[at[0]]), others[at])
                noise, spread = found
                yield noise, spread

        found = total_variance(levels(), sums * (1 - sums), self.users_by_branch(users), least)
        return np.maximum(found, least)

    def cut_moments(self) -> Iterator[CutMoments]:
        """Yield for each level how the weights of single cuts act, of which each range or arc is a difference."""
        size = self.circle.size
        until = np.cumsum(self.solved(np.eye(1, size))[0])
        until -= until.mean()
        for factor, part in zip(self.factors, self.parts, strict=True):
            sums = part.facts.gathered(factor * until)
            yield CutMoments(part.facts, sums, part.facts.means(sums))

    def average_variance(self, workload: Workload, users: int) -> float:
        """Average the variance over all queries of a workload, where the items have equal shares.

        In closed form for ranges, prefixes and arcs; else query by query.

        Raises:
            InputError: for a workload on other items, or too many weights of other queries.
        """
        self.require_workload(workload)
        if isinstance(workload, Histogram):
            return self.approximate_variance(users)
        if isinstance(workload, tuple(PAIRS)):
            return mean_over_pairs(self.circle, workload, self.cut_moments(), self.users_by_branch(users))
        return float(self.of_all(workload, users).mean())

    def largest_variance(self, workload: Workload, users: int) -> tuple[float, float]:
        """Return a value that the largest variance over a workload has at least, and a bound of it, at equal shares.

        Without padding the variance of a range or an arc hangs on its length alone, and all lengths are looked at: both
        are the same, and exact. With padding all prefixes and some ranges are looked at. A range that ends with the
        last item has the variance of the prefix before it, and all others have the bound of `bound_by_length`.

        Raises:
            InputError: as `average_variance`.
        """
        self.require_workload(workload)
        if isinstance(workload, Histogram):
            found = float(self.variance(np.full(self.k, 1 / self.k), users).max())
            return found, found
        if isinstance(workload, tuple(PAIRS)):
            return self._largest_of_lengths(workload, users)
        found = float(self.of_all(workload, users).max())
        return found, found

    def variance_by_length(self, users: int) -> Floats:
        """Compute the variance of an arc of 1 .. K-1 places where all places of the circle have equal shares."""
        counts, size = self.users_by_branch(users), self.circle.size
        part = np.arange(1, size) / size
        levels = (moments.by_length(0, size) for moments in self.cut_moments())
        return total_variance(levels, part * (1 - part), counts)

    def _largest_of_lengths(self, workload: Workload, users: int) -> tuple[float, float]:
        by_length = self.variance_by_length(users)[: self.k - 1]
        if not self.circle.padding:
            found = float(by_length.max()) if len(by_length) else 0.0
            return found, found
        first, equal = np.zeros(self.k - 1, dtype=np.int64), np.full(self.k, 1 / self.k)
        with_end = float(self.answer_variance(Intervals(self.k, first, np.arange(self.k - 1)), equal, users).max())
        if isinstance(workload, Prefixes):
            return with_end, with_end
        lengths = np.argsort(-by_length)[:LENGTHS_LOOKED_AT] + 1
        first = np.array(
            [at * (self.k - length) // STARTS_LOOKED_AT for length in lengths for at in range(STARTS_LOOKED_AT)]
        )
        ranges = Intervals(self.k, first, first + np.repeat(lengths, STARTS_LOOKED_AT) - 1)
        found = max(with_end, float(self.answer_variance(ranges, equal, users).max()))
        return found, max(with_end, float(self.bound_by_length(users).max()))

    def bound_by_length(self, users: int) -> Floats:
        """Bound the variance of ranges of 1 .. k-1 equally frequent items that do not touch the first or last one.

        It is `sum_l (sum_s F_s^2 (plain + own c_s) + (sum_v G_v^2 c_v - n mean^2)/(n-1)) / n_l`, less what the range
        has by the items alone. Here `n mean^2` is left out, and shares c are those without padding: none is above that
        of a row, or of a place, of items alone. Then it hangs on the length alone.
        """
        counts, k = self.users_by_branch(users), self.k
        others, bound = max(float(counts.sum()) - 1, 1.0), np.zeros(k - 1)
        for moments, count in zip(self.cut_moments(), counts, strict=True):
            noise, spread = moments.by_length(self.circle.padding if moments.facts.own < 0 else 0, k)
            bound += (noise + spread * (1 + 1 / others))[: k - 1] / count
        part = np.arange(1, k) / k
        found: Floats = bound - part * (1 - part) / others
        return found


def _different(places: Values, most: int) -> int:
    """Count the different ones of places up to a largest one."""
    return int(np.count_nonzero(np.bincount(places, minlength=most)))
