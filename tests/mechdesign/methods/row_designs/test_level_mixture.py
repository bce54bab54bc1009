"""Mixtures of kinds of rows are best, by another statement of the same programme, and of few rows."""

import cvxpy as cp
import numpy as np
import pytest

from mechdesign.certificate.by_levels import is_closed_under_flips, walsh_sums
from mechdesign.mechanism.row_mechanism import bit_texts
from mechdesign.methods.row_designs.level_kinds import Kind, kinds_of_rows
from mechdesign.methods.row_designs.symmetric import best_mixture, fewest_rows

MOST = 10_000


@pytest.mark.parametrize("levels", [1, 2, 4])
def test_mixture_is_that_of_a_general_solver(levels: int) -> None:
    generator = np.random.default_rng(levels)
    information = generator.random((40, levels)) ** 3
    weights = generator.random(levels) + 0.1
    phi, x = best_mixture(weights, information)
    shares = cp.Variable(40, nonneg=True)
    value = cp.sum(cp.multiply(weights, cp.inv_pos(information.T @ shares)))
    by_cvxpy = cp.Problem(cp.Minimize(value), [cp.sum(shares) == 1]).solve(solver="CLARABEL")
    assert (weights / x).sum() == pytest.approx(by_cvxpy, rel=1e-7)
    assert phi.sum() == pytest.approx(1)
    few = fewest_rows(weights, information, generator.random(40) + 1)
    assert (weights / (few @ information)).sum() == pytest.approx((weights / x).sum(), rel=1e-7)
    assert np.count_nonzero(few) <= levels + 1


@pytest.mark.parametrize("d", [3, 5, pytest.param(6, marks=pytest.mark.slow)])
def test_kinds_are_closed_and_weigh_what_they_say(d: int) -> None:
    kinds = kinds_of_rows(d, 700)
    orders = np.array([s.bit_count() for s in range(1 << d)])
    for kind in kinds[:: len(kinds) // 20] + kinds[-12:]:
        rows = kind.rows(d)
        texts = bit_texts(rows)
        assert len(set(texts)) == len(texts) == kind.count(d) <= 700
        assert is_closed_under_flips(texts, [1] * len(texts))
        squares = walsh_sums(rows) ** 2
        weights = np.array([squares[:, orders == j].sum(axis=1) for j in range(1, d + 1)]).T / 4.0**d
        assert (weights == kind.level_weights(d)).all()
        assert (rows.mean(axis=1) == kind.share).all()
        by_set = squares.sum(axis=0)
        assert all(len(set(by_set[orders == j].tolist())) == 1 for j in range(d + 1))


def test_every_function_of_three_attributes_has_a_kind() -> None:
    numbers = np.arange(1, 255, dtype=np.uint32)
    cells = (numbers[:, None] >> np.arange(8, dtype=np.uint32) & 1).astype(np.uint8)
    squares = walsh_sums(cells) ** 2
    orders = np.array([s.bit_count() for s in range(8)])
    found = {tuple((squares[i, orders == j].sum() / 64) for j in range(4)) for i in range(len(cells))}
    kinds = {(kind.share**2, *kind.level_weights(3).tolist()) for kind in kinds_of_rows(3, MOST)}
    assert kinds == found


def test_walsh_sums_are_the_definition() -> None:
    rows = np.random.default_rng(3).integers(0, 2, (5, 8)).astype(np.uint8)
    signs = np.array([[(-1) ** (s & u).bit_count() for u in range(8)] for s in range(8)])
    assert (walsh_sums(rows) == rows @ signs.T).all()


def test_a_kind_counts_its_rows() -> None:
    both = Kind(bytes([0, 0, 0, 1]), (2, 1))
    assert both.share == 0.25
    assert both.count(5) == 40
