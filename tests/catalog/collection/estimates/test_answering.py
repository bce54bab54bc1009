"""Answers and intervals from reports: those of the shares, as often right as they say, singly and together."""

import csv
import io
import math
from statistics import NormalDist

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.analyses.postprocessing import POSTPROCESSING, postprocess
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.servers.aggregating import aggregate
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.datasets.items.bins import parse_bins
from mechdesign_catalog.systems import make_oracle, normal_intervals

K, COUNTS = 12, np.array([500, 0, 0, 900, 100, 100, 2000, 0, 300, 0, 50, 50])


def estimate(name="oue", seed=1):
    oracle = make_oracle(name, K, Privacy(epsilon=1))
    state = oracle.simulate_sums(COUNTS, np.random.default_rng(seed))
    return FrequencyEstimate.of(oracle, parse_bins("0:12:1"), state, ordered=True)


POSTED = [("grr", "em"), *((name, post) for name in ("grr", "oue", "haar") for post in POSTPROCESSING if post != "em")]


@pytest.mark.parametrize(("name", "post"), POSTED)
def test_single_items_are_answered_as_they_are_estimated(name, post):
    """Items in order and answers are of one estimate, whatever the post-processing: shares, errors, intervals."""
    default = estimate(name)
    assert default.estimates.sum() == pytest.approx(1)
    found = postprocess(default, post)
    for each in (found, found.unbiased, default):
        items = each.answers(LinearQueries(np.eye(K)))
        assert items.shares == pytest.approx(each.shares, abs=1e-14)
        assert items.standard_errors == pytest.approx(each.standard_errors, rel=1e-9)
        for kind in ("intervals", "simultaneous_intervals"):
            ends = (np.array(getattr(one, kind)(0.9)) for one in (items, each))
            assert next(ends) == pytest.approx(next(ends), abs=1e-9)
        assert items.tabulate(0.9).common["confidence"] == 0.9
        columns = each.tabulate().columns
        assert columns["cumulative_standard_error"][0] == pytest.approx(columns["standard_error"][0])
    assert (found.unbiased.post, found.unbiased.is_unbiased) == (post if found.is_unbiased else default.post, True)


def test_prefixes_are_ranges_from_the_first_item():
    found = estimate()
    prefixes = found.cumulative()
    assert prefixes.shares == pytest.approx(np.cumsum(found.estimates), abs=1e-12)
    one = found.answers(Intervals(K, np.array([0]), np.array([4])))
    (low, _), (low_all, high_all) = prefixes.intervals(), prefixes.simultaneous_intervals()
    assert (one.shares[0], one.standard_errors[0], one.intervals()[0][0]) == pytest.approx(
        (prefixes.shares[4], prefixes.standard_errors[4], low[4])
    )
    assert one.simultaneous_intervals()[0][0] == one.intervals()[0][0]
    assert (low_all[:-1] < low[:-1]).all()
    assert (low_all[-1], high_all[-1]) == pytest.approx((1, 1))


@pytest.mark.slow
def test_intervals_of_ranges_hold_as_often_as_they_say():
    queries = Intervals(K, np.array([0, 3, 6, 2]), np.array([5, 8, 6, 11]))
    truth = queries.apply(COUNTS / COUNTS.sum())
    each = together = 0
    for seed in range(1000):
        answers = estimate(seed=seed).answers(queries)
        (low, high), (low_all, high_all) = answers.intervals(0.8), answers.simultaneous_intervals(0.8)
        each += ((low <= truth) & (truth <= high)).mean()
        together += ((low_all <= truth) & (truth <= high_all)).all()
    assert abs(each / 1000 - 0.8) < 0.04
    assert together / 1000 > 0.8 - 0.04


def test_what_is_refused():
    found = aggregate(privatize([1, 2, 3], "olh", epsilon=1, bins="0:12:1"))
    with refused(InputError, about="queries"):
        found.answers(Intervals(11, np.array([0]), np.array([1])))
    with refused(InputError, about="level"):
        found.cumulative().intervals(1)


