"""The parts of the claims on data: the rule on guessing, rates, peaks and roots, on data small enough to follow."""

from fractions import Fraction

import pytest

from mechdesign_figures.claims.counts.data import ADULT_ALPHA, binomial
from mechdesign_figures.claims.counts.guessing import Trial, binomial_settings, edge, edge_trials, follows_rule
from mechdesign_figures.claims.counts.on_data import Rates, Roots, best_at, peaks
from mechdesign_figures.studies.counts.binomial_l0 import BEYOND_ONE, ERRORS, ROOTS, TAILS
from mechdesign_figures.studies.design_cache import DesignCache


def test_the_settings_are_those_of_the_figures():
    assert Fraction(9, 10) == ADULT_ALPHA
    tried = set(binomial_settings(False))
    for figure in (BEYOND_ONE, ROOTS, TAILS, ERRORS):
        assert {(n, a, Fraction(p)) for n in figure.sizes for a in figure.alphas for p in figure.values} <= tried
    assert len(tried) == 2 * (3 * 19 + 7 * 2)
    assert set(binomial_settings(True)) < tried
    assert ERRORS.sizes == (8,)  # the statement on figure 6.13 names them
    assert sorted(ERRORS.alphas) == [Fraction(67, 100), Fraction(91, 100)]


def test_the_rule_on_guessing_by_hand():
    """n = 2, alpha = 0.9: GM tells the ends with 10/19 and the middle with 1/19, guessing any count with 1/3."""
    share = edge(2, Fraction(9, 10))
    assert share == Fraction(16, 27)
    assert Fraction(10, 19) * share + Fraction(1, 19) * (1 - share) == Fraction(1, 3)


def test_the_rule_holds_at_its_very_edge():
    trials = list(edge_trials(DesignCache(), False))
    assert all(follows_rule(trial).true for trial in trials)
    gaps = [trial.at_ends - edge(trial.n, trial.alpha) for trial in trials]
    assert {gap > 0 for gap in gaps} == {True, False}
    for trial, gap in zip(trials, gaps, strict=True):
        assert (trial.gm - trial.guess > 0) is (gap < 0)
        assert (trial.gm == trial.guess) is (gap == 0)
    assert sum(gap == 0 for gap in gaps) >= 10


@pytest.mark.parametrize(("gm", "true"), [(Fraction(3, 4), True), (Fraction(1, 2), False), (Fraction(2, 3), False)])
def test_a_trial_that_breaks_the_rule(gm, true):
    trial = Trial("here", 2, Fraction(9, 10), [1, 2, 0], gm, Fraction(2, 3))  # 1/3 at the ends: GM is to be worse
    assert follows_rule(trial).true is true
    assert follows_rule(trial).text.startswith("here, n = 2, alpha = 0.9: GM ")


def test_binomial_groups():
    assert binomial(2, Fraction(1, 4)) == [9, 6, 1]


def test_rates():
    rates = Rates("sex", 2, {"WM": Fraction(1, 2), "UM": Fraction(1, 3)})
    assert rates.apart("WM", "UM") == rates.apart("UM", "WM") == Fraction(1, 6)
    assert (rates.behind("WM"), rates.behind("UM")) == (Fraction(1, 6), 0)
    assert rates.numbers == "WM 1/2 = 0.5, UM 1/3 = 0.333333"
    assert rates.where == "sex, n = 2, alpha = 0.9"


def test_where_the_explicit_mechanism_is_best():
    def rates(target, n, own):
        return Rates(target, n, {"EM": Fraction(own), "WM": Fraction(2)})

    found = [rates("income", 2, 1), rates("income", 4, 3), rates("sex", 2, 2), rates("sex", 4, 1), rates("age", 2, 3)]
    assert best_at(found) == "for income at n = 2, for sex at every n, for age at no n"


def test_peaks():
    assert peaks([Fraction(k) for k in (3, 1, 2, 2, 5)]) == [-2, 2]
    assert peaks([Fraction(k) for k in (0, 2, 2, 1, 0)]) == []


def test_roots():
    roots = Roots("here", {"UCM": Fraction(121), "WM": Fraction(100), "FM": Fraction(121), "UM": Fraction(400)})
    assert roots.rank == 2
    assert roots.excess == Fraction(21, 100)
    assert roots.margin == "10 % above the lowest at here"
    assert roots.numbers == "UCM ranks 2, RMSE UCM 11.0000, WM 10.0000, FM 11.0000, UM 20.0000"
    assert Roots("here", {"UCM": Fraction(1), "WM": Fraction(1)}).rank == 1
