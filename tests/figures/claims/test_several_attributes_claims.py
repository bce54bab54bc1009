"""Claims on RS+FD, SPL and SMP: verdicts in their quick form, and that broken mechanisms turn them."""

from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest
from data_files import needs_files
from findings import finding

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.datasets.items import ItemTable
from mechdesign_catalog.systems.attributes import RsFd, Spl, formulas, losses, rsfd
from mechdesign_catalog.systems.attributes.choice import better_oracle
from mechdesign_figures.claims import several_attributes
from mechdesign_figures.claims.claim import SEVERAL
from mechdesign_figures.claims.several_attributes import ADULT_DOMAINS, CLAIMS, DOMAINS, Errors
from mechdesign_figures.claims.verdict import Verdict
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.several_attributes import METHODS, Method, Truth, Tuples

HOLDS, CONDITIONAL, FAILS = Verdict.HOLDS, Verdict.CONDITIONAL, Verdict.FAILS
BY_KEY = {claim.key: claim for claim in CLAIMS}

MATHEMATICS = {
    "variances as printed": FAILS,
    "variances as meant": HOLDS,
    "RS+FD is private": FAILS,
    "RS+FD loses eps'": HOLDS,
    "RS+FD, one attribute": CONDITIONAL,
    "SPL and SMP are private": HOLDS,
}
ON_DATA = {
    "RS+FD beats SPL": HOLDS,
    "RS+FD is like SMP": FAILS,
    "RS+FD is like SMP, rescaled": FAILS,
    "RS+FD[ADP] is the best RS+FD": FAILS,
    "rows of Adult": FAILS,
    "domains of Adult": HOLDS,
}


@pytest.fixture
def forgetful():
    """Losses are computed anew before and after."""
    several_attributes._losses.cache_clear()
    yield
    several_attributes._losses.cache_clear()


def measured(key, cache=None):
    return BY_KEY[key].measure(cache or DesignCache(), True)


def test_every_claim_is_expected_somewhere():
    assert MATHEMATICS.keys() | ON_DATA.keys() == BY_KEY.keys()
    assert {claim.source for claim in CLAIMS} == {SEVERAL}
    assert {key for key, claim in BY_KEY.items() if claim.needs} == ON_DATA.keys()


@pytest.mark.parametrize(("key", "verdict"), MATHEMATICS.items())
def test_verdicts(key, verdict):
    assert finding(key).verdict is verdict


@pytest.mark.slow
@needs_files("adult.data", "adult.test", "nursery.data")
@pytest.mark.parametrize(("key", "verdict"), ON_DATA.items())
def test_verdicts_on_data(key, verdict):
    assert finding(key).verdict is verdict


@pytest.mark.slow
def test_known_losses_appear():
    numbers = finding("RS+FD, one attribute").numbers
    assert "k = (3, 4), epsilon = 1: 1.044" in numbers
    assert "k = (2, 3, 2), epsilon = ln 3: 1.224" in numbers
    assert "every attribute goes through OUE-z, or all domains are of one size" in numbers
    assert "such as k = (2, 6), epsilon = ln 3, GRR: loss 1.2730" in numbers


@pytest.mark.slow
def test_every_report_was_looked_at():
    for encoding in ("grr", "oue-z", "adp"):
        assert all(losses(RsFd(domains, Privacy(epsilon=1), encoding)).outputs for domains in DOMAINS)
    assert all(
        losses(kind(domains, Privacy(epsilon=1))).outputs for domains in DOMAINS for kind in several_attributes.KINDS
    )


@needs_files("adult.data", "adult.test", "nursery.data")
def test_known_numbers_on_data_appear():
    assert finding("rows of Adult").numbers == "adult.data and adult.test: 45,222 complete rows"
    assert (
        "Adult 0.58, 1.05, 1.87; Nursery 0.84, 1.77, 2.60 at ln 2, ln 3, ln 7" in finding("RS+FD is like SMP").numbers
    )
    assert "Nursery, epsilon = ln 3" in finding("RS+FD[ADP] is the best RS+FD").numbers


@pytest.mark.slow
def test_without_amplification_rsfd_would_be_private(monkeypatch, forgetful):
    monkeypatch.setattr(rsfd, "amplified", lambda alpha, d: alpha)
    assert measured("RS+FD is private").verdict is HOLDS
    assert measured("RS+FD loses eps'").verdict is FAILS


