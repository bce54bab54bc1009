"""The printed numbers of tables 5.2 and 5.3, and the ranges that they average over."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from mechdesign.workloads.workload import Workload
from mechdesign_figures.claims.ranges.conclusions import conclude, range_claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.ranges.printed import EPSILONS, STEPS_LOG2, TABLE_5_2, TABLE_5_3, Part
from mechdesign_figures.studies.ranges.tables import all_queries, error, mean_square, published_queries

NEAR = 1.2
"""Factor up to which an error that was measured five times is called near its expectation."""

ABOUT = 0.01
"""By what share a number of ranges may be off."""


def mean_squares(parts: Sequence[Part]) -> Callable[[DesignCache, bool], Finding]:
    """Measure whether printed numbers are mean squares, as their caption says."""

    def measure(cache: DesignCache, quick: bool) -> Finding:
        def case(part: Part, epsilon: str, system: str, printed: float) -> Case:
            square = 1000 * mean_square(system, published_queries(part), epsilon)
            return Case(
                f"2^{part.log2} items, epsilon = {epsilon}, {system}",
                1 / 2 < printed / square < 2,
                f"printed {printed}, exact mean square times 1000 {square:.2g}",
                miss=Fraction(printed / square),
            )

        cases = [case(part, *cell) for part in parts for cell in part.cells()]
        slopes = ", ".join(f"{slope(part):.2f} at 2^{part.log2} items" for part in parts)
        return judge(cases, note=f"as V0 = 4 x/(x - 1)^2 falls, printed numbers fall with its power {slopes}")

    return measure


def slope(part: Part) -> float:
    """Return the power of V0 with which printed errors go: 1/2 for roots of mean squares, 1 for mean squares."""
    noise = [-2 * math.log(math.sinh(float(epsilon) / 2)) for epsilon in EPSILONS]
    means = [
        sum(math.log(part.error(system, epsilon)) for system in part.systems) / len(part.systems)
        for epsilon in EPSILONS
    ]
    centre = sum(noise) / len(noise)
    return sum((x - centre) * y for x, y in zip(noise, means, strict=True)) / sum((x - centre) ** 2 for x in noise)


def roots(parts: Sequence[Part]) -> Callable[[DesignCache, bool], Finding]:
    """Measure whether printed numbers are roots of mean squares, over the published queries."""

    def measure(cache: DesignCache, quick: bool) -> Finding:
        def case(part: Part, epsilon: str, system: str, printed: float) -> Case:
            exact = error(system, published_queries(part), epsilon)
            off = abs(math.log(printed / exact))
            return Case(
                f"2^{part.log2} items, epsilon = {epsilon}, {system}",
                off <= math.log(NEAR),
                f"printed {printed}, exact {exact:.4g}",
                miss=Fraction(off),
            )

        cases = [case(part, *cell) for part in parts for cell in part.cells()]
        return judge(cases, note="; ".join(map(_spread, parts)))

    return measure


def _spread(part: Part) -> str:
    """How far printed errors are from exact ones for the published queries, and for all of their kind."""
    words = f"2^{part.log2} items: {_ratios(part, published_queries(part))} times the exact error"
    everything = all_queries(part)
    if everything == published_queries(part):
        return words
    return f"{words}, {_ratios(part, everything)} times that of all ranges"


def _ratios(part: Part, queries: Workload) -> str:
    ratios = [printed / error(system, queries, epsilon) for epsilon, system, printed in part.cells()]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def _coverage(cache: DesignCache, quick: bool) -> Finding:
    def case(part: Part, system: str) -> Case:
        taken, everything = (error(system, found(part), "1.1") for found in (published_queries, all_queries))
        numbers = f"{taken:.4g} from every 2^{STEPS_LOG2[part.log2]}, {everything:.4g} from everywhere"
        off = abs(taken / everything - 1)
        return Case(f"2^{part.log2} items, {system}", off <= 0.02, numbers, part.log2 == 8, Fraction(off))

    cases = [case(part, system) for part in TABLE_5_2 for system in part.systems]
    return judge(cases, "all beginnings are taken (2^8 items)")


def _query_counts(cache: DesignCache, quick: bool) -> Finding:
    told = {20: 33.3e6, 22: 67.1e6}

    def case(log2: int) -> Case:
        k, step = 1 << log2, 1 << STEPS_LOG2[log2]
        count = sum(k - start for start in range(0, k, step))
        true = abs(count / told[log2] - 1) <= ABOUT
        numbers = f"{k // step} beginnings, {count / 1e6:.2f} million ranges, {told[log2] / 1e6:.1f} million told"
        return Case(f"2^{log2} items", true, numbers, miss=Fraction(abs(count - told[log2])))

    cases = [case(log2) for log2 in told]
    halves = ", ".join(f"{(1 << 2 * log2 - STEPS_LOG2[log2] - 1) / 1e6:.2f}" for log2 in told)
    return conclude(cases, note=f"half of beginnings times items: {halves} million")


CLAIMS = (
    range_claim(
        "captions of the range tables",
        "table 5.2 holds mean squared errors times 1000 (caption; read as: within a factor of 2 of the exact ones)",
        mean_squares(TABLE_5_2),
    ),
    range_claim(
        "captions of the prefix tables",
        "table 5.3 holds mean squared errors times 1000 (caption; read as above)",
        mean_squares(TABLE_5_3),
    ),
    range_claim(
        "range tables as roots",
        "read as roots of mean squared errors, times 1000, over the ranges that begin at the published multiples, "
        f"table 5.2 comes out (exact variances at uniform shares; read as: within a factor of {NEAR})",
        roots(TABLE_5_2),
    ),
    range_claim(
        "prefix tables as roots",
        "read as roots of mean squared errors, times 1000, over all prefixes, table 5.3 comes out (as above)",
        roots(TABLE_5_3),
    ),
    range_claim(
        "evenly spaced beginnings",
        "ranges that begin at evenly spaced items and end anywhere cover ranges well (read as: the error is within 2 "
        "% of that over all ranges; exact, epsilon = 1.1)",
        _coverage,
    ),
    range_claim(
        "numbers of ranges",
        "beginnings at multiples of 2^14 among 2^20 items and of 2^17 among 2^22 give 33.3 and 67.1 million ranges "
        "(read as: within 1 %)",
        _query_counts,
    ),
)
