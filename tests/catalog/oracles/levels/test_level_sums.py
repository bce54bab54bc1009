"""Sums of a level: the least noise that shares can give, and estimates brought to what they can."""

import numpy as np
import pytest

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.hadamard import Hrr
from mechdesign_catalog.oracles.kinds.local_hashing import Olh
from mechdesign_catalog.oracles.kinds.unary import Oue
from mechdesign_catalog.oracles.levels.level_sums import LevelSums, least_noise, noise, total_variance

ORACLES = [oracle(9, Privacy(epsilon=epsilon)) for oracle in (Grr, Oue, Hrr, Olh) for epsilon in ("1/2", 1, 3)]


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: f"{oracle.name} {oracle.privacy}")
def test_least_noise_is_that_of_the_best_weight_of_the_own_node(oracle):
    weights = np.random.default_rng(1).normal(size=(40, 9))
    weights[0], weights[1] = 1.0, 0.0
    sums, squares = weights.sum(axis=1), (weights**2).sum(axis=1)
    own = np.linspace(-1, 1, 2001)[:, None] * np.sqrt(squares)
    grid = np.array([oracle.moments.noise(sums, squares, u, u**2) for u in own]).min(axis=0)
    found = least_noise(oracle.moments, LevelSums(sums, squares, 0 * sums, 0 * sums))
    assert found == pytest.approx(np.maximum(grid, 0), rel=1e-4, abs=1e-3)
    for node in range(9):
        shares = np.eye(9)[node]
        assert (noise(oracle.moments, LevelSums.of(weights, shares)) >= found - 1e-9).all()


def test_sums_of_estimates_are_brought_to_what_shares_give():
    wild = LevelSums(np.ones(3), np.full(3, 4.0), np.array([-9.0, 9.0, 0.5]), np.array([16.0, 1.0, -3.0]))
    found = wild.possible()
    assert found.square_answers.tolist() == [4, 1, 0]
    assert found.answers.tolist() == [-2, 1, 0]
    assert (found.spread >= 0).all()
    same = LevelSums.of(np.array([[1.0, 0.5, 0.0]]), np.array([0.2, 0.3, 0.5])).possible()
    assert (same.answers, same.square_answers) == (pytest.approx([0.35]), pytest.approx([0.275]))


def test_one_level_has_no_spread_of_levels():
    whole, users = np.array([0.25]), np.array([7.0])
    assert total_variance([np.array([14.0])], [np.array([0.25])], whole, users) == pytest.approx([2])