def test_splitting_that_does_not_split_is_noticed(monkeypatch, forgetful):
    whole = cached_property(lambda self: tuple(better_oracle(k, self.privacy) for k in self.domains))
    whole.__set_name__(Spl, "parts")
    monkeypatch.setattr(Spl, "parts", whole)
    found = measured("SPL and SMP are private")
    assert found.verdict is FAILS
    assert found.numbers.startswith("false in 10 of 20 cases")


def test_a_wrong_variance_is_noticed(monkeypatch):
    numerator = formulas._numerator
    monkeypatch.setattr(formulas, "_numerator", lambda *setting: 1.01 * numerator(*setting))
    assert measured("variances as meant").verdict is FAILS


def made_up(sizes, weights, users=4_000):
    generator = np.random.default_rng(3)
    columns = [generator.choice(k, users, p=np.array(w) / sum(w)) for k, w in zip(sizes, weights, strict=True)]
    names = tuple("abcdefghi"[: len(sizes)])
    domains = tuple(tuple(map(str, range(k))) for k in sizes)
    return ItemTable("made-up", names, domains, np.stack(columns, axis=1))


class OtherTables(DesignCache):
    """Made-up people in place of both tables."""

    def table(self, name):
        return made_up((3, 4), ((6, 3, 1), (4, 3, 2, 1)))


def test_data_verdicts_follow_the_mechanisms(monkeypatch):
    cache = OtherTables()
    assert measured("RS+FD beats SPL", cache).verdict is HOLDS
    monkeypatch.setitem(METHODS, "SPL[ADP]", METHODS["RS+FD[ADP]"])
    assert measured("RS+FD beats SPL", cache).verdict is FAILS
    monkeypatch.setitem(METHODS, "SMP[ADP]", METHODS["RS+FD[ADP]"])
    assert measured("RS+FD is like SMP", cache).verdict is HOLDS
    monkeypatch.setitem(METHODS, "RS+FD[ADP]", Method("SPL"))
    assert measured("RS+FD is like SMP", cache).verdict is FAILS
    assert measured("RS+FD is like SMP, rescaled", cache).verdict is FAILS
    assert measured("RS+FD[ADP] is the best RS+FD", cache).verdict is FAILS


def test_the_best_of_three_may_tie(monkeypatch):
    monkeypatch.setitem(METHODS, "RS+FD[GRR]", METHODS["RS+FD[ADP]"])
    monkeypatch.setitem(METHODS, "RS+FD[OUE-z]", METHODS["RS+FD[ADP]"])
    assert measured("RS+FD[ADP] is the best RS+FD", OtherTables()).verdict is HOLDS


def test_rescaled_errors_are_those_of_rescaled_estimates(monkeypatch):
    (found, *_) = several_attributes.rescaled_errors(OtherTables(), True)
    truth = Truth.of(OtherTables().table("adult"))
    tuples = Tuples("adult", several_attributes.REPETITIONS, several_attributes.SEED)
    for name in ("RS+FD[ADP]", "SMP[ADP]"):
        assert found.errors[name] == np.mean(tuples.errors(truth, 2, name)["rescaled"])
    assert (found.data, found.power, found.where) == ("adult", 2, "Adult, epsilon = ln 2")


def test_other_tables_have_other_rows_and_domains(monkeypatch):
    cache = OtherTables()
    assert measured("domains of Adult", cache).verdict is FAILS
    monkeypatch.setattr(several_attributes, "PRINTED_ROWS", 4_000)
    assert measured("rows of Adult", cache).verdict is HOLDS
    whole = made_up(ADULT_DOMAINS, [[1] * k for k in ADULT_DOMAINS])
    monkeypatch.setattr(OtherTables, "table", lambda self, name: whole)
    assert measured("domains of Adult", cache).verdict is HOLDS
    lost = replace(whole, values=np.where(whole.values == 40, 0, whole.values))
    monkeypatch.setattr(OtherTables, "table", lambda self, name: lost)
    assert measured("domains of Adult", cache).verdict is FAILS


def test_ratios_in_words():
    found = [
        Errors(data, power, {"RS+FD[ADP]": 3.0, "SMP[ADP]": 2.0})
        for data in ("adult", "nursery")
        for power in (2, 3, 7)
    ]
    told = several_attributes._ratios(found, True)
    assert told == "Adult 1.50, 1.50, 1.50; Nursery 1.50, 1.50, 1.50 at ln 2, ln 3, ln 7"
