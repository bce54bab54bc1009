from dataclasses import replace
from fractions import Fraction

import pytest
from cases import SKEWED, WM
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

import mechdesign.audits.derivation
from mechdesign import DesignProblem, InputError, Mechanism, RefusedError, derive, design
from mechdesign.audits.derivation import derivation_violation, derive_law, gives_back, remap_row
from mechdesign.laws.finding import design_law
from mechdesign.mechanism.layered import LayeredMechanism
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair
from mechdesign.methods.closed_forms.geometric import geometric
from mechdesign.methods.closed_forms.uniform import uniform
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.prior import Prior

ALPHAS = ["1/1000", "1/3", "1/2", "62/100", "9/10", "999/1000"]

alphas = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=60)


def identity(size):
    return Mechanism(tuple(tuple(int(i == k) for k in range(size)) for i in range(size)), 1)


def after_gm(remap, alpha):
    """`T GM` by the definition of a matrix product."""
    gm = geometric(remap.n_inputs - 1, alpha)
    every = range(remap.n_inputs)
    return Mechanism.from_fractions(
        [sum(remap.fraction(i, k) * gm.fraction(k, j) for k in every) for j in every] for i in range(remap.n_outputs)
    )


def slow_remap(mechanism, alpha):
    """`P GM^-1` by an exact general solver that knows nothing of GM's inverse; entries may be negative."""

    def exact(matrix):
        rows = [[matrix.fraction(i, j) for j in range(matrix.n_inputs)] for i in range(matrix.n_outputs)]
        return fmpq_mat([[fmpq(value.numerator, value.denominator) for value in row] for row in rows])

    product = exact(mechanism) * exact(geometric(mechanism.n_inputs - 1, alpha)).inv()
    return [[Fraction(int(value.p), int(value.q)) for value in row] for row in product.tolist()]


@st.composite
def stochastic(draw, count=1):
    """Column-stochastic matrices of one shape, not always square; every column over its own denominator."""
    n_inputs, n_outputs = draw(st.integers(2, 6)), draw(st.integers(1, 6))
    column = st.lists(st.integers(0, 9), min_size=n_outputs, max_size=n_outputs).filter(any)
    matrices = []
    for _ in range(count):
        columns = [draw(column) for _ in range(n_inputs)]
        shares = [[Fraction(column[i], sum(column)) for column in columns] for i in range(n_outputs)]
        matrices.append(Mechanism.from_fractions(shares))
    return matrices


def test_by_hand():
    # alpha = 1/2, n = 2: GM = [4 2 1; 1 2 1; 1 2 4]/6; outputs 0 and 1 become 0, output 2 becomes 1 or 2
    mechanism = Mechanism(((10, 8, 4), (1, 2, 4), (1, 2, 4)), 12)
    found = derive(mechanism)
    assert found.alpha == Fraction(1, 2)
    assert found.remap == Mechanism(((2, 2, 0), (0, 0, 1), (0, 0, 1)), 2)
    assert found.targets == (0, 0, None)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 25])
def test_gm_is_gm(n, alpha):
    for given_alpha in (None, alpha):
        found = derive(geometric(n, Fraction(alpha)), given_alpha)
        assert found.alpha == found.tightest == Fraction(alpha)
        assert found.remap == identity(n + 1)
        assert found.targets == tuple(range(n + 1))
        assert found.obstacle is None


@pytest.mark.slow
def test_large_and_long():
    assert derive(geometric(128, Fraction(9, 10))).targets == tuple(range(129))
    assert derive(geometric(40, Fraction(10**30 - 7, 10**30))).targets == tuple(range(41))


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [2, 3, 8])
def test_em_is_not_derived(n, alpha):
    found = derive(explicit_fair(n, Fraction(alpha)), alpha)
    assert (found.derivable, found.remap, found.targets) == (False, None, ())
    assert found.obstacle.kind == "triple"


def test_em_for_one_person_is_gm():
    assert derive(explicit_fair(1, Fraction(9, 10))).remap == identity(2)


@pytest.mark.parametrize(("n", "alpha"), [(4, "1/2"), (8, "1/3"), (8, "1/2")])
def test_wm_is_gm_up_to_one_half(n, alpha):
    assert derive(design(DesignProblem(n, alpha, properties=WM)).mechanism, alpha).remap == identity(n + 1)


@pytest.mark.parametrize(("n", "alpha"), [(3, "3/4"), (4, "9/10"), (8, "10/11"), (7, "9/10")])
def test_wm_is_not_derived_from_three_quarters_on(n, alpha):
    assert derive(design(DesignProblem(n, alpha, properties=WM)).mechanism, alpha).obstacle.kind == "triple"


