"""Studies of ranges in their reduced form: exact columns against matrices, simulations against exact columns."""

import math
from fractions import Fraction

import numpy as np
import pytest
from dense_ranges import all_ranges, tree_variances, wavelet_variances

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign_catalog.comparisons.workload_survey import rate
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.ranges import (
    any_k,
    best_fanout,
    branching,
    central,
    drawings,
    heavy,
    quantiles,
    systems,
    tables,
)
from mechdesign_figures.studies.ranges.printed import HAAR, TABLE_5_2, TABLE_5_3
from mechdesign_figures.studies.ranges.queries import RangesFrom
from mechdesign_figures.studies.ranges.systems import NAMES, THREE, USERS, average, largest, tree
from mechdesign_figures.studies.registry import STUDIES

NUMBERS = ("5.1", "5.2", "5.3", "5.4", "5.5", "table-5.2", "table-5.3", "table-5.4", "best-b", "any-k")
FANOUTS = {"HH2": 2, "HH4": 4, "HH16": 16}


@pytest.fixture(scope="module")
def made():
    """The rows of every study, reduced."""
    return {number: STUDIES[number].rows(DesignCache(), True) for number in NUMBERS}


def dense(system, queries, k, epsilon):
    shares = np.full(k, 1 / k)
    if system == HAAR:
        return wavelet_variances(queries, k, shares, USERS, math.exp(epsilon))
    return tree_variances(queries, k, FANOUTS[system], shares, USERS, math.exp(epsilon))


@pytest.mark.parametrize("system", ["HH2", "HH4", HAAR])
def test_averages_are_those_of_matrices(system):
    k = 16
    rows = all_ranges(k)
    lengths, firsts = rows.sum(axis=1), rows.argmax(axis=1)
    variances = dense(system, rows, k, math.log(3))
    for workload, kept in (
        (Ranges(k), lengths > 0),
        (RangesFrom(k, 4), firsts % 4 == 0),
        (Prefixes(k), firsts == 0),
        (FixedRanges(k, 5), lengths == 5),
    ):
        assert average(NAMES[system], workload) == pytest.approx(variances[kept].mean(), rel=1e-9)
    assert largest(NAMES[system], Ranges(k)) == pytest.approx((variances.max(), variances.max()), rel=1e-9)


def test_trees_without_inference_are_sampled_beyond_a_number_of_queries():
    name, workload = tree(2, consistent=False), Ranges(1 << 8)
    assert systems.is_sampled(name, workload)
    assert not systems.is_sampled(tree(2), workload)
    assert average(name, workload) == pytest.approx(
        systems.oracle(name, 256, THREE).average_variance(workload, USERS), rel=0.02
    )


@pytest.mark.slow
def test_tables_and_pictures(made):
    for number, rows in made.items():
        study = STUDIES[number]
        assert rows
        assert all(tuple(row) == study.columns for row in rows), number
        with house_style():
            assert study.draw(rows).axes


@pytest.mark.slow
@pytest.mark.parametrize("number", ["table-5.2", "table-5.3"])
def test_exact_errors_are_those_of_matrices(made, number):
    """All ranges, or all prefixes, of 2^8 items."""
    rows = all_ranges(256)
    if number == "table-5.3":
        rows = rows[:256]
    shown = [row for row in made[number] if row["epsilon"] == 1.4]
    assert [row["system"] for row in shown] == ["HH2", "HH4", "HH16", HAAR]
    printed = (TABLE_5_2 if number == "table-5.2" else TABLE_5_3)[0]
    assert printed.log2 == 8
    if number == "table-5.2":
        shown = shown[1::2]
    for row in shown:
        variances = dense(row["system"], rows, 256, row["epsilon"])
        assert row["exact"] == pytest.approx(1000 * math.sqrt(variances.mean()), rel=1e-6)
        assert row["exact"] == pytest.approx(row["exact_all_queries"])
        assert row["exact_mse"] == pytest.approx(1000 * variances.mean(), rel=1e-6)
        assert row["printed"] == printed.error(row["system"], f"{row['epsilon']:g}")


@pytest.mark.slow
def test_simulated_errors_are_near_exact_ones(made):
    """The root of a mean square of five is a little below the root of its mean."""
    for number in ("table-5.2", "table-5.3"):
        ratios = np.array([row["mean"] / row["exact"] for row in made[number] if row["mean"] is not None])
        assert len(ratios) == 32
        assert 0.9 < ratios.mean() < 1.05
        assert ratios.min() > 0.6
        assert ratios.max() < 1.5
    ratios = np.array([row["mean"] / row["exact"] for row in made["5.3"]])
    assert 0.85 < np.median(ratios) < 1.15
    for row in made["table-5.4"]:
        assert abs(row["mean"] - row["value"]) < 4.5 * row["standard_error"]
    ratios = np.array([row["mean"] / row["expected"] for row in made["5.4"]])
    assert 0.7 < np.median(ratios) < 1.3


@pytest.mark.slow
def test_published_numbers_of_central_systems(made):
    for row in made["table-5.4"]:
        assert row["value"] == pytest.approx(row["printed"], rel=0.007)
        assert float(Fraction(row["exact"])) == row["value"]
    assert central.ratio("HH2", 9) == pytest.approx(1.869, abs=5e-4)


