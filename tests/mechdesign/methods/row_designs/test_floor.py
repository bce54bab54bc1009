"""The floor in closed form is a bound for every workload, and the best one for a histogram."""

from fractions import Fraction

import numpy as np
import pytest

from mechdesign.certificate.by_levels import bound_by_levels, largest_price, level_proof
from mechdesign.methods.row_designs.floor import closed_form_floor, floor_by_eigenvalues, variance_floor
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.arcs import Arcs, spectrum
from mechdesign.workloads.eigenspaces import levels_of
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.registry import named_size, parse_named_workload

# Certified optima of the mean over inputs, k = 8, at epsilon 1/2, 1 and 2, and how far the floor may be below them.
OPTIMA = {
    "prefixes": (Prefixes(8), {"1/2": 101.8797, "1": 23.0313, "2": 4.3320}),
    "ranges": (Ranges(8), {"1/2": 605.0875, "1": 137.5229, "2": 24.7214}),
    "ranges_of_3": (FixedRanges(8, 3), {"1": 23.2447}),
}
SHORTFALL = {"1/2": 0.1, "1": 0.1, "2": 0.33}


@pytest.mark.parametrize(("name", "epsilon"), [(name, e) for name, (_, optima) in OPTIMA.items() for e in optima])
def test_floor_is_below_the_optimum_by_no_more_than_is_said(name: str, epsilon: str) -> None:
    workload, optima = OPTIMA[name]
    floor = float(variance_floor(WorkloadProblem(workload, epsilon=epsilon)))
    assert floor <= optima[epsilon] * (1 + 1e-4)
    assert floor >= optima[epsilon] * (1 - SHORTFALL[epsilon])


@pytest.mark.parametrize("kind", [Prefixes, Ranges, Arcs])
def test_a_formula_has_the_singular_values_of_the_matrix(kind: type[Prefixes | Ranges | Arcs]) -> None:
    for k in (2, 3, 4, 5, 16, 33, 64, 127, 256):
        matrix = np.array(kind(k).gram(), dtype=float)
        centring = np.eye(k) - 1 / k
        roots = np.sqrt(np.maximum(np.linalg.eigvalsh(centring @ matrix @ centring), 0)).sum()
        assert float(kind(k).singular_sum_square()) == pytest.approx(roots**2, rel=1e-6)


