"""A floor under the variance of every local mechanism for a workload, before any search.

With `B = sum_i v_i v_i' / sqrt(lambda_i)` over the eigenpairs of the centred Gram matrix Gc, `M = B Gc B` is a
projector across the constants, and a row with n entries E = 1/alpha has `r'Mr <= (E-1)^2 n (k-n) / k`. So for every
workload, with `Y = max_n k (E-1)^2 n (k-n) / (k + (E-1) n)^2`,

    variance for each user >= (sum_i sqrt(lambda_i))^2 / Y + constant.

Y is at most `k (E-1)^2 / (4E)`, which gives the same in a simpler form. The mean over items that are equally likely is
bounded, and so is the worst case. The bound is near the optimum for small epsilon, and loose for a large one.
"""

from fractions import Fraction
from math import fsum, sqrt

import numpy as np

from mechdesign.certificate.by_levels import bound_by_levels, largest_price, level_proof
from mechdesign.methods.row_designs.prefix_floor import (
    PrefixMultipliers,
    bound_by_multipliers,
    prefix_multipliers,
)
from mechdesign.methods.row_designs.programme import RowProgramme
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.eigenspaces import levels_of
from mechdesign.workloads.merged import MergedWorkload
from mechdesign.workloads.ordered import Prefixes
from mechdesign.workloads.queries import Floats
from mechdesign.workloads.workload import Workload

MOST_SIZES = 1 << 12
"""Items up to which a proof by levels of tables looks at rows of every size."""

UNIT = 2.0**-53
"""The relative error of one operation on floats."""


def variance_floor(problem: WorkloadProblem) -> Fraction:
    """Return a lower bound of the least variance for each user, in O(K^3) steps; exact where the workload has levels.

    >>> from mechdesign.workloads.ordered import Histogram
    >>> variance_floor(WorkloadProblem(Histogram(2), alpha="1/3"))
    Fraction(3, 2)
    """
    floor = closed_form_floor(problem.workload, problem.bound_alpha)
    return floor_by_eigenvalues(problem) if floor is None else floor


def closed_form_floor(workload: Workload, alpha: Fraction) -> Fraction | None:
    """Return that bound at any k where the workload has levels, or its singular values a formula; None elsewhere.

    For ranges it takes about a millisecond for each 100,000 items. Prefixes have multipliers instead where these say
    more, and take some hundredths of a second, and half a second for each million items.

    >>> from mechdesign.workloads.ordered import Ranges
    >>> f"{float(closed_form_floor(Ranges(1 << 16), Fraction(3, 8))):.6g}"
    '2.09865e+11'
    """
    levels, k = levels_of(workload), workload.k
    if levels is not None and (k <= MOST_SIZES or not levels.flips):
        return bound_by_levels(levels, alpha, level_proof(levels, alpha))
    square = workload.singular_sum_square()
    if square is None or k < 2:
        return None
    floor = constant_variance(workload) + square / largest_price(k, alpha)
    return max(floor, prefix_floor(k, alpha)[0]) if isinstance(workload, Prefixes) else floor


def prefix_floor(k: int, alpha: Fraction) -> tuple[Fraction, PrefixMultipliers]:
    """Return a lower bound of the variance of all prefixes for a user by multipliers, and these."""
    multipliers = prefix_multipliers(k, alpha)
    bound = bound_by_multipliers(multipliers, (1 + alpha) ** 2 / (4 * alpha))
    return constant_variance(Prefixes(k)) + bound, multipliers


def constant_variance(workload: Workload) -> Fraction:
    """Return what the variance has beside the trace: minus the squares of what answers have by the item alone."""
    k = workload.k
    return Fraction(workload.block_energy(k), k * k) - Fraction(workload.block_energy(1), k)


