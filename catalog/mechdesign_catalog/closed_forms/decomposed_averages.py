"""Averages over all ranges or prefixes, each decomposed into the fewest nodes.

A level has K nodes of m items, the last one of `m'`, and its parents have f children each, the last one g. Of a range
let A be the first node that begins at its first item or after it, and let Z be the node that follows the last one that
ends at its last item or before it. It takes nothing where A >= Z. Inside one parent it takes Z - A nodes, else the x
nodes from A up to the next edge of parents, and the y nodes from the edge before Z on. There are as many ranges with
one A and one Z as first items with this A, times last items with this Z. So all follows from sums of 1, x, x^2 over the
A with one next edge, and of 1, y, y^2 over the Z with one edge before.
"""

from dataclasses import dataclass

from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign_catalog.closed_forms.averages import SumsOfSquares
from mechdesign_catalog.decoders.trees.tree import Tree

Powers = tuple[int, int, int]
"""Sums of the powers 0, 1, 2 of a number."""


@dataclass(frozen=True)
class QuerySums:
    """Sums over all queries: of the number c of nodes that a query takes, and of c^2.

    `last` counts the queries that take the last node of the level, `count_with_last` adds up their c.
    """

    count: int
    squared_count: int
    last: int = 0
    count_with_last: int = 0

    def sums(self, share: float, last_share: float) -> SumsOfSquares:
        """Return sums of products, where a node has this share, and the last one another."""
        missing = share - last_share
        return SumsOfSquares(
            squares=float(self.count),
            square_answers=share * self.count - missing * self.last,
            squared_sums=float(self.squared_count),
            sums_and_answers=share * self.squared_count - missing * self.count_with_last,
            squared_answers=share**2 * self.squared_count
            - 2 * share * missing * self.count_with_last
            + missing**2 * self.last,
        )


@dataclass(frozen=True)
class TreeLevel:
    """The level of a tree: its nodes, their size, the last one's, and children of parents."""

    nodes: int
    size: int
    last_size: int
    children: int

    @property
    def parents(self) -> int:
        """Number of nodes of the level above."""
        return -(-self.nodes // self.children)

    @property
    def of_last(self) -> int:
        """Number of children of the last parent."""
        return self.nodes - self.children * (self.parents - 1)

    @property
    def rights(self) -> tuple[Powers, Powers]:
        """Sums over the Z after one of the first parents' edges, and over those after the edge of the last parent."""
        short, missing = self.of_last - 1, self.size - self.last_size
        last = _sum(_scaled(self.size, _powers(self.of_last)), _scaled(-missing, (1, short, short**2)))
        return _scaled(self.size, _powers(self.children)), last


def decomposed_squares(tree: Tree, workload: Ranges | Prefixes) -> list[SumsOfSquares]:
    """Add up over all ranges or prefixes of a tree's items, for levels 1 to h, where estimates stay as they are."""
    found = []
    for number, (size, nodes) in enumerate(zip(tree.sizes, tree.nodes, strict=True)):
        level = TreeLevel(nodes, size, tree.k - (nodes - 1) * size, tree.b if number else nodes)
        taken = taken_by_ranges(level) if isinstance(workload, Ranges) else taken_by_prefixes(level)
        found.append(taken.sums(size / tree.k, level.last_size / tree.k))
    return found


def taken_by_prefixes(level: TreeLevel) -> QuerySums:
    """Add up what prefixes take: A = 0, so y nodes, and none of the whole."""
    middle, last = level.rights
    _, count, squared_count = _sum(_scaled(level.parents - 1, middle), last)
    return QuerySums(count, squared_count)


def taken_by_ranges(level: TreeLevel) -> QuerySums:
    """Add up what ranges take: of several parents, and of one."""
    _, count, squared_count = _apart(level)
    size, of_last = level.size, level.of_last
    within = [
        size**2 * ((level.parents - 1) * _distances(level.children - 1, power) + _distances(of_last - 1, power))
        - size * (size - level.last_size) * _powers(of_last - 1)[power]
        for power in (1, 2)
    ]
    return QuerySums(
        count=count + within[0],
        squared_count=squared_count + within[1],
        last=size * (of_last - 1),
        count_with_last=size * _powers(of_last)[1],
    )


def _apart(level: TreeLevel) -> Powers:
    """Add up the powers of x + y over the A and Z for which the edge after A is at most that before Z.

    Pairs that no range has are among them, such as the last edge as both: their x + y is 0.
    """
    middle, last = level.rights
    others = level.parents - 1
    first = (1, 0, 0)
    before_last = _sum(first, _scaled(others, middle))
    # the edges 0 .. P-2, P-1 and P of the parents before Z
    met = _product(_sum(_scaled(others, first), _scaled(others * (others - 1) // 2, middle)), middle)
    met = _sum(met, _product(before_last, last))
    return _sum(met, _sum(before_last, _scaled(level.size, _powers(level.of_last))))


def _powers(count: int) -> Powers:
    """Add up the powers of 0, 1, .., count - 1."""
    return count, count * (count - 1) // 2, (count - 1) * count * (2 * count - 1) // 6


def _distances(count: int, power: int) -> int:
    """Add up the powers of `t - i` over `1 <= i < t <= count`."""
    if power == 1:
        return (count - 1) * count * (count + 1) // 6
    return (count - 1) * count**2 * (count + 1) // 12


def _scaled(factor: int, sums: Powers) -> Powers:
    return factor * sums[0], factor * sums[1], factor * sums[2]


def _sum(one: Powers, two: Powers) -> Powers:
    return one[0] + two[0], one[1] + two[1], one[2] + two[2]


def _product(one: Powers, two: Powers) -> Powers:
    """Add up the powers of x + y over all pairs, from those of x and of y."""
    return (
        one[0] * two[0],
        one[1] * two[0] + one[0] * two[1],
        one[2] * two[0] + 2 * one[1] * two[1] + one[0] * two[2],
    )
