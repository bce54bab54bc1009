"""Claims about WM, the design with WH, RM and CM, and about derivation from GM."""

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import fmpq, fmpq_mat

from mechdesign.audits.derivation import Derivation, derive
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import number_text
from mechdesign_figures.claims.claim import FACTS, LEMMAS, Claim, Setting, settings, threshold
from mechdesign_figures.claims.counts.derived import best_derived_score
from mechdesign_figures.claims.counts.matrices import stock
from mechdesign_figures.claims.verdict import Case, Finding, by_alpha, judge, setting, shown
from mechdesign_figures.studies.design_cache import DesignCache

NEARLY_PUBLIC = Fraction(99, 100)


def _equals_gm(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n, alpha in settings(quick, 10):
            weak, gm = cache.score("WM", n, alpha), cache.score("GM", n, alpha)
            true = (weak == gm) == (alpha <= Fraction(1, 2))
            yield Case(setting(n, alpha), true, f"WM {shown(weak)}, GM {shown(gm)}", n >= 2 or alpha <= Fraction(1, 2))

    return judge(cases(), "n >= 2 or alpha <= 1/2")


def _between(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n, alpha in settings(quick, 10):
            gm, weak, fair = (cache.score(name, n, alpha) for name in ("GM", "WM", "EM"))
            yield Case(
                setting(n, alpha), gm <= weak <= fair <= 1, f"GM {shown(gm)}, WM {shown(weak)}, EM {shown(fair)}"
            )

    return judge(cases())


def _meets_gm(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        texts = ("2/3", "10/11") if quick else ("2/3", "3/4", "4/5", "9/10", "10/11")
        for alpha in map(Fraction, texts):
            n = int(threshold(alpha))
            weak, gm, honest = (cache.score(name, n, alpha) for name in ("WM", "GM", "WH"))
            numbers = f"WM {shown(weak)}, GM {shown(gm)}, WH alone {shown(honest)}"
            yield Case(setting(n, alpha), weak == gm, numbers, miss=weak - gm)

    found = list(cases())
    return judge(found, note=found[-1].text)


def _costs_as_em(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n in (2, 8) if quick else range(2, 17):
            weak, fair = (cache.score(name, n, NEARLY_PUBLIC) for name in ("WM", "EM"))
            numbers = f"WM {shown(weak)}, EM {shown(fair)}"
            yield Case(setting(n, NEARLY_PUBLIC), weak == fair, numbers, miss=fair - weak)

    found = list(cases())
    return judge(found, note=next(case.text for case in found if case.where.startswith("n = 8,")))


def _gupte(cache: DesignCache, quick: bool) -> Finding:
    """The criterion against `P GM^-1`, which is the post-processing if it is nonnegative."""

    def cases() -> Iterator[Case]:
        for name, alpha, mechanism in stock(cache, quick):
            gm = cache.mechanism("GM", mechanism.n_inputs - 1, alpha)
            remap = (_exact(mechanism) * _exact(gm).inv()).entries()
            possible = min(remap) >= 0
            verdicts = f"criterion {derive(mechanism, alpha).derivable}, post-processing exists {possible}"
            yield Case(
                f"{name} at alpha = {number_text(alpha)}", derive(mechanism, alpha).derivable == possible, verdicts
            )

    return judge(cases())


def _exact(mechanism: Mechanism) -> fmpq_mat:
    rows = [[fmpq(weight, mechanism.denominator) for weight in row] for row in mechanism.weights]
    return fmpq_mat(rows)


def _weak_is_new(cache: DesignCache, quick: bool) -> Finding:
    """WM need not be unique: can any mechanism that scores as WM does, and has its properties, be had from GM?"""

    cases, some, own = [], [], []
    tried = weak_settings(quick)
    for n, alpha in tried:
        designed = derive(cache.mechanism("WM", n, alpha), alpha).derivable
        weak, derived = cache.score("WM", n, alpha), best_derived_score(n, alpha)
        numbers = f"WM {shown(weak)}, the best with its properties that GM derives {shown(derived)}"
        cases.append(Case(setting(n, alpha), weak < derived, numbers, n >= 2 and alpha > Fraction(1, 2)))
        some += [(n, alpha)] if weak == derived else []
        own += [(n, alpha)] if designed else []
    return judge(cases, "n >= 2 and alpha > 1/2", _derivable_where(tried, some, own))


def weak_settings(quick: bool) -> list[Setting]:
    """List the usual settings and more alphas between 1/2 and 3/4.

    There some WM can be derived from GM and others cannot.
    """
    between = [Fraction(text) for text in ("51/100", "69/100", "18/25", "37/50")]
    return sorted([*settings(quick, 8), *itertools.product(range(1, 6 if quick else 9), between)])


def _derivable_where(tried: Sequence[Setting], some: Sequence[Setting], own: Sequence[Setting]) -> str:
    """Both answers beyond alpha = 1/2 and n = 1, and how many there are with alpha >= 3/4 and n >= 3."""

    def beyond(settings: Sequence[Setting]) -> str:
        return by_alpha((n, alpha) for n, alpha in settings if n >= 2 and alpha > Fraction(1, 2))

    far = [(n, alpha) for n, alpha in tried if n >= 3 and alpha >= Fraction(3, 4)]
    derivable = [where for where in far if where in some or where in own]
    return (
        f"for n >= 2 and alpha > 1/2 some optimal WM is derivable at {beyond(some)}; the one designed here at "
        f"{beyond(own)}; with n >= 3 and alpha >= 3/4 {len(derivable) or 'none'} of {len(far)}"
    )


def _explicit_is_new(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for n, alpha in settings(quick, 12):
            derived = derive(cache.mechanism("EM", n, alpha), alpha)
            yield Case(setting(n, alpha), not derived.derivable, _obstacle(derived), n >= 2)

    return judge(cases(), "n >= 2")


def _obstacle(derived: Derivation) -> str:
    return "derivable" if derived.obstacle is None else f"violates {derived.obstacle.inequality}"


CLAIMS = (
    Claim(
        "WM for small alpha",
        LEMMAS,
        "WM scores as GM does if and only if alpha <= 1/2",
        _equals_gm,
    ),
    Claim("WM between GM and EM", LEMMAS, "GM, WM, EM and UM score in this order", _between),
    Claim(
        "what GM derives",
        LEMMAS,
        "a mechanism is GM with post-processing if and only if it passes the triple test of Gupte and Sundararajan",
        _gupte,
    ),
    Claim("WM is new", LEMMAS, "WM cannot be had from GM by post-processing", _weak_is_new),
    Claim("EM is new", LEMMAS, "EM cannot be had from GM by post-processing", _explicit_is_new),
    Claim(
        "WM meets GM", FACTS, "beyond alpha = 0.5 WM = WH+RM+CM costs what GM costs at n = 2 alpha/(1-alpha)", _meets_gm
    ),
    Claim("WM costs as much as EM", FACTS, "at alpha = 0.99 and n >= 2 WM costs as much as EM", _costs_as_em),
)