def floor_by_eigenvalues(problem: WorkloadProblem) -> Fraction:
    """Return the bound from the eigenvalues of the Gram matrix, whether or not it is known to have levels.

    The eigenvalues of Gc come from floats. They are lowered by what the eigenvectors' residual, their deviation from an
    orthonormal basis and the rounding of both allow (Weyl), so that the bound holds whatever LAPACK returned.
    """
    merged = problem.merged
    gram, power, constant = _centred(merged)
    roots = fsum(map(sqrt, _eigenvalues_below(gram)))
    nuclear = Fraction(roots) * (1 - Fraction(1, 1 << 50))
    return Fraction(2) ** power * nuclear * nuclear / largest_price(merged.k, problem.bound_alpha) + constant


def floor_dual(programme: RowProgramme) -> tuple[Floats, Floats]:
    """Return the dual and the prices of the bound in closed form, in floats: K x K, and K.

    With the diagonal matrix D of the prior, `B = D^(1/2) (D^(1/2) Gc D^(1/2))^(-1/2) D^(1/2)` across its kernel. Then
    `r'B Gc B r` is at most the variance of the entries of r under the prior, which is at most `Y (p'r)^2` with
    `Y = (E-1)^2 / (4E)`, the most that entries of 1 and E can have.
    """
    roots = np.sqrt(programme.prior)
    values, vectors = np.linalg.eigh(programme.gram * np.outer(roots, roots))
    least = 1e-12 * values[-1]
    inverse = np.where(values > least, 1 / np.sqrt(np.maximum(values, least)), 0.0)
    dual = (roots[:, None] * vectors * inverse) @ (vectors.T * roots)
    entry = programme.entry
    return dual, (entry - 1) ** 2 / (4 * entry) * programme.prior


def _centred(merged: MergedWorkload) -> tuple[Floats, int, Fraction]:
    """Return Gc on the items as a matrix of the groups with the same eigenvalues but zeros, and the constant.

    Entries are centred in whole numbers, divided by the power of 2 that is returned between, which makes them about 1,
    and rounded once; then multiplied by the roots of the sizes of two groups.
    """
    sizes = np.array(merged.sizes, dtype=object)
    means = merged.integers @ sizes
    square = int(sizes @ means)
    k = merged.k
    whole = k * k * merged.integers - k * (means[:, None] + means) + square
    unit = k * k * merged.denominator
    roots = np.sqrt(np.array(merged.sizes, dtype=np.float64))
    power = int(np.abs(whole).max()).bit_length() - unit.bit_length()
    more, less = max(-power, 0), max(power, 0)
    floats = np.array([[(value << more) / (unit << less) for value in row] for row in whole.tolist()])
    diagonal = int(sizes @ merged.integers.diagonal())
    return floats * np.outer(roots, roots), power, Fraction(square - k * diagonal, unit)


def _eigenvalues_below(gram: Floats) -> list[float]:
    """Return numbers that are each at most an eigenvalue, in rising order, of the matrix that was rounded to this one.

    For computed pairs (v, l) let `V'V = I + D`, `G V - V L = R`, and V = Q H with an orthonormal basis Q. Then
    `|H - I| <= |D|`, and `|G - Q L Q'| <= (|R| + 2 |D| max |l|) / (1 - |D|)`, by which eigenvalues differ at most. An
    entry of a product of floats of inner length K is off by less than 2 K u times the product of absolute values.
    """
    size = len(gram)
    values, vectors = np.linalg.eigh(gram)
    norm = float(np.linalg.norm(gram)) + float(np.abs(values).max())
    lengths = float(np.linalg.norm(vectors)) ** 2
    rounding = 2 * (size + 4) * UNIT
    deviation = float(np.linalg.norm(vectors.T @ vectors - np.eye(size))) + rounding * (lengths + 1)
    residual = float(np.linalg.norm(gram @ vectors - vectors * values)) + rounding * norm * (np.sqrt(lengths) + 1)
    slack = 2 * (residual + 2 * deviation * norm + 8 * UNIT * norm)
    return [max(0.0, float(value) - slack) if 2 * deviation < 1 else 0.0 for value in values]
