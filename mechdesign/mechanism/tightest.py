"""The tightest alpha: the largest one that a matrix satisfies on a graph of neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.problem.neighbours import Edge, NeighbourGraph, Weights
from mechdesign.problem.privacy import loss_above


@dataclass(frozen=True)
class Tightest:
    """The largest alpha that a matrix satisfies on a graph, and the two entries that set it.

    `alpha` is None where a zero stands beside a positive entry (epsilon is then infinite), or where an entry is
    negative, and no probability at all. `output`, `low` and
    `high` name the entries `P[output, low] <= P[output, high]`; None where every ratio is 1 (epsilon = 0). On an edge
    of length d > 1 the largest alpha is `ratio^(1/d)`: `alpha` is then that ratio, and `length` is d.
    """

    alpha: Fraction | None
    output: int | None = None
    low: int | None = None
    high: int | None = None
    length: int = 1

    @property
    def epsilon(self) -> float:
        """The tightest epsilon, `-ln(alpha) / length`, never below it; `inf` where alpha is None."""
        if self.alpha is None:
            return float("inf")
        return loss_above(self.alpha, self.length)


def tightest_alpha(weights: Weights, graph: NeighbourGraph) -> Tightest:
    """Find the exact largest alpha with `P[i,j] >= alpha^d P[i,l]` over all edges, both ways, in one pass."""
    for i, row in enumerate(weights):
        if min(row) < 0:
            low, high = row.index(min(row)), row.index(max(row))
            return Tightest(None, i, low, high)
    if graph.edges is None:
        return _tightest_complete(weights)
    found = [
        _tightest_of([edge for edge in graph.edges if edge[2] == d], weights) for d in {d for *_, d in graph.edges}
    ]
    best = found[0] if found else Tightest(Fraction(1))
    for other in found[1:]:
        if best.alpha is not None and (other.alpha is None or other.alpha**best.length < best.alpha**other.length):
            best = other
    return best


def _tightest_of(edges: Sequence[Edge], weights: Weights) -> Tightest:
    """Find the largest alpha over edges of one length."""
    best = Tightest(Fraction(1))
    top, bottom = 1, 1
    for i, row in enumerate(weights):
        for j, k, d in edges:
            low, high = (j, k) if row[j] <= row[k] else (k, j)
            if row[low] * bottom < top * row[high]:
                if row[low] <= 0:
                    return Tightest(None, i, low, high, d)
                top, bottom = row[low], row[high]
                best = Tightest(Fraction(top, bottom), i, low, high, d)
    return best


def _tightest_complete(weights: Weights) -> Tightest:
    """Find the largest alpha on the complete graph, where only the smallest and largest entry of each row matter."""
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
