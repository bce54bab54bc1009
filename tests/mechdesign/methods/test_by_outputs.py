"""The start of a program by its outputs: bases that fit, and the same optimum as without it."""

from fractions import Fraction

import numpy as np
import pytest
from cases import require_certified
from wording import refused

from mechdesign import DesignProblem, LimitReachedError, Loss, Model, Prior, design
from mechdesign.methods.lp import by_outputs
from mechdesign.methods.lp.by_outputs import basis_by_outputs
from mechdesign.program.clock import Clock
from mechdesign.program.exact.exact_lp import ExactProgram, Residuals
from mechdesign.program.exact.forest import ForestBasis
from mechdesign.program.linear_program import build


@pytest.fixture
def _always(monkeypatch):
    monkeypatch.setattr(by_outputs, "FEWEST_BLOCKS", 2)
    monkeypatch.setattr(by_outputs, "FEWEST_VARIABLES", 2)


def banded(k, radius, alpha, loss="L1", **kind):
    return DesignProblem(model=Model.lldp(k, radius), alpha=alpha, loss=loss, **kind)


@pytest.mark.usefixtures("_always")
def test_its_basis_is_that_of_the_optimum():
    """Without a rounding error in the way no output costs less than 0, and no entry of one that is used."""
    for k, radius, alpha in [(12, 3, "9/10"), (13, 8, "1/2"), (16, 7, "1/20"), (20, 4, "2/3")]:
        program = build(banded(k, radius, alpha))
        exact = ExactProgram.of(program)
        found = basis_by_outputs(program, Clock(None))
        assert Residuals.of(exact, ForestBasis(exact, found).point()).errors == 0


@pytest.mark.slow
@pytest.mark.usefixtures("_always")
def test_it_changes_no_score(monkeypatch):
    random = np.random.default_rng(36)
    problems = []
    for _ in range(40):
        k = int(random.integers(4, 12))
        weights = random.integers(0, 9, k)
        weights[0] = 1
        prior = Prior.from_weights([Fraction(int(w), int(weights.sum())) for w in weights])
        loss = random.choice(["L0", "L1", "L2", "matrix"])
        problems.append(
            banded(
                k,
                int(random.integers(1, k)),
                Fraction(int(random.integers(1, 1000)), 1000),
                Loss.from_matrix(random.integers(-2, 9, (k, k)).tolist()) if loss == "matrix" else loss,
                prior=prior if random.random() < 0.5 else None,
                properties=random.choice(["", "RM", "S", "RH"]),
            )
        )
    found = [design(problem, method="full") for problem in problems]
    monkeypatch.setattr(by_outputs, "FEWEST_BLOCKS", 10**9)
    for problem, result in zip(problems, found, strict=True):
        require_certified(result)
        assert result.score == design(problem, method="full").score


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize(
    "kind", [{"properties": "CM"}, {"properties": "WH"}, {"aggregate": "worst"}], ids=["ties", "floor", "worst"]
)
def test_where_outputs_are_not_alone_it_has_no_start(kind):
    assert basis_by_outputs(build(banded(10, 2, "1/2", **kind)), Clock(None)) is None


def test_small_programs_and_complete_graphs_are_solved_at_once():
    assert basis_by_outputs(build(banded(12, 3, "1/2")), Clock(None)) is None
    assert basis_by_outputs(build(DesignProblem(model=Model.ldp(70), alpha="1/2", loss="L1")), Clock(None)) is None


@pytest.mark.usefixtures("_always")
def test_a_limit_ends_it():
    with refused(LimitReachedError):
        basis_by_outputs(build(banded(30, 10, "1/2")), Clock(1e-4))
