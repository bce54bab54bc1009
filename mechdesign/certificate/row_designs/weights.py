"""Rounded weights of rows: every item's probabilities sum to exactly 1.

No row comes in that was not there.

The probabilities of item u sum to `sum_r w_r + (E - 1) sum_r w_r b_r(u)`: they are equal for all items where
`sum_r w_r b_r` is constant, whatever E is. The rounded weights miss that by a vector of the span of the rows b_r and 1;
it is taken from the weights of the heaviest rows that are a basis of that span.
"""

import math
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpz_mat, nmod_mat
from numpy.typing import NDArray

from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.workload_problem import WorkloadProblem

Bits = NDArray[np.uint8]

WEIGHT_BITS = 60
"""Weights are rounded to so many bits, below the largest of them."""

LEAST_WEIGHT = 1e-13
"""Rows of less than this part of the largest weight are left out: it is what searches leave of rows that are none."""

LEAST_BESIDE_OTHERS = 1e-6
"""The same of queries that do not tell all items: there tiny weights would tell the rest, with errors of thousands."""

PRIME = (1 << 61) - 1
"""Ranks are looked for modulo this prime; what is built on them is checked in integers."""


def exact_mechanism(problem: WorkloadProblem, rows: Bits, weights: NDArray[np.float64]) -> RowMechanism:
    """Make an exact mechanism of rows on the groups and their approximate weights.

    Args:
        problem: the workload, its groups, and alpha.
        rows: zeros and ones, shape (m, K); a 1 stands for E = 1/alpha.
        weights: theta, shape (m,), with `sum theta_r r` near 1 for every group.

    Only where a weight would not be positive, rows of single groups fill what is missing.
    """
    different, found = _heavy(problem, rows, weights) or _all(rows, weights)
    alpha = problem.alpha
    weight, low, high = found, alpha.numerator, alpha.denominator
    total = low * sum(weight) + (high - low) * _sum_of(different, weight)[0]
    scaled = [low * value for value in weight]
    common = math.gcd(total, *scaled)
    items = different[:, list(problem.merged.group_of)]
    texts = [(row + ord("0")).astype(np.uint8).tobytes().decode("ascii") for row in items]
    order = sorted(range(len(texts)), key=lambda i: (-scaled[i], texts[i]))
    return RowMechanism(
        alpha, tuple(texts[i] for i in order), tuple(scaled[i] // common for i in order), total // common
    )


def _heavy(problem: WorkloadProblem, rows: Bits, weights: NDArray[np.float64]) -> tuple[Bits, list[int]] | None:
    """Leave out what a search leaves in directions that no query needs; None where the queries, or sums, need it."""
    merged = problem.merged
    if merged.rank == merged.size:
        return None
    different, whole = _rounded(rows, weights, LEAST_BESIDE_OTHERS)
    told = np.vstack([np.ones((1, merged.size), dtype=np.uint8), different]).astype(object)
    if len(pivots(np.vstack([told, merged.integers]))) > len(pivots(told)):
        return None
    found = _balanced(different, whole)
    return None if found is None else (different, found)


def _all(rows: Bits, weights: NDArray[np.float64]) -> tuple[Bits, list[int]]:
    different, whole = _rounded(rows, weights, LEAST_WEIGHT)
    found = _balanced(different, whole)
    return _filled(different, whole) if found is None else (different, found)


def _rounded(rows: Bits, weights: NDArray[np.float64], least: float) -> tuple[Bits, list[int]]:
    """Return different rows, heaviest first, with whole weights, none below this part of the largest."""
    different, place = np.unique(np.asarray(rows, dtype=np.uint8), axis=0, return_inverse=True)
    together = np.bincount(place.reshape(-1), np.maximum(weights, 0.0), len(different))
    kept = together > least * together.max()
    different, together = different[kept], together[kept]
    order = np.argsort(-together, kind="stable")
    unit = Fraction(float(together.max())) / (1 << WEIGHT_BITS)
    return different[order], [int(Fraction(float(together[i])) / unit) for i in order]


def _balanced(rows: Bits, weights: list[int]) -> list[int] | None:
    """Return multiples of weights near these for which `sum_r w_r b_r` is constant; None where one is not positive."""
    columns = np.vstack([np.ones((1, rows.shape[1]), dtype=np.uint8), rows])
    basis = pivots(columns.T)
    places = pivots(columns[basis])
    square = fmpz_mat(columns[np.ix_(basis, places)].T.tolist())
    missed = fmpz_mat([[value] for value in np.array(_sum_of(rows, weights), dtype=object)[places]])
    taken = square.solve(missed)
    shares = [Fraction(int(taken[i, 0].p), int(taken[i, 0].q)) for i in range(len(basis))]
    unit = math.lcm(*(share.denominator for share in shares))
    exact = [unit * weight for weight in weights]
    for column, share in zip(basis, shares, strict=True):
        if column:  # column 0 is the constant that all groups may have
            exact[column - 1] -= int(share * unit)
    if min(exact) <= 0 or len(set(_sum_of(rows, exact))) > 1:
        return None
    return exact


def _filled(rows: Bits, weights: list[int]) -> tuple[Bits, list[int]]:
    """Return the rows with those of single groups, which take up what the others miss."""
    sums = _sum_of(rows, weights)
    single = np.eye(rows.shape[1], dtype=np.uint8)
    missing = {single[g].tobytes(): max(sums) - sums[g] for g in range(len(sums)) if sums[g] < max(sums)}
    filled = [weight + missing.pop(row.tobytes(), 0) for row, weight in zip(rows, weights, strict=True)]
    more = [np.frombuffer(row, dtype=np.uint8) for row in missing]
    return (np.vstack([rows, *more]) if more else rows), [*filled, *missing.values()]


def _sum_of(rows: Bits, weights: list[int]) -> list[int]:
    """Return `sum_r w_r b_r`, a number for each group."""
    column = fmpz_mat([[weight] for weight in weights])
    sums = fmpz_mat(rows.T.tolist()) * column
    return [int(sums[g, 0]) for g in range(rows.shape[1])]


def pivots(matrix: NDArray[np.uint8] | NDArray[np.object_]) -> list[int]:
    """Return the columns that are independent of those before them, modulo a prime."""
    reduced, rank = nmod_mat(matrix.tolist(), PRIME).rref()
    found: list[int] = []
    column = 0
    for row in range(rank):
        while int(reduced[row, column]) == 0:
            column += 1
        found.append(column)
    return found


def as_fraction(value: fmpq) -> Fraction:
    """Return a rational of python-flint as Python's."""
    return Fraction(int(value.p), int(value.q))
