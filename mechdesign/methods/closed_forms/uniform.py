"""UM, the uniform mechanism."""

from fractions import Fraction

from mechdesign.mechanism.mechanism import Mechanism


def uniform(n: int, alpha: Fraction) -> Mechanism:
    """Make UM: `P[i,j] = 1/(n+1)`, which ignores its input and is private for every alpha; n >= 1."""
    return Mechanism(((1,) * (n + 1),) * (n + 1), n + 1)


def uniform_score(n: int, alpha: Fraction) -> Fraction:
    """Return UM's L0 score under any prior: 1, the scale on which scores are given."""
    return Fraction(1)
