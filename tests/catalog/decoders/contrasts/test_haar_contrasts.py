"""Contrasts against dense matrices; signed Hadamard response by enumeration; Haar against consistent trees."""

from fractions import Fraction

import numpy as np
import pytest
from dense_contrasts import half_signs, node_sums, padded, projections, with_empty_padding
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign_catalog.decoders.contrasts.haar import (
    NodeShares,
    differences_of,
    interval_sums,
    leaves_of,
    weight_sums,
)
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.decoders.contrasts.side_energies import side_energies
from mechdesign_catalog.randomizers.reports.reports import Reports
from mechdesign_catalog.systems.levels.signed_hadamard import SignedHrr

ONE = Privacy(epsilon=1)


@pytest.mark.parametrize("heights", [1, 2, 3, 5])
def test_leaves_come_back_from_differences(heights):
    leaves = 1 << heights
    shares = np.random.default_rng(heights).dirichlet(np.ones(leaves))
    found = differences_of(shares)
    for row, difference in enumerate(found):
        assert difference == pytest.approx(half_signs(2 << row, leaves) @ shares, abs=1e-15)
    assert leaves_of(found) == pytest.approx(shares, abs=1e-15)
    two = [np.stack([difference, 100 * difference]) for difference in found]
    assert leaves_of(two, np.array([[1.0], [100.0]])) == pytest.approx(np.stack([shares, 100 * shares]))


@pytest.mark.parametrize("k", [2, 3, 5, 8, 13, 16])
def test_sums_of_intervals_are_those_of_the_haar_matrix(k):
    heights = (k - 1).bit_length()
    leaves, generator = 1 << heights, np.random.default_rng(k)
    shares = generator.dirichlet(np.ones(k))
    queries = Ranges(k).queries()
    general = generator.normal(size=(7, k))
    side = Side.tree(k, 2)
    nodes = NodeShares.of(side, shares)
    ranges = interval_sums(queries.first, queries.last, nodes)
    on_leaves = with_empty_padding(shares, side)
    for found, weights in (
        (ranges, queries.weights()),
        (weight_sums(queries.weights(), nodes), queries.weights()),
        (weight_sums(general, nodes), general),
    ):
        rebuilt = padded(weights, side).mean(axis=1)
        for row in range(heights):
            signs = half_signs(2 << row, leaves)
            u = padded(weights, side) @ signs.T / (2 << row)
            assert found.squares[row] == pytest.approx((u**2).sum(axis=1), abs=1e-14)
            assert found.answers[row] == pytest.approx(u @ signs @ on_leaves, abs=1e-14)
            sums = node_sums(2 << row, leaves)
            assert found.square_answers[row] == pytest.approx(u**2 @ sums @ on_leaves, abs=1e-14)
            rebuilt = rebuilt + found.answers[row]
        assert rebuilt == pytest.approx(weights @ shares, abs=1e-13)


@given(heights=st.integers(1, 12), data=st.data())
def test_haar_is_never_worse_than_a_consistent_binary_tree_with_equal_variances(heights, data):
    """At height i a tree divides `|P o|^2` by `2^i - 1`, Haar by `2^i`: less for every interval that is cut at all."""
    leaves = 1 << heights
    first = data.draw(st.integers(0, leaves - 1))
    last = data.draw(st.integers(first, leaves - 1))
    side = Side(leaves, tuple(1 << height for height in range(heights + 1)))
    energies = side.energies(np.array([first]), np.array([last]))[:-1, 0]
    sizes = 2.0 ** np.arange(1, heights + 1)
    haar, tree = (energies / sizes).sum(), (energies / (sizes - 1)).sum()
    exact = interval_sums(np.array([first]), np.array([last]), NodeShares.of(side, np.full(leaves, 1 / leaves)))
    assert haar == pytest.approx(exact.squares.sum(), rel=1e-12, abs=1e-15)
    assert haar <= tree
    if (first, last) != (0, leaves - 1):
        assert 0 < haar < tree


