"""The largest variance over the queries of a workload, at equal shares of the k items.

In a full tree whose estimates are made consistent the variance of a range of r items is

    sum_l kappa_l e_l - (r/k) (1 - r/k) / (n-1),

where `e_l` is the energy of its contrasts between the nodes of level l with one parent. A parent whose children overlap
the range by the parts `y_c` adds `m_l [sum_c y_c^2 - (sum_c y_c)^2 / B]` to `e_l`, which is 0 unless an end of the
range lies inside. So above the smallest node with both ends one node a level counts, and below it each end has its own.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.ordered import Ranges
from mechdesign.workloads.queries import Intervals
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.closed_forms.averages import LastPath, contrast_squares
from mechdesign_catalog.decoders.trees.inference import Averaging
from mechdesign_catalog.decoders.trees.tree import Tree
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.reports.probabilities import Floats

MOST_EXACT = (1 << 12) * ((1 << 12) + 1) // 2
"""Queries, rectangles too, that are all looked at: as many as there are ranges of 2^12 items."""

QUERIES_AT_ONCE = 1 << 17
SAMPLED = 1 << 14
SEED = 5

ROWS_AT_ONCE = 128

MOST_BLOCKS = 256
"""Blocks that all ranges between are looked at by their pairs, at most."""

LONGEST = 1 << 22
"""Items of the largest node of which all ends of ranges are looked at."""

MOST_PAIRS = 64
"""Children of a node that are tried as the ends' nodes, at most."""


Variance = Callable[[Any], Floats]
"""Computes the variance of each of some queries at equal shares."""


def as_ranges(workload: Workload) -> Workload:
    """Return ranges in place of arcs, for a system whose answers to a query and to all that it leaves out sum to 1.

    An arc is a range, or leaves one out, whose answer has the same variance; every range but the whole is an arc.
    """
    return Ranges(workload.k) if isinstance(workload, Arcs) else workload


def largest_of_all(workload: Workload, variance: Variance) -> float:
    """Look at all queries, part after part."""
    return max(float(part.max()) for part in _all(workload, variance))


def mean_of_all(workload: Workload, variance: Variance) -> float:
    """Average over all queries, part after part."""
    return math.fsum(float(part.sum()) for part in _all(workload, variance)) / workload.count


def _all(workload: Workload, variance: Variance) -> Iterator[Floats]:
    for start in range(0, workload.count, QUERIES_AT_ONCE):
        yield variance(workload.queries(start, min(start + QUERIES_AT_ONCE, workload.count)))


def contrast_factors(averaging: Averaging, moments: Sequence[Moments], users: Floats) -> Floats:
    """Compute `kappa_l` of levels 1 to h for a full tree."""
    tree = averaging.tree
    each = square_factors([size / tree.k for size in tree.sizes], moments, users)
    squares = np.array([contrast_squares(averaging, unit) for unit in np.eye(tree.height)])
    found: Floats = squares @ each
    return found


def square_factors(shares: Sequence[float], moments: Sequence[Moments], users: Floats) -> Floats:
    """Compute what `sum u^2` of each level adds to the variance, where all its nodes have the same share."""
    total, found = float(users.sum()), []
    for node, of_level, count in zip(shares, moments, users, strict=True):
        share = np.array([node])
        drawn = share * total / (total - 1) if len(users) > 1 else 0 * share
        found.append(float((of_level.noise(0.0, 1.0, np.zeros(1), share) + drawn)[0]) / count)
    return np.array(found)


def largest_of_ranges(averaging: Averaging, moments: Sequence[Moments], users: Floats) -> float:
    """Look at all ranges of the items, in O(k^2) steps: full nodes of a level are alike inside."""
    factors = contrast_factors(averaging, moments, users)
    if not averaging.tree.is_full:
        return _largest_between_blocks(averaging, moments, users, factors)
    tree, largest = averaging.tree, 0.0
    inside = _inside_nodes(tree, factors)[1]
    for _, lengths, variances in _ranges_from(inside, tree.sizes[0], tree.nodes[0], float(factors[0])):
        found = variances - _drawn(lengths, tree, users)
        largest = max(largest, float(np.max(found, where=lengths > 0, initial=0.0)))
    return largest


