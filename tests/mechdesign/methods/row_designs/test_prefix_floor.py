"""The floor of prefixes by multipliers is what dense matrices say, from below, and not above any optimum."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import WorkloadProblem, design
from mechdesign.certificate.by_levels import largest_price
from mechdesign.methods.row_designs.floor import closed_form_floor
from mechdesign.methods.row_designs.prefix_floor import PrefixMultipliers, bound_by_multipliers, prefix_multipliers
from mechdesign.workloads.ordered import Prefixes


def dense(values, kappa):
    """`(tr M^(1/2))^2 / (kappa (kappa - 1))` from the eigenvalues of a matrix, or None where one is below 0."""
    k = len(values)
    v = values * (kappa / values.sum())
    centring = np.eye(k) - 1 / k
    eigenvalues, vectors = np.linalg.eigh(centring @ np.array(Prefixes(k).gram(), dtype=float) @ centring)
    factor = vectors[:, 1:] * np.sqrt(eigenvalues[1:])
    found = np.linalg.eigvalsh(factor.T @ (np.diag(v) - np.outer(v, v)) @ factor)
    return np.sqrt(found).sum() ** 2 / (kappa * (kappa - 1)) if found[0] > 0 else None


@given(st.integers(2, 40), st.floats(0.05, 3), st.data())
def test_any_multipliers_give_what_a_matrix_says(k, epsilon, data):
    entry = Fraction(exp(epsilon))
    kappa = (1 + entry) ** 2 / (4 * entry)
    count = ((k + 1) // 2).bit_length() + 1
    knots = tuple(data.draw(st.lists(st.integers(1000, 30_000), min_size=count, max_size=count)))
    multipliers = PrefixMultipliers(k, knots)
    bound, expected = bound_by_multipliers(multipliers, kappa), dense(multipliers.values(), float(kappa))
    if expected is None:
        assert bound == 0
    else:
        assert 1 - 3e-6 < float(bound) / expected < 1


def test_a_longer_recursion_is_cut_into_stretches():
    """Of lengths with and without a rest; what the logarithms lose is stated, and no more is lost."""
    kappa = Fraction(14, 11)
    for k in (255, 256, 300, 401):
        multipliers = PrefixMultipliers.rising(k, 0.7)
        assert 1 - 1.3e-6 < float(bound_by_multipliers(multipliers, kappa)) / dense(multipliers.values(), 14 / 11) < 1


def test_multipliers_are_linear_between_powers_of_two_from_both_ends():
    assert PrefixMultipliers(11, (90, 50, 20, 10)).values().tolist() == [90, 50, 35, 20, 17, 15, 17, 20, 35, 50, 90]
    assert set(PrefixMultipliers.rising(20, 0).values()) == {4096}


@pytest.mark.parametrize(("k", "gain"), [(16, 1.0315), (256, 1.018), (1 << 16, 1.0055), (1 << 20, 1.0036)])
def test_multipliers_raise_the_floor(k, gain):
    """By as much as was found for k = 256 .. 2^20 at epsilon 1, and never above what is possible."""
    alpha = Fraction(3678794, 10**7)
    plain = 4 * alpha * Prefixes(k).singular_sum_square() / (k * (1 - alpha) ** 2)
    kappa = (1 + alpha) ** 2 / (4 * alpha)
    assert gain < bound_by_multipliers(prefix_multipliers(k, alpha), kappa) / plain < gain + 0.0015


@pytest.mark.slow
@pytest.mark.parametrize(("k", "epsilon", "near"), [(4, "1/2", 0.97), (8, "1", 0.97), (16, "1", 0.99), (16, "2", 0.89)])
def test_the_floor_is_below_a_certified_optimum_and_near_it(k, epsilon, near):
    problem = WorkloadProblem(Prefixes(k), epsilon=epsilon)
    floor, optimum = closed_form_floor(Prefixes(k), problem.bound_alpha), design(problem).score
    assert near < floor / optimum < 1


def test_where_multipliers_say_nothing_the_formula_does():
    """At epsilon 6 no unequal multipliers are semidefinite on few items."""
    alpha = Fraction(1, 403)
    kappa = (1 + alpha) ** 2 / (4 * alpha)
    assert bound_by_multipliers(PrefixMultipliers.rising(9, 1), kappa) == 0
    assert dense(PrefixMultipliers.rising(9, 1).values(), float(kappa)) is None
    energy = Fraction(Prefixes(9).block_energy(9), 81) - Fraction(Prefixes(9).block_energy(1), 9)
    assert closed_form_floor(Prefixes(9), alpha) == Prefixes(9).singular_sum_square() / largest_price(9, alpha) + energy
