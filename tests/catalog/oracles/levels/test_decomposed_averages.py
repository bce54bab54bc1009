"""What all ranges and prefixes take of a level, against these one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign_catalog.oracles.levels.decomposed_averages import decomposed_squares
from mechdesign_catalog.oracles.levels.tree import Tree
from mechdesign_catalog.oracles.registry import parse_oracle

Span = tuple[int, int]


def taken_nodes(nodes: list[Span], parents: list[Span], query: Span) -> list[int]:
    """The nodes that lie in a range, and whose parents do not."""
    whole = [parent for parent in parents if lies_in(parent, query)]
    return [
        number
        for number, node in enumerate(nodes)
        if lies_in(node, query) and not any(lies_in(node, parent) for parent in whole)
    ]


def lies_in(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


@given(k=st.integers(2, 26), b=st.integers(2, 30), kind=st.sampled_from([Ranges, Prefixes]))
def test_sums_over_all_queries_are_those_of_the_queries_one_by_one(k, b, kind):
    tree, parents = Tree(k, b), [(0, k)]
    queries = [(first, stop) for first in range(k if kind is Ranges else 1) for stop in range(first + 1, k + 1)]
    for size, found in zip(tree.sizes, decomposed_squares(tree, kind(k)), strict=True):
        nodes = [(start, min(start + size, k)) for start in range(0, k, size)]
        shares = np.array([stop - start for start, stop in nodes]) / k
        taken = [taken_nodes(nodes, parents, query) for query in queries]
        counts = np.array([len(some) for some in taken])
        answers = np.array([shares[some].sum() for some in taken])
        assert found.squares == counts.sum()
        assert found.squared_sums == (counts**2).sum()
        assert found.square_answers == pytest.approx(answers.sum(), rel=1e-12)
        assert found.sums_and_answers == pytest.approx((counts * answers).sum(), rel=1e-12)
        assert found.squared_answers == pytest.approx((answers**2).sum(), rel=1e-12)
        parents = nodes


@pytest.mark.parametrize("kind", [Ranges, Prefixes])
@pytest.mark.parametrize("choice", ["oue", "hrr", "grr"])
@pytest.mark.parametrize(("k", "b"), [(64, 4), (45, 3), (7, 9), (33, 2)])
def test_the_average_is_that_of_the_variances(k, b, choice, kind):
    oracle = parse_oracle(f"hh:b={b}:in={choice}:estimate=raw", k, Privacy(epsilon=1))
    variances = oracle.answer_variance(kind(k).queries(), np.full(k, 1 / k), 1000)
    assert oracle.average_variance(kind(k), 1000) == pytest.approx(variances.mean(), rel=1e-12)


def test_other_workloads_of_too_many_queries_are_refused():
    oracle = parse_oracle("hh:b=4:estimate=raw", 1 << 24, Privacy(epsilon=1))
    with pytest.raises(InputError, match="raw must have at most 8390656 queries to average over, got 16777215"):
        oracle.average_variance(FixedRanges(1 << 24, 2), 1000)