@pytest.mark.parametrize("k", [2, 4, 16])
def test_signed_reports_are_unbiased_and_as_private_as_they_say(k):
    oracle = SignedHrr(k, ONE)
    law = oracle.report_law()
    assert len(law) == k
    assert [sum(column) for column in zip(*law.values(), strict=True)] == [1] * k
    assert min(min(row) / max(row) for row in law.values()) == oracle.alpha
    scores = np.array([oracle.estimate(oracle.aggregate(one_report(oracle, report))) for (report,) in law])
    chances = np.array([[float(chance) for chance in row] for row in law.values()])
    for item in range(k):
        mean = chances[:, item] @ scores
        assert mean == pytest.approx((np.arange(k // 2) == item // 2) * (1.0 - 2 * (item % 2)), abs=1e-12)
        squares = scores.T @ (chances[:, item, None] * scores)
        assert squares == pytest.approx(float(oracle.moments.other) * np.eye(k // 2), abs=1e-12)
        weights = np.random.default_rng(item).normal(size=k // 2)
        own = np.array([weights[item // 2]])
        noise = oracle.moments.noise(0.0, (weights**2).sum(), own, own**2)[0]
        assert noise == pytest.approx(chances[:, item] @ (scores @ weights) ** 2 - weights[item // 2] ** 2)


def one_report(oracle, report):
    return Reports(oracle.parameters, {"report": np.array([report])})


def test_reports_and_drawn_states_follow_the_law():
    """Counts of reports within 4.5 standard errors of the law, by the client and by `simulate_sums`."""
    oracle, users = SignedHrr(8, ONE), 40_000
    for item in (0, 3, 6):
        chances = np.array([float(row[item]) for row in oracle.report_law().values()])
        reports = oracle.privatize(np.full(users, item), seeded_words(item)).columns["report"]
        allowed = 4.5 * np.sqrt(users * chances * (1 - chances))
        assert (np.abs(np.bincount(reports, minlength=8) - users * chances) <= allowed).all()
        drawn = oracle.simulate_sums(np.bincount([item], minlength=8) * users, np.random.default_rng(item))
        differences = chances[0::2] - chances[1::2]
        limit = 4.5 * np.sqrt(users * (chances[0::2] + chances[1::2] - differences**2))
        assert (np.abs(drawn.sums - users * differences) <= limit).all()


def test_signed_hrr_refuses_other_sizes():
    with refused(InputError, about="k"):
        SignedHrr(6, ONE)


SIDES = [
    Side(8, (1, 2, 4, 8)),
    Side(5, (1, 2, 4, 8)),
    Side(7, (1, 2, 4, 8)),
    Side(9, (1, 2, 4, 8, 16)),
    Side(8, (1, 4, 8)),
    Side(11, (1, 3, 9, 18)),
    Side(19, (1, 3, 9, 27)),
    Side(6, (1, 2, 6)),
    Side(3, (1, 4)),
]
every_side = pytest.mark.parametrize("side", SIDES, ids=str)


def all_ranges(side):
    queries = Ranges(side.items).queries()
    return queries.first, queries.last, padded(queries.weights(), side)


@every_side
def test_energies_are_squared_lengths_of_projections(side):
    first, last, weights = all_ranges(side)
    dense = np.array([((weights @ matrix) ** 2).sum(axis=1) for matrix in projections(side)])
    assert side.energies(first, last) == pytest.approx(dense, abs=1e-13)
    assert dense.sum(axis=0) == pytest.approx((weights**2).sum(axis=1))


@every_side
def test_padding_has_the_mean_of_what_is_beside_it_and_estimates_of_it_go_there(side):
    """`extended` is the dense rule, and `folded` its transpose; a query for everything stays one."""
    generator = np.random.default_rng(9)
    weights, leaves = generator.normal(size=(5, side.items)), generator.normal(size=(4, side.leaves))
    assert side.extended(weights) == pytest.approx(padded(weights, side), abs=1e-14)
    assert weights @ side.folded(leaves).T == pytest.approx(padded(weights, side) @ leaves.T, abs=1e-13)
    assert side.extended(np.ones((1, side.items))) == pytest.approx(np.ones((1, side.leaves)), abs=1e-15)


@every_side
def test_pieces_cover_every_leaf_once_and_contrasts_are_constant_on_them(side):
    first, last, weights = all_ranges(side)
    dense = np.array([weights @ matrix for matrix in projections(side)])
    pieces = side.pieces(first, last)
    found = side.contrasts_at(pieces.starts, first, last)
    for query in range(len(first)):
        covered = np.zeros(side.leaves, dtype=int)
        for piece, (start, size) in enumerate(zip(pieces.starts[query], pieces.sizes[query], strict=True)):
            covered[start : start + size] += 1
            items = slice(start, min(start + size, side.items))
            expected = np.repeat(found[:, query, piece, None], max(0, items.stop - start), axis=1)
            assert dense[:, query, items] == pytest.approx(expected, abs=1e-14)
        assert (covered == 1).all()


@every_side
@pytest.mark.parametrize("workload", [Ranges, Prefixes, Histogram])
def test_sums_over_a_workload_are_those_of_dense_projections(side, workload):
    asked = workload(side.items)
    weights = padded(asked.queries().weights(), side)
    contrasts = np.array([weights @ matrix for matrix in projections(side)])
    items = contrasts[:, :, : side.items]
    means = items.mean(axis=2)
    found = side_energies(side, asked)
    assert found.lengths == pytest.approx((contrasts**2).sum(axis=(1, 2)), rel=1e-12)
    assert found.products == pytest.approx(np.einsum("iqx,jqx->ij", items, items) / side.items, rel=1e-12, abs=1e-12)
    assert found.means == pytest.approx(means @ means.T, rel=1e-12, abs=1e-12)


def test_energies_of_all_ranges_at_2_to_24_are_exact():
    """The lengths add up to the sum of all ranges' lengths, 2^24 (2^24 + 1) (2^24 + 2) / 6, far beyond 64 bits."""
    k = 1 << 24
    found = side_energies(Side(k, tuple(1 << i for i in range(25))), Ranges(k)).lengths
    assert sum(map(Fraction, found)) == pytest.approx(k * (k + 1) * (k + 2) // 6, rel=1e-15)
    assert (found > 0).all()
