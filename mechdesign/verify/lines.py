"""The variance of all prefixes under levels of blocks of a line, bounded from above in whole numbers.

Levels tell about the items what resistors tell about the cuts between them: each cell of a partition connects the cuts
at its ends. The variance of a prefix is the resistance from its cut to the two ends of the line, which are one. It
grows where a conductance shrinks (Rayleigh), so that all conductances may be rounded down.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from operator import mul

from .circles import set_chances

BITS = 96
"""Binary places of conductances and resistances."""

ONE = 1 << BITS

GROWTH = 5
"""A stretch is as long as this part of its distance to the nearer end, and one item more."""


@dataclass(frozen=True)
class Partitions:
    """A level of partitions of items in a row into cells, each with a label; a report holds a set of the labels.

    Attributes:
        weight: how often it is drawn, in proportion to the others.
        labels: how many there are, as many as the cells at least.
        held: labels of a report.
        blocks: M, so that a partition has at most M + 1 cells.
        shifts: the number of partitions, all as likely.
        densities: of the cuts, one for each stretch of items; None where each item is a cell.
    """

    weight: int
    labels: int
    held: int
    blocks: int
    shifts: int
    densities: tuple[int, ...] | None

    def edges(self, k: int) -> Iterator[list[int]]:
        """Yield where the cells of each partition begin, without the empty ones, and k."""
        if self.densities is None:
            yield list(range(k + 1))
            return
        places, total = _places(k, self.densities)
        for shift in range(self.shifts):
            turn = (2 * shift + 1) * total
            labels = [(2 * self.shifts * self.blocks * r + turn) // (2 * self.shifts * total) for r in places]
            yield [0, *(u for u in range(1, k) if labels[u] != labels[u - 1]), k]

    def conductances(self, alpha: Fraction, k: int) -> list[Fraction]:
        """Return what cells of 1 .. k items conduct: `pull^2 / (plain + own c)`, c their part of the items.

        A report scores the sum of numbers u_j over its labels. With the chances p, q, r, s of `set_chances` and
        `plain = q - r`, `own = p - q + 2r - 2s`, `pull = p - q`, the mean of the score for an item of cell j is `pull
        u_j` and a constant. Let `sum_j u_j (plain + own c_j) = 0`. The variance is then `sum_j u_j^2 (plain + own c_j)`
        and `y (1 - y) U^2`, U the sum of all u_j, with `y = -h (h-1) / ((M-1) (M-2h))` for h of M labels; it is -C^2
        pull^2 for M = 2h > 2, and 0 for M = 2. So it is never above 0.
        """
        p, q, r, s = set_chances(alpha, self.labels, self.held)
        plain, own, pull = q - r, p - q + 2 * r - 2 * s, p - q
        return [pull * pull / (plain + own * Fraction(items, k)) for items in range(1, k + 1)]


def stretches(k: int) -> list[int]:
    """Return where stretches of constant density begin, and k: the later half mirrors the first."""
    half, start = [], 0
    while 2 * start < k:
        half.append(start)
        start += 1 + start // GROWTH
    return half + [k - start for start in reversed(half) if k - start > half[-1]]


def _places(k: int, densities: Sequence[int]) -> tuple[list[int], int]:
    """Return the places of the items on the line where cuts are even, and its length."""
    starts = stretches(k)
    ends = [0, *accumulate(2 * d * (end - start) for d, (start, end) in zip(densities, pairwise(starts), strict=True))]
    places = [
        base + density * (2 * u + 1)
        for base, density, (start, end) in zip(ends, densities, pairwise(starts), strict=False)
        for u in range(end - start)
    ]
    return places, ends[-1]


def variance_above(k: int, alpha: Fraction, levels: Sequence[Partitions]) -> Fraction:
    """Bound the variance for a user of all prefixes from above, where the k items are equally frequent.

    It is at most the sum of the resistances of all cuts less `sum_d (d/k)(1 - d/k)`, what answers have by the item
    alone. Takes k^3 steps: a second at 256 items, half a minute at 1,024.

    Raises:
        ValueError: where the levels are not shown to tell all items apart.
    """
    network = [[0] * (k + 1) for _ in range(k + 1)]
    weight = sum(level.weight for level in levels)
    for level in levels:
        share = Fraction(level.weight << BITS, weight * level.shifts)
        rounded = [0, *(int(share * conductance) for conductance in level.conductances(alpha, k))]
        for edges in level.edges(k):
            for start, end in pairwise(edges):
                network[start][end] += rounded[end - start]
    return Fraction(_all_resistances(_grounded(network, k)), ONE) - Fraction(k * k - 1, 6 * k)


def _grounded(network: list[list[int]], k: int) -> list[list[int]]:
    """Return rows of conductances of the cuts 1 .. k-1 to later ones, that to both ends of the line first."""
    return [[network[0][cut] + network[cut][k], *network[cut][cut + 1 : k]] for cut in range(1, k)]


def _all_resistances(rows: list[list[int]]) -> int:
    """Sum the resistances from all nodes to the ground, rounded up, where conductances are as given at least.

    A node goes after the other: its star becomes a mesh of `c_i c_j / sum c`, rounded down. Backwards, with the parts
    `u_j = c_j / sum c`, rounded up, potentials for a current at a node are the means of those of its neighbours. They
    are upper bounds, entry by entry, of the inverse of a network that conducts no better.

    Raises:
        ValueError: where a node is not connected to the ground.
    """
    parts: list[tuple[int, list[int]]] = []
    for node, row in enumerate(rows):
        ground, links = row[0], row[1:]
        degree = ground + sum(links)
        if not degree:
            raise ValueError("the levels are not shown to tell all items apart")
        for other, link in enumerate(links, node + 1):
            if link:
                part = (link << BITS) // degree
                target = rows[other]
                shared = [part * later >> BITS for later in (ground, *links[other - node :])]
                rows[other] = [one + more for one, more in zip(target, shared, strict=True)]
        parts.append((degree, [-((-link << BITS) // degree) for link in links]))
        rows[node] = []
    return _traced(parts)


def _traced(parts: list[tuple[int, list[int]]]) -> int:
    """Sum the diagonal of the inverse, from the last node to the first."""
    count = len(parts)
    inverse: list[list[int]] = [[] for _ in range(count)]
    total = 0
    for node in range(count - 1, -1, -1):
        degree, links = parts[node]
        later = [(sum(map(mul, links, row)) >> BITS) + 1 for row in inverse[node + 1 :]]
        own = (ONE * ONE) // degree + (sum(map(mul, links, later)) >> BITS) + 2
        for row, value in zip(inverse[node + 1 :], later, strict=True):
            row.insert(0, value)
        inverse[node] = [own, *later]
        total += own
    return total
