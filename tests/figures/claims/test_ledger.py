import os
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from findings import finding

from mechdesign import DesignProblem, Mechanism, derive, design
from mechdesign.certificate.score import score
from mechdesign.methods.closed_forms.geometric import geometric
from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS
from mechdesign_figures.claims.claim import (
    COMMUTING,
    EXPERIMENTS,
    GROUPS,
    MARGINALS,
    OPTIMA,
    RANGES,
    SEVERAL,
    TELEMETRY,
)
from mechdesign_figures.claims.counts import fair, subsets
from mechdesign_figures.claims.counts.derived import best_derived_score
from mechdesign_figures.claims.counts.local import misled_inputs, never_reported
from mechdesign_figures.claims.counts.matrices import (
    double_above,
    inverse_to,
    lopsided,
    privacy,
    rotated,
    skewed,
    symmetrised,
)
from mechdesign_figures.claims.counts.symmetry import charges_are_symmetric
from mechdesign_figures.claims.counts.weak import weak_settings
from mechdesign_figures.claims.ledger import CLAIMS, MeasuredClaim, claims_page, claims_text, measure_claims
from mechdesign_figures.claims.verdict import Finding, Verdict
from mechdesign_figures.studies.design_cache import DesignCache

HOLDS, CONDITIONAL, FAILS = Verdict.HOLDS, Verdict.CONDITIONAL, Verdict.FAILS

MATHEMATICS = {
    "symmetrising keeps": HOLDS,
    "symmetrising is free": HOLDS,
    "symmetrising is free, any prior": CONDITIONAL,
    "Example 1": HOLDS,
    "GM is optimal": HOLDS,
    "GM is optimal, any prior": CONDITIONAL,
    "GM with row properties": HOLDS,
    "GM is unique": HOLDS,
    "EM has everything": HOLDS,
    "EM is optimal": HOLDS,
    "with fairness the rest is free": HOLDS,
    "four mechanisms": HOLDS,
    "WH with rows": HOLDS,
    "a column property": HOLDS,
    "fairness gives EM": HOLDS,
    "the flowchart": HOLDS,
    "GM is tight": HOLDS,
    "GM's score": HOLDS,
    "GM's rows": HOLDS,
    "GM's weak honesty": CONDITIONAL,
    "GM's columns": CONDITIONAL,
    "GM's diagonal": CONDITIONAL,
    "weak honesty is free": CONDITIONAL,
    "EM's diagonal, even n": HOLDS,
    "EM's diagonal": HOLDS,
    "fair diagonals": HOLDS,
    "EM against GM": HOLDS,
    "UM's error": HOLDS,
    "implications": HOLDS,
    "WM for small alpha": CONDITIONAL,
    "WM between GM and EM": HOLDS,
    "what GM derives": HOLDS,
    "WM is new": FAILS,
    "EM is new": CONDITIONAL,
    "no other implications": HOLDS,
    "GM against guessing": HOLDS,
    "WM meets GM": FAILS,
    "WM costs as much as EM": FAILS,
    "GRR is optimal": HOLDS,
    "LDP under L1": CONDITIONAL,
    "LDP under L2": CONDITIONAL,
    "honest columns": CONDITIONAL,
}
MEASUREMENTS = {
    "figure 6.1, L1": FAILS,
    "figure 6.1, L2": FAILS,
    "figure 6.1, L0:1": FAILS,
    "EM on Adult": FAILS,
    "WM on Adult": FAILS,
    "GM on Adult": FAILS,
    "GM on binomial data": FAILS,
    "GM becomes bimodal": HOLDS,
    "UCM's RMSE, L1": FAILS,
    "UCM's RMSE, L2": FAILS,
}
ELSEWHERE = {COMMUTING, SEVERAL, TELEMETRY, RANGES, MARGINALS, OPTIMA}
"""Groups whose verdicts have test files of their own."""
BY_KEY = {claim.key: claim for claim in CLAIMS}
BENCH = DesignCache()
HAS_ADULT = Path(os.environ.get("MECHDESIGN_DATA") or "no folder", "adult.data").is_file()
NEEDS_ADULT = pytest.mark.skipif(not HAS_ADULT, reason="MECHDESIGN_DATA names no folder that has adult.data")


def parameters(expected):
    return [
        pytest.param(key, verdict, id=key, marks=NEEDS_ADULT if "adult" in BY_KEY[key].needs else ())
        for key, verdict in expected.items()
    ]


