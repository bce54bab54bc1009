"""SS, subset selection: a set of items, which holds the own one more often than not."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.randomizers.facts.costs import WEIGHED_BITS
from mechdesign_catalog.randomizers.facts.information import set_information, sets_of_one_size
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.facts.sources import WANG_SUBSETS, YE, Source
from mechdesign_catalog.randomizers.kernels.bits import (
    Rows,
    bernoulli_rows,
    key_of,
    place,
    put_bits,
    row_sums,
    row_width,
)
from mechdesign_catalog.randomizers.kernels.draws import bernoulli, uniform_below
from mechdesign_catalog.randomizers.oracle import SpendsClaim, Values, require_few
from mechdesign_catalog.randomizers.reports.contributions import Contribution, Multihot
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support, best_subset_size, subset, subset_size
from mechdesign_catalog.randomizers.reports.report_schema import PackedBits, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, ReportLaw
from mechdesign_catalog.systems.flat.bit_oracle import BitOracle

BLOCK_BYTES = 1 << 21
BLOCK_ROWS = 1 << 15
"""What one block of users has at most; their rows are finished before the next block."""

RARE, MEAN = "rare", "mean"
"""Sizes by what they make least: the variance of a rare item's share, or the mean of all items' variances."""

SPARSE = 32
"""A random item takes about as long as so many random bits."""


def subsets_of_the_others(own: Values, sizes: Values, k: int, density: Fraction, words: WordSource) -> Rows:
    """Draw for each user a set of `sizes[u]` of the k-1 items other than `own[u]`, each such set as likely.

    It starts with every item in the set by itself with chance `density`, whatever that is; then uniformly random items
    are added, or removed, until the size is right. Why this is exactly uniform: independent equal bits have the same
    chance for all sets of one size, so given its size the first set is uniform. A uniform set of c items and a uniform
    item outside of it make each set of c+1 items in c+1 ways of equal chance; removing is the same for complements. How
    many are added depends on the size alone, and drawing items until one is outside (inside) makes that one uniform.

    A density near the sizes leaves few steps; density 0 starts from nothing, for sets of a few items.

    Returns:
        Rows of bits, those of the own items 0.
    """
    if density:
        rows = bernoulli_rows(density, len(own), k, words)
        put_bits(rows, own, np.zeros(len(own), dtype=np.bool_))
    else:
        rows = np.zeros((len(own), row_width(k)), dtype=np.uint8)
    level(rows, own, row_sums(rows) - sizes, k, words)
    return rows


def level(rows: Rows, own: Values, surplus: NDArray[np.int64], k: int, words: WordSource) -> None:
    """Remove `surplus[u]` uniformly random items from the row u (add them, if negative), in place, never the own one.

    In each round every unfinished row draws one of the k-1 items, and turns it over if that is what it lacks.
    """
    users = np.flatnonzero(surplus)
    while len(users):
        items = uniform_below(k - 1, len(users), words)
        items += items >= own[users]
        byte, bit = place(items)
        cells = rows[users, byte]
        removing = surplus[users] > 0
        hits = np.flatnonzero(((cells & bit) != 0) == removing)
        rows[users[hits], byte[hits]] = cells[hits] ^ bit[hits]
        surplus[users[hits]] -= np.where(removing[hits], 1, -1)
        users = users[surplus[users] != 0]


def quick_density(k: int, size: int) -> Fraction:
    """Choose the density from which `subsets_of_the_others` has least to do; it decides about time and nothing else.

    With the share s = size/k, finding an item to remove takes 1/s draws, and one to add 1/(1-s). The least is expected
    where the first set is too large with chance s (the critical ratio of the newsvendor problem).
    """
    if size * SPARSE <= k:
        return Fraction(0)
    share = size / k
    start = size + NormalDist().inv_cdf(share) * math.sqrt(size * (1 - share))
    return Fraction(min(max(0, round(start)), k), k)


@dataclass(frozen=True)
class SubsetSelection(SpendsClaim, BitOracle):
    """A set of `size` items: the own one with p, and the rest uniform among the others.

    `size` is the whole number nearest to `k/(1 + e^eps)`, at least 1 (size 1 is GRR), if it is not given; `"rare"`
    and `"mean"` are the sizes of the least variance of a rare item and of the least mean of all items' variances. As
    packed bits, shape (users, ceil(k/8)); `bits` is what the number of the set among all `C(k, size)` takes, less
    than k.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = SubsetSelection(1000, Privacy(epsilon=1))
    >>> oracle.selected, float(round(oracle.support.p, 6)), oracle.bits
    (269, 0.500074, 835)

    Raises:
        InputError: unless 1 <= size < k.
    """

    size: int | str | None = None
    name: ClassVar[str] = "ss"
    sources: ClassVar[tuple[Source, ...]] = (YE, WANG_SUBSETS)
    score_is_reached: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size is None:
            object.__setattr__(self, "size", subset_size(self.k, self.alpha))
        elif self.size in (RARE, MEAN):
            object.__setattr__(self, "size", best_subset_size(self.k, self.alpha, self._criterion(self.size)))
        if isinstance(self.size, bool) or not isinstance(self.size, int) or not 1 <= self.size < self.k:
            raise InputError(f"size must be a whole number from 1 to {self.k - 1}, rare or mean, got size={self.size}")

    def _criterion(self, size: object) -> Callable[[Support], Fraction]:
        return (lambda support: support.rare_variance) if size == RARE else (lambda s: s.mean_variance(self.k))

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: a bit for each item, 1 for those of the set."""
        return ReportSchema((PackedBits("bits", self.k, ones=self.selected),))

    @property
    def selected(self) -> int:
        """Number of items in a report."""
        assert isinstance(self.size, int)  # filled in when it was made
        return self.size

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q."""
        return subset(self.k, self.selected, self.alpha)

    @cached_property
    def moments(self) -> Moments:
        """Second moments of one user's scores, from the chances that a uniform set has two given items."""
        others = math.comb(self.k - 1, 2) or 1  # of two items there is but one other
        beside = Fraction(math.comb(self.selected - 1, 2), others)
        instead = Fraction(math.comb(self.selected, 2), others)
        return Moments.of(
            self.support,
            both=self.support.p * beside + (1 - self.support.p) * instead,
            with_own=self.support.p * Fraction(self.selected - 1, self.k - 1),
        )

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 at each item of the set."""
        return Multihot(self.k, self.selected)

    def own_constants(self) -> Constants:
        """State the size of a set, p and q."""
        return {"size": self.selected, **super().own_constants()}

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper: its bytes, whose bits are counted."""
        return WEIGHED_BITS * self.report_schema.width

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each value."""
        rows = np.empty((len(values), row_width(self.k)), dtype=np.uint8)
        density = quick_density(self.k, self.selected)
        step = max(1, min(BLOCK_ROWS, BLOCK_BYTES // rows.shape[1]))
        for start in range(0, len(values), step):
            own = values[start : start + step]
            kept = bernoulli(self.support.p, len(own), words)
            block = subsets_of_the_others(own, self.selected - kept, self.k, density, words)
            put_bits(block, own, kept)
            rows[start : start + step] = block
        return (rows,)

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every value; for small k."""
        require_few(self.k, self.name)
        require_few(math.comb(self.k, self.selected), self.name)
        inside = self.support.p / math.comb(self.k - 1, self.selected - 1)
        outside = (1 - self.support.p) / math.comb(self.k - 1, self.selected)
        law: ReportLaw = {}
        for chosen in combinations(range(self.k), self.selected):
            report = sum(1 << item for item in chosen)
            law[key_of(report, self.k)] = tuple(inside if report >> v & 1 else outside for v in range(self.k))
        return law

    def information_at(self, counts: Values) -> Floats:
        """Compute the information of a report in closed form: sets of items that are alike."""
        return set_information(sets_of_one_size(self.k, self.selected, self.support.p), counts)

    def heaviest_sets(self, weights: Floats) -> Floats:
        """Add up the largest weights, of as many items as a report has."""
        found: Floats = np.sort(weights, axis=1)[:, self.k - self.selected :].sum(axis=1)
        return found
