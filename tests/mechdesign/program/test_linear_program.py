"""Every block of the LP against rows written by hand for n = 2 (entries are numbered 3i + j)."""

from fractions import Fraction

import pytest

from mechdesign import DesignProblem
from mechdesign.program.linear_program import build, property_rows
from mechdesign.program.privacy_rows import privacy_rows

A = Fraction(9, 10)


def pairs(block):
    return set(zip(block.upper.tolist(), block.lower.tolist(), strict=True))


def rows(program):
    return {
        (kind, upper, lower, program.ratios[k])
        for kind, upper, lower, k in zip(
            program.row_kind, *(e.tolist() for e in program.row_nodes), program.ratio_of.tolist(), strict=True
        )
    }


def test_privacy_block():
    problem = DesignProblem(2, A)
    (block,) = privacy_rows(problem.graph, A, range(3)).blocks
    assert block.ratio == A
    assert pairs(block) == {
        (0, 1),
        (1, 0),
        (1, 2),
        (2, 1),
        (3, 4),
        (4, 3),
        (4, 5),
        (5, 4),
        (6, 7),
        (7, 6),
        (7, 8),
        (8, 7),
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("RH", {(0, 1), (0, 2), (4, 3), (4, 5), (8, 6), (8, 7)}),
        ("RM", {(0, 1), (1, 2), (4, 3), (4, 5), (8, 7), (7, 6)}),
        ("CH", {(0, 3), (0, 6), (4, 1), (4, 7), (8, 2), (8, 5)}),
        ("CM", {(0, 3), (3, 6), (4, 1), (4, 7), (8, 5), (5, 2)}),
    ],
)
def test_property_blocks(name, expected):
    (block,) = property_rows(DesignProblem(2, A, properties=name))
    assert (block.kind, block.ratio) == (name, 1)
    assert pairs(block) == expected


def test_the_whole_program_without_properties():
    program = build(DesignProblem(2, A), symmetric=False)
    assert program.variable_of.tolist() == list(range(9))
    assert program.cost == tuple(int(e not in (0, 4, 8)) for e in range(9))
    assert program.cost_denominator == 3
    assert program.exponent.tolist() == [0, 1, 2, 1, 0, 1, 2, 1, 0]
    assert [(e.column, e.variables.tolist(), list(e.coefficients)) for e in program.equations] == [
        (0, [0, 3, 6], [1, 1, 1]),
        (1, [1, 4, 7], [1, 1, 1]),
        (2, [2, 5, 8], [1, 1, 1]),
    ]
    assert program.n_rows == 12
    assert not any(program.floor)


def test_a_stronger_row_between_the_same_entries_replaces_the_weaker():
    program = build(DesignProblem(2, A, properties="RM"), symmetric=False)
    assert rows(program) == {
        *(("RM", u, v, Fraction(1)) for u, v in [(0, 1), (1, 2), (4, 3), (4, 5), (8, 7), (7, 6)]),
        *(("DP", u, v, A) for u, v in [(1, 0), (2, 1), (3, 4), (5, 4), (7, 8), (6, 7)]),
    }


def test_weak_honesty_is_a_floor_on_the_diagonal():
    program = build(DesignProblem(2, A, properties="WH"), symmetric=False)
    assert program.floor == tuple(Fraction(1, 3) if e in (0, 4, 8) else Fraction(0) for e in range(9))
    assert not any(build(DesignProblem(2, A, properties="WH,CM"), symmetric=False).floor)


def test_fairness_merges_the_diagonal():
    program = build(DesignProblem(2, A, properties="F"), symmetric=False)
    assert program.variable_of.tolist() == [0, 1, 2, 3, 0, 4, 5, 6, 0]
    assert program.n_variables == 7


def test_symmetry_merges_an_entry_with_its_rotation():
    program = build(DesignProblem(2, A, properties="S"))
    assert program.variable_of.tolist() == [0, 1, 2, 3, 4, 3, 2, 1, 0]
    assert (program.cost, program.cost_denominator) == ((0, 2, 2, 2, 0), 3)
    assert [(e.column, e.variables.tolist(), list(e.coefficients)) for e in program.equations] == [
        (0, [0, 2, 3], [1, 1, 1]),
        (1, [1, 4], [2, 1]),
    ]
    assert program.n_rows == 6


def test_rotations_are_merged_where_that_is_free():
    assert build(DesignProblem(2, A)).symmetric
    assert not build(DesignProblem(2, A, prior="binomial:1/3")).symmetric
    assert build(DesignProblem(2, A, prior="binomial:1/3", properties="S")).symmetric
