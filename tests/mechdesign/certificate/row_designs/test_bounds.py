"""Bounds that are proved: duals are rounded to proofs, proofs are checked, and no bound beats a mechanism."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign.certificate.row_designs.bounds import proof_by_relaxation, proof_by_rows, proved_bound, relaxed_matrix
from mechdesign.certificate.row_designs.forms import DualForm, centred_gram, constant, full_matrix
from mechdesign.certificate.row_designs.semidefinite import is_semidefinite
from mechdesign.certificate.row_designs.variance import RowInformation
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.verify.certificates import Certificate
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Prefixes, Ranges

ALPHA = Fraction(1, 3)
CASES = {"prefixes": Prefixes(5), "ranges": Ranges(4), "groups": FixedRanges(7, 5)}


def problem_of(case, aggregate="expected"):
    return WorkloadProblem(CASES[case], alpha=ALPHA, aggregate=aggregate)


def random_dual(size, seed):
    random = np.random.default_rng(seed)
    half = random.standard_normal((size, size))
    return half + half.T, random.random(size)


def random_mechanism(problem, seed):
    """Rows of single groups with their complements, and their weights: any that balance the groups."""
    random = np.random.default_rng(seed)
    size = problem.merged.size
    rows, weights = [], []
    for g in range(size):
        row = "".join("01"[group == g] for group in problem.merged.group_of)
        rows += [row, row.translate({48: 49, 49: 48})]
        weights += [int(random.integers(1, 50)), 0]
    total = 60 - np.array(weights[::2])
    weights[1::2] = (total - total.min() + 1).tolist()
    ones = [sum(w for row, w in zip(rows, weights, strict=True) if row[u] == "1") for u in range(problem.k)]
    extra = [max(ones) - ones[group[0]] for group in problem.merged.groups]
    weights = [w + extra[i // 2] * (i % 2 == 0) for i, w in enumerate(weights)]
    most = max(ones)
    return RowMechanism(ALPHA, tuple(rows), tuple(weights), sum(weights) + 2 * most)


def uniform(problem):
    return problem.merged.sizes


@pytest.mark.parametrize("case", CASES)
def test_random_duals_never_beat_random_mechanisms(case):
    problem = problem_of(case)
    best = min(
        RowInformation(problem.merged, random_mechanism(problem, seed), uniform(problem)).exact() for seed in range(4)
    )
    bounds = []
    for seed in range(12):
        dual, prices = random_dual(problem.merged.size, seed)
        proof = proof_by_rows(problem, uniform(problem), dual, prices)
        bounds.append(proved_bound(problem, proof))
        assert bounds[-1] <= best
    assert max(bounds) > constant(problem, uniform(problem))  # they say more than nothing


def closed_form(problem, prior):
    """The dual of the bound in closed form, `B = Gc^(-1/2)`, on the row space, with its even prices."""
    gram = centred_gram(problem, prior) / (sum(prior) ** 2 * problem.merged.denominator)
    values, vectors = np.linalg.eigh(gram.astype(np.float64))
    inverse = np.where(values > 1e-9, 1 / np.sqrt(np.maximum(values, 1e-9)), 0)
    return vectors * inverse @ vectors.T


@pytest.mark.parametrize("case", ["prefixes", "ranges"])
def test_a_relaxation_is_rounded_to_a_proof_near_the_rows(case):
    """The closed form's trace bound is its diagonal; whatever is lacking is paid for."""
    problem, entry = problem_of(case), 3.0
    prior = uniform(problem)
    size = problem.merged.size
    dual = closed_form(problem, prior)
    price = size * (entry - 1) ** 2 / (4 * entry)
    prices = np.full(size, price / size)
    by_rows = proved_bound(problem, proof_by_rows(problem, prior, dual, prices))
    proof = proof_by_relaxation(problem, prior, dual, prices, np.zeros(size + 1))
    relaxed = proved_bound(problem, proof)
    assert relaxed <= by_rows
    assert sum(proof["diagonal"]) >= 0
    cut = np.array([[1] + [1, -1] * (size // 2) + [0] * (size % 2)])
    with_cut = proof_by_relaxation(problem, prior, dual, prices, np.zeros(size + 1), cut, np.array([1e-6]))
    assert len(with_cut["cuts"]) == 1
    assert proved_bound(problem, with_cut) <= by_rows


def rows_proof(case="prefixes"):
    problem = problem_of(case)
    dual = closed_form(problem, uniform(problem))
    return problem, proof_by_rows(problem, uniform(problem), dual, np.zeros(problem.merged.size))


def test_prices_pay_for_the_dearest_row():
    problem, proof = rows_proof()
    assert proved_bound(problem, proof) > 0
    cheaper = tuple(price // 8 for price in proof["prices"])
    with refused(ValueError):
        proved_bound(problem, proof.changed(prices=cheaper))


def test_rows_are_refused_beyond_those_that_can_be_priced():
    wide = WorkloadProblem(Prefixes(33), alpha=ALPHA)
    _, proof = rows_proof()
    wider = proof.changed(prior=(1,) * 33, dual=tuple((0,) * n for n in range(1, 34)), prices=(1,) * 33)
    with refused(ValueError):
        proved_bound(wide, wider)


CHANGES = {
    "another-prior": {"prior": (2, 1, 1, 1, 1)},
    "no-prior": {"prior": (0,) * 5},
    "negative-prices": {"prices": (-1,) * 5},
    "levels": {"kind": "levels", "prices": (1,), "levels": (1,)},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_proof_is_refused(change):
    problem, proof = rows_proof()
    changed = dict(CHANGES[change])
    kind = changed.pop("kind", proof.kind)
    with refused(ValueError):
        proved_bound(problem, replace(proof.changed(**changed), kind=kind))


RELAXED = {
    "diagonal-sum": lambda p: {"diagonal": (p["diagonal"][0] - sum(p["diagonal"]) - 1, *p["diagonal"][1:])},
    "diagonal-more": lambda p: {"diagonal": tuple(2 * abs(d) + p.scale for d in p["diagonal"])},
    "cheaper": lambda p: {"prices": tuple(price // 8 for price in p["prices"])},
    "even-cut": lambda p: {"cuts": ((1, (0,) * 6),)},
    "negative-cut": lambda p: {"cuts": ((-1, (1, 0, 0, 0, 0, 0)),)},
    "heavy-cut": lambda p: {"cuts": ((p.scale * 50, (1, 1, 1, 0, 0, 0)),)},
}


@pytest.mark.parametrize("change", RELAXED)
def test_a_changed_relaxation_is_refused(change):
    problem = problem_of("prefixes")
    dual = closed_form(problem, uniform(problem))
    proof = proof_by_relaxation(problem, uniform(problem), dual, np.full(5, 1 / 3), np.zeros(6))
    assert proved_bound(problem, proof) < 100
    changed = RELAXED[change]
    with refused(ValueError):
        proved_bound(problem, proof.changed(**changed(proof)))


@pytest.mark.parametrize("case", CASES)
def test_the_relaxed_matrix_is_what_prices_leave_beyond_diagonal_and_cuts(case):
    """On the signs of every row: the difference of both sides, less d, less what the cuts are worth there."""
    problem = problem_of(case)
    size, scale = problem.merged.size, 1 << 20
    dual, prices = random_dual(size, 3)
    whole = np.rint(dual * scale).astype(int).astype(object)
    form = DualForm(problem, uniform(problem), scale, whole, tuple(np.rint(prices * scale).astype(int).tolist()))
    cuts = ((7, (1, *(2,) * size)), (90, (0, 1, *(0,) * (size - 1))))
    proof = Certificate("relaxation", scale, {"prior": form.prior, "diagonal": tuple(range(5, 6 + size)), "cuts": cuts})
    matrix = relaxed_matrix(form, proof)
    for signs in itertools.product((-1, 1), repeat=size):
        moment = np.array((1, *signs), dtype=object)
        row = np.where(np.array(signs) == 1, 3, 1).astype(object)
        worth = sum(z * (int(moment @ np.array(w)) ** 2 - 1) for z, w in cuts) + sum(proof["diagonal"])
        wanted = -Fraction(int(row @ form.form @ row), form.factor) - Fraction(worth, scale)
        assert Fraction(int(moment @ matrix @ moment), 4 * form.factor) == wanted


def test_the_centred_gram_matrix_and_the_constant_are_what_they_stand_for():
    problem, prior = problem_of("prefixes"), (1, 2, 3, 2, 1)
    gram = problem.merged.gram.astype(np.float64)
    share = np.array(prior) / 9
    centring = np.eye(5) - np.outer(share, np.ones(5))
    np.testing.assert_allclose((centred_gram(problem, prior) / 81).astype(float), centring.T @ gram @ centring)
    assert not (centred_gram(problem, prior) @ np.array(prior, dtype=object)).any()
    assert float(constant(problem, prior)) == pytest.approx(share @ gram @ share - share @ gram.diagonal())


def test_a_triangle_is_the_lower_half():
    assert full_matrix(((1,), (2, 3))).tolist() == [[1, 2], [2, 3]]


MATRICES = {
    "positive": ([[2, -1, 0], [-1, 2, -1], [0, -1, 2]], True),
    "indefinite": ([[1, 2], [2, 1]], False),
    "negative": ([[-1]], False),
    "zero": ([[0, 0], [0, 0]], True),
    "long": ([[10**400, 10**399], [10**399, 10**399]], True),
    "long-indefinite": ([[10**400, 10**400], [10**400, 10**400 - 10**390]], False),
    "barely-indefinite": ([[10**30, 10**30 + 1], [10**30 + 1, 10**30]], False),
}


@pytest.mark.parametrize("name", MATRICES)
def test_semidefinite_is_what_is_shown_to_be(name):
    rows, wanted = MATRICES[name]
    assert is_semidefinite(np.array(rows, dtype=object)) is wanted


def test_what_floats_cannot_tell_from_semidefinite_is_not_shown():
    """Of rank 5 but for a diagonal that is smaller by 1: floats find some of these positive."""
    random, seen = np.random.default_rng(7), set()
    for _ in range(40):
        half = random.integers(-(10**15), 10**15, (6, 5)).astype(object)
        matrix = half @ half.T - np.eye(6, dtype=int).astype(object)
        seen.add(bool(np.linalg.eigvalsh(matrix.astype(float))[0] > 0))
        assert not is_semidefinite(matrix)
    assert True in seen