def _inside_nodes(tree: Tree, factors: Floats) -> list[Floats]:
    """For full nodes of levels 0 (which has none) to h what a range between two of their edges adds inside."""
    found = [np.zeros((2, 2))]
    for level in range(tree.height, 1, -1):
        size = tree.sizes[level - 1]
        inside = np.zeros((size * tree.b + 1, size * tree.b + 1))
        for start, _, variances in _ranges_from(found[-1], size, tree.b, float(factors[level - 1])):
            inside[start : start + len(variances), inside.shape[1] - variances.shape[1] :] = variances
        found.append(inside)
    return [*found, np.zeros((0, 0))][::-1]


def _drawn(lengths: Floats, tree: Tree, users: Floats) -> Floats:
    """What the draw of the levels takes off the variance of ranges of these lengths: `R (1-R) / (n-1)`."""
    shares = lengths / tree.k
    found: Floats = shares * (1 - shares) / (users.sum() - 1) if tree.height > 1 else 0 * shares
    return found


def _largest_between_blocks(averaging: Averaging, moments: Sequence[Moments], users: Floats, factors: Floats) -> float:
    """Look at the ranges from each block on the last way to each: what is inside blocks, and a form of their lengths.

    The blocks are those of `LastPath`: full nodes, and the last item.
    """
    tree, way, largest = averaging.tree, LastPath(averaging), 0.0
    form = _block_variance(way, moments, users)
    sizes = np.diff(way.edges).astype(np.float64)
    nodes = {len(inside) - 1: inside for inside in _inside_nodes(tree, factors)[1:]}
    for left, right in itertools.combinations_with_replacement(range(len(sizes)), 2):
        one, two = nodes[int(sizes[left])], nodes[int(sizes[right])]
        full = np.where((np.arange(len(sizes)) > left) & (np.arange(len(sizes)) < right), sizes, 0.0)
        for start in range(0, len(one) - 1, ROWS_AT_ONCE):
            edges = np.arange(start, min(start + ROWS_AT_ONCE, len(one) - 1))[:, None]
            ends = np.arange(1, len(two))[None, :]
            if left == right:
                lengths, inner = (ends - edges).astype(np.float64), one[start : start + len(edges), 1:]
                between = form[left, left] * lengths**2
            else:
                head, tail = sizes[left] - edges, ends.astype(np.float64)
                lengths, inner = head + full.sum() + tail, one[start : start + len(edges), -1:] + two[:1, 1:]
                between = head * (form[left, left] * head + 2 * form[left] @ full) + full @ form @ full
                between = between + tail * (form[right, right] * tail + 2 * form[right] @ full)
                between = between + 2 * form[left, right] * head * tail
            found = inner + between - _drawn(lengths, tree, users)
            largest = max(largest, float(np.max(found, where=lengths > 0, initial=0.0)))
    return largest


def _block_variance(way: LastPath, moments: Sequence[Moments], users: Floats) -> Floats:
    """Return the matrix of what a query's sums of weights within the blocks add to its variance."""
    total, found = float(users.sum()), np.zeros(())
    for form, of_level, count in zip(way.forms(), moments, users, strict=True):
        made = of_level.noise(0.0, form.squares, np.zeros(1), form.square_answers)
        spread = form.square_answers - np.outer(form.answers, form.answers)
        found = found + (made + total / (total - 1) * spread) / count
    return np.asarray(found)


def _ranges_from(inside: Floats, size: int, children: int, factor: float) -> Iterator[tuple[int, Floats, Floats]]:
    """For ranges within a node: some first edges in a child, all edges from the child's start on, and variances.

    `inside[x, y]` is what a range between two edges of a child adds below it; `size` is that of the child. Yields the
    number of the first of the edges, and the lengths and variances, of which those below length 1 mean nothing.
    """
    whole = size * children
    for start, row in itertools.product(range(0, whole, size), range(0, size, ROWS_AT_ONCE)):
        edges = np.arange(row, min(row + ROWS_AT_ONCE, size))[:, None]
        ends = np.arange(whole - start + 1)
        lengths = (ends - edges).astype(np.float64)
        full, tail = np.divmod(ends[size + 1 :] - size - 1, size)
        beyond = (size - edges) ** 2.0 + ((tail + 1) ** 2.0 + full * float(size) ** 2)
        squares = np.concatenate([lengths[:, : size + 1] ** 2, beyond], axis=1)
        rows = inside[row : row + len(edges)]
        below = np.concatenate([rows, rows[:, -1:] + inside[0, tail + 1]], axis=1)
        yield start + row, lengths, factor * (squares / size - lengths**2 / whole) + below


