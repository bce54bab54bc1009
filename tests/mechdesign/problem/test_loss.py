"""The losses: by hand, by the definitions restated here, and against the kernel's own statement."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign.audits.audit import audit
from mechdesign.certificate.proof import kernel_loss
from mechdesign.designs import design
from mechdesign.errors import InputError, RefusedError
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import FAMILIES, PREFIXES, Loss
from mechdesign.problem.losses.family import ErrorLoss
from mechdesign.problem.losses.matrix import MatrixLoss
from mechdesign.verify import kernel

TABLE = [[0, Fraction(1, 3), 5, 2], [1, -1, 1, 1], [2, 2, Fraction(1, 7), 1], [3, 1, 1, 0]]
DEFINITIONS = {
    "L0": lambda i, j: Fraction(i != j),
    "L1": lambda i, j: Fraction(abs(i - j)),
    "L2": lambda i, j: Fraction((i - j) ** 2),
    "L0:1": lambda i, j: Fraction(abs(i - j) > 1),
    "L3:2": lambda i, j: Fraction(abs(i - j) ** 3 * (abs(i - j) > 2)),
    "PB:3/4": lambda i, j: Fraction(3 * max(j - i, 0) + max(i - j, 0), 4),
    "PB:1/2": lambda i, j: Fraction(abs(i - j), 2),
    "matrix": lambda i, j: Fraction(TABLE[i][j]),
}
"""One row a loss."""


def loss_of(name):
    return Loss.from_matrix(TABLE) if name == "matrix" else Loss.parse(name)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_each_loss_is_its_definition_and_the_kernel_agrees(name):
    for size in (4,) if name == "matrix" else (2, 3, 4, 9):
        expected = tuple(tuple(DEFINITIONS[name](i, j) for j in range(size)) for i in range(size))
        assert loss_of(name).matrix(size) == expected
        rows, denominator = kernel_loss(loss_of(name), size)
        assert tuple(tuple(Fraction(x, denominator) for x in row) for row in rows) == expected
        assert loss_of(name).is_symmetric(size) == all(
            expected[i][j] == expected[-1 - i][-1 - j] for i in range(size) for j in range(size)
        )
        assert loss_of(name).smallest(size) == min((abs(x) for row in expected for x in row if x), default=1)


def test_every_family_stands_in_the_table():
    families = {type(loss_of(name).family) for name in DEFINITIONS}
    lacking = [family.__name__ for family in (*FAMILIES, MatrixLoss) if family not in families]
    assert not lacking, f"DEFINITIONS of tests/mechdesign/problem/test_loss.py must have a loss of {lacking}"
    unknown = [name for name in DEFINITIONS if not name.startswith((*PREFIXES, "matrix"))]
    assert not unknown, f"PREFIXES of mechdesign/problem/loss.py must have what {unknown} begin with"


@pytest.mark.slow
@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.parametrize("place", [0, 1, 4, 6, 11, 15])
def test_one_wrong_entry_of_the_engine_is_refused_by_design_and_audit(name, place, monkeypatch):
    """Whatever the engine's statement says instead: nothing is returned, and a document made before is refused."""
    i, j = divmod(place, 4)
    problem = DesignProblem(3, "0.9", loss=loss_of(name))
    before = design(problem)
    family = type(problem.loss.family)
    right = family.integers

    def wrong(self, size):
        rows, denominator = right(self, size)
        return [[x * 3 + (x == 0) if (a, b) == (i, j) else x for b, x in enumerate(r)] for a, r in enumerate(rows)], (
            denominator
        )

    monkeypatch.setattr(family, "integers", wrong)
    with refused(RefusedError):
        design(problem)
    with refused(RefusedError):
        audit(before)


@given(st.integers(2, 12), st.integers(0, 6), st.integers(0, 13) | st.none())
def test_powers_by_name_and_back(size, power, tolerance):
    loss = Loss.parse(f"L{power}" if tolerance is None else f"l{power}:{tolerance}")
    assert Loss.parse(loss.name) == loss
    assert kernel_loss(loss, size) == loss.integers(size)


@pytest.mark.slow
@given(st.integers(2, 12), st.fractions(0, 1, max_denominator=50).filter(lambda tau: 0 < tau < 1))
def test_pinball_by_name_and_back(size, tau):
    loss = Loss.parse(f"pb:{tau}")
    assert Loss.parse(loss.name) == loss
    rows, denominator = kernel_loss(loss, size)
    assert loss.matrix(size) == tuple(tuple(Fraction(x, denominator) for x in row) for row in rows)
    assert loss.is_symmetric(size) == (tau == Fraction(1, 2))


def test_only_error_shares_are_rescaled():
    assert Loss.parse("L0").rescaling(9) == Loss.parse("L0:2").rescaling(9) == Fraction(9, 8)
    for loss in (Loss.parse("L1"), Loss.parse("PB:0.75"), Loss.from_matrix(((0, 1), (1, 0)))):
        assert loss.rescaling(9) == 1


@pytest.mark.parametrize("text", ["L", "L-1", "L1.5", "L0:", "L0:-1", "X", "", "L257", "L0:1:2", "PB", "PB1/2"])
def test_bad_losses(text):
    with refused(InputError, about="loss"):
        Loss.parse(text)


@pytest.mark.parametrize("text", ["PB:0", "PB:1", "PB:-1/2", "PB:3/2", "PB:", "PB:nan", "PB:1/0", "PB:0.5:1"])
def test_bad_pinball(text):
    with refused(InputError):
        Loss.parse(text)


def test_a_loss_matrix_must_have_the_shape():
    with refused(InputError):
        Loss.from_matrix(((0, 1), (1, 0))).matrix(3)


def test_a_matrix_has_no_charge_of_an_error():
    with refused(InputError):
        Loss.from_matrix(((0, 1), (1, 0))).charge(1)


def test_a_loss_too_large_for_a_float_is_refused():
    with refused(InputError):
        DesignProblem(4095, "0.9", loss="L256")
    assert issubclass(FAMILIES[0], ErrorLoss)


@pytest.mark.parametrize(
    "name", ["X1", "", "PB:1", "PB:5/4", "PB:0", "matrix", "L-1", "L0:-1", "L 2", "L1_0", "L1:", "L0:x", "L", "PB:1/-2"]
)
def test_the_kernel_refuses_a_loss_that_it_does_not_know(name):
    with refused(ValueError):
        kernel.loss_matrix(name, 3)


PINBALL = {tau: DesignProblem(6, "0.8", loss=f"PB:{tau}") for tau in ("1/4", "1/2", "3/4")}


def test_pinball_at_one_half_is_half_of_l1_and_its_two_sides_mirror_each_other():
    low, middle, high = (design(problem) for problem in PINBALL.values())
    assert middle.score == design(DesignProblem(6, "0.8", loss="L1")).score / 2
    assert low.score == high.score != middle.score
    assert all(made.status == "exact" for made in (low, middle, high))


def test_symmetry_has_a_price_under_pinball_only_where_it_is_lopsided():
    for tau, problem in PINBALL.items():
        free = design(problem).score
        symmetric = design(DesignProblem(6, "0.8", loss=f"PB:{tau}", properties="S"))
        assert problem.symmetry_is_free == (tau == "1/2")
        assert (symmetric.score == free) == (tau == "1/2")
        assert symmetric.status == "exact"
