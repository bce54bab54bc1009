"""Blocks against enumerated reports, dense matrices, and simulation; their ratios to the bound."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.arcs import ArcQueries, Arcs
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.comparisons.design_floor import variance_bound
from mechdesign_catalog.decoders.circles import circle
from mechdesign_catalog.decoders.circles.levels import chosen_frequencies, cut_squares
from mechdesign_catalog.decoders.circles.pattern import Pattern
from mechdesign_catalog.randomizers.kernels.masks import independent_masks
from mechdesign_catalog.randomizers.kernels.walsh import parity
from mechdesign_catalog.systems.levels.blocks import Blocks
from mechdesign_catalog.systems.levels.blocks_plan import few_runs, optimal_levels, row_squares
from mechdesign_catalog.systems.levels.masked_blocks import MaskedBlocks
from mechdesign_catalog.systems.levels.rotated_cells import RotatedCells

ONE = Privacy(epsilon=1)
PARTS = {
    "single items": MaskedBlocks(8, ONE, pieces=8),
    "pairs": MaskedBlocks(8, Privacy(epsilon="1/2"), pieces=4),
    "halves": MaskedBlocks(8, ONE, pieces=2),
    "empty labels": MaskedBlocks(6, Privacy(epsilon=2), pieces=6),
    "three blocks": MaskedBlocks(6, ONE, pieces=3),
    "two lengths": MaskedBlocks(7, Privacy(epsilon=2), pieces=4),
    "two lengths, three of each start": MaskedBlocks(10, ONE, pieces=4),
    "uneven cells": RotatedCells(11, ONE, cells=4, row=0b101),
    "two runs": RotatedCells(12, ONE, cells=6, row=0b1011),
    "a run over the end": RotatedCells(10, Privacy(epsilon=2), cells=5, row=0b10001),
}


def enumerated(part):
    """All reports: which places each holds, and its chance for each own place."""
    law = part.report_law()
    highest = max(chance for row in law.values() for chance in row)
    held = np.array([[float(chance == highest) for chance in row] for row in law.values()])
    return held, np.array([[float(chance) for chance in row] for row in law.values()])


@pytest.mark.parametrize("label", PARTS)
def test_moments_of_a_level_are_those_of_its_reports(label):
    """The mean square and the mean of a score, whatever the shares are; and the chances to hold a place."""
    part, random = PARTS[label], np.random.default_rng(1)
    held, chances = enumerated(part)
    np.testing.assert_allclose(chances.sum(axis=0), 1)
    weights, shares = random.normal(size=part.k), random.dirichlet(np.ones(part.k))
    weights -= weights.mean()
    scores = held @ weights
    mean_square, _ = part.facts.moments(weights, shares, np.matmul)
    assert mean_square == pytest.approx(shares @ (chances.T @ scores**2), rel=1e-9)
    off = chances.T @ scores - part.mean_scores(weights[None])[0]
    np.testing.assert_allclose(off, off.mean(), atol=1e-12)
    of_places = chances.T @ held
    assert (float(part.held[0]), float(part.held[1])) == pytest.approx((of_places.min(), of_places.max()))
    assert part.highest_scores(weights[None])[0] >= scores.max() - 1e-12
    if part.score_is_reached:
        assert part.highest_scores(weights[None])[0] == pytest.approx(scores.max())


@pytest.mark.parametrize("label", PARTS)
def test_the_information_is_that_of_the_law(label):
    """Where labels are empty it is near."""
    part = PARTS[label]
    _, chances = enumerated(part)
    wanted = chances.T @ (chances / chances.mean(axis=1, keepdims=True))
    found = part.information_at(np.ones(part.k, dtype=np.int64))
    np.testing.assert_allclose(found, wanted, rtol=1e-9 if part.information_is_exact else 0.15)
    some = np.arange(part.k) % 3 + 1
    shares = some / some.sum()
    by_law = chances.T @ (chances / (chances @ shares)[:, None])
    np.testing.assert_allclose(part.information_at(some), by_law, rtol=1e-9)


def test_masks_hold_pairs_and_triples_as_subsets_do():
    """Every three labels are held together by as many reports: so the design is that of all subsets of its size."""
    held, _ = enumerated(MaskedBlocks(8, Privacy(epsilon="1/2"), pieces=8))
    size = held[0].sum()
    assert set(held.sum(axis=1)) == {size}
    triples = {int(held[:, list(three)].all(axis=1).sum()) for three in itertools.combinations(range(8), 3)}
    assert triples == {round(len(held) * size * (size - 1) * (size - 2) / (8 * 7 * 6))}


@pytest.mark.parametrize(("epsilon", "share"), [("1/2", (3, 3)), (1, (5, 9)), (2, (3, 1)), (3, (6, 3))])
def test_a_share_of_labels_has_nearly_the_most_power(epsilon, share):
    part = MaskedBlocks(1 << 10, Privacy(epsilon=epsilon), pieces=1 << 10)
    assert (part.bucket_bits, part.below) == share
    entry, held = float(1 / part.alpha), part.below / part.buckets
    power = held * (1 - held) / (1 + (entry - 1) * held) ** 2
    assert power >= 0.999 / (4 * entry)


def test_masks_are_drawn_independent_and_alike():
    drawn = independent_masks(3, 2, 42_000, seeded_words(5))
    times = np.bincount(drawn[:, 0] * 8 + drawn[:, 1], minlength=64)
    possible = [8 * one + other for one in range(1, 8) for other in range(1, 8) if one != other]
    assert np.flatnonzero(times).tolist() == possible
    assert ((times[possible] - 1000) ** 2 / 1000).sum() < 100  # chi-squared with 41 degrees


def test_sums_are_the_transform_of_what_reports_hold():
    part = MaskedBlocks(24, Privacy(epsilon=1), pieces=9)
    reports = part.privatize(np.arange(500) % 24, seeded_words(1))
    state = part.aggregate(reports)
    shift, masks, bucket = (reports.columns[name].astype(int) for name in ("shift", "masks", "bucket"))
    expected = np.zeros(24, dtype=int)
    for place in range(24):
        labels = np.searchsorted(np.arange(1, 9) * 24 // 9, (place - shift) % 24, side="right")
        own = sum(parity(masks[:, i] & labels).astype(int) << i for i in range(part.bucket_bits))
        expected[place] = (own ^ bucket < part.below).sum()
    assert part.supports(state).tolist() == expected.tolist()
    part.contribution.require(state.sums, 500)
    for place, step in ((0, 1), (1, 1), (9, -2 * part.below)):
        wrong = state.sums.copy()
        wrong[place] += step
        with pytest.raises(InputError):
            part.contribution.require(wrong, 500)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 16, 33, 37, 67])
def test_averages_and_largest_are_those_of_all_queries(k):
    oracle, equal = Blocks(k, ONE), np.full(k, 1 / k)
    workloads = [Ranges(k), Prefixes(k), Arcs(k), Histogram(k), FixedRanges(k, k // 2)]
    for workload in workloads:
        variances = oracle.answer_variance(workload.queries(), equal, 50)
        assert oracle.average_variance(workload, 50) == pytest.approx(variances.mean(), rel=1e-9)
        largest, bound = oracle.largest_variance(workload, 50)
        assert 0.999 * variances.max() <= largest <= variances.max() * (1 + 1e-9)
        assert variances.max() * (1 - 1e-9) <= bound <= variances.max() * (1.02 if oracle.circle.padding else 1 + 1e-9)
        if not oracle.circle.padding or isinstance(workload, Prefixes):
            assert (largest, bound) == pytest.approx((variances.max(),) * 2)


@pytest.fixture
def padded(monkeypatch):
    """Circles of few items have padding; nothing that was found for them is kept, before and after."""
    kept = (optimal_levels, row_squares)
    for one in kept:
        one.cache_clear()
    monkeypatch.setattr(circle, "MOST_PADDING", 28)
    yield
    for one in kept:
        one.cache_clear()


@pytest.mark.parametrize("levels", ["optimal", "100*1-33*1", "100*1-x3*1-x7*2-x1ff*1"])
@pytest.mark.parametrize("epsilon", ["1/4", 4])
@pytest.mark.usefixtures("padded")
def test_no_range_inside_is_above_the_bound_of_its_length(levels, epsilon):
    """With three places of padding, for all 4,560 ranges that touch neither end."""
    oracle, k = Blocks(97, Privacy(epsilon=epsilon), levels=levels), 97
    queries = Ranges(k).queries()
    inside = (queries.first > 0) & (queries.last < k - 1)
    variances = oracle.answer_variance(queries, np.full(k, 1 / k), 60)[inside]
    bounds = oracle.bound_by_length(60)[(queries.last - queries.first)[inside]]
    assert (variances <= bounds * (1 + 1e-9)).all()
    assert bounds.max() < 1.03 * variances.max()


def test_every_length_is_looked_at():
    """The variance of an arc by its length, of which the largest is one that few would guess, at 5,000 items."""
    oracle = Blocks(5000, ONE)
    by_length = oracle.variance_by_length(1000)
    first = np.zeros(20, dtype=np.int64)
    some = np.random.default_rng(0).integers(1, 5000, 20)
    told = oracle.answer_variance(ArcQueries(5000, first, some), np.full(5000, 1 / 5000), 1000)
    np.testing.assert_allclose(by_length[some - 1], told, rtol=1e-9)
    assert oracle.largest_variance(Arcs(5000), 1000)[0] == by_length.max()


def test_ranges_have_half_the_variance_of_the_circle():
    """`V_line = V_circle / 2 (1 + 2 / k)` for sums over all queries."""
    for k in (16, 64, 1024):
        line, circle = (
            oracle.average_variance(workload, 10**9) * workload.count
            for oracle in [Blocks(k, ONE)]
            for workload in (Ranges(k), Arcs(k))
        )
        assert line == pytest.approx(circle / 2 * (1 + 2 / k), rel=1e-6)


def test_variances_of_items_are_those_of_queries():
    for k in (16, 67):
        oracle, shares = Blocks(k, ONE), np.random.default_rng(k).dirichlet(np.ones(k))
        items = Histogram(k).queries()
        np.testing.assert_allclose(oracle.variance(shares, 99), oracle.answer_variance(items, shares, 99), rtol=1e-9)


def test_estimates_are_those_of_a_dense_matrix():
    """One transform solves `A f = b` with the matrix of all levels, and padding goes to the ends."""
    oracle = Blocks(67, ONE)
    state = oracle.aggregate(oracle.privatize(np.arange(4000) % 67, seeded_words(2)))
    size, right = oracle.circle.size, 0.0
    matrix = np.ones((size, size))
    for chance, part, own in zip(oracle.branch_chances, oracle.parts, oracle.part_states(state), strict=True):
        factor = float(chance * part.facts.scale)
        for (times, _), rows in zip(part.facts.kinds, part.facts.gathered(np.eye(size)), strict=True):
            matrix += factor * times * float(part.facts.pull) * rows @ rows.T
        right = right + factor * part.estimate(own)
    solved = np.linalg.solve(matrix, right - right.mean()) + 1 / size
    np.testing.assert_allclose(oracle.estimate(state), oracle.circle.folded(solved), atol=1e-10)
    assert oracle.estimate(state).sum() == pytest.approx(1, abs=1e-12)


def test_simulated_errors_are_as_large_as_predicted():
    """Errors of 40 ranges over predicted standard errors, in 50 collections of the same 2,000 users."""
    k, users = 1024, 2000
    oracle, random = Blocks(k, ONE), np.random.default_rng(4)
    values = np.minimum((random.beta(2, 6, users) * k).astype(np.int64), k - 1)
    shares = np.bincount(values, minlength=k) / users
    queries = Ranges(k).sample(40, random)
    found = np.array(
        [oracle.answers(oracle.aggregate(oracle.privatize(values, seeded_words(seed))), queries) for seed in range(50)]
    )
    predicted = oracle.answer_variance(queries, shares, users)
    off = (found - queries.apply(shares)) / np.sqrt(predicted)
    assert abs(off.mean(axis=0) * np.sqrt(50)).max() < 4.5
    assert (off**2).mean() == pytest.approx(1, abs=0.25)


RATIOS = [
    (16, "1/2", 1.001),
    (16, 2, 1.05),
    (97, 1, 1.003),
    (256, "1/2", 1.002),
    (256, 1, 1.003),
    (256, 2, 1.013),
    (257, "1/2", 1.002),
    (1001, 1, 1.0025),
    (1001, 2, 1.011),
    (1024, 1, 1.003),
    (4096, 1, 1.003),
    (4096, 3, 1.09),
    (5003, 1, 1.003),
    (43_793, "1/2", 1.002),
]


@pytest.mark.parametrize(("k", "epsilon", "most"), RATIOS)
def test_the_variance_is_near_the_bound(k, epsilon, most):
    privacy = Privacy(epsilon=epsilon)
    bound = variance_bound(Arcs(k), privacy, 10**9)
    assert bound is not None
    assert 1 - 1e-9 < Fraction(Blocks(k, privacy).average_variance(Arcs(k), 10**9)) / bound < most


def test_rows_of_two_runs_are_listed_once():
    """Of all rows of 9 cells with at most two runs, one of each class of rotations and reflections."""

    def turned(row):
        texts = [format(row, "09b"), format(row, "09b")[::-1]]
        return min(text[at:] + text[:at] for text in texts for at in range(9))

    def runs(row):
        text = format(row, "09b")
        return sum(text[i - 1] + text[i] == "01" for i in range(9))

    wanted = {turned(row) for row in range(1, 511) if runs(row) <= 2}
    found = [turned(row) for row in few_runs(9)]
    assert sorted(found) == sorted(wanted)


def test_levels_are_read_back():
    for k in (4, 67, 1000):
        oracle = Blocks(k, ONE)
        assert Blocks(k, ONE, levels=oracle.levels) == oracle
        assert Blocks.of_parameters(oracle.parameters) == oracle
        assert oracle.title == "blocks"
    assert Blocks(8, ONE, levels="8*1-x3*2").title == "blocks:levels=8*1-x3*2"


@pytest.mark.parametrize("epsilon", [1, 2, 3])
def test_no_best_level_is_so_rare_that_thousands_of_users_leave_it_empty(epsilon):
    """Single items are needed, however little they add: with 1 of 10,000 users there 5,000 would mostly have none."""
    for k in (2, 3, 5, 10, 12, 16, 24, 50):
        weights = [level.weight for level in optimal_levels(k, Privacy(epsilon=epsilon))]
        assert min(weights) / sum(weights) > 0.0029


@pytest.mark.parametrize(
    "levels", ["", "uniform", "8", "4*1", "8*0", "8*1-8*2", "8*1-9*1", "8*1-x0*1", "8*1-xff*1", "8*1-1*1", "prefixes"]
)
def test_levels_that_are_none_are_refused(levels):
    with refused(InputError):
        Blocks(8, ONE, levels=levels)


def test_workloads_that_take_too_long_are_refused():
    oracle = Blocks(1 << 14, ONE, levels="16384*1")
    with refused(InputError):
        oracle.average_variance(FixedRanges(1 << 14, 5), 100)
    with refused(InputError):
        oracle.largest_variance(Ranges(8), 100)


@pytest.mark.parametrize("k", [16, 67, 300])
def test_ranges_by_their_cuts_are_those_by_their_weights(k):
    generator = np.random.default_rng(k)
    oracle, shares = Blocks(k, Privacy(epsilon=1)), generator.dirichlet(np.ones(k))
    first = generator.integers(0, k, 40)
    last = np.maximum(first, generator.integers(0, k, 40))
    first[:4], last[:3] = 0, k - 1
    starting, ending = np.zeros(k, dtype=int), np.full(k, k // 2)
    many = Intervals(k, np.concatenate([first, starting]), np.concatenate([last, np.arange(k)]))
    ended = Intervals(k, np.minimum(np.arange(k), ending), ending)
    for asked in (many, ended, Intervals(k, first, last)):
        written = LinearQueries(asked.weights())
        for variance, at in ((oracle.answer_variance, shares), (oracle.unbounded_variance, shares - 2 / k)):
            np.testing.assert_allclose(variance(asked, at, 900), variance(written, at, 900), rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("k", [5, 33, 5003])
def test_rows_have_the_squared_transform_of_their_patterns(k):
    circle_of_k = circle.Circle(k)
    frequencies, _ = chosen_frequencies(cut_squares(circle_of_k))
    rows = [Pattern.of_cells(circle_of_k.size, circle_of_k.cells, row) for row in few_runs(circle_of_k.cells)[::7]]
    places, squares = row_squares(circle_of_k)
    assert places[::7].tolist() == [row.places for row in rows]
    assert squares[::7] == pytest.approx(np.array([row.squares(frequencies) for row in rows]), rel=1e-9, abs=1e-6)
