"""Haar, and trees and Haar on two columns, as oracles: laws and unbiasedness by enumeration, exact variances, plans."""

from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import Intervals, LinearQueries, Rectangles
from mechdesign_catalog.decoders.trees.level_sums import noise
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.levels.haar import Haar
from mechdesign_catalog.systems.levels.haar2 import Haar2
from mechdesign_catalog.systems.levels.hh2 import HierarchicalHistograms2
from mechdesign_catalog.systems.levels.hierarchical import HierarchicalHistograms

ONE = Privacy(epsilon=1)
SMALL = [
    Haar(2, ONE),
    Haar(5, ONE),
    Haar(8, ONE, "5-2-1"),
    Haar2(6, ONE, "3x2"),
    Haar2(4, ONE, "2x2", "1-2-3"),
    HierarchicalHistograms2(6, ONE, "2x3", 2, "grr"),
    HierarchicalHistograms2(9, ONE, "3x3", 3, "hrr"),
    HierarchicalHistograms2(10, ONE, "2x5", 3, "grr"),
    HierarchicalHistograms2(12, ONE, "4x3", 2, "grr", "1-2-3-4-5-6-7-8"),
]
every_small = pytest.mark.parametrize("oracle", SMALL, ids=str)


def level_truth(oracle, level, shares):
    """What the level's oracle estimates, where the items have these shares."""
    encoded = oracle.encode(level, np.arange(oracle.k))
    found = np.bincount(encoded, weights=shares, minlength=oracle.parts[level].k)
    return found[0::2] - found[1::2] if oracle.parts[level].name == "signed-hrr" else found


@every_small
def test_true_level_shares_give_the_true_items(oracle):
    shares = np.random.default_rng(oracle.k).dirichlet(np.ones(oracle.k))
    estimates = [level_truth(oracle, level, shares) for level in range(oracle.height)]
    assert oracle.items_of(estimates) == pytest.approx(shares, abs=1e-14)


@pytest.mark.parametrize("oracle", [Haar(13, ONE), *(SMALL[i] for i in (3, 7, 8))], ids=str)
def test_ranges_and_rectangles_have_the_variance_of_their_written_weights(oracle, monkeypatch):
    monkeypatch.setattr("mechdesign.workloads.queries.PART_WEIGHTS", 7 * oracle.k)  # so that they are in several parts
    shares = np.random.default_rng(2).dirichlet(np.ones(oracle.k))
    queries = Ranges(13).queries() if oracle.name == "haar" else Grid(oracle.shape).queries()
    users = np.linspace(100, 300, oracle.height)
    found = oracle.answer_variance(queries, shares, users)
    assert found == pytest.approx(oracle.answer_variance(LinearQueries(queries.weights()), shares, users), rel=1e-10)
    items = oracle.answer_variance(LinearQueries(np.eye(oracle.k)), shares, users)
    assert oracle.variance(shares, users) == pytest.approx(items, rel=1e-10)
    estimated = oracle.estimated_answer_variance(queries, shares, users)
    assert (estimated >= found - 1e-12 * found.max()).all()
    assert (oracle.estimated_answer_variance(queries, 3 * shares - 0.5, users) >= 0).all()


def test_intervals_of_a_table_are_rectangles_or_written_down():
    """Row by row an interval is a rectangle where it is within a row, or is of whole rows."""
    for first, last in [([0, 4], [5, 11]), ([0, 4, 5], [3, 11, 6]), ([1, 6], [9, 7])]:
        queries, shares = (
            Intervals(12, np.array(first), np.array(last)),
            np.random.default_rng(6).dirichlet(np.ones(12)),
        )
        oracle = HierarchicalHistograms2(12, ONE, "3x4", 2)
        found = oracle.answer_variance(queries, shares, 1000)
        assert found == pytest.approx(oracle.answer_variance(LinearQueries(queries.weights()), shares, 1000), rel=1e-10)


def test_the_noise_of_rectangles_is_the_corrected_closed_form():
    """`(A L / n) [(H1 + (r1/D)^2)(H2 + (r2/D)^2) - (r1 r2 / D^2)^2]`, for D = 8: not a product of two sums."""
    oracle = Haar2(64, ONE, "8x8")
    rectangle = Rectangles((8, 8), *(np.array([end]) for end in (1, 6, 2, 4)))
    heights = [1, 2, 3]

    def cut(first, last):
        inside = np.array([float(first <= leaf <= last) for leaf in range(8)])
        halves = [(inside.reshape(-1, 2, 2 ** (i - 1)).sum(axis=2) @ [1, -1]) / 2**i for i in heights]
        return sum((half**2).sum() for half in halves), inside.sum() / 8

    (one, share), (two, other) = cut(1, 6), cut(2, 4)
    level, exact = oracle.parts[0], Fraction(0)
    assert oracle.height == 15
    sums = oracle.sums_at(np.full(64, 1 / 64))(rectangle)
    exact = sum(float(level.moments.other) * of_level.squares[0] for of_level in sums) * 15
    expected = float(level.moments.other) * 15 * ((one + share**2) * (two + other**2) - (share * other) ** 2)
    assert exact == pytest.approx(expected, rel=1e-13)
    assert exact > 1.2 * float(level.moments.other) * 15 * one * two


