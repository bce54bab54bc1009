"""The kernel refuses everything that is not exactly right."""

from fractions import Fraction

import pytest
from cases import WM
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import DesignProblem, Mechanism, RefusedError, design, verify
from mechdesign.design import checked_design

PROBLEM = DesignProblem(5, "9/10", properties=f"{WM},S")
DESIGN = design(PROBLEM)
ALPHA = (9, 10)
EDGES = PROBLEM.graph.edges


def defects(weights, properties=PROBLEM.properties, denominator=DESIGN.mechanism.denominator, alpha=ALPHA):
    return list(verify.defects(weights, denominator, alpha, EDGES, properties))


def changed(i, j, by):
    rows = [list(row) for row in DESIGN.mechanism.weights]
    rows[i][j] += by
    return rows


def test_a_certified_design_passes():
    assert defects(DESIGN.mechanism.weights) == []


@pytest.mark.parametrize("by", [1, -1])
def test_any_single_weight_changed_by_one_is_refused(by):
    for i in range(6):
        for j in range(6):
            assert f"column {j} does not sum to the denominator" in defects(changed(i, j, by))


def test_a_change_that_keeps_the_column_sums_is_refused_too():
    """Move one unit within a column: some tight privacy row or property must notice, for every pair of outputs."""
    for j in range(6):
        for i in range(6):
            rows = changed(i, j, 1)
            rows[(i + 1) % 6][j] -= 1
            assert defects(rows), (i, j)


def test_shapes_signs_and_types():
    assert defects([[1]]) == ["the matrix is not square, or smaller than 2 x 2"]
    assert defects([[1, 2, 3], [1, 2, 3]]) == ["the matrix is not square, or smaller than 2 x 2"]
    assert defects([[0.5, 0.5], [0.5, 0.5]])[0].startswith("the weights are not integers")
    assert defects([[True, True], [True, True]])[0].startswith("the weights are not integers")
    negative = list(verify.defects([[3, 3], [-1, -1]], 2, ALPHA, [(0, 1)], []))
    assert negative[:2] == ["weight (1,0) is negative", "weight (1,1) is negative"]
    assert defects(DESIGN.mechanism.weights, denominator=0)
    assert "XX is not a property" in defects(DESIGN.mechanism.weights, properties=["XX"])


@given(st.lists(st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=1, max_size=3))
def test_privacy_is_checked_both_ways_over_every_edge(weights):
    """Against the definition, one inequality at a time; the edge from 2 to 0 runs backwards."""
    edges = [(0, 1), (2, 0)]
    private = all(
        Fraction(a) >= Fraction(3, 4) * b
        for row in weights
        for j, k in edges
        for a, b in ((row[j], row[k]), (row[k], row[j]))
    )
    assert (not list(verify._privacy_defects(weights, (3, 4), edges))) == private


def test_nothing_unsound_leaves_the_workshop():
    identity = Mechanism(tuple(tuple(int(i == j) for j in range(6)) for i in range(6)), 1)
    with pytest.raises(RefusedError, match="refused: output 0 tells inputs 0 and 1 apart"):
        checked_design(PROBLEM, identity, DESIGN.proof, "by hand", 0.0, 0.0, 0.0)
    with pytest.raises(RefusedError, match="the lower bound exceeds the score"):
        checked_design(DesignProblem(5, "9/10"), design(DesignProblem(5, "9/10")).mechanism, Boast(), "boast", 0, 0, 0)


class Boast:
    """A proof that claims too much."""

    def bound(self, problem):
        return Fraction(1)


@pytest.mark.parametrize("alpha", [(0, 1), (1, 1), (10, 9), (-1, 2)])
def test_an_alpha_out_of_range_is_refused(alpha):
    assert "alpha is not in (0, 1)" in defects(DESIGN.mechanism.weights, alpha=alpha)


def test_a_smaller_epsilon_than_it_has_is_refused():
    assert any("tells inputs" in text for text in defects(DESIGN.mechanism.weights, alpha=(91, 100)))


