"""The pairs that break an alpha, against a list of all pairs; and the one sentence that says it."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mechdesign.mechanism.breaches import certain_breaches, find_breaches
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.neighbours import NeighbourGraph

SIZE = 5
GRAPHS = (NeighbourGraph.path(SIZE), NeighbourGraph.complete(SIZE), NeighbourGraph.band(SIZE, 2))
rows = st.lists(st.integers(-1, 12), min_size=SIZE, max_size=SIZE)


@given(
    weights=st.lists(rows, min_size=1, max_size=4),
    graph=st.sampled_from(GRAPHS),
    alpha=st.fractions(0, 1, max_denominator=9),
)
def test_they_are_all_pairs_that_alpha_forbids(
    weights: list[list[int]], graph: NeighbourGraph, alpha: Fraction
) -> None:
    edges = set(combinations(range(SIZE), 2)) if graph.edges is None else {(j, k) for j, k, _ in graph.edges}
    broken = {
        (i, j, k)
        for i, row in enumerate(weights)
        for j, k in edges
        if row[j] != row[k] and (min(row[j], row[k]) <= 0 or Fraction(*sorted((row[j], row[k]))) < alpha)
    }
    found = find_breaches(weights, graph, alpha, tightest_alpha(weights, graph))
    assert found.count == len(broken)
    assert found.pairs == len(edges) * len(weights)
    assert found.cells == tuple(sorted({(i, place) for i, j, k in broken for place in (j, k)}))


@given(
    row=rows,
    halves=st.lists(st.fractions(0, 4, max_denominator=3), min_size=SIZE, max_size=SIZE),
    graph=st.sampled_from(GRAPHS),
    alpha=st.fractions(0, 1, max_denominator=9),
)
def test_certain_ones_are_broken_at_every_corner(
    row: list[int], halves: list[Fraction], graph: NeighbourGraph, alpha: Fraction
) -> None:
    def ends(j: int) -> list[Fraction]:
        return [max(Fraction(0), row[j] - halves[j]), row[j] + halves[j]]

    edges = set(combinations(range(SIZE), 2)) if graph.edges is None else {(j, k) for j, k, _ in graph.edges}
    assume(min(row[j] + halves[j] for j in range(SIZE)) >= 0)
    certain = {
        (0, j, k)
        for j, k in edges
        if all(a != b and (min(a, b) <= 0 or min(a, b) < alpha * max(a, b)) for a in ends(j) for b in ends(k))
        and not max(ends(j)[0], ends(k)[0]) <= min(ends(j)[1], ends(k)[1])  # the ranges have no number in common
    }
    assert set(certain_breaches([row], [halves], graph, alpha)) == certain


def test_longer_edges_may_differ_by_a_power() -> None:
    graph = NeighbourGraph("metric", 3, ((0, 1, 1), (1, 2, 3)))
    weights = [[8, 4, 1]]
    found = find_breaches(weights, graph, Fraction(1, 2), tightest_alpha(weights, graph))
    assert (found.count, found.cells) == (0, ())
    found = find_breaches(weights, graph, Fraction(2, 3), tightest_alpha(weights, graph))
    assert found.cells == ((0, 0), (0, 1), (0, 2))
    assert found.count == 2


@pytest.mark.parametrize(
    ("weights", "alpha", "text"),
    [
        (
            [[1, 2, 8]],
            "1/2",
            "1 of 2 pairs of neighbouring entries break alpha = 0.5; the worst is output 0 for inputs 1 and 2, "
            "where alpha is 0.25, 50 % too small",
        ),
        (
            [[0, 2, 2]],
            "0",
            "1 of 2 pairs of neighbouring entries make epsilon infinite; the worst is output 0 for inputs 0 and 1, "
            "of which one never gives it (epsilon is infinite)",
        ),
    ],
)
def test_one_sentence_says_it(weights: list[list[int]], alpha: str, text: str) -> None:
    graph = NeighbourGraph.path(3)
    assert find_breaches(weights, graph, Fraction(alpha), tightest_alpha(weights, graph)).describe() == text
