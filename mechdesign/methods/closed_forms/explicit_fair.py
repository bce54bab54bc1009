"""EM, the explicit fair mechanism."""

from fractions import Fraction
from itertools import pairwise

from mechdesign.mechanism.mechanism import Mechanism


def exponent(i: int, j: int, n: int) -> int:
    """Return the power of alpha at output i, input j: `|i-j|` near the diagonal, half as steep past the nearer end."""
    distance, room = abs(i - j), min(j, n - j)
    return distance if distance < room else (distance + room + 1) // 2


def diagonal(n: int, alpha: Fraction) -> Fraction:
    """Compute EM's constant diagonal y: `1/y = 1 + 2 sum_(k=1)^(n//2) alpha^k`, plus `alpha^((n+1)/2)` for odd n."""
    series = 1 + 2 * sum((alpha**k for k in range(1, n // 2 + 1)), Fraction(0))
    if n % 2:
        series += alpha ** ((n + 1) // 2)
    return 1 / series


def explicit_fair(n: int, alpha: Fraction) -> Mechanism:
    """Make EM: `P[i,j] = y alpha^exponent(i,j)`, n >= 1.

    Reference: Cormode, Kulkarni, Srivastava, "Constrained Private Mechanisms for Count Data", ICDE 2018, section IV.
    """
    y = diagonal(n, alpha)
    entries = [y * alpha**k for k in range(n + 1)]
    return Mechanism.from_fractions([entries[exponent(i, j, n)] for j in range(n + 1)] for i in range(n + 1))


def fair_alpha(mechanism: Mechanism) -> Fraction | None:
    """Return the alpha whose EM this matrix is; None where it is another mechanism."""
    n, weights = mechanism.n_inputs - 1, mechanism.weights
    if n < 1 or mechanism.n_outputs != n + 1 or not 0 < weights[1][0] < weights[0][0]:
        return None
    powers = [weights[max(2 * k - 1, 0)][0] for k in range((n + 1) // 2 + 1)]  # of column 0: 0, 1, 1, 2, 2, ..
    is_geometric = all(powers[0] * second == powers[1] * first for first, second in pairwise(powers))
    is_fair = is_geometric and all(
        weight == powers[exponent(i, j, n)] for i, row in enumerate(weights) for j, weight in enumerate(row)
    )
    return Fraction(powers[1], powers[0]) if is_fair else None


def explicit_fair_score(n: int, alpha: Fraction) -> Fraction:
    """Compute EM's L0 score under any prior: `(n+1)/n (1 - y)`."""
    return Fraction(n + 1, n) * (1 - diagonal(n, alpha))