def test_levels_are_planned_for_a_workload():
    """Over all ranges of 256 items the best shares of Haar's levels have 0.957 of the uniform ones' variance."""
    privacy, k = Privacy(epsilon="0.8"), 256
    uniform, best = Haar(k, privacy), Haar(k, privacy, "optimal")
    queries, shares = Ranges(k).queries(), np.full(k, 1 / k)
    means = [oracle.answer_variance(queries, shares, 10**6).mean() for oracle in (uniform, best)]
    assert means[1] / means[0] == pytest.approx(0.957, abs=1e-3)
    assert best == Haar(k, privacy, Ranges(k)) == Haar(k, privacy, best.levels)
    assert Haar(k, privacy, "prefixes") != best
    plane, shares = {}, np.full(64, 1 / 64)
    for levels in ("uniform", "optimal"):
        for oracle in (
            Haar2(64, privacy, "8x8", levels),
            HierarchicalHistograms2(64, privacy, "8x8", 2, levels=levels),
        ):
            found = oracle.answer_variance(Grid((8, 8)).queries(), shares, 10**6).mean()
            assert found == plane.setdefault(oracle.name, found) or found < 0.97 * plane[oracle.name]


def test_bad_options_are_refused():
    for make in [
        lambda: Haar(8, ONE, "1-2"),
        lambda: Haar(8, ONE, Ranges(9)),
        lambda: Haar2(8, ONE),
        lambda: Haar2(8, ONE, "2x5"),
        lambda: Haar2(8, ONE, "1x8"),
        lambda: Haar2(8, ONE, "2x4", "prefixes-arcs"),
        lambda: HierarchicalHistograms2(8, ONE, "2x4", 1),
        lambda: HierarchicalHistograms2(8, ONE, "2x4", 2, "rappor"),
    ]:
        with refused(InputError):
            make()


def test_a_rare_item_of_a_huge_domain():
    """No array of k numbers is made; at small k it is the noise of an item whose nodes are all empty."""
    small = Haar(11, ONE, "1-2-3-4")
    empty = small.sums_at(np.zeros(11))(LinearQueries(np.eye(11)[:1]))
    noises = [noise(*both)[0] for both in zip(small.moments, empty, strict=True)]
    expected = sum(
        noise / (1000 * chance) for noise, chance in zip(noises, map(float, small.branch_chances), strict=True)
    )
    assert small.approximate_variance(1000) == pytest.approx(expected, rel=1e-13)
    assert Haar(1 << 40, ONE).approximate_variance(10**6) == pytest.approx(4.6827 * 40 / 3e6, rel=1e-4)


@every_small
def test_the_whole_is_known_and_estimates_add_up_to_it(oracle):
    """Padding does not matter: what is estimated for it goes to the items beside it."""
    state = oracle.aggregate(oracle.privatize(np.arange(oracle.k).repeat(40), seeded_words(1)))
    assert oracle.estimate(state).sum() == pytest.approx(1, abs=1e-12)
    whole, users = LinearQueries(np.ones((1, oracle.k))), oracle.users_of(state)
    assert oracle.answers(state, whole).tolist() == [1.0]
    assert oracle.answer_variance(whole, np.full(oracle.k, 1 / oracle.k), users) == pytest.approx(0, abs=1e-15)
    starts = Ranges(oracle.k).queries()[: oracle.k]
    prefixes, shares = oracle.answers(state, starts), oracle.estimate(state)
    assert prefixes == pytest.approx(np.cumsum(shares), abs=1e-12)


def test_sums_beyond_what_users_can_report_are_refused():
    for sums in [[2, 0, 0], [-3, 0, 0], [1, 2, -1], [1, 2**62, -(2**62)]]:
        oracle = Haar(4, ONE)
        state = State(oracle.parameters, 3, np.array([1, 2, *sums], dtype=np.int64))
        with refused(InputError):
            oracle.estimate(state)


def test_sides_are_text_or_numbers():
    assert Haar2(8, ONE, (2, 4)) == Haar2(8, ONE, " 2X4 ")
    assert Haar2(8, ONE, (2, 4)).parameters["sides"] == "2x4"
    assert Haar2(64, ONE, "8x8", "histogram") == Haar2(64, ONE, "8x8", Histogram(64))
    with refused(InputError, about="queries"):
        Haar2(8, ONE, "2x4").answer_variance(Prefixes(9).queries(), np.full(9, 1 / 9), 100)


@pytest.mark.parametrize("k", [2, 8, 64])
def test_haar_has_less_noise_than_a_consistent_binary_tree_of_the_same_oracle_for_every_range(k):
    """Both by Hadamard response with equal variances: less for every range but the whole, which both know."""
    queries, empty = Ranges(k).queries(), np.zeros(k)
    tree = HierarchicalHistograms(k, ONE, 2, "hrr")
    noises = {
        oracle.name: sum(map(noise, oracle.moments, oracle.sums_at(empty)(queries))) for oracle in (Haar(k, ONE), tree)
    }
    whole = queries.sums == k
    assert noises["haar"][whole] == pytest.approx(noises["hh"][whole], abs=1e-12)
    assert (noises["haar"][~whole] < noises["hh"][~whole]).all()
    assert tree.contrast_variances == (tree.parts[0].moments.other,) * tree.height
    assert tree.parts[0].moments.other == Haar(k, ONE).moments[0].other
