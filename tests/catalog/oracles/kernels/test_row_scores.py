"""The basis of the columns of rows is exact, whatever prime it is looked for by."""

from fractions import Fraction

import numpy as np
import pytest

from mechdesign.mechanism.row_mechanism import RowMechanism, bit_texts
from mechdesign_catalog.oracles.kernels.row_scores import RowScores, _pivots

CIRCULANT = np.array([[1, 1, 0, 1, 0, 0, 0], *[[0] * 7] * 6])
for _row in range(1, 7):
    CIRCULANT[_row] = np.roll(CIRCULANT[0], _row)
"""Fano's plane: its determinant is 24."""

RING = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]])


def scores_of(ones):
    alpha, count = Fraction(1, 2), int(ones[:, 0].sum())
    rows = RowMechanism(alpha, bit_texts(ones.astype(np.uint8)), (1,) * len(ones), len(ones) + count)
    return RowScores.of(rows, (1,) * ones.shape[1])


@pytest.mark.parametrize("prime", [3, 5, (1 << 61) - 1], ids=["divides the determinant", "small", "usual"])
def test_a_prime_that_divides_the_determinant_is_given_up(prime, monkeypatch):
    assert len(_pivots(CIRCULANT, prime)) == (6 if prime == 3 else 7)
    monkeypatch.setattr("mechdesign_catalog.oracles.kernels.row_scores.FIRST_PRIME", prime)
    found = scores_of(CIRCULANT)
    assert found.tells_items
    assert found.basis.tolist() == list(range(7))


def test_columns_follow_from_those_of_the_basis():
    """Of the pairs in a ring the last item is the first, less the second, and the third."""
    found = scores_of(RING)
    assert found.basis.tolist() == [0, 1, 2]
    assert found.whole.tolist() == [[1, 0, 0, 1], [0, 1, 0, -1], [0, 0, 1, 1]]
    assert found.missing(np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0.0]])).tolist() == [
        False,
        True,
        True,
        True,
    ]