def test_every_claim_is_expected_somewhere():
    here = {claim.key for claim in CLAIMS if claim.source not in ELSEWHERE}
    assert MATHEMATICS.keys() | MEASUREMENTS.keys() == here
    assert len(BY_KEY) == len(CLAIMS)
    assert MEASUREMENTS.keys() == {claim.key for claim in CLAIMS if claim.source == EXPERIMENTS}
    assert [claim.source for claim in CLAIMS] == sorted((c.source for c in CLAIMS), key=GROUPS.index)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "verdict"), parameters(MATHEMATICS))
def test_the_verdict_is_what_the_mathematics_says(key, verdict):
    assert finding(key).verdict is verdict


@pytest.mark.slow
@pytest.mark.parametrize(("key", "verdict"), parameters(MEASUREMENTS))
def test_what_experiments_said(key, verdict):
    assert finding(key).verdict is verdict


@pytest.mark.parametrize(
    ("key", "numbers"),
    [
        ("symmetrising is free, any prior", ("25/34 = 0.735294 to 217/272 = 0.797794", "0.858709", "1.07403")),
        ("Example 1", ("1/19 = 0.0526316", "18/19")),
        ("WM meets GM", ("n = 20, alpha = 10/11: WM 0.964137, GM 20/21 = 0.952381",)),
        ("WM costs as much as EM", ("n = 8, alpha = 0.99: WM 0.997166, EM 0.997188",)),
        ("no other implications", ("36 closed subsets", "18 where S is free")),
        ("figure 6.1, L0:1", ("31/50 = 0.62", "0.95")),
        ("weak honesty is free", ("exactly where n >= 2 or alpha <= 1/3", "3 false, such as n = 1,")),
        ("fair diagonals", ("reached in ",)),
        ("WH with rows", ("WH,RM,S", "of 18 closed subsets solved")),
        ("WM is new", ("with n >= 3 and alpha >= 3/4 none of 3", "alpha = 0.69 (n = 2, 3, 4, 5)")),
        ("UCM's RMSE, L1", ("3.2 % above the lowest at p = 0.6, n = 18, alpha = 0.67",)),
        ("GM becomes bimodal", ("alpha = 0.91 at 0, 7", "alpha = 0.67 at 0", "p = 0.7 at alpha = 0.85 to 0.95")),
        ("EM's diagonal, even n", ("at odd n in 0 of 12 cases",)),
        pytest.param(
            "EM on Adult",
            ("income, n = 8, alpha = 0.9: ", "WM 0.860011", "EM 0.860922", "UM 8/9 = 0.888889"),
            marks=NEEDS_ADULT,
        ),
    ],
)
def test_known_numbers_appear(key, numbers):
    text = finding(key).numbers
    assert all(number in text for number in numbers), text


def broken_explicit_fair(n, alpha):
    """EM with the powers of GM throughout: columns no longer sum alike, so they are scaled."""
    columns = [[alpha ** abs(i - j) for i in range(n + 1)] for j in range(n + 1)]
    return Mechanism.from_fractions([[column[i] / sum(column) for column in columns] for i in range(n + 1)])


def broken_geometric(n, alpha):
    """GM with a pinch of uniform noise."""
    gm = geometric(n, alpha)
    mixed = [[99 * (n + 1) * weight + gm.denominator for weight in row] for row in gm.weights]
    return Mechanism.from_weights(mixed, 100 * (n + 1) * gm.denominator)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "build", "keys"),
    [
        (
            "EM",
            broken_explicit_fair,
            (
                "EM has everything",
                "EM is optimal",
                "EM's diagonal",
                "EM's diagonal, even n",
                "four mechanisms",
                "the flowchart",
                "fairness gives EM",
            ),
        ),
        (
            "GM",
            broken_geometric,
            (
                "GM is tight",
                "GM's score",
                "GM with row properties",
                "GM is optimal",
                "GM is unique",
                "Example 1",
                "WM for small alpha",
            ),
        ),
        ("UM", geometric, ("UM's error",)),
    ],
)
def test_a_broken_mechanism_is_noticed(form, build, keys, monkeypatch):
    monkeypatch.setitem(CLOSED_FORMS, form, replace(CLOSED_FORMS[form], build=build))
    cache = DesignCache()
    assert {key: BY_KEY[key].measure(cache, True).verdict for key in keys} == dict.fromkeys(keys, FAILS)


