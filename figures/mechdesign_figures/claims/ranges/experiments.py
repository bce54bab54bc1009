"""Claims on data, heavy ranges, quantiles, communication and trusted servers."""

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np

from mechdesign.workloads.ordered import Ranges
from mechdesign_catalog.datasets.items import open_items
from mechdesign_figures.claims.ranges.conclusions import conclude, range_claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.ranges import heavy, quantiles
from mechdesign_figures.studies.ranges.central import BASE, SYSTEMS, baseline, ratio
from mechdesign_figures.studies.ranges.heavy import PUBLISHED, QUICK, Size
from mechdesign_figures.studies.ranges.printed import (
    CENTRAL,
    CENTRAL_LOG2,
    CENTRAL_RATIOS,
    DATA_SETS,
    FIGURE_LOG2,
    HAAR,
    HH2,
    HH4,
    HH16,
    TIME_SERIES,
)
from mechdesign_figures.studies.ranges.systems import FLAT, NAMES, THREE, USERS, oracle, tree

REPETITIONS = 5
MUCH = 10
"""So many times an error is far worse."""

LAWS = ("uniform", "cauchy:0.4", "cauchy:0.1", "normal", "zipf", "constant:100")
"""Of users over 2^8 items."""

DATA_SEED = 5_206
TOLD_ERROR, AXIS_END = 15_000, 12_000
DAY_MINUTES = 24 * 60


def _size(quick: bool) -> Size:
    return QUICK if quick else PUBLISHED


@lru_cache(maxsize=32)
def _expected(data: str, system: str, size: Size) -> tuple[float, ...]:
    """Expected mean relative error by threshold."""
    return tuple(heavy.expectations(data, system, size)[1].tolist())


def _heavier_is_better(cache: DesignCache, quick: bool) -> Finding:
    def case(data: str, system: str) -> Case:
        found = _expected(data, system, _size(quick))
        falls = all(less < more for more, less in itertools.pairwise(found))
        return Case(f"{data}, {system}", falls, f"{found[0]:.2%} from 10 % of the users, {found[-1]:.2%} from 90 %")

    return conclude([case(*cell) for cell in itertools.product(heavy.SERIES, heavy.SYSTEMS)])


def _flat_is_worse(cache: DesignCache, quick: bool) -> Finding:
    def case(data: str) -> Case:
        flat, *others = (_expected(data, system, _size(quick)) for system in heavy.SYSTEMS)
        ratios = [one / other for found in others for one, other in zip(flat, found, strict=True)]
        numbers = f"{min(ratios):.3g} to {max(ratios):.3g} times"
        return Case(data, min(ratios) >= MUCH, numbers, miss=Fraction(1 / min(ratios)))

    return conclude(list(map(case, heavy.SERIES)))


def _below_two_percent(cache: DesignCache, quick: bool) -> Finding:
    def case(system: str) -> Case:
        worst = max(_expected("movielens", system, _size(quick)))
        return Case(system, worst < 0.02, f"{worst:.2%} at most", miss=Fraction(worst))

    return conclude([case(system) for system in (HH4, HAAR)])


@lru_cache(maxsize=8)
def _deciles(data: str, system: str, size: Size) -> dict[str, list[float]]:
    """Mean value errors and quantile errors of deciles by binary search."""
    cumulative = np.cumsum(heavy.series(data, size).frequencies)
    true = np.searchsorted(cumulative, quantiles.DECILES)
    items = np.array([found[quantiles.SEARCH] for found in quantiles.simulated(data, system, size, REPETITIONS)])
    return {
        quantiles.VALUE: np.abs(items - true).mean(axis=0).tolist(),
        quantiles.QUANTILE: np.abs(cumulative[items] - quantiles.DECILES).mean(axis=0).tolist(),
    }


_CELLS = tuple(itertools.product(quantiles.DATA, quantiles.SYSTEMS))


def _value_errors(cache: DesignCache, quick: bool) -> Finding:
    def case(data: str, system: str) -> Case:
        worst = max(_deciles(data, system, _size(quick))[quantiles.VALUE])
        share = worst / _size(quick).items
        return Case(f"{data}, {system}", share < 0.06, f"{worst:,.0f} items, {share:.2%}", miss=Fraction(share))

    return conclude([case(*cell) for cell in _CELLS])


