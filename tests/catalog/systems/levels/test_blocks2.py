"""Blocks of a table against enumerated reports, dense matrices, and simulation; their ratios to the bound."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.ordered import Histogram, Ranges
from mechdesign_catalog.comparisons.design_floor import variance_bound
from mechdesign_catalog.decoders.circles.torus import TorusSide
from mechdesign_catalog.randomizers.kernels.walsh import parity
from mechdesign_catalog.systems.levels.blocks2 import Blocks2
from mechdesign_catalog.systems.levels.blocks2_plan import optimal_rectangles
from mechdesign_catalog.systems.levels.masked_rectangles import MaskedRectangles
from mechdesign_catalog.systems.levels.weighed_levels import OPTIMAL

ONE = Privacy(epsilon=1)
PARTS = {
    "single items": MaskedRectangles(8, ONE, columns=4, height=1, width=1),
    "parts of rows": MaskedRectangles(8, Privacy(epsilon="1/2"), columns=4, height=1, width=2),
    "whole columns": MaskedRectangles(8, ONE, columns=4, height=2, width=1),
    "squares": MaskedRectangles(16, Privacy(alpha="1/3"), columns=4, height=2, width=2),
    "empty labels": MaskedRectangles(6, Privacy(epsilon=2), columns=2, height=1, width=1),
    "three blocks": MaskedRectangles(12, ONE, columns=2, height=2, width=2),
    "rows of two heights": MaskedRectangles(6, ONE, columns=2, height=2, width=2),
    "two heights and two widths": MaskedRectangles(15, Privacy(epsilon=2), columns=5, height=2, width=3),
}


def members(part, start, shape=None):
    """The places of the rectangle at a start, row by row; its rows and columns are those of the tallest, or `shape`."""
    rows = part.k // part.columns
    row, column = divmod(start, part.columns)
    height, width = shape or (part.height, part.width)
    return [
        (row + down) % rows * part.columns + (column + right) % part.columns
        for down in range(height)
        for right in range(width)
    ]


def rows_of(part):
    """How often each start has a rectangle, over all shifts, and which places it has: a row for each start."""
    shapes = [(times, (kind.rows.places, kind.columns.places)) for times, kind in part.kinds]
    return [
        (times, np.array([np.isin(np.arange(part.k), members(part, start, shape)) for start in range(part.k)]))
        for times, shape in shapes
    ]


@pytest.mark.parametrize("label", PARTS)
def test_reports_hold_whole_blocks_with_exact_chances(label):
    """Each report is one of the shifted blocks' sets; its chances differ by alpha exactly; labels are alike in pairs.

    Mean square and mean of a score are those that variances are made of, whatever the shares are.
    """
    part, random = PARTS[label], np.random.default_rng(1)
    law = part.report_law()
    assert all(sum(row[place] for row in law.values()) == 1 for place in range(part.k))
    assert {min(row) / max(row) for row in law.values()} <= {part.alpha, 1}
    highest = max(chance for row in law.values() for chance in row)
    held = np.array([[float(chance == highest) for chance in row] for row in law.values()])
    blocks = [block for _, rows in rows_of(part) for block in rows]
    for row in held:
        inside = [block for block in blocks if row[block].all()]
        assert (np.any(inside, axis=0) if inside else np.zeros(part.k)).tolist() == row.astype(bool).tolist()
    chances = np.array([[float(chance) for chance in row] for row in law.values()])
    weights, shares = random.normal(size=part.k), random.dirichlet(np.ones(part.k))
    weights -= weights.mean()
    scores = held @ weights
    for (_, kind), (_, rows) in zip(part.kinds, rows_of(part), strict=True):
        np.testing.assert_allclose(kind.gathered(weights), rows @ weights, atol=1e-12)
    mean_square, _ = part.facts.moments(weights[None], shares, np.matmul)
    assert mean_square == pytest.approx(shares @ (chances.T @ scores**2), rel=1e-9)
    off = chances.T @ scores - part.mean_scores(weights[None])[0]
    np.testing.assert_allclose(off, off.mean(), atol=1e-12)
    assert part.highest_scores(weights[None])[0] >= scores.max() - 1e-12
    places, shifts = np.meshgrid(np.arange(part.k), np.arange(part.shifts))
    labels = part.labels(places, shifts)
    together = (labels[:, :, None] == labels[:, None, :]).sum(axis=0)
    assert together.tolist() == sum(times * rows.T.astype(int) @ rows for times, rows in rows_of(part)).tolist()


@pytest.mark.parametrize("label", PARTS)
def test_two_blocks_of_a_shift_are_held_as_two_labels_of_a_set(label):
    """All pairs of blocks are held by as many reports: the design is one of pairs."""
    part = PARTS[label]
    highest = max(chance for row in part.report_law().values() for chance in row)
    pairs: dict[tuple[int, int], int] = {}
    for (shift, *_), row in part.report_law().items():
        labels = part.labels(np.arange(part.k), shift)
        first = [int(np.flatnonzero(labels == block)[0]) for block in range(part.blocks)]
        for one, other in itertools.combinations(first, 2):
            both = row[one] == row[other] == highest
            at = int(labels[one]), int(labels[other])
            pairs[at] = pairs.get(at, 0) + both
    assert {Fraction(count, len(part.report_law())) for count in pairs.values()} == {part.apart}


def test_squares_are_those_of_the_transform():
    """At all frequencies, also those where one side is constant."""
    part = MaskedRectangles(30, ONE, columns=6, height=1, width=3)
    table = np.isin(np.arange(30), members(part, 0)).reshape(5, 6).astype(float)
    wanted = np.abs(np.fft.rfft2(table)).ravel() ** 2
    np.testing.assert_allclose(part.kinds[0][1].squares(np.arange(len(wanted))), wanted, atol=1e-12)
    for size in (5, 6):
        arcs = np.tri(size)
        np.testing.assert_allclose(TorusSide(size).by_length, np.abs(np.fft.rfft(arcs)) ** 2, atol=1e-12)


@pytest.mark.parametrize("columns", [4, 3])
def test_counts_are_those_of_what_reports_hold(columns):
    """On 6 x 4 places all blocks are alike; on 8 x 3 they have 2 or 3 rows, and 1 or 2 columns."""
    part = MaskedRectangles(24, ONE, columns=columns, height=3, width=2)
    reports = part.privatize(np.arange(500) % 24, seeded_words(1))
    shift, masks, bucket = (reports.columns[name].astype(int) for name in ("shift", "masks", "bucket"))
    expected = np.zeros(24, dtype=int)
    for place in range(24):
        if columns == 4:
            block = (place // 4 - shift // 2) % 6 // 3 * 2 + (place % 4 - shift % 2) % 4 // 2
        else:
            row, column = (place // 3 - shift // 3) % 8, (place % 3 - shift % 3) % 3
            block = np.searchsorted([2, 5], row, side="right") * 2 + (column > 0)
        own = sum(parity(masks[:, i] & block).astype(int) << i for i in range(part.bucket_bits))
        expected[place] = (own ^ bucket < part.below).sum()
    assert part.supports(part.aggregate(reports)).tolist() == expected.tolist()


@pytest.mark.parametrize("sides", [(2, 2), (2, 3), (5, 3), (4, 6), (5, 7)])
def test_averages_and_largest_are_those_of_all_queries(sides):
    k = sides[0] * sides[1]
    oracle, equal = Blocks2(k, ONE, sides), np.full(k, 1 / k)
    for workload in (Grid(sides), Grid(sides, ("circular", "prefixes")), Histogram(k), Ranges(k)):
        variances = oracle.answer_variance(workload.queries(), equal, 50)
        assert oracle.average_variance(workload, 50) == pytest.approx(variances.mean(), rel=1e-9)
        assert oracle.largest_variance(workload, 50) == pytest.approx((variances.max(),) * 2, rel=1e-9)


def test_one_level_is_averaged_too():
    oracle, equal = Blocks2(12, ONE, "3x4", levels="1x1*1"), np.full(12, 1 / 12)
    variances = oracle.answer_variance(Grid((3, 4)).queries(), equal, 50)
    assert oracle.average_variance(Grid((3, 4)), 50) == pytest.approx(variances.mean(), rel=1e-9)


def test_variances_of_items_are_those_of_queries():
    oracle, shares = Blocks2(24, ONE, "4x6"), np.random.default_rng(3).dirichlet(np.ones(24))
    items = Histogram(24).queries()
    np.testing.assert_allclose(oracle.variance(shares, 99), oracle.answer_variance(items, shares, 99), rtol=1e-9)


def test_estimates_are_those_of_a_dense_matrix():
    """One transform solves `A f = b` with the matrix of all levels, some of which have blocks of two lengths."""
    oracle = Blocks2(30, ONE, "6x5")
    assert any(len(part.kinds) > 1 for part in oracle.parts)
    state = oracle.aggregate(oracle.privatize(np.arange(3000) % 30, seeded_words(2)))
    matrix, right = np.ones((30, 30)), np.zeros(30)
    for chance, part, own in zip(oracle.branch_chances, oracle.parts, oracle.part_states(state), strict=True):
        factor = float(chance * part.facts.scale)
        for times, rows in rows_of(part):
            matrix += factor * float(part.facts.pull) * times * rows.T.astype(float) @ rows
        right += factor * part.estimate(own)
    solved = np.linalg.solve(matrix, right - right.mean()) + 1 / 30
    np.testing.assert_allclose(oracle.estimate(state), solved, atol=1e-10)
    assert oracle.estimate(state).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("sides", [(16, 24), (13, 7)])
def test_simulated_errors_are_as_large_as_predicted(sides):
    """Errors of 40 rectangles over predicted standard errors, in 40 collections of the same 4,000 users."""
    users, k, random = 4000, sides[0] * sides[1], np.random.default_rng(4)
    oracle = Blocks2(k, ONE, sides)
    drawn = np.stack([random.beta(2, 6, users) * sides[0], random.beta(3, 3, users) * sides[1]]).astype(np.int64)
    values = drawn[0] * sides[1] + drawn[1]
    shares = np.bincount(values, minlength=k) / users
    queries = Grid(sides).sample(40, random)
    found = np.array(
        [oracle.answers(oracle.aggregate(oracle.privatize(values, seeded_words(seed))), queries) for seed in range(40)]
    )
    off = (found - queries.apply(shares)) / np.sqrt(oracle.answer_variance(queries, shares, users))
    assert abs(off.mean(axis=0) * np.sqrt(40)).max() < 4.5
    assert (off**2).mean() == pytest.approx(1, abs=0.25)


@pytest.mark.parametrize(
    ("shape", "epsilon", "least", "most"),
    [
        ((16, 16), 1, 1.13, 1.145),
        ((32, 32), "1/2", 1.13, 1.15),
        ((32, 32), 2, 1.13, 1.15),
        ((128, 128), 1, 1.13, 1.14),
        ((31, 31), 1, 1.14, 1.15),
    ],
)
def test_the_variance_is_near_the_bound(shape, epsilon, least, most):
    """Rectangles of a table have ends that a torus does not know: this costs about an eighth."""
    privacy = Privacy(epsilon=epsilon)
    for workload, low, high in ((Grid(shape), least, most), (Grid(shape, ("circular", "circular")), 1.004, 1.008)):
        bound = variance_bound(workload, privacy, 10**9)
        assert bound is not None
        oracle = Blocks2(workload.k, privacy, shape, OPTIMAL if workload == Grid(shape) else workload.words)
        assert low < Fraction(oracle.average_variance(workload, 10**9)) / bound < high


def test_levels_are_best_for_the_workload_that_names_them():
    for kinds in (("circular", "circular"), ("prefixes", "prefixes"), ("circular", "ranges")):
        workload = Grid((12, 20), kinds)
        oracles = [Blocks2(240, ONE, (12, 20), levels) for levels in (workload.words, OPTIMAL, "histogram")]
        own, *others = (oracle.average_variance(workload, 10**9) for oracle in oracles)
        assert own < min(others)


def test_levels_are_read_back():
    oracle = Blocks2(24, ONE, (4, 6))
    assert oracle == Blocks2(24, ONE, " 4X6 ", levels=oracle.levels) == Blocks2.of_parameters(oracle.parameters)
    assert oracle.title == "blocks2"
    assert Blocks2(8, ONE, "2x4", levels="1x1*1-2x2*2").title == "blocks2:levels=1x1*1-2x2*2"


@pytest.mark.parametrize("shape", [(2, 2), (5, 7), (30, 40), (200, 12)])
def test_no_best_level_is_rare(shape):
    weights = [level.weight for level in optimal_rectangles(Grid(shape), ONE)]
    assert min(weights) / sum(weights) > 0.0029


@pytest.mark.parametrize(
    "levels", ["", "uniform", "1x1", "2x1*1", "1x1*0", "1x1*1-1x1*2", "1x1*1-1x3*1", "1x1*1-2x4*1", "1*1", "grid:2,4"]
)
def test_levels_that_are_none_are_refused(levels):
    with refused(InputError):
        Blocks2(8, ONE, "2x4", levels=levels)


@pytest.mark.parametrize("sides", ["", "2x5", "1x8"])
def test_sides_that_are_none_are_refused(sides):
    with refused(InputError):
        Blocks2(8, ONE, sides)


def test_workloads_that_take_too_long_are_refused():
    oracle = Blocks2(1 << 14, ONE, "128x128", levels="1x1*1")
    with refused(InputError):
        oracle.average_variance(Ranges(1 << 14), 100)
    with refused(InputError):
        oracle.largest_variance(Ranges(8), 100)


def test_places_that_do_not_fit_are_refused():
    with refused(InputError):
        MaskedRectangles(8, ONE, columns=3, height=1, width=1)
    for height, width in ((3, 1), (2, 4), (0, 1), (1, 3)):
        with refused(InputError):
            MaskedRectangles(8, ONE, columns=4, height=height, width=width)
