"""A proof of a lower bound, as it travels with a design; only the kernel says what it proves."""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign import verify
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.rational import over_common_denominator


@dataclass(frozen=True)
class DualProof:
    """Integers over one denominator, on rows of the full LP of a problem.

    `multipliers` are (kind, i, j, k, h, m). With `prices` (one for each column) privacy is paid for by pricing whole
    rows instead of multipliers of the kind DP. `prior` turns a worst case into an expectation (the least favourable
    prior); None for an expected loss, which has its own.
    """

    multipliers: tuple[verify.Multiplier, ...]
    denominator: int
    prices: tuple[int, ...] | None = None
    prior: tuple[Fraction, ...] | None = None

    def bound(self, problem: DesignProblem) -> Fraction:
        """The lower bound of the loss that this proves (computed by the kernel).

        Raises:
            ValueError: where the kernel refuses it.
        """
        if (self.prior is not None) != problem.is_worst_case:
            raise ValueError("a prior belongs to the proof of a worst case, and only there")
        chances = problem.prior.weights(problem.size) if self.prior is None else self.prior
        if len(chances) != problem.size:
            raise ValueError("the prior is malformed")
        cost, cost_denominator = verify.expected_cost(*integer_loss(problem), *over_common_denominator(chances))
        alpha = (problem.step_alpha.numerator, problem.step_alpha.denominator)
        return Fraction(
            *verify.dual_bound(
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


def integer_loss(problem: DesignProblem) -> tuple[list[list[int]], int]:
    """The loss matrix as integers over one denominator."""
    size, loss = problem.size, problem.loss
    if loss.table is None:
        charges, denominator = over_common_denominator(loss.by_distance(size))
        return [[charges[abs(i - j)] for j in range(size)] for i in range(size)], denominator
    flat, denominator = over_common_denominator(value for row in loss.table for value in row)
    return [flat[i * size : (i + 1) * size] for i in range(size)], denominator
