"""Contrasts of one side against dense projections, with mixed fan-outs and padding."""

from fractions import Fraction

import numpy as np
import pytest
from dense_contrasts import padded, projections

from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign_catalog.oracles.levels.contrasts.side import Side
from mechdesign_catalog.oracles.levels.contrasts.side_energies import side_energies

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
