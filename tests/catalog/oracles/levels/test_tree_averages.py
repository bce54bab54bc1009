"""Averages and largest variances of trees over workloads: against all queries one by one, and golden values."""

from fractions import Fraction

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import Intervals
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.levels import hierarchical
from mechdesign_catalog.oracles.levels.hierarchical import HierarchicalHistograms
from mechdesign_catalog.oracles.levels.plan import contrast_energies
from mechdesign_catalog.oracles.levels.tree import Tree

CASES = [
    (16, 2, "oue-hrr", "uniform"),
    (27, 3, "grr", "3-2-1"),
    (24, 4, "auto", "1-2-3"),
    (5, 8, "olh", "uniform"),
    (7, 2, "hrr", "3-2-1"),
    (61, 4, "grr", "1-2-3"),
    (120, 4, "auto", "optimal"),
    (33, 2, "oue", "uniform"),
    (37, 4, "ss", "2-1-3"),
    (65, 4, "hrr", "prefixes"),
    (17, 16, "olh", "histogram"),
]
every_tree = pytest.mark.parametrize(("k", "b", "choice", "levels"), CASES)
TINY = Privacy(epsilon="1e-6")


def tree(k: int, b: int, privacy: Privacy = TINY, **options: str) -> HierarchicalHistograms:
    oracle = make_oracle("hh", k, privacy, b=b, **options)
    assert isinstance(oracle, HierarchicalHistograms)
    return oracle


