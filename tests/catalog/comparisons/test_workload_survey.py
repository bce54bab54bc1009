"""Oracles rated for workloads, against the variance of every query; which are listed, at which size."""

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError, Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.registry import parse_named_workload
from mechdesign_catalog import count_items
from mechdesign_catalog.comparisons import workload_survey
from mechdesign_catalog.comparisons.listed import listed_oracles
from mechdesign_catalog.comparisons.of_oracles import compare_oracles
from mechdesign_catalog.comparisons.survey import best, near_best, survey_oracles
from mechdesign_catalog.comparisons.workload_survey import rate, survey_workload
from mechdesign_catalog.decoders.decoder import Decoder
from mechdesign_catalog.randomizers.facts.flat_variances import largest_at_uniform_shares
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.systems import make_oracle, parse_oracle
from mechdesign_catalog.systems.flat.subset import MEAN, RARE

WORKLOADS = [
    *(parse_named_workload(text, 24) for text in ("histogram", "prefixes", "ranges", "ranges:7", "grid:4,6")),
    parse_named_workload("grid:circular:4,prefixes:6", 24),
    *(parse_named_workload(text, 24) for text in ("marginals:1:3,4,2", "marginals:2:3,4,2")),
    MatrixWorkload.of(np.random.default_rng(5).integers(-3, 4, size=(9, 24)) + np.eye(9, 24, dtype=int) * 9),
]


@pytest.mark.parametrize("post", ["norm", "raw"])
@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
def test_every_row_is_the_mean_and_the_largest_over_all_queries(workload, post):
    found = survey_workload(workload, Privacy(epsilon="1.3"), 5000, post=post)
    assert {"flat:grr", "flat:oue", "flat:hcms", "flat:ss"} <= {standing.name for standing in found}
    for standing in found:
        variances = Decoder(standing.oracle, post).variance(workload.queries(), np.full(24, 1 / 24), 5000)
        assert standing.entry()["post"] == (post if standing.oracle.ignores_total else None)
        assert standing.rating.average == pytest.approx(variances.mean(), rel=1e-9), standing.name
        assert standing.rating.largest == pytest.approx(variances.max(), rel=1e-9), standing.name
        assert standing.rating.bound == pytest.approx(standing.rating.largest)
    averages = [standing.variance for standing in found]
    assert averages == pytest.approx(sorted(averages), rel=1e-9)
    assert best(found).variance == averages[0]
    assert near_best(found).oracle.bits <= best(found).oracle.bits


def test_the_range_of_all_items_has_no_variance_below_0():
    """All know the total: what rounding leaves of its variance is no negative number."""
    for k in [8, 12, 17, 24]:
        found = survey_workload(FixedRanges(k, k), Privacy(epsilon="0.5"), 1000)
        assert all(standing.variance >= 0 and standing.standard_error >= 0 for standing in found)
        assert max(standing.variance for standing in found) < 1e-12
        assert best(found).variance == near_best(found).variance == 0


def test_the_length_of_the_largest_variance():
    """Beside the vertex of the parabola, on either side, or at an end."""
    for name in ["grr", "ss", "oue"]:
        for kind in [Ranges, Prefixes]:
            for k, epsilon in itertools.product((5, 6, 7, 8, 37), ("0.1", "1", "2", "4")):
                oracle = make_oracle(name, k, Privacy(epsilon=epsilon))
                for post in ("raw", "norm"):
                    every = Decoder(oracle, post).variance(kind(k).queries(), np.full(k, 1 / k), 10)
                    assert rate(oracle, kind(k), 10, post).largest == pytest.approx(every.max(), rel=1e-12)


def test_the_vertex_may_be_anywhere():
    for crossed in range(1, 40):
        moments = Moments(Fraction(5), Fraction(7), Fraction(-crossed, 50), Fraction(-1, 3))
        lengths = np.arange(1.0, 20)
        every = moments.noise(lengths, lengths, lengths / 19, lengths / 19)
        assert largest_at_uniform_shares(moments, Ranges(19), 2) == pytest.approx(every.max() / 2, rel=1e-12)


