"""Walks along a tree: the sums of all levels for ranges, in steps that grow with levels.

At each level a range has up to three nodes of its own kind: those of its first and its last item, and the level's last
node, which may be smaller than the others. Every other node is full, and lies wholly inside or wholly outside. Such
nodes that have one parent and lie on one side are alike, and so are all nodes below them: at most five groups begin at
each level, and what is below them is kept in four sums.

`t`, `a`, `Z` are as in `node_weights`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign.workloads.queries import Intervals
from mechdesign_catalog.decoders.trees.inference import Averaging
from mechdesign_catalog.decoders.trees.level_sums import LevelSums
from mechdesign_catalog.decoders.trees.tree import Tree
from mechdesign_catalog.randomizers.reports.probabilities import Floats

Nodes = NDArray[np.int64]


def running_sums(tree: Tree, shares: Floats) -> list[Floats]:
    """Sum the shares of the k items up to each edge between the nodes of levels 0 to h."""
    sums = np.append(0.0, np.cumsum(shares))
    return [sums[[0, -1]], *(np.append(sums[:-1:size], sums[-1]) for size in tree.sizes)]


@dataclass(frozen=True, eq=False)
class Node:
    """One node for each range: its number, its t and u, what it passes on to its children, `(1 - a) Z`, its edges.

    `low` and `high` are the running sums of the shares at the edges.
    """

    number: Nodes
    effect: Floats
    weight: Floats
    passed: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Group:
    """Full nodes for each range, children of one node, all inside the range or all outside.

    `count` is their number, `share` what they have of all users; they are there where `some` is true.
    """

    parent: Node
    inside: bool
    some: NDArray[np.bool_]
    count: Nodes
    share: Floats


def consistent_sums(averaging: Averaging, running: Sequence[Floats], ranges: Intervals) -> Iterator[LevelSums]:
    """Yield the sums of levels 1 to h for ranges, where the estimates are made consistent.

    Args:
        averaging: how estimates are averaged.
        running: the running sums of the shares, as `running_sums` forms them.
        ranges: the queries.
    """
    tree = averaging.tree
    effects = [ranges.sums / tree.k] if tree.is_full else last_effects(averaging, ranges)
    zeros, ones = np.zeros(len(ranges)), np.ones(len(ranges))
    root = Node(zeros.astype(np.int64), effects[0], zeros, zeros, zeros, running[0][-1] * ones)
    special, below = [root, root, root], np.zeros((4, len(ranges)))
    for level in range(1, tree.height + 1):
        parents, special = special, _next_nodes(averaging, level, ranges, special, effects, running[level])
        kept = 1 - averaging.full_own[level - 1]
        below *= np.array([tree.b * kept, tree.b * kept**2, kept, kept**2])[:, None]
        for group in groups_of(tree, level, parents, special):
            _add_group(below, group)
        own = averaging.full_own[level]
        sums = below * np.array([own, own**2, own, own**2])[:, None]
        _add_nodes(special, sums)
        yield LevelSums(*sums)


def last_effects(averaging: Averaging, ranges: Intervals) -> list[Floats]:
    """Compute the weights t of the last nodes of levels 0 to h: means of their children's, weighted by variances."""
    tree = averaging.tree
    effects = [(ranges.last == tree.k - 1).astype(np.float64)]
    for level in range(tree.height - 1, -1, -1):
        size = tree.sizes[level]
        end = (tree.nodes[level] - 1) * size
        start = end - (tree.last_children[level] - 1) * size
        full = np.maximum(np.minimum(ranges.last + 1, end) - np.maximum(ranges.first, start), 0) / size
        both = averaging.full_variances[level + 1] * full + averaging.last_variances[level + 1] * effects[-1]
        effects.append(both / averaging.last_sums[level])
    return effects[::-1]


