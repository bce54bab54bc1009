"""GRR, generalised randomised response."""

from fractions import Fraction

from mechdesign.mechanism.mechanism import Mechanism


def generalized_randomized_response(k: int, alpha: Fraction) -> Mechanism:
    """Make GRR: `P[i,i] = 1/(1 + (k-1) alpha)`, `P[i,j] = alpha/(1 + (k-1) alpha)`, k >= 2 items.

    Reference: Kairouz, Oh, Viswanath, "Extremal mechanisms for local differential privacy", JMLR 17, 2016.
    """
    p, q = alpha.numerator, alpha.denominator
    return Mechanism(tuple(tuple(q if i == j else p for j in range(k)) for i in range(k)), q + (k - 1) * p)


def generalized_randomized_response_score(k: int, alpha: Fraction) -> Fraction:
    """Compute GRR's L0 score under any prior: `k alpha / (1 + (k-1) alpha)`."""
    return k * alpha / (1 + (k - 1) * alpha)