def _quantile_errors(cache: DesignCache, quick: bool) -> Finding:
    def case(data: str, system: str) -> Case:
        median = _deciles(data, system, _size(quick))[quantiles.QUANTILE][4]
        return Case(
            f"{data}, {system}", median <= 0.0003, f"the 0.5-quantile is off by {median:.4f}", miss=Fraction(median)
        )

    return conclude([case(*cell) for cell in _CELLS])


def _axis(cache: DesignCache, quick: bool) -> Finding:
    share = TOLD_ERROR / 2 ** FIGURE_LOG2[1]
    numbers = f"told {TOLD_ERROR:,}, the axis ends at {AXIS_END:,}; {TOLD_ERROR:,} are {share:.2%} of 2^18"
    return judge([Case("the largest value error", TOLD_ERROR <= AXIS_END, numbers)])


def _distributions(cache: DesignCache, quick: bool) -> Finding:
    """Exact means over all ranges of 2^8 items, at the shares of made-up users."""
    ranges = Ranges(256).queries()

    def mean(law: str, system: str) -> float:
        shares = open_items(law, k=256, people=1 << 20, seed=DATA_SEED).frequencies
        return float(oracle(NAMES[system], 256, THREE).answer_variance(ranges, shares, USERS).mean())

    def cases() -> Iterator[Case]:
        for system in (HH4, HAAR) if quick else (HH2, HH4, HH16, HAAR):
            uniform = mean("uniform", system)
            for law in LAWS[1:]:
                found = mean(law, system) / uniform
                where = f"{law}, {system}"
                yield Case(
                    where,
                    abs(found - 1) <= 0.05,
                    f"{found:.4f} of the variance with uniform users",
                    miss=Fraction(abs(found - 1)),
                )

    return conclude(list(cases()))


def _bits(cache: DesignCache, quick: bool) -> Finding:
    def case(log2: int) -> Case:
        names = {
            "flat OUE": FLAT,
            HH4: NAMES[HH4],
            "HH4 of HRR": tree(4, "hrr"),
            "HH2 of HRR": tree(2, "hrr"),
            HAAR: NAMES[HAAR],
            "flat HRR": "hrr",
        }
        bits = {name: float(oracle(text, 1 << log2, THREE).bits) for name, text in names.items()}
        numbers = ", ".join(f"{name} {found:,.0f}" for name, found in bits.items())
        others = [found for name, found in bits.items() if name != HAAR]
        return Case(
            f"2^{log2} items", bits[HAAR] <= min(others), f"bits {numbers}", miss=Fraction(bits[HAAR] - min(others))
        )

    return conclude(list(map(case, (8, 16, 22))))


def _logarithmic(cache: DesignCache, quick: bool) -> Finding:
    """log2 of the number of items for the level and the coefficient together, and one bit."""

    def case(log2: int) -> Case:
        bits = float(oracle(NAMES[HAAR], 1 << log2, THREE).bits)
        most = log2 + math.ceil(math.log2(log2)) + 1
        return Case(f"2^{log2} items", bits <= most, f"{bits:g} bits")

    return conclude(list(map(case, (8, 16, 22))))


def _slots(cache: DesignCache, quick: bool) -> Finding:
    def case(data: str) -> Case:
        days, minutes = TIME_SERIES[data]
        slots = days * DAY_MINUTES // minutes
        log2 = DATA_SETS[data][1]
        needed = (slots - 1).bit_length()
        numbers = f"{days:,} days are {slots:,} slots of {minutes} minutes, which need 2^{needed}; told 2^{log2}"
        return Case(data, needed == log2, numbers, miss=Fraction(abs(needed - log2)))

    return conclude(list(map(case, TIME_SERIES)))


def _labels(cache: DesignCache, quick: bool) -> Finding:
    def case(data: str) -> Case:
        users, items = DATA_SETS[data]
        return Case(data, (users, items) == FIGURE_LOG2, f"table 2^{users} users and 2^{items} items")

    return conclude(list(map(case, DATA_SETS)))


