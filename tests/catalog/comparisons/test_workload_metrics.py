"""Metrics of answers to a workload, against every query written down."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import InputError
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.registry import parse_named_workload
from mechdesign_catalog.comparisons import workload_metrics
from mechdesign_catalog.comparisons.workload_metrics import (
    KNOWN_OF_WORKLOADS,
    WORKLOAD_METRICS,
    Estimated,
    Questions,
    estimated_deciles,
    largest_answer,
    make_workload_metric,
    parse_workload_metrics,
)

COUNTS = np.array([5, 0, 3, 9, 1, 2, 7, 0, 4, 1, 6, 2])
SHARES = COUNTS / COUNTS.sum()
ESTIMATE = SHARES + np.random.default_rng(4).normal(scale=0.05, size=12)
WORKLOADS = [
    *(parse_named_workload(text, 12) for text in ("histogram", "prefixes", "ranges", "ranges:5")),
    *(parse_named_workload(text, 12) for text in ("grid:3,4", "grid:4,3")),
    MatrixWorkload.of(np.random.default_rng(5).integers(-3, 4, size=(6, 12)) + np.eye(6, 12, dtype=int) * 9),
]


def dense(workload):
    """The errors of all queries, from their written matrix."""
    return workload.queries().weights() @ (ESTIMATE - SHARES)


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
@pytest.mark.parametrize("is_sum", [True, False])
def test_errors_of_all_queries(workload, is_sum):
    """Whether answers are sums of estimated shares, or told one by one."""
    questions = Questions(workload, COUNTS)
    estimated = Estimated(ESTIMATE, None if is_sum else lambda queries: queries.apply(ESTIMATE))
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
    questions = Questions(Ranges(12), COUNTS)
    true = Ranges(12).queries().weights() @ SHARES
    errors = np.abs(dense(Ranges(12)))
    for percent in (1, 10, 50, 90, 99):
        heavy = np.round(100 * COUNTS.sum() * true) >= percent * COUNTS.sum()  # one of them has exactly a tenth
        found = make_workload_metric(f"heavy{percent}").value(questions, Estimated(ESTIMATE))
        assert found == pytest.approx((errors[heavy] / true[heavy]).mean())
    with pytest.raises(InputError, match=r"heavy50 must have a query with at least 50 % of the users, got none of 12"):
        parse_workload_metrics("rmse,heavy50", Questions(Histogram(12), COUNTS))


def test_a_large_workload_is_sampled_where_queries_are_looked_at(monkeypatch):
    monkeypatch.setattr(workload_metrics, "MOST_ASKED", 40)
    monkeypatch.setattr(workload_metrics, "SAMPLED", 30_000)
    questions = Questions(Ranges(12), COUNTS)
    assert questions.entry() == {"workload": "ranges", "queries": 78, "queries_looked_at": 30_000}
    mse, largest, errors = make_workload_metric("mse"), make_workload_metric("max"), dense(Ranges(12))
    told = Estimated(ESTIMATE, lambda queries: queries.apply(ESTIMATE))
    assert mse.value(questions, Estimated(ESTIMATE)) == pytest.approx(np.mean(errors**2))
    assert mse.value(questions, told) == pytest.approx(np.mean(errors**2), rel=0.05)
    assert largest.value(questions, told) == pytest.approx(np.abs(errors).max())
    table = Questions(Grid((64, 64)), np.ones(4096, dtype=np.int64))
    assert (len(table.asked), table.is_sampled) == (2**24 // 4096, True)
    assert Questions(Prefixes(12), COUNTS).entry()["queries_looked_at"] == 12


def test_deciles():
    """Ten users on ten items: each decile is one of them, and its shares reach from one tenth to the next."""
    questions = Questions(Ranges(10), np.ones(10, dtype=np.int64))
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


def test_names():
    found = parse_workload_metrics("rmse, MAX,heavy10,rmse,bits", Questions(Ranges(12), COUNTS))
    assert [metric.name for metric in found] == ["rmse", "max", "heavy10", "bits"]
    assert set(KNOWN_OF_WORKLOADS) == {*WORKLOAD_METRICS, "heavyX"}
    assert all(metric.title and metric.unit for metric in WORKLOAD_METRICS.values())
    for name, message in (
        ("tv", "metric of a workload must be one of mse, rmse"),
        ("rmsee", "did you mean rmse"),
        ("heavy", "metric heavyX must have its X"),
        ("heavy0", "metric heavyX must have its X"),
        ("heavy100", "metric heavyX must have its X"),
    ):
        with pytest.raises(InputError, match=message):
            make_workload_metric(name)
    with pytest.raises(InputError, match="metric bits must come from the run"):
        make_workload_metric("bits").value(Questions(Ranges(12), COUNTS), Estimated(ESTIMATE))


def test_what_does_not_fit():
    with pytest.raises(InputError, match="workload must be on the k = 12 items of the data, got ranges on 11"):
        Questions(Ranges(11), COUNTS)
    with pytest.raises(InputError, match=r"max must be of at most 2\^31 sums of rows and columns, got a grid of 2"):
        largest_answer(Grid((2000, 2000)), np.zeros(4_000_000))
