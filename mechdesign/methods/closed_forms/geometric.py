"""GM, the truncated geometric mechanism."""

from fractions import Fraction

from mechdesign.mechanism.mechanism import Mechanism


def geometric(n: int, alpha: Fraction) -> Mechanism:
    """Make GM: `P[i,j] = c_i alpha^|i-j|` with `c_0 = c_n = 1/(1+alpha)`, else `c_i = (1-alpha)/(1+alpha)`; n >= 1.

    Reference: Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms", STOC 2009.
    """
    p, q = alpha.numerator, alpha.denominator
    outer = [p**d * q ** (n - d) for d in range(n + 1)]  # in lowest terms: each long number is made once, not n times
    inner = [(q - p) * power // q for power in outer[:n]]
    rows = [[(outer if i in (0, n) else inner)[abs(i - j)] for j in range(n + 1)] for i in range(n + 1)]
    return Mechanism.reduced(rows, (p + q) * q ** (n - 1))


def geometric_score(n: int, alpha: Fraction) -> Fraction:
    """Compute GM's L0 score under the uniform prior: `2 alpha / (1 + alpha)` for every n."""
    return 2 * alpha / (1 + alpha)
