"""Levels of warped blocks: partitions of items in a row, with the oracle of each, and how often each is drawn."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import fraction_text
from mechdesign.verify.level_design import BlockEntry, LevelEntry, WarpedEntry
from mechdesign.workloads.queries import Integers
from mechdesign.workloads.registry import parse_named_workload
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.lines.cut_level import CutLevel
from mechdesign_catalog.decoders.lines.nested_level import NestedLevel
from mechdesign_catalog.decoders.lines.warp import Warp
from mechdesign_catalog.decoders.lines.weighing import REGULAR, carried, exceeds_everywhere, least_variance_chances
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants, State
from mechdesign_catalog.systems.flat.subset import SubsetSelection
from mechdesign_catalog.systems.levels.masked_blocks import MaskedBlocks
from mechdesign_catalog.systems.levels.nested_masks import NestedMasks
from mechdesign_catalog.systems.levels.starts import start_for

SHIFTS = 64
"""Partitions of a level, unless its blocks have so few items that fewer do."""

FEW_CELLS = (3, 4, 5, 7, 11, 16)
"""Cells of the levels that select a subset of them."""

FIRST_BITS = 5
"""Levels of masks have `2^5` cells, `2^6` and so on."""

POOR, GOOD = Fraction(7, 10), Fraction(97, 100)
"""Parts of the best power: none below the first is used, nor one below the second once one has it."""

THIN = (Fraction(20, 100), Fraction(165, 1000), Fraction(13, 100))
"""Best parts of the items in a set, `1/(e^eps + 1)`, below which one more of the finest levels is nested."""

WIDE_CELLS, MANY_WIDE_CELLS, RARE, MANY = 3, 5, Fraction(1, 15), 64
"""Cells of nested levels: the second number where the best part is below the third, and items are so many."""

LARGEST_NESTED = 1 << 16
"""Items up to which levels are nested if nobody says otherwise: beyond, answers would take much longer than else."""

FEW_SHIFTS, MOST_NESTED, MANY_NESTED = 8, 32, 1 << 20
"""Partitions of a nested level: as many as have so many labels in all, within bounds."""

NAMED = ("prefixes", "ranges", "histogram")
"""Workloads whose best weights at a few items are carried up to more."""


@dataclass(frozen=True)
class Level:
    """Partitions of the items into cells, and the oracle that reports the own cell; without a warp each item is one.

    The shifts of `blocks` blocks have one cell more; the oracle may have others, which are empty.
    """

    oracle: SubsetSelection | MaskedBlocks | NestedMasks
    blocks: int
    warp: Warp | None = None
    shifts: int = 1

    def cells_of(self, items: Values, shift: int) -> Values:
        """Return the cells of items in one partition."""
        return items if self.warp is None else self.warp.labels(items, self.blocks, shift, self.shifts)

    def told(self, state: State) -> Floats:
        """Estimate the share of each cell, unbiased, from a state of the oracle."""
        return self.oracle.support.estimate(self.oracle.supports(state), state.users)

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest `sum_j w_j y_j` of a report, or an upper bound; weights have the shape (q, cells)."""
        if isinstance(self.oracle, SubsetSelection):
            return self.oracle.highest_scores(weights)
        p, q = float(self.oracle.support.p), float(self.oracle.support.q)
        found: Floats = (self.oracle.highest_scores(weights) - q * weights.sum(axis=1)) / (p - q)
        return found

    @property
    def sets(self) -> SubsetSelection | NestedMasks:
        """The oracle; of masks, that of all sets of so many labels, whose pairs and triples have the same chances."""
        if isinstance(self.oracle, SubsetSelection):
            return self.oracle
        chosen = self.oracle.k * self.oracle.below // self.oracle.buckets
        return SubsetSelection(self.oracle.k, self.oracle.privacy, chosen)

    def entry(self, weight: int) -> LevelEntry:
        """State it as a level of a design, drawn so often in proportion to the others."""
        oracle, densities = self.oracle, () if self.warp is None else self.warp.densities
        if isinstance(oracle, SubsetSelection):
            return WarpedEntry(weight, self.blocks, self.shifts, 0, oracle.selected, densities)
        if self.warp is None:
            return BlockEntry(weight, self.blocks, oracle.bucket_bits, oracle.below)
        return WarpedEntry(weight, self.blocks, self.shifts, oracle.bucket_bits, oracle.below, densities)

    def constants(self, k: int) -> Constants:
        """State the partitions, and how the errors of their cells grow with the shares of these."""
        law = self.partitions(k).law
        densities = [] if self.warp is None else list(self.warp.densities)
        noise = {"base": fraction_text(law.base), "slope": fraction_text(law.slope)}
        return {"shifts": self.shifts, "blocks": self.blocks, "densities": densities, **noise}

    def partitions(self, k: int) -> CutLevel | NestedLevel:
        """Return the partitions with the moments of the oracle."""
        found = np.arange(k + 1)[None, :] if self.warp is None else self.warp.edges(self.blocks, self.shifts)
        edges = np.full((self.shifts, self.oracle.k + 1), k)
        edges[:, : found.shape[1]] = found
        return CutLevel(edges, self.oracle.moments)


