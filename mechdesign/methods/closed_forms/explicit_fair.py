"""Make EM, the explicit fair mechanism."""

from fractions import Fraction

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
    return Mechanism.from_fractions([y * alpha ** exponent(i, j, n) for j in range(n + 1)] for i in range(n + 1))


def explicit_fair_score(n: int, alpha: Fraction) -> Fraction:
    """Compute EM's L0 score under any prior: `(n+1)/n (1 - y)`."""
    return Fraction(n + 1, n) * (1 - diagonal(n, alpha))
