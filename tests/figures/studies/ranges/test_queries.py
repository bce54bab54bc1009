"""Query sets, decompositions and errors of ranges, against ranges that are written down one by one."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from dense_ranges import all_ranges, from_starts

from mechdesign.workloads.ordered import Ranges
from mechdesign_figures.studies.ranges.decomposition import node_counts, parts
from mechdesign_figures.studies.ranges.heavy import THRESHOLDS, relative_errors
from mechdesign_figures.studies.ranges.printed import (
    CENTRAL,
    CENTRAL_RATIOS,
    EPSILONS,
    PREFIXES,
    RANGES,
    STEPS_LOG2,
    TABLE_5_2,
    TABLE_5_3,
)
from mechdesign_figures.studies.ranges.queries import RangesFrom
from mechdesign_figures.studies.ranges.simulation import root_mean_square

SIZES = [(1, 1), (8, 1), (8, 2), (12, 5), (16, 4), (19, 7), (9, 20)]


@pytest.mark.parametrize(("k", "step"), SIZES)
def test_ranges_from_some_items(k, step):
    workload, rows = RangesFrom(k, step), from_starts(k, step)
    assert workload.count == len(rows)
    assert (workload.queries().weights() == rows).all()
    assert np.array(workload.gram()).tolist() == (rows.T @ rows).tolist()
    vector = np.random.default_rng(k).normal(size=k)
    assert workload.gram_times(vector) == pytest.approx(rows.T @ (rows @ vector))
    assert (workload.sample(40, np.random.default_rng(3)).weights()[:, None] == rows).all(axis=2).any(axis=1).all()


@pytest.mark.parametrize(("k", "step"), SIZES)
def test_energies_of_ranges_from_some_items(k, step):
    workload, rows = RangesFrom(k, step), from_starts(k, step)
    for size in range(1, k + 3):
        edges = [*range(0, k, size), k]
        tiles = np.add.reduceat(rows, edges[:-1], axis=1)
        assert workload.block_energy(size) == (tiles**2).sum() == workload.energy(np.array(edges))
    edges = sorted({0, k, *np.random.default_rng(k).integers(0, k, 3).tolist()})
    assert workload.energy(np.array(edges)) == (np.add.reduceat(rows, edges[:-1], axis=1) ** 2).sum()


def test_energies_from_everywhere_are_those_of_all_ranges_in_exact_integers():
    k = 1 << 12
    assert [RangesFrom(k, 1).block_energy(size) for size in (1, 3, 64, k)] == [
        Ranges(k).block_energy(size) for size in (1, 3, 64, k)
    ]
    huge = RangesFrom(1 << 24, 1 << 22)
    assert huge.block_energy(1 << 24) == sum(
        n * (n + 1) * (2 * n + 1) // 6 for n in (1 << 24, 3 << 22, 2 << 22, 1 << 22)
    )


@pytest.mark.parametrize(("k", "b"), [(16, 2), (27, 3), (64, 4)])
def test_parts_are_the_fewest_and_node_counts_count_them(k, b):
    for first, last in itertools.combinations(range(k), 2):
        found = list(parts(first, last, b))
        assert [item for low, high in found for item in range(low, high + 1)] == list(range(first, last + 1))
        for low, high in found:
            size = high - low + 1
            assert low % size == 0
            assert size in {b**power for power in range(7)}
        if (first, last) != (0, k - 1):
            counts = node_counts(k, b, last - first + 1)[:, first]
            assert counts.sum() == len(found)
            assert counts.tolist() == [sum(high - low + 1 == b**i for low, high in found) for i in range(len(counts))]
    assert node_counts(k, b, k).sum() == 0


def test_root_mean_squares_by_hand():
    errors = np.random.default_rng(1).normal(size=12)
    for starts in (range(0, 12, 1), range(0, 12, 4), range(1)):
        sums = [errors[a : b + 1].sum() for a in starts for b in range(a, 12)]
        assert root_mean_square(errors, starts) == pytest.approx(np.sqrt(np.mean(np.square(sums))))


def test_relative_errors_by_hand():
    generator = np.random.default_rng(2)
    shares = generator.dirichlet(np.ones(16))
    estimates = shares + generator.normal(scale=0.01, size=16)
    starts = range(0, 16, 4)
    rows = from_starts(16, 4)
    held, off = rows @ shares, np.abs(rows @ (estimates - shares))
    counts, sums = relative_errors(shares, estimates, starts)
    for place, percent in enumerate(THRESHOLDS):
        kept = held >= percent / 100
        assert counts[place] == kept.sum()
        assert sums[place] == pytest.approx((off[kept] / held[kept]).sum())


def test_printed_tables_are_whole():
    for tables, kind in ((TABLE_5_2, RANGES), (TABLE_5_3, PREFIXES)):
        assert [part.log2 for part in tables] == [8, 16, 20, 22] == list(STEPS_LOG2)
        for part in tables:
            assert part.queries == kind
            assert [len(row) for row in part.rows] == [len(part.systems)] * len(EPSILONS)
            assert all(one[column] > 0.2 for one in part.rows for column in range(len(part.systems)))
    assert TABLE_5_2[0].error("HH4", "1") == 0.744
    assert TABLE_5_3[3].error("Haar", "1.4") == 2.156
    sums = [round(sum(map(sum, part.rows)), 3) for part in (*TABLE_5_2, *TABLE_5_3)]
    assert sums == [45.637, 81.875, 132.589, 82.29, 38.817, 73.175, 126.636, 79.258]
    for system, ratios in CENTRAL_RATIOS.items():
        found = [one / other for one, other in zip(CENTRAL[system], CENTRAL["HH16"], strict=True)]
        assert found == pytest.approx(ratios, rel=0.004)


def test_all_ranges_in_the_order_of_the_workload():
    assert (Ranges(6).queries().weights() == all_ranges(6)).all()
    assert Fraction(len(all_ranges(6))) == Ranges(6).count
