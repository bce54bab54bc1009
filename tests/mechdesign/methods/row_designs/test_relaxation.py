"""Tests: the relaxation's bound holds for every row, is the relaxation's optimum, and cuts raise it to known optima."""

import cvxpy
import numpy as np
import pytest

from mechdesign.errors import LimitReachedError
from mechdesign.methods.row_designs.cuts import broken_cuts
from mechdesign.methods.row_designs.programme import RowProgramme
from mechdesign.methods.row_designs.relaxation import Relaxation, RelaxedPoint, relax, relax_with_cuts, with_cuts
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Clock
from mechdesign.workloads.registry import parse_named_workload

UNTIMED = Clock(None)


def programme(text: str, k: int, epsilon: str) -> RowProgramme:
    return RowProgramme.of(WorkloadProblem(parse_named_workload(text, k), epsilon=epsilon))


def all_rows(stated: RowProgramme) -> np.ndarray:
    bits = (np.arange(2**stated.size)[:, None] >> np.arange(stated.size)) & 1
    return 1 + (stated.entry - 1) * bits


def proved(stated: RowProgramme, bound: RelaxedPoint) -> float:
    """The bound that B and y prove, with the largest excess over all 2^K rows paid for."""
    r = all_rows(stated)
    matrix = bound.dual.form
    excess = (((r @ matrix) * r).sum(axis=1) - (r @ stated.prior) * (r @ bound.dual.prices)).max()
    assert excess < 1e-9 * bound.scale
    return np.trace(bound.dual.matrix @ stated.gram) ** 2 / bound.dual.prices.sum() + stated.constant


def semidefinite_rest(stated: RowProgramme, bound: RelaxedPoint) -> np.ndarray:
    """What is left of the form in (1, s) when diagonal and cuts are taken away."""
    size, entry = stated.size, stated.entry
    lift = np.hstack([np.full((size, 1), (entry + 1) / 2), (entry - 1) / 2 * np.eye(size)])
    priced = (np.outer(stated.prior, bound.dual.prices) + np.outer(bound.dual.prices, stated.prior)) / 2
    rest = lift.T @ (priced - bound.dual.form) @ lift - np.diag(bound.dual.diagonal)
    for cut, multiplier in zip(bound.dual.cuts, bound.dual.multipliers, strict=True):
        assert cut.sum() % 2 == 1
        assert multiplier > 0
        rest -= multiplier * np.outer(cut, cut)
        rest[0, 0] += multiplier
    return rest


def cut_once(bound: RelaxedPoint, rounds: int) -> RelaxedPoint:
    for _ in range(rounds):
        new = broken_cuts(bound.sign_moments, 60)
        if not len(new):
            break
        bound = relax_with_cuts(bound, np.unique(np.vstack([bound.relaxation.cuts, new]), axis=0), UNTIMED)
    return bound


def test_bounds_of_prefixes_are_those_of_other_solvers() -> None:
    assert relax(programme("prefixes", 32, "1"), UNTIMED).variance == pytest.approx(217.80443, rel=1e-7)
    assert relax(programme("prefixes", 32, "1/2"), UNTIMED).variance == pytest.approx(945.84914, rel=1e-7)