@dataclass(frozen=True)
class Nested(Level):
    """Partitions into wide cells, each parted further by a level's cells; the oracle reports the wide cell and those.

    A report of a fine level may hold few items at a large epsilon. In nested levels it holds many of one wide cell, so
    it tells the wide cells too.

    The label of an item is `2^t` times the number of its wide cell, plus its fine cell less that of the first item
    there.
    """

    wide: Warp = field(kw_only=True)

    @classmethod
    def of(cls, k: int, privacy: Privacy, blocks: int, warp: Warp | None) -> "Nested":
        """Make the level that has so many fine blocks, or single items without a warp."""
        cells = MANY_WIDE_CELLS if best_part(privacy) < RARE and k >= MANY else WIDE_CELLS
        shifts = max(FEW_SHIFTS, min(MOST_NESTED, power_of_two(MANY_NESTED // k)))
        level = cls(NestedMasks(2 * cells, privacy, cells), blocks, warp, shifts, wide=Warp.tied(k, cells - 1))
        starts, ends = level._wide_edges
        lengths = level._fine(np.maximum(ends - 1, starts)) - level._fine(starts) + 1
        labels = 1 << max(2, (int(lengths.max()) - 1).bit_length())
        return replace(level, oracle=NestedMasks(cells * labels, privacy, cells))

    @property
    def nested(self) -> NestedMasks:
        """The oracle."""
        assert isinstance(self.oracle, NestedMasks)
        return self.oracle

    @cached_property
    def _wide_edges(self) -> tuple[Integers, Integers]:
        """Where the wide cells of each shift begin and end, shape (shifts, cells); items of empty ones are the last."""
        edges = self.wide.edges(self.nested.cells - 1, self.shifts)
        return edges[:, :-1], edges[:, 1:]

    def _fine(self, items: Values) -> Values:
        """Return the fine cells of items of each shift, shape (shifts, items)."""
        items = np.minimum(items, self.wide.k - 1)
        return self._fine_of(items, np.arange(self.shifts)[:, None])

    def _fine_of(self, items: Values, shift: Integers | int) -> Values:
        return items if self.warp is None else self.warp.labels(items, self.blocks, shift, self.shifts)

    def cells_of(self, items: Values, shift: int) -> Values:
        """Return the labels of items in one partition."""
        cells = self.wide.labels(items, self.nested.cells - 1, shift, self.shifts)
        first = self._fine(self._wide_edges[0])[shift]
        found: Values = self.nested.labels * cells + self._fine_of(items, shift) - first[cells]
        return found

    def told(self, state: State) -> Floats:
        """Estimate the share of each label, unbiased, from a state of the oracle."""
        return self.nested.estimate(state)

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest `sum_j w_j y_j` of a report, or an upper bound; weights have the shape (q, labels)."""
        return self.nested.highest_scores(weights)

    @property
    def sets(self) -> NestedMasks:
        """The oracle: its information is that of all sets of so many labels."""
        return self.nested

    def entry(self, weight: int) -> LevelEntry:
        """Refuse: designs have no nested levels.

        Raises:
            InputError: always.
        """
        raise InputError(f"levels of a design must not be nested, got one of weight {weight}")

    def constants(self, k: int) -> Constants:
        """State the partitions, the wide cells, and how the errors of these and of labels grow with the shares."""
        law = self.partitions(k).of_wide.law
        wide = {
            "densities": list(self.wide.densities),
            "base": fraction_text(law.base),
            "slope": fraction_text(law.slope),
        }
        return {**super().constants(k), "wide": wide}

    def partitions(self, k: int) -> NestedLevel:
        """Return the partitions with the moments of the oracle."""
        oracle, (starts, ends) = self.nested, self._wide_edges
        labels = self._fine(starts)[:, :, None] + np.arange(oracle.labels)
        if self.warp is not None:
            fine = self.warp.edges(self.blocks, self.shifts)
            labels = np.take_along_axis(fine[:, None, :], np.minimum(labels, self.blocks + 1), axis=2)
        edges = np.clip(labels, starts[:, :, None], ends[:, :, None]).reshape(self.shifts, -1)
        edges = np.column_stack([edges, np.full(self.shifts, k)])
        return NestedLevel(edges, oracle.alpha, oracle.share, oracle.wide, oracle.moments, oracle.labels)


def power(share: Fraction, alpha: Fraction) -> Fraction:
    """Return what a report tells where it has this share of the cells: it is largest at `1/(e^eps + 1)`, with 1.

    The information about contrasts between many cells, over the largest:
    `4 e^eps s (1 - s) / (1 + (e^eps - 1) s)^2`.
    """
    return 4 * alpha * share * (1 - share) / (alpha + (1 - alpha) * share) ** 2


def subsets(k: int, privacy: Privacy) -> Iterator[SubsetSelection]:
    """Make the oracles of the levels of few cells: each with the best size, if that is good enough."""
    alpha, found_good = privacy.alpha, False
    for cells in FEW_CELLS:
        if 2 * (cells - 1) >= k:
            return
        size = max(range(1, cells), key=lambda one: power(Fraction(one, cells), alpha))
        reached = power(Fraction(size, cells), alpha)
        if reached >= (GOOD if found_good else POOR) or cells == FEW_CELLS[-1]:
            yield SubsetSelection(cells, privacy, size)
        found_good = found_good or reached >= GOOD


def masks_of(cells: int, privacy: Privacy) -> MaskedBlocks:
    """Make the oracle of a level of so many cells, whose labels are filled up to a power of two."""
    labels = 1 << (cells - 1).bit_length()
    return MaskedBlocks(labels, privacy, pieces=labels)


def many_cells(k: int) -> list[int]:
    """Return the numbers of cells of the levels of masks: powers of two, but for the last, whose blocks have two items.

    Labels of masks are a power of two, and what of a few labels is empty tells a little less.
    """
    half = k // 2
    sizes = [1 << bits for bits in range(FIRST_BITS, half.bit_length())]
    if sizes and 2 * half < 3 * sizes[-1]:
        sizes.pop()
    return [*sizes, half] if half > FEW_CELLS[-1] else []


def power_of_two(number: int) -> int:
    """Return the largest power of two that is not above a number."""
    return 1 << number.bit_length() - 1


def best_part(privacy: Privacy) -> Fraction:
    """Return the part of the items that a set has best, `1/(e^eps + 1)`."""
    return privacy.alpha / (1 + privacy.alpha)


def usual_nested(k: int, privacy: Privacy) -> int:
    """Return how many of the finest levels are nested: more where sets are better smaller, none for very many items."""
    return 0 if k > LARGEST_NESTED else sum(best_part(privacy) < most for most in THIN)


def levels_of(k: int, privacy: Privacy, nested: int) -> tuple[Level, ...]:
    """Make the levels: few cells; then masks of blocks, those of about two items last; then the items themselves.

    Args:
        k: number of items.
        privacy: of each report.
        nested: how many of the finest levels are nested, if they are not too coarse.
    """
    few = [Level(oracle, oracle.k - 1, Warp.tied(k, oracle.k - 1), SHIFTS) for oracle in subsets(k, privacy)]
    sizes: list[int | None] = [*many_cells(k), None]
    fine = [
        _fine_level(k, privacy, cells, place >= len(sizes) - nested and (cells or k) > FEW_CELLS[-1])
        for place, cells in enumerate(sizes)
    ]
    return (*few, *fine)


def _fine_level(k: int, privacy: Privacy, cells: int | None, is_nested: bool) -> Level:
    """Make a level of masks of so many cells, or of single items."""
    blocks, warp = (k, None) if cells is None else (cells - 1, Warp.tied(k, cells - 1))
    if is_nested:
        return Nested.of(k, privacy, blocks, warp)
    shifts = 1 if cells is None else min(SHIFTS, power_of_two(4 * k // cells))
    return Level(masks_of(cells or k, privacy), blocks, warp, shifts)


@lru_cache(maxsize=64)
def best_chances(k: int, privacy: Privacy, workload: Workload, nested: int) -> tuple[float, ...]:
    """Find the chances of the levels with which a workload's answers vary least where items are equally frequent.

    Beyond a regular number of items, where enough levels of blocks are not nested, they are those of the workload of
    this name on fewer items, k halved until it is no more, carried up with the chances of levels in between there. With
    no level nested it may be half as many more: chances from 171 items cost .01 of the variance at 43,793.

    Raises:
        InputError: for a workload on many items that has no name for fewer.
    """
    regular = REGULAR << (nested > 0) + (nested > 2)
    most, few = regular if nested else regular + regular // 2, k
    while few > most:
        few //= 2
    if few == k:
        own_levels = levels_of(k, privacy, nested)
        cuts = [level.partitions(k) for level in own_levels]
        start = start_for(workload.name, k, privacy.epsilon, [level.blocks for level in own_levels])
        return tuple(least_variance_chances(cuts, workload, start).tolist())
    if workload.name not in NAMED:
        names = ", ".join(NAMED)
        raise InputError(
            f"levels must be {names} or whole numbers for warped-blocks beyond {most} items, got "
            f"levels={shorten(workload.name)}"
        )
    known, own = (
        np.array(best_chances(size, privacy, parse_named_workload(workload.name, size), nested))
        for size in (regular, few)
    )
    levels = levels_of(few, privacy, nested)
    coarse = sum(level.oracle.k <= FEW_CELLS[-1] for level in levels)
    more = len(levels_of(k, privacy, nested)) - len(levels)
    return tuple(carried(own, coarse + 1, more, own[coarse] * known[coarse + 1] / known[coarse]).tolist())


def varies_more(workload: Workload, privacy: Privacy, variance: float) -> bool:
    """Tell whether all chances of the levels are shown to have a mean variance of one report above a number.

    Items are equally frequent, and as many levels are nested as usual.
    """
    k = workload.k
    cuts = [level.partitions(k) for level in levels_of(k, privacy, usual_nested(k, privacy))]
    return exceeds_everywhere(cuts, workload, variance)
