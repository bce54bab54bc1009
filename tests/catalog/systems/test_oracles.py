"""Every frequency oracle: claim, intervals, bad input; `check_oracle` and `test_draws` have the rest."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracle_cases import CASES, Case
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.systems import (
    Reports,
    State,
    actual_epsilon,
    merged,
    normal_intervals,
)
from mechdesign_catalog.systems.flat.dbitflip import DBitFlip

every = pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)


@every
def test_loss_is_the_claim_or_a_hair_less(case: Case) -> None:
    oracle = case.small()
    assert math.exp(-oracle.privacy.epsilon) <= oracle.alpha
    assert actual_epsilon(oracle) <= oracle.privacy.epsilon
    assert (oracle.privacy.epsilon - actual_epsilon(oracle) <= 1e-6) == oracle.spends_whole_epsilon


def estimates(case: Case, values: np.ndarray, repetitions: int, seed: int) -> list[np.ndarray]:
    """One estimate for each repetition, all users reporting anew."""
    users = len(values)
    if case.redraw is not None:
        found = []
        for r in range(repetitions):
            oracle = case.redraw(seed * 100_000 + r)
            found.append(oracle.estimate(oracle.aggregate(oracle.privatize(values, seeded_words([seed, r])))))
        return found
    oracle = case.usual()
    reports = oracle.privatize(np.tile(values, repetitions), seeded_words(seed))
    parts = [reports[r * users : (r + 1) * users] for r in range(repetitions)]
    return [oracle.estimate(oracle.aggregate(part)) for part in parts]


@pytest.mark.slow
@every
def test_intervals_cover(case: Case) -> None:
    oracle = case.usual()
    values = np.repeat([0, 1], 250).astype(np.int64)
    truth = np.bincount(values, minlength=oracle.k) / 500
    collections = 100 if isinstance(oracle, Mixture) else 200  # 600 intervals at least: 0.05 is four standard errors
    found = estimates(case, values, collections, 91)
    hits = 0
    for estimate in found:
        low, high = normal_intervals(estimate, np.sqrt(oracle.estimated_variance(estimate, 500)), 0.9)
        hits += int(((low <= truth) & (truth <= high)).sum())
    assert hits / (collections * oracle.k) == pytest.approx(0.9, abs=0.05)


@every
def test_wrong_values_and_foreign_reports_are_refused(case: Case) -> None:
    oracle = case.usual()
    with refused(InputError):
        oracle.privatize(np.array([0, oracle.k]))
    with refused(InputError):
        oracle.privatize(np.array([-1]))
    reports = oracle.privatize(np.array([0, 1]), seeded_words(1))
    other = Reports({**reports.parameters, "privacy": "epsilon=7/3"}, reports.columns)
    with refused(InputError, about="reports"):
        oracle.aggregate(other)
    with refused(InputError):
        oracle.estimate(oracle.aggregate(reports[0:0]))
    renamed = Reports(reports.parameters, {"theirs": np.zeros(2, dtype=np.int64)})
    with refused(InputError):
        oracle.aggregate(renamed)


@every
def test_states_that_no_reports_add_up_to_are_refused(case: Case, tmp_path) -> None:
    """Of another length, which numpy would spread out, and with more or less than all users in a place."""
    oracle = case.usual()
    state = oracle.aggregate(oracle.privatize(np.arange(20) % oracle.k, seeded_words(1)))
    for wrong in (state.sums[:-1], state.sums[:1], np.append(state.sums, 0), state.sums.reshape(-1, 1)):
        broken = State(oracle.parameters, 20, wrong)
        with refused(InputError):
            oracle.estimate(broken)
        with refused(InputError, about="states"):
            merged([broken, state])
    for wrong in (-21, 21):
        counted = np.full_like(state.sums, wrong)
        with refused(InputError):
            oracle.estimate(State(oracle.parameters, 20, counted))


def test_reports_of_unequal_columns_are_refused() -> None:
    for columns in ({"item": np.zeros(1), "more": np.zeros(2)}, {}):
        with refused(InputError, about="reports"):
            Reports({"oracle": "grr"}, columns)


@pytest.mark.parametrize("epsilon", ["1e-8", "1e-17"])
@every
def test_tiny_epsilons_lose_no_digits(case: Case, epsilon: str) -> None:
    """Against rationals: p - q is far below the rounding of p and q. The estimate is off by its own noise at most."""
    usual = case.usual()
    privacy = Privacy(epsilon=epsilon)
    oracle = replace(usual, privacy=privacy) if case.remade is None else case.remade(privacy)
    values = np.arange(40, dtype=np.int64) % oracle.k
    state = oracle.aggregate(oracle.privatize(values, seeded_words(5)))
    shares = np.bincount(values, minlength=oracle.k) / 40
    rare, variances = oracle.approximate_variance(40), oracle.variance(shares, 40)
    differ = oracle.name == "warped-blocks"  # its blocks are longer at the ends
    assert variances == pytest.approx(np.full(oracle.k, rare), rel=0.2 if differ else 1e-6)
    assert variances == pytest.approx(variances[::-1], rel=1e-6)
    assert oracle.estimated_variance(oracle.estimate(state), 40) == pytest.approx(variances, rel=2e-3)
    if isinstance(oracle, PureOracle):
        p, q = oracle.support.p, oracle.support.q
        exact = [float((Fraction(int(s), 40) - q) / (p - q)) for s in oracle.supports(state)]
        assert oracle.estimate(state) == pytest.approx(exact, abs=1e-12 * math.sqrt(rare))
        assert rare == pytest.approx(float(q * (1 - q) / (p - q) ** 2 / 40), rel=1e-9)
    if oracle.can_simulate_sums:
        counts = np.bincount(values, minlength=oracle.k)
        drawn = oracle.estimate(oracle.simulate_sums(counts, np.random.default_rng(6)))
        assert (np.abs(drawn) <= 6 * np.sqrt(rare) + 1).all()


@pytest.mark.parametrize("epsilon", ["1e-8", "1e-17"])
def test_tiny_epsilons_of_some_buckets_by_fractions(epsilon: str) -> None:
    oracle = DBitFlip(4, Privacy(epsilon=Fraction(epsilon)), 2)
    p, q = oracle.support.p, oracle.support.q
    state = State(oracle.parameters, 1000, np.array([260, 250, 240, 250, 500, 500, 500, 500]))
    ones, owners = state.sums.reshape(2, 4).tolist()
    exact = [float((one - q * owner) / (p - q) * Fraction(4, 2000)) for one, owner in zip(ones, owners, strict=True)]
    assert oracle.estimate(state) == pytest.approx(exact, rel=1e-6, abs=1)
    assert oracle.variance(np.zeros(4), 1000) == pytest.approx(float(q * (1 - q) / (p - q) ** 2 / 500), rel=1e-9)
