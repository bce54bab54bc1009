"""Words of a report, held against the numbers of the design that they are about."""

from fractions import Fraction

import pytest

from mechdesign import DesignProblem, Loss, Model, Prior, Privacy, design
from mechdesign.pages.words import (
    _bound_words,
    certificate_sentences,
    exact_words,
    problem_sentences,
)
from mechdesign_figures.reports.page import report_page
from mechdesign_figures.reports.promise import privacy_words_of
from mechdesign_figures.reports.report import DesignReport

METRIC = Model.metric([["0", "1", "2.5"], ["1", "0", "2"], ["2.5", "2", "0"]], unit=1)


def test_a_count_is_told_with_privacy_loss_and_properties():
    said = " ".join(problem_sentences(DesignProblem(n=8, alpha="0.9", properties="WH,CM")))
    for part in ("group of 8 people", "0..8", "alpha = 0.9, epsilon = 0.105361", "times 9/8", "every input is equally"):
        assert part in said
    assert "WH (weak honesty): P[i,i] >= 1/(n+1); CM (column monotonicity)" in said


@pytest.mark.parametrize(
    ("problem", "parts"),
    [
        (DesignProblem(n=1, alpha="1/2", loss="L1", prior="binomial:1/4"), ("1 person", "|i - j|", "binomial:1/4")),
        (DesignProblem(n=4, alpha="1/2", loss="L2:1"), ("|i - j|^2; errors of at most 1 cost nothing",)),
        (DesignProblem(n=4, alpha="1/2", loss="L3", aggregate="worst"), ("|i - j|^3", "of the worst input")),
        (DesignProblem(n=4, alpha="1/2", loss="PB:0.75"), ("0.75 for each step that it is below", "0.25 for each")),
        (
            DesignProblem(n=1, alpha="1/2", loss=Loss.from_matrix([[0, 1], [1, 0]]), prior=Prior("uniform")),
            ("An output costs what a matrix says",),
        ),
        (DesignProblem(n=1, alpha="1/2", prior=Prior.from_weights(["1/4", "3/4"])), ("as the given weights",)),
        (DesignProblem(model=Model.ldp(4), alpha="1/2"), ("one of 4 items", "Any two items", "times 4/3")),
        (DesignProblem(model=Model.lldp(5, 2), alpha="1/2"), ("Two items at most 2 apart",)),
        (DesignProblem(model=METRIC, alpha="1/2"), ("exp(epsilon d)", "rounded down to multiples of the unit")),
    ],
    ids=["one-person", "tolerance", "worst", "pinball", "matrix", "weights", "ldp", "lldp", "metric"],
)
def test_every_kind_of_problem_has_its_own_words(problem, parts):
    said = " ".join(problem_sentences(problem))
    for part in parts:
        assert part in said


def test_the_certificate_counts_what_was_tested():
    found = design(DesignProblem(n=8, alpha="0.9", properties="WH,CM"))
    said = " ".join(certificate_sentences(found))
    assert f"divided by {found.mechanism.denominator}, none is negative" in said
    assert "144 inequalities" in said  # 9 outputs, 8 pairs of neighbours, both ways
    assert "The score is 114025/118098 = 0.965512 (rounded up)." in said
    assert "gap 0" in said
    assert f"9 prices of columns and {len(found.certificate['rows'])} multipliers" in said
    assert "WH, RH, RM, CH, CM, S" in said


@pytest.mark.parametrize(
    ("problem", "made"),
    [
        (DesignProblem(n=8, alpha="0.9"), "9 prices of columns of the"),
        (DesignProblem(n=4, alpha="0.9", loss="L1", aggregate="worst"), "the least favourable prior and 5 prices"),
        (DesignProblem(model=METRIC, alpha="1/2"), "multipliers of rows"),
    ],
    ids=["prices-alone", "worst-case", "multipliers-alone"],
)
def test_the_proof_is_told_by_what_it_is_made_of(problem, made):
    found = design(problem)
    said = " ".join(certificate_sentences(found))
    assert made in said
    assert (" 0 multipliers" in said) is False
    assert ("multipliers" in said) is bool(found.certificate["rows"])
    assert "python -m mechdesign.verify" in said


def test_a_gap_is_told_and_never_below_it():
    found = design(DesignProblem(model=METRIC, alpha="1/2", loss="L1"))
    said = " ".join(certificate_sentences(found))
    assert "for the distances as rounded" in said
    if found.gap:
        stated = Fraction(said.partition("the gap is at most ")[2].partition(". ")[0].rstrip("."))
        assert found.gap <= stated <= found.gap * Fraction(101, 100)


def test_no_score_is_said_to_be_below_the_bound_that_is_told():
    """The bound of this design rounds to more than the design's own score, in nine digits and fewer."""
    problem = DesignProblem(
        model=Model.metric([["0", "0.33333", "1.1"], ["0.33333", "0", "0.9"], ["1.1", "0.9", "0"]], "0.25"),
        alpha=Privacy(epsilon="1").alpha,
    )
    found = design(problem)
    assert found.gap
    said = " ".join(certificate_sentences(found))
    stated = Fraction(said.partition("has one below ")[2].partition(" ")[0])
    assert found.lower_bound - Fraction(1, 10**11) < stated <= found.lower_bound
    told = found.optimality
    assert Fraction(told.partition("scores below ")[2]) <= found.lower_bound
    assert Fraction(told.partition(" ")[0]) >= found.gap
    shown = report_page(DesignReport(found)).partition('<th scope="row">gap</th><td>')[2]
    assert found.gap <= Fraction(shown.partition(" ")[0]) <= found.gap * Fraction(11, 10)


@pytest.mark.parametrize(
    ("model", "part"),
    [
        (Model.count(4), "each count that is released"),
        (Model.ldp(4), "each report through this mechanism spends epsilon = 0.693148 (alpha = 0.5)."),
        (Model.lldp(4, 1), "for items at most 1 apart and no others"),
        (METRIC, "for each 1 of distance between two items"),
    ],
    ids=["count", "ldp", "lldp", "metric"],
)
def test_the_statement_names_epsilon_and_what_it_is_for(model, part):
    said = privacy_words_of(DesignProblem(model=model, alpha="1/2"))
    assert part in said[0]
    assert "epsilon = 0.693148" in said[0]


def test_a_stated_score_is_never_below_the_score():
    assert exact_words(Fraction(3)) == "3"
    assert exact_words(Fraction(1, 4)) == "1/4 = 0.25"
    assert exact_words(Fraction(1, 3)) == "1/3 = 0.333334 (rounded up)"
    assert exact_words(Fraction(1, 3**200)) == "3.76487e-96 (rounded up)"
    assert Fraction("3.76486e-96") < Fraction(1, 3**200) < Fraction("3.76487e-96")


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ("3", "3"),
        ("1/2", "1/2 = 0.5"),
        ("2/3", "2/3 = 0.666666666666 (rounded down)"),
        ("1000000000001/3000000000001", "1000000000001/3000000000001 = 0.333333333333 (rounded down)"),
        (f"{10**60 - 1}/{10**60}", "0.999999999999 (rounded down)"),
    ],
)
def test_a_bound_is_never_written_above_itself(bound, said):
    assert _bound_words(Fraction(bound)) == said