def test_the_tree_of_the_example():
    rows = drawings.tree_rows(DesignCache(), False)
    nodes = [row for row in rows if row["record"] == "node"]
    assert [float(Fraction(row["share"])) for row in nodes[:7]] == [1.0, 0.6, 0.4, 0.25, 0.35, 0.25, 0.15]
    assert [(row["first"], row["last"]) for row in nodes if row["user_at_5"]] == [(0, 7), (4, 7), (4, 5), (5, 5)]
    assert sum(row["record"] != "node" for row in rows) == 6


def test_the_haar_matrix_is_orthogonal():
    matrix = np.zeros((8, 8))
    for row in drawings.haar_rows(DesignCache(), False):
        matrix[row["item"], row["coefficient"]] = row["value"]
    assert matrix @ matrix.T == pytest.approx(np.eye(8))
    assert (matrix[:, 1] > 0).tolist() == [True] * 4 + [False] * 4


def test_lengths_of_the_panels():
    for log2 in (8, 16, 22):
        one, second, *others = branching.lengths(log2)
        assert (one, others) == (1, [1 << log2 >> 3, 3 << log2 >> 2])
        flat, haar = (average(name, FixedRanges(1 << log2, second)) for name in ("oue", "haar"))
        assert haar < flat
        flat, haar = (average(name, FixedRanges(1 << log2, second // 2)) for name in ("oue", "haar"))
        assert haar >= flat


@pytest.mark.slow
def test_the_best_fanout(made):
    rows = [row for row in made["best-b"] if row["panel"] == "fanout"]
    assert {row["items_log2"] for row in rows} == set(best_fanout.QUICK_DOMAINS)
    for row in rows:
        assert row["mean"] < row["largest"] <= row["largest_bound"] * (1 + 1e-12)
        least = min(other["mean"] for other in rows if other["items_log2"] == row["items_log2"])
        assert row["mean_over_best"] == row["mean"] / least


@pytest.mark.slow
def test_deciles(made):
    rows = [row for row in made["5.5"] if row["error"] == quantiles.QUANTILE]
    assert len(rows) == 2 * 2 * 2 * 9
    users = heavy.series("movielens", heavy.QUICK)
    shares = np.cumsum(users.frequencies)
    for row in rows:
        if row["data"] == "movielens":
            item = row["true_item"]
            assert shares[item] >= row["quantile"] > shares[item - 1]
        assert 0 < row["mean"] < 5 * row["expected"]


def test_published_queries():
    assert [tables.published_queries(part) for part in TABLE_5_2] == [
        Ranges(1 << 8),
        RangesFrom(1 << 16, 1 << 8),
        RangesFrom(1 << 20, 1 << 14),
        RangesFrom(1 << 22, 1 << 17),
    ]
    assert [tables.published_queries(part) for part in TABLE_5_3] == [Prefixes(1 << log2) for log2 in (8, 16, 20, 22)]


@pytest.mark.parametrize("system", ["HH4", HAAR])
def test_expected_relative_errors_are_those_of_matrices(system):
    """The mean absolute value of a normal is the root of 2 / pi times its deviation; 20,000 of 2,080 ranges sampled."""
    size = heavy.Size(10, 6)
    shares = heavy.series("taxi", size).frequencies
    rows = all_ranges(64)
    users = 1 << 10
    variances = (
        wavelet_variances(rows, 64, shares, users, 3.0)
        if system == HAAR
        else tree_variances(rows, 64, 4, shares, users, 3.0)
    )
    held = rows @ shares
    counts, found = heavy.expectations("taxi", system, size)
    for place, percent in enumerate(heavy.THRESHOLDS):
        kept = held >= percent / 100
        expected = (np.sqrt(2 / math.pi * np.maximum(variances[kept], 0)) / held[kept]).mean()
        assert found[place] == pytest.approx(expected, rel=0.05)
        assert counts[place] == pytest.approx(heavy.SAMPLED * kept.mean(), rel=0.15)


def test_simulation_plans():
    assert tables.simulation_of(22, "HH2", "0.2", quick=False) is None
    assert tables.simulation_of(20, "HH2", "1", quick=False) is None
    assert tables.simulation_of(20, HAAR, "1.4", quick=False).users == 1 << 20
    assert tables.simulation_of(8, "HH2", "1", quick=False).users == USERS


def test_no_system_is_below_the_optimum_and_no_optimum_below_the_bound(made):
    best = {(row["workload"], row["items_log2"], row["family"]): row["variance"] for row in made["any-k"]}
    bounds = {(row["workload"], row["items_log2"]): row["bound"] for row in made["any-k"]}
    assert len(best) == 3 * len(bounds) == 12
    for (workload, log2), bound in bounds.items():
        published, own, optimum = (
            best[workload, log2, family] for family in (any_k.PUBLISHED, any_k.OWN, any_k.OPTIMUM)
        )
        assert bound < optimum < own <= published


def test_a_row_is_what_its_system_has(made):
    for row in made["any-k"]:
        if row["system"] is not None:
            workload = any_k.WORKLOADS[row["workload"]](1 << row["items_log2"])
            oracle = parse_oracle(row["system"], workload.k, Privacy(epsilon=row["epsilon"]))
            assert row["variance"] == pytest.approx(USERS * rate(oracle, workload, USERS).average, rel=1e-6)
            assert row["over_bound"] == row["variance"] / row["bound"]
