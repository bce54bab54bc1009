import itertools
import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from mechdesign.privacy import NeighbourGraph, tightest_alpha

matrices = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k), min_size=1, max_size=5)
)


def slow_alpha(weights, edges):
    """By the definition, one ratio at a time; None for infinite epsilon."""
    best = Fraction(1)
    for row, (j, k) in itertools.product(weights, edges):
        for a, b in ((row[j], row[k]), (row[k], row[j])):
            if b > 0:
                best = min(best, Fraction(a, b))
    return best or None


@given(matrices)
def test_tightest_alpha_is_the_definition(weights):
    k = len(weights[0])
    for graph in (NeighbourGraph.path(k), NeighbourGraph.complete(k)):
        found = tightest_alpha(weights, graph)
        assert found.alpha == slow_alpha(weights, graph.edges)
        if found.alpha is None:
            assert weights[found.output][found.low] == 0 < weights[found.output][found.high]
        elif found.alpha < 1:
            assert Fraction(weights[found.output][found.low], weights[found.output][found.high]) == found.alpha


def test_edges():
    assert NeighbourGraph.path(4).edges == ((0, 1), (1, 2), (2, 3))
    assert len(NeighbourGraph.complete(5).edges) == 10


def test_epsilon():
    assert tightest_alpha([[1, 2], [2, 1]], NeighbourGraph.path(2)).epsilon == math.log(2)
    assert tightest_alpha([[0, 2], [2, 1]], NeighbourGraph.path(2)).epsilon == math.inf
    assert tightest_alpha([[1, 1], [1, 1]], NeighbourGraph.path(2)).epsilon == 0