def test_which_trees_are_listed(monkeypatch):
    """Not those of a single level; with weighed levels only where that helps enough."""
    names = [standing.name for standing in survey_workload(Prefixes(16), Privacy(epsilon=1), 100)]
    assert {"hh:b=4", "hh:b=4:levels=prefixes", "hh:b=8"} <= set(names)
    assert "hh:b=16" not in names
    assert not any(":levels=" in s.name for s in survey_workload(FixedRanges(16, 3), Privacy(epsilon=1), 100))
    names = [standing.name for standing in survey_workload(Ranges(64), Privacy(epsilon=1), 100)]
    assert names.index("haar:levels=ranges") < names.index("haar")
    assert names[1:3] == ["warped-blocks:levels=ranges", "warped-blocks"]
    assert [names[0], *names[3:5]] == ["blocks", "hh:b=2:in=ss-hrr:levels=ranges", "hh:b=4:in=ss-hrr:levels=ranges"]
    assert names.index("hh:b=16:in=ss-hrr") < names.index("hh:b=16")
    names = [standing.name for standing in survey_workload(Grid((8, 8)), Privacy(epsilon=1), 100)]
    assert {f"{name}:sides=8x8:levels=optimal" for name in ("hh2:b=2", "hh2:b=4", "haar2")} <= set(names)
    assert "hh2:b=2:sides=8x8:in=ss-hrr:levels=optimal" in names
    monkeypatch.setattr(workload_survey, "GAIN", 0.5)
    assert not any(":levels=" in s.name for s in survey_workload(Prefixes(16), Privacy(epsilon=1), 100))


def test_a_million_items():
    """OUE: a range of r items has the variance `r V0 + r/k`; means are those of r, in integers beyond 64 bits."""
    k, n = 2**20, 10**6
    oracle = make_oracle("oue", k, Privacy(epsilon=1))
    noise = float(oracle.moments.other)
    rating = rate(oracle, Ranges(k), n, "raw")
    assert rating.average == pytest.approx((noise + 1 / k) * (k + 2) / 3 / n, rel=1e-9)
    assert rating.largest == pytest.approx((k * noise + 1) / n, rel=1e-9)


def test_a_billion_cells_are_rated_by_the_sizes_of_their_tables():
    """OUE: a cell of m tuples has the variance `(m V0 + m/k) / n`; all 1,444,724,736 cells have as many."""
    workload, oracle = Marginals((2,) * 22, 11), make_oracle("oue", 1 << 22, Privacy(epsilon=1))
    rating = rate(oracle, workload, 10**6, "raw")
    assert rating.largest == pytest.approx((2**11 * float(oracle.moments.other) + 2**-11) / 10**6, rel=1e-9)
    assert rating.average == pytest.approx(rating.largest, rel=1e-9)


def test_without_a_closed_form_all_queries_are_looked_at():
    oracle = make_oracle("design:none:L0", 24, Privacy(epsilon=1))
    every = oracle.answer_variance(Ranges(24).queries(), np.full(24, 1 / 24), 1000)
    found = rate(oracle, Ranges(24), 1000)
    assert (found.average, found.largest, found.is_exact) == (pytest.approx(every.mean()), every.max(), True)


def test_less_than_two_users_are_refused():
    for users in (0, 1):
        with refused(InputError):
            survey_workload(Ranges(8), Privacy(epsilon=1), users)


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


def test_sizes_are_the_best_of_all() -> None:
    for size in CRITERIA:
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


@pytest.mark.parametrize("name", ["warped-blocks", "haar", "flat:oue", "hh:b=5"])
def test_an_oracle_that_is_asked_for_stands_in_the_list_once(name):
    listed = survey_workload(Prefixes(16), Privacy(epsilon=1), 1000, others=[name])
    asked = parse_oracle(name, 16, Privacy(epsilon=1))
    assert [standing.name for standing in listed if standing.oracle == asked] == [name]
    assert len(listed) == len(survey_workload(Prefixes(16), Privacy(epsilon=1), 1000)) + (name == "hh:b=5")
