"""Neighbouring inputs, and how private a matrix really is.

A mechanism is alpha-DP on a graph of neighbouring inputs when `P[i,j] >= alpha P[i,l]` and
`P[i,l] >= alpha P[i,j]` for every output i and every edge (j, l). Counts use the path 0 - 1 - ... - n (adding or
changing one person moves a count by at most 1); the local model uses the complete graph.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.rational import natural_log

Weights = Sequence[Sequence[int]]
"""`weights[i][j]`: nonnegative integers over one denominator, output i, input j."""


@dataclass(frozen=True)
class NeighbourGraph:
    """Undirected graph on the inputs `0 .. size-1`; `edges` holds each pair (j, l) with j < l once."""

    name: str
    size: int
    edges: tuple[tuple[int, int], ...]

    @classmethod
    def path(cls, size: int) -> "NeighbourGraph":
        """Counts: inputs j and j+1 are neighbours."""
        return cls("path", size, tuple((j, j + 1) for j in range(size - 1)))

    @classmethod
    def complete(cls, size: int) -> "NeighbourGraph":
        """Local model: any two inputs are neighbours."""
        return cls("complete", size, tuple((j, k) for j in range(size) for k in range(j + 1, size)))


@dataclass(frozen=True)
class Tightest:
    """The largest alpha that a matrix satisfies on a graph, and the two entries that set it.

    `alpha` is None where a zero stands beside a positive entry (epsilon is then infinite), or where an entry is
    negative, and no probability at all. `output`, `low` and
    `high` name the entries `P[output, low] <= P[output, high]`; None where every ratio is 1 (epsilon = 0).
    """

    alpha: Fraction | None
    output: int | None = None
    low: int | None = None
    high: int | None = None

    @property
    def epsilon(self) -> float:
        """`-ln(alpha)`, `inf` where alpha is None."""
        if self.alpha is None:
            return float("inf")
        return abs(natural_log(self.alpha))


def tightest_alpha(weights: Weights, graph: NeighbourGraph) -> Tightest:
    """Exact largest alpha with `P[i,j] >= alpha P[i,l]` over all edges, both ways: one pass over the entries."""
    for i, row in enumerate(weights):
        if min(row) < 0:
            low, high = row.index(min(row)), row.index(max(row))
            return Tightest(None, i, low, high)
    if graph.name == "complete":
        return _tightest_complete(weights)
    best = Tightest(Fraction(1))
    top, bottom = 1, 1
    for i, row in enumerate(weights):
        for j, k in graph.edges:
            low, high = (j, k) if row[j] <= row[k] else (k, j)
            if row[low] * bottom < top * row[high]:
                if row[low] <= 0:
                    return Tightest(None, i, low, high)
                top, bottom = row[low], row[high]
                best = Tightest(Fraction(top, bottom), i, low, high)
    return best


def _tightest_complete(weights: Weights) -> Tightest:
    """On the complete graph only the smallest and the largest entry of each row matter."""
    best = Tightest(Fraction(1))
    for i, row in enumerate(weights):
        low = min(range(len(row)), key=row.__getitem__)
        high = max(range(len(row)), key=row.__getitem__)
        if row[low] == row[high]:
            continue
        if row[low] <= 0:
            return Tightest(None, i, low, high)
        ratio = Fraction(row[low], row[high])
        if best.alpha is None or ratio < best.alpha:
            best = Tightest(ratio, i, low, high)
    return best