class OtherBench(DesignCache):
    """Some mechanisms taken for others."""

    def __init__(self, **stand_ins):
        super().__init__()
        self.stand_ins = stand_ins

    def mechanism(self, name, n, alpha, loss="L0", prior=None):
        return super().mechanism(self.stand_ins.get(name, name), n, alpha, loss, prior)


def test_verdicts_follow_the_measurements_to_the_good_side_too():
    assert BY_KEY["WM meets GM"].measure(OtherBench(WM="WH"), True).verdict is HOLDS
    assert BY_KEY["WM costs as much as EM"].measure(OtherBench(WM="EM"), True).verdict is HOLDS


@pytest.mark.slow
def test_data_verdicts_follow_the_measurements():
    assert BY_KEY["GM on binomial data"].measure(OtherBench(UM="WM", GM="UM"), True).verdict is HOLDS
    assert BY_KEY["GM becomes bimodal"].measure(OtherBench(GM="UM"), True).verdict is FAILS
    assert BY_KEY["UCM's RMSE, L2"].measure(OtherBench(UCM="FM"), True).verdict is HOLDS


@pytest.mark.slow
@NEEDS_ADULT
def test_adult_verdicts_follow_the_measurements():
    assert BY_KEY["GM on Adult"].measure(OtherBench(UM="WM"), True).verdict is HOLDS
    assert BY_KEY["GM against guessing"].measure(OtherBench(GM="EM"), True).verdict is FAILS
    assert BY_KEY["WM on Adult"].measure(OtherBench(UM="WM", GM="EM"), True).verdict is HOLDS
    assert BY_KEY["WM on Adult"].measure(OtherBench(WM="EM"), True).verdict is FAILS
    assert BY_KEY["EM on Adult"].measure(OtherBench(WM="UM"), True).verdict is HOLDS


def test_a_derivable_design_is_counted():
    note = BY_KEY["WM is new"].measure(OtherBench(WM="GM"), True).numbers
    assert note.endswith("with n >= 3 and alpha >= 3/4 3 of 3")
    assert "the one designed here at alpha = 0.51 (n = 2, 3, 4, 5)" in note


def test_a_designed_mechanism_that_is_derivable_is_among_those_of_the_program():
    """The triple test and the LP are two computations: what the first passes the second must find."""
    found = {}
    for n, alpha in weak_settings(True):
        designed = derive(BENCH.mechanism("WM", n, alpha), alpha).derivable
        some = best_derived_score(n, alpha) == BENCH.score("WM", n, alpha)
        assert some >= designed
        found[n, alpha] = designed, some
    assert found[1, Fraction(9, 10)] == (True, True)
    assert found[2, Fraction(9, 10)][1]
    assert found[3, Fraction(9, 10)] == (False, False)


def test_symmetrising_is_free_where_a_loss_makes_up_for_the_prior():
    prior = skewed(3)
    problem = DesignProblem(3, "2/3", loss=inverse_to(prior, 3), prior=prior)
    assert not problem.symmetry_is_free
    assert charges_are_symmetric(problem)
    assert not charges_are_symmetric(DesignProblem(3, "2/3", loss=inverse_to(prior, 3)))
    assert not charges_are_symmetric(DesignProblem(3, "2/3", prior=prior))
    for mechanism in lopsided(3, Fraction(2, 3)):
        assert score(mechanism, problem) == score(symmetrised(mechanism), problem)


def test_the_bound_on_fair_diagonals():
    assert fair.middle_bound(2, Fraction(1, 2)) == Fraction(1, 2)
    assert fair.middle_bound(3, Fraction(1, 2)) == Fraction(4, 9)


def test_a_bound_that_is_too_low_is_noticed(monkeypatch):
    bound = fair.middle_bound
    monkeypatch.setattr(fair, "middle_bound", lambda n, alpha: bound(n, alpha) * Fraction(999, 1000))
    assert BY_KEY["fair diagonals"].measure(BENCH, True).verdict is FAILS
    assert BY_KEY["EM's diagonal"].measure(BENCH, True).verdict is FAILS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "asked"), [("WH with rows", "WH,RM,S"), ("a column property", "CM,RM,S"), ("fairness gives EM", "all")]
)
def test_symmetry_is_solved_outright(key, asked, monkeypatch):
    """Were the LP with S to cost more, the verdict would say so."""
    seen = set()

    def dearer(problem, **options):
        seen.add((problem.properties, options["method"]))
        found = design(problem, **options)
        return replace(found, mechanism=geometric(problem.n, problem.alpha), score=found.score + 1)

    monkeypatch.setattr(subsets, "design", dearer)
    assert BY_KEY[key].measure(BENCH, True).verdict is FAILS
    assert seen == {(DesignProblem(2, "1/2", properties=asked).properties, "full")}
    assert all("S" in properties for properties, _ in seen)


