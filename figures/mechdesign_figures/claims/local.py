"""Section 6.8: the local model."""

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction

from mechdesign import DesignProblem, Mechanism, Model
from mechdesign.closed_forms.generalized_randomized_response import generalized_randomized_response
from mechdesign.evaluation import score
from mechdesign.landscape import all_subsets
from mechdesign_figures.claims.claim import LOCAL, Claim
from mechdesign_figures.claims.verdict import Case, Finding, judge, shown
from mechdesign_figures.studies.bench import Bench


def _settings(quick: bool) -> list[tuple[int, Fraction]]:
    texts = ("1/3", "9/10") if quick else ("1/10", "1/3", "62/100", "9/10")
    return list(itertools.product((2, 3, 4) if quick else (2, 3, 4, 5, 6, 8, 12), map(Fraction, texts)))


def _where(k: int, alpha: Fraction) -> str:
    return f"k = {k}, alpha = {alpha}"


def _randomised_response(bench: Bench, quick: bool) -> Finding:
    """No property, and all seven: every other subset lies between them."""

    def cases() -> Iterator[Case]:
        for (k, alpha), asked in itertools.product(_settings(quick), ("none", "all")):
            problem = DesignProblem(model=Model.ldp(k), alpha=alpha, properties=asked)
            best, own = bench.design(problem).score, score(generalized_randomized_response(k, alpha), problem)
            yield Case(f"{_where(k, alpha)}, {asked}", best == own, f"GRR {shown(own)}", miss=own - best)

    return judge(cases(), note=f"so for all {len(all_subsets())} subsets, which lie between none and all")


def _pathological(loss: str) -> Callable[[Bench, bool], Finding]:
    def measure(bench: Bench, quick: bool) -> Finding:
        cases = list(_pathological_cases(bench, quick, loss))
        pathological = [case.text for case in cases if case.true]
        return judge(
            cases,
            "GRR costs more than the optimum under that loss",
            f"pathological at {pathological[-1]}" if pathological else "nowhere pathological",
        )

    return measure


def _pathological_cases(bench: Bench, quick: bool, loss: str) -> Iterator[Case]:
    for k, alpha in _settings(quick):
        problem = DesignProblem(model=Model.ldp(k), alpha=alpha, loss=loss)
        found = bench.design(problem)
        never, misled = never_reported(found.mechanism), misled_inputs(found.mechanism)
        grr = score(generalized_randomized_response(k, alpha), problem)
        numbers = (
            f"{len(never)} outputs never reported, {len(misled)} inputs likelier reported as another, "
            f"GRR {shown(grr)}, optimum {shown(found.score)}"
        )
        yield Case(_where(k, alpha), bool(never or misled), numbers, grr > found.score, Fraction(k))


def never_reported(mechanism: Mechanism) -> list[int]:
    """Outputs of probability 0 on every input."""
    return [i for i, row in enumerate(mechanism.weights) if not any(row)]


def misled_inputs(mechanism: Mechanism) -> list[int]:
    """Inputs whose likeliest output is another."""
    return [j for j, column in enumerate(zip(*mechanism.weights, strict=True)) if column[j] < max(column)]


CLAIMS = (
    Claim(
        "GRR is optimal",
        LOCAL,
        "under LDP and L0 generalised randomised response is optimal, and all seven properties leave it so",
        _randomised_response,
    ),
    *(
        Claim(
            f"LDP under {loss}",
            LOCAL,
            f"under LDP and {loss} the optimum is pathological: it never reports some output, or reports some input "
            "more often as another than as itself",
            _pathological(loss),
        )
        for loss in ("L1", "L2")
    ),
)
