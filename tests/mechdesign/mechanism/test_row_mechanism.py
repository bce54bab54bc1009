"""A mechanism of rows sums to 1 exactly, is private by its form, and equals its matrix."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign.errors import InputError
from mechdesign.mechanism.row_mechanism import RowMechanism, bit_matrix, bit_texts
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.neighbours import NeighbourGraph


def subsets(k: int, size: int, alpha: Fraction) -> RowMechanism:
    """All rows with `size` ones of k, equally weighted."""
    rows = tuple("".join("1" if u in chosen else "0" for u in range(k)) for chosen in combinations(range(k), size))
    ones = len(rows) * size // k
    p, q = alpha.numerator, alpha.denominator
    return RowMechanism(alpha, rows, (p,) * len(rows), p * (len(rows) - ones) + q * ones)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_matrix_has_the_same_probabilities(size: int) -> None:
    mechanism = subsets(4, size, Fraction(2, 5))
    matrix = mechanism.mechanism()
    assert all(matrix.fraction(i, j) == mechanism.fraction(i, j) for i in range(mechanism.n_outputs) for j in range(4))
    assert tightest_alpha(matrix.weights, NeighbourGraph.complete(4)).alpha == Fraction(2, 5)


BAD: dict[str, tuple[Any, ...]] = {
    "alpha": (Fraction(3, 2), ("10", "01"), (1, 1), 4),
    "float_alpha": (0.5, ("10", "01"), (1, 1), 3),
    "no_rows": (Fraction(1, 2), (), (), 3),
    "letters": (Fraction(1, 2), ("10", "0x"), (1, 1), 3),
    "lengths": (Fraction(1, 2), ("10", "011"), (1, 1), 3),
    "twice": (Fraction(1, 2), ("10", "10"), (1, 1), 3),
    "weights": (Fraction(1, 2), ("10", "01"), (1,), 3),
    "zero": (Fraction(1, 2), ("10", "01"), (1, 0), 3),
    "bool": (Fraction(1, 2), ("10", "01"), (1, True), 3),
    "denominator": (Fraction(1, 2), ("10", "01"), (1, 1), 0),
    "sums": (Fraction(1, 2), ("10", "01"), (1, 2), 4),
    "total": (Fraction(1, 2), ("10", "01"), (1, 1), 4),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_mechanism_is_refused(name: str) -> None:
    arguments = BAD[name]
    with refused(InputError):
        RowMechanism(*arguments)


@given(st.lists(st.text("01", min_size=5, max_size=5), min_size=1, max_size=9))
def test_texts_and_bits_are_inverse(rows: list[str]) -> None:
    ones = bit_matrix(rows)
    assert ones.shape == (len(rows), 5)
    assert set(np.unique(ones)) <= {0, 1}
    assert bit_texts(ones) == tuple(rows)
