"""Tests: cuts have odd sums, are broken by the moments given, and by no moments of signs."""

import numpy as np

from mechdesign.methods.row_designs.cuts import broken_cuts


def test_moments_of_signs_break_no_cut() -> None:
    random = np.random.default_rng(3)
    signs = np.hstack([np.ones((5, 1)), random.choice([-1.0, 1.0], (5, 7))])
    weights = random.dirichlet(np.ones(5))
    assert len(broken_cuts((signs.T * weights) @ signs, 50)) == 0


def test_three_signs_cannot_all_differ() -> None:
    moments = np.eye(5)
    moments[1:4, 1:4] = np.where(np.eye(3), 1.0, -0.45)
    found = broken_cuts(moments, 50)
    assert [0, 1, 1, 1, 0] in found.tolist()
    assert (found.sum(axis=1) % 2 == 1).all()
    values = np.einsum("ij,jk,ik->i", found, moments, found)
    assert (values < 1).all()
    assert (np.diff(values) >= 0).all()


def test_five_signs_have_a_sum_of_at_least_one() -> None:
    """All triangles hold, and the sum of five signs has a mean square of 0.8."""
    correlation = -0.21
    moments = np.where(np.eye(6), 1.0, 0.0)
    moments[1:, 1:] = np.where(np.eye(5), 1.0, correlation)
    assert 3 + 6 * correlation > 1
    assert [0, 1, 1, 1, 1, 1] in broken_cuts(moments, 50).tolist()
