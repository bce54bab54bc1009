"""Post-processing: golden values, each rule by a slow second algorithm, and what every one of them must keep."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError, Mechanism
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.analyses.postprocessing import (
    POSTPROCESSING,
    base_cut,
    base_pos,
    em,
    find_postprocessing,
    norm_sub,
    square_mechanism,
)
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.systems import make_oracle, parse_oracle

shares = st.lists(st.floats(-2, 2, allow_subnormal=False), min_size=2, max_size=12).map(np.array)
dyadic = st.lists(st.integers(-64, 64).map(lambda i: i / 64), min_size=2, max_size=12).map(np.array)
SIMPLE = [name for name, found in POSTPROCESSING.items() if not found.needs_mechanism]


def test_golden_values():
    for name, expected in [
        ("raw", [0.5, -0.25, 0.375, 0.25, 0.375]),
        ("base-pos", [0.5, 0, 0.375, 0.25, 0.375]),
        ("Base-Pro", [0.5, 0, 0.375, 0.25, 0.375]),
        ("base-cut", [0.5, 0, 0.375, 0, 0]),
        ("norm-sub", [0.375, 0, 0.25, 0.125, 0.25]),
        ("projection", [0.375, 0, 0.25, 0.125, 0.25]),
    ]:
        estimates = np.array([0.5, -0.25, 0.375, 0.25, 0.375])
        before = estimates.copy()
        found = find_postprocessing(name).apply(estimates)
        assert found.tolist() == expected
        assert np.array_equal(estimates, before)
        found[0] = 9
        assert estimates[0] == 0.5  # a new array


def test_repetitions_are_apart():
    for name in SIMPLE:
        generator = np.random.default_rng(1)
        estimates = generator.normal(0.1, 0.3, size=(2, 3, 7))
        function = find_postprocessing(name)
        whole = function.apply(estimates)
        assert whole.shape == estimates.shape
        for i in range(2):
            for j in range(3):
                assert np.array_equal(whole[i, j], function.apply(estimates[i, j]))


def cut_by_hand(estimates):
    """One item after the other, in exact rationals."""
    exact = [Fraction(x) for x in estimates.tolist()]
    kept, used = [0.0] * len(exact), Fraction(0)
    for rank, item in enumerate(sorted(range(len(exact)), key=lambda i: (-exact[i], i))):
        used += max(exact[item], 0)
        if exact[item] <= 0 or (used > 1 and rank):
            break
        kept[item] = float(exact[item])
    return kept


@pytest.mark.slow
@given(dyadic)
def test_base_cut_is_the_loop(estimates):
    assert base_cut(estimates).tolist() == cut_by_hand(estimates)


def test_base_cut_at_its_edges():
    assert base_cut(np.array([1.5, 0.5])).tolist() == [1.5, 0]
    assert base_cut(np.array([0.5, 0.5, 0.5])).tolist() == [0.5, 0.5, 0]
    assert base_cut(np.array([-0.5, 0.25])).tolist() == [0, 0.25]
    assert base_cut(np.array([-0.5, 0.0])).tolist() == [0, 0]
    tenths = np.full(10, 0.1)  # adds up to a hair less or more than 1
    assert base_cut(np.append(tenths, 0.05)).tolist() == [*tenths.tolist(), 0]
    thirds = np.array([0.1, 0.2, 0.3, 0.4 + 1e-12])
    assert np.array_equal(base_cut(thirds), thirds)


def nearest_by_bisection(estimates):
    """The simplex projection by its one unknown: the delta for which `sum max(x - delta, 0)` is 1."""
    low, high = estimates.min() - 1, estimates.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(estimates - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(estimates - high, 0)


@pytest.mark.slow
@given(shares)
def test_norm_sub_is_the_nearest_point_of_the_simplex(estimates):
    found = norm_sub(estimates)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found == pytest.approx(nearest_by_bisection(estimates), abs=1e-9)
    slope = found - estimates  # optimal: no direction towards a vertex of the simplex comes nearer
    assert (slope - slope @ found).min() >= -1e-9
    assert norm_sub(found) == pytest.approx(found, abs=1e-12)


@pytest.mark.slow
@given(shares, st.randoms())
def test_shuffled_items_give_shuffled_results(estimates, random):
    order = list(range(len(estimates)))
    random.shuffle(order)
    for function in (base_pos, norm_sub):
        assert function(estimates[order]) == pytest.approx(function(estimates)[order], abs=1e-12)


def grr_estimates(k, epsilon, users, repetitions):
    oracle = make_oracle("grr", k, Privacy(epsilon=epsilon))
    values = np.arange(users) % max(2, k // 2)
    found = [
        oracle.estimate(oracle.aggregate(oracle.privatize(values, seeded_words([5, r])))) for r in range(repetitions)
    ]
    return oracle, np.array(found)


def likelihood(matrix, estimates, distribution):
    return (matrix @ estimates) @ np.log(matrix @ distribution)


def test_em_is_most_likely():
    oracle, estimates = grr_estimates(6, 1, 500, 4)
    mechanism = square_mechanism(oracle)
    found = find_postprocessing("em").apply(estimates, 500, mechanism)
    assert found.shape == estimates.shape
    assert found.sum(axis=1) == pytest.approx(1)
    assert found.min() >= 0
    matrix = mechanism.matrix()
    generator = np.random.default_rng(2)
    for raw, best in zip(estimates, found, strict=True):
        top = likelihood(matrix, raw, best)
        others = [norm_sub(raw), *generator.dirichlet(np.ones(6), 200), *(0.99 * best + 0.01 * np.eye(6))]
        assert all(likelihood(matrix, raw, other) <= top + 1e-8 for other in others)
        assert np.array_equal(em(raw, 500, mechanism), best)


def test_em_leaves_a_possible_estimate_alone():
    """Inside the simplex the inverse is the maximum."""
    oracle = make_oracle("grr", 3, Privacy(epsilon=2))
    counts = np.array([500, 300, 200])
    estimates = oracle.support.estimate(counts, 1000)
    assert estimates.min() > 0
    assert em(estimates, 1000, square_mechanism(oracle)) == pytest.approx(estimates, abs=1e-4)


def test_the_matrix_of_an_oracle_that_is_not_symmetric():
    """Row i is output i: transposed it would have other columns."""

    class Bent:
        k, name, report_schema = 2, "bent", ReportSchema((Numbers("item", 2),))

        def report_law(self):
            return {(1,): (Fraction(1, 4), Fraction(1, 2)), (0,): (Fraction(3, 4), Fraction(1, 2))}

    assert square_mechanism(Bent()) == Mechanism(((3, 2), (1, 2)), 4)
    estimates = np.linalg.solve(Mechanism(((3, 2), (1, 2)), 4).matrix(), np.array([0.7, 0.3]))
    assert em(estimates, 10, square_mechanism(Bent())) == pytest.approx(estimates, abs=1e-3)


def test_refusals():
    oracle, estimates = grr_estimates(4, 1, 60, 1)
    mechanism = square_mechanism(oracle)
    for call in (
        lambda: find_postprocessing("norm_sub"),
        lambda: find_postprocessing(""),
        lambda: find_postprocessing("raw").apply(np.array([np.nan, 1])),
        lambda: find_postprocessing("raw").apply(np.zeros((3, 0))),
        lambda: find_postprocessing("em").apply(estimates, 60),
        lambda: em(base_pos(estimates) + 0.01, 60, mechanism),
        lambda: em(estimates, 61, mechanism),
        lambda: em(estimates[:, :3], 60, mechanism),
        lambda: square_mechanism(make_oracle("grr", 2000, Privacy(epsilon=1))),
    ):
        with refused(InputError):
            call()


def test_reports_that_nobody_can_have_sent():
    for reports in [[20.3, 19.7, 10, 10], [-1, 21, 20, 20]]:
        oracle = make_oracle("grr", 4, Privacy(epsilon=1))
        mechanism = square_mechanism(oracle)
        estimates = np.linalg.solve(mechanism.matrix(), np.array(reports) / 60)
        with refused(InputError):
            em(estimates, 60, mechanism)


@pytest.mark.parametrize("name", ["oue", "ss:size=1", "olh", "hrr", "hcms", "dbitflip:d=1", "hh:b=2"])
def test_maximum_likelihood_needs_reports_that_are_items(name):
    """They are refused by what they are, also where their law is too long to be listed."""
    with refused(InputError):
        square_mechanism(parse_oracle(name, 40, Privacy(epsilon=1)))
