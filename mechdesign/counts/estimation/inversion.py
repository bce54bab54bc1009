"""Unbiased estimates of distributions, by the exact inverse of the mechanism.

The shares f of N released counts have the expectation `P pi`. Where P is invertible `P^-1 f` is therefore unbiased for
the distribution pi of the true counts. To clip or rescale it would bias it, so shares may
be negative or above 1; they sum to 1 all the same (the columns of P, and so those of its inverse, do).
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from mechdesign.counts.estimation.likelihood import maximum_likelihood, require_possible
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import nearest_float, over_common_denominator

Rationals = tuple[Fraction, ...]

LARGEST_SYSTEM = 129
"""Inputs up to which one linear system is solved (about a second)."""

LARGEST_INVERSE = 65
"""Inputs up to which the inverse is written out: so many squared integers, each as long as the determinant."""


@dataclass(frozen=True)
class Inversion:
    """The unbiased estimate `P^-1 f` and the standard error of each share.

    The errors are for the population that the groups are a sample of.

    Of one release with the chances q the share j has the variance `V_j(q) = (P^-1 (diag q - q q^T) P^-T)_jj`. That of N
    is `V(q) / N`, for which `V(f) / (N - 1)` is unbiased; but where few releases, or all of them equal, make that too
    small, `V(P pi) / N` of the likeliest distribution pi is taken instead: the larger of the two, for each share. None
    for a single release, which says nothing of its spread.
    """

    distribution: tuple[float, ...] = field(repr=False)
    standard_errors: tuple[float, ...] | None = field(repr=False)


@dataclass(frozen=True)
class _Inverse:
    """`P^-1 = rows / divisor`, in integers."""

    rows: list[list[fmpz]]
    divisor: fmpz

    @classmethod
    def of(cls, mechanism: Mechanism) -> "_Inverse | None":
        """None where P is not square, or singular."""
        if mechanism.n_outputs != mechanism.n_inputs:
            return None
        try:
            inverse, divisor = (fmpq_mat(_integers(mechanism)).inv() * fmpq(mechanism.denominator)).numer_denom()
        except ZeroDivisionError:
            return None
        return cls(inverse.tolist(), divisor)

    def moments(self, frequencies: Sequence[int]) -> tuple[Rationals, Rationals]:
        """`P^-1 q` and `V(q)` of releases with chances q proportional to these integers F.

        With their sum T and M for the rows, the share j is `(M F)_j / (d T)` and its variance
        `(T sum_i M[j,i]^2 F_i - (M F)_j^2) / (d T)^2`.
        """
        weights = [fmpz(frequency) for frequency in frequencies]
        scale = sum(weights, fmpz(0))
        bottom = self.divisor * scale
        shares, variances = [], []
        for row in self.rows:
            terms = [m * weight for m, weight in zip(row, weights, strict=True)]
            first = sum(terms, fmpz(0))
            second = sum((m * term for m, term in zip(row, terms, strict=True)), fmpz(0))
            shares.append(_fraction(first, bottom))
            variances.append(_fraction(scale * second - first * first, bottom * bottom))
        return tuple(shares), tuple(variances)


def exact_inverse(mechanism: Mechanism) -> tuple[list[list[int]], int] | None:
    """Invert P exactly: integers and one divisor with `P^-1 = rows / divisor`; None where it has no inverse."""
    inverse = _Inverse.of(mechanism)
    return None if inverse is None else ([[int(value) for value in row] for row in inverse.rows], int(inverse.divisor))


def rank(mechanism: Mechanism) -> int:
    """Compute the exact rank of P; the inversion exists where it is the number of inputs and P is square."""
    return int(_integers(mechanism).rank())


def invert(
    mechanism: Mechanism, counts: Sequence[int], distribution: Sequence[float] | None = None
) -> Inversion | None:
    """Compute the unbiased estimate from `counts[i]` releases of i; None for a singular matrix.

    It is exact until it becomes floats.

    `distribution` of the true counts is one that fits them, that of maximum likelihood if not given.

    Raises:
        InputError: as `maximum_likelihood`.
    """
    require_possible(mechanism, counts)
    inverse = _Inverse.of(mechanism)
    if inverse is None:
        return None
    shares, spread = _estimated(inverse, counts)
    found = tuple(map(nearest_float, shares))
    if spread is None:
        return Inversion(found, None)
    fitted = maximum_likelihood(mechanism, counts).distribution if distribution is None else distribution
    _, expected = inverse.moments(_expected(mechanism, fitted))
    releases = sum(counts)
    variances = [max(seen, one / releases) for seen, one in zip(spread, expected, strict=True)]
    return Inversion(found, tuple(math.sqrt(nearest_float(variance)) for variance in variances))


def exact_inversion(mechanism: Mechanism, counts: Sequence[int]) -> tuple[Rationals, Rationals | None] | None:
    """Compute the shares `P^-1 f` and unbiased estimates `V(f) / (N - 1)` of their variances (None for one release)."""
    require_possible(mechanism, counts)
    inverse = _Inverse.of(mechanism)
    return None if inverse is None else _estimated(inverse, counts)


def _estimated(inverse: _Inverse, counts: Sequence[int]) -> tuple[Rationals, Rationals | None]:
    shares, variances = inverse.moments(counts)
    spare = sum(counts) - 1
    return shares, tuple(variance / spare for variance in variances) if spare else None


def _expected(mechanism: Mechanism, distribution: Sequence[float]) -> list[int]:
    """Integers proportional to `P pi`."""
    weights, _ = over_common_denominator(map(Fraction, distribution))
    return [sum(w * p for w, p in zip(weights, row, strict=True)) for row in mechanism.weights]


def unbiased_weights(mechanism: Mechanism, values: Sequence[int]) -> Rationals | None:
    """Find weights c with `sum_i c_i P[i,j] = values[j]` for every input j; None where there are none.

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
