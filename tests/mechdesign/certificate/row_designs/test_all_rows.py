"""Pricing of all rows in 64-bit integers: never below the truth, and near it."""

import itertools

import numpy as np
import pytest

from mechdesign.certificate.row_designs import all_rows
from mechdesign.certificate.row_designs.all_rows import LARGEST_SUM, BitForm


def largest_by_definition(form, high, low):
    rows = (
        np.where(np.array(bits) == 1, high, low).astype(object) for bits in itertools.product((0, 1), repeat=len(form))
    )
    return max(int(row @ form @ row) for row in rows)


def random_form(seed, size, digits):
    random = np.random.default_rng(seed)
    half = np.array(
        [[int(x) * 10 ** (digits - 9) for x in row] for row in random.integers(-(10**9), 10**9, (size, size))]
    )
    return (half + half.T).astype(object)


@pytest.mark.parametrize("inner", [0, 2, 5, 15])
@pytest.mark.parametrize("digits", [9, 40], ids=["short", "long"])
def test_the_largest_of_all_rows_is_found_from_above(monkeypatch, inner, digits):
    monkeypatch.setattr(all_rows, "INNER_BITS", inner)
    for seed in range(3):
        form = random_form(seed, 8, digits)
        bits = BitForm.of(form, (7, 3))
        found, true = bits.largest() << bits.shift, largest_by_definition(form, 7, 3)
        assert true <= found <= true + (37 << bits.shift)  # 37 coefficients, each rounded up
        assert bits.size <= LARGEST_SUM


def test_short_coefficients_are_not_rounded():
    form = random_form(1, 6, 9)
    bits = BitForm.of(form, (2, 1))
    assert bits.shift == 0
    assert bits.largest() == largest_by_definition(form, 2, 1)


def test_every_coefficient_is_rounded_up():
    form = random_form(4, 5, 30)
    bits, true = BitForm.of(form, (7, 3)), random_form(4, 5, 30)
    unit = 1 << bits.shift
    pairs = 2 * 16 * true
    assert unit > 1
    for u, v in itertools.combinations(range(5), 2):
        assert 0 <= (int(bits.pairs[u, v]) << bits.shift) - pairs[u, v] < unit
    assert 0 <= (bits.constant << bits.shift) - 9 * int(true.sum()) < unit


@pytest.mark.parametrize("inner", [0, 2, 5])
def test_no_row_is_left_out(monkeypatch, inner):
    """By the inequality of Cauchy and Schwarz a row, and those parallel to it, are the only ones that reach 0."""
    monkeypatch.setattr(all_rows, "INNER_BITS", inner)
    for entries in itertools.product((3, 7), repeat=5):
        row = np.array(entries, dtype=object)
        form = np.outer(row, row) - int(row @ row) * np.eye(5, dtype=int).astype(object)
        bits = BitForm.of(form, (7, 3))
        assert (bits.shift, bits.largest()) == (0, 0)
