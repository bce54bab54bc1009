"""Claims about EM, the explicit fair mechanism, and about fairness."""

import itertools
from collections.abc import Iterator
from fractions import Fraction

from mechdesign.certificate.score import score
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.prior import Prior
from mechdesign.problem.properties import LATTICE
from mechdesign_figures.claims.claim import LEMMAS, THEOREMS, Claim, settings
from mechdesign_figures.claims.counts.matrices import has, privacy, skewed
from mechdesign_figures.claims.verdict import Case, Finding, judge, setting, shown
from mechdesign_figures.studies.design_cache import DesignCache


def _has_everything(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n, alpha in settings(quick, 20):
            em = cache.mechanism("EM", n, alpha)
            lacking = set(LATTICE) - has(em)
            own = privacy(em)
            numbers = "" if own == alpha and not lacking else f"tightest alpha {shown(own)}, lacks {sorted(lacking)}"
            yield Case(setting(n, alpha), own == alpha and not lacking, numbers)

    return judge(cases())


def _optimal(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n, alpha in settings(quick, 10):
            binomial = Prior.parse("binomial:1/10")
            for name, prior in (("uniform", None), ("falling", skewed(n)), ("binomial 1/10", binomial)):
                problem = DesignProblem(n, alpha, properties="F", prior=prior)
                best, own = cache.design(problem).score, score(cache.mechanism("EM", n, alpha), problem)
                numbers = f"EM {shown(own)}, best fair {shown(best)}"
                yield Case(f"{setting(n, alpha)}, {name} prior", own == best, numbers, miss=own - best)

    return judge(cases())


def _rest_is_free(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n, alpha in settings(quick, 10):
            fair, everything = (cache.design(DesignProblem(n, alpha, properties=asked)).score for asked in ("F", "all"))
            numbers = f"F {shown(fair)}, all {shown(everything)}"
            yield Case(setting(n, alpha), fair == everything, numbers, miss=everything - fair)

    return judge(cases())


def _diagonal_even(cache: DesignCache, quick: bool) -> Finding:
    """For odd n the formula would have a root in it: both sides are compared squared, for the note."""

    def differs(n: int, alpha: Fraction) -> Fraction:
        own = cache.mechanism("EM", n, alpha).fraction(0, 0)
        power = (1 + alpha - (1 - alpha) / own) / 2  # what alpha^(n/2+1) must be
        return power**2 - alpha ** (n + 2)

    tried = settings(quick, 20)
    odd = [differs(n, alpha) for n, alpha in tried if n % 2]
    cases = (
        Case(setting(n, alpha), gap == 0, shown(cache.mechanism("EM", n, alpha).fraction(0, 0)), miss=abs(gap))
        for n, alpha in tried
        if n % 2 == 0
        for gap in [differs(n, alpha)]
    )
    return judge(cases, note=f"at odd n in {sum(gap == 0 for gap in odd)} of {len(odd)} cases")


def _diagonal_sum(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n, alpha in settings(quick, 20):
            em, said = cache.mechanism("EM", n, alpha), middle_bound(n, alpha)
            own = {em.fraction(j, j) for j in range(n + 1)}
            yield Case(setting(n, alpha), own == {said}, f"y = {shown(said)}")

    return judge(cases())


def middle_bound(n: int, alpha: Fraction) -> Fraction:
    """Return the largest diagonal that a middle column allows.

    Its entries fall at most by alpha per row from the diagonals.
    """
    return 1 / sum((alpha ** abs(i - n // 2) for i in range(n + 1)), Fraction(0))


def _bound(cache: DesignCache, quick: bool) -> Finding:
    """The fair design for L0 has the largest diagonal of all; the others show that smaller ones occur."""

    def cases() -> Iterator[Case]:
        for (n, alpha), loss in itertools.product(settings(quick, 6), ("L0", "L1", "L2")):
            fair = cache.design(DesignProblem(n, alpha, properties="F", loss=loss)).mechanism.fraction(0, 0)
            bound = middle_bound(n, alpha)
            numbers = f"diagonal {shown(fair)}, bound {shown(bound)}"
            yield Case(f"{setting(n, alpha)}, {loss}", fair <= bound, numbers, miss=fair - bound)

    found = list(cases())
    reached = sum(case.miss == 0 for case in found)
    return judge(found, note=f"reached in {reached} of {len(found)}")


def _ratio(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n, alpha in settings(quick, 20):
            ratio = cache.score("EM", n, alpha) / cache.score("GM", n, alpha)
            true = 1 <= ratio <= Fraction(n + 1, n)
            yield Case(setting(n, alpha), true, f"EM/GM = {shown(ratio)}, 1 + 1/n = {shown(Fraction(n + 1, n))}")

    return judge(cases())


def _uniform(cache: DesignCache, quick: bool) -> Finding:
    """Under the uniform prior, a skewed one and a binomial one: plain shares, not scores."""

    def cases() -> Iterator[Case]:
        for (n, alpha), name in itertools.product(settings(quick, 20), ("uniform", "falling", "binomial:1/10")):
            prior = skewed(n) if name == "falling" else Prior.parse(name)
            problem = DesignProblem(n, alpha, prior=prior)
            error = score(cache.mechanism("UM", n, alpha), problem) / problem.rescaling
            said = 1 - Fraction(1, n + 1)
            yield Case(f"{setting(n, alpha)}, {name}", error == said, shown(error), miss=abs(error - said))

    return judge(cases())


CLAIMS = (
    Claim("EM has everything", THEOREMS, "EM is alpha-DP and has all properties", _has_everything),
    Claim("EM is optimal", THEOREMS, "EM has the least L0 loss of all fair mechanisms, whatever the prior", _optimal),
    Claim(
        "with fairness the rest is free",
        THEOREMS,
        "asking all properties costs no more than fairness alone (L0, uniform prior)",
        _rest_is_free,
    ),
    Claim(
        "EM's diagonal, even n",
        LEMMAS,
        "for even n EM's diagonal is (1-alpha)/(1+alpha-2 alpha^(n/2+1))",
        _diagonal_even,
    ),
    Claim(
        "EM's diagonal",
        LEMMAS,
        "EM's diagonal is 1/(sum over i of alpha to the distance of i from floor(n/2))",
        _diagonal_sum,
    ),
    Claim(
        "fair diagonals",
        LEMMAS,
        "no fair mechanism has a diagonal above 1/(sum over i of alpha to the distance of i from floor(n/2))",
        _bound,
    ),
    Claim("EM against GM", LEMMAS, "EM scores at least what GM scores, and at most 1 + 1/n times that", _ratio),
    Claim("UM's error", LEMMAS, "UM answers wrongly with probability 1 - 1/(n+1), whatever the data", _uniform),
)
