"""Designed mechanisms as oracles: L0 is GRR, variances by hand, singular and leaking ones refused, parameters read."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import DesignProblem, InputError, Mechanism, Model, design
from mechdesign.counts.estimation import rank
from mechdesign.documents.storage import export
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import (
    State,
    make_oracle,
    normal_intervals,
    oracle_of,
    true_loss,
)
from mechdesign_catalog.oracles.kinds.designed import Designed, designed_oracle

SKEW = Mechanism(((6, 2, 1), (1, 4, 1), (1, 2, 6)), 8)
"""Rows with the smallest ratios 1/6, 1/4 and 1/6."""


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1), (5, "1/2"), (24, "3/2"), (65, 4)])
def test_the_design_for_l0_is_grr(k, epsilon):
    designed, grr = (
        make_oracle("design:none:L0", k, Privacy(epsilon=epsilon)),
        make_oracle("grr", k, Privacy(epsilon=epsilon)),
    )
    matrix = designed.mechanism
    assert {matrix.fraction(i, i) for i in range(k)} == {grr.support.p}
    assert {matrix.fraction(i, j) for i in range(k) for j in range(k) if i != j} == {grr.support.q}
    assert designed.alpha == grr.alpha
    assert designed.report_law() == grr.report_law()
    assert designed.bits == grr.bits
    shares = np.random.default_rng(k).dirichlet(np.ones(k))
    assert designed.variance(shares, 100) == pytest.approx(grr.variance(shares, 100), rel=1e-9)
    assert designed.approximate_variance(100) == pytest.approx(grr.approximate_variance(100), rel=1e-9)
    sums = np.random.default_rng([k, 1]).multinomial(1000, shares)
    mine, theirs = State(designed.parameters, 1000, sums), State(grr.parameters, 1000, sums)
    assert designed.estimate(mine) == pytest.approx(grr.estimate(theirs), abs=1e-9)


@pytest.mark.slow
def test_standard_errors_are_those_of_grr_and_intervals_cover():
    """64 items, 1000 users: the noise is far above the shares. Clipped estimates add up to 10, not to 1."""
    counts = np.repeat([250, 0], [4, 60])
    designed, grr = (
        make_oracle("design:none:L0", 64, Privacy(epsilon="1/2")),
        make_oracle("grr", 64, Privacy(epsilon="1/2")),
    )
    hits, generator = [], np.random.default_rng(64)
    for _ in range(200):
        sums = grr.draw_state(counts, generator).sums
        estimate = designed.estimate(State(designed.parameters, 1000, sums))
        variance = designed.estimated_variance(estimate, 1000)
        assert variance == pytest.approx(grr.estimated_variance(estimate, 1000))
        low, high = normal_intervals(estimate, np.sqrt(variance))
        hits.append((low <= counts / 1000) & (counts / 1000 <= high))
    assert np.mean(hits) == pytest.approx(0.95, abs=0.03)  # 0.976: an item far below 0 is given the error of a rare one


def test_estimated_variance_is_unbiased_and_within_its_range():
    """Of a mechanism that favours items: over all reports of four users, in fractions of their chances."""
    oracle, users = Designed.of(SKEW), 4
    own = [0, 0, 1, 2]
    mean = np.zeros(3)
    for reports in itertools.product(range(3), repeat=users):
        chance = math.prod(float(SKEW.fraction(r, v)) for r, v in zip(reports, own, strict=True))
        estimate = oracle.estimate(State(oracle.parameters, users, np.bincount(reports, minlength=3)))
        mean += chance * oracle.variance(estimate, users)
        spread = np.array([oracle.variance(np.eye(3)[v], users) for v in range(3)])
        found = oracle.estimated_variance(estimate, users)
        assert (spread.min(axis=0) <= found).all()
        assert (found <= spread.max(axis=0)).all()
        assert (found > 0).all()
    assert mean == pytest.approx(oracle.variance(np.bincount(own) / users, users), rel=1e-12)


def test_estimate_and_variance_by_fractions():
    """Against `P^-1` found by Cramer's rule, and one report's second moments summed up in fractions."""
    oracle = Designed.of(SKEW)
    inverse = cramer([[SKEW.fraction(i, j) for j in range(3)] for i in range(3)])
    sums = np.array([5, 3, 2])
    expected = [sum(inverse[i][r] * int(sums[r]) for r in range(3)) / 10 for i in range(3)]
    assert oracle.estimate(State(oracle.parameters, 10, sums)).tolist() == [float(share) for share in expected]
    for own in range(3):
        chances = [SKEW.fraction(r, own) for r in range(3)]
        moments = [sum(inverse[i][r] ** 2 * chances[r] for r in range(3)) - (i == own) for i in range(3)]
        assert oracle.variance(np.eye(3)[own], 4) == pytest.approx([float(m) / 4 for m in moments])
    others = [oracle.variance(np.eye(3)[j], 1)[i] for i in range(3) for j in range(3) if i != j]
    assert oracle.approximate_variance(1) == pytest.approx(np.mean(others))


def cramer(matrix: list[list[Fraction]]) -> list[list[Fraction]]:
    """The inverse of a 3 x 3 matrix by cofactors."""

    def minor(i: int, j: int) -> Fraction:
        (a, b), (c, d) = ([row[c] for c in range(3) if c != j] for r, row in enumerate(matrix) if r != i)
        return a * d - b * c

    determinant = sum((-1) ** j * matrix[0][j] * minor(0, j) for j in range(3))
    return [[(-1) ** (i + j) * minor(j, i) / determinant for j in range(3)] for i in range(3)]


@given(st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(any))
def test_estimates_invert_the_expected_reports(counts):
    """Expected reports `P counts`, in whole numbers of eighths, give the shares back exactly."""
    oracle = Designed.of(SKEW)
    sums = np.array(SKEW.weights) @ np.array(counts)
    estimate = oracle.estimate(State(oracle.parameters, int(sums.sum()), sums))
    assert estimate.tolist() == [count / sum(counts) for count in counts]


def test_loss_is_that_of_any_two_items_whatever_it_was_designed_for():
    """The weak mechanism for counts is (1/2)-DP for neighbours; between 0 and 3 it is less private."""
    count = design(DesignProblem(n=3, alpha="1/2", properties="CM")).mechanism
    oracle = Designed.of(count)
    matrix = count.matrix()
    assert float(oracle.alpha) == pytest.approx((matrix.min(axis=1) / matrix.max(axis=1)).min())
    assert oracle.alpha < Fraction(1, 2)
    assert oracle.privacy == Privacy(alpha=oracle.alpha)
    assert oracle.privacy.epsilon == true_loss(oracle)
    with pytest.raises(InputError, match=r"mechanism must have a loss of at most 0.7, got 2.07"):
        Designed.of(count, Privacy(epsilon="0.7"))


def test_a_claim_is_checked_and_told():
    assert Designed.of(SKEW).claim_is_tight
    assert Designed.of(SKEW).alpha == Fraction(1, 6)
    loose = Designed.of(SKEW, Privacy(epsilon=2))
    assert not loose.claim_is_tight
    assert true_loss(loose) == pytest.approx(math.log(6))
    with pytest.raises(InputError, match=r"loss of at most 1\.79175, got 1\.79175947"):
        Designed.of(SKEW, Privacy(epsilon="1.79175"))


@pytest.mark.parametrize(
    ("text", "k", "found"), [("design:none:L1", 8, 2), ("design:WH,CM:L2", 5, 3), ("design:none:L2", 3, 1)]
)
def test_singular_designs_are_refused_with_their_rank(text, k, found):
    with pytest.raises(InputError, match=f"mechanism must be invertible, got rank {found} of {k} for {text[:9]}"):
        designed_oracle(text, k, Privacy(epsilon=1))


@pytest.mark.parametrize(("loss", "invertible"), [("L0", 16), ("L1", 7), ("L2", 4)])
def test_which_optima_can_serve(loss, invertible):
    """Of 16 settings without properties: every L0, and less and less often L1 and L2."""
    problems = [
        DesignProblem(model=Model.ldp(k), epsilon=epsilon, loss=loss)
        for k in (3, 4, 5, 8)
        for epsilon in ("1/2", 1, 2, 4)
    ]
    assert sum(rank(design(problem).mechanism) == problem.size for problem in problems) == invertible


def test_parameters_make_the_same_oracle_again():
    oracle = designed_oracle("design:CH:L1", 5, Privacy(epsilon=2))
    twin = oracle_of(json.loads(json.dumps(oracle.parameters)))
    assert twin == oracle
    assert twin.parameters == oracle.parameters
    doubled = Mechanism(tuple(tuple(2 * w for w in row) for row in SKEW.weights), 16)
    assert Designed.of(doubled) == Designed.of(SKEW)


def damaged(**changes: object) -> dict:
    text = json.loads(Designed.of(SKEW).matrix)
    return {**Designed.of(SKEW).parameters, "matrix": json.dumps({**text, **changes}, separators=(",", ":"))}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (damaged(denominator="9"), "column 0 must sum to the denominator"),
        (damaged(denominator=8), "denominator must be an integer written as a string"),
        (damaged(weights=[["6", "2", "1"]] * 3), "column 0 must sum"),
        (damaged(weights=[["7", "2", "1"], ["0", "4", "1"], ["1", "2", "6"]]), "got a zero beside a positive entry"),
        (damaged(weights=[["6", "2"], ["2", "6"]]), "mechanism must be a matrix of 3 x 3, got 2 x 2"),
        (damaged(weights=[["6", "2", "1"], ["1", "4"], ["1", "2", "6"]]), "rectangular"),
        (damaged(weights=[["6", "2", "x"], ["1", "4", "1"], ["1", "2", "6"]]), "weights must be an integer"),
        (damaged(weights=["621", "141", "126"]), "weights must be rows"),
        (damaged(weights=[["6", "2", "-1"], ["1", "4", "3"], ["1", "2", "6"]]), "nonnegative"),
        (damaged(weights=[["4", "4", "4"], ["2", "2", "2"], ["2", "2", "2"]]), "got rank 1 of 3"),
        (damaged(weights=7), "must have a denominator and weights"),
        (damaged(extra=1), "must have a denominator and weights"),
        ({**damaged(), "matrix": "[1"}, "file must be JSON, got the parameters of designed"),
        ({**damaged(), "matrix": 5}, "matrix must be a JSON text"),
        ({**damaged(), "privacy": "epsilon=1"}, "loss of at most 1, got 1.79"),
        ({**damaged(), "k": 4}, "mechanism must be a matrix of 4 x 4, got 3 x 3"),
        ({**damaged(), "d": 1}, "parameters of designed must be k, matrix, privacy"),
        (damaged(denominator="08"), "must be those that it writes"),
    ],
)
def test_damaged_parameters_are_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        oracle_of(parameters)


def test_designs_from_files(tmp_path):
    path = tmp_path / "local.json"
    export(design(DesignProblem(model=Model.ldp(4), epsilon=1)), path)
    assert designed_oracle(str(path), 4, Privacy(epsilon=1)) == designed_oracle("design:none:L0", 4, Privacy(epsilon=1))
    with pytest.raises(InputError, match="mechanism must have k = 5 items, got 4 in"):
        designed_oracle(str(path), 5, Privacy(epsilon=1))
    with pytest.raises(InputError, match=r"loss of at most 0\.5, got 1$"):
        designed_oracle(str(path), 4, Privacy(epsilon="1/2"))


@pytest.mark.parametrize(
    ("text", "k", "message"),
    [
        ("WM", 4, "oracle must be design:PROPS:LOSS"),
        ("design:none", 4, "design must be design:PROPS:LOSS"),
        ("design:none:L0", 257, "k must be at most 256 for a design, got k=257; the optimum of L0 is grr"),
    ],
)
def test_other_texts_are_refused(text, k, message):
    with pytest.raises(InputError, match=message):
        designed_oracle(text, k, Privacy(epsilon=1))


def test_options_and_large_numbers_are_refused():
    with pytest.raises(InputError, match="d must not be given for design:none:L0"):
        make_oracle("design:none:L0", 4, Privacy(epsilon=1), d=2)
    long = 1 << 200_000
    with pytest.raises(InputError, match="at most 256 items and 1048576 bits"):
        Designed.of(Mechanism(((long - 1, *[1] * 2), (1, long - 1, 1), (0, 0, long - 2)), long), Privacy(epsilon=150))
    oracle = Designed.of(SKEW)
    with pytest.raises(InputError, match="3 sums"):
        oracle.estimate(State(oracle.parameters, 1, np.array([1])))


def test_outputs_are_drawn_exactly_as_the_mechanism_does():
    oracle = Designed.of(SKEW)
    values = np.arange(300) % 3
    reports = oracle.privatize(values, seeded_words(3))
    assert np.array_equal(reports.columns["item"], SKEW.sample(values, seeded_words(3)))