@dataclass(frozen=True, eq=False)
class Ends:
    """All ends of ranges within full nodes of a tree, by level, with the factors `kappa_l`."""

    tree: Tree
    factors: Floats

    @cached_property
    def best(self) -> list[tuple[float, int]]:
        """For nodes of levels 0 to h the most that an end inside adds below, and how many items then overlap.

        Nodes of more than `LONGEST` items add up what their levels add at most; no end may do that at once.
        """
        tree, sums = self.tree, np.zeros(1)
        found = [(0.0, 0)]
        for level in range(tree.height, 0, -1):
            size, children = tree.sizes[level - 1], tree.b if level > 1 else tree.nodes[0]
            if size * children > LONGEST:
                most, items = found[-1]
                found.append((most + self.whole_children(level), size * (children // 2) + items))
                continue
            part = np.arange(size) / size
            full = np.arange(children)[:, None]
            sums = self.factors[level - 1] * size * (full + part**2 - (full + part) ** 2 / children) + sums
            sums = sums.reshape(-1)
            found.append((float(sums.max()), int(sums.argmax())))
        return found[::-1]

    def whole_children(self, level: int) -> float:
        """Bound what a node adds to the energy between its children on a level, where one or both ends lie inside.

        It is convex in the parts, so the most is that of whole children, half of them.
        """
        tree = self.tree
        children = tree.b if level > 1 else tree.nodes[0]
        return float(self.factors[level - 1]) * tree.sizes[level - 1] * (children // 2) * -(-children // 2) / children

    @property
    def bound(self) -> float:
        """What no range of a full tree exceeds."""
        return self.bound_inside(0)

    def bound_inside(self, node: int) -> float:
        """Bound what any range has below a full node of a level with all of the range.

        It is the largest over the levels of the smallest node with both ends.
        """
        tree = self.tree
        sizes, factors = tree.sizes[node:], self.factors[node:]
        found = [0.0]
        for below in range(len(sizes)):
            inside = sizes[below - 1] if below else 0
            above = sum(
                float(factor) * inside**2 / size * (1 - 1 / (tree.nodes[0] if number + node == 0 else tree.b))
                for number, (factor, size) in enumerate(zip(factors[:below], sizes, strict=False))
            )
            level = node + below + 1
            found.append(above + self.whole_children(level) + 2 * self.best[level][0])
        return max(found)

    def candidates(self) -> Intervals:
        """List ranges with the best ends, in all pairs of children of the first node of each level."""
        tree, first, last = self.tree, [], []
        for level in range(1, tree.height + 1):
            size = tree.sizes[level - 1]
            children = min(tree.b, tree.k // size) if level > 1 else tree.nodes[0]
            items = self.best[level][1]
            for left in range(min(children, MOST_PAIRS)):
                for right in range(left + 1, min(children, left + MOST_PAIRS)):
                    first.append((left + 1) * size - items)
                    last.append(right * size + items - 1)
        ends = np.array(first), np.minimum(np.array(last), tree.k - 1)
        some = ends[0] <= ends[1]
        return Intervals(tree.k, ends[0][some], ends[1][some])


def largest_consistent(
    averaging: Averaging, moments: Sequence[Moments], workload: Workload, users: Floats, variance: Variance
) -> tuple[float, float]:
    """Return a value that the largest variance has at least, and a bound of it, for more than `MOST_EXACT` ranges."""
    ends, tree = Ends(averaging.tree, contrast_factors(averaging, moments, users)), averaging.tree
    if tree.is_full or tree.b * tree.height > MOST_BLOCKS:
        return largest_by_ends(ends, workload, variance)
    way, value = LastPath(averaging), _largest_found(ends, workload, variance)
    if isinstance(workload, Ranges):
        value = max(value, float(variance(_block_candidates(ends, way)).max()))
    return value, _block_bound(ends, way, _block_variance(way, moments, users))


def _block_bound(ends: Ends, way: LastPath, form: Floats) -> float:
    """What no range exceeds in a tree that is not full: the form is convex in how much of its end blocks it has."""
    sizes = np.diff(way.edges).astype(np.float64)
    found = [ends.bound_inside(level) + form[i, i] * sizes[i] ** 2 for i, level in enumerate(way.levels)]
    for left, right in itertools.combinations(range(len(sizes)), 2):
        one, two = (ends.best[way.levels[block]][0] for block in (left, right))
        blocks = [slice(first, last) for first in (left, left + 1) for last in (right, right + 1)]
        found += [one + two + float(sizes[part] @ form[part, part] @ sizes[part]) for part in blocks]
    return float(max(found))


def _block_candidates(ends: Ends, way: LastPath) -> Intervals:
    """List ranges with the best ends in all pairs of blocks."""
    pairs = np.array(list(itertools.combinations(range(len(way.levels)), 2)))
    items, edges = np.array([ends.best[level][1] for level in way.levels]), np.array(way.edges)
    first = edges[pairs[:, 0] + 1] - items[pairs[:, 0]]
    last = edges[pairs[:, 1]] + items[pairs[:, 1]] - 1
    some = first <= last
    return Intervals(way.tree.k, first[some], last[some])


def largest_by_ends(ends: Ends, workload: Workload, variance: Variance) -> tuple[float, float]:
    """Return a value that the largest variance has at least, and a bound of it, for more than `MOST_EXACT` ranges.

    In a tree that is not full the bound is that of a difference of two prefixes: at most four times the largest
    variance of one.
    """
    value = _largest_found(ends, workload, variance)
    if ends.tree.is_full:
        return value, max(value, ends.bound)  # they may be equal, but for rounding
    return value, 4 * max(float(variance(part).max()) for part in _prefixes(ends.tree.k))


def _largest_found(ends: Ends, workload: Workload, variance: Variance) -> float:
    """The largest variance of some queries: drawn ones, and those with the best ends."""
    looked_at = [workload.sample(SAMPLED, np.random.default_rng(SEED))]
    if isinstance(workload, Ranges) and len(ends.candidates()):
        looked_at.append(ends.candidates())
    return max(float(variance(queries).max()) for queries in looked_at)


def _prefixes(k: int) -> Iterator[Intervals]:
    for start in range(0, k, QUERIES_AT_ONCE):
        last = np.arange(start, min(start + QUERIES_AT_ONCE, k))
        yield Intervals(k, np.zeros_like(last), last)


def largest_decomposed(
    nodes: Sequence[int], b: int, moments: Sequence[Moments], workload: Workload, users: Floats, variance: Variance
) -> tuple[float, float]:
    """Return a value that the largest variance has at least, and a bound of it, where estimates stay as they are.

    A range takes at most `2 (B-1)` nodes of a level, or all of the first. Its weights there are 0 and 1, and the shares
    of what it takes are at most 1 together.
    """
    looked_at = [workload.sample(SAMPLED, np.random.default_rng(SEED))]
    if isinstance(workload, Ranges):
        looked_at.append(Intervals(workload.k, np.array([1]), np.array([workload.k - 2])))
    value = max(float(variance(queries).max()) for queries in looked_at)
    total = float(users.sum())
    bound = 0.0
    for level, (count, of_level, n) in enumerate(zip(nodes, moments, users, strict=True)):
        taken = np.arange(1.0, min(count, 2 * (b - 1) if level else count) + 1)
        noise = np.maximum(*(of_level.of_user(taken, taken, np.full_like(taken, weight)) for weight in (0.0, 1.0)))
        spread = total / (total - 1) / 4 if len(nodes) > 1 else 0.0
        bound += (float(noise.max()) + spread) / n
    return value, max(value, bound)
