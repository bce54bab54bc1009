"""Unbiased estimates that are linear in the shares of released counts, solved exactly in rationals.

The shares f of N released counts have the expectation `P pi`. Where P is invertible `P^-1 f` is therefore unbiased for
the distribution pi of the true counts. It is neither clipped nor rescaled, which would cost it that: shares may be
negative or above 1, and sum to 1 all the same (the columns of P, and so those of its inverse, do).
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from mechdesign.errors import InputError
from mechdesign.estimation.likelihood import require_possible
from mechdesign.mechanism import Mechanism
from mechdesign.rational import nearest_float

Rationals = tuple[Fraction, ...]

LARGEST_SYSTEM = 129
"""Inputs up to which one linear system is solved (about a second)."""

LARGEST_INVERSE = 65
"""Inputs up to which the inverse is written out: so many squared integers, each as long as the determinant."""


@dataclass(frozen=True)
class Inversion:
    """`P^-1 f` and the standard error of each share: the root of the diagonal of `P^-1 (diag f - f f^T) P^-T / N`."""

    distribution: tuple[float, ...]
    standard_errors: tuple[float, ...]


def rank(mechanism: Mechanism) -> int:
    """The exact rank of P; the inversion exists where it is the number of inputs and P is square."""
    return int(_integers(mechanism).rank())


def invert(mechanism: Mechanism, counts: Sequence[int]) -> Inversion | None:
    """The unbiased estimate from `counts[i]` releases of i, exact until the last step; None for a singular matrix.

    Raises:
        InputError: as `maximum_likelihood`.
    """
    exact = exact_inversion(mechanism, counts)
    if exact is None:
        return None
    shares, variances = exact
    errors = tuple(math.sqrt(nearest_float(variance)) for variance in variances)
    return Inversion(tuple(map(nearest_float, shares)), errors)


def exact_inversion(mechanism: Mechanism, counts: Sequence[int]) -> tuple[Rationals, Rationals] | None:
    """The shares `P^-1 f` and their estimated variances, in rationals.

    With integers `P^-1 = M / d`, releases F and their number N, the share is `(M F)_j / (d N)` and its variance
    `(N sum_i M[j,i]^2 F_i - (M F)_j^2) / (d^2 N^3)`.
    """
    require_possible(mechanism, counts)
    if mechanism.n_outputs != mechanism.n_inputs:
        return None
    try:
        inverse, divisor = (fmpq_mat(_integers(mechanism)).inv() * fmpq(mechanism.denominator)).numer_denom()
    except ZeroDivisionError:
        return None
    releases = [fmpz(count) for count in counts]
    total = fmpz(sum(counts))
    shares, variances = [], []
    for row in inverse.tolist():
        first = sum((m * count for m, count in zip(row, releases, strict=True)), fmpz(0))
        second = sum((m * m * count for m, count in zip(row, releases, strict=True)), fmpz(0))
        shares.append(_fraction(first, divisor * total))
        variances.append(_fraction(total * second - first * first, divisor * divisor * total**3))
    return tuple(shares), tuple(variances)


def unbiased_weights(mechanism: Mechanism, values: Sequence[int]) -> Rationals | None:
    """Weights c with `sum_i c_i P[i,j] = values[j]` for every input j; None where there are none.

    `sum_i c_i f_i` is then unbiased for `sum_j values[j] pi_j`. They may exist for a singular P, where the distribution
    is not estimable. Of many the shortest is returned, `c = P y` with `P^T P y = values`: outputs that never occur
    weigh 0, and equal rows the same.
    """
    if len(values) != mechanism.n_inputs:
        raise InputError(f"values must be {mechanism.n_inputs} numbers, one for each input, got {len(values)}")
    weights = _integers(mechanism)
    rows = weights.transpose()
    target = fmpz_mat([[value] for value in values])
    if mechanism.n_outputs == mechanism.n_inputs:
        with suppress(ZeroDivisionError):  # singular
            return _scaled(fmpq_mat(rows).solve(fmpq_mat(target)), mechanism.denominator)
    y = _some_solution(rows * weights, target)
    return None if y is None else _scaled(fmpq_mat(weights) * y, mechanism.denominator)


def _some_solution(matrix: fmpz_mat, target: fmpz_mat) -> fmpq_mat | None:
    """An x with `matrix x = target`, free entries 0; None where there is none."""
    size = matrix.ncols()
    table = [[*row, *right] for row, right in zip(matrix.tolist(), target.tolist(), strict=True)]
    reduced, pivots = fmpq_mat(fmpz_mat(table)).rref()
    x = [[fmpq(0)] for _ in range(size)]
    for row in reduced.tolist()[:pivots]:
        first = next(j for j, value in enumerate(row) if value != 0)
        if first == size:
            return None
        x[first] = [row[size]]
    return fmpq_mat(x)


def _integers(mechanism: Mechanism) -> fmpz_mat:
    return fmpz_mat([list(row) for row in mechanism.weights])


def _scaled(vector: fmpq_mat, factor: int) -> Rationals:
    return tuple(_fraction(value.p * factor, value.q) for value in vector.entries())


def _fraction(top: fmpz, bottom: fmpz) -> Fraction:
    return Fraction(int(top), int(bottom))
