import itertools
import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.neighbours import NeighbourGraph

LN_2 = math.nextafter(math.log(2), 1)
"""The float above the truth; `math.log` gives the one below."""

matrices = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k), min_size=1, max_size=5)
)


def slow_alpha(weights, edges):
    """By the definition, one ratio at a time; None for infinite epsilon."""
    best = Fraction(1)
    for row, (j, k, _) in itertools.product(weights, edges):
        for a, b in ((row[j], row[k]), (row[k], row[j])):
            if b > 0:
                best = min(best, Fraction(a, b))
    return best or None


@given(matrices)
def test_tightest_alpha_is_the_definition(weights):
    k = len(weights[0])
    for graph in (NeighbourGraph.path(k), NeighbourGraph.complete(k)):
        found = tightest_alpha(weights, graph)
        edges = graph.edges or [(a, b, 1) for a, b in itertools.combinations(range(k), 2)]
        assert found.alpha == slow_alpha(weights, edges)
        if found.alpha is None:
            assert weights[found.output][found.low] == 0 < weights[found.output][found.high]
        elif found.alpha < 1:
            assert Fraction(weights[found.output][found.low], weights[found.output][found.high]) == found.alpha


def test_edges():
    assert NeighbourGraph.path(4).edges == ((0, 1, 1), (1, 2, 1), (2, 3, 1))
    assert (NeighbourGraph.complete(5).edges, NeighbourGraph.complete(5).n_edges) == (None, 10)
    assert NeighbourGraph.band(5, 2).edges == (
        (0, 1, 1),
        (0, 2, 1),
        (1, 2, 1),
        (1, 3, 1),
        (2, 3, 1),
        (2, 4, 1),
        (3, 4, 1),
    )
    assert NeighbourGraph.band(5, 1) == NeighbourGraph.path(5)
    assert NeighbourGraph.band(5, 4) == NeighbourGraph.complete(5)


def test_distances_are_shortest_ways():
    assert NeighbourGraph.path(4).distances.tolist()[0] == [0, 1, 2, 3]
    assert NeighbourGraph.band(6, 2).distances.tolist()[0] == [0, 1, 1, 2, 2, 3]
    assert NeighbourGraph.complete(3).distances.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


def test_edges_that_the_triangle_inequality_implies_are_left_out():
    line = np.abs(np.subtract.outer([0, 2, 3, 7], [0, 2, 3, 7]))
    graph = NeighbourGraph.metric(line)
    assert graph.edges == ((0, 1, 2), (1, 2, 1), (2, 3, 4))
    assert graph.is_path
    assert graph.distances.tolist() == line.tolist()
    star = np.array([[0, 2, 2], [2, 0, 3], [2, 3, 0]])
    assert NeighbourGraph.metric(star).edges == ((0, 1, 2), (0, 2, 2), (1, 2, 3))
    assert NeighbourGraph.metric(1 - np.eye(4, dtype=np.int64)).is_complete


def test_the_tightest_alpha_over_edges_of_different_lengths():
    graph = NeighbourGraph("metric", 3, ((0, 1, 1), (1, 2, 2)))
    found = tightest_alpha([[8, 4, 1], [1, 1, 1]], graph)  # 1/2 over length 1, 1/4 over length 2: the same alpha
    assert (found.alpha, found.length, found.epsilon) == (Fraction(1, 2), 1, LN_2)
    found = tightest_alpha([[8, 4, Fraction(9, 10)]], graph)
    assert (found.alpha, found.length) == (Fraction(9, 40), 2)
    assert tightest_alpha([[8, 4, 0]], graph).epsilon == math.inf


def test_epsilon():
    assert tightest_alpha([[1, 2], [2, 1]], NeighbourGraph.path(2)).epsilon == LN_2
    assert tightest_alpha([[0, 2], [2, 1]], NeighbourGraph.path(2)).epsilon == math.inf
    assert tightest_alpha([[1, 1], [1, 1]], NeighbourGraph.path(2)).epsilon == 0