@pytest.mark.parametrize("k", [2, 3, 16, 33])
def test_arcs_have_a_frequency_of_the_circle_for_each_singular_value(k: int) -> None:
    matrix = np.array(Arcs(k).gram(), dtype=float)
    found = np.sort(np.linalg.eigvalsh(matrix - matrix.mean()))[1:]
    both = np.concatenate([spectrum(k), spectrum(k)[: (k - 1) // 2]])
    np.testing.assert_allclose(found, np.sort(both), rtol=1e-9)


TABLES = [
    *("grid:1,2", "grid:2,1", "grid:2,2", "grid:3,5", "grid:1,9", "grid:30,31", "grid:prefixes:16,prefixes:16"),
    *(
        "grid:circular:12,11",
        "grid:circular:9,circular:14",
        "grid:prefixes:1,circular:7",
        "grid:histogram:5,prefixes:8",
    ),
]


@pytest.mark.parametrize("name", TABLES)
def test_tables_have_a_formula_too(name: str) -> None:
    """It is from below, and by as much as the sum over powers of 4 loses."""
    k = named_size(name)
    assert k is not None
    table, centring = parse_named_workload(name, k), np.eye(k) - 1 / k
    matrix = np.array(table.gram(), dtype=float)
    roots = np.sqrt(np.maximum(np.linalg.eigvalsh(centring @ matrix @ centring), 0)).sum()
    square = table.singular_sum_square()
    assert square is not None
    assert 1 - 2e-6 < float(square) / roots**2 < 1


def test_rectangles_of_many_items_have_a_floor_at_once() -> None:
    """A table of one row has the ranges of its columns; eigenvalues that are taken together are cut as they come."""
    alpha = Fraction(3, 8)
    for k in (2, 1 << 14, 20_001):
        row, ranges = closed_form_floor(Grid((1, k)), alpha), closed_form_floor(Ranges(k), alpha)
        assert row is not None
        assert ranges is not None
        assert 1 - 2e-6 < row / ranges < 1
    assert closed_form_floor(Grid((1000, 1000)), alpha) > 0


@pytest.mark.parametrize(("d", "way"), [(1, 1), (4, 1), (5, 2), (6, 6)])
def test_tables_of_two_items_have_a_formula_too(d: int, way: int) -> None:
    tables = Marginals((2,) * d, way)
    matrix = np.array(tables.gram(), dtype=float)
    centring = np.eye(2**d) - 0.5**d
    roots = np.sqrt(np.maximum(np.linalg.eigvalsh(centring @ matrix @ centring), 0)).sum()
    assert float(tables.singular_sum_square()) == pytest.approx(roots**2, rel=1e-5)
    assert Marginals((2, 3), 1).singular_sum_square() is None


def test_tables_of_many_attributes_have_a_floor_at_once() -> None:
    """From where rows of every size are no longer looked at."""
    small, alpha = Marginals((2,) * 12, 2), Fraction(1, 3)
    square, k = small.singular_sum_square(), 1 << 12
    constant = Fraction(small.block_energy(k), k * k) - Fraction(small.block_energy(1), k)
    by_formula, by_symmetry = square / largest_price(k, alpha) + constant, closed_form_floor(small, alpha)
    assert float(by_formula) == pytest.approx(float(by_symmetry), rel=1e-3)
    assert closed_form_floor(Marginals((2,) * 60, 2), alpha) > 0


def test_the_formula_is_the_bound_from_the_eigenvalues_and_not_below_it() -> None:
    for k, epsilon in ((2, "1"), (9, "1/2"), (64, "1"), (100, "3")):
        problem = WorkloadProblem(Ranges(k), epsilon=epsilon)
        formula, enclosed = closed_form_floor(Ranges(k), problem.bound_alpha), floor_by_eigenvalues(problem)
        assert formula is not None
        assert -(10**-11) < (formula - enclosed) / enclosed < 10**-6


@pytest.mark.parametrize(("kind", "added"), [(Prefixes, 0.8188), (Ranges, 0.1256), (Arcs, 0.1256)])
def test_the_floor_grows_as_the_theorem_has_it(kind: type[Prefixes | Ranges | Arcs], added: float) -> None:
    """At k = 2^24, where what is left out is small; it takes a tenth of a second."""
    k = 1 << 24
    leading = (np.log(k) + added) ** 2 * {Prefixes: 1, Ranges: k, Arcs: 2 * k}[kind] * (k / np.pi) ** 2
    assert float(kind(k).singular_sum_square()) == pytest.approx(leading, rel=1e-5)


@pytest.mark.parametrize("power", [-99, -30, 20, 99])
def test_floor_goes_with_the_square_of_the_weights(power: int) -> None:
    scale = Fraction(10) ** power
    small, plain = (
        variance_floor(WorkloadProblem(MatrixWorkload.of([[s, 0, 0], [s, s, 2 * s]], "w.csv"), epsilon=1))
        for s in (scale, Fraction(1))
    )
    assert float(small / scale**2) == pytest.approx(float(plain), rel=1e-9)
    assert plain > 0


@pytest.mark.parametrize(
    "workload", [Histogram(6), Marginals((2, 2, 2), 2), Marginals((2,) * 6, 3)], ids=lambda w: w.name
)
def test_floor_is_that_of_the_levels_where_there_are_some(workload: Histogram | Marginals) -> None:
    problem = WorkloadProblem(workload, alpha="2/5")
    levels = levels_of(workload)
    assert levels is not None
    exact = bound_by_levels(levels, problem.alpha, level_proof(levels, problem.alpha))
    assert variance_floor(problem) == exact
    assert 0 <= exact - floor_by_eigenvalues(problem) <= exact / 10**8


def test_one_query_is_randomised_response() -> None:
    problem = WorkloadProblem(MatrixWorkload.of([[1, 0]]), epsilon=1)
    noise = problem.alpha / (1 - problem.alpha) ** 2
    assert float(noise) == pytest.approx(0.92067, abs=1e-5)
    assert 0 <= noise - variance_floor(problem) <= Fraction(1, 10**9)


def test_merged_items_have_the_floor_of_the_items() -> None:
    rows = [[1, 1, 0, 0, 0], [0, 0, 0, 2, 0], [1, 1, 3, 0, 0]]
    problem = WorkloadProblem(MatrixWorkload.of(rows), alpha="1/2")
    assert problem.merged.size == 4
    matrix = np.array(rows, dtype=float)
    roots = np.linalg.svd(matrix - matrix.mean(axis=1, keepdims=True), compute_uv=False)
    constant = ((matrix.mean(axis=1)) ** 2).sum() - (matrix**2).sum() / 5
    expected = roots.sum() ** 2 / float(largest_price(5, Fraction(1, 2))) + constant
    assert float(variance_floor(problem)) == pytest.approx(expected, rel=1e-9)
