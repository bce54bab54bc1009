"""What holds for some matrix near one of floats: against linear programming, witnesses, and by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from wording import refused

from mechdesign import DesignProblem, InputError, audit, design
from mechdesign.audits import within
from mechdesign.audits.mending import compare_with_optimum
from mechdesign.audits.within import Box, fit_together
from mechdesign.documents.precision import halves_of_cells, halves_of_floats
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.properties import find_property

F = Fraction

PROBLEMS = [("0.9", "none", "L1"), ("0.9", "WH,CM", "L0"), ("1/2", "F", "L2"), ("0.62", "RM,S", "L0:1")]


@pytest.mark.parametrize(("alpha", "properties", "loss"), PROBLEMS)
@pytest.mark.parametrize("kind", ["csv", "double", "single"])
def test_what_an_optimum_has_its_floats_have_within_their_precision(tmp_path, alpha, properties, loss, kind):
    best = design(DesignProblem(n=6, alpha=alpha, properties=properties, loss=loss))
    matrix = best.mechanism.matrix()
    path = tmp_path / ("m.csv" if kind == "csv" else "m.npy")
    if kind == "csv":
        path.write_text("".join(",".join(map(repr, row)) + "\n" for row in matrix.tolist()))
    else:
        np.save(path, matrix.astype(np.float32) if kind == "single" else matrix)
    found = audit(path, alpha=alpha, properties=properties)
    assert found.within.passed
    assert set(best.holds) <= set(found.within.holds)
    assert found.within.column_sums
    low, high = found.within.scores["L2"]
    exact = audit(best).scores["L2"]
    assert low <= exact <= high
    for (i, j), value in np.ndenumerate(matrix):
        assert abs(F(float(value)) - best.mechanism.fraction(i, j)) <= found.within.largest


def test_an_exact_matrix_has_no_second_verdict(tmp_path):
    (tmp_path / "exact.csv").write_text("1/2,1/4\n1/2,3/4\n")
    (tmp_path / "whole.csv").write_text("1,0\n0,1\n")
    assert audit(tmp_path / "exact.csv").within is None
    assert audit(tmp_path / "whole.csv").within is None
    assert audit([[F(1, 2), F(1, 4)], [F(1, 2), F(3, 4)]]).within is None


@pytest.mark.parametrize(
    ("row", "halves"),
    [
        (["0.25", "0.75"], [F(5, 1000), F(5, 1000)]),
        (["0.5", "0.9655"], [F(5, 10**5), F(5, 10**5)]),  # the zeros of 0.5000 are dropped
        (["1.25e-3", "2e-2"], [F(5, 10**6), F(5, 10**5)]),
        (["0.0", "0.125"], [F(5, 10**4), F(5, 10**4)]),
        (["0", "1", "1/3", "0.5"], [0, 0, 0, F(5, 100)]),
    ],
)
def test_decimals_count_with_their_last_place(row, halves):
    found = halves_of_cells([row])[0]
    assert [0 <= a - b <= F(1, 10**15) for a, b in zip(found, halves, strict=True)] == [True] * len(row)


def test_more_digits_than_a_double_has_are_believed():
    thirty = "0.333333333333333333333333333333"
    assert halves_of_cells([[thirty]]) == [[F(5, 10**31)]]
    assert halves_of_floats(np.array([[0.5]])) == [[F(1, 2**54)]]


matrices = st.integers(2, 4).flatmap(
    lambda size: st.lists(st.integers(0, 12), min_size=size * size, max_size=size * size).map(
        lambda values: [[F(v, 12) for v in values[i * size : (i + 1) * size]] for i in range(size)]
    )
)


def feasible(box, rows, floors=(), sums=None):
    """The same question to a solver of others: is there a matrix in the box with these rows, and these column sums?"""
    size = len(box.low) * len(box.low[0])
    left = np.zeros((max(1, len(rows)), size))
    for e, (u, v, ratio) in enumerate(rows):
        left[e, v] += float(ratio)
        left[e, u] -= 1
    low = [float(x) for row in box.low for x in row]
    for entry, floor in floors:
        low[entry] = max(low[entry], float(floor))
    high = [float(x) for row in box.high for x in row]
    if any(a > b for a, b in zip(low, high, strict=True)):
        return False
    width = len(box.low[0])
    columns = None if sums is None else np.tile(np.eye(width), size // width)
    right = None if sums is None else np.full(width, float(sums))
    bounds = list(zip(low, high, strict=True))
    answer = linprog(np.zeros(size), left, np.zeros(len(left)), columns, right, bounds=bounds)
    return answer.status == 0


def demands_of(name, size):
    """The pairs, the equal entries and the floors of a property."""
    prop = find_property(name)
    pairs = [] if prop.pairs is None else list(zip(*(x.tolist() for x in prop.pairs(size)), strict=True))
    equal = [] if prop.equal is None else list(zip(*(x.tolist() for x in prop.equal(size)), strict=True))
    asked = [(u, v, prop.ratio) for u, v in pairs] + [(u, v, 1) for a, b in equal for u, v in ((a, b), (b, a))]
    return asked, [(i * (size + 1), prop.floor / size) for i in range(size)]


@given(matrices, st.sampled_from(["WH", "RH", "RM", "CH", "CM", "F", "S", "OS:1/2"]), st.integers(1, 5))
@settings(max_examples=50, deadline=None)
def test_a_property_within_is_what_a_solver_says(rows, name, half):
    size = len(rows)
    box = Box(rows, [[F(half, 25)] * size for _ in rows])  # no ties: 1/25 divides no difference of twelfths
    asked, floors = demands_of(name, size)
    assert box.can_have(name) == feasible(box, asked, floors)


@given(matrices, st.sampled_from([F(1, 3), F(7, 11), F(9, 10)]), st.booleans(), st.integers(1, 5))
@settings(max_examples=50, deadline=None)
def test_privacy_within_is_what_a_solver_says(rows, alpha, is_path, half):
    size = len(rows)
    box = Box(rows, [[F(half, 25)] * size for _ in rows])
    graph = NeighbourGraph.path(size) if is_path else NeighbourGraph.complete(size)
    edges = [(j, k) for j in range(size) for k in range(size) if abs(j - k) == 1 or (j != k and not is_path)]
    asked = [(i * size + j, i * size + k, alpha) for i in range(size) for j, k in edges]
    assert box.can_be_private(alpha, graph) == feasible(box, asked)
    near = box.private_alpha(graph)
    assert near is None or box.can_be_private(near, graph)
    if box.can_be_private(alpha, graph):
        assert near is not None


def test_ways_of_several_edges_count():
    """Neighbours can be private pair by pair, and the ends not: 4/10, anything, 1/10 at alpha = 2/3."""
    box = Box([[F(4, 10), F(5, 10), F(1, 10)]], [[F(0), F(1, 2), F(0)]])
    graph = NeighbourGraph.path(3)
    assert not box.can_be_private(F(2, 3), graph)
    assert box.can_be_private(F(1, 2), graph)
    assert box.private_alpha(graph) == pytest.approx(F(1, 2), rel=1e-12)
    assert box.private_alpha(graph) <= F(1, 2)


def test_a_tolerance_decides_what_passes():
    rows = [["0.6", "0.4"], ["0.4", "0.6"]]
    assert not audit(rows, alpha="0.68").passed
    found = audit(rows, alpha="0.68", tolerance="0.01")
    assert (found.passed, found.within.tolerance, found.within.largest) == (True, F(1, 100), F(1, 100))
    assert not audit(rows, alpha="0.68", tolerance="0.001").passed
    with refused(InputError, about="tolerance"):
        audit(rows, tolerance=2)
    with refused(InputError):
        audit(design(DesignProblem(n=2, alpha="1/2")), tolerance="0.1")


def test_columns_that_cannot_be_probabilities():
    assert not audit([[0.5, 0.5], [0.4, 0.5]]).within.column_sums
    assert not audit([[-0.5, 0.5], [1.5, 0.5]]).within.column_sums
    assert audit([[0.1] * 2] * 10).within.column_sums  # 0.1 as a float is above 1/10
    assert audit([[0.5, 0.0], [0.5, 1.0]], alpha="1/2").within.epsilon > 700


def test_a_matrix_is_compared_with_the_proved_optimum():
    problem = DesignProblem(n=3, alpha="1/2", loss="L1")
    best = design(problem)
    assert compare_with_optimum(problem, best).excess == 0
    uniform = [[F(1, 4)] * 4] * 4
    assert compare_with_optimum(problem, uniform).excess == F(5, 4) - best.score
    with refused(InputError, about="matrix"):
        compare_with_optimum(problem, [[F(1)]])


@given(
    st.integers(2, 4).flatmap(
        lambda size: st.lists(
            st.lists(st.integers(0, 12), min_size=size, max_size=size), min_size=size, max_size=size
        ).filter(lambda columns: all(map(sum, columns)))
    ),
    st.sampled_from([F(1, 3), F(7, 11), F(9, 10)]),
    st.sets(st.sampled_from(["WH", "RH", "RM", "CH", "CM", "F", "S"]), max_size=2),
    st.integers(1, 5),
)
@settings(max_examples=60, deadline=None)
def test_what_one_matrix_has_at_once_is_what_a_solver_says(columns, alpha, names, half):
    size = len(columns)
    rows = [[F(column[i], sum(column)) for column in columns] for i in range(size)]
    halves = [[F(half, 53)] * size for _ in rows]
    asked = [(i * size + u, i * size + v, alpha) for i in range(size) for u in range(size) for v in (u - 1, u + 1)]
    asked = [(u, v, ratio) for u, v, ratio in asked if 0 <= v - size * (u // size) < size]
    floors = []
    for name in names:
        pairs, least = demands_of(name, size)
        asked, floors = asked + pairs, floors + least
    found = fit_together(rows, halves, NeighbourGraph.path(size), alpha, names)
    assert found == feasible(Box(rows, halves), asked, floors, sums=1)


def test_claims_that_hold_apart_and_not_together_are_no_pass():
    """The columns that sum to 1 are 0.55 and 0.45 both: the second one's diagonal is not its largest entry."""
    found = audit([[0.5, 0.6], [0.4, 0.5]], alpha="0.7", properties="CH", tolerance="0.05")
    assert [claim.true for claim in found.within.claims] == [True, True, True, False]
    assert (found.within.together, found.passed) == (False, False)


def test_the_least_loss_of_a_mechanism_is_above_that_of_a_matrix_with_columns_of_any_sums():
    """A matrix may have 0.495 beside 0.01; where the second column sums to 1, 0.001 is left beside 0.999."""
    found = audit([["0.505", "0"], ["0.505", "1.009"]], tolerance="0.01").within
    assert found.epsilon == pytest.approx(math.log(0.495 / 0.01))
    assert found.least <= math.log(0.495 / 0.001) <= found.reached <= found.least * Fraction(10002, 10000)


def test_an_undecided_program_leaves_the_least_loss_of_matrices(monkeypatch):
    monkeypatch.setattr(within, "fit_together", lambda *arguments: None)
    found = audit([["0.505", "0"], ["0.505", "1.009"]], tolerance="0.01").within
    assert found.least == pytest.approx(math.log(0.495 / 0.01), rel=1e-5)
    assert found.least <= math.log(0.495 / 0.01)
    assert found.reached is None


def test_a_matrix_near_the_uniform_one_needs_no_loss():
    found = audit([["0.333", "0.333"], ["0.333", "0.334"], ["0.333", "0.333"]], tolerance="0.001").within
    assert (found.epsilon, found.least, found.reached) == (0, 0, 0)
