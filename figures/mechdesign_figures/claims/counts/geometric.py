"""Claims about GM, the truncated geometric mechanism."""

import itertools
import random
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from mechdesign.certificate.score import score
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.prior import Prior
from mechdesign_figures.claims.claim import FACTS, LEMMAS, THEOREMS, Claim, Setting, alphas, settings, threshold
from mechdesign_figures.claims.counts.matrices import has, privacy
from mechdesign_figures.claims.verdict import LONGEST_FRACTION, Case, Finding, judge, setting, shown
from mechdesign_figures.studies.design_cache import DesignCache

DRAWS = 20
"""Random priors for each setting; their weights are integers from 1 to 9 over their sum."""

HALF = Fraction(1, 2)
ONE_PERSON = "n >= 2 or alpha <= 1/3"


def _example(cache: DesignCache, quick: bool) -> Finding:
    alpha = Fraction(9, 10)
    gm = cache.mechanism("GM", 2, alpha)
    truth, ends = gm.fraction(1, 1), gm.fraction(0, 1) + gm.fraction(2, 1)
    likeliest = all(max(gm.fraction(0, j), gm.fraction(2, j)) > gm.fraction(1, j) for j in range(3))
    numbers = f"input 1 is reported truly with {shown(truth)}, uniform guessing 1/3, as 0 or 2 with {shown(ends)}"
    expected = (1 - alpha) / (1 + alpha)
    return judge([Case(setting(2, alpha), truth == expected < Fraction(1, 3) < ends and likeliest, numbers)])


