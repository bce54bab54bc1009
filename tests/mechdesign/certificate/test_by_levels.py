"""Proofs by levels: exact variances of symmetric mechanisms, and a bound that none beats."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from wording import refused

from mechdesign.certificate.by_levels import best_size, bound_by_levels, largest_price, level_proof, variance_by_levels
from mechdesign.documents.workloads import parse_workload
from mechdesign.errors import InputError
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.verify.bounds import proved_bound
from mechdesign.verify.workloads import workload_of
from mechdesign.workloads.eigenspaces import levels_of
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.ordered import Histogram
from mechdesign.workloads.workload import Workload

THIRD = Fraction(1, 3)
WORKLOADS = {
    "histogram_4": Histogram(4),
    "marginals_1_of_2": Marginals((2, 2), 1),
    "marginals_2_of_2": Marginals((2, 2), 2),
    "marginals_2_of_3": Marginals((2, 2, 2), 2),
}
MECHANISMS = {
    "singles_4": ("1000", "0100", "0010", "0001"),
    "pairs_4": ("1100", "1010", "1001", "0110", "0101", "0011"),
    "flat_pairs_and_singles_4": ("1100", "1010", "0101", "0011", "1000", "0100", "0010", "0001"),
    "two_attributes_of_8": tuple(
        "".join(str(int(cell[a] == x and cell[b] == y)) for cell in product((0, 1), repeat=3))
        for a, b in ((0, 1), (0, 2), (1, 2))
        for x in (0, 1)
        for y in (0, 1)
    ),
}


def mechanism_of(name: str, alpha: Fraction = THIRD, weights: tuple[int, ...] | None = None) -> RowMechanism:
    rows = MECHANISMS[name]
    weights = weights or (alpha.numerator,) * len(rows)
    column = sum(w / alpha if row[0] == "1" else Fraction(w) for row, w in zip(rows, weights, strict=True))
    return RowMechanism(alpha, rows, weights, int(column))


def exact_variance(workload: Workload, mechanism: RowMechanism) -> Fraction:
    """`tr(G A^-1)` less the mean of the diagonal of G, by a rational inverse."""
    k = mechanism.k
    rows = [[mechanism.fraction(r, u) for u in range(k)] for r in range(mechanism.n_outputs)]
    entries = [[sum(row[u] * row[v] / sum(row) * k for row in rows) for v in range(k)] for u in range(k)]
    inverse = fmpq_mat([[fmpq(e.numerator, e.denominator) for e in line] for line in entries]).inv()
    gram = workload.gram()
    value = sum(
        Fraction(gram[u][v]) * Fraction(int(e.p), int(e.q)) for u in range(k) for v in range(k) for e in [inverse[u, v]]
    )
    return value - Fraction(sum(gram[u][u] for u in range(k)), k)


@pytest.mark.parametrize(
    ("workload", "mechanism"),
    [
        ("histogram_4", "singles_4"),
        ("histogram_4", "pairs_4"),
        ("marginals_2_of_2", "singles_4"),
        ("marginals_2_of_2", "flat_pairs_and_singles_4"),
        ("marginals_2_of_3", "two_attributes_of_8"),
    ],
)
def test_variance_is_that_of_the_whole_matrix(workload: str, mechanism: str) -> None:
    levels, made = levels_of(WORKLOADS[workload]), mechanism_of(mechanism)
    assert levels is not None
    if mechanism == "two_attributes_of_8":  # no report tells of three attributes together: A is singular there
        full = mechanism_of(mechanism)
        tilted = variance_by_levels(levels, full)
        rows = [[float(full.fraction(r, u)) for u in range(8)] for r in range(full.n_outputs)]
        matrix = np.array(rows)
        information = 8 * (matrix.T / matrix.sum(axis=1)) @ matrix
        gram = np.array(WORKLOADS[workload].gram(), dtype=float)
        assert tilted is not None
        assert float(tilted) == pytest.approx(np.trace(gram @ np.linalg.pinv(information)) - gram.trace() / 8)
    else:
        assert variance_by_levels(levels, made) == exact_variance(WORKLOADS[workload], made)


def test_no_variance_is_stated_without_the_symmetry() -> None:
    flat, histogram = levels_of(WORKLOADS["marginals_2_of_2"]), levels_of(WORKLOADS["histogram_4"])
    assert flat is not None
    assert histogram is not None
    lopsided = RowMechanism(THIRD, ("1100", "0011", "1010", "0101"), (1, 1, 2, 2), 12)
    assert variance_by_levels(histogram, lopsided) is None
    sizes = (*MECHANISMS["pairs_4"], *MECHANISMS["singles_4"])
    assert variance_by_levels(histogram, RowMechanism(THIRD, sizes, (1,) * 10, 18)) is None
    blind = RowMechanism(THIRD, ("1100", "0011"), (1, 1), 4)
    assert variance_by_levels(flat, blind) is None
    uneven = RowMechanism(THIRD, ("1100", "0011", "1000", "0111"), (1, 1, 1, 1), 8)
    assert variance_by_levels(flat, uneven) is None
    assert variance_by_levels(flat, mechanism_of("two_attributes_of_8")) is None


@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 3), Fraction(9, 10)], ids=["low", "mid", "high"])
@pytest.mark.parametrize("name", WORKLOADS)
def test_bound_is_at_most_every_variance(name: str, alpha: Fraction) -> None:
    levels = levels_of(WORKLOADS[name])
    assert levels is not None
    bound = bound_by_levels(levels, alpha, level_proof(levels, alpha))
    values = [variance_by_levels(levels, mechanism_of(row, alpha)) for row in MECHANISMS]
    assert all(value is None or value >= bound for value in values)
    if name == "histogram_4":
        assert bound in values


@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 3), Fraction(9, 10)], ids=["low", "mid", "high"])
@pytest.mark.parametrize("way", [1, 2, 3])
def test_price_holds_for_every_row(way: int, alpha: Fraction) -> None:
    workload = Marginals((2, 2, 2), way)
    levels = levels_of(workload)
    assert levels is not None
    proof = level_proof(levels, alpha)
    signs = np.array([[(-1) ** (s & u).bit_count() for s in range(8)] for u in range(8)])
    orders = np.array([s.bit_count() for s in range(8)])
    numbers = np.array([0.0, *(b / proof.scale for b in proof["levels"])])
    dual = (signs * numbers[orders]) @ signs.T / 8
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    rows = 1 + float(1 / alpha - 1) * bits
    centring = np.eye(8) - 1 / 8
    costs = ((rows @ (dual @ centring @ np.array(workload.gram()) @ centring @ dual)) * rows).sum(axis=1)
    slack = proof["prices"][0] / proof.scale * rows.mean(axis=1) ** 2 - costs
    assert slack.min() > -1e-9
    assert way == 2 or alpha == Fraction(1, 20) or slack.min() < 1e-9


@pytest.mark.parametrize("d", [1, 2, 6])
def test_asking_about_one_attribute_at_a_time_is_best_for_single_attributes_up_to_a_ratio_of_three(d: int) -> None:
    workload = Marginals((2,) * d, 1)
    levels = levels_of(workload)
    assert levels is not None
    answers = ["".join(str(u >> a & 1 ^ x) for u in range(1 << d)) for a in range(d) for x in (0, 1)]
    for alpha in (Fraction(99, 100), Fraction(1, 3)):
        weight, entry = alpha.numerator, 1 / alpha
        mechanism = RowMechanism(alpha, tuple(answers), (weight,) * len(answers), int(d * weight * (1 + entry)))
        value = variance_by_levels(levels, mechanism)
        bound = bound_by_levels(levels, alpha, level_proof(levels, alpha))
        assert value is not None
        assert 0 <= value - bound < Fraction(1, 10**15)


@pytest.mark.parametrize(("workload", "k"), [("marginals:1:2,2,2", 8), ("marginals:3:2,2,2,2", 16), ("histogram", 6)])
def test_checker_proves_the_same_bound_and_not_a_lower_price(workload: str, k: int) -> None:
    levels = levels_of(parse_workload(workload, k))
    assert levels is not None
    for alpha in (Fraction(1, 40), THIRD):
        proof = level_proof(levels, alpha)
        certificate = proof
        checked = workload_of(workload, k, None)
        assert proved_bound(checked, alpha, certificate) == bound_by_levels(levels, alpha, proof)
        with refused(ValueError):
            proved_bound(checked, alpha, certificate.changed(prices=[proof["prices"][0] - 1]))
        first, *others = proof["prior"]
        for prior in ([-first, *others], [0] * (1 + len(others))):
            with refused(ValueError):
                proved_bound(checked, alpha, certificate.changed(prior=prior))


def test_largest_price_is_over_all_sizes() -> None:
    for k in (2, 3, 5, 17, 64):
        for alpha in (Fraction(1, 100), THIRD, Fraction(99, 100)):
            step = 1 / alpha - 1
            prices = [k * step**2 * n * (k - n) / (k + step * n) ** 2 for n in range(1, k)]
            assert largest_price(k, alpha) == max(prices)
            assert prices[best_size(k, alpha) - 1] == max(prices)


def test_proofs_that_show_nothing_are_refused() -> None:
    levels = levels_of(WORKLOADS["marginals_2_of_3"])
    assert levels is not None
    proof = level_proof(levels, THIRD)
    (price,) = proof["prices"]
    spoiled = [
        proof.changed(prices=(price - 1,)),
        proof.changed(prices=(0,)),
        proof.changed(prices=()),
        proof.changed(levels=proof["levels"][:-1]),
        proof.changed(levels=(proof["levels"][0] + 1, *proof["levels"][1:])),
        replace(proof, scale=0),
    ]
    for other in spoiled:
        with refused(InputError):
            bound_by_levels(levels, THIRD, other)
    with refused(InputError):
        bound_by_levels(levels, Fraction(1, 4), proof)
