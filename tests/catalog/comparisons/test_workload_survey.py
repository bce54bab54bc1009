"""Oracles rated for workloads, against the variance of every query."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.registry import parse_named_workload
from mechdesign_catalog.comparisons import workload_survey
from mechdesign_catalog.comparisons.survey import best, near_best
from mechdesign_catalog.comparisons.workload_survey import rate, survey_workload
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.decoder import Decoder
from mechdesign_catalog.oracles.flat_variances import largest_at_uniform_shares
from mechdesign_catalog.oracles.moments import Moments

WORKLOADS = [
    *(parse_named_workload(text, 24) for text in ("histogram", "prefixes", "ranges", "ranges:7", "grid:4,6")),
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
    assert averages == sorted(averages)
    assert best(found).variance == averages[0]
    assert near_best(found).oracle.bits <= best(found).oracle.bits


@pytest.mark.parametrize("k", [8, 12, 17, 24])
def test_the_range_of_all_items_has_no_variance_below_0(k):
    """All know the total: what rounding leaves of its variance is no negative number."""
    found = survey_workload(FixedRanges(k, k), Privacy(epsilon="0.5"), 1000)
    assert all(standing.variance >= 0 and standing.standard_error >= 0 for standing in found)
    assert max(standing.variance for standing in found) < 1e-12
    assert best(found).variance == near_best(found).variance == 0


@pytest.mark.parametrize("name", ["grr", "ss", "oue"])
@pytest.mark.parametrize("kind", [Ranges, Prefixes])
def test_the_length_of_the_largest_variance(name, kind):
    """Beside the vertex of the parabola, on either side, or at an end."""
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
    assert names[:2] == ["hh:b=2:in=ss-hrr:levels=ranges", "hh:b=4:in=ss-hrr:levels=ranges"]
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
        with pytest.raises(InputError, match=f"n must be at least 2 for a workload, got n={users}"):
            survey_workload(Ranges(8), Privacy(epsilon=1), users)


def test_uneven_buckets_cost_long_ranges_unless_the_total_is_known():
    oracles = [make_oracle(name, 2**16, Privacy(epsilon="1.4")) for name in ("olh", "oue")]
    for post, ratio in (("raw", 7.05), ("norm", 1.0)):
        olh, oue = (rate(oracle, Ranges(2**16), 1, post).average for oracle in oracles)
        assert (olh / oue) ** 0.5 == pytest.approx(ratio, abs=0.01)
