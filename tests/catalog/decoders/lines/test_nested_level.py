"""Nested levels, against sums over all reports of a small oracle."""

from fractions import Fraction

import numpy as np
import pytest

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.lines.cut_level import CutLevel
from mechdesign_catalog.decoders.lines.information import Information, centred
from mechdesign_catalog.decoders.lines.nested_level import NestedLevel
from mechdesign_catalog.systems.flat.subset import SubsetSelection
from mechdesign_catalog.systems.levels.masked_labels import bucket_of
from mechdesign_catalog.systems.levels.nested_masks import NestedMasks

EDGES = {
    "even": [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
    "uneven, some empty": [[0, 2, 3, 4, 4, 5, 5, 8, 9, 10, 11, 12, 12], [0, 0, 0, 0, 1, 3, 6, 7, 8, 8, 12, 12, 12]],
}
K, CELLS, LABELS = 12, 3, 4


def level_and_law(edges, epsilon):
    """A level, with the chances of all reports for each label, and their unbiased scores of the labels."""
    oracle = NestedMasks(CELLS * LABELS, Privacy(epsilon=epsilon), CELLS)
    level = NestedLevel(np.array(edges), oracle.alpha, oracle.share, oracle.wide, oracle.moments, LABELS)
    law = oracle.report_law()
    chances = np.array([[float(chance) for chance in row] for row in law.values()])
    held = np.zeros(chances.shape)
    for report, (cell, *masks, bucket) in enumerate(law):
        for label in range(LABELS):
            held[report, cell * LABELS + label] = bucket_of(masks, label) ^ bucket < oracle.below
    means = chances.T @ held  # of what is held, by the own label
    return level, chances, np.linalg.solve(means.T, held.T).T  # scores whose mean is the own label


@pytest.mark.parametrize("epsilon", ["1", "5/2"])
@pytest.mark.parametrize("edges", EDGES.values(), ids=EDGES)
def test_scores_are_weighed_by_the_inverse_of_their_covariance(edges, epsilon):
    level, chances, scores = level_and_law(edges, epsilon)
    dense = np.zeros((K, K))
    for row, cuts in enumerate(level.edges):
        labels = np.searchsorted(cuts, np.arange(K), side="right") - 1
        shares = np.bincount(labels, minlength=CELLS * LABELS) / K
        assert level.shares[row] == pytest.approx(shares)
        centre = scores - shares
        covariance = (centre.T * (chances @ shares)) @ centre
        weighed = np.array([level.weighed(np.tile(unit, (level.shifts, 1)))[row] for unit in np.eye(CELLS * LABELS)])
        inside = np.eye(CELLS * LABELS) - 1 / (CELLS * LABELS)
        assert inside @ weighed @ inside == pytest.approx(np.linalg.pinv(covariance), abs=1e-9)
        assert 0 < level.least_information <= np.linalg.eigvalsh(np.linalg.pinv(covariance))[1]
        dense += weighed[np.ix_(labels, labels)] / level.shifts
    of_sums = np.diff(np.diff(dense, axis=0), axis=1)
    assert level.matrix() == pytest.approx(of_sums, abs=1e-12)
    assert level.form().times(np.eye(len(of_sums))) == pytest.approx(of_sums, abs=1e-12)


@pytest.mark.parametrize("edges", EDGES.values(), ids=EDGES)
def test_answers_are_unbiased_and_their_variance_is_that_of_all_reports(edges):
    level, chances, scores = level_and_law(edges, 2)
    singles = SubsetSelection(K, Privacy(epsilon=2))
    pool = Information([level, CutLevel(np.arange(K + 1)[None, :], singles.moments)], np.array([1.0, 0.0]))
    matrix = np.array([pool.times(unit) for unit in np.eye(K)])
    means, squares = np.zeros((K, K)), np.zeros((K, K, K))
    for row, cuts in enumerate(level.edges):
        labels = np.searchsorted(cuts, np.arange(K), side="right") - 1
        padded = np.zeros((len(scores), level.shifts, level.cells))
        padded[:, row] = scores - level.shares[row]
        told = np.array([centred(level.at_items(level.weighed(one))) for one in padded])
        part = chances[:, labels] / level.shifts
        means += told.T @ part
        squares += np.einsum("ra,rb,ri->iab", told, told, part)
    assert means == pytest.approx(matrix, abs=1e-12)  # column u is A (e_u - 1/k)
    assert squares.mean(axis=0) == pytest.approx(matrix, abs=1e-12)
    generator = np.random.default_rng(3)
    vectors, shares = generator.normal(size=(2, K)), generator.dirichlet(np.ones(K))
    vectors -= vectors.mean(axis=1, keepdims=True)
    joint = np.einsum("qa,iab,rb,i->qr", vectors, squares, vectors, shares)
    even = np.einsum("qa,iab,rb->qr", vectors, squares, vectors) / K
    sums = np.cumsum(vectors, axis=1)[:, :-1].T
    assert level.excess(level.of_cells(shares), True).squares(sums) == pytest.approx(np.diag(joint - even))
    weights = np.array([level.weighed(level.of_cells(one)) for one in vectors])
    assert level.covariance(weights, level.of_cells(shares)) == pytest.approx(joint)
    for item in range(K):
        own = np.einsum("qa,ab,qb->q", vectors, squares[item], vectors)
        assert (np.abs(own / np.diag(even) - 1) <= level.greatest_excess).all()


def test_what_leans_leave_out_is_bounded():
    level, _, _ = level_and_law(EDGES["uneven, some empty"], 2)
    vectors = np.random.default_rng(4).normal(size=(11, 20))
    whole, without = level.form().squares(vectors), level.form(with_leans=False).squares(vectors)
    assert (np.abs(whole - without) <= level.greatest_lean * whole.clip(without)).all()
    assert 0 < level.greatest_lean < 0.5


def test_a_nested_oracle_with_all_labels_names_cells_as_randomized_response():
    oracle = NestedMasks(CELLS * LABELS, Privacy(epsilon=2), CELLS)
    named = {}
    for (cell, *_), chances in oracle.report_law().items():
        named[cell] = [one + other for one, other in zip(named.get(cell, [0] * K), chances, strict=True)]
    assert named[1] == [oracle.named_chance if 4 <= label < 8 else (1 - oracle.named_chance) / 2 for label in range(K)]
    assert oracle.odds == 1 + (1 / oracle.alpha - 1) * Fraction(oracle.below, oracle.buckets)
