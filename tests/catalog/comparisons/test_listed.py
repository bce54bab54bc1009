"""The oracles of a list: subset selection at the best size for what is printed, by a name that makes it again."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from mechdesign import Privacy
from mechdesign.workloads.ordered import Histogram
from mechdesign_catalog import count_items
from mechdesign_catalog.comparisons.listed import listed_oracles
from mechdesign_catalog.comparisons.of_oracles import compare_oracles
from mechdesign_catalog.comparisons.survey import survey_oracles
from mechdesign_catalog.comparisons.workload_survey import rate, survey_workload
from mechdesign_catalog.oracles import make_oracle, parse_oracle
from mechdesign_catalog.oracles.kinds.subset import MEAN, RARE

ITEMS = (*range(2, 40), 64, 100, 300, 1000, 3000, 10_000)
EPSILONS = ("0.01", "0.1", "0.25", "0.5", "1", "1.3", "2", "2.5", "3", "4", "5")


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_oracle_is_listed_below_subset_selection_for_a_rare_item(epsilon: str) -> None:
    privacy = Privacy(epsilon=epsilon)
    for k in ITEMS:
        found = {standing.name: standing.variance for standing in survey_oracles(k, privacy, 10_000)}
        (name,) = (name for name in found if name.partition(":")[0] == "ss")
        assert found[name] <= min(found.values()) * (1 + 1e-12), k
        assert parse_oracle(name, k, privacy).approximate_variance(10_000) == found[name]


CRITERIA: dict[str, Callable[[int, Fraction, int], Fraction]] = {
    RARE: lambda k, x, d: (k + (x - 1) * d - x) * (k + (x - 1) * d - 1) / Fraction(d * (k - d)),
    MEAN: lambda k, x, d: (k + (x - 1) * d) ** 2 / Fraction(d * (k - d)),
}
"""What is least, but for factors and constants, worked out by hand."""


@pytest.mark.parametrize("size", CRITERIA)
def test_sizes_are_the_best_of_all(size: str) -> None:
    for k in (2, 3, 4, 6, 7, 8, 13, 20, 39, 84, 225):
        for epsilon in EPSILONS:
            privacy = Privacy(epsilon=epsilon)
            best = make_oracle("ss", k, privacy, size=size)
            rated = {d: CRITERIA[size](k, 1 / privacy.alpha, d) for d in range(1, k)}
            assert best.selected == min(rated, key=rated.__getitem__)
            assert best.parameters["size"] == best.selected


def test_the_plain_oracle_keeps_its_size() -> None:
    half = Privacy(epsilon="1/2")
    assert make_oracle("ss", 4, half).selected == 2
    assert [name for name, _ in listed_oracles(4, half, RARE) if "ss" in name] == ["ss:size=1"]
    assert "ss" in dict(listed_oracles(24, Privacy(epsilon="1.5"), MEAN))


def test_a_workload_lists_the_size_of_the_least_average() -> None:
    privacy, workload = Privacy(epsilon="1.3"), Histogram(7)
    found = {standing.name: standing.variance for standing in survey_workload(workload, privacy, 1000)}
    averages = {d: rate(make_oracle("ss", 7, privacy, size=d), workload, 1000).average for d in range(1, 7)}
    assert found["flat:ss:size=2"] == min(averages.values()) < 0.99 * averages[make_oracle("ss", 7, privacy).selected]


def test_a_comparison_takes_the_size_of_the_least_mean_squared_error() -> None:
    data = count_items(list("aabcdefg") * 5, list("abcdefg"))
    rows = compare_oracles(data, epsilon="1.3", metrics="rmse", repetitions=1, seed=1)
    expected = {row.oracle: row.measured.expected for row in rows}
    assert "ss" not in expected
    sizes = compare_oracles(
        data, [f"ss:size={d}" for d in range(1, 7)], epsilon="1.3", metrics="rmse", repetitions=1, seed=1
    )
    assert expected["ss:size=mean"] == min(row.measured.expected or 1 for row in sizes)
    plain = compare_oracles(data, epsilon=1, metrics="rmse", repetitions=1, seed=1)
    assert "ss" in {row.oracle for row in plain}