@pytest.mark.parametrize("loss", ["L1", "L2"])
@pytest.mark.parametrize("prior", [Prior.parse("uniform"), Prior.parse("binomial:1/3"), SKEWED], ids=lambda p: p.name)
@pytest.mark.parametrize("alpha", ["1/3", "62/100", "9/10"])
def test_free_optima_are_gm_and_a_relabelling(loss, prior, alpha):
    """Ghosh, Roughgarden, Sundararajan: the best answer to each GM output is one count, and never falls in it."""
    mechanism = design(DesignProblem(4, alpha, loss=loss, prior=prior)).mechanism
    targets = derive(mechanism, alpha).targets
    assert None not in targets
    assert list(targets) == sorted(targets)
    relabelled = Mechanism(tuple(tuple(int(i == t) for t in targets) for i in range(5)), 1)
    assert after_gm(relabelled, Fraction(alpha)) == mechanism


@pytest.mark.slow
@given(stochastic(), alphas, st.data())
def test_the_remap_comes_back(matrices, alpha, data):
    (remap,) = matrices
    mechanism = after_gm(remap, alpha)
    found = derive(mechanism, alpha)
    assert found.remap == remap
    assert found.targets == tuple(
        next((i for i in range(remap.n_outputs) if remap.fraction(i, k) == 1), None) for k in range(remap.n_inputs)
    )
    # GM at a smaller alpha is less private, and gives everything that this one gives
    smaller = alpha * data.draw(st.fractions(Fraction(1, 9), 1, max_denominator=9))
    assert after_gm(derive(mechanism, smaller).remap, smaller) == mechanism


@pytest.mark.slow
@settings(max_examples=60)
@given(stochastic(count=2), alphas, st.sampled_from([Fraction(0), Fraction(1, 20), Fraction(1)]))
def test_a_remap_exists_where_the_triple_test_and_privacy_say_so(matrices, alpha, share):
    mechanism = _mixture(after_gm(matrices[0], alpha), matrices[1], share)
    tightest = tightest_alpha(mechanism.weights, NeighbourGraph.path(mechanism.n_inputs)).alpha
    for base in {tightest, alpha} - {None, 1}:
        found = derive(mechanism, base)
        exact = slow_remap(mechanism, base)
        nonnegative = min(min(row) for row in exact) >= 0
        private = tightest is not None and tightest >= base
        assert found.derivable == nonnegative == (private and derivation_violation(mechanism.weights, base) is None)
        p, q = base.numerator, base.denominator
        scale = mechanism.denominator * (q - p) ** 2
        assert [[Fraction(x, scale) for x in remap_row(row, p, q)] for row in mechanism.weights] == exact
        _judge(found, mechanism, base, exact, private)


def _mixture(first, second, share):
    return Mechanism.from_fractions(
        [(1 - share) * first.fraction(i, j) + share * second.fraction(i, j) for j in range(first.n_inputs)]
        for i in range(first.n_outputs)
    )


def _judge(found, mechanism, alpha, exact, private):
    obstacle = found.obstacle
    if found.derivable:
        assert obstacle is None
        assert found.remap == Mechanism.from_fractions(exact)
        return
    i = obstacle.output
    assert obstacle.kind == ("triple" if private else "privacy")
    assert obstacle.probabilities == tuple(mechanism.fraction(i, j) for j in obstacle.inputs)
    assert obstacle.left < obstacle.right
    if private:
        before, j, after = obstacle.inputs
        assert (before, after) == (j - 1, j + 1)
        assert (obstacle.left - obstacle.right) / (1 - alpha) ** 2 == exact[i][j]
    else:
        low, high = obstacle.inputs
        assert abs(low - high) == 1
        assert (obstacle.left, obstacle.right) == (mechanism.fraction(i, low), alpha * mechanism.fraction(i, high))


def test_the_violated_triple_in_numbers():
    found = derive(explicit_fair(2, Fraction(1, 2)))  # [4 2 2; 2 4 2; 2 2 4]/8
    obstacle = found.obstacle
    assert (obstacle.kind, obstacle.output, obstacle.inputs) == ("triple", 0, (0, 1, 2))
    assert obstacle.probabilities == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    assert (obstacle.left, obstacle.right) == (0, Fraction(1, 16))
    assert obstacle.inequality == "P[0,1] - alpha P[0,0] >= alpha (P[0,2] - alpha P[0,1])"


def test_an_alpha_that_the_mechanism_does_not_have():
    found = derive(Mechanism(((1, 2), (2, 1)), 3), "2/3")
    assert (found.derivable, found.tightest) == (False, Fraction(1, 2))
    obstacle = found.obstacle
    assert (obstacle.kind, obstacle.output, obstacle.inputs) == ("privacy", 0, (0, 1))
    assert (obstacle.left, obstacle.right) == (Fraction(1, 3), Fraction(4, 9))
    assert obstacle.inequality == "P[0,0] >= alpha P[0,1]"
    assert derive(identity(3), "1/2").obstacle.kind == "privacy"
    assert derive(identity(3), "1/2").tightest is None


