"""Claims on the best fan-out, by the chapter's bounds and by exact variances."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from scipy.optimize import brentq

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Ranges
from mechdesign_figures.claims.ranges.conclusions import conclude, range_claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.ranges.systems import USERS, average, largest, tree

POWERS = {8: (2, 4, 16), 12: (2, 4, 8, 16, 64), 16: (2, 4, 16), 20: (2, 4, 16, 32), 24: (2, 4, 8, 16, 64)}
"""Logarithms of numbers of items, and fan-outs up to 64 of which they are powers."""

SMALLEST = 8
LARGEST_EXACT = 12
"""Logarithm of the number of items up to which the largest variance is exact."""

SHARES = tuple(map(Fraction, ("0.05", "0.1", "0.25", "0.5", "0.75")))
"""Of the items, which medium and large ranges are read to hold."""

Measure = Callable[[int, Sequence[int]], dict[int, float]]


def means(log2: int, fanouts: Sequence[int]) -> dict[int, float]:
    """Return n times the mean variance of all ranges by fan-out."""
    return {b: USERS * average(tree(b), Ranges(1 << log2)) for b in fanouts}


def worst(log2: int, fanouts: Sequence[int]) -> dict[int, float]:
    """Return n times the largest variance of any range by fan-out."""
    return {b: USERS * largest(tree(b), Ranges(1 << log2))[0] for b in fanouts}


def best_of(variances: dict[int, float]) -> int:
    """Return the fan-out with the least variance."""
    return min(variances, key=variances.__getitem__)


def _told(variances: dict[int, float]) -> str:
    return ", ".join(f"{value:.4g} (B = {b})" for b, value in variances.items())


def _minimum(slope: Callable[[float], float], told: float) -> Callable[[DesignCache, bool], Finding]:
    """The fan-out at which a bound is least: where its slope is 0."""

    def measure(cache: DesignCache, quick: bool) -> Finding:
        found = float(brentq(slope, 2.0, 50.0))
        return judge([Case("the bound", abs(found - told) <= 0.01, f"least at B = {found:.4f}")])

    return measure


def _best_is(
    wanted: Callable[[int], Sequence[int]], measure: Measure, condition: str = ""
) -> Callable[[DesignCache, bool], Finding]:
    """The best fan-out by exact variances, among those of which the number of items is a power."""

    def measured(cache: DesignCache, quick: bool) -> Finding:
        def case(log2: int) -> Case:
            found = measure(log2, POWERS[log2])
            best = best_of(found)
            return Case(
                f"2^{log2} items", best in wanted(log2), f"n times the variance {_told(found)}", log2 == SMALLEST
            )

        sizes = [log2 for log2 in POWERS if measure is means or log2 <= LARGEST_EXACT]
        cases = list(map(case, sizes[: 2 if measure is means else 1] if quick else sizes))
        return conclude(cases, condition)

    return measured


def _shape(cache: DesignCache, quick: bool) -> Finding:
    def case(log2: int) -> Case:
        found = means(log2, (2, 4, 8, 16, 32, 64))
        true = found[4] < found[2] and found[16] < found[32] < found[64]
        return Case(f"2^{log2} items", true, f"n times the variance {_told(found)}", log2 == SMALLEST)

    cases = [case(log2) for log2 in ((8, 12) if quick else (8, 12, 16, 22))]
    return conclude(cases, "there are 2^8 items")


def _sixteen(cache: DesignCache, quick: bool) -> Finding:
    """How far B = 16 is behind, over all ranges."""

    def case(log2: int) -> Case:
        found = means(log2, POWERS[log2])
        more = found[16] / min(found.values()) - 1
        return Case(f"2^{log2} items", more <= 0.1, f"{more:.1%} more than B = {best_of(found)}", miss=Fraction(more))

    cases = [case(log2) for log2 in ((8, 12) if quick else (8, 12, 16, 20, 24))]
    return conclude(cases)


def _medium_lengths(cache: DesignCache, quick: bool) -> Finding:
    def case(log2: int, share: Fraction) -> Case:
        length = math.floor(share * (1 << log2))
        ranges = FixedRanges(1 << log2, length)
        found = {b: USERS * average(tree(b), ranges) for b in (2, 4, 8, 16)}
        miss = Fraction(min(found[b] for b in (4, 8, 16)) / found[2])
        where = f"2^{log2} items, r = {length}"
        return Case(where, best_of(found) != 2, f"n times the variance {_told(found)}", log2 == SMALLEST, miss)

    sizes = (8, 12) if quick else (8, 12, 16, 22)
    cases = list(itertools.starmap(case, itertools.product(sizes, SHARES)))
    winners = ", ".join(f"2^{log2} items: {_winners(log2)}" for log2 in sizes)
    return judge(
        cases,
        "there are 2^8 items",
        f"best of B = 2, 4, 8, 16 for {', '.join(f'{float(s):g} k' for s in SHARES)}: {winners}",
    )


def _winners(log2: int) -> str:
    ranges = (FixedRanges(1 << log2, math.floor(share * (1 << log2))) for share in SHARES)
    return "-".join(str(min((2, 4, 8, 16), key=lambda b: average(tree(b), found))) for found in ranges)


def _same_at_every_epsilon(cache: DesignCache, quick: bool) -> Finding:
    """At large epsilon little noise is left, and what remains is that users are asked for one level each."""

    def case(log2: int, epsilon: Fraction) -> Case:
        privacy = Privacy(epsilon=epsilon)
        found = {b: USERS * average(tree(b), Ranges(1 << log2), privacy) for b in (2, 4, 8, 16)}
        numbers = f"n times the variance {_told(found)}"
        true = best_of(found) == (4 if log2 == SMALLEST else 2)
        return Case(f"2^{log2} items, epsilon = {float(epsilon):g}", true, numbers, epsilon <= 3)

    epsilons = map(Fraction, ("0.1", "0.5", "1", "2", "3", "4"))
    return judge(itertools.starmap(case, itertools.product((8, 16), epsilons)), "epsilon is at most 3")


def _gain_of_eight(cache: DesignCache, quick: bool) -> Finding:
    found = 9 / (2 * math.log2(8) ** 2)
    bound = Case(
        "the bounds",
        found == 1 / 2,
        f"(B + 1)/(2 log2(8)^2) = {found:g} for B = 8, 2 (B - 1)/log2(B)^2 = {6 / 4:g} for B = 4",
    )

    def case(log2: int) -> Case:
        consistent, raw = (USERS * average(name, Ranges(1 << log2)) for name in (tree(8), tree(4, consistent=False)))
        return Case(
            f"2^{log2} items, exact means",
            consistent < raw,
            f"{consistent / raw:.3f} of the variance",
            miss=Fraction(consistent / raw),
        )

    return judge([bound, *map(case, (8, 12) if quick else (8, 12, 16, 20))])


EXACT = "exact, e^epsilon = 3, OUE in each level, fan-outs up to 64 of which the number of items is a power"

CLAIMS = (
    range_claim(
        "bound without inference",
        "the bound (B - 1)/ln^2 B of the tree without constrained inference is least at B = 4.922",
        _minimum(lambda b: b * math.log(b) - 2 * b + 2, 4.922),
    ),
    range_claim(
        "bound with inference",
        "the bound (B + 1)/ln^2 B of the tree with constrained inference is least at B = 9.18",
        _minimum(lambda b: b * math.log(b) - 2 * b - 2, 9.18),
    ),
    range_claim(
        "best fan-out in the mean",
        f"so with constrained inference B = 8 or 9 has the least variance (read as: the mean over all ranges; {EXACT})",
        _best_is(lambda log2: (8, 9), means),
    ),
    range_claim(
        "best fan-out in the worst case",
        "so with constrained inference B = 8 or 9 has the least variance (read as: the largest of any range, to 2^12 "
        "items)",
        _best_is(lambda log2: (8, 9), worst),
    ),
    range_claim(
        "four, then two, in the mean",
        "ours: the mean over all ranges is least for B = 4 at 2^8 items and for B = 2 from 2^12 on",
        _best_is(lambda log2: (4,) if log2 == SMALLEST else (2,), means),
    ),
    range_claim(
        "four, then two, in the worst case",
        "ours: so is the largest variance of any range (to 2^12 items)",
        _best_is(lambda log2: (4,) if log2 == SMALLEST else (2,), worst),
    ),
    range_claim(
        "four or two at every epsilon",
        "ours: at 2^8 items B = 4 has the least mean over all ranges at every epsilon, at 2^16 items B = 2 (of B = "
        "2, 4, 8, 16; epsilon from 0.1 to 4)",
        _same_at_every_epsilon,
    ),
    range_claim(
        "eight against four",
        "constrained inference with B = 8 has half of V_F log2 r log2 k, less than B = 4 without it ((5.2); read as: "
        "in the mean over all ranges as well)",
        _gain_of_eight,
    ),
    range_claim(
        "shape against the fan-out",
        "the error falls from B = 2 and rises above 16 (figure 5.3; read as: the mean over all ranges at B = 2, 4, "
        "..., 64)",
        _shape,
    ),
    range_claim(
        "four, eight or sixteen",
        "B = 4, 8 or 16 is the best for medium to large ranges (figure 5.3; read as: 5 % to 75 % of the items, "
        "against B = 2; exact means over all ranges of a length)",
        _medium_lengths,
    ),
    range_claim(
        "no fan-out is penalised",
        "no choice of B up to 16 costs much (read as: B = 16 has at most 10 % more variance than the best, over all "
        "ranges)",
        _sixteen,
    ),
)
