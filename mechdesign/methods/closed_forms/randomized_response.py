"""RR, binary randomised response."""

from fractions import Fraction

from mechdesign.mechanism.mechanism import Mechanism


def randomized_response(n: int, alpha: Fraction) -> Mechanism:
    """Make RR: `P[i,i] = 1/(1+alpha)`, `P[i,j] = alpha/(1+alpha)`, for n = 1: one bit of one person.

    Reference: Warner, "Randomized response", Journal of the American Statistical Association 60, 1965.
    """
    return Mechanism.from_fractions([[1 / (1 + alpha), alpha / (1 + alpha)], [alpha / (1 + alpha), 1 / (1 + alpha)]])


def randomized_response_score(n: int, alpha: Fraction) -> Fraction:
    """Compute RR's L0 score under any prior: `2 alpha / (1 + alpha)`."""
    return 2 * alpha / (1 + alpha)
