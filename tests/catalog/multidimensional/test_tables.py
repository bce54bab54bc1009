"""Shares of users in every table: of independent attributes they are products."""

import itertools

import numpy as np
import pytest

from mechdesign_catalog.multidimensional.tables import IndependentShares, JointShares

MARGINS = (np.array([0.25, 0.75]), np.array([0.5, 0.125, 0.375]), np.array([0.0, 1.0]))


@pytest.mark.parametrize("way", range(4))
def test_shares_of_independent_attributes_are_those_of_their_joint_law(way):
    joint = [a * b * c for a, b, c in itertools.product(*MARGINS)]
    expected = JointShares((2, 3, 2), np.array(joint))
    for subset in itertools.combinations(range(3), way):
        found = IndependentShares((2, 3, 2), MARGINS).table(subset)
        np.testing.assert_allclose(found, expected.table(subset), atol=1e-16)
