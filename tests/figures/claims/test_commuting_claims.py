"""Claims on commuting: their verdicts in the reduced form, and what a broken oracle does to them."""

from fractions import Fraction

import numpy as np
import pytest
from findings import finding

from mechdesign_catalog.analyses.postprocessing import POSTPROCESSING
from mechdesign_catalog.central import Laplace
from mechdesign_catalog.datasets.items import ItemCounts
from mechdesign_catalog.randomizers.reports.probabilities import direct
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.local_hashing import Olh
from mechdesign_catalog.systems.flat.sketch import Hcms
from mechdesign_figures.claims import commuting
from mechdesign_figures.claims.commuting import CLAIMS
from mechdesign_figures.claims.verdict import Verdict
from mechdesign_figures.studies.commuting import runs as commuting_runs
from mechdesign_figures.studies.design_cache import DesignCache

HOLDS, CONDITIONAL, FAILS = Verdict.HOLDS, Verdict.CONDITIONAL, Verdict.FAILS

EXPECTED = {
    "commuting sizes": (HOLDS, ("1,085 pairs, 6 empty", "286,977 occurring, 135,033 with one person")),
    "fewer people": (HOLDS, ("near the root of the ratio of people, 2.38", "2.83 and 2.83 people")),
    "RR is worst": (CONDITIONAL, ("(e^eps + 1)^2 < k - 2 + e^eps", "1 false, such as county, epsilon = 5")),
    "RR against UE": (HOLDS, ("3e^eps + 2 = 447.239",)),
    "OLH and OUE": (HOLDS, ("1.017993",)),
    "HM's bits": (CONDITIONAL, ("hcms 21", "3 cases true, 6 false")),
    "central is better": (CONDITIONAL, ("subset-small, epsilon = 5: 32.51 and 0.566 people",)),
    "zero is better": (HOLDS, ("zero 9.482",)),
    "post-processing and RMSE": (HOLDS, ("base-pos in 24 of 24, base-cut in 24 of 24, norm-sub in 24 of 24",)),
    "post-processing and the largest error": (FAILS, ("base-pos in ",)),
    "pairs set to 0": (HOLDS, ("true in all 72 cases",)),
    "RR's ranks": (HOLDS, ("559,727",)),
    "ranks at epsilon 5": (HOLDS, ("true in all 5 cases",)),
}
BY_KEY = {claim.key: claim for claim in CLAIMS}


def verdict(key):
    return BY_KEY[key].measure(DesignCache(), True).verdict


def test_every_claim_is_expected():
    assert EXPECTED.keys() == BY_KEY.keys()
    assert all(claim.source == "commuting (local frequency oracles)" for claim in CLAIMS)


@pytest.mark.slow
@pytest.mark.parametrize("key", EXPECTED)
def test_verdict_and_numbers(key):
    expected, numbers = EXPECTED[key]
    found = finding(key)
    assert found.verdict is expected
    assert all(number in found.numbers for number in numbers), found.numbers


@pytest.mark.slow
def test_other_people_are_noticed(monkeypatch):
    real = commuting_runs.commuters

    def one_more(name):
        counts = real(name).counts.copy()
        counts[np.argmax(counts)] += 1
        return ItemCounts(name, None, counts)

    monkeypatch.setattr(commuting, "commuters", one_more)
    assert verdict("commuting sizes") is FAILS


def test_a_variance_that_does_not_fall_with_the_people_is_noticed(monkeypatch):
    """Noise in proportion to the people: shares are as far off whoever answers."""
    real = Grr.estimate

    def estimate(self, state):
        return real(self, state) * np.sqrt(state.users / 38_630)

    monkeypatch.setattr(Grr, "estimate", estimate)
    assert verdict("fewer people") is FAILS


def test_wrong_probabilities_are_noticed(monkeypatch):
    """GRR over more items than there are."""
    monkeypatch.setattr(Grr, "support", property(lambda self: direct(self.k + 2, self.alpha)))
    assert verdict("RR against UE") is FAILS


def test_too_many_buckets_are_noticed(monkeypatch):
    monkeypatch.setattr(Olh, "buckets", property(lambda self: 64))
    assert verdict("OLH and OUE") is FAILS


def test_exact_variances_decide(monkeypatch):
    monkeypatch.setattr(Grr, "variance", lambda self, frequencies, users: np.full(self.k, 1e-12))
    assert verdict("RR is worst") is FAILS
    assert verdict("zero is better") is FAILS
    assert verdict("central is better") is FAILS


def test_a_noisier_server_is_noticed(monkeypatch):
    real = Laplace.variance
    monkeypatch.setattr(Laplace, "variance", lambda self, counts: 1e6 * real(self, counts))
    assert verdict("central is better") is FAILS


def test_longer_reports_are_noticed(monkeypatch):
    monkeypatch.setattr(Hcms, "bits", property(lambda self: 30))
    assert verdict("HM's bits") is FAILS


@pytest.mark.slow
def test_broken_post_processing_is_noticed(monkeypatch):
    real = POSTPROCESSING["base-cut"]
    broken = type(real)("base-cut", real.title, lambda estimates: 2 * np.abs(estimates))
    monkeypatch.setitem(POSTPROCESSING, "base-cut", broken)
    assert verdict("post-processing and RMSE") is FAILS
    assert verdict("pairs set to 0") is FAILS


@pytest.mark.slow
def test_post_processing_that_is_right_lowers_the_largest_error_too(monkeypatch):
    """To the good side: were every kind of it to shrink all errors, the claim would hold."""
    data = commuting_runs.commuters

    def halved(estimates):
        truth = next(data(name) for name in ("county", "subset-small") if data(name).k == len(estimates)).frequencies
        return (estimates + truth) / 2

    for name in ("base-pos", "base-cut", "norm-sub"):
        real = POSTPROCESSING[name]
        monkeypatch.setitem(POSTPROCESSING, name, type(real)(name, real.title, halved))
    assert verdict("post-processing and the largest error") is HOLDS


@pytest.mark.slow
def test_shuffled_estimates_are_noticed(monkeypatch):
    monkeypatch.setattr(Hcms, "estimate", lambda self, state: np.arange(self.k, dtype=float))
    assert verdict("RR's ranks") is FAILS
    assert verdict("ranks at epsilon 5") is FAILS


def test_the_rank_of_one_repetition_by_hand():
    """Without noise everybody has the own rank."""
    from mechdesign_figures.studies.commuting.ranks import ranks
    from mechdesign_figures.studies.commuting.runs import Source

    assert ranks(Source("laplace", Fraction(100)), 2, (1,)).tolist() == [list(range(1, 11))] * 2