ITEMS, USERS, TIMES = 200, 50_000, 2000
MANY = np.r_[20_000, 12_000, 8_000, np.full(5, 2_000), np.zeros(ITEMS - 8, dtype=np.int64)].astype(np.int64)
DOMAIN = Domain(tuple(f"item {number}" for number in range(ITEMS)))


def estimates(name, **options):
    """As many estimates as are wanted, each from the law of the sums of all reports."""
    oracle = make_oracle(name, ITEMS, Privacy(epsilon=2), **options)
    generator = np.random.default_rng(1)
    for _ in range(TIMES):
        yield FrequencyEstimate.of(oracle, DOMAIN, oracle.simulate_sums(MANY, generator))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), [("oue", {}), ("dbitflip", {})])
def test_all_items_are_covered_together_as_often_as_said(name, options):
    """Single ones hold all 200 shares hardly ever; among items that nobody has they find some nearly every time."""
    shares = MANY / USERS
    together = single = false = found_by_single = 0
    for found in estimates(name, **options):
        low, high = found.simultaneous_intervals(0.95)
        together += ((low <= shares) & (shares <= high)).all()
        false += (MANY[found.above_noise(0.95)] == 0).any()
        low, high = found.intervals(0.95)
        single += ((low <= shares) & (shares <= high)).all()
        found_by_single += (low[MANY == 0] > 0).any()
    error = math.sqrt(0.95 * 0.05 / TIMES)
    # of an item that nobody has, an estimate above 0 comes with a larger standard error: a little more is covered
    assert -4 * error < together / TIMES - 0.95 < 0.035
    assert false / TIMES < 0.025 + 4 * error
    assert single / TIMES < 0.01
    assert found_by_single / TIMES > 0.95


def test_one_item_together_is_that_item_by_itself():
    """By hand: of two items each has the level sqrt(0.9); with very many the ends stay finite."""
    estimate, errors = np.array([0.25, 0.75]), np.array([0.1, 0.2])
    low, high = normal_intervals(estimate, errors, 0.9)
    alone_low, alone_high = normal_intervals(estimate, errors, 0.9, together=1)
    assert np.array_equal(low, alone_low)
    assert np.array_equal(high, alone_high)
    both_low, both_high = normal_intervals(estimate, errors, 0.9, together=2)
    ratio = NormalDist().inv_cdf((1 + math.sqrt(0.9)) / 2) / NormalDist().inv_cdf(0.95)
    assert (both_high - both_low) / (high - low) == pytest.approx([ratio, ratio])
    widths = [np.ptp(normal_intervals(estimate, errors, 0.95, n), axis=0)[0] for n in (1, 10, 10**6, 2**40)]
    assert sorted(widths) == widths
    assert widths[-1] < 4.5 * widths[0]
    with refused(InputError, about="level"):
        normal_intervals(estimate, errors, 1, together=2)


def test_the_table_says_what_intervals_are_of():
    """Post-processed frequencies stand beside the estimate that the intervals are around."""
    found = postprocess(next(iter(estimates("oue"))), "norm-sub")
    rows = list(csv.DictReader(io.StringIO(found.tabulate(0.9).csv_bytes().decode())))
    assert list(rows[0])[:3] == ["item", "frequency", "standard_error"]
    assert list(rows[0])[3:] == ["estimate", "low", "high", "low_all", "high_all", "confidence", "post"]
    assert {(row["confidence"], row["post"]) for row in rows} == {("0.9", "norm-sub")}
    for row, estimate, frequency in zip(rows, found.estimates, found.shares, strict=True):
        low, high, low_all, high_all = (float(row[name]) for name in ("low", "high", "low_all", "high_all"))
        assert low_all < low < float(row["estimate"]) == estimate < high < high_all
        assert (low + high) / 2 == pytest.approx(estimate)
        assert (low_all + high_all) / 2 == pytest.approx(estimate)
        assert float(row["frequency"]) == frequency
    assert any(float(row["frequency"]) != float(row["estimate"]) for row in rows)