@pytest.mark.parametrize("constant", [uniform(3, Fraction(1, 2)), Mechanism(((0, 0, 0), (1, 1, 1)), 1)])
def test_what_ignores_its_input_comes_from_any_gm(constant):
    found = derive(constant)
    assert (found.alpha, found.remap) == (1, constant)
    for alpha in ALPHAS:
        assert derive(constant, alpha).remap == constant


def test_no_remap_is_returned_that_does_not_give_the_mechanism_back(monkeypatch):
    mechanism = Mechanism(((10, 8, 4), (1, 2, 4), (1, 2, 4)), 12)
    monkeypatch.setattr(mechdesign.audits.derivation, "remap_row", lambda row, p, q: remap_row(row[::-1], p, q))
    with refused(RefusedError):
        derive(mechanism)


def test_giving_back():
    alpha = Fraction(1, 2)
    gm = geometric(3, alpha)
    assert gives_back(identity(4), gm, alpha)
    assert not gives_back(identity(4), gm, Fraction(1, 3))
    assert not gives_back(uniform(3, alpha), gm, alpha)
    assert not gives_back(identity(3), gm, alpha)
    shifted = [list(row) for row in gm.weights]
    shifted[0][3] += 1
    shifted[3][3] -= 1
    assert not gives_back(identity(4), Mechanism.from_weights(shifted, gm.denominator), alpha)


@pytest.mark.parametrize(
    ("mechanism", "alpha"),
    [
        (identity(2), None),
        (Mechanism(((1,), (1,)), 2), None),
        (uniform(2, Fraction(1, 2)), "1.7"),
        (uniform(2, Fraction(1, 2)), 1),
    ],
)
def test_bad_questions(mechanism, alpha):
    with refused(InputError):
        derive(mechanism, alpha)


@pytest.mark.parametrize(
    ("alpha", "properties", "loss"),
    [
        ("1/2", "none", "L0"),
        ("1/2", "CM", "L2"),
        ("7/10", "CM", "L0"),
        ("7/10", "RH", "L1"),
        ("4/5", "WH", "L1"),
        ("4/5", "CM", "L0"),
        ("4/5", "WH,RM,CM", "L0"),
        ("4/5", "F", "L0"),
    ],
)
def test_a_law_is_derived_where_its_matrices_are(alpha, properties, loss):
    law = design_law(alpha=alpha, properties=properties, loss=loss)
    found = derive_law(law)
    for n in (law.least, law.least + 1, law.least + 2, law.least + 9):
        of_one = derive(law.at(n), alpha)
        assert of_one.derivable == found.derivable
        if found.derivable and found.is_uniform:
            b = law.mechanism.depth
            corner = [[of_one.remap.fraction(i, k) for k in range(b)] for i in range(b)]
            assert corner == [[found.remap.fraction(i, k) for k in range(b)] for i in range(b)]
            assert of_one.targets[b : n - b + 1] == tuple(range(b, n - b + 1))


def test_a_law_with_slopes_may_be_derived_at_some_sizes_alone():
    """From a table that GM gives, at the least n, to one that it does not give, in the limit."""
    given, other = (design_law(alpha="4/5", properties=name, loss="L1") for name in ("WH", "WH,RM,CM"))
    first = LayeredMechanism.of(
        Fraction(4, 5),
        *(
            [[Fraction(x, table_at[1]) for x in row] for row in table_at[0]]
            for table_at in [given.mechanism.table(10**9)]
        ),
    )
    last = other.mechanism
    assert first.depth == last.depth
    size = 200
    moved = [
        [
            (size + 1) * (Fraction(x, first.denominator) - Fraction(y, last.denominator))
            for x, y in zip(*rows, strict=True)
        ]
        for rows in zip(first.rows, last.rows, strict=True)
    ]
    table = [[Fraction(y, last.denominator) for y in row] for row in last.rows]
    law = replace(given, mechanism=LayeredMechanism.of(Fraction(4, 5), table, moved), least=size)
    found = derive_law(law)
    assert (found.derivable, found.is_uniform, found.remap) == (False, False, None)
    assert size < found.fails_at < 10**6
    assert derive(law.mechanism.at(size), "4/5").derivable
    if found.fails_at < 400:
        assert derive(law.mechanism.at(found.fails_at - 1), "4/5").derivable
        assert derive(law.mechanism.at(found.fails_at), "4/5").obstacle == found.obstacle
