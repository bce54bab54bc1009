"""Metrics of frequency estimates: golden values, plain loops, scipy, and the same for one and for many repetitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from mechdesign import InputError
from mechdesign_catalog.comparisons import frequency_metrics
from mechdesign_catalog.comparisons.frequency_metrics import (
    FREQUENCY_METRICS,
    KNOWN,
    make_frequency_metric,
    parse_frequency_metrics,
    top_items,
    top_ranks,
)

NAMES = [name for name, metric in FREQUENCY_METRICS.items() if not metric.of_the_run] + ["top2", "rank2", "top10"]
COUNTS = np.array([6, 0, 1, 1])
ESTIMATE = np.array([0.5, 0.25, 0.0, 0.375])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # errors -1/4, 1/4, -1/8, 1/4 of 8 users
        ("mse", (3 / 16 + 1 / 64) / 4),
        ("rmse", ((3 / 16 + 1 / 64) / 4) ** 0.5),
        ("rmse-people", 8 * ((3 / 16 + 1 / 64) / 4) ** 0.5),
        ("max", 0.25),
        ("max-people", 2),
        ("tv", 0.4375),
        ("w1", 0.25 + 0 + 0.125),
        ("w1-hours", 6 * 0.375),
        ("zeroed", 1),
        ("top1", 1),
        ("top2", 0.5),
        ("top3", 2 / 3),
        ("top4", 1),
        ("top10", 1),
        ("rank1", 0),
        ("rank2", 1),
        ("rank4", (0 + 2 + 1 + 1) / 4),
        ("rank10", 1),
    ],
)
def test_golden_values(name, value):
    assert make_frequency_metric(name).value(COUNTS, ESTIMATE) == pytest.approx(value)


@pytest.mark.parametrize("name", NAMES)
def test_truth_itself(name):
    counts = np.array([4, 1, 3, 0, 8, 16])
    metric = make_frequency_metric(name)
    expected = 1 if name.startswith("top") else 1 if name == "zeroed" else 0  # one item really has nobody
    assert metric.value(counts, counts / 32) == expected


@pytest.mark.parametrize("name", NAMES)
def test_repetitions_are_apart_and_blocks_do_not_matter(name, monkeypatch):
    generator = np.random.default_rng(3)
    counts = generator.integers(0, 50, 40)
    estimates = np.round(generator.normal(1 / 40, 0.02, (7, 40)), 2)  # with ties and zeros
    metric = make_frequency_metric(name)
    whole = metric.values(counts, estimates)
    assert whole.shape == (7,)
    assert [metric.value(counts, row) for row in estimates] == pytest.approx(whole.tolist(), rel=1e-12)
    monkeypatch.setattr(frequency_metrics, "BLOCK", 100)
    assert metric.values(counts, estimates) == pytest.approx(whole, rel=1e-12)


@pytest.mark.slow
@given(st.data(), st.integers(2, 12))
def test_wasserstein_is_scipys_where_both_sum_to_1(data, k):
    counts = np.array(data.draw(st.lists(st.integers(0, 9), min_size=k, max_size=k).filter(any)))
    other = np.array(data.draw(st.lists(st.integers(0, 9), min_size=k, max_size=k).filter(any)))
    line = np.arange(k)
    expected = wasserstein_distance(line, line, counts, other)
    assert make_frequency_metric("w1").value(counts, other / other.sum()) == pytest.approx(expected, abs=1e-9)
    hours = wasserstein_distance(line * 24 / k, line * 24 / k, counts, other)
    assert make_frequency_metric("w1-hours").value(counts, other / other.sum()) == pytest.approx(hours, abs=1e-9)


def test_a_surplus_lies_on_the_last_item():
    assert make_frequency_metric("w1").value(np.array([1, 1]), np.array([0.5, 0.75])) == 0
    assert make_frequency_metric("w1").value(np.array([1, 1]), np.array([0.75, 0.5])) == 0.25


@given(st.lists(st.integers(0, 4), min_size=2, max_size=15), st.integers(1, 20))
def test_the_top_is_the_sorted_beginning(shares, size):
    expected = sorted(range(len(shares)), key=lambda i: (-shares[i], i))[:size]
    assert top_items(np.array(shares), size).tolist() == expected
    assert top_items(np.array(shares) / 7 - 0.2, size).tolist() == expected


@given(st.data(), st.integers(2, 12), st.integers(1, 14))
def test_ranks_are_places_in_the_sorted_estimate(data, k, size):
    counts = data.draw(st.lists(st.integers(0, 5), min_size=k, max_size=k).filter(any))
    estimate = data.draw(st.lists(st.integers(-2, 4), min_size=k, max_size=k))
    by_truth = sorted(range(k), key=lambda i: (-counts[i], i))
    by_estimate = sorted(range(k), key=lambda i: (-estimate[i], i))
    expected = [by_estimate.index(item) + 1 for item in by_truth[:size]]
    assert top_ranks(np.array(counts), np.array([estimate]) / 4, size).tolist() == [expected]
    distance = np.mean([abs(rank - place) for place, rank in enumerate(expected, start=1)])
    precision = len(set(by_truth[:size]) & set(by_estimate[:size])) / min(size, k)
    assert make_frequency_metric(f"rank{size}").value(np.array(counts), np.array(estimate) / 4) == distance
    assert make_frequency_metric(f"top{size}").value(np.array(counts), np.array(estimate) / 4) == precision


def test_names():
    found = parse_frequency_metrics("rmse, MAX,tv,rank10,rmse,top5,seconds,bits")
    assert [metric.name for metric in found] == ["rmse", "max", "tv", "rank10", "top5", "seconds", "bits"]
    assert [metric.smaller_is_better for metric in found] == [True, True, True, True, False, True, True]
    assert [metric.of_the_run for metric in found] == [False] * 5 + [True] * 2
    assert make_frequency_metric("zeroed").smaller_is_better is None
    assert make_frequency_metric("rmse-people").unit == make_frequency_metric("max-people").unit == "people"
    assert all(metric.title and metric.unit for metric in FREQUENCY_METRICS.values())
    assert set(KNOWN) - {"topK", "rankK"} == set(FREQUENCY_METRICS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rmes", "metric must be one of mse, .*, rankK, and with a .*, got rmes; did you mean rmse"),
        ("rmse,", "got an empty name"),
        ("top", "metric must be one of .*, got top; did you mean topK"),
        ("topK", "metric topK must have its K, a whole number, as in top10, got topK"),
        ("rank0", "metric must be one of .*, got rank0; did you mean rankK"),
    ],
)
def test_bad_names(text, message):
    with pytest.raises(InputError, match=message):
        parse_frequency_metrics(text)


def test_bad_shapes():
    rmse = make_frequency_metric("rmse")
    for counts, estimates in (([1, 2], [0.1, 0.2, 0.3]), ([0, 0], [0.1, 0.2]), ([[1, 2]], [0.1, 0.2])):
        with pytest.raises(InputError, match="estimates must be repetitions x"):
            rmse.values(np.array(counts), np.array(estimates))
    with pytest.raises(InputError, match="metric bits must come from the run, got estimates"):
        make_frequency_metric("bits").values(np.array([1, 2]), np.array([0.5, 0.5]))
