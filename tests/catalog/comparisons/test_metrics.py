"""Metrics of frequencies and of answers: golden values, plain loops, scipy, and every query written down."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance
from wording import refused

from mechdesign import InputError
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.registry import parse_named_workload
from mechdesign_catalog.comparisons import frequency_metrics, workload_metrics
from mechdesign_catalog.comparisons.frequency_metrics import (
    FREQUENCY_METRICS,
    KNOWN,
    make_frequency_metric,
    parse_frequency_metrics,
    top_items,
    top_ranks,
)
from mechdesign_catalog.comparisons.workload_metrics import (
    KNOWN_OF_WORKLOADS,
    WORKLOAD_METRICS,
    Estimated,
    EvaluatedWorkload,
    estimated_deciles,
    largest_answer,
    make_workload_metric,
    parse_workload_metrics,
)

NAMES = [name for name, metric in FREQUENCY_METRICS.items() if not metric.of_the_run] + ["top2", "rank2", "top10"]
COUNTS = np.array([6, 0, 1, 1])
ESTIMATE = np.array([0.5, 0.25, 0.0, 0.375])


def test_golden_values():
    for name, value in [
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
        ("top10", 1),
        ("rank10", 1),
    ]:
        assert make_frequency_metric(name).value(COUNTS, ESTIMATE) == pytest.approx(value)


def test_truth_itself():
    for name in NAMES:
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
    assert [metric.of_the_run for metric in found] == [False] * 5 + [True] * 2
    assert make_frequency_metric("rmse-people").unit == make_frequency_metric("max-people").unit == "people"
    assert all(metric.title and metric.unit for metric in FREQUENCY_METRICS.values())
    assert set(KNOWN) - {"topK", "rankK"} == set(FREQUENCY_METRICS)


def test_bad_names():
    for text in [
        "rmes",
        "rmse,",
        "top",
        "topK",
        "rank0",
    ]:
        with refused(InputError):
            parse_frequency_metrics(text)


def test_bad_shapes():
    rmse = make_frequency_metric("rmse")
    for counts, estimates in (([1, 2], [0.1, 0.2, 0.3]), ([0, 0], [0.1, 0.2]), ([[1, 2]], [0.1, 0.2])):
        with refused(InputError, about="estimates"):
            rmse.values(np.array(counts), np.array(estimates))
    with refused(InputError):
        make_frequency_metric("bits").values(np.array([1, 2]), np.array([0.5, 0.5]))


USERS_OF = np.array([5, 0, 3, 9, 1, 2, 7, 0, 4, 1, 6, 2])
SHARES = USERS_OF / USERS_OF.sum()
ESTIMATED = SHARES + np.random.default_rng(4).normal(scale=0.05, size=12)
WORKLOADS = [
    *(parse_named_workload(text, 12) for text in ("histogram", "prefixes", "ranges", "ranges:5")),
    *(parse_named_workload(text, 12) for text in ("grid:3,4", "grid:4,3")),
    MatrixWorkload.of(np.random.default_rng(5).integers(-3, 4, size=(6, 12)) + np.eye(6, 12, dtype=int) * 9),
]


def dense(workload):
    """The errors of all queries, from their written matrix."""
    return workload.queries().weights() @ (ESTIMATED - SHARES)


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
@pytest.mark.parametrize("is_sum", [True, False])
def test_errors_of_all_queries(workload, is_sum):
    """Whether answers are sums of estimated shares, or told one by one."""
    questions = EvaluatedWorkload(workload, USERS_OF)
    estimated = Estimated(ESTIMATED, None if is_sum else lambda queries: queries.apply(ESTIMATED))
    errors = dense(workload)
    found = {name: make_workload_metric(name).value(questions, estimated) for name in ("mse", "rmse", "max")}
    assert found["mse"] == pytest.approx(np.mean(errors**2))
    assert found["rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)))
    assert found["max"] == pytest.approx(np.abs(errors).max())


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=12))
def test_the_largest_range_is_the_span_of_running_sums(values):
    vector = np.array(values, dtype=float)
    every = [abs(sum(values[a : b + 1])) for a in range(len(values)) for b in range(a, len(values))]
    assert largest_answer(Ranges(len(values)), vector) == max(every)


def test_heavy_queries():
    questions = EvaluatedWorkload(Ranges(12), USERS_OF)
    true = Ranges(12).queries().weights() @ SHARES
    errors = np.abs(dense(Ranges(12)))
    for percent in (1, 10, 50, 90, 99):
        heavy = np.round(100 * USERS_OF.sum() * true) >= percent * USERS_OF.sum()  # one of them has exactly a tenth
        found = make_workload_metric(f"heavy{percent}").value(questions, Estimated(ESTIMATED))
        assert found == pytest.approx((errors[heavy] / true[heavy]).mean())
    with refused(InputError, about="heavy50"):
        parse_workload_metrics("rmse,heavy50", EvaluatedWorkload(Histogram(12), USERS_OF))


def test_a_large_workload_is_sampled_where_queries_are_looked_at(monkeypatch):
    monkeypatch.setattr(workload_metrics, "MOST_QUERIES", 40)
    monkeypatch.setattr(workload_metrics, "SAMPLED", 30_000)
    questions = EvaluatedWorkload(Ranges(12), USERS_OF)
    assert questions.entry() == {"workload": "ranges", "queries": 78, "queries_looked_at": 30_000}
    mse, largest, errors = make_workload_metric("mse"), make_workload_metric("max"), dense(Ranges(12))
    told = Estimated(ESTIMATED, lambda queries: queries.apply(ESTIMATED))
    assert mse.value(questions, Estimated(ESTIMATED)) == pytest.approx(np.mean(errors**2))
    assert mse.value(questions, told) == pytest.approx(np.mean(errors**2), rel=0.05)
    assert largest.value(questions, told) == pytest.approx(np.abs(errors).max())
    table = EvaluatedWorkload(Grid((64, 64)), np.ones(4096, dtype=np.int64))
    assert (len(table.queries), table.is_sampled) == (2**24 // 4096, True)
    assert EvaluatedWorkload(Prefixes(12), USERS_OF).entry()["queries_looked_at"] == 12


def test_deciles():
    """Ten users on ten items: each decile is one of them, and its shares reach from one tenth to the next."""
    questions = EvaluatedWorkload(Ranges(10), np.ones(10, dtype=np.int64))
    error, distance = (make_workload_metric(name) for name in ("quantile-error", "value-error"))
    right = Estimated(np.full(10, 0.1) + 1e-9)
    assert estimated_deciles(right).tolist() == list(range(9))
    assert (error.value(questions, right), distance.value(questions, right)) == (0, 0)
    late = Estimated(np.array([0, 0, 0, 1.0, 0, 0, 0, 0, 0, 0]))  # item 3 for every decile: shares 0.3 to 0.4
    assert estimated_deciles(late).tolist() == [3] * 9
    assert distance.value(questions, late) == pytest.approx((3 + 2 + 1 + 0 + 1 + 2 + 3 + 4 + 5) / 9)
    assert error.value(questions, late) == pytest.approx((0.2 + 0.1 + 0 + 0 + 0.1 + 0.2 + 0.3 + 0.4 + 0.5) / 9)
    told = Estimated(np.zeros(10), lambda queries: queries.apply(right.items))
    assert distance.value(questions, told) == 0


def test_names_of_metrics_of_workloads():
    found = parse_workload_metrics("rmse, MAX,heavy10,rmse,bits", EvaluatedWorkload(Ranges(12), USERS_OF))
    assert [metric.name for metric in found] == ["rmse", "max", "heavy10", "bits"]
    assert set(KNOWN_OF_WORKLOADS) == {*WORKLOAD_METRICS, "heavyX"}
    assert all(metric.title and metric.unit for metric in WORKLOAD_METRICS.values())
    for name in (
        "tv",
        "rmsee",
        "heavy",
        "heavy0",
        "heavy100",
    ):
        with refused(InputError):
            make_workload_metric(name)
    with refused(InputError):
        make_workload_metric("bits").value(EvaluatedWorkload(Ranges(12), USERS_OF), Estimated(ESTIMATED))


def test_what_does_not_fit():
    with refused(InputError, about="workload"):
        EvaluatedWorkload(Ranges(11), USERS_OF)
    with refused(InputError, about="max"):
        largest_answer(Grid((2000, 2000)), np.zeros(4_000_000))
