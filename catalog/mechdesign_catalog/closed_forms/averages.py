"""The mean variance of consistent estimates over a workload's queries, at equal shares.

Each of the k items has the same share.

In a full tree the weights of a query on a level are sums of its contrasts between the nodes of this level and of larger
ones (`plan.contrast_energies`). With `lambda_l = sum_(j >= l) m_j / s_j^2` level j takes the part `m_j / (s_j^2
lambda_l)` of each. Contrasts are orthogonal to each other and to equal shares, so only energies of tiles matter.

The weights of a level add up to 0 in every tree: as the total is known, adding a number to all estimates of a level
changes nothing.

A tree whose last nodes are smaller is a full one beside the way from the root to the item k-1. Each full node that
hangs on this way, and the last item, count as one block; what they add is a quadratic form of the sums of a query's
weights within the blocks, and the workload's Gram matrix has the sums of their products.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.contrasts.side_energies import block_products
from mechdesign_catalog.decoders.trees.inference import Averaging
from mechdesign_catalog.decoders.trees.plan import contrast_energies
from mechdesign_catalog.decoders.trees.tree import Tree
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.reports.probabilities import Floats

MOST_STEPS = 1 << 26
"""Items times blocks on the way to the last item that planning goes through: some seconds."""


@dataclass(frozen=True, eq=False)
class SumsOfSquares:
    """Sums over all queries of a workload, of products of the sums of one level (`LevelSums`), as numbers."""

    squares: float
    square_answers: float
    squared_sums: float = 0.0
    sums_and_answers: float = 0.0
    squared_answers: float = 0.0

    def noise(self, moments: Moments) -> float:
        """Add up the variance of `sum_v u_v y_v` over the queries."""
        linear = moments.noise(0.0, self.squares, np.zeros(1), np.array([self.square_answers]))[0]
        crossed = 2 * float(moments.own_other - moments.others)
        return float(linear + float(moments.others) * self.squared_sums + crossed * self.sums_and_answers)

    @property
    def spread(self) -> float:
        """Add up `sum_v u_v^2 F_v - (sum_v u_v F_v)^2` over the queries."""
        return self.square_answers - self.squared_answers


def sums_of_squares(averaging: Averaging, workload: Workload) -> list[SumsOfSquares]:
    """Add up over all queries of a workload, for levels 1 to h."""
    on_tree, tree = WorkloadOnTree(averaging.tree, workload), averaging.tree
    squares = contrast_squares(averaging, on_tree.energies)
    shares = [size / tree.k for size in tree.sizes]
    inside = [SumsOfSquares(square, square * share) for square, share in zip(squares, shares, strict=True)]
    if tree.is_full:
        return inside
    return [added(one, form.sums(on_tree.gram)) for one, form in zip(inside, LastPath(averaging).forms(), strict=True)]


@dataclass(frozen=True, eq=False)
class WorkloadOnTree:
    """The sums of a workload on a tree, however its estimates are averaged."""

    tree: Tree
    workload: Workload

    @cached_property
    def _way(self) -> "LastPath":
        return LastPath(Averaging(self.tree, (1.0,) * self.tree.height))

    @cached_property
    def gram(self) -> Floats:
        """Sums of products of the queries' sums within two blocks of a tree that is not full."""
        return self._way.gram(self.workload)

    @cached_property
    def padded_energies(self) -> Floats:
        """Energies in the contrasts of levels 1 to h, where the tree is filled up with items of weight 0."""
        return np.array([float(energy) for energy in contrast_energies(self.tree, self.workload)])

    @cached_property
    def energies(self) -> Floats:
        """Energies in the contrasts of levels 1 to h but for nodes on the way to the last item, if it is not full."""
        return self.padded_energies if self.tree.is_full else self.padded_energies - self._way.energies(self.gram)

    def squares(self, variances: Floats) -> Floats:
        """Return `sum u^2` over the nodes of levels 1 to h and all queries, where nodes have these variances.

        Trees of which that takes more than `MOST_STEPS` steps are taken to be filled up.
        """
        tree = self.tree
        averaging = Averaging(tree, tuple(variances.tolist()))
        if tree.is_full or tree.k * sum(tree.last_children) > MOST_STEPS:
            return contrast_squares(averaging, self.padded_energies)
        on_way = [float(np.sum(form.squares * self.gram)) for form in LastPath(averaging).forms()]
        return contrast_squares(averaging, self.energies) + on_way


def added(one: SumsOfSquares, two: SumsOfSquares) -> SumsOfSquares:
    """Add sums up, number by number."""
    return SumsOfSquares(*(getattr(one, name) + getattr(two, name) for name in SumsOfSquares.__dataclass_fields__))


def contrast_squares(averaging: Averaging, energies: Floats) -> Floats:
    """Return `sum u^2` over the nodes of levels 1 to h and all queries, from the energies of contrasts."""
    sizes = np.array(averaging.tree.sizes, dtype=np.float64)
    precisions = sizes / np.array(averaging.variances)
    lambdas = np.cumsum(precisions[::-1])[::-1]
    found: Floats = np.cumsum(energies / lambdas**2) * precisions**2 / sizes
    return found


