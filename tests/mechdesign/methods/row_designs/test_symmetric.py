"""Designs for workloads with levels: published mechanisms come out where they are best, and others are beaten."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from mechdesign.certificate.by_levels import best_size, bound_by_levels, level_proof, variance_by_levels
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.methods.row_designs.flat_blocks import ItemGroup, flat_rows
from mechdesign.methods.row_designs.symmetric import find_symmetric, level_dual
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.eigenspaces import Eigenspaces, levels_of
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.ordered import Histogram, Prefixes
from mechdesign.workloads.workload import Workload


def found_for(workload: Workload, epsilon: str) -> tuple[Eigenspaces, RowMechanism, Fraction]:
    problem = WorkloadProblem(workload, alpha=Privacy(epsilon=epsilon).alpha)
    levels, found = levels_of(workload), find_symmetric(problem)
    assert levels is not None
    assert found is not None
    value = variance_by_levels(levels, found[0])
    assert value is not None
    return levels, found[0], value


def bound_at(levels: Eigenspaces, alpha: Fraction) -> Fraction:
    return bound_by_levels(levels, alpha, level_proof(levels, alpha))


def binary(d: int, way: int = 2) -> Marginals:
    return Marginals((2,) * d, way)


@pytest.mark.parametrize("epsilon", ["1/10", "1/2", "1", "2", "5"])
@pytest.mark.parametrize("k", [2, 3, 7, 12, 16, 31])
def test_histogram_is_subset_selection_exactly(k: int, epsilon: str) -> None:
    levels, found, value = found_for(Histogram(k), epsilon)
    alpha = found.alpha
    assert bound_at(levels, alpha) == value
    by_size = [
        (k - 1) ** 2 * (k * alpha + (1 - alpha) * n) ** 2 / ((1 - alpha) ** 2 * k * n * (k - n)) for n in range(1, k)
    ]
    assert value == min(by_size) - Fraction(k - 1, k)
    assert set(found.ones.sum(axis=1).tolist()) == {best_size(k, alpha)}
    assert found.n_outputs <= min(comb(k, best_size(k, alpha)), k * k // 2 + k)


@pytest.mark.parametrize("k", [pytest.param(64, marks=pytest.mark.slow), 37])
def test_few_sets_hold_every_two_items_equally_often(k: int) -> None:
    rows, weights = flat_rows(ItemGroup.cyclic(k), k // 4)
    together = (rows.T.astype(object) * weights) @ rows
    assert len(set(together[np.triu_indices(k, 1)].tolist())) == 1
    assert len(set(together.diagonal().tolist())) == 1
    assert len(np.unique(rows, axis=0)) == len(rows) <= k * k // 2
    assert set(rows.sum(axis=1).tolist()) == {k // 4}


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_all_attributes_together_are_a_histogram(d: int) -> None:
    _, _, value = found_for(binary(d, d), "1")
    assert value == found_for(Histogram(2**d), "1")[2]


# Values of the least variance for each user that were certified by pricing all rows, or by relaxations with cuts.
GOLDEN = {
    (3, "1/2"): 216.3702,
    (3, "1"): 46.1622,
    (3, "2"): 9.03494,
    (4, "1/2"): 692.083,
    (4, "1"): 149.754,
    (4, "2"): 31.0029,
    (5, "1/2"): 1659.579,
    (5, "1"): 361.6655,
    (5, "2"): 77.0357,
    (6, "1"): 733.996,
}


@pytest.mark.parametrize(("d", "epsilon"), GOLDEN)
def test_two_way_marginals_have_the_least_variance(d: int, epsilon: str) -> None:
    levels, found, value = found_for(binary(d), epsilon)
    assert float(value) == pytest.approx(GOLDEN[d, epsilon], rel=3e-6)
    bound = bound_at(levels, found.alpha)
    assert bound <= value
    if epsilon == "1":
        assert value / bound - 1 < Fraction(1, 100)


@pytest.mark.parametrize("d", [7, 8, pytest.param(10, marks=pytest.mark.slow)])
def test_two_way_marginals_of_many_attributes_are_within_one_percent(d: int) -> None:
    levels, found, value = found_for(binary(d), "1")
    assert value / bound_at(levels, found.alpha) - 1 < Fraction(1, 100)
    assert found.n_outputs << d < 10_000_000


@pytest.mark.parametrize("d", [4, 5])
def test_small_epsilon_is_the_hadamard_mechanism_with_its_levels_reweighted(d: int) -> None:
    """InpHT reports a sign of a random product of one or two attributes, all of which are equally likely."""
    _, found, value = found_for(binary(d), "1/2")
    alpha = float(found.alpha)
    rows = {row.tobytes() for row in found.ones}
    tuples = np.arange(1 << d)
    sets = [1 << a for a in range(d)] + [1 << a | 1 << b for a, b in combinations(range(d), 2)]
    parities = [np.array([(s & u).bit_count() % 2 for u in tuples], dtype=np.uint8) for s in sets]
    assert rows == {row.tobytes() for parity in parities for row in (parity, 1 - parity)}
    pairs, told = comb(d, 2), ((1 - alpha) / (1 + alpha)) ** 2
    best = (np.sqrt(d * d * (d - 1) / 4) + pairs / 2) ** 2 / told - 0.75 * pairs
    alike = (d + pairs) * (d * (d - 1) / 4 + pairs / 4) / told - 0.75 * pairs
    assert float(value) == pytest.approx(best, rel=1e-9)
    assert alike / float(value) == pytest.approx({4: 1.077, 5: 1.126}[d], abs=1e-3)


@pytest.mark.parametrize(("d", "way", "epsilon"), [(3, 2, "1"), (4, 1, "1"), (4, 2, "2"), (4, 3, "1/2")])
def test_dual_and_prices_hold_for_all_rows(d: int, way: int, epsilon: str) -> None:
    workload = binary(d, way)
    levels, found, value = found_for(workload, epsilon)
    k, (dual, prices) = workload.k, level_dual(levels, found)
    bits = np.arange(2**k)[:, None] >> np.arange(k) & 1
    rows = 1 + float(1 / found.alpha - 1) * bits
    centring = np.eye(k) - 1 / k
    gram = centring @ np.array(workload.gram(), dtype=float) @ centring
    costs = ((rows @ (dual @ gram @ dual)) * rows).sum(axis=1)
    assert (costs <= rows.mean(axis=1) * (rows @ prices) * (1 + 1e-9)).all()
    bound = np.trace(dual @ gram) ** 2 / prices.sum() + value - np.trace(dual @ gram)
    assert float(bound) == pytest.approx(float(value), rel=1e-9)


def test_columns_sum_exactly_and_every_item_has_the_same_variance() -> None:
    workload = binary(3)
    _, found, value = found_for(workload, "1")
    matrix = found.mechanism().matrix()
    assert (matrix > 0).all()
    information = 8 * (matrix.T / matrix.sum(axis=1)) @ matrix
    weights = workload.queries().weights()
    scores = weights @ np.linalg.pinv(information) @ (8 * matrix.T / matrix.sum(axis=1))
    by_item = (matrix.T @ (scores**2).sum(axis=0)) - (weights**2).sum(axis=0)
    assert scores @ matrix == pytest.approx(weights)
    assert by_item == pytest.approx(np.full(8, float(value)))


def test_other_workloads_go_another_way() -> None:
    assert find_symmetric(WorkloadProblem(Prefixes(8), epsilon=1)) is None
    assert find_symmetric(WorkloadProblem(Marginals((2, 3), 1), epsilon=1)) is None
    assert find_symmetric(WorkloadProblem(Histogram(129), epsilon=1)) is None