def _tight(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n, alpha in settings(quick, 20):
            own = privacy(cache.mechanism("GM", n, alpha))
            yield Case(setting(n, alpha), own == alpha, f"tightest alpha {shown(own)}")

    return judge(cases())


def _score(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n, alpha in settings(quick, 20):
            own, stated = cache.score("GM", n, alpha), 2 * alpha / (1 + alpha)
            yield Case(setting(n, alpha), own == stated, shown(own), miss=abs(own - stated))

    return judge(cases())


def _property_claim(
    names: Iterable[str], stated: Callable[[int, Fraction], bool], met: Callable[[int, Fraction], bool], condition: str
) -> Callable[[DesignCache, bool], Finding]:
    """GM has each of the properties exactly where `stated`; that may need a condition."""
    wanted = frozenset(names)

    def cases(cache: DesignCache, quick: bool) -> Iterator[Case]:
        for n, alpha in settings(quick, 20):
            own = has(cache.mechanism("GM", n, alpha))
            numbers = f"GM has {', '.join(sorted(own & wanted)) or 'none'}"
            true = all((name in own) == stated(n, alpha) for name in wanted)
            yield Case(setting(n, alpha), true, numbers, met(n, alpha))

    return lambda cache, quick: judge(cases(cache, quick), condition)


def _in_the_range(cache: DesignCache, quick: bool) -> Finding:
    return judge(case for case in _prior_cases(cache, quick) if case.met)


def _any_prior(cache: DesignCache, quick: bool) -> Finding:
    return judge(
        _prior_cases(cache, quick),
        "alpha w_j <= w_i for neighbouring counts i and j: each answer is the likeliest truth behind it",
    )


def _prior_cases(cache: DesignCache, quick: bool) -> Iterator[Case]:
    for n, alpha, weights in _priors(quick):
        problem = DesignProblem(n, alpha, prior=Prior.from_weights(weights))
        best, own = cache.design(problem).score, score(cache.mechanism("GM", n, alpha), problem)
        met = all(alpha * x <= y and alpha * y <= x for x, y in itertools.pairwise(weights))
        where = f"{setting(n, alpha)}, prior ({', '.join(map(_short, weights))})"
        yield Case(where, own == best, f"GM {shown(own)}, optimum {shown(best)}", met, own - best)


def _short(weight: Fraction) -> str:
    """A fraction where it is short, else four digits."""
    return str(weight) if len(str(weight)) <= LONGEST_FRACTION else f"{float(weight):.4g}"


def _priors(quick: bool) -> Iterator[tuple[int, Fraction, list[Fraction]]]:
    """The uniform prior, geometric ones at and beyond the edge of the range, and random ones (the same each time)."""
    source = random.Random(1)
    for n, alpha in itertools.product((2, 3) if quick else (1, 2, 3, 5, 8), alphas(quick)):
        shapes = [[Fraction(1)] * (n + 1)]
        shapes += [[ratio**j for j in range(n + 1)] for ratio in (alpha, alpha * Fraction(99, 100))]
        shapes += [[Fraction(source.randint(1, 9)) for _ in range(n + 1)] for _ in range(DRAWS)]
        for shape in shapes:
            yield n, alpha, [weight / sum(shape) for weight in shape]


def _optimal_with_rows(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        subsets = [names for size in range(4) for names in itertools.combinations(("S", "RM", "RH"), size)]
        for (n, alpha), names in itertools.product(settings(quick, 8), subsets):
            best = cache.design(DesignProblem(n, alpha, properties=names)).score
            own = cache.score("GM", n, alpha)
            asked = ", ".join(names) or "no property"
            yield Case(f"{setting(n, alpha)}, {asked}", own == best, f"both {shown(best)}", miss=own - best)

    return judge(cases())


def _unique(cache: DesignCache, quick: bool) -> Finding:
    """GM stays optimal whichever entry is made a little dearer or cheaper: any other optimum would then be better."""

    def cases() -> Iterator[Case]:
        for n, alpha in itertools.product((1, 2) if quick else (1, 2, 3, 4), alphas(quick)):
            gm = cache.mechanism("GM", n, alpha)
            gains = [
                score(gm, problem) - cache.design(problem).score for problem in _nudged(n, alpha, (1 - alpha) ** 2 / 8)
            ]
            yield Case(
                f"{setting(n, alpha)}, {len(gains)} losses with one entry nudged leave GM optimal",
                max(gains) == 0,
                miss=max(gains),
            )

    return judge(cases())


def _nudged(n: int, alpha: Fraction, step: Fraction) -> Iterator[DesignProblem]:
    size = n + 1
    for i, j, change in itertools.product(range(size), range(size), (step, -step)):
        table = [[Fraction(int(a != b)) + change * ((a, b) == (i, j)) for b in range(size)] for a in range(size)]
        yield DesignProblem(n, alpha, loss=Loss.from_matrix(table))


def _weak_honesty_threshold(cache: DesignCache, quick: bool) -> Finding:
    """The design with WH alone scores as GM exactly from the threshold on."""

    def cases() -> Iterator[Case]:
        for n, alpha in _around_thresholds(quick):
            best = cache.design(DesignProblem(n, alpha, properties="WH")).score
            gm = cache.score("GM", n, alpha)
            true = (best == gm) == (n >= threshold(alpha))
            yield Case(setting(n, alpha), true, f"WH {shown(best)}, GM {shown(gm)}", _beyond_one_person(n, alpha))

    return judge(cases(), ONE_PERSON)


def _around_thresholds(quick: bool) -> list[Setting]:
    """The usual settings, and just below, at, and just above `2 alpha/(1 - alpha)` where that is a whole number."""
    texts = ("1/3", "1/2", "2/3", "3/4") if quick else ("1/3", "1/2", "3/5", "2/3", "3/4", "4/5", "9/10", "10/11")
    edges = [(int(threshold(alpha)) + step, alpha) for alpha in map(Fraction, texts) for step in (-1, 0, 1)]
    return list(dict.fromkeys([*settings(quick), *(edge for edge in edges if edge[0] >= 1)]))


def _beyond_one_person(n: int, alpha: Fraction) -> bool:
    """The condition `ONE_PERSON`: for one person GM is randomised response, which is weakly honest for any alpha."""
    return n >= 2 or alpha <= Fraction(1, 3)


CLAIMS = (
    Claim(
        "Example 1",
        FACTS,
        "Example 1: at n = 2 and alpha = 0.9 GM reports the middle input less often than guessing would; "
        "outputs 0 and 2 dominate",
        _example,
    ),
    Claim(
        "GM is optimal",
        THEOREMS,
        "Theorem 10: for priors with alpha w_j <= w_i between neighbouring counts i and j GM has the least L0 loss",
        _in_the_range,
    ),
    Claim("GM is optimal, any prior", THEOREMS, "for any prior GM has the least L0 loss", _any_prior),
    Claim(
        "GM with row properties",
        THEOREMS,
        "GM is optimal for L0 and the uniform prior too when any of S, RM, RH are asked",
        _optimal_with_rows,
    ),
    Claim("GM is unique", THEOREMS, "no other mechanism is optimal for L0 and the uniform prior", _unique),
    Claim("GM is tight", LEMMAS, "GM is alpha-DP, and no more private than that", _tight),
    Claim("GM's score", LEMMAS, "GM scores 2 alpha/(1+alpha) under L0, whatever n", _score),
    Claim(
        "GM's rows",
        LEMMAS,
        "GM is symmetric, row honest and row monotone",
        _property_claim(("S", "RH", "RM"), lambda n, alpha: True, lambda n, alpha: True, ""),
    ),
    Claim(
        "GM's weak honesty",
        LEMMAS,
        "GM is weakly honest if and only if n >= 2 alpha/(1-alpha)",
        _property_claim(
            ("WH",),
            lambda n, alpha: n >= threshold(alpha),
            _beyond_one_person,
            ONE_PERSON,
        ),
    ),
    Claim(
        "GM's columns",
        LEMMAS,
        "GM is column honest and column monotone if and only if alpha <= 1/2",
        _property_claim(
            ("CH", "CM"),
            lambda n, alpha: alpha <= HALF,
            lambda n, alpha: n >= 2 or alpha <= HALF,
            "n >= 2 or alpha <= 1/2",
        ),
    ),
    Claim(
        "GM's diagonal",
        LEMMAS,
        "GM is not fair",
        _property_claim(("F",), lambda n, alpha: False, lambda n, alpha: n >= 2, "n >= 2"),
    ),
    Claim(
        "weak honesty is free",
        LEMMAS,
        "asking WH alone costs nothing if and only if n >= 2 alpha/(1-alpha)",
        _weak_honesty_threshold,
    ),
)