def groups_of(tree: Tree, level: int, parents: Sequence[Node], special: Sequence[Node]) -> list[Group]:
    """List the groups that begin at a level: children of special nodes that are no special nodes themselves."""
    children = tree.b if level > 1 else tree.nodes[0]
    (of_left, of_right, of_end), (left, right, end) = parents, special
    apart, split = of_right.number > of_left.number, right.number > left.number
    every = np.ones_like(apart)
    beside = np.where(apart, (of_left.number + 1) * children, right.number)
    groups = [
        Group(of_left, False, every, left.number - of_left.number * children, left.low - of_left.low),
        Group(of_left, True, split, beside - left.number - 1, np.where(apart, of_left.high, right.low) - left.high),
        Group(of_right, True, apart, right.number - of_right.number * children, right.low - of_right.low),
    ]
    stop = (of_right.number + 1) * children
    if tree.is_full:
        return [*groups, Group(of_right, False, every, stop - right.number - 1, of_right.high - right.high)]
    apart, split = of_end.number > of_right.number, end.number > right.number
    beside = np.where(apart, stop, end.number)
    return [
        *groups,
        Group(of_right, False, split, beside - right.number - 1, np.where(apart, of_right.high, end.low) - right.high),
        Group(of_end, False, apart, end.number - of_end.number * children, end.low - of_end.low),
    ]


def _add_group(below: Floats, group: Group) -> None:
    """Add the nodes of a group to the sums of Z, Z^2, Z F and Z^2 F."""
    total = group.parent.passed + (float(group.inside) - group.parent.effect)
    total *= group.some
    square = total * total
    below[0] += group.count * total
    below[1] += group.count * square
    below[2] += group.share * total
    below[3] += group.share * square


def _next_nodes(
    averaging: Averaging,
    level: int,
    ranges: Intervals,
    parents: Sequence[Node],
    effects: Sequence[Floats],
    edges: Floats,
) -> list[Node]:
    """Find the special nodes of a level: those of the first and of the last item, and the level's last."""
    tree = averaging.tree
    size, nodes = tree.sizes[level - 1], tree.nodes[level - 1]
    numbers = [ranges.first // size, ranges.last // size]
    if not tree.is_full:
        numbers.append(np.full_like(numbers[0], nodes - 1))
    found = []
    for number, parent in zip(numbers, parents, strict=False):
        start = number * size
        inside = np.minimum(ranges.last + 1, start + size) - np.maximum(ranges.first, start)
        effect = np.maximum(inside, 0) / size
        own: Floats | float = averaging.full_own[level]
        if not tree.is_full:
            effect = np.where(number == nodes - 1, effects[level], effect)
            own = np.where(number == nodes - 1, averaging.last_own[level], own)
        total = effect - parent.effect + parent.passed
        found.append(Node(number, effect, own * total, (1 - own) * total, edges[number], edges[number + 1]))
    return found if len(found) == 3 else [*found, found[-1]]


def _add_nodes(special: Sequence[Node], sums: Floats) -> None:
    """Add each special node once to the sums of u, u^2, u F and u^2 F."""
    before = np.full_like(special[0].number, -1)
    for node in special:
        weight = node.weight * (node.number > before)
        square, share = weight * weight, node.high - node.low
        sums[0] += weight
        sums[1] += square
        sums[2] += weight * share
        sums[3] += square * share
        before = node.number


def decomposed_sums(tree: Tree, running: Sequence[Floats], ranges: Intervals) -> Iterator[LevelSums]:
    """Yield the sums of levels 1 to h where a range adds up the fewest nodes, with estimates as they are."""
    before = np.zeros(len(ranges), dtype=np.int64), np.zeros(len(ranges), dtype=np.int64)
    whole = (ranges.first == 0) & (ranges.last == tree.k - 1)
    before = (before[0], whole.astype(np.int64))
    for level in range(1, tree.height + 1):
        size, nodes = tree.sizes[level - 1], tree.nodes[level - 1]
        children = tree.b if level > 1 else nodes
        start = -(-ranges.first // size)
        stop = np.where(ranges.last == tree.k - 1, nodes, (ranges.last + 1) // size)
        stop = np.maximum(start, stop)
        taken = np.minimum(before[0] * children, nodes), np.minimum(before[1] * children, nodes)
        some = taken[1] > taken[0]
        count = stop - start - np.where(some, taken[1] - taken[0], 0)
        edges = running[level]
        share = edges[stop] - edges[start] - np.where(some, edges[taken[1]] - edges[taken[0]], 0.0)
        yield LevelSums(*(np.asarray(values, dtype=np.float64) for values in (count, count, share, share)))
        before = start, stop
