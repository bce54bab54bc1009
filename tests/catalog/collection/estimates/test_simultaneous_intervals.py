"""Intervals for all items together: they cover all true shares as often as they say, and noise is not discovered."""

import csv
import io
import math
from statistics import NormalDist

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.oracles import make_oracle, normal_intervals
from mechdesign_catalog.postprocessing import postprocess

ITEMS, USERS, TIMES = 200, 50_000, 2000
COUNTS = np.r_[20_000, 12_000, 8_000, np.full(5, 2_000), np.zeros(ITEMS - 8, dtype=np.int64)].astype(np.int64)
DOMAIN = Domain(tuple(f"item {number}" for number in range(ITEMS)))


def estimates(name, **options):
    """As many estimates as are wanted, each from the law of the sums of all reports."""
    oracle = make_oracle(name, ITEMS, Privacy(epsilon=2), **options)
    generator = np.random.default_rng(1)
    for _ in range(TIMES):
        yield FrequencyEstimate.of(oracle, DOMAIN, oracle.draw_state(COUNTS, generator))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"), [("oue", {}), ("grr", {}), ("olh", {}), ("dbitflip", {"d": 1}), ("dbitflip", {})]
)
def test_all_items_are_covered_together_as_often_as_said(name, options):
    """Single ones hold all 200 shares hardly ever; among items that nobody has they find some nearly every time."""
    shares = COUNTS / USERS
    together = single = false = found_by_single = 0
    for found in estimates(name, **options):
        low, high = found.simultaneous_intervals(0.95)
        together += ((low <= shares) & (shares <= high)).all()
        false += (COUNTS[found.above_noise(0.95)] == 0).any()
        low, high = found.intervals(0.95)
        single += ((low <= shares) & (shares <= high)).all()
        found_by_single += (low[COUNTS == 0] > 0).any()
    error = math.sqrt(0.95 * 0.05 / TIMES)
    # of an item that nobody has, an estimate above 0 comes with a larger standard error: a little more is covered
    assert -4 * error < together / TIMES - 0.95 < 0.035
    assert false / TIMES < 0.025 + 4 * error
    assert single / TIMES < 0.01
    assert found_by_single / TIMES > 0.95


def test_large_items_are_above_noise():
    for found, _ in zip(estimates("oue"), range(20), strict=False):
        assert found.above_noise()[:3] == [0, 1, 2]
        assert set(found.above_noise(0.999)) <= set(found.above_noise(0.5))


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
    with pytest.raises(InputError, match=r"level must be in \(0, 1\), got level=1"):
        normal_intervals(estimate, errors, 1, together=2)


def test_the_table_says_what_intervals_are_of():
    """Post-processed frequencies stand beside the estimate that the intervals are around."""
    found = postprocess(next(iter(estimates("oue"))), "norm-sub")
    rows = list(csv.DictReader(io.StringIO(found.tabulate(0.9).csv_bytes().decode())))
    assert list(rows[0])[:3] == ["item", "frequency", "standard_error"]
    assert list(rows[0])[3:] == ["estimate", "low", "high", "low_all", "high_all", "confidence", "post"]
    assert {(row["confidence"], row["post"]) for row in rows} == {("0.9", "norm-sub")}
    for row, estimate, frequency in zip(rows, found.estimates, found.frequencies, strict=True):
        low, high, low_all, high_all = (float(row[name]) for name in ("low", "high", "low_all", "high_all"))
        assert low_all < low < float(row["estimate"]) == estimate < high < high_all
        assert (low + high) / 2 == pytest.approx(estimate)
        assert (low_all + high_all) / 2 == pytest.approx(estimate)
        assert float(row["frequency"]) == frequency
    assert any(float(row["frequency"]) != float(row["estimate"]) for row in rows)
