"""Hold the proof of a lower bound, as it travels with a design; only the kernel says what it proves."""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign.errors import RefusedError
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.rational import over_common_denominator
from mechdesign.verify import kernel


@dataclass(frozen=True)
class DualProof:
    """Hold a proof of a lower bound: integers over one denominator, on rows of the full LP of a problem.

    Where alpha was asked by epsilon, or `alpha^unit` is only enclosed by rationals, the bound is proved at the lower of
    two; for a metric there are no prices then.

    `multipliers` are (kind, i, j, k, h, m). With `prices` (one for each column) privacy is paid for by pricing whole
    rows instead of multipliers of the kind DP. `prior` turns a worst case into an expectation (the least favourable
    prior); None for an expected loss, which has its own.
    """

    multipliers: tuple[kernel.Multiplier, ...]
    denominator: int
    prices: tuple[int, ...] | None = None
    prior: tuple[Fraction, ...] | None = None

    def bound(self, problem: DesignProblem) -> Fraction:
        """Return the lower bound of the loss that this proves, computed by the kernel.

        Raises:
            ValueError: where the kernel refuses it.
        """
        if (self.prior is not None) != problem.is_worst_case:
            raise ValueError("a prior belongs to the proof of a worst case, and only there")
        if self.prices is not None and problem.model.distances is not None and not problem.step.is_exact:
            raise ValueError("prices belong to a proof at one alpha, and step_alpha has two")
        chances = problem.prior.weights(problem.size) if self.prior is None else self.prior
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
                self.multipliers,
                self.denominator,
                self.prices,
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
