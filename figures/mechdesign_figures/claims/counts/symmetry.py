"""Claims about symmetrisation: averages with the rotation, and when they are free."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

from mechdesign.certificate.score import score
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.prior import Prior
from mechdesign.rational import number_text
from mechdesign_figures.claims.claim import THEOREMS, Claim, alphas
from mechdesign_figures.claims.counts.matrices import (
    double_above,
    has,
    inverse_to,
    lopsided,
    privacy,
    skewed,
    stock,
    symmetrised,
)
from mechdesign_figures.claims.verdict import Case, Finding, judge, setting, shown
from mechdesign_figures.studies.design_cache import DesignCache

SKEWED_EXAMPLE = Prior.from_weights(["0.4", "0.3", "0.15", "0.1", "0.05"])


def _keeps(cache: DesignCache, quick: bool) -> Finding:
    return judge(_keeping_cases(cache, quick))


def _keeping_cases(cache: DesignCache, quick: bool) -> Iterator[Case]:
    for name, alpha, mechanism in stock(cache, quick):
        average = symmetrised(mechanism)
        lost = has(mechanism) - has(average)
        private = privacy(average) >= privacy(mechanism)
        numbers = "" if private and not lost else f"alpha-DP kept: {private}, lost: {sorted(lost)}"
        yield Case(f"{name} at alpha = {number_text(alpha)}", private and not lost and "S" in has(average), numbers)


def _free(cache: DesignCache, quick: bool) -> Finding:
    return judge(_free_case(problem, where) for problem, where in _problems(quick) if problem.symmetry_is_free)


def _free_beyond(cache: DesignCache, quick: bool) -> Finding:
    return judge(
        (_free_case(problem, where) for problem, where in _problems(quick)),
        "w_j loss(i,j) is unchanged under i, j -> n-i, n-j",
        f"asking S of the best mechanism, n = 4, alpha = 0.7, prior (0.4, 0.3, 0.15, 0.1, 0.05): {_price(cache)}",
    )


def _problems(quick: bool) -> Iterator[tuple[DesignProblem, str]]:
    """Losses that charge nothing for the truth, with priors; one loss makes up for the lopsided prior beside it."""
    for n, alpha in itertools.product((1, 2, 3) if quick else (1, 2, 3, 4, 5), alphas(quick)):
        priors = {"uniform": Prior.parse("uniform"), "binomial": Prior.parse("binomial:1/2"), "falling": skewed(n)}
        losses = {name: Loss.parse(name) for name in ("L0", "L1", "L2", "L0:1")}
        losses["overestimates charged double"] = double_above(n)
        losses["errors charged 1/w of the falling prior"] = inverse_to(skewed(n), n)
        for (prior_name, prior), (loss_name, loss) in itertools.product(priors.items(), losses.items()):
            problem = DesignProblem(n, alpha, loss=loss, prior=prior)
            yield problem, f"{setting(n, alpha)}, {loss_name}, {prior_name} prior"


def _free_case(problem: DesignProblem, where: str) -> Case:
    """Does symmetrising change the loss of any of the lopsided mechanisms?"""
    pairs = [(score(one, problem), score(average, problem)) for one, average in _averaged(problem.n, problem.alpha)]
    before, after = max(pairs, key=lambda pair: pair[1] - pair[0])
    true = all(x == y for x, y in pairs)
    return Case(where, true, f"{shown(before)} to {shown(after)}", charges_are_symmetric(problem), after - before)


@cache
def _averaged(n: int, alpha: Fraction) -> list[tuple[Mechanism, Mechanism]]:
    return [(mechanism, symmetrised(mechanism)) for mechanism in lopsided(n, alpha)]


def charges_are_symmetric(problem: DesignProblem) -> bool:
    """Return whether each entry and its rotation add the same to the expected loss.

    An entry (i, j) adds `w_j loss(i,j)`; its rotation is (n-i, n-j).
    """
    weights = problem.prior.weights(problem.size)
    charges = [[w * cost for w, cost in zip(weights, row, strict=True)] for row in problem.loss.matrix(problem.size)]
    return charges == [row[::-1] for row in reversed(charges)]


def _price(cache: DesignCache) -> str:
    return ", ".join(f"{loss} {shown(free)} to {shown(asked)}" for loss, free, asked in _prices(cache))


def _prices(cache: DesignCache) -> Iterator[tuple[str, Fraction, Fraction]]:
    for loss in ("L0", "L1"):
        problem = DesignProblem(4, "7/10", loss=loss, prior=SKEWED_EXAMPLE)
        asked = replace(problem, properties=frozenset({"S"}))
        yield loss, cache.design(problem).score, cache.design(asked).score


CLAIMS = (
    Claim(
        "symmetrising keeps",
        THEOREMS,
        "Theorem 8: the average of a mechanism and its rotation is symmetric and keeps alpha-DP and every property",
        _keeps,
    ),
    Claim(
        "symmetrising is free",
        THEOREMS,
        "Theorem 8: where loss and prior are unchanged under i -> n-i symmetrising costs nothing, the average has the "
        "same expected loss",
        _free,
    ),
    Claim(
        "symmetrising is free, any prior", THEOREMS, "for any loss and prior symmetrising costs nothing", _free_beyond
    ),
)
