"""Is a mechanism the geometric mechanism followed by randomised post-processing?"""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign.problem.neighbours import Weights


@dataclass(frozen=True)
class Violation:
    """An inner triple `P[i,j-1], P[i,j], P[i,j+1]` (j = `input`) that no post-processing of GM can produce."""

    output: int
    input: int


def derivation_violation(weights: Weights, alpha: Fraction) -> Violation | None:
    """The first triple of an alpha-DP matrix for counts that rules out derivation from GM; None if there is none.

    GM derives P if and only if `(P[i,j] - a P[i,j-1]) >= a (P[i,j+1] - a P[i,j])` on every inner triple
    (Gupte, Sundararajan, "Universally optimal privacy mechanisms for minimax agents", PODS 2010, theorem 2).
    """
    p, q = alpha.numerator, alpha.denominator
    for i, row in enumerate(weights):
        for j in range(1, len(row) - 1):
            if (q * q + p * p) * row[j] < p * q * (row[j - 1] + row[j + 1]):
                return Violation(i, j)
    return None
