"""Claims of the commuting study: local oracles on origin-destination counts.

The census behind it is not public here, so what is measured on data is measured on commuters from our generator. Errors
are exact expectations (over users' noise, for hcms also over redrawn hashes) unless a claim says that they are
measured. What was published is known to us in outline only: settings and readings are ours.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign_catalog.comparisons.frequency_metrics import top_items
from mechdesign_catalog.datasets.items.commuting import CENSUS_PEOPLE
from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_figures.claims.claim import COMMUTING, Claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.commuting.post_processing import processed
from mechdesign_figures.studies.commuting.ranks import TOP, ranks
from mechdesign_figures.studies.commuting.runs import (
    COUNTY,
    DIVISIONS,
    EPSILONS,
    LARGE,
    NOTHING,
    SMALL,
    Source,
    commuters,
)
from mechdesign_figures.studies.design_cache import DesignCache

LOCAL = ("grr", "sue", "oue", "olh", "hcms")
MEASURED = ("grr", "oue", "olh", "hcms")
DATA = (COUNTY, LARGE, SMALL)
SIZES = (1_085, 26_244, 9_796_900)
QUICK_EPSILONS = (Fraction(1, 2), Fraction(5, 2), Fraction(5))
RANK_EPSILONS = (Fraction(1, 2), Fraction(1), Fraction(3, 2))
SEED = 510

ABOUT = 0.03
"""How near "about" is, as a share."""
NEARLY_SAME = Fraction(2, 100)
ORDERS = 100


def _epsilons(quick: bool) -> tuple[Fraction, ...]:
    return QUICK_EPSILONS if quick else EPSILONS


def _root(name: str, source: str, epsilon: Fraction) -> float:
    """The root of the expected mean squared error, in people."""
    data = commuters(name)
    return data.users * math.sqrt(Source(source, epsilon).mean_square(data))


def _rare(name: str, pairs: int, epsilon: Fraction) -> Fraction:
    """The exact variance of a pair that nobody travels, for one user; so a ratio of them needs no number of people."""
    oracle = Source(name, epsilon).oracle(pairs)
    if not isinstance(oracle, PureOracle):
        raise TypeError(f"a pure oracle is needed, got {name}")
    return oracle.support.rare_variance


def _at(name: str, epsilon: Fraction) -> str:
    return f"{name}, epsilon = {float(epsilon):g}"


def _sizes(cache: DesignCache, quick: bool) -> Finding:
    published = {
        COUNTY: (CENSUS_PEOPLE, 1_085, {"empty": 6}),
        DIVISIONS: (CENSUS_PEOPLE, 3_130**2, {"occurring": 287_000, "with one person": 135_000}),
        LARGE: (218_860, 162**2, {}),
        SMALL: (38_630, 162**2, {}),
    }

    def case(name: str) -> Case:
        people, pairs, parts = published[name]
        data = commuters(name)
        found = {
            "empty": int((data.counts == 0).sum()),
            "occurring": int((data.counts > 0).sum()),
            "with one person": int((data.counts == 1).sum()),
        }
        near = all(abs(found[part] / wanted - 1) <= ABOUT for part, wanted in parts.items())
        numbers = [f"{data.users:,} people, {data.k:,} pairs", *(f"{found[part]:,} {part}" for part in parts)]
        return Case(name, (data.users, data.k) == (people, pairs) and near, ", ".join(numbers))

    return judge(map(case, published), note=case(DIVISIONS).text)


def _fewer_people(cache: DesignCache, quick: bool) -> Finding:
    """Both measured: one repetition over 26,244 pairs decides a factor of 2.4 with ease."""
    large, small = commuters(LARGE), commuters(SMALL)
    ratios = []

    def cases() -> Iterator[Case]:
        for cell, (name, epsilon) in enumerate(itertools.product(MEASURED, _epsilons(quick))):
            errors = [_measured_root(data, Source(name, epsilon), cell) for data in (LARGE, SMALL)]
            people = [error * data.users for error, data in zip(errors, (large, small), strict=True)]
            ratios.append(people[0] / people[1])
            numbers = (
                f"{people[0]:.4g} and {people[1]:.4g} people, shares of {errors[0]:.3g} and {errors[1]:.3g} "
                f"for {large.users:,} and {small.users:,}"
            )
            yield Case(_at(name, epsilon), people[1] < people[0] and errors[1] > errors[0], numbers)

    found = list(cases())
    root = math.sqrt(large.users / small.users)
    central = [_root(data, "laplace", Fraction(1)) for data in (LARGE, SMALL)]
    return judge(
        found,
        note=f"in people {min(ratios):.3g} to {max(ratios):.3g} times as much with more people, near the root of the "
        f"ratio of people, {root:.3g}; a trusted server with Laplace noise has {central[0]:.3g} and {central[1]:.3g} "
        "people at epsilon = 1",
    )


def _measured_root(name: str, source: Source, cell: int) -> float:
    data = commuters(name)
    (estimate,) = source.estimates(data, 1, (SEED, cell))
    return math.sqrt(float(np.square(estimate - data.frequencies).mean()))


def _crossing(cache: DesignCache, quick: bool) -> Finding:
    """Exactly, with the alpha that the oracles really use in place of exp(-epsilon)."""

    def cases() -> Iterator[Case]:
        for epsilon in _epsilons(quick):
            threshold = 3 / Source("oue", epsilon).oracle(2).alpha + 2
            near = math.ceil(threshold)
            for pairs in sorted({2, 3, near - 1, near, near + 1, *SIZES}):
                ratio = _rare("grr", pairs, epsilon) / _rare("oue", pairs, epsilon)
                numbers = f"RR has {float(ratio):.6g} times UE's variance, 3e^eps + 2 = {float(threshold):.6g}"
                yield Case(_at(f"k = {pairs:,}", epsilon), (ratio < 1) == (pairs < threshold), numbers)

    return judge(cases())


def _response_is_worst(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for name, epsilon in itertools.product(DATA, _epsilons(quick)):
            roots = {source: _root(name, source, epsilon) for source in LOCAL}
            ratio = Fraction(max(roots.values()) / roots["grr"])
            growth = math.exp(epsilon)
            met = (growth + 1) ** 2 < commuters(name).k - 2 + growth
            yield Case(_at(name, epsilon), max(roots, key=roots.__getitem__) == "grr", _people(roots), met, ratio)

    return judge(cases(), "(e^eps + 1)^2 < k - 2 + e^eps; beyond, HM's is larger")


def _people(roots: dict[str, float]) -> str:
    return "RMSE in people " + ", ".join(f"{name} {root:.4g}" for name, root in roots.items())


def _same_variance(cache: DesignCache, quick: bool) -> Finding:
    def case(pairs: int, epsilon: Fraction) -> Case:
        ratio = _rare("olh", pairs, epsilon) / _rare("oue", pairs, epsilon)
        numbers = f"OLH has {float(ratio):.6f} times OUE's variance"
        return Case(_at(f"k = {pairs:,}", epsilon), abs(ratio - 1) <= NEARLY_SAME, numbers, miss=abs(ratio - 1))

    cases = [case(pairs, epsilon) for pairs in SIZES for epsilon in _epsilons(quick)]
    worst = max(cases, key=lambda tried: tried.miss)
    return judge(cases, note=f"farthest apart at {worst.text}")


def _fewest_bits(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for pairs, epsilon in itertools.product(SIZES, _epsilons(quick)):
            bits = {name: Source(name, epsilon).oracle(pairs).bits for name in (*MEASURED, "hrr")}
            numbers = "bits " + ", ".join(f"{name} {sent:,g}" for name, sent in bits.items())
            true = bits["hcms"] < min(bits[name] for name in MEASURED if name != "hcms")
            yield Case(_at(f"k = {pairs:,}", epsilon), true, numbers, pairs > 1 << 21)

    return judge(cases(), "k > 2^21; below, RR sends fewer")


def _central(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for name, epsilon in itertools.product(DATA, _epsilons(quick)):
            best = min(_root(name, source, epsilon) for source in LOCAL)
            central = _root(name, "laplace", epsilon)
            growth = math.exp(epsilon)
            needed = 2 * ORDERS**2 * (growth - 1) ** 2 / (float(epsilon) ** 2 * growth)
            yield Case(
                _at(name, epsilon),
                best >= ORDERS * central,
                f"{best:.4g} and {central:.3g} people, {best / central:.4g} times",
                commuters(name).users >= needed,
                Fraction(central / best),
            )

    return judge(cases(), f"n >= {2 * ORDERS**2} (e^eps - 1)^2 / (eps^2 e^eps), where OUE's variance says so")


def _nothing_is_better(cache: DesignCache, quick: bool) -> Finding:
    """At the ends of the range of epsilon: errors fall with it."""
    sources = {LARGE: LOCAL, SMALL: LOCAL} if quick else {LARGE: LOCAL, SMALL: LOCAL, DIVISIONS: ("grr", "hcms", "hrr")}

    def case(name: str, epsilon: Fraction) -> Case:
        roots = {source: _root(name, source, epsilon) for source in (*sources[name], NOTHING)}
        return Case(_at(name, epsilon), min(roots, key=roots.__getitem__) == NOTHING, _people(roots))

    return judge(itertools.starmap(case, itertools.product(sources, (EPSILONS[0], EPSILONS[-1]))))


Values = dict[str, dict[str, float]]
"""Of each post-processing, by metric."""

Statement = Callable[[Values, str], tuple[bool, str, float]]
"""What is said of one post-processing: is it true, the numbers, and by how much it is missed."""


def _post(statement: Statement) -> Callable[[DesignCache, bool], Finding]:
    """A claim on what each post-processing makes of the same estimates, on the counties and on both subsets."""

    def measure(cache: DesignCache, quick: bool) -> Finding:
        tried = itertools.product((COUNTY, SMALL) if quick else DATA, _epsilons(quick), MEASURED)
        cases = []
        held: dict[str, list[bool]] = {}
        for cell, (name, epsilon, source) in enumerate(tried):
            found = processed(name, Source(source, epsilon), 1, (SEED, cell))
            values = {post: {metric: only for metric, (only,) in by.items()} for post, by in found.items()}
            for post in (post for post in values if post != "base"):
                true, numbers, miss = statement(values, post)
                cases.append(Case(f"{_at(name, epsilon)}, {source}, {post}", true, numbers, miss=Fraction(miss)))
                held.setdefault(post, []).append(true)
        counts = (f"{post} in {sum(held[post])} of {len(held[post])}" for post in held)
        return judge(cases, note=f"true of {', '.join(counts)}")

    return measure


def _lowers(metric: str) -> Statement:
    def statement(values: Values, post: str) -> tuple[bool, str, float]:
        before, after = values["base"][metric], values[post][metric]
        return after < before, f"{before:.4g} to {after:.4g}", after / before - 1

    return statement


def _between(values: Values, post: str) -> tuple[bool, str, float]:
    zeroed = {name: int(by["zeroed"]) for name, by in values.items()}
    numbers = ", ".join(f"{name} {count:,}" for name, count in zeroed.items())
    return zeroed["base-pos"] <= zeroed[post] <= zeroed["base-cut"], numbers, 0.0


def _ranks(source: str, epsilon: Fraction, repetitions: int) -> NDArray[np.int64]:
    """The ranks that the true top 10 get, shape (repetitions, 10)."""
    return ranks(Source(source, epsilon), repetitions, (SEED, LOCAL.index(source), int(2 * epsilon)))


def _displaced(given: NDArray[np.int64]) -> float:
    """Their mean distance from the true ones."""
    return float(np.abs(given - np.arange(1, TOP + 1)).mean())


def _response_ranks_worst(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for epsilon in RANK_EPSILONS:
            found = {source: _displaced(_ranks(source, epsilon, 2 if quick else 5)) for source in LOCAL}
            others = max(found[source] for source in LOCAL if source != "grr")
            numbers = "ranks off " + ", ".join(f"{source} {off:.3g}" for source, off in found.items())
            yield Case(f"epsilon = {float(epsilon):g}", found["grr"] > others, numbers)

    top = commuters(COUNTY).counts[top_items(commuters(COUNTY).counts, TOP)]
    return judge(cases(), note=f"the top ten have {', '.join(f'{count:,}' for count in top)} people")


def _all_rank_rightly(cache: DesignCache, quick: bool) -> Finding:
    def case(source: str) -> Case:
        given = _ranks(source, Fraction(5), 3 if quick else 11)
        off = _displaced(given)
        right = np.array_equal(np.median(given, axis=0), np.arange(1, TOP + 1))
        exact = int((given == np.arange(1, TOP + 1)).all(axis=1).sum())
        numbers = f"all ten right in {exact} of {len(given)} repetitions, off by {off:.3g} on average"
        return Case(source, right, numbers, miss=Fraction(off))

    return judge(map(case, LOCAL))


CLAIMS = (
    Claim(
        "commuting sizes",
        COMMUTING,
        "the commuters have the published sizes: 2,750,238 people on 1,085 pairs of counties, 6 of them empty, and on "
        "9,796,900 = 3,130^2 pairs of divisions, about 287,000 with people and about 135,000 with one; 26,244 = 162^2 "
        "pairs with 218,860 and 38,630 people (checks our generator; about: within 3 %)",
        _sizes,
    ),
    Claim(
        "fewer people",
        COMMUTING,
        "of two sets of 26,244 pairs the one with fewer people has the lower RMSE in people and the higher one in "
        "shares, with RR, UE, OLH and HM at every epsilon (measured)",
        _fewer_people,
    ),
    Claim(
        "RR is worst",
        COMMUTING,
        "RR has the largest RMSE of RR, UE, OLH and HM (counties and both subsets, epsilon 0.5 to 5)",
        _response_is_worst,
    ),
    Claim(
        "RR against UE",
        COMMUTING,
        "RR's variance is below that of UE (oue) if and only if k < 3 e^eps + 2 (rare pairs)",
        _crossing,
    ),
    Claim(
        "OLH and OUE",
        COMMUTING,
        "OLH has the variance of OUE (rare pairs; read as: within 2 %, as its buckets are a whole number)",
        _same_variance,
    ),
    Claim(
        "HM's bits",
        COMMUTING,
        "HM sends the fewest bits of RR, UE, OLH and HM (1024 hashes and places, which is ours)",
        _fewest_bits,
    ),
    Claim(
        "central is better",
        COMMUTING,
        "a trusted server (Laplace) is better than every local oracle by orders of magnitude (read as: at most a "
        "hundredth of the lowest RMSE)",
        _central,
    ),
    Claim(
        "zero is better",
        COMMUTING,
        "on 26,244 pairs and more every raw local estimate has a larger RMSE than answering 0 for every pair (ours; "
        "epsilon 0.5 and 5)",
        _nothing_is_better,
    ),
    Claim(
        "post-processing and RMSE",
        COMMUTING,
        "base-pos, base-cut and norm-sub each lower the RMSE (measured)",
        _post(_lowers("rmse")),
    ),
    Claim(
        "post-processing and the largest error",
        COMMUTING,
        "base-pos, base-cut and norm-sub each lower the largest error (measured)",
        _post(_lowers("max")),
    ),
    Claim(
        "pairs set to 0",
        COMMUTING,
        "of base-pos, norm-sub and base-cut the first sets the fewest pairs to 0 and the last the most (measured)",
        _post(_between),
    ),
    Claim(
        "RR's ranks",
        COMMUTING,
        "at epsilon 0.5, 1 and 1.5 RR puts the true top ten pairs of counties farther from their ranks than UE, OLH "
        "and HM do (measured; how far pairs are apart is our generator's)",
        _response_ranks_worst,
    ),
    Claim(
        "ranks at epsilon 5",
        COMMUTING,
        "at epsilon = 5 every local oracle gives the true top ten pairs of counties their ranks (measured; read as: "
        "the median of 11 repetitions)",
        _all_rank_rightly,
    ),
)
