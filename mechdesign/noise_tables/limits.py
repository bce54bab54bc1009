"""Limits that no noise table can pass: theorems of two lines each, and which demands they bind.

- **Blocked results.** A count j in 1..js without bias has results 0 or more than js, so its variance is at least
  `j (js + 1 - j)`; the largest of these is `floor((js + 1)^2 / 4)`.
- **Zeros that stay zero.** Where a true 0 is published as 0, delta from count 0 on is at least the chance that a true 1
  is not. By Cantelli's inequality that is at least `1/(1 + V)`, at every epsilon. Where chances fall below the noise 0
  and nothing is blocked, a true 1 is published as 0 with some p and as 1 with at least p. The mean asks for `p/D` more,
  so that `p <= D/(2D + 1)`, and delta is at least `(D + 1)/(2D + 1)`.
- **Keys.** Where chances are whole shares of K keys, delta is at least 1/K for large counts:
  results of a count end somewhere, where a neighbour gives none.
- **Bounded noise.** Of all noise within D of the count, the truncated geometric one has the least delta for large
  counts, `(r - 1)/(r^(D+1) + r^D - 2)` at `r = exp(epsilon)`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.noise_tables.problem import FIXED, NO_SHAPE, NoiseTableProblem
from mechdesign.rational import number_text


@dataclass(frozen=True)
class Limit:
    """A theorem about a problem.

    Attributes:
        demands: the names of the demands that it needs.
        words: what it says, with numbers.
        is_passed: whether the problem asks for more than it allows.
    """

    demands: frozenset[str]
    words: str
    is_passed: bool


def block_variance(block: int) -> int:
    """Return the least variance of unbiased tables whose results 1..block are blocked.

    >>> [block_variance(block) for block in range(5)]
    [0, 1, 2, 4, 6]
    """
    return (block + 1) ** 2 // 4


def geometric_delta(noise: int, ratio: Fraction) -> Fraction:
    """Return the least delta of all noise within a bound: that of the truncated geometric.

    >>> geometric_delta(1, Fraction(2))
    Fraction(1, 4)
    """
    power = ratio**noise
    return (ratio - 1) / (power * ratio + power - 2)


def fixed_zero_delta(variance: Fraction) -> Fraction:
    """Return the least delta from count 0 on where zeros stay zero, at every epsilon (Cantelli)."""
    return 1 / (1 + variance)


def fixed_zero_delta_of_shape(noise: int) -> Fraction:
    """Return the same where chances fall below the noise 0 and nothing is blocked: more than 1/2, whatever V."""
    return Fraction(noise + 1, 2 * noise + 1)


def limits(problem: NoiseTableProblem) -> Iterator[Limit]:
    """Yield the theorems that bind a problem, and whether it asks for more."""
    if problem.block:
        least = block_variance(problem.block)
        words = f"unbiased tables that block the results 1..{problem.block} need a variance of at least {least}"
        yield Limit(frozenset({"block", "variance"}), words, problem.variance < least)
    for one in problem.guarantees:
        if one.delta is None:
            continue
        name = f"guarantee {one}"
        if problem.zeros == FIXED and problem.start_of(one) == 0:
            yield _of_zeros(problem, name, one.delta)
        if problem.keys:
            words = f"{problem.keys} keys give a delta of at least 1/{problem.keys}, at every epsilon"
            yield Limit(frozenset({"keys", name}), words, one.delta < Fraction(1, problem.keys))
        least_delta = geometric_delta(problem.noise, one.bound_ratio)
        words = (
            f"noise of at most {problem.noise} has a delta of at least {_shown(least_delta)} "
            f"at epsilon {number_text(one.epsilon)}, that of the truncated geometric"
        )
        yield Limit(frozenset({"noise", name}), words, one.delta < least_delta)


def _of_zeros(problem: NoiseTableProblem, name: str, delta: Fraction) -> Limit:
    least, demands = fixed_zero_delta(problem.variance), {"zeros", "variance", name}
    reason = f"zeros that stay zero give a delta of at least 1/(1 + variance) = {_shown(least)} from count 0 on"
    of_shape = fixed_zero_delta_of_shape(problem.noise)
    if problem.shape != NO_SHAPE and not problem.block and least < of_shape:
        least, demands = of_shape, {"zeros", "shape", name}
        reason = f"zeros that stay zero give a delta of at least {_shown(least)} from count 0 on, for this shape"
    return Limit(frozenset(demands), f"{reason}, at every epsilon", delta < least)


def _shown(value: Fraction) -> str:
    return number_text(value) if value.denominator < 10**6 else f"{float(value):.6g}"
