"""Expected loss and score of a mechanism, exactly."""

from fractions import Fraction

from mechdesign import verify
from mechdesign.loss import Loss
from mechdesign.mechanism import Mechanism
from mechdesign.prior import Prior
from mechdesign.privacy import Weights
from mechdesign.problem import DesignProblem
from mechdesign.rational import over_common_denominator, total


def expected_loss(mechanism: Mechanism, problem: DesignProblem) -> Fraction:
    """`O = sum_j w_j sum_i P[i,j] loss(i,j)` in rationals."""
    size = problem.size
    flat, denominator = over_common_denominator(value for row in problem.cost for value in row)
    cost = [flat[i * size : (i + 1) * size] for i in range(size)]
    return Fraction(*verify.objective(mechanism.weights, mechanism.denominator, cost, denominator))


def score(mechanism: Mechanism, problem: DesignProblem) -> Fraction:
    """The expected loss on the scale of scores: times (n+1)/n for L0 and L0:d, else the loss itself."""
    return problem.rescaling * expected_loss(mechanism, problem)


def weights_score(weights: Weights, denominator: int, loss: Loss, prior: Prior) -> Fraction:
    """Score of any square integer matrix over `denominator` under a loss and a prior, even of a defective one."""
    size = len(weights)
    table, chances = loss.matrix(size), prior.weights(size)
    terms = [
        chances[j] * sum((table[i][j] * weights[i][j] for i in range(size) if table[i][j]), Fraction(0))
        for j in range(size)
    ]
    return loss.rescaling(size) * total(terms) / denominator