COST = [[0 if i == j else 1 for j in range(3)] for i in range(3)]


def bound(multipliers, properties=(), denominator=1, alpha=ALPHA):
    return Fraction(*verify.dual_bound(COST, 1, alpha, [(0, 1), (1, 2)], properties, multipliers, denominator))


def test_the_bound_by_hand():
    assert bound([]) == 0
    # raising R[0][1] by alpha m and lowering R[0][0] by m: column 0 falls to -m, column 1 is still 0 on the diagonal
    assert bound([("DP", 0, 0, 0, 1, 1)]) == -1
    # P[1,1] >= 9/10 P[1,0] priced at 1: R[1][1] = -1, R[1][0] = 19/10
    assert bound([("DP", 1, 1, 1, 0, 1)]) == -1
    # WH: m (P[0,0] - 1/3): R[0][0] = -m, constant m/3
    assert bound([("WH", 0, 0, 0, 0, 3)], ["WH"]) == -3 + 1
    assert bound([("WH", 0, 0, 0, 0, 3)], ["WH"], denominator=6) == Fraction(-1, 2) + Fraction(1, 6)


@pytest.mark.parametrize(
    ("multiplier", "properties"),
    [
        (("DP", 0, 0, 0, 1, -1), ()),
        (("DP", 0, 0, 0, 2, 1), ()),
        (("DP", 0, 0, 1, 1, 1), ()),
        (("DP", 0, 0, 0, 3, 1), ()),
        (("DP", 0, 0, 0, -1, 1), ()),
        (("DP", 0, 0, 0, 1, 0.5), ()),
        (("WH", 0, 1, 0, 1, 1), ("WH",)),
        (("WH", 0, 0, 0, 0, 1), ()),
        (("WH", 1, 1, 1, 0, 1), ("WH",)),
        (("RH", 0, 0, 0, 1, 1), ("CH",)),
        (("RH", 0, 1, 0, 0, 1), ("RH",)),
        (("RM", 0, 0, 0, 2, 1), ("RM",)),
        (("RM", 0, 2, 0, 1, 1), ("RM",)),
        (("CH", 1, 0, 0, 0, 1), ("CH",)),
        (("CM", 2, 0, 1, 0, 1), ("CM",)),
        (("CM", 0, 0, 2, 0, 1), ("CM",)),
        (("F", 0, 0, 0, 1, 1), ("F",)),
        (("S", 0, 1, 0, 1, 1), ("S",)),
        (("OS", 0, 0, 1, 0, 1), ("OS",)),
    ],
)
def test_multipliers_on_rows_that_do_not_exist_are_refused(multiplier, properties):
    with pytest.raises(ValueError, match=r"multiplier|no row"):
        bound([multiplier], properties)


def test_multipliers_of_equalities_may_be_negative():
    assert bound([("F", 0, 0, 1, 1, -2)], ["F"]) <= 0
    assert bound([("S", 0, 0, 2, 2, -2)], ["S"]) <= 0


def test_the_kernel_recomputes_the_designs_bound():
    assert PROBLEM.rescaling * DESIGN.proof.bound(PROBLEM) == DESIGN.score == DESIGN.lower_bound


def test_a_changed_multiplier_changes_or_voids_the_bound():
    """At an exact optimum no multiplier can be changed by a noticeable amount without losing the proof."""
    proof = DESIGN.proof
    for k, (kind, i, j, m, h, value) in enumerate(proof.multipliers):
        worse = list(proof.multipliers)
        worse[k] = (kind, i, j, m, h, value * 2 + proof.denominator)
        assert type(proof)(tuple(worse), proof.denominator).bound(PROBLEM) < proof.bound(PROBLEM)


def test_edges_may_be_read_once_only():
    weights = [[1, 1, 1], [0, 9, 1], [9, 0, 8]]
    assert list(verify.defects(weights, 10, (1, 2), zip(range(2), range(1, 3), strict=True), []))
