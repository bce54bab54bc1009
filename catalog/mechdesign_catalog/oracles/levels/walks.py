"""Form the sums of all levels for ranges, in a number of steps for each that grows with the levels alone.

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
from mechdesign_catalog.oracles.levels.inference import Averaging
from mechdesign_catalog.oracles.levels.level_sums import LevelSums
from mechdesign_catalog.oracles.levels.tree import Tree
from mechdesign_catalog.oracles.probabilities import Floats

Nodes = NDArray[np.int64]


def running_sums(tree: Tree, shares: Floats) -> list[Floats]:
    """Sum the shares of the k items up to each edge between the nodes of levels 0 to h."""
    sums = np.append(0.0, np.cumsum(shares))
    return [sums[[0, -1]], *(np.append(sums[:-1:size], sums[-1]) for size in tree.sizes)]


@dataclass(frozen=True, eq=False)
class Node:
    """Hold one node for each range: its number, its t, and what it passes on to its children, `(1 - a) Z`."""

    number: Nodes
    effect: Floats
    passed: Floats


@dataclass(frozen=True, eq=False)
class Group:
    """Hold full nodes `start .. stop-1` for each range, children of one node, all inside the range or all outside."""

    parent: Node
    start: Nodes
    stop: Nodes
    inside: bool


def consistent_sums(averaging: Averaging, running: Sequence[Floats], ranges: Intervals) -> Iterator[LevelSums]:
    """Yield the sums of levels 1 to h for ranges, where the estimates are made consistent.

    Args:
        averaging: how estimates are averaged.
        running: the running sums of the shares, as `running_sums` forms them.
        ranges: the queries.
    """
    tree = averaging.tree
    effects = last_effects(averaging, ranges)
    zeros = np.zeros(len(ranges))
    root = Node(zeros.astype(np.int64), effects[0], zeros)
    special, below = [root, root, root], np.zeros((4, len(ranges)))
    for level in range(1, tree.height + 1):
        groups = groups_of(tree, level, ranges, special)
        kept = 1 - averaging.full_own[level - 1]
        below *= np.array([tree.b * kept, tree.b * kept**2, kept, kept**2])[:, None]
        for group in groups:
            _add_group(below, group, running[level])
        own = averaging.full_own[level]
        sums = below * np.array([own, own**2, own, own**2])[:, None]
        special = _next_nodes(averaging, level, ranges, special, effects, running[level], sums)
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


def groups_of(tree: Tree, level: int, ranges: Intervals, parents: Sequence[Node]) -> list[Group]:
    """List the groups that begin at a level: children of special nodes that are no special nodes themselves."""
    size, nodes = tree.sizes[level - 1], tree.nodes[level - 1]
    children = tree.b if level > 1 else nodes
    left, right = ranges.first // size, ranges.last // size
    of_left, of_right, of_end = parents
    left_stop = (of_left.number + 1) * children
    right_start, right_stop = of_right.number * children, (of_right.number + 1) * children
    apart = of_right.number > of_left.number
    groups = [
        Group(of_left, of_left.number * children, left, False),
        Group(of_left, left + 1, np.minimum(left_stop, right), True),
        Group(of_right, right_start, np.where(apart, right, 0), True),
    ]
    if tree.is_full:
        return [*groups, Group(of_right, right + 1, right_stop, False)]
    beyond = of_end.number > of_right.number
    end = np.where(beyond, nodes - 1, 0)
    return [
        *groups,
        Group(of_right, right + 1, np.minimum(right_stop, nodes - 1), False),
        Group(of_end, of_end.number * children, end, False),
    ]


def _add_group(below: Floats, group: Group, edges: Floats) -> None:
    """Add the nodes of a group to the sums of Z, Z^2, Z F and Z^2 F."""
    stop = np.maximum(group.start, group.stop)
    total = group.parent.passed + (float(group.inside) - group.parent.effect)
    square = total**2
    count, share = stop - group.start, edges[stop] - edges[group.start]
    below[0] += count * total
    below[1] += count * square
    below[2] += share * total
    below[3] += share * square


def _next_nodes(
    averaging: Averaging,
    level: int,
    ranges: Intervals,
    parents: Sequence[Node],
    effects: Sequence[Floats],
    edges: Floats,
    sums: Floats,
) -> list[Node]:
    """Find the special nodes of a level, and add each of them once to the sums of u, u^2, u F and u^2 F."""
    tree = averaging.tree
    size, nodes = tree.sizes[level - 1], tree.nodes[level - 1]
    left, right = ranges.first // size, ranges.last // size
    last = np.full_like(left, nodes - 1)
    numbers = [left, right] if tree.is_full else [left, right, last]
    new = [None, right > left, last > right]
    found = []
    for number, parent, once in zip(numbers, parents, new, strict=False):
        start = number * size
        inside = np.minimum(ranges.last + 1, start + size) - np.maximum(ranges.first, start)
        effect = np.maximum(inside, 0) / size
        own: Floats | float = averaging.full_own[level]
        if not tree.is_full:
            effect = np.where(number == nodes - 1, effects[level], effect)
            own = np.where(number == nodes - 1, averaging.last_own[level], own)
        total = effect - parent.effect + parent.passed
        found.append(Node(number, effect, (1 - own) * total))
        weight = own * total if once is None else np.where(once, own * total, 0.0)
        share = edges[number + 1] - edges[number]
        sums += np.array([weight, weight**2, weight * share, weight**2 * share])
    return found if len(found) == 3 else [*found, found[-1]]


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
