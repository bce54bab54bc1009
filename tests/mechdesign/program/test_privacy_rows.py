"""Short forms of privacy against all pairs."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechdesign import DesignProblem, Model, design
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.program import privacy_rows
from mechdesign.program.privacy_rows import form_of, n_privacy_rows
from mechdesign.program.privacy_rows import privacy_rows as rows_of

ALPHA = Fraction(2, 3)


def allows(graph, row):
    """Can the extra variables be chosen so that a row of P satisfies the form? Bounds are pushed until they settle."""
    rows = rows_of(graph, ALPHA, [0])
    size = graph.size
    low = dict(enumerate(row))
    high = dict(enumerate(row))
    pairs = [(b.ratio, u, v) for b in rows.blocks for u, v in zip(b.upper.tolist(), b.lower.tolist(), strict=True)]
    extra = {node for _, u, v in pairs for node in (u, v) if node >= size}
    low.update(dict.fromkeys(extra, Fraction(0)))
    high.update(dict.fromkeys(extra, Fraction(10**9)))
    before = None
    while (low, high) != before and all(low[node] <= high[node] for node in low):
        before = (dict(low), dict(high))
        for ratio, u, v in pairs:
            low[u] = max(low[u], ratio * low[v])
            high[v] = min(high[v], high[u] / ratio)
    return all(low[node] <= high[node] for node in low)


@settings(max_examples=40)
@given(st.integers(9, 20), st.integers(7, 18), st.data())
def test_windows_say_what_all_pairs_say(size, radius, data):
    radius = min(radius, size - 2)
    graph = NeighbourGraph.band(size, radius)
    assert form_of(graph) == "windows"
    row = data.draw(st.lists(st.integers(4, 9), min_size=size, max_size=size))
    private = all(row[j] >= ALPHA * row[k] for j, k in itertools.permutations(range(size), 2) if abs(j - k) <= radius)
    assert allows(graph, [Fraction(x) for x in row]) == private


@settings(max_examples=30)
@given(st.lists(st.integers(4, 9), min_size=4, max_size=9))
def test_a_row_minimum_says_what_all_pairs_say(row):
    graph = NeighbourGraph.complete(len(row))
    assert form_of(graph) == "row minimum"
    assert allows(graph, [Fraction(x) for x in row]) == (min(row) >= ALPHA * max(row))


@pytest.mark.slow
@pytest.mark.parametrize(("k", "radius"), [(20, 7), (24, 8), (17, 11), (16, 14)])
@pytest.mark.parametrize("properties", ["none", "CM", "S,F"])
@pytest.mark.parametrize("aggregate", ["expected", "worst"])
def test_windows_and_pairs_have_the_same_optimum(monkeypatch, k, radius, properties, aggregate):
    problem = DesignProblem(
        model=Model.lldp(k, radius), alpha="3/4", loss="L1", properties=properties, aggregate=aggregate
    )
    windows = design(problem, method="symmetric")
    monkeypatch.setattr(privacy_rows, "SMALLEST_WINDOW_RADIUS", k)
    pairs = design(problem, method="symmetric")
    assert (windows.status, windows.score) == ("exact", pairs.score)


@pytest.mark.slow
def test_the_short_forms_are_short():
    k = 100
    assert n_privacy_rows(NeighbourGraph.complete(k)) == (2 * k, 1)
    for radius in (20, 50):
        graph = NeighbourGraph.band(k, radius)
        built = rows_of(graph, ALPHA, range(k))
        rows = sum(len(block.upper) for block in built.blocks)
        estimated, extra = n_privacy_rows(graph)
        assert rows <= k * estimated < k * 2 * graph.n_edges
        assert len(built.extra_exponents) <= k * extra


def test_pairs_have_a_block_for_each_length():
    graph = NeighbourGraph.metric(np.array([[0, 2, 5], [2, 0, 3], [5, 3, 0]]))
    blocks = rows_of(graph, ALPHA, [0, 2]).blocks
    assert [(b.kind, b.ratio) for b in blocks] == [("DP", ALPHA**2), ("DP", ALPHA**3)]
    assert list(zip(blocks[1].upper.tolist(), blocks[1].lower.tolist(), strict=True)) == [
        (1, 2),
        (2, 1),
        (7, 8),
        (8, 7),
    ]
