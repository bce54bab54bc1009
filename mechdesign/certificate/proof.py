"""The lower bound that a certificate proves of a matrix, computed by the kernel, and the kernel's own loss."""

from collections.abc import Sequence
from fractions import Fraction

from mechdesign.errors import RefusedError
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.rational import over_common_denominator
from mechdesign.verify import kernel
from mechdesign.verify.certificates import MULTIPLIERS, Certificate


def dual_certificate(
    rows: Sequence[kernel.Multiplier],
    denominator: int,
    prices: Sequence[int] | None = None,
    prior: Sequence[Fraction] | None = None,
) -> Certificate:
    """Make a proof of a lower bound: integers over one denominator, on rows of the full LP of a problem.

    Where alpha was asked by epsilon, or `alpha^unit` is only enclosed by rationals, the bound is proved at the lower of
    two; for a metric there are no prices then.

    Args:
        rows: (kind, i, j, k, h, m) of a multiplier m.
        denominator: of multipliers and prices.
        prices: one for each column; with them privacy is paid for by pricing whole rows instead of multipliers of the
            kind DP.
        prior: turns a worst case into an expectation (the least favourable prior); None for an expected loss, which
            has its own.
    """
    given = {"rows": rows, "prices": prices, "prior": prior}
    return Certificate(MULTIPLIERS, denominator, {key: tuple(x) for key, x in given.items() if x is not None})


def proved_loss(problem: DesignProblem, certificate: Certificate) -> Fraction:
    """Return the lower bound of the loss that a certificate proves, computed by the kernel.

    Raises:
        ValueError: where the kernel refuses it.
    """
    prices, prior = certificate.get("prices"), certificate.get("prior")
    if (prior is not None) != problem.is_worst_case:
        raise ValueError("a prior belongs to the proof of a worst case, and only there")
    if prices is not None and problem.model.distances is not None and not problem.step.is_exact:
        raise ValueError("prices belong to a proof at one alpha, and step_alpha has two")
    chances = problem.prior.weights(problem.size) if prior is None else prior
    if len(chances) != problem.size:
        raise ValueError("the prior is malformed")
    cost, cost_denominator = kernel.expected_cost(
        *kernel_loss(problem.loss, problem.size), *over_common_denominator(chances)
    )
    alpha = (problem.step_alpha_below.numerator, problem.step_alpha_below.denominator)
    return Fraction(
        *kernel.dual_bound(
            cost,
            cost_denominator,
            alpha,
            problem.graph.edges,
            problem.properties,
            certificate["rows"],
            certificate.scale,
            prices,
        )
    )


def kernel_loss(loss: Loss, size: int) -> tuple[list[list[int]], int]:
    """Rebuild a loss by the kernel's own statement, as integers over one denominator.

    Raises:
        RefusedError: naming the first entry where the problem's statement differs from it.
    """
    table = loss.table
    pairs = None if table is None else [[(value.numerator, value.denominator) for value in row] for row in table]
    stated, stated_denominator = kernel.loss_matrix(loss.name, size, pairs)
    rows, denominator = loss.integers(size)
    if (rows, denominator) == (stated, stated_denominator):
        return stated, stated_denominator
    for i, (ours, theirs) in enumerate(zip(rows, stated, strict=True)):
        for j, (value, other) in enumerate(zip(ours, theirs, strict=True)):
            if value * stated_denominator != other * denominator:
                raise RefusedError(
                    f"refused: the loss {loss.name} of output {i} on input {j} "
                    f"is {Fraction(other, stated_denominator)} by the kernel, "
                    f"got {Fraction(value, denominator)}"
                )
    return stated, stated_denominator
