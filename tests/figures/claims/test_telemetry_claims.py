"""Claims on telemetry of few users: verdicts in their quick form, and that broken mechanisms turn them."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from findings import finding

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.kernels.draws import bernoulli
from mechdesign_catalog.randomizers.reports.reports import Reports
from mechdesign_catalog.systems.flat.dbitflip import DBitFlip
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_figures.claims import telemetry
from mechdesign_figures.claims.claim import TELEMETRY
from mechdesign_figures.claims.telemetry import CLAIMS, DISTANCES, LARGEST, ONE_BIT, STEP, Series, identified_share
from mechdesign_figures.claims.verdict import Verdict
from mechdesign_figures.studies.design_cache import DesignCache

HOLDS, CONDITIONAL, FAILS = Verdict.HOLDS, Verdict.CONDITIONAL, Verdict.FAILS
BY_KEY = {claim.key: claim for claim in CLAIMS}
RAW, SCALED = "estimates as they are", "negative estimates set to 0 and the rest rescaled"

VERDICTS = {
    "largest error of few users": HOLDS,
    f"distance in hours, {RAW}": HOLDS,
    f"distance in hours, {SCALED}": FAILS,
    f"distance in buckets, {RAW}": FAILS,
    f"distance in buckets, {SCALED}": FAILS,
    "distance against n": HOLDS,
    "more buckets": HOLDS,
    "dBitFlip spends epsilon": CONDITIONAL,
    "memoised answers": CONDITIONAL,
    "answers drawn anew": HOLDS,
}


def measured(key):
    return BY_KEY[key].measure(DesignCache(), True)


def test_every_claim_is_expected():
    assert VERDICTS.keys() == BY_KEY.keys()
    assert {claim.source for claim in CLAIMS} == {TELEMETRY}


@pytest.mark.slow
@pytest.mark.parametrize(("key", "verdict"), VERDICTS.items())
def test_verdicts(key, verdict):
    assert finding(key).verdict is verdict


def test_published_numbers():
    assert LARGEST.told == {10_000: 0.3, 300_000: 0.045}
    assert (LARGEST.epsilon, LARGEST.metric, LARGEST.kind) == (1, "max", "raw")
    for reading in DISTANCES.values():
        assert (reading.told, reading.epsilon) == ({10_000: 2.0, 100_000: 1.0}, 3)
    assert [(reading.metric, reading.kind) for reading in DISTANCES.values()] == [
        ("w1-hours", "raw"),
        ("w1-hours", "rescaled"),
        ("w1", "raw"),
        ("w1", "rescaled"),
    ]


def test_a_series_by_hand():
    found = Series(np.repeat([1.0, 3.0], 10))
    assert found.mean == 2
    assert found.tens.tolist() == [1, 3]
    assert found.text == "2 (1 to 3 in 2 series of 10)"
    assert [found.is_near(told) for told in (0.99, 1, 3, 3.01)] == [False, True, True, False]
    assert Series(np.full(20, 2.0)).is_near(2.5)  # off by a fifth
    assert not Series(np.full(20, 2.0)).is_near(2.6)
    assert found.off(4.0) == Fraction(1, 2)


def test_hours_are_three_quarters_of_buckets():
    raw = [telemetry.series(metric, "raw", 1_000, Fraction(3), True).values for metric in ("w1", "w1-hours")]
    assert raw[0] * 0.75 == pytest.approx(raw[1])


def test_too_much_noise_is_noticed(monkeypatch):
    estimate = DBitFlip.estimate
    monkeypatch.setattr(DBitFlip, "estimate", lambda self, state: 1.6 * estimate(self, state))
    assert measured("largest error of few users").verdict is FAILS
    assert measured(f"distance in hours, {RAW}").verdict is FAILS


def test_a_bias_that_does_not_fall_is_noticed(monkeypatch):
    estimate = DBitFlip.estimate
    monkeypatch.setattr(DBitFlip, "estimate", lambda self, state: estimate(self, state) + 0.1)
    assert measured("distance against n").verdict is FAILS


def test_an_error_that_does_not_fall_with_buckets_is_noticed(monkeypatch):
    variance = DBitFlip.variance
    monkeypatch.setattr(DBitFlip, "variance", lambda self, *rest: variance(replace(self, d=min(self.drawn, 16)), *rest))
    assert measured("more buckets").verdict is FAILS


def test_spending_the_rest_is_noticed(monkeypatch):
    monkeypatch.setattr(DBitFlip, "alpha", property(lambda self: self.root**2))
    assert measured("dBitFlip spends epsilon").verdict is HOLDS


@pytest.mark.parametrize("kind", [DBitFlip, OneBitMean])
def test_a_memory_that_draws_anew_is_noticed(kind, monkeypatch):
    monkeypatch.setattr(kind, "recall", lambda self, memory, values: self.privatize(values))
    assert measured("memoised answers").verdict is FAILS


def test_a_memory_that_ignores_the_value_is_noticed(monkeypatch):
    recall = DBitFlip.recall
    monkeypatch.setattr(DBitFlip, "recall", lambda self, memory, values: recall(self, memory, np.zeros_like(values)))
    assert measured("memoised answers").verdict is HOLDS  # reports would not even follow values that change


@pytest.mark.slow
def test_bits_that_say_nothing_find_nobody_out(monkeypatch):
    coin = Fraction(1, 2)
    monkeypatch.setattr(
        DBitFlip, "_flips", lambda self, shape, words: bernoulli(coin, int(np.prod(shape)), words).reshape(shape)
    )
    assert measured("answers drawn anew").verdict is FAILS


def test_finding_out_by_hand():
    """Two users of four buckets, all asked: the first says yes to its bucket, the second to the own and another."""
    oracle = DBitFlip(4, Privacy(epsilon=1))
    reports = [
        Reports(oracle.parameters, {"bits": np.packbits([row], axis=1, bitorder="little")})
        for row in ([1, 0, 0, 0], [0, 1, 1, 0])
    ]
    assert identified_share(oracle, reports, np.array([0, 2])) == 0.75
    assert identified_share(oracle, reports, np.array([3, 2])) == 0.25


def test_what_differs():
    oracle = DBitFlip(4, Privacy(epsilon=1))
    rows = np.packbits([[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]], axis=1, bitorder="little")
    assert telemetry.reports_differ(Reports(oracle.parameters, {"bits": rows}))
    assert not telemetry.reports_differ(Reports(oracle.parameters, {"bits": rows[:2]}))


def test_rounds_are_put_together_by_user():
    """Values that change are told by other answers; a user's reports stand in the order of the days."""
    oracle = DBitFlip(4, Privacy(epsilon=50))  # hardly any noise
    days = [np.array([0, 1, 2]), np.array([3, 1, 0])]
    found = [
        np.unpackbits(own.columns["bits"], axis=1, bitorder="little")[:, :4].argmax(axis=1).tolist()
        for own in telemetry.memoised(oracle, days)
    ]
    assert found == [[0, 3], [1, 1], [2, 0]]
    assert [len(own) for own in telemetry.redrawn(oracle, days[0], 5)] == [5, 5, 5]


def test_hours_from_ones_own_reports():
    values = np.array([0, 16]) * STEP
    assert ONE_BIT.numbers(values).tolist() == [0, 12]
    ones = [np.array([0, 0]), np.array([0, 1])]
    reports = [Reports(ONE_BIT.parameters, {"bit": bits.astype(np.uint8)}) for bits in ones]
    q = float(ONE_BIT.support.q)
    assert telemetry._hours_off(reports, values) == pytest.approx(24 * q / (1 - 2 * q) / 2**0.5)
