"""Lower bounds of the variance of local mechanisms: checked proofs, and rounded duals.

The bounds are those of one workload.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.certificate.by_levels import bound_by_levels
from mechdesign.certificate.row_designs.all_rows import MOST_GROUPS, BitForm
from mechdesign.certificate.row_designs.forms import DualForm, Exacts, full_matrix, lower_triangle, matrix_product
from mechdesign.certificate.row_designs.semidefinite import as_floats, is_semidefinite
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.verify.certificates import LEVELS, RELAXATION, ROWS, Array, Certificate
from mechdesign.workloads.eigenspaces import levels_of

SCALE_BITS = 56
"""Duals and prices are rounded to so many bits, below their largest entry."""

ROOM = 50
"""Prices leave room of `2^-50` of the sum of the form's coefficients, so that other checkers may round, too."""

CONE_ROOM = 44
"""The matrix of a relaxation has eigenvalues of `2^-44` of its largest entry at least."""

Floats = NDArray[np.float64]


def proved_bound(problem: WorkloadProblem, proof: Certificate) -> Fraction:
    """Return the lower bound of the variance that a proof proves: of the kind rows, relaxation or levels.

    On the K groups of items that the workload tells apart, with the prior p, `P = I - p 1'`, the centred Gram matrix
    `Gc = P'W'W P`, a symmetric B (`dual`) and y (`prices`): where `r'B Gc B r <= (p'r)(y'r)` for every row r of entries
    1 and 1/alpha,

        variance >= tr(B Gc)^2 / sum(y) + p'Gp - sum_u p_u G_uu.

    `rows` shows the condition for all 2^K rows, one by one; `relaxation` by a semidefinite matrix, with `diagonal` (K+1
    numbers of sum at least 0) and `cuts` (a multiplier and K+1 integers of odd sum each); `levels`, for workloads with
    so many symmetries that B is a number for each level (`levels`, from level 1 on) and y is constant, by one price.

    Raises:
        ValueError: where it proves none, saying why.
    """
    require_prior(problem, proof)
    if proof.kind == LEVELS:
        return _bound_by_levels(problem, proof)
    form = dual_form(problem, proof)
    if proof.kind == ROWS:
        if problem.merged.size > MOST_GROUPS:
            raise ValueError(f"rows are priced one by one for up to {MOST_GROUPS} groups of items")
        if BitForm.of(form.form, form.entry).largest() > 0:
            raise ValueError("a row exceeds its prices")
    else:
        _require_relaxed(form, proof)
    return form.bound()


def _bound_by_levels(problem: WorkloadProblem, proof: Certificate) -> Fraction:
    levels = levels_of(problem.workload)
    if levels is None or len(set(proof["prior"])) > 1:
        raise ValueError("a proof by levels is of a histogram or of marginals, with equal numbers as prior")
    return bound_by_levels(levels, problem.bound_alpha, proof)


def require_prior(problem: WorkloadProblem, proof: Certificate) -> None:
    """Refuse the prior of a proof that is not the one that is asked.

    Raises:
        ValueError: for another number of groups, or another prior than that of equally likely items for the mean.
    """
    sizes, prior = problem.merged.sizes, proof["prior"]
    whole = sum(prior)
    if len(prior) != len(sizes) or min(prior) < 0 or whole <= 0:
        raise ValueError("the prior is malformed")
    if not problem.is_worst_case and any(w * problem.k != s * whole for w, s in zip(prior, sizes, strict=True)):
        raise ValueError("the prior must be that of items that are equally likely")


def dual_form(problem: WorkloadProblem, proof: Certificate) -> DualForm:
    """Return the form that a proof states."""
    return DualForm(problem, proof["prior"], proof.scale, full_matrix(proof["dual"]), proof["prices"])


def _require_relaxed(form: DualForm, proof: Certificate) -> None:
    if sum(proof["diagonal"]) < 0:
        raise ValueError("the diagonal must not have a negative sum")
    if any(multiplier < 0 or sum(row) % 2 == 0 for multiplier, row in proof["cuts"]):
        raise ValueError("cuts must have multipliers of at least 0, and odd sums")
    if not is_semidefinite(relaxed_matrix(form, proof)):
        raise ValueError("the matrix of the relaxation was not found to be positive semidefinite")


def lifted(form: DualForm) -> Exacts:
    """Return `-(2q)^2 L'C L` on the moments (1, s), (K+1) x (K+1): what is left of prices once a row is paid for."""
    high, low = form.entry
    size = len(form.prior)
    lift = np.hstack(
        [np.full((size, 1), high + low, dtype=object), (high - low) * np.eye(size, dtype=np.int64).astype(object)]
    )
    return -matrix_product(matrix_product(lift.T, form.form), lift)