@dataclass(frozen=True, eq=False)
class BlockForms:
    """Quadratic forms of a query's sums of weights within blocks: those of a level's `LevelSums`.

    `squares` and `square_answers` are matrices, `answers` is a vector.
    """

    squares: Floats
    square_answers: Floats
    answers: Floats

    def sums(self, gram: Floats) -> SumsOfSquares:
        """Add up over the queries whose sums within blocks have these sums of products."""
        return SumsOfSquares(
            squares=float(np.sum(self.squares * gram)),
            square_answers=float(np.sum(self.square_answers * gram)),
            squared_answers=float(self.answers @ gram @ self.answers),
        )


@dataclass(frozen=True, eq=False)
class LastPath:
    """The way from the root to the last item of a tree that is not full.

    A vector over the blocks stands for a number that each query has: its product with the sums of the query's weights
    within the blocks.
    """

    averaging: Averaging

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self.averaging.tree

    @cached_property
    def _blocks(self) -> list[tuple[int, int]]:
        """For levels 1 to h the first and the last block, exclusive, of full nodes that hang on the way."""
        ends = np.cumsum([0, *(children - 1 for children in self.tree.last_children)]).tolist()
        return list(itertools.pairwise(ends))

    @cached_property
    def edges(self) -> list[int]:
        """Edges of the blocks: the last one is the item k-1 alone."""
        edges = [0]
        for (first, end), size in zip(self._blocks, self.tree.sizes, strict=True):
            edges += [edges[-1] + size * number for number in range(1, end - first + 1)]
        return [*edges, self.tree.k]

    @cached_property
    def levels(self) -> list[int]:
        """The level of each block's node; the last block is an item."""
        counts = [end - first for first, end in self._blocks]
        return [*np.repeat(np.arange(1, self.tree.height + 1), counts).tolist(), self.tree.height]

    def gram(self, workload: Workload) -> Floats:
        """Sum products of the queries' sums within two blocks, over the workload."""
        return block_products(workload, tuple(self.edges))

    def energies(self, gram: Floats) -> Floats:
        """Compute what the contrasts between children of nodes on the way have in the energies."""
        count = len(gram)
        found, above = [], float(gram.sum()) / (self.tree.nodes[0] * self.tree.sizes[0])
        for (first, end), size in zip(self._blocks, self.tree.sizes, strict=True):
            last = (np.arange(count) >= end).astype(np.float64)
            short = float(last @ gram @ last)
            full = float(np.trace(gram[first:end, first:end]))
            found.append((full + short) / size - above)
            above = short / size
        return np.array(found)

    @cached_property
    def effects(self) -> list[Floats]:
        """Weights t of the last nodes of levels 0 to h."""
        averaging, count = self.averaging, len(self.edges) - 1
        effect = np.zeros(count)
        effect[-1] = 1.0
        found = [effect]
        for level in range(self.tree.height, 0, -1):
            first, end = self._blocks[level - 1]
            both = averaging.last_variances[level] * found[-1]
            both[first:end] += averaging.full_variances[level] / self.tree.sizes[level - 1]
            found.append(both / averaging.last_sums[level - 1])
        return found[::-1]

    def forms(self) -> list[BlockForms]:
        """Form what the blocks give to levels 1 to h."""
        averaging, count = self.averaging, len(self.edges) - 1
        passed, found = np.zeros(count), []
        groups: list[tuple[Floats, int]] = []
        for level in range(1, self.tree.height + 1):
            (first, end), size = self._blocks[level - 1], self.tree.sizes[level - 1]
            above = self.effects[level - 1]
            kept = 1 - averaging.full_own[level - 1]
            groups = [(kept * totals, full_size) for totals, full_size in groups]
            groups.append((np.eye(count)[first:end] / size - above + passed, size))
            last = self.effects[level] - above + passed
            found.append(self._level(level, groups, last))
            passed = (1 - averaging.last_own[level]) * last
        return found

    def _level(self, level: int, groups: Sequence[tuple[Floats, int]], last: Floats) -> BlockForms:
        """Forms of one level, from Z of the blocks' nodes and of the last node."""
        size, own, k = self.tree.sizes[level - 1], self.averaging.full_own[level], self.tree.k
        share, weight = size / k, self.averaging.last_own[level] * last
        last_share = (k - (self.tree.nodes[level - 1] - 1) * size) / k
        nothing = np.zeros((len(last), len(last)))
        squares = sum((full_size / size * (z.T @ z) for z, full_size in groups), nothing) * own**2
        sums = sum((full_size / size * z.sum(axis=0) for z, full_size in groups), np.zeros(len(last))) * own
        square = np.outer(weight, weight)
        return BlockForms(squares + square, squares * share + square * last_share, sums * share + weight * last_share)


def average_variance(
    levels: Sequence[SumsOfSquares], moments: Sequence[Moments], workload: Workload, users: Floats
) -> float:
    """Average the variance over the queries of a workload, where the items have equal shares.

    It is never below 0: rounding may leave a sum so where answers have no variance, as that of all items.

    Args:
        levels: the sums of each level.
        moments: those of each level's oracle.
        workload: the queries.
        users: number of users of each level.
    """
    made = sum(level.noise(of_level) / n for level, of_level, n in zip(levels, moments, users, strict=True))
    total, k = float(users.sum()), workload.k
    if len(levels) == 1:
        return max(0.0, float(made)) / workload.count
    whole = Fraction(workload.block_energy(1), k) - Fraction(workload.block_energy(k), k * k)
    drawn = sum(total / n * level.spread for level, n in zip(levels, users, strict=True)) - float(whole)
    return max(0.0, float(made + drawn / (total - 1))) / workload.count