@every_tree
@pytest.mark.parametrize("estimate", ["ci", "raw"])
def test_averages_and_largest_are_those_of_all_queries(k, b, choice, levels, estimate):
    oracle = tree(k, b, Privacy(epsilon=1), in_=choice, levels=levels, estimate=estimate)
    for workload in (Ranges(k), Prefixes(k), Histogram(k), FixedRanges(k, k // 2)):
        variances = oracle.answer_variance(workload.queries(), np.full(k, 1 / k), 50)
        assert oracle.average_variance(workload, 50) == pytest.approx(variances.mean(), rel=1e-12)
        assert oracle.largest_variance(workload, 50) == pytest.approx((variances.max(),) * 2, rel=1e-12)


def test_the_largest_does_not_depend_on_the_way_to_it(monkeypatch):
    """By pairs of blocks, of which a node with many children has too many, and range by range."""
    oracle = tree(61, 4, Privacy(epsilon=1), in_="grr", levels="1-2-3")
    fast = oracle.largest_variance(Ranges(61), 50)
    monkeypatch.setattr(hierarchical, "MOST_BLOCKS", 0)
    assert oracle.largest_variance(Ranges(61), 50) == pytest.approx(fast, rel=1e-12)
    monkeypatch.setattr(hierarchical, "MOST_EXACT", 0)
    monkeypatch.setattr("mechdesign_catalog.oracles.levels.largest.MOST_BLOCKS", 0)
    value, bound = oracle.largest_variance(Ranges(61), 50)
    assert value <= fast[0] * (1 + 1e-12) < bound


@every_tree
@pytest.mark.parametrize(("estimate", "epsilon"), [("ci", 1), ("ci", 8), ("raw", 1), ("raw", 8)])
def test_the_largest_of_many_queries_is_between_value_and_bound(k, b, choice, levels, estimate, epsilon, monkeypatch):
    """With epsilon 8 the draw of the levels makes more of the variance than the reports."""
    oracle = tree(k, b, Privacy(epsilon=epsilon), in_=choice, levels=levels, estimate=estimate)
    for workload in (Ranges(k), Prefixes(k)):
        exact, _ = oracle.largest_variance(workload, 50)
        with monkeypatch.context() as patch:
            patch.setattr(hierarchical, "MOST_EXACT", 0)
            patch.setattr("mechdesign_catalog.oracles.levels.largest.SAMPLED", 4)
            value, bound = oracle.largest_variance(workload, 50)
        assert 0 < value <= exact * (1 + 1e-12)
        assert exact <= bound * (1 + 1e-12)
        if (estimate, epsilon) == ("ci", 1) and workload.name == "ranges":
            assert bound <= 1.6 * value


@pytest.mark.parametrize(
    ("log2_k", "b", "golden"),
    [
        (8, 2, 12.40), (8, 4, 11.80), (8, 16, 14.73), (12, 2, 26.64), (12, 4, 26.72), (12, 8, 29.91), (12, 16, 36.15),
        (16, 2, 46.2), (16, 4, 47.6), (16, 16, 67.0), (20, 2, 71.067), (20, 4, 74.541), (20, 16, 107.135),
        (24, 2, 101.280), (24, 4, 107.449), (24, 8, 125.162), (24, 16, 156.687), (24, 64, 290.740),
    ],
)  # fmt: skip
def test_height_times_the_average_over_all_ranges(log2_k, b, golden):
    """Node variances of 1: exact in fractions, where 64-bit whole numbers would overflow from 2^20 on."""
    shape, workload = Tree(1 << log2_k, b), Ranges(1 << log2_k)
    tellings = [sum(shape.sizes[level:]) for level in range(shape.height)]
    energies = contrast_energies(shape, workload)
    noise = sum(energy / telling for energy, telling in zip(energies, tellings, strict=True))
    average = Fraction(shape.height) * noise / workload.count
    assert float(average) == pytest.approx(golden, abs=6e-4 if golden > 71 else 0.06 if golden > 46 else 6e-3)


@pytest.mark.parametrize(
    ("epsilon", "goldens"),
    [("1/5", (4.29, 4.19, 4.68)), ("1.1", (0.753, 0.734, 0.816)), ("1.4", (0.578, 0.563, 0.624))],
)
def test_root_mean_squared_errors_of_the_published_setting(epsilon, goldens):
    """All ranges of 2^8 items, 2^26 users: what table 5.2 of the thesis simulates."""
    found = [
        1000 * tree(256, b, Privacy(epsilon=epsilon)).average_variance(Ranges(256), 1 << 26) ** 0.5 for b in (2, 4, 16)
    ]
    assert found == pytest.approx(goldens, rel=3e-3)


@pytest.mark.parametrize(("k", "b", "golden"), [(256, 2, 19.31), (256, 4, 18.41), (256, 16, 22.59)])
def test_height_times_the_largest_over_all_ranges(k, b, golden):
    oracle = tree(k, b, in_="oue")
    one = float(oracle.moments[0].other)
    assert oracle.largest_variance(Ranges(k), 10**9)[0] * 10**9 / one == pytest.approx(golden, abs=6e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("b", "golden"), [(2, 39.65), (4, 40.59), (8, 45.63), (16, 54.94)])
def test_height_times_the_largest_at_2_to_12(b, golden):
    oracle = tree(1 << 12, b, in_="oue")
    one = float(oracle.moments[0].other)
    found = oracle.largest_variance(Ranges(1 << 12), 10**9)
    assert found[0] == found[1]
    assert found[0] * 10**9 / one == pytest.approx(golden, abs=6e-3)


def test_large_domains_take_value_and_bound_that_are_close():
    oracle = tree(1 << 20, 4, Privacy(epsilon=1))
    value, bound = oracle.largest_variance(Ranges(1 << 20), 10**6)
    assert value < bound < 1.05 * value
    ends = np.array([int("1" + "12" * 5, 4) % (1 << 20), int("2" + "21" * 5, 4) % (1 << 20)])
    middle = oracle.answer_variance(Intervals(1 << 20, ends[:1], ends[1:]), np.full(1 << 20, 2.0**-20), 10**6)
    assert middle[0] <= bound


def test_workloads_on_other_items_and_too_many_raw_queries_are_refused():
    for method in ("average_variance", "largest_variance"):
        with pytest.raises(InputError, match="workload must be on the 16 items of the oracle, got 9"):
            getattr(tree(16, 2), method)(Ranges(9), 100)
    with pytest.raises(InputError, match="raw must have at most 8390656 queries to average over"):
        tree(1 << 24, 2, estimate="raw").average_variance(FixedRanges(1 << 24, 3), 100)
    with pytest.raises(InputError, match="8390656 queries that are no ranges, got 68161536"):
        tree(1 << 14, 2).largest_variance(Grid((128, 128)), 100)