def _unit(form: DualForm) -> int:
    """What a diagonal and multipliers over the scale are multiplied by in `lifted`."""
    return 4 * form.entry[1] ** 2 * (form.factor // form.scale)


def relaxed_matrix(form: DualForm, proof: Certificate) -> Exacts:
    """Return `lifted` less `Diag(d) + sum_j z_j (w_j w_j' - e_0 e_0')`, which is to be semidefinite."""
    known = np.diag(np.array(proof["diagonal"], dtype=object))
    for multiplier, row in proof["cuts"]:
        vector = np.array(row, dtype=object)
        known = known + multiplier * np.outer(vector, vector)
        known[0, 0] -= multiplier
    found: Exacts = lifted(form) - known * _unit(form)
    return found


def rounded_form(problem: WorkloadProblem, prior: tuple[int, ...], dual: Floats, prices: Floats) -> DualForm:
    """Round a dual and prices to integers over one power of 2, which serves whichever of both is smaller.

    Prices go with the square of the queries' weights, and the dual does not.
    """
    largest = [float(np.abs(values).max()) for values in (dual, prices)]
    scale = 1 << max([0, *(SCALE_BITS - int(np.frexp(value)[1]) for value in largest if value)])
    symmetric = (dual + dual.T) / 2
    whole = np.array([[round(Fraction(float(x)) * scale) for x in row] for row in symmetric], dtype=object)
    return DualForm(problem, prior, scale, whole, tuple(round(Fraction(float(y)) * scale) for y in prices))


def proof_by_rows(problem: WorkloadProblem, prior: tuple[int, ...], dual: Floats, prices: Floats) -> Certificate:
    """Make a proof by pricing all rows: what a row exceeds its prices by is added to them, in shares of the prior.

    `p'r >= 1`, so an excess rho is paid for by prices `y + rho p`.
    """
    form = rounded_form(problem, prior, dual, prices)
    bits = BitForm.of(form.form, form.entry)
    excess = (max(bits.largest(), 0) + (bits.size >> ROOM) + 1) << bits.shift
    raised = _raised(form, Fraction(excess, form.factor * form.entry[1] ** 2))
    return _certificate(ROWS, raised)


def _certificate(kind: str, form: DualForm, **more: Array) -> Certificate:
    """Write a form as a certificate: B by the rows of its lower triangle."""
    arrays = {"prior": form.prior, "prices": form.prices, "dual": lower_triangle(form.dual), **more}
    return Certificate(kind, form.scale, arrays)


def _raised(form: DualForm, excess: Fraction) -> DualForm:
    """Add `excess` times the prior to the prices, rounded up."""
    share = excess * form.scale / form.whole
    more = (-(-(share.numerator * weight) // share.denominator) for weight in form.prior)
    return form.with_prices([price + extra for price, extra in zip(form.prices, more, strict=True)])


def proof_by_relaxation(
    problem: WorkloadProblem,
    prior: tuple[int, ...],
    dual: Floats,
    prices: Floats,
    diagonal: Floats,
    cuts: NDArray[np.int64] | None = None,
    multipliers: Floats | None = None,
) -> Certificate:
    """Make a proof by the relaxation: what the matrix lacks to be semidefinite is taken from d, and paid for in prices.

    With rho added to the prices in shares of the prior, `d + rho delta` serves where d did, for
    `delta = ((E+1)/2, -(E-1)/2 p)`, whose sum is 1: `(x + y)^2 >= (1-t) x^2 - (1/t - 1) y^2` for the two parts of p'r
    and `t = (E-1)/(E+1)`, and `(p's)^2 <= sum_g p_g s_g^2`.
    """
    form = rounded_form(problem, prior, dual, prices)
    whole = tuple(round(Fraction(float(value)) * form.scale) for value in diagonal)
    given = zip(cuts, multipliers, strict=True) if cuts is not None and multipliers is not None else ()
    kept = tuple((round(Fraction(float(z)) * form.scale), tuple(int(x) for x in w)) for w, z in given if z > 0)
    proof = _certificate(RELAXATION, form, diagonal=whole, cuts=kept)
    lacking = _lacking(relaxed_matrix(form, proof), _unit(form))
    lowered = [value - lacking for value in whole]
    deficit = max(0, -sum(lowered)) + len(prior) + 2
    raised = _raised(form, Fraction(deficit, form.scale))
    return proof.changed(prices=raised.prices, diagonal=_shifted(form, lowered, deficit))


def _lacking(matrix: Exacts, unit: int) -> int:
    """Return what has to be taken from each entry of the diagonal, over the scale, for room to be semidefinite."""
    bits = max(int(abs(value)).bit_length() for value in matrix.reshape(-1))
    least = float(np.linalg.eigvalsh(as_floats(matrix, bits))[0])
    wanted = Fraction(2.0**-CONE_ROOM) - Fraction(least)
    return int(-(-(wanted * (1 << bits)) // unit))


def _shifted(form: DualForm, diagonal: list[int], deficit: int) -> tuple[int, ...]:
    """Return `d + rho delta` rounded down, for rho = deficit over the scale."""
    high, low = form.entry
    first = Fraction(deficit * (high + low), 2 * low)
    shares = [Fraction(-deficit * (high - low) * weight, 2 * low * form.whole) for weight in form.prior]
    return tuple(value + int(more // 1) for value, more in zip(diagonal, [first, *shares], strict=True))
