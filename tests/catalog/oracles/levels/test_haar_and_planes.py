"""Haar, and trees and Haar on two columns, as oracles: laws and unbiasedness by enumeration, exact variances, plans."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from mechdesign import InputError, NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import Intervals, LinearQueries, Rectangles
from mechdesign_catalog.oracles.levels.haar import Haar
from mechdesign_catalog.oracles.levels.hierarchical import HierarchicalHistograms
from mechdesign_catalog.oracles.levels.plane.haar2 import Haar2
from mechdesign_catalog.oracles.levels.plane.hh2 import HierarchicalHistograms2
from mechdesign_catalog.oracles.reports import State

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
def test_laws_are_private_and_sum_to_one(oracle):
    law = oracle.report_law()
    assert [sum(column) for column in zip(*law.values(), strict=True)] == [1] * oracle.k
    assert min(min(row) / max(row) for row in law.values()) == oracle.alpha == ONE.alpha
    for level, chance in enumerate(oracle.branch_chances):
        told = [row[0] for report, row in law.items() if report[0] == level + 1]
        assert sum(told) == chance


@every_small
def test_true_level_shares_give_the_true_items(oracle):
    shares = np.random.default_rng(oracle.k).dirichlet(np.ones(oracle.k))
    estimates = [level_truth(oracle, level, shares) for level in oracle.all_levels]
    assert oracle.items_of(estimates) == pytest.approx(shares, abs=1e-14)


@every_small
def test_every_level_is_unbiased(oracle):
    for level, of_level in enumerate(oracle.parts):
        law = of_level.report_law()
        states = [drawn_report(of_level, report) for report in law]
        scores = np.array([of_level.estimate(state) for state in states])
        for item in range(oracle.k):
            node = int(oracle.encode(level, np.array([item]))[0])
            mean = np.array([float(row[node]) for row in law.values()]) @ scores
            assert mean == pytest.approx(level_truth(oracle, level, np.eye(oracle.k)[item]), abs=1e-12)


def drawn_report(oracle, report):
    """The state of one report that a law lists: found among many reports, as a law does not say its columns."""
    wanted = tuple(report)
    reports = oracle.privatize(np.arange(oracle.k).repeat(200), seeded_words(3))
    rows = np.concatenate([np.atleast_2d(column.T).T.astype(np.int64) for column in reports.columns.values()], axis=1)
    found = np.flatnonzero((rows == np.array(wanted)).all(axis=1))
    return oracle.aggregate(reports[slice(int(found[0]), int(found[0]) + 1)])


ENUMERATED = [
    (Haar(3, ONE), [0, 2, 2], (1, 2)),
    (Haar(4, ONE), [0, 1, 3], (2, 1)),
    (Haar2(4, ONE, "2x2"), [0, 3, 3, 1], (1, 1, 2)),
    (HierarchicalHistograms2(4, ONE, "2x2", 2, "grr"), [0, 2, 3, 3], (1, 2, 1)),
    (HierarchicalHistograms2(4, ONE, "2x2", 2, "oue", "1-2-3"), [0, 1, 1], (1, 1, 1)),
]


@pytest.mark.parametrize(("oracle", "items", "users"), ENUMERATED, ids=str)
def test_mean_and_variance_of_answers_by_enumeration(oracle, items, users):
    """Every way to share the users out over levels, and every report: the formulas hold to the last digits."""
    queries = LinearQueries(np.vstack([np.tri(oracle.k), np.random.default_rng(1).normal(size=(3, oracle.k))]))
    scores, chances = [], []
    for level, of_level in enumerate(oracle.parts):
        law = of_level.report_law()
        scores.append([of_level.estimate(drawn_report(of_level, report)) for report in law])
        nodes = oracle.encode(level, np.array(items))
        chances.append([[float(row[node]) for row in law.values()] for node in nodes])
    mean, square, ways = np.zeros(len(queries)), np.zeros(len(queries)), 0
    for levels in set(itertools.permutations([level for level, count in enumerate(users) for _ in range(count)])):
        ways += 1
        for reports in itertools.product(*(range(len(scores[level])) for level in levels)):
            chance = math.prod(
                chances[level][user][report] for user, (level, report) in enumerate(zip(levels, reports, strict=True))
            )
            estimates = [np.zeros_like(of_level[0]) for of_level in scores]
            for level, report in zip(levels, reports, strict=True):
                estimates[level] = estimates[level] + scores[level][report] / users[level]
            answers = oracle.answers_of(estimates, queries)
            mean += chance * answers
            square += chance * answers**2
    shares = np.bincount(items, minlength=oracle.k) / len(items)
    mean, square = mean / ways, square / ways
    assert mean == pytest.approx(queries.apply(shares), abs=1e-11)
    exact = oracle.answer_variance(queries, shares, np.array(users, dtype=np.float64))
    assert exact == pytest.approx(square - mean**2, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("oracle", [Haar(13, ONE), *(SMALL[i] for i in (3, 7, 8))], ids=str)
def test_ranges_and_rectangles_have_the_variance_of_their_written_weights(oracle):
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


@pytest.mark.parametrize(("first", "last"), [([0, 4], [5, 11]), ([0, 4, 5], [3, 11, 6]), ([1, 6], [9, 7])])
def test_intervals_of_a_table_are_rectangles_or_written_down(first, last):
    """Row by row an interval is a rectangle where it is within a row, or is of whole rows."""
    queries, shares = Intervals(12, np.array(first), np.array(last)), np.random.default_rng(6).dirichlet(np.ones(12))
    oracle = HierarchicalHistograms2(12, ONE, "3x4", 2)
    found = oracle.answer_variance(queries, shares, 1000)
    assert found == pytest.approx(oracle.answer_variance(LinearQueries(queries.weights()), shares, 1000), rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    "oracle", [Haar(11, ONE), Haar2(12, ONE, "3x4"), HierarchicalHistograms2(12, ONE, "3x4", 2)], ids=str
)
@pytest.mark.parametrize("way", ["reports", "law"])
def test_simulated_answers_have_the_exact_variance(oracle, way):
    """Squared errors over the variance given the drawn numbers of users: the mean is 1 within 4.5 standard errors."""
    queries = Ranges(11).queries()[::4] if oracle.name == "haar" else Grid(oracle.shape).queries()[::3]
    counts = np.random.default_rng(5).multinomial(600, np.random.default_rng(4).dirichlet(np.ones(oracle.k)))
    shares, values = counts / 600, np.repeat(np.arange(oracle.k), counts)
    whole = queries.sums == oracle.k
    ratios, errors = [], []
    for repetition in range(120):
        if way == "law":
            state = oracle.draw_state(counts, np.random.default_rng([1, repetition]))
        else:
            state = oracle.aggregate(oracle.privatize(values, seeded_words(repetition)))
        variances = oracle.answer_variance(queries, shares, oracle.users_of(state))
        error = (oracle.answers(state, queries) - queries.apply(shares))[~whole] / np.sqrt(variances[~whole])
        ratios.append((error**2).mean())
        errors.append(error)
    assert abs(np.mean(ratios) - 1) < 4.5 * np.std(ratios) / math.sqrt(len(ratios))
    assert np.abs(np.mean(errors, axis=0)).max() < 4.5 / math.sqrt(len(errors))


@every_small
def test_states_merge_in_any_order(oracle):
    values = np.random.default_rng(8).integers(0, oracle.k, 400)
    reports = oracle.privatize(values, seeded_words(8))
    parts = [oracle.aggregate(reports[slice(start, start + 100)]) for start in range(0, 400, 100)]
    whole = oracle.aggregate(reports)
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        merged = parts[order[0]]
        for index in order[1:]:
            merged = merged.merge(parts[index])
        assert merged.users == 400
        assert np.array_equal(merged.sums, whole.sums)


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


def test_best_chances_of_trees_are_a_minimum():
    """No move of chance from one pair of levels to another makes the average variance smaller."""
    oracle = HierarchicalHistograms2(16, ONE, "4x4", 2, levels=Grid((4, 4)))
    chances = oracle._best_chances(Grid((4, 4)))
    queries, shares = Grid((4, 4)).queries(), np.full(16, 1 / 16)

    def noise(weights):
        moved = HierarchicalHistograms2(16, ONE, "4x4", 2, levels="-".join(map(str, weights)))
        sums = moved.sums_at(shares)(queries)
        return sum(
            (of_level.squares * float(moved.parts[level].moments.other) / float(moved.branch_chances[level])).mean()
            for level, of_level in enumerate(sums)
        )

    scale = 10**6
    planned = [max(1, round(scale * chance)) for chance in chances]
    least = noise(planned)
    for one, two in itertools.permutations(range(len(planned)), 2):
        if planned[one] > scale // 100:
            moved = list(planned)
            moved[one] -= scale // 200
            moved[two] += scale // 200
            assert noise(moved) > least * (1 - 1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Haar(8, ONE, "1-2"), "levels must be uniform, optimal, a workload or 3 whole numbers"),
        (lambda: Haar(8, ONE, Ranges(9)), "levels must be for a workload on 8 items, got ranges on 9"),
        (
            lambda: Haar2(8, ONE),
            "sides must be given for haar2 as AxB with A B = k, such as 8x16, or two columns with bins",
        ),
        (lambda: Haar2(8, ONE, "2x5"), "sides must be AxB with A B = k = 8, both at least 2, got sides=2x5"),
        (lambda: Haar2(8, ONE, "1x8"), "sides must be AxB with A B = k = 8, both at least 2, got sides=1x8"),
        (lambda: Haar2(8, ONE, "2x4", "prefixes"), "workload must be grid:2,4 for haar2:sides=2x4, got prefixes"),
        (lambda: HierarchicalHistograms2(8, ONE, "2x4", 1), "b must be a whole number of at least 2, got b=1"),
        (lambda: HierarchicalHistograms2(8, ONE, "2x4", 2, "rappor"), "in must be oue-hrr, .* got rappor"),
    ],
)
def test_bad_options_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_a_rare_item_of_a_huge_domain():
    """No array of k numbers is made; at small k it is the noise of an item whose nodes are all empty."""
    small = Haar(11, ONE, "1-2-3-4")
    empty = small.sums_at(np.zeros(11))(LinearQueries(np.eye(11)[:1]))
    noises = [small.level_noise(level, of_level)[0] for level, of_level in enumerate(empty)]
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


def test_an_empty_level_is_told():
    oracle = Haar(4, ONE)
    state = State(oracle.parameters, 3, np.array([3, 0, 1, 0, 0], dtype=np.int64))
    with pytest.raises(NoAnswerError, match="each level must have a report, got none of level 2 of 2"):
        oracle.estimate(state)


@pytest.mark.parametrize("sums", [[2, 0, 0], [-3, 0, 0], [1, 2, -1], [1, 2**62, -(2**62)]])
def test_sums_beyond_what_users_can_report_are_refused(sums):
    oracle = Haar(4, ONE)
    state = State(oracle.parameters, 3, np.array([1, 2, *sums], dtype=np.int64))
    with pytest.raises(InputError, match=r"a state must have sums of the signs of its [12] users, got more"):
        oracle.estimate(state)


def test_sides_are_text_or_numbers():
    assert Haar2(8, ONE, (2, 4)) == Haar2(8, ONE, " 2X4 ")
    assert Haar2(8, ONE, (2, 4)).parameters["sides"] == "2x4"
    assert Haar2(64, ONE, "8x8", "histogram") == Haar2(64, ONE, "8x8", Histogram(64))
    with pytest.raises(InputError, match="queries must be on the 8 items"):
        Haar2(8, ONE, "2x4").answer_variance(Prefixes(9).queries(), np.full(9, 1 / 9), 100)


@pytest.mark.parametrize("k", [2, 8, 64])
def test_haar_has_less_noise_than_a_consistent_binary_tree_of_the_same_oracle_for_every_range(k):
    """Both by Hadamard response with equal variances: less for every range but the whole, which both know."""
    queries, empty = Ranges(k).queries(), np.zeros(k)
    tree = HierarchicalHistograms(k, ONE, 2, "hrr")
    noise = {
        oracle.name: sum(oracle.level_noise(level, sums) for level, sums in enumerate(oracle.sums_at(empty)(queries)))
        for oracle in (Haar(k, ONE), tree)
    }
    whole = queries.sums == k
    assert noise["haar"][whole] == pytest.approx(noise["hh"][whole], abs=1e-12)
    assert (noise["haar"][~whole] < noise["hh"][~whole]).all()
    assert tree.contrast_variances == (tree.parts[0].moments.other,) * tree.height
    assert tree.parts[0].moments.other == Haar(k, ONE).moments[0].other
