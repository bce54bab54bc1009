"""Tests: no dual ever bounds above the variance of any mechanism, however both were drawn."""

import numpy as np
import pytest
from scipy.optimize import linprog

from mechdesign.methods.row_designs.fewer_rows import basic_solution, listed_rows
from mechdesign.methods.row_designs.interior_point import dual_of, root_of, solve_master
from mechdesign.methods.row_designs.programme import RowDual, RowProgramme
from mechdesign.methods.row_designs.rows import best_of_all, climb
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.registry import parse_named_workload
from mechdesign.workloads.symmetries import symmetries_of


def stated(text: str, k: int) -> RowProgramme:
    return RowProgramme.of(WorkloadProblem(parse_named_workload(text, k), epsilon="1.5"))


def dual_like(entry: float, form: np.ndarray, prices: np.ndarray, prior: np.ndarray) -> RowDual:
    """A dual of any form `M = Z Z'`, whatever programme it is of."""
    programme = RowProgramme(entry, np.eye(len(prior)), prior, (np.arange(len(prior)),))
    return RowDual(programme, np.eye(len(prior)), prices, np.linalg.cholesky(form + 1e-13 * np.eye(len(prior))))


def every_row(k: int) -> np.ndarray:
    return ((np.arange(1, 2**k - 1)[:, None] >> np.arange(k)) & 1).astype(np.uint8)


@pytest.mark.parametrize("text", ["prefixes", "ranges:3", "histogram"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_bound_is_above_the_variance_of_any_mechanism(text: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    prior = random.dirichlet(np.ones(6))
    programme = stated(text, 6).with_prior(prior)
    r = 1 + (programme.entry - 1) * every_row(6).astype(float)
    weights = linprog(random.random(len(r)), A_eq=r.T, b_eq=np.ones(6)).x + 1e-3 / r.sum()
    weights /= (weights @ r).max()
    filled = np.vstack([r, 1 + (programme.entry - 1) * np.eye(6)])
    short = 1 - weights @ r
    single = np.linalg.solve(filled[len(r) :].T, short)
    theta = np.append(weights, np.maximum(single, 0))
    theta /= (theta @ filled).max()
    information = (filled.T * (theta / (filled @ prior))) @ filled
    variance = np.trace(programme.gram @ np.linalg.inv(information)) + programme.constant
    form = random.standard_normal((6, 6))
    b = np.linalg.inv(information) + 0.1 * (form + form.T)
    matrix = b @ programme.gram @ b
    prices = random.random(6) * np.trace(matrix)
    excess = (((r @ matrix) * r).sum(axis=1) / (r @ prior) ** 2 - (r @ prices) / (r @ prior)).max()
    bound = np.trace(b @ programme.gram) ** 2 / (prices.sum() + max(excess, 0)) + programme.constant
    assert bound <= variance + 1e-9
    assert excess == pytest.approx(RowDual(programme, b, prices).excess(every_row(6)).max())
    assert bound == pytest.approx(RowDual(programme, b, prices).bound(excess))


def test_all_rows_are_looked_at_forwards_and_folded() -> None:
    random = np.random.default_rng(5)
    form, prices = random.standard_normal((6, 6)), random.random(6)
    matrix, prices = form @ form.T, prices + prices[::-1]
    matrix = matrix + matrix[::-1, ::-1]
    prior = np.full(6, 1 / 6)
    dual = dual_like(2.5, matrix, 20 * prices, prior)
    r = 1 + 1.5 * np.vstack([every_row(6), np.zeros((1, 6)), np.ones((1, 6))])
    values = ((r @ matrix) * r).sum(axis=1) - (r @ prior) * (r @ dual.prices)
    for is_mirrored in (False, True):
        rows, worst = best_of_all(dual, 3, is_mirrored)
        assert worst == pytest.approx(values.max())
        first = 1 + 1.5 * rows[0]
        assert first @ matrix @ first - (first @ prior) * (first @ dual.prices) == pytest.approx(worst)


def test_climbing_ends_where_no_flip_helps() -> None:
    random = np.random.default_rng(7)
    form = random.standard_normal((9, 9))
    dual = dual_like(3.0, form @ form.T, 10 * random.random(9), random.dirichlet(np.ones(9)))
    starts = (random.random((40, 9)) < 0.4).astype(np.uint8)
    ends = climb(dual, starts)
    assert (dual.excess(ends) >= dual.excess(starts)).all()
    for place in range(9):
        flipped = ends.copy()
        flipped[:, place] ^= 1
        assert (dual.excess(flipped) <= dual.excess(ends) + 1e-9).all()


@pytest.mark.parametrize(("text", "k"), [("grid:2,3", 6), ("marginals:2", 8), ("prefixes", 7)], ids=str)
def test_symmetries_change_no_optimum(text: str, k: int) -> None:
    programme = stated(text, k)
    identity = programme.symmetries[:1]
    plain = RowProgramme(programme.entry, programme.plain, programme.prior, identity)
    rows = every_row(k)
    least = [row for row in rows.tolist() if all(row <= [row[u] for u in g] for g in programme.symmetries)]
    orbits = solve_master(programme, np.array(least, dtype=np.uint8), 1e-8)
    alone = solve_master(plain, rows, 1e-8)
    workload = parse_named_workload(text, k)
    assert len(symmetries_of(workload, WorkloadProblem(workload, epsilon=1).merged)) == len(programme.symmetries) > 1
    assert len(least) < len(rows)
    assert orbits.variance == pytest.approx(alone.variance, rel=3e-8)


def test_dual_of_a_singular_workload_is_symmetric_and_small() -> None:
    programme = stated("ranges:3", 6)
    point = solve_master(programme, every_row(6), 1e-8)
    root = root_of(programme.gram)
    solved = point.dual.matrix @ root
    assert root.shape[1] == 3
    assert point.dual.matrix == pytest.approx(point.dual.matrix.T)
    assert solved @ solved.T == pytest.approx(point.dual.form, abs=1e-6)
    assert dual_of(root, solved) == pytest.approx(point.dual.matrix, abs=1e-8)
    assert abs(point.dual.matrix).max() < 10


@pytest.mark.parametrize("rows", [[[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0], [0, 1, 0]]], ids=["two", "three"])
def test_rows_whose_columns_cannot_sum_to_one_are_told(rows: list[list[int]]) -> None:
    assert not solve_master(stated("prefixes", 3), np.array(rows, dtype=np.uint8), 1e-6).is_solved


def test_rows_that_do_not_span_the_queries_are_told() -> None:
    pair = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=np.uint8)
    point = solve_master(stated("prefixes", 4), pair, 1e-6)
    assert point.weights @ (1 + (stated("prefixes", 4).entry - 1) * pair) == pytest.approx(np.ones(4))
    assert not point.is_solved


def test_few_rows_keep_the_information_and_every_input_of_the_worst_case() -> None:
    programme = stated("prefixes", 7)
    point = solve_master(programme, every_row(7), 1e-5, worst=True)
    own = point.dual.programme
    rows, weights = listed_rows(own, *basic_solution(point, worst=True))
    found, all_inputs = [], []
    for bits, theta in ((rows, weights), listed_rows(own, point.rows, point.weights)):
        r = 1 + (programme.entry - 1) * bits.astype(float)
        means = r @ own.prior
        found.append((r.T * (theta / means)) @ r)
        all_inputs.append((theta * (((r @ point.dual.root) ** 2).sum(axis=1) / means**2)) @ r)
    assert len(rows) < len(point.rows)
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    assert all_inputs[0] == pytest.approx(all_inputs[1], rel=1e-9)
