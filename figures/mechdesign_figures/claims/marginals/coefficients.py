"""Claims on reports of several Hadamard coefficients (section 4.7 and figure 4.10)."""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from mechdesign_figures.claims.marginals.telling import marginal_claim
from mechdesign_figures.claims.ranges.conclusions import conclude
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.coefficients import (
    ITEMS_LOG2,
    LAW,
    MOST_T,
    RATIO,
    USERS,
    SignSums,
    histogram,
    support_oracle,
)
from mechdesign_figures.studies.marginals.distances import expected_total_variation, total_variation
from mechdesign_figures.studies.repeated import NOISE_STREAM, rescaled

RATIOS = tuple(map(Fraction, ("1.2", "1.5", "2", "3", "3.8", "3.9", "4", "8", "20", "50")))
"""Values of x = e^epsilon."""

TURN = (3 - math.sqrt(2)) / (math.sqrt(2) - 1)
"""`(x + 1)^2 < (x + 3)^2 / 2` below it: 3.83, epsilon = 1.34."""

PART = 1 << 18
"""Users whose reports are simulated at a time."""


def _per_coefficient(cache: DesignCache, quick: bool) -> Finding:
    """The variance of one sign, `1/r^2 - 1` where the coefficient is 0 in the mean over the users."""

    def case(x: Fraction) -> Case:
        found = [1 / SignSums(8, t, x).correlation ** 2 for t in range(1, MOST_T + 1)]
        told = ", ".join(f"{float(value):.4g}" for value in found)
        return Case(f"x = {float(x):g}", min(found) == found[0], f"{told} for t = 1 to {MOST_T}")

    return judge(map(case, RATIOS))


def _one_is_best(cache: DesignCache, quick: bool) -> Finding:
    """With t signs from each user there are t times as many."""

    def case(x: Fraction) -> Case:
        found = [SignSums(12, t, x).rare_variance for t in range(1, MOST_T + 1)]
        told = ", ".join(f"{float(value):.4g}" for value in found)
        return Case(
            f"x = {float(x):g}",
            min(found) == found[0],
            f"variances of a score {told} for t = 1 to {MOST_T}",
            x < TURN,
            found[0] / min(found),
        )

    return judge(map(case, RATIOS), f"x < {TURN:.2f} (epsilon < {math.log(TURN):.2f})")


@lru_cache(maxsize=64)
def _expected(items_log2: int, t: int) -> float:
    shares = histogram(items_log2, USERS).frequencies
    return expected_total_variation(SignSums(items_log2, t).variances(shares, USERS))


def _one_beats_two(cache: DesignCache, quick: bool) -> Finding:
    def case(items_log2: int) -> Case:
        one, two = (_expected(items_log2, t) for t in (1, 2))
        return Case(f"2^{items_log2} items", one < two, f"{one:.4f} against {two:.4f}")

    return conclude(list(map(case, ITEMS_LOG2)))


def _three_on_sparse(cache: DesignCache, quick: bool) -> Finding:
    one, *others = (_expected(12, t) for t in (1, 2, 3))
    numbers = f"{one:.3f}, {others[0]:.3f}, {others[1]:.3f} for t = 1, 2, 3"
    users = PART if quick else USERS
    clipped = ", ".join(f"{_rescaled(t, users):.3f}" for t in (1, 2, 3))
    return judge(
        [Case("2^12 items", others[1] < min(one, others[0]), numbers)],
        note=f"with negative estimates set to 0 and the rest rescaled, {users:,} users simulated once, {clipped}",
    )


@lru_cache(maxsize=8)
def _rescaled(t: int, users: int) -> float:
    """The distance of rescaled estimates; means over parts of the users are estimates of all."""
    data = histogram(12, users)
    generator = np.random.default_rng((t, users, NOISE_STREAM))
    parts = [data.values_between(start, start + PART) for start in range(0, users, PART)]
    estimates = np.mean([SignSums(12, t).simulate(part, generator) for part in parts], axis=0)
    return total_variation(rescaled(estimates), data.frequencies)


def _patterns_are_better(cache: DesignCache, quick: bool) -> Finding:
    def case(t: int) -> Case:
        signs, support = SignSums(12, t).rare_variance, support_oracle(12, t).moments.other
        return Case(f"t = {t}", support <= signs, f"{float(support):.4g} against {float(signs):.4g}")

    return conclude([case(t) for t in range(1, MOST_T + 1)])


AT = f"x = {RATIO}, 2^24 users with shares of the law {LAW}, exact variances"

CLAIMS = (
    marginal_claim(
        "variance of a coefficient",
        "the variance of a coefficient from one sign grows with the number t of coefficients in a report (section 4.7)",
        _per_coefficient,
    ),
    marginal_claim(
        "one coefficient",
        "so t = 1 has the least error of a histogram (section 4.7; read as: the least variance of a rare item, every "
        "user giving t signs; 2^12 items)",
        _one_is_best,
    ),
    marginal_claim(
        "one coefficient against two",
        f"t = 1 is more accurate than t = 2 for 2^8, 2^9, 2^10 and 2^12 items (figure 4.10; {AT})",
        _one_beats_two,
    ),
    marginal_claim(
        "three coefficients on a sparse histogram",
        f"for 2^12 items t = 3 is more accurate than t = 1 and t = 2 (figure 4.10; {AT})",
        _three_on_sparse,
    ),
    marginal_claim(
        "patterns in place of signs",
        "ours: counting reports whose whole pattern matches an item (`hrr:t`) has at most the variance of adding up "
        "signs (x = 3, 2^12 items)",
        _patterns_are_better,
    ),
)
