"""Exact confidence intervals of true counts, from the law of the noise.

An interval has the true counts that one released count leaves possible.

A group of n with the true count j releases i with the chance `P[i,j]`, which is known. By Clopper and Pearson (1934),
with equal tails: j is ruled out by i where a count as low, or one as high, has a chance of at most half of `1 - c`,

    Pr[R <= i | j] <= (1 - c)/2    or    Pr[R >= i | j] <= (1 - c)/2.

Whatever j is, it is ruled out with a chance of at most `1 - c`. The interval of i goes from the least to the largest j
that i does not rule out; where i rules out all of them, it is 0..n. So it holds the true count with a chance of at
least c, for every true count, by integers alone.

For N groups at once each interval is made for `1 - (1 - c)/N` (Bonferroni): the chance that any of them fails is at
most the sum of N chances of at most `(1 - c)/N`, whether draws are independent or not.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from mechdesign.mechanism.mechanism import Mechanism

Bounds = tuple[int, int]


def count_intervals(mechanism: Mechanism, confidence: Fraction) -> tuple[Bounds, ...]:
    """Find the interval of true counts for each output, low and high.

    Args:
        mechanism: for counts.
        confidence: c in (0, 1).

    >>> coin = Mechanism(((9, 1), (1, 9)), 10)
    >>> count_intervals(coin, Fraction(3, 4)), count_intervals(coin, Fraction(19, 20))
    (((0, 0), (1, 1)), ((0, 1), (0, 1)))
    """
    tail = (1 - confidence) / 2 * mechanism.denominator
    columns = zip(*mechanism.weights, strict=True)
    accepted = [_accepted(column, tail) for column in columns]
    low, high = [mechanism.n_inputs - 1] * mechanism.n_outputs, [0] * mechanism.n_outputs
    for j, (first, last) in enumerate(accepted):
        for i in range(first, last + 1):
            low[i], high[i] = min(low[i], j), max(high[i], j)
    return tuple((a, b) if a <= b else (0, mechanism.n_inputs - 1) for a, b in zip(low, high, strict=True))


def _accepted(column: Sequence[int], tail: Fraction) -> Bounds:
    """Return the first and the last output that leave the count of this column possible; never none."""
    below = list(accumulate(column))
    first = next(i for i, weight in enumerate(below) if weight > tail)
    above = list(accumulate(reversed(column)))
    last = len(column) - 1 - next(i for i, weight in enumerate(above) if weight > tail)
    return first, last


def confidence_of_each(confidence: Fraction, groups: int) -> Fraction:
    """Return the confidence of each interval with which all of them hold at once at this one (Bonferroni).

    >>> confidence_of_each(Fraction(19, 20), 500)
    Fraction(9999, 10000)
    """
    return 1 - (1 - confidence) / groups