def _central(system: str) -> Callable[[DesignCache, bool], Finding]:
    def measure(cache: DesignCache, quick: bool) -> Finding:
        def case(log2: int, printed: float) -> Case:
            found = ratio(system, log2)
            least = {"HH2": 1.8576, "wavelet": 1.86}[system]
            numbers = f"{found:.4f} times the variance of {BASE}, printed {printed}"
            return Case(f"2^{log2} items", found >= least, numbers, miss=Fraction(least - found))

        return conclude(list(map(case, CENTRAL_LOG2, CENTRAL_RATIOS[system])))

    return measure


def _recomputed(cache: DesignCache, quick: bool) -> Finding:
    def case(system: str, place: int) -> Case:
        log2 = CENTRAL_LOG2[place]
        found = float(baseline(system).average_variance(Ranges(1 << log2)))
        printed = CENTRAL[system][place]
        off = abs(found / printed - 1)
        return Case(f"{system}, 2^{log2} items", off <= 0.01, f"{found:.3f}, printed {printed}", miss=Fraction(off))

    return conclude([case(*cell) for cell in itertools.product(SYSTEMS, range(len(CENTRAL_LOG2)))])


MADE_UP = "2^21 users with 2^18 items of made-up series, e^epsilon = 3"

CLAIMS = (
    range_claim(
        "variances with a trusted server",
        "table 5.4 has the exact mean variances of all ranges with a trusted server at epsilon = 1 (read as: within "
        "1 %)",
        _recomputed,
    ),
    range_claim(
        "binary trees with a trusted server",
        "with a trusted server B = 2 has at least 1.8576 times the variance of B = 16 (table 5.4, exact)",
        _central("HH2"),
    ),
    range_claim(
        "wavelet with a trusted server",
        "with a trusted server the wavelet has at least 1.86 times the variance of B = 16 (table 5.4, exact)",
        _central("wavelet"),
    ),
    range_claim(
        "heavy ranges",
        f"the relative error falls with the share of the users that ranges hold (figure 5.4; {MADE_UP}; expected from "
        "exact variances of sampled ranges, estimates taken to be normal)",
        _heavier_is_better,
    ),
    range_claim(
        "heavy ranges of flat oracles",
        f"flat OUE has a far larger relative error than trees and wavelet (read as: at least {MUCH} times; as above)",
        _flat_is_worse,
    ),
    range_claim(
        "heavy ranges of movielens",
        "for movielens ranges with at least 10 % of the users have a relative error below 2 % (as above, on a law of "
        "ours)",
        _below_two_percent,
    ),
    range_claim(
        "value errors of deciles",
        f"deciles are less than 6 % of the items off (figure 5.5; {MADE_UP}, simulated)",
        _value_errors,
    ),
    range_claim(
        "quantile errors of the median",
        "the item returned for the median is the 0.5002- or 0.5003-quantile (read as: off by at most 0.0003 in the "
        "mean; as above)",
        _quantile_errors,
    ),
    range_claim(
        "axis of the value errors",
        "the largest value error of about 15,000 items is on the axis of figure 5.5",
        _axis,
    ),
    range_claim(
        "distribution of the users",
        "errors do not depend much on the distribution (read as: mean variances of all ranges of 2^8 items, exact at "
        "the users' shares, within 5 % of those at uniform shares; e^epsilon = 3)",
        _distributions,
    ),
    range_claim(
        "fewest bits",
        "HaarHRR needs the fewest bits (read as: of the systems that are named)",
        _bits,
    ),
    range_claim(
        "bits of the wavelet",
        "a report of HaarHRR is one bit beside level and coefficient (read as: at most log2 k + ceil(log2 log2 k) + "
        "1 bits)",
        _logarithmic,
    ),
    range_claim(
        "slots of the series",
        "the series have 2^18 slots of 12 minutes in 2,774 days, and 2^17 of 30 minutes in September to December "
        "2017 (table 5.1; read as: the next power of two)",
        _slots,
    ),
    range_claim(
        "labels of figure 5.4",
        "figure 5.4 is of 2^21 users and 2^18 items, for every data set of table 5.1",
        _labels,
    ),
)
