"""EXP, the exponential mechanism with quality -|i-j|."""

import math
from fractions import Fraction

from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import simplest_between

BETA_SLACK = Fraction(1, 10**9)
"""beta may exceed sqrt(alpha) by this relative amount, never fall below it."""


def exponential_beta(alpha: Fraction) -> Fraction:
    """Find the rational with the smallest denominator in `[sqrt(alpha), sqrt(alpha) (1 + 1e-9)]` that is below 1."""
    digits = 10 ** max(40, len(str(alpha.denominator)) + 20)
    low = Fraction(math.isqrt(alpha.numerator * alpha.denominator * digits * digits) + 1, alpha.denominator * digits)
    exact = Fraction(math.isqrt(alpha.numerator), math.isqrt(alpha.denominator))
    if exact * exact == alpha:
        return exact
    return simplest_between(low, min(low * (1 + BETA_SLACK), (1 + low) / 2))


def exponential(n: int, alpha: Fraction) -> Mechanism:
    """Build the exponential mechanism for counts 0..n, n >= 1.

    `P[i,j] = beta^|i-j| / Z_j` with `Z_j = sum_i beta^|i-j|` and a rational `beta^2 >= alpha`.

    Neighbouring columns differ by at most `beta^-1` in the power and `beta^-1` in Z, so `beta^2 >= alpha` gives
    alpha-DP. Reference: McSherry, Talwar, "Mechanism design via differential privacy", FOCS 2007.
    """
    beta = exponential_beta(alpha)
    powers = [beta**k for k in range(n + 1)]
    sums = [sum((powers[abs(i - j)] for i in range(n + 1)), Fraction(0)) for j in range(n + 1)]
    return Mechanism.from_fractions([powers[abs(i - j)] / sums[j] for j in range(n + 1)] for i in range(n + 1))


def exponential_score(n: int, alpha: Fraction) -> Fraction:
    """Compute the L0 score of EXP under the uniform prior.

    It is `(n+1)/n - (1/n) sum_j 1/Z_j`, `Z_j = (1+b - b^(j+1) - b^(n-j+1)) / (1-b)`, b = beta.
    """
    b = exponential_beta(alpha)
    inverse = sum(((1 - b) / (1 + b - b ** (j + 1) - b ** (n - j + 1)) for j in range(n + 1)), Fraction(0))
    return Fraction(n + 1, n) - inverse / n
