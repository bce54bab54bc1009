"""Claims on tests of association, trees and attributes with more items."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np

from mechdesign_figures.claims.marginals.telling import marginal_claim
from mechdesign_figures.claims.ranges.conclusions import conclude
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.association import (
    CRITICAL,
    DEPENDENT,
    INDEPENDENT,
    SYSTEMS,
    CollectedTests,
    collected_tests,
    true_statistic,
)
from mechdesign_figures.studies.marginals.bounds import coefficients
from mechdesign_figures.studies.marginals.people import TAXI, people
from mechdesign_figures.studies.marginals.systems import INPHT, MARGPS, SIX, Collection, binary
from mechdesign_figures.studies.marginals.trees import IMPROVED, PUBLISHED, best, told

USERS, QUICK_USERS = 1 << 18, 1 << 16
COLLECTIONS, QUICK_COLLECTIONS = 40, 20
LEVEL = 0.05
FALSE = 0.15
"""Share of collections up to which a test at 5 % may find what is not there, in so few."""

UNRELATED = "taxi:weak=0"
NEAR = 0.05
TREE = (10, 200_000)
QUICK_TREE = (6, 50_000)
LOW, HIGH = "0.2", "1.4"
STRONG, FEW = 0.3, 0.1
FOUR = (4, 4, 4, 4)


def _tested(system: str, quick: bool, data: str = TAXI) -> CollectedTests:
    return collected_tests(system, QUICK_USERS if quick else USERS, QUICK_COLLECTIONS if quick else COLLECTIONS, data)


def _name(pair: tuple[str, str]) -> str:
    return f"({', '.join(pair)})"


def _strong_found(cache: DesignCache, quick: bool) -> Finding:
    def case(system: str, pair: tuple[str, str]) -> Case:
        found = _tested(system, quick).statistics[pair]
        share = float(np.mean(np.array(found) > CRITICAL))
        return Case(f"{system}, {_name(pair)}", share == 1, f"found in {share:.0%} of the collections")

    return conclude([case(system, pair) for system in SYSTEMS for pair in DEPENDENT])


def _close(cache: DesignCache, quick: bool) -> Finding:
    """Within a factor of 2 in the median."""

    def case(pair: tuple[str, str]) -> Case:
        users = QUICK_USERS if quick else USERS
        true, found = true_statistic(pair, users), float(np.median(_tested(INPHT, quick).statistics[pair]))
        numbers = f"median {found:.4g}, true {true:.4g}"
        return Case(_name(pair), 1 / 2 <= found / true <= 2, numbers, pair in DEPENDENT, Fraction(found / true))

    return conclude([case(pair) for pair in (*DEPENDENT, *INDEPENDENT)], "the pair is dependent")


def _wrong(system: str, pair: tuple[str, str], aware: bool, quick: bool) -> float:
    """Share of the collections that find a pair that is independent in the law that users are drawn from."""
    found = _tested(system, quick, UNRELATED)
    if aware:
        return float(np.mean(np.array(found.p_values[pair]) < LEVEL))
    return float(np.mean(np.array(found.statistics[pair]) > CRITICAL))


def _finds_nothing(cache: DesignCache, quick: bool) -> Finding:
    return conclude([_false(INPHT, pair, False, quick, few=True) for pair in INDEPENDENT])


def _false(system: str, pair: tuple[str, str], aware: bool, quick: bool, few: bool) -> Case:
    wrong = _wrong(system, pair, aware, quick)
    where, numbers = f"{system}, {_name(pair)}", f"found in {wrong:.0%} of the collections"
    return Case(where, (wrong <= FALSE) == few, numbers, miss=Fraction(wrong))


def _finds_them(cache: DesignCache, quick: bool) -> Finding:
    return conclude([_false(MARGPS, pair, False, quick, few=False) for pair in INDEPENDENT])


def _keeps_the_level(cache: DesignCache, quick: bool) -> Finding:
    return conclude([_false(system, pair, True, quick, few=True) for system in SYSTEMS for pair in INDEPENDENT])


def _trees(system: str, epsilons: tuple[str, ...], estimates: str) -> Callable[[DesignCache, bool], Finding]:
    def measure(cache: DesignCache, quick: bool) -> Finding:
        d, users = QUICK_TREE if quick else TREE

        def case(epsilon: str) -> Case:
            found = float(np.mean(told(system, d, users, epsilon, estimates, 10)))
            whole = best(d, users)
            numbers = f"{found:.4f} nats of {whole:.4f}, {found / whole:.1%}"
            return Case(f"epsilon = {epsilon}", found >= (1 - NEAR) * whole, numbers, miss=Fraction(whole - found))

        return conclude([case(epsilon) for epsilon in epsilons])

    return measure


def _both_trees(epsilon: str, quick: bool) -> tuple[float, float, str]:
    """What trees of MARGPS and of INPHT tell in the mean, as published, and both in words."""
    d, users = QUICK_TREE if quick else TREE
    one, other = (float(np.mean(told(system, d, users, epsilon, PUBLISHED, 10))) for system in (MARGPS, INPHT))
    return one, other, f"MARGPS {one:.4f} nats, INPHT {other:.4f}"


def _behind(cache: DesignCache, quick: bool) -> Finding:
    one, other, numbers = _both_trees(LOW, quick)
    return judge([Case(f"epsilon = {LOW}", one < other, numbers)])


def _catching_up(cache: DesignCache, quick: bool) -> Finding:
    one, other, numbers = _both_trees(HIGH, quick)
    return judge([Case(f"epsilon = {HIGH}", one >= (1 - NEAR) * other, numbers)])


def _correlations(cache: DesignCache, quick: bool) -> Finding:
    asked = people(TAXI, 8, QUICK_USERS if quick else USERS)
    matrix = np.atleast_2d(np.corrcoef(asked.values.T))
    strong = {tuple(sorted(places)) for places in ((0, 7), (1, 2), (3, 4), (5, 6))}

    def case(i: int, j: int) -> Case:
        expected = matrix[i, j] >= STRONG if (i, j) in strong else matrix[i, j] <= FEW
        return Case(f"attributes {i + 1} and {j + 1}", bool(expected), f"{matrix[i, j]:+.3f}")

    others = [pair for pair in combinations(range(8), 2) if pair not in strong]
    return judge(case(*pair) for pair in (*sorted(strong), *others))


def _four_values(cache: DesignCache, quick: bool) -> Finding:
    """Four attributes of 4 items are 8 bits; tables of two of them have the 16 cells of 4 bits."""
    four = Collection(SIX[INPHT], FOUR, 2).uniform_error(USERS)
    bits = binary(SIX[INPHT], 8, 4).uniform_error(USERS)
    needed, more = 4 * 3 + 6 * 9, coefficients(8, 4)
    numbers = f"{four:.4f} against {bits:.4f}, {four / bits:.2f} times; coefficients {needed} against {more}"
    return conclude([Case("4 attributes of 4 items", abs(four / bits - 1) <= NEAR, numbers)])


TRIPS = "made-up taxi trips, 2^18, e^epsilon = 3"
TREES = f"true mutual information, at least {1 - NEAR:.0%}; made-up users of films, 200,000, d = 10, 10 collections"

CLAIMS = (
    marginal_claim(
        "pairs of taxi trips",
        "pick-up and drop-off, by place and by time, far and toll, tip and card are strongly positively correlated, "
        f"most other pairs negatively or weakly (figure 4.2; the made-up trips; read as: at least {STRONG}, at most "
        f"{FEW})",
        _correlations,
    ),
    marginal_claim(
        "dependent pairs are found",
        "the test finds the three dependent pairs with INPHT and MARGPS (figure 4.8; "
        f"{TRIPS}; {COLLECTIONS} collections)",
        _strong_found,
    ),
    marginal_claim(
        "private statistics",
        "private and true chi-squared statistics are close in most cases for INPHT (figure 4.8; read as: the median "
        f"within a factor of 2; {TRIPS}; {COLLECTIONS} collections)",
        _close,
    ),
    marginal_claim(
        "errors of INPHT",
        f"with INPHT the test does not find what is not there (figure 4.8; {TRIPS}, pairs exactly independent; read "
        f"as: in at most {FALSE:.0%} of {COLLECTIONS} collections)",
        _finds_nothing,
    ),
    marginal_claim(
        "errors of MARGPS",
        "with MARGPS it finds pairs that are independent (figure 4.8, which calls it an error of the first kind, and a "
        f"failure to reject, which would be the second; as above; read as: in more than {FALSE:.0%})",
        _finds_them,
    ),
    marginal_claim(
        "errors of a test that counts the noise",
        f"ours: a test that counts the noise keeps its level with INPHT and MARGPS (as above, at {LEVEL:.0%})",
        _keeps_the_level,
    ),
    marginal_claim(
        "trees of INPHT",
        "trees from INPHT tell nearly as much as those without noise (figure 4.9; epsilon = 0.2 to 1.4; read as: "
        f"{TREES})",
        _trees(INPHT, (LOW, "0.6", "1", HIGH), PUBLISHED),
    ),
    marginal_claim(
        "trees of MARGPS at small epsilon",
        "trees from MARGPS tell less than those from INPHT at small epsilon (figure 4.9; read as: epsilon = 0.2)",
        _behind,
    ),
    marginal_claim(
        "trees of MARGPS at large epsilon",
        f"trees from MARGPS catch up with those from INPHT as epsilon grows (figure 4.9; read as: at least "
        f"{1 - NEAR:.0%} of what they tell at epsilon = 1.4)",
        _catching_up,
    ),
    marginal_claim(
        "trees less the noise",
        "ours: trees from INPHT by least squares, coefficients by square roots, less the information that noise alone "
        f"makes, tell nearly as much as those without noise (as for INPHT; {TREES})",
        _trees(INPHT, (LOW, "0.6", "1", HIGH), IMPROVED),
    ),
    marginal_claim(
        "attributes of four values",
        "a table of two attributes of four values has the error of one of four bits (section 4.5.3; d = 4, 8 bits; "
        f"exact; read as: within {NEAR:.0%})",
        _four_values,
    ),
)
