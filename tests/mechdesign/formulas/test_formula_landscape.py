"""Landscapes for every alpha: regions and crossings against landscapes at one alpha, and known theorems."""

import random
from fractions import Fraction

import pytest
from wording import refused

from mechdesign import DesignProblem, InputError, LimitReachedError, formula_landscape, landscape
from mechdesign.formulas.landscape import FormulaLandscape, formula_landscape_document, weakest
from mechdesign.formulas.polynomials import evaluate

KNOWN = {"L0": formula_landscape(n=4), "L1": formula_landscape(n=4, loss="L1")}


def named(found: FormulaLandscape) -> list[list[list[str]]]:
    return [
        [[",".join(names) or "none" for names in weakest(group)] for group in region.classes]
        for region in found.regions
    ]


@pytest.mark.parametrize("n", [2, 3, 5, 6])
def test_l0_has_three_regimes(n: int) -> None:
    found = formula_landscape(n=n)
    ends = sorted({Fraction(1, 2), Fraction(n, n + 2)})
    assert [region.end.exact for region in found.regions] == [*ends, 1]
    orders = [[["none"], ["F"]], [["none"], ["CH"], ["F"]], [["none"], ["WH"], ["CH"], ["F"]]]
    if n == 2:  # both ends are 1/2, and CH is as dear as WH
        orders = [orders[0], [["none"], ["WH"], ["F"]]]
    assert named(found) == orders
    assert found.crossings == ()


@pytest.mark.parametrize("loss", KNOWN)
def test_inside_each_region_the_landscape_at_one_alpha_has_its_classes_and_scores(loss: str) -> None:
    found, numbers = KNOWN[loss], random.Random(7)
    for region in found.regions[:: 1 if loss == "L0" else 4]:
        alpha = Fraction(numbers.uniform(region.start.value, region.end.value)).limit_denominator(10**7)
        assert region.end.is_above(alpha)
        assert not region.start.is_above(alpha)
        there = landscape(DesignProblem(n=4, alpha=alpha, loss=loss))
        assert [set(group.closed) for group in there.classes] == [set(group) for group in region.classes]
        for here, group in zip(region.classes, there.classes, strict=True):
            assert found.formulas[here[0]].score(alpha) == group.score
            pieces = [
                function
                for start, end, function in found.scores(region, here[0])
                if not start.is_above(alpha) and end.is_above(alpha)
            ]
            assert [function(alpha) for function in pieces] == [group.score]


def test_regions_join_and_cover_everything() -> None:
    for found in KNOWN.values():
        assert found.regions[0].start.exact == 0
        assert found.regions[-1].end.exact == 1
        for before, after in zip(found.regions, found.regions[1:], strict=False):
            assert before.end == after.start
            assert before.end.value < after.end.value
            at_once = before.end in [crossing.at for crossing in found.crossings]
            assert at_once or before.classes != after.classes


def test_sets_meet_where_their_scores_are_the_same_and_nowhere_near() -> None:
    """At a root the difference changes its sign, or touches 0: its values near it are small on both sides."""
    found = KNOWN["L1"]
    assert len(found.crossings) == 13
    for crossing in found.crossings:
        low, high = crossing.at.between
        assert evaluate(crossing.at.polynomial, low) * evaluate(crossing.at.polynomial, high) < 0
        one, other = (found.formulas[subset] for subset in crossing.pairs[0])
        apart = Fraction(1, 10**5)
        near = [abs(one.score(at) - other.score(at)) for at in (low, high)]
        beyond = [abs(one.score(at) - other.score(at)) for at in (low - apart, high + apart)]
        assert max(near) < 10**-10
        assert min(beyond) > 10**-8


def test_monotone_columns_touch_the_best_score_once() -> None:
    """A finding: WH, CM costs something just below and above, and nothing at the root of a^4 + a^3 + a^2 + a - 1."""
    found = KNOWN["L1"]
    first = found.crossings[0]
    assert first.at.polynomial == (-1, 1, 1, 1, 1)
    assert [[weakest(group) for group in run] for run in found.meeting(first)] == [[((),), (("CH",),)]]


def test_of_sets_between_two_with_one_formula_none_is_solved() -> None:
    found = KNOWN["L0"]
    assert len(found.solved) < len(found.formulas) == 18
    with_s = formula_landscape(n=2, loss="L1", prior="binomial:1/3")
    assert any("S" in subset for subset in with_s.formulas)


def test_rows_and_json_say_all_classes() -> None:
    found = KNOWN["L0"]
    document = formula_landscape_document(found)
    assert [len(region["classes"]) for region in document["regions"]] == [2, 3, 4]
    assert document["crossings"] == []
    lines = found.tabulate().csv_bytes().decode().splitlines()
    assert lines[0] == "region_from,region_to,class,weakest,closed,from,to,score"
    assert lines[1].startswith("0,1/2,1,none,")
    assert lines[1].endswith(",0,1/2,2a / (a + 1)")
    assert repr(found).endswith("all property subsets, loss L0, prior uniform; 3 regions, 0 crossings>")
    assert "WH" in found._repr_html_()


def test_bad_input() -> None:
    with refused(InputError):
        formula_landscape(n=4, properties="WH")
    with refused(InputError):
        formula_landscape(n=4, alpha="1/2")
    with refused(LimitReachedError):
        formula_landscape(n=12, loss="L2", time_limit=0.05)