@pytest.mark.parametrize("prior", [[0.2] * 5, [0.3, 0.1, 0.2, 0.15, 0.25]], ids=["even", "uneven"])
def test_bound_is_the_semidefinite_optimum(prior: list[float]) -> None:
    """(R) as it is stated, over moments X of (1, s), by another solver."""
    stated = programme("prefixes", 5, "1").with_prior(np.array(prior))
    size, entry = stated.size, stated.entry
    lift = np.hstack([np.full((size, 1), (entry + 1) / 2), (entry - 1) / 2 * np.eye(size)])
    moments = cvxpy.Variable((size + 1, size + 1), PSD=True)
    information = lift @ moments @ lift.T
    values, vectors = np.linalg.eigh(stated.gram)
    root = (vectors * np.sqrt(np.maximum(values, 0)))[:, 1:]
    rules = [information @ stated.prior == 1]
    rules += [moments[u, u] == moments[0, 0] for u in range(1, size + 1)]
    objective = cvxpy.Minimize(sum(cvxpy.matrix_frac(column, information) for column in root.T))
    least = cvxpy.Problem(objective, rules).solve(solver="CLARABEL")
    assert relax(stated, UNTIMED).scale == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "k", "epsilon", "optimum", "rounds", "gap"),
    [
        ("prefixes", 8, "1", 23.031368, 4, 1e-6),
        ("prefixes", 8, "2", 4.331986, 3, 1e-6),
        ("ranges", 8, "2", 24.721492, 3, 1e-6),
        ("ranges:3", 8, "1", 23.24465, 3, 1e-4),
        ("ranges:3", 16, "1", 76.748466, 3, 2e-4),
    ],
    ids=str,
)
def test_cuts_raise_the_bound_towards_the_optimum(
    text: str, k: int, epsilon: str, optimum: float, rounds: int, gap: float
) -> None:
    stated = programme(text, k, epsilon)
    plain = relax(stated, UNTIMED)
    bound = cut_once(plain, rounds)
    assert len(bound.relaxation.cuts)
    assert plain.variance + 2e-3 * optimum < bound.variance <= optimum * (1 + 1e-7)
    assert bound.variance > (1 - gap) * optimum
    for one in (plain, bound):
        assert proved(stated, one) == pytest.approx(one.variance, rel=1e-10)
        assert np.linalg.eigvalsh(semidefinite_rest(stated, one))[0] > -1e-10 * one.scale


def test_any_multipliers_prove_a_bound() -> None:
    stated = programme("ranges", 6, "1").with_prior(np.array([0.1, 0.2, 0.25, 0.15, 0.2, 0.1]))
    cuts = np.array([[1, 1, 1, 0, 0, 0, 0], [0, 1, 0, -1, 0, 1, 0], [1, 2, 1, 1, 0, 0, 0]])
    relaxation = Relaxation.of(stated, cuts)
    best = cut_once(relax(stated, UNTIMED), 2).variance
    random = np.random.default_rng(2)
    for _ in range(20):
        bound = RelaxedPoint(relaxation, with_cuts(relaxation, stated.prior * random.uniform(0.9, 1.1, 6)))
        assert proved(stated, bound) == pytest.approx(bound.variance, rel=1e-9)
        assert bound.variance < best


def test_what_rows_satisfy_is_at_least_0_on_rows() -> None:
    plain = RowProgramme(2.5, np.eye(4), np.full(4, 1 / 4), (np.arange(4),))
    forms = Relaxation.of(plain, np.array([[1, 1, 1, 0, 0], [0, 1, -1, 0, 1], [2, 1, 0, 1, 1]]))
    r = 1 + 1.5 * ((np.arange(16)[:, None] >> np.arange(4)) & 1)
    signs = np.hstack([np.ones((16, 1)), (2 * r - 3.5) / 1.5])
    multipliers = np.array([0.7, 1.1, 0.3, 0.9, 0.2, 0.4, 0.05])
    slope, level = forms.linear @ multipliers, forms.level(multipliers)
    squares = (r @ (forms.matrix(multipliers) + np.outer(slope, slope) / level) * r).sum(axis=1)
    stated = level - 2 * r @ slope + squares
    meant = -(((signs @ forms.cuts.T) ** 2 - 1) @ multipliers[4:])
    assert stated == pytest.approx(meant, abs=1e-12)
    assert forms.diagonal(multipliers).sum() == pytest.approx(0, abs=1e-15)


def test_moments_are_those_of_rows() -> None:
    """Entries are 1 or E on average: the diagonal of the moments of signs is 1; columns sum to 1."""
    stated = programme("ranges:3", 12, "1")
    bound = cut_once(relax(stated, UNTIMED), 2)
    assert bound.information @ stated.prior == pytest.approx(np.ones(12), abs=1e-9)
    entry = stated.entry
    rest = bound.information.diagonal() - (1 + entry) * bound.means + entry * bound.total
    assert rest == pytest.approx(np.zeros(12), abs=1e-4 * bound.total)
    assert np.linalg.eigvalsh(bound.sign_moments)[0] > -1e-4


def test_time_runs_out() -> None:
    with pytest.raises(LimitReachedError):
        relax(programme("prefixes", 8, "1"), Clock(-1.0))
