"""Claims about the local model, section 6.8."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from mechdesign.certificate.score import score
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.closed_forms.generalized_randomized_response import generalized_randomized_response
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.rational import number_text
from mechdesign.sweeps.landscape import all_subsets
from mechdesign_figures.claims.claim import LOCAL, Claim
from mechdesign_figures.claims.verdict import Case, Finding, judge, shown
from mechdesign_figures.studies.design_cache import DesignCache

QUICK = ("1/5", "1/4", "1/3", "1/2", "9/10")
ALPHAS = (*QUICK, "1/100", "1/50", "1/30", "1/20", "1/12", "1/10", "1/8", "1/7", "9/40", "6/25", "49/100", "62/100")
"""On both sides of the alphas beyond which optima are pathological."""


def _settings(quick: bool) -> list[tuple[int, Fraction]]:
    sizes = (2, 3, 4) if quick else (2, 3, 4, 5, 6, 8, 12)
    return list(itertools.product(sizes, sorted(map(Fraction, QUICK if quick else ALPHAS))))


@dataclass(frozen=True)
class Region:
    """The settings in which optima are pathological: `left(k, alpha) > 1`, `text` in words; the cases fit it.

    With `D_i` the loss summed over row i and T over all rows, GRR has the dual prices
    `pi_i = alpha/(1-alpha) (D_i - alpha T/(1 + (k-1) alpha))`. They prove it optimal as long as all are between 0 and
    the least charge for an error, 1. The end rows have the largest; theirs is above 1 where `left` is. Where it is 1,
    GRR is one of several optima, and which of them is found says nothing: such cases are not tried.
    """

    loss: str
    text: str
    left: Callable[[int, Fraction], Fraction]


REGIONS = (
    Region(
        "L1",
        "alpha (1 + C(k-1,2)) + alpha^2 C(k-1,3) > 1, with C the binomial coefficient",
        lambda k, alpha: alpha * (1 + comb(k - 1, 2)) + alpha**2 * comb(k - 1, 3),
    ),
    Region(
        "L2",
        "alpha (1 + (2k+3)/3 C(k-1,2)) + alpha^2 (k+1) C(k-1,3) > 1, with C the binomial coefficient",
        lambda k, alpha: alpha * (1 + Fraction(2 * k + 3, 3) * comb(k - 1, 2)) + alpha**2 * (k + 1) * comb(k - 1, 3),
    ),
)


def _where(k: int, alpha: Fraction) -> str:
    return f"k = {k}, alpha = {number_text(alpha)}"


def _randomised_response(cache: DesignCache, quick: bool) -> Finding:
    """No property, and all: every other subset lies between them."""

    def cases() -> Iterator[Case]:
        for (k, alpha), asked in itertools.product(_settings(quick), ("none", "all")):
            problem = DesignProblem(model=Model.ldp(k), alpha=alpha, properties=asked)
            best, own = cache.design(problem).score, score(generalized_randomized_response(k, alpha), problem)
            yield Case(f"{_where(k, alpha)}, {asked}", best == own, f"GRR {shown(own)}", miss=own - best)

    return judge(cases(), note=f"so for all {len(all_subsets())} subsets, which lie between none and all")


def _pathological(region: Region) -> Callable[[DesignCache, bool], Finding]:
    def measure(cache: DesignCache, quick: bool) -> Finding:
        cases = list(_pathological_cases(cache, quick, region))
        last = [case.text for case in cases if case.true][-1:]
        return judge(cases, region.text, f"pathological at {last[0]}" if last else "nowhere pathological")

    return measure


def _pathological_cases(cache: DesignCache, quick: bool, region: Region) -> Iterator[Case]:
    for k, alpha in _settings(quick):
        left = region.left(k, alpha)
        if left == 1:
            continue
        problem = DesignProblem(model=Model.ldp(k), alpha=alpha, loss=region.loss)
        found = cache.design(problem)
        never, misled = never_reported(found.mechanism), misled_inputs(found.mechanism)
        grr = score(generalized_randomized_response(k, alpha), problem)
        numbers = (
            f"{len(never)} outputs never reported, {len(misled)} inputs likelier reported as another, "
            f"GRR {shown(grr)}, optimum {shown(found.score)}"
        )
        yield Case(_where(k, alpha), bool(never or misled), numbers, left > 1, Fraction(k))


def never_reported(mechanism: Mechanism) -> list[int]:
    """List the outputs of probability 0 on every input."""
    return [i for i, row in enumerate(mechanism.weights) if not any(row)]


def misled_inputs(mechanism: Mechanism) -> list[int]:
    """List the inputs whose likeliest output is another than themselves."""
    return [j for j, column in enumerate(zip(*mechanism.weights, strict=True)) if column[j] < max(column)]


CLAIMS = (
    Claim(
        "GRR is optimal",
        LOCAL,
        "under LDP, L0 and the uniform prior generalised randomised response is optimal, and all properties leave it "
        "so",
        _randomised_response,
    ),
    *(
        Claim(
            f"LDP under {region.loss}",
            LOCAL,
            f"under LDP and {region.loss} the optimum is pathological: it never reports some output, or reports some "
            "input more often as another than as itself",
            _pathological(region),
        )
        for region in REGIONS
    ),
)
