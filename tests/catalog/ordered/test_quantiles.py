"""Quantiles from reports: against the true shares, as often right as they say, and what is refused."""

import csv
import io
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.estimates.answering import AnswerEstimate
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.datasets.items.bins import parse_bins, parse_grid
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.ordered.quantiles import parse_quantiles, quantiles

DECILES = "0.1:0.9:0.1"


def counts_of(k, users=20_000):
    """Two humps with empty bins on both sides and in between."""
    if k == 2:
        return np.array([users // 2 - 50, users // 2 + 50])
    places = np.arange(k)
    weights = np.where(abs(places - 0.3 * k) < 0.12 * k, 3.0, 0.0) + np.where(abs(places - 0.8 * k) < 0.08 * k, 1.5, 0)
    return np.random.default_rng(5).multinomial(users, weights / weights.sum())


def estimate(counts, name="oue", epsilon=2, seed=1):
    oracle = make_oracle(name, len(counts), Privacy(epsilon=epsilon))
    state = oracle.draw_state(np.asarray(counts), np.random.default_rng(seed))
    return FrequencyEstimate.of(oracle, parse_bins(f"0:{len(counts)}:1"), state, ordered=True)


def true_items(counts, asked):
    shares = np.cumsum(counts)
    return [int(np.argmax(shares * quantile.denominator >= quantile.numerator * shares[-1])) for quantile in asked]


@pytest.mark.slow
@pytest.mark.parametrize(("k", "epsilon"), [(2, 1), (24, 1), (120, 3)])
def test_intervals_hold_the_true_items_at_least_as_often_as_they_say(k, epsilon):
    """400 times; three standard errors of such a frequency at 90 % are 4.5 %."""
    counts = counts_of(k)
    asked = parse_quantiles(DECILES)
    truth = true_items(counts, asked)
    each, together, times = np.zeros(len(asked)), 0, 400
    for seed in range(times):
        found = quantiles(estimate(counts, epsilon=epsilon, seed=seed), asked, 0.9)
        each += (found.low <= truth) & (truth <= found.high)
        together += ((found.low_all <= truth) & (truth <= found.high_all)).all()
        assert ((found.low <= found.items) & (found.items <= found.high)).all()
        assert ((found.low_all <= found.low) & (found.high <= found.high_all)).all()
    assert (each / times).min() > 0.9 - 0.045
    assert together / times > 0.9 - 0.045


def test_with_little_noise_quantiles_are_those_of_the_users():
    counts = [0, 400_000, 0, 0, 300_000, 299_000, 1_000]
    found = quantiles(estimate(counts, epsilon=12), "0.1,0.3,0.5,0.8,0.9", 0.99)
    assert found.items.tolist() == [1, 1, 4, 5, 5]
    assert found.searched.tolist() == [1, 1, 4, 5, 5]
    assert found.low.tolist() == found.items.tolist() == found.high_all.tolist()


def test_one_item_has_all_users():
    found = quantiles(estimate([0, 0, 100_000, 0], epsilon=8), "0.1,0.5,0.9")
    assert found.items.tolist() == [2, 2, 2]
    assert (found.low.tolist(), found.high.tolist()) == ([2, 2, 2], [2, 2, 2])


def test_each_kind_of_interval_comes_from_its_own_intervals_of_prefixes():
    made = estimate(counts_of(24), epsilon=1)
    found = quantiles(made, DECILES, 0.9)
    prefixes, single, guard = (made.cumulative(level) for level in (0.9, 0.91, 0.99))
    assert found.band[0][:-1] == pytest.approx(np.maximum.accumulate(np.clip(prefixes.low_all[:-1], 0, 1)))
    inner, before = range(23), range(1, 24)
    for place, quantile in enumerate([float(quantile) for quantile in found.quantiles]):
        reaching = min([*(item for item in inner if single.high[item] >= quantile), 23])
        not_reached = max([0, *(item for item in before if single.low[item - 1] < quantile)])
        surely_below = max([0, *(item for item in before if guard.high_all[item - 1] < quantile)])
        surely_not = min([*(item for item in inner if guard.low_all[item] >= quantile), 23])
        assert found.low[place] == min(max(reaching, surely_below), found.items[place])
        assert found.high[place] == max(min(not_reached, surely_not), found.items[place])
        surely = min([*(item for item in inner if prefixes.low_all[item] >= quantile), 23])
        assert found.high_all[place] == max(surely, found.high[place])


def test_an_estimate_that_its_band_would_leave_out_widens_the_interval():
    """One prefix is known well and far above the next, which is not: their mean is below what the band allows."""
    shares, errors = np.array([0.9, 0.0, 1.0]), np.array([0.01, 2.0, 0.01])
    domain = parse_bins("0:3:1")
    stub = SimpleNamespace(
        domain=domain, items=domain.items, cumulative=lambda level: AnswerEstimate.of(shares, errors, level)
    )
    stub.unbiased = stub
    found = quantiles(stub, "0.5")
    assert found.rising.tolist() == [0.45, 0.45, 1.0]
    assert (found.items[0], found.low_all[0], found.high_all[0]) == (2, 0, 2)
    assert (found.low[0], found.high[0]) == (0, 2)


def test_columns_and_the_file():
    made = estimate(counts_of(120))
    found = quantiles(made, DECILES)
    columns = found.tabulate().columns
    assert list(columns) == ["quantile", "item", "low", "high", "binary_search"]
    assert columns["quantile"] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert columns["item"] == [made.items[int(item)] for item in found.items]
    assert found.tabulate(simultaneous=True).columns["low"] == [made.items[int(item)] for item in found.low_all]
    rows = list(csv.DictReader(io.StringIO(found.tabulate(simultaneous=True).csv_bytes().decode())))
    assert [float(row["quantile"]) for row in rows] == columns["quantile"]
    assert {(row["confidence"], row["together"]) for row in rows} == {("0.95", "band")}
    assert "each" in found.tabulate().csv_bytes().decode()


def test_a_list_in_its_order_has_quantiles():
    oracle = make_oracle("grr", 3, Privacy(epsilon=9))
    state = oracle.draw_state(np.array([10, 80, 10]), np.random.default_rng(1))
    sizes = FrequencyEstimate.of(oracle, Domain(("S", "M", "L")), state, ordered=True)
    assert quantiles(sizes, [0.5]).tabulate().columns["item"] == ["M"]


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("0", r"quantiles must be in \(0, 1\), got quantiles=0"),
        ("1", r"quantiles must be in \(0, 1\), got quantiles=1"),
        ([0.5, -0.5], r"quantiles must be in \(0, 1\), got quantiles=-0.5"),
        ("0.5,1.5", r"quantiles must be in \(0, 1\), got quantiles=1.5"),
        ("0.9:0.1:0.1", "quantiles range a:b:step must have a <= b"),
        ("median", "quantiles must be a decimal or a fraction"),
        ("nan", "quantiles must be a decimal or a fraction"),
        ([], "quantiles must be at least one, got none"),
    ],
)
def test_quantiles_that_are_none(at, message):
    with pytest.raises(InputError, match=message):
        parse_quantiles(at)


def test_fractions_stay_exact():
    assert parse_quantiles("1/3,0.5") == (Fraction(1, 3), Fraction(1, 2))


def test_items_in_two_columns_have_no_quantiles():
    oracle = make_oracle("grr", 4, Privacy(epsilon=1))
    state = oracle.draw_state(np.array([1, 2, 3, 4]), np.random.default_rng(1))
    pairs = FrequencyEstimate.of(oracle, parse_grid(["0:2:1", "0:2:1"]), state)
    with pytest.raises(InputError, match="quantiles go with items in one order, got pairs of bins of two columns"):
        quantiles(pairs, "0.5")


def test_levels_of_confidence():
    with pytest.raises(InputError, match=r"level must be in \(0, 1\), got level=95"):
        quantiles(estimate([1, 2, 3]), "0.5", 95)
