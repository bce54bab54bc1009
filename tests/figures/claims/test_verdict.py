from fractions import Fraction

import pytest
from wording import refused

from mechdesign_figures.claims.verdict import Case, Finding, Verdict, by_alpha, judge, setting, shown, spans


def test_true_in_every_case():
    found = judge([Case("n = 1", True, "0.5"), Case("n = 2", True), Case("n = 3", True, "0.7")])
    assert found == Finding(Verdict.HOLDS, "true in all 3 cases; first n = 1: 0.5; last n = 3: 0.7")


def test_one_case_is_shown_as_it_is():
    assert judge([Case("n = 2", True, "1/19")]) == Finding(Verdict.HOLDS, "n = 2: 1/19")
    assert judge([Case("n = 2", False, "1/19")]) == Finding(Verdict.FAILS, "n = 2: 1/19")


def test_true_exactly_where_the_condition_is_met():
    cases = [Case("n = 1", False, "x", met=False), Case("n = 2", True, met=True), Case("n = 3", True, met=True)]
    found = judge(cases, "n >= 2")
    assert found.verdict is Verdict.CONDITIONAL
    assert found.numbers == "true exactly where n >= 2 (2 cases true, 1 false, such as n = 1: x)"


@pytest.mark.parametrize(
    "cases",
    [
        [Case("a", True, met=True), Case("b", False, met=True), Case("c", False, met=False)],  # not enough
        [Case("a", True, met=True), Case("b", True, met=False), Case("c", False, met=False)],  # not needed
        [Case("a", False, met=False), Case("b", False, met=False)],  # never seen true
        [Case("a", False, met=True), Case("b", True, met=False)],  # the opposite
    ],
)
def test_a_condition_must_be_right_both_ways(cases):
    assert judge(cases, "condition").verdict is Verdict.FAILS


def test_without_a_stated_condition_there_is_none():
    assert judge([Case("a", False, met=False), Case("b", True, met=True)]).verdict is Verdict.FAILS


def test_a_condition_is_not_named_where_nothing_failed():
    cases = [Case("a", True, met=True), Case("b", True, met=False)]
    assert judge(cases, "n >= 2") == Finding(Verdict.HOLDS, "true in all 2 cases; first a; last b")


def test_the_worst_counterexample_is_shown():
    cases = [
        Case("a", False, "small", miss=Fraction(1, 10)),
        Case("b", False, "large", miss=Fraction(2, 10)),
        Case("c", True, miss=Fraction(9)),
        Case("d", False, "explained", met=False, miss=Fraction(8)),
    ]
    found = judge(cases, "condition", "and more")
    assert found.numbers == "false in 3 of 4 cases, worst at b: large; and more"


def test_a_note_that_repeats_is_left_out():
    assert judge([Case("a", True, "1")], note="a: 1").numbers == "a: 1"
    assert judge([Case("a", True, "1")], note="b: 1").numbers == "a: 1; b: 1"


def test_nothing_measured_is_no_verdict():
    with refused(ValueError):
        judge([])
    with refused(ValueError):
        judge([], "condition", "note")


def test_numbers_as_people_read_them():
    assert shown(Fraction(391, 405)) == "391/405 = 0.965432"
    assert shown(Fraction(348949, 360001)) == "0.9693"
    assert shown(Fraction(-3)) == "-3"
    assert shown(Fraction(10**20, 10**21 + 1)) == "0.1"
    assert setting(4, Fraction(2, 3)) == "n = 4, alpha = 2/3"
    assert by_alpha([(3, Fraction(2, 3)), (2, Fraction(1, 3)), (4, Fraction(2, 3))]) == (
        "alpha = 1/3 (n = 2), alpha = 2/3 (n = 3, 4)"
    )
    assert by_alpha([]) == "none tried"


def test_neighbours_on_a_grid_are_drawn_together():
    grid = [Fraction(k, 4) for k in range(1, 8)]
    assert spans(grid, [grid[0], *grid[2:5], grid[6]]) == "0.25, 0.75 to 1.25, 1.75"
    assert spans(grid, grid) == "0.25 to 1.75"
    assert spans(grid, []) == "none"
    assert spans([Fraction(1, 10), Fraction(7, 10)], [Fraction(1, 10), Fraction(7, 10)]) == "0.1 to 0.7"