@pytest.mark.slow
def test_designs_are_solved_once():
    cache = DesignCache()
    BY_KEY["a column property"].measure(cache, True)
    solved = len(cache.missed)
    BY_KEY["a column property"].measure(cache, True)
    assert len(cache.missed) == solved == len(set(cache.missed))


def test_the_page_has_a_row_for_each_claim_and_counts_its_verdicts():
    chosen = [BY_KEY[key] for key in ("Example 1", "GM's score", "GM's rows", "EM is new", "WM meets GM")]
    done = []
    page = claims_text(DesignCache(), True, done.append, chosen)
    assert done == [1, 2, 3, 4, 5]
    assert "5 claims. Verdicts: holds 3, holds with a condition 1, does not hold here 1.\n" in page
    rows = [line for line in page.splitlines() if re.match(r"\| [^-c]", line)]
    assert len(rows) == 5
    for claim in chosen:
        found = finding(claim.key)
        assert f"| {claim.statement} | {found.numbers} | {found.verdict.value} |" in rows
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## Lemmas 11 to 15",
        "## Facts",
    ]


def test_bars_do_not_break_a_table():
    claim = replace(BY_KEY["Example 1"], statement="a|b")
    assert "| a\\|b | c\\|d | holds |" in claims_page([MeasuredClaim(claim, Finding(HOLDS, "c|d"))])


def test_missing_data_leave_a_row_without_a_verdict(tmp_path):
    """The folder has a file of that name with other contents; nothing is fetched."""
    (tmp_path / "adult.data").write_text("39, not the file\n")
    found = measure_claims(DesignCache(data_dir=tmp_path), True, claims=[BY_KEY["EM on Adult"], BY_KEY["Example 1"]])
    assert found[0].finding is None
    page = claims_page(found)
    assert "2 claims. Verdicts: holds 1, holds with a condition 0, does not hold here 0, not measured 1." in page
    assert "| not measured |" in page


def test_the_whole_page():
    page = claims_page([MeasuredClaim(claim, Finding(Verdict.HOLDS, "measured elsewhere")) for claim in CLAIMS])
    assert all(claim.statement in page for claim in CLAIMS)
    assert "not measured" not in page
    assert [line[3:].lower() for line in page.splitlines() if line.startswith("## ")] == [g.lower() for g in GROUPS]


def test_the_best_derived_mechanism_by_hand():
    """Where GM has WH, RM and CM itself it is the best; beyond, values that a floating-point LP gave as well."""
    assert best_derived_score(3, Fraction(1, 3)) == Fraction(1, 2)
    assert best_derived_score(4, Fraction(1, 2)) == Fraction(2, 3)
    assert best_derived_score(2, Fraction(2, 3)) == Fraction(5, 6)
    assert best_derived_score(4, Fraction(9, 10)) > Fraction(391, 405)


def test_tools_on_small_matrices():
    lopsided = Mechanism(((3, 1), (1, 3)), 4)
    assert privacy(lopsided) == Fraction(1, 3)
    assert privacy(Mechanism(((1, 0), (0, 1)), 1)) == 0
    uneven = Mechanism(((4, 2), (1, 3)), 5)
    assert rotated(uneven) == Mechanism(((3, 1), (2, 4)), 5)
    assert symmetrised(uneven) == Mechanism(((7, 3), (3, 7)), 10)
    assert never_reported(Mechanism(((1, 1), (0, 0)), 1)) == [1]
    assert never_reported(Mechanism(((1, 0), (0, 1)), 1)) == []
    assert misled_inputs(Mechanism(((1, 1), (0, 0)), 1)) == [1]
    assert misled_inputs(lopsided) == []
    assert double_above(1).matrix(2) == ((0, 1), (2, 0))
    assert not double_above(3).is_symmetric(4)
    assert skewed(2).weights(3) == (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
    assert inverse_to(skewed(1), 1).matrix(2) == ((0, 3), (Fraction(3, 2), 0))
