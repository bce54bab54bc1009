"""The exact loss and score of a mechanism."""

from fractions import Fraction

from mechdesign.certificate.proof import kernel_loss
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.neighbours import Weights
from mechdesign.problem.prior import Prior
from mechdesign.rational import over_common_denominator
from mechdesign.verify import kernel


def problem_loss(weights: Weights, denominator: int, problem: DesignProblem) -> Fraction:
    """Compute what a problem minimises, for any integer matrix of its shape.

    `O = sum_j w_j sum_i P[i,j] loss(i,j)`, or `max_j sum_i P[i,j] loss(i,j)` for the worst case.
    """
    loss, loss_denominator = kernel_loss(problem.loss, problem.size)
    if problem.is_worst_case:
        return Fraction(*kernel.worst_case(weights, denominator, loss, loss_denominator))
    prior = over_common_denominator(problem.prior.weights(problem.size))
    return Fraction(*kernel.objective(weights, denominator, *kernel.expected_cost(loss, loss_denominator, *prior)))


def score(mechanism: Mechanism, problem: DesignProblem) -> Fraction:
    """Compute the score of a mechanism: its loss times size/(size-1) for L0 and L0:d, else the loss itself."""
    return problem.rescaling * problem_loss(mechanism.weights, mechanism.denominator, problem)


def weights_score(weights: Weights, denominator: int, loss: Loss, prior: Prior) -> Fraction:
    """Compute the score of any square integer matrix over `denominator`, even of a defective one."""
    size = len(weights)
    rows, loss_denominator = kernel_loss(loss, size)
    chances, prior_denominator = over_common_denominator(prior.weights(size))
    whole = sum(
        chance * sum(map(int.__mul__, costs, column))
        for chance, costs, column in zip(chances, zip(*rows, strict=True), zip(*weights, strict=True), strict=True)
    )
    return loss.rescaling(size) * Fraction(whole, loss_denominator * prior_denominator * denominator)
