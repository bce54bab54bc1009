"""The variance of a mechanism of rows: fractions and balls against the definition in floats."""

from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.certificate.row_designs.measuring import measure
from mechdesign.certificate.row_designs.variance import RowInformation
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges

ALPHA = Fraction(2, 7)


def cyclic(k, *blocks, weights=None):
    """The shifts of some blocks, as a mechanism; the weights are by block."""
    rows, whole = [], []
    for block, weight in zip(blocks, weights or [1] * len(blocks), strict=True):
        rows += ["".join("01"[(u - shift) % k in block] for u in range(k)) for shift in range(k)]
        whole += [2 * weight] * k
    ones = [sum(w for row, w in zip(rows, whole, strict=True) if row[u] == "1") for u in range(k)]
    return RowMechanism(ALPHA, tuple(rows), tuple(whole), sum(whole) - ones[0] + ones[0] * 7 // 2)


def by_definition(workload, mechanism, prior):
    """The variances of the answers for a user of each item, from the best unbiased scores of every report."""
    queries = workload.queries().weights()
    table = np.array(
        [[float(mechanism.fraction(r, u)) for u in range(mechanism.k)] for r in range(mechanism.n_outputs)]
    )
    share = np.array(prior) / sum(prior)
    likely = table @ share
    scores = queries @ np.linalg.pinv(table.T @ (table / likely[:, None]), rcond=1e-12) @ (table / likely[:, None]).T
    np.testing.assert_allclose(scores @ table, queries, atol=1e-9)
    return (scores**2).sum(axis=0) @ table - (queries**2).sum(axis=0)


CASES = {
    "prefixes": (Prefixes(5), cyclic(5, {0, 1}, {0}), (1, 1, 1, 1, 1)),
    "ranges-prior": (Ranges(5), cyclic(5, {0, 2}, {0, 1}, weights=[3, 1]), (3, 1, 2, 2, 1)),
    "singular": (FixedRanges(6, 3), cyclic(6, {0, 1, 2}), (1,) * 6),
}


@pytest.mark.parametrize("case", CASES)
def test_bounds_and_fractions_meet_the_definition(case):
    workload, mechanism, prior = CASES[case]
    information = RowInformation(WorkloadProblem(workload, alpha=ALPHA).merged, mechanism, prior)
    low, high = information.bounds()
    wanted = by_definition(workload, mechanism, prior)
    np.testing.assert_allclose(np.array(low, dtype=float), wanted, rtol=1e-9)
    assert all(0 <= above - below <= below / 10**12 for below, above in zip(low, high, strict=True))
    mean = information.exact()
    shares = [Fraction(weight, sum(prior)) for weight in prior]
    assert sum(p * v for p, v in zip(shares, low, strict=True)) <= mean
    assert mean <= sum(p * v for p, v in zip(shares, high, strict=True))


def test_randomised_response_has_its_known_variance():
    """Each of two items has q/(p - q)^2 at the true probability q = 1 - p, twice for two items."""
    coin = RowMechanism(Fraction(1, 3), ("10", "01"), (1, 1), 4)
    for aggregate in ("expected", "worst"):
        found = measure(WorkloadProblem(Histogram(2), alpha="1/3", aggregate=aggregate), coin, (1, 1))
        assert found.is_exact
        assert found.upper == found.by_input.largest == Fraction(3, 2)


def test_the_worst_case_is_stated_from_above():
    workload, mechanism, _ = CASES["ranges-prior"]
    for first in range(1, 12):
        found = measure(WorkloadProblem(workload, alpha=ALPHA, aggregate="worst"), mechanism, (first, 1, 2, 2, 1))
        assert not found.is_exact
        assert found.by_input.largest <= found.upper <= found.by_input.largest * (1 + Fraction(1, 10**12))
        assert Fraction(repr(float(found.upper))) == found.upper


def test_an_exact_number_that_would_be_long_is_left_out(monkeypatch):
    workload, mechanism, prior = CASES["prefixes"]
    monkeypatch.setattr("mechdesign.certificate.row_designs.variance.LONGEST_EXACT", 20)
    found = measure(WorkloadProblem(workload, alpha=ALPHA), mechanism, prior)
    assert not found.is_exact
    monkeypatch.undo()
    exact = measure(WorkloadProblem(workload, alpha=ALPHA), mechanism, prior)
    assert exact.is_exact
    assert exact.upper <= found.upper <= exact.upper * (1 + Fraction(1, 10**12))


def test_rows_must_tell_every_query():
    pairs = RowMechanism(ALPHA, ("1100", "0011"), (2, 2), 9)
    with refused(InputError, about="rows"):
        RowInformation(WorkloadProblem(Prefixes(4), alpha=ALPHA).merged, pairs, (1, 1, 1, 1))


def test_rows_must_not_tell_items_of_a_group_apart():
    mechanism = cyclic(5, {0})
    with refused(InputError):
        RowInformation(WorkloadProblem(FixedRanges(5, 4), alpha=ALPHA).merged, mechanism, (1, 3, 1))
