"""The dominating pair: two distributions that stand for all neighbours under composition.

For two inputs a, b of a mechanism let `H_ab(g) = sum_i max(P[i,a] - g P[i,b], 0)`, the delta at `epsilon = ln g`. No
pair of neighbours need be the worst for every g. But the largest of the curves, `H(g) = max H_ab(g)`, is the curve of
one pair of distributions, and a pair whose curve is nowhere below the others' dominates the mechanism, and k-fold
adaptive compositions of both too (Zhu, Dong, Wang, AISTATS 2022).

`H_ab(g)` is the largest `P[A,a] - g P[A,b]` over sets A of outputs, and so that over the points `(P[A,b], P[A,a])`; H
is that over the points of all pairs, which are as good as their upper concave hull. The steps of the hull are the pair.
"""

from collections.abc import Iterable, Iterator
from functools import cmp_to_key
from itertools import pairwise

from mechdesign.errors import InputError
from mechdesign.laws.law import Law
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.neighbours import NeighbourGraph, Weights

Point = tuple[int, int]

MOST_POINTS = 1 << 21
"""Outputs times pairs of neighbours: about ten seconds."""

MOST_KEPT = 1 << 16
"""Points that are kept before those below the hull are thrown away."""


def dominating_pair(mechanism: Mechanism, graph: NeighbourGraph) -> Mechanism:
    """Find the dominating pair of a mechanism on a graph of neighbours, exactly, in both directions.

    Returns:
        A mechanism of two inputs, shape (m, 2), whose `sum_i max(P[i,0] - g P[i,1], 0)` is the largest such sum over
        all ordered pairs of neighbours of the mechanism, at every g >= 0. Outputs fall by `P[i,0] / P[i,1]`.

    Raises:
        InputError: for more than 2^21 outputs times pairs of neighbours.

    >>> coin = Mechanism(((3, 1), (1, 3)), 4)
    >>> dominating_pair(coin, NeighbourGraph.path(2)) == coin
    True
    """
    if graph.n_edges * mechanism.n_outputs > MOST_POINTS:
        raise InputError(
            f"a mechanism must have at most {MOST_POINTS} outputs times pairs of neighbours for this, "
            f"got {graph.n_edges * mechanism.n_outputs}"
        )
    whole = mechanism.denominator
    kept: list[Point] = [(0, 0), (whole, whole)]
    for a, b in _pairs(graph):
        for low, high in _sums(mechanism.weights, a, b):
            kept += ((low, high), (whole - high, whole - low))  # the others of the outputs, for the pair b, a
        if len(kept) > MOST_KEPT:
            kept = upper_hull(kept)
    corners = upper_hull(kept)
    if corners[0] != (0, 0):
        corners.insert(0, (0, 0))  # outputs that b never gives: a step straight up
    steps = [(top - p, right - q) for (q, p), (right, top) in pairwise(corners)]
    return Mechanism.from_weights(steps, whole)


def pair_of_law(law: Law) -> Mechanism:
    """Return randomised response at the law's alpha, which dominates every mechanism that is private at alpha.

    A layered mechanism of depth b attains it at every n >= 2b - 1, for the inputs b - 1 and b: the probabilities of
    each output differ by the factor alpha, one way in the first b rows and the other way in the rest. The explicit fair
    mechanism stays below it by a power of alpha that grows with n.
    """
    p, q = law.problem.privacy.alpha.as_integer_ratio()
    return Mechanism(((q, p), (p, q)), p + q)


def _pairs(graph: NeighbourGraph) -> Iterator[tuple[int, int]]:
    if graph.edges is not None:
        return ((a, b) for a, b, _ in graph.edges)
    return ((a, b) for a in range(graph.size) for b in range(a + 1, graph.size))


def _sums(weights: Weights, a: int, b: int) -> Iterator[Point]:
    """Yield `(P[A,b], P[A,a])` for the sets A of the outputs that speak most for a."""
    steps = [(row[b], row[a]) for row in weights if row[a] or row[b]]
    low = high = 0
    for q, p in sorted(steps, key=cmp_to_key(_falling_ratio)):
        low, high = low + q, high + p
        yield low, high


def _falling_ratio(one: Point, other: Point) -> int:
    """Compare `p / q`: negative where that of the first is larger."""
    return one[0] * other[1] - other[0] * one[1]


def upper_hull(points: Iterable[Point]) -> list[Point]:
    """Return the corners of the upper concave hull of points, from left to right (Andrew's monotone chain).

    >>> upper_hull([(0, 0), (1, 1), (1, 3), (2, 3), (4, 4)])
    [(0, 0), (1, 3), (4, 4)]
    """
    corners: list[Point] = []
    for x, y in sorted(set(points)):
        while corners and corners[-1][0] == x:
            corners.pop()
        while len(corners) > 1:
            (x0, y0), (x1, y1) = corners[-2:]
            if (y1 - y0) * (x - x1) > (y - y1) * (x1 - x0):
                break
            corners.pop()
        corners.append((x, y))
    return corners
