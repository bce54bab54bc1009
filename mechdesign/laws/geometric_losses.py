"""Losses that grow with the distance, under the geometric and the fair mechanism, by formulas without a matrix.

The loss is `Lp:d`: `|e|^p` for errors e beyond d, else 0; a = alpha. In the middle of the geometric mechanism a count
loses

    s = 2 (1-a)/(1+a) sum_(k > d) a^k k^p,

and no count loses more, since its ends only bring outputs nearer.

No private mechanism has a smaller mean loss than the geometric one with its best remap (Ghosh, Roughgarden,
Sundararajan, STOC 2009), whose loss `L0:d` in the mean over all counts of a group of n is

    2 a^(d+1) (n-2d) / ((1+a) (n+1)).

Outputs below d become d: so a count j is missed on one side iff j > 2d, with chance `a^(d+1)/(1+a)`, and as often on
the other. `Lp:d` is a sum of such losses: its mean is at least the sum of their least means. No worst case is below a
mean.

In the fair mechanism the output that is k-th nearest to a count has the power `ceil(k/2)`, whatever the count. So the
count 0, whose k-th nearest output is k, loses most.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import TypeVar

N = TypeVar("N", Fraction, float)


def bulk_rest(a: N, power: int, beyond: int) -> N:
    """Return the loss of a count in the middle of the geometric mechanism, over `a^(d+1)`."""
    first = beyond + 1
    return 2 * (1 - a) / (1 + a) * _geometric_sum(lambda k: (first + k) ** power, power, a)


def least_mean_rest(a: N, power: int, beyond: int, n: int) -> N:
    """Return a bound of the mean loss in a group of n, over `a^(d+1)`; no private mechanism is below it."""
    first = beyond + 1

    def growth(k: int) -> int:
        d = first + k
        step: int = (d + 1) ** power - d**power
        return step * (n - 2 * d)  # negative for large d, which only lowers the bound

    total: N = first**power * (n - 2 * beyond) + a * _geometric_sum(growth, power, a)
    found: N = 2 * total / ((1 + a) * (n + 1))
    return max(0 * a, found)


def fair_rest(a: N, power: int, beyond: int) -> N:
    """Return the loss of the count 0 of the fair mechanism, over its diagonal entry and `a^floor((d+1)/2)`.

    The group has no other end.
    """
    half, odd = divmod(beyond + 1, 2)  # pairs of outputs follow; where d + 1 is even one stands alone before them
    pairs = _geometric_sum(lambda k: (2 * (half + k) + 1) ** power + (2 * (half + k) + 2) ** power, power, a)
    return a * pairs + (0 if odd else (beyond + 1) ** power)


def uniform_figures(n: int, power: int, beyond: int) -> tuple[Fraction, Fraction]:
    """Return the loss of the uniform mechanism in the mean over all counts of a group of n, and of the worst count."""
    first, every = beyond + 1, n - beyond
    both = _sum(lambda k: 2 * (n + 1 - first - k) * (first + k) ** power, power + 1, every)
    return Fraction(both, (n + 1) ** 2), Fraction(_sum(lambda k: (first + k) ** power, power, every), n + 1)


def _differences(f: Callable[[int], int], degree: int) -> list[int]:
    """Return a polynomial's value at 0, its first difference there, its second, .."""
    values, found = [f(k) for k in range(degree + 1)], []
    while values:
        found.append(values[0])
        values = [after - before for before, after in pairwise(values)]
    return found


def _geometric_sum(f: Callable[[int], int], degree: int, a: N) -> N:
    """Return `sum_(k >= 0) f(k) a^k` of a polynomial."""
    terms = [d * a**m / (1 - a) ** (m + 1) for m, d in enumerate(_differences(f, degree))]
    return sum(terms[1:], terms[0])


def _sum(f: Callable[[int], int], degree: int, count: int) -> int:
    """Return `f(0) + .. + f(count - 1)` of a polynomial."""
    return sum(d * comb(count, m + 1) for m, d in enumerate(_differences(f, degree))) if count > 0 else 0
