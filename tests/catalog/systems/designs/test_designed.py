"""Designed mechanisms as oracles: L0 is GRR, variances by hand, singular and leaking ones refused, parameters read."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import DesignProblem, InputError, Mechanism, Model, design
from mechdesign.counts.estimation import rank
from mechdesign.documents.storage import export
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.systems import (
    State,
    actual_epsilon,
    make_oracle,
    oracle_of,
)
from mechdesign_catalog.systems.designs.designed import Designed, designed_oracle

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
    estimate = grr.estimate(theirs)
    assert designed.estimate(mine) == pytest.approx(estimate, abs=1e-9)
    assert designed.estimated_variance(estimate, 1000) == pytest.approx(grr.estimated_variance(estimate, 1000))


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


def test_the_approximate_variance_is_the_mean_over_rare_items():
    oracle = Designed.of(SKEW)
    others = [oracle.variance(np.eye(3)[j], 1)[i] for i in range(3) for j in range(3) if i != j]
    assert oracle.approximate_variance(1) == pytest.approx(np.mean(others))


def test_loss_is_that_of_any_two_items_whatever_it_was_designed_for():
    """The weak mechanism for counts is (1/2)-DP for neighbours; between 0 and 3 it is less private."""
    count = design(DesignProblem(n=3, alpha="1/2", properties="CM")).mechanism
    oracle = Designed.of(count)
    matrix = count.matrix()
    assert float(oracle.alpha) == pytest.approx((matrix.min(axis=1) / matrix.max(axis=1)).min())
    assert oracle.alpha < Fraction(1, 2)
    assert oracle.privacy == Privacy(alpha=oracle.alpha)
    assert oracle.privacy.epsilon == actual_epsilon(oracle)
    with refused(InputError, about="mechanism"):
        Designed.of(count, Privacy(epsilon="0.7"))


def test_a_claim_is_checked_and_told():
    assert Designed.of(SKEW).spends_whole_epsilon
    assert Designed.of(SKEW).alpha == Fraction(1, 6)
    loose = Designed.of(SKEW, Privacy(epsilon=2))
    assert not loose.spends_whole_epsilon
    assert actual_epsilon(loose) == pytest.approx(math.log(6))
    with refused(InputError):
        Designed.of(SKEW, Privacy(epsilon="1.79175"))


@pytest.mark.parametrize(("text", "k"), [("design:none:L1", 8), ("design:WH,CM:L2", 5), ("design:none:L2", 3)])
def test_singular_designs_are_refused_with_their_rank(text, k):
    with refused(InputError):
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
    "parameters",
    [
        damaged(denominator="9"),
        damaged(weights=[["6", "2", "1"]] * 3),
        damaged(weights=[["7", "2", "1"], ["0", "4", "1"], ["1", "2", "6"]]),
        damaged(weights=[["6", "2", "1"], ["1", "4"], ["1", "2", "6"]]),
        damaged(weights=[["6", "2", "x"], ["1", "4", "1"], ["1", "2", "6"]]),
        damaged(weights=[["6", "2", "-1"], ["1", "4", "3"], ["1", "2", "6"]]),
        damaged(weights=[["4", "4", "4"], ["2", "2", "2"], ["2", "2", "2"]]),
        damaged(extra=1),
        {**damaged(), "matrix": "[1"},
        {**damaged(), "matrix": 5},
        {**damaged(), "privacy": "epsilon=1"},
        {**damaged(), "k": 4},
        {**damaged(), "d": 1},
        damaged(denominator="08"),
    ],
)
def test_damaged_parameters_are_refused(parameters):
    with refused(InputError):
        oracle_of(parameters)


def test_designs_from_files(tmp_path):
    path = tmp_path / "local.json"
    export(design(DesignProblem(model=Model.ldp(4), epsilon=1)), path)
    assert designed_oracle(str(path), 4, Privacy(epsilon=1)) == designed_oracle("design:none:L0", 4, Privacy(epsilon=1))
    with refused(InputError, about="mechanism"):
        designed_oracle(str(path), 5, Privacy(epsilon=1))
    with refused(InputError):
        designed_oracle(str(path), 4, Privacy(epsilon="1/2"))


@pytest.mark.parametrize(
    ("text", "k"),
    [
        ("WM", 4),
        ("design:none", 4),
        ("design:none:L0", 257),
    ],
)
def test_other_texts_are_refused(text, k):
    with refused(InputError):
        designed_oracle(text, k, Privacy(epsilon=1))


def test_options_and_large_numbers_are_refused():
    with refused(InputError, about="d"):
        make_oracle("design:none:L0", 4, Privacy(epsilon=1), d=2)
    long = 1 << 200_000
    with refused(InputError):
        Designed.of(Mechanism(((long - 1, *[1] * 2), (1, long - 1, 1), (0, 0, long - 2)), long), Privacy(epsilon=150))
    oracle = Designed.of(SKEW)
    with refused(InputError):
        oracle.estimate(State(oracle.parameters, 1, np.array([1])))


def test_outputs_are_drawn_exactly_as_the_mechanism_does():
    oracle = Designed.of(SKEW)
    values = np.arange(300) % 3
    reports = oracle.privatize(values, seeded_words(3))
    assert np.array_equal(reports.columns["item"], SKEW.sample(values, seeded_words(3)))
