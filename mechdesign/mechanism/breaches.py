"""All pairs of entries of a matrix that break a stated alpha, and not the worst one alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from mechdesign.mechanism.tightest import Tightest
from mechdesign.problem.neighbours import NeighbourGraph, Weights
from mechdesign.rational import nearest_float, number_text


@dataclass(frozen=True)
class Breaches:
    """The pairs of neighbouring entries that break an alpha: those of one output at two neighbouring inputs.

    There are `count` of them among `pairs`; `cells` are their entries (output, input) in order, and `worst` is the
    pair that sets the tightest alpha. `alpha` 0 stands for an infinite epsilon alone.
    """

    alpha: Fraction
    count: int
    pairs: int
    cells: tuple[tuple[int, int], ...]
    worst: Tightest

    def describe(self, alpha: Fraction | None = None) -> str:
        """Say in one sentence what is broken, where and by how much; `alpha` is the one that was stated, if another."""
        stated = alpha or self.alpha
        what = f"break alpha = {number_text(stated)}" if stated else "make epsilon infinite"
        own = self.worst
        where = f"the worst is output {own.output} for inputs {own.low} and {own.high}"
        return f"{self.count:,} of {self.pairs:,} pairs of neighbouring entries {what}; {where}, {self._how_far()}"

    def _how_far(self) -> str:
        own = self.worst
        if own.alpha is None:
            return "of which one never gives it (epsilon is infinite)"
        needed = self.alpha**own.length
        far = f"{100 * nearest_float((needed - own.alpha) / needed):.2g} % too small"
        ratio = "alpha" if own.length == 1 else f"the ratio over {own.length} units of distance"
        return f"where {ratio} is {nearest_float(own.alpha):.12g}, {far}"


def find_breaches(weights: Weights, graph: NeighbourGraph, alpha: Fraction, worst: Tightest) -> Breaches:
    """Find all pairs with `P[i,j] < alpha^d P[i,l]` over the edges of a graph, in integers; `worst` is the tightest.

    For alpha = 0 these are the pairs of which one entry is positive and the other is not.
    """
    cells: set[tuple[int, int]] = set()
    count = 0
    for i, row in enumerate(weights):
        found = _all_pairs(row, alpha) if graph.edges is None else _edges(row, graph, alpha)
        for number, places in found:
            count += number
            cells.update((i, place) for place in places)
    return Breaches(alpha, count, graph.n_edges * len(weights), tuple(sorted(cells)), worst)


def certain_breaches(
    weights: Weights, halves: Sequence[Sequence[Fraction]], graph: NeighbourGraph, alpha: Fraction
) -> list[tuple[int, int, int]]:
    """List the pairs (output, input, input) that break alpha wherever their two entries are within `halves`."""
    edges = graph.edges or [(j, k, 1) for j, k in combinations(range(len(weights[0])), 2)]
    powers = {d: alpha**d for *_, d in edges}
    certain = []
    for i, (row, half) in enumerate(zip(weights, halves, strict=True)):
        for j, k, d in edges:
            low, high = (j, k) if row[j] <= row[k] else (k, j)
            if _breaks(row[low], row[high], powers[d]):
                most, least = row[low] + half[low], max(Fraction(0), row[high] - half[high])
                if _breaks(most, least, powers[d]):
                    certain.append((i, j, k))
    return certain


def _breaks(low: Fraction | int, high: Fraction | int, alpha: Fraction) -> bool:
    """Return whether two neighbouring entries, the smaller first, are too far apart; a negative one always is."""
    return low < high and (low <= 0 or alpha.denominator * low < alpha.numerator * high)


def _edges(row: Sequence[int], graph: NeighbourGraph, alpha: Fraction) -> Iterator[tuple[int, tuple[int, int]]]:
    powers = {d: alpha**d for *_, d in graph.edges or ()}
    for j, k, d in graph.edges or ():
        if _breaks(min(row[j], row[k]), max(row[j], row[k]), powers[d]):
            yield 1, (j, k)


def _all_pairs(row: Sequence[int], alpha: Fraction) -> Iterator[tuple[int, list[int]]]:
    """Count by the sorted row, as a large domain has too many pairs to list."""
    order = sorted(range(len(row)), key=row.__getitem__)
    ranked = [row[place] for place in order]
    below = 0  # the larger an entry, the more are too small beside it
    for place, high in zip(order, ranked, strict=True):
        while _breaks(ranked[below], high, alpha):
            below += 1
        if below:
            yield below, [place, *order[:below]]
