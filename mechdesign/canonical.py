"""The canonical design: of all best mechanisms the same one on every machine, wherever that costs little."""

import math
from dataclasses import replace
from functools import partial

from mechdesign.designs import Design, design, restated
from mechdesign.errors import NotCertifiedError
from mechdesign.methods.method import OWN_SOLVER, lopsided_doubt
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.then import CANONICAL
from mechdesign.rational import natural_log

LARGEST_CANONICAL, LARGEST_WEIGHTED, LARGEST_WORST = 48, 40, 24
"""Counts of up to so many people have a canonical design in less than a second of one busy core: under the uniform
prior, under others, and for the worst case. Of 54, 55 and 43 random problems of these sizes the slowest took .93, .76
and .24 s. Under the uniform prior 64 people took .99 s; a worst case of 32 took 6.7 s."""

DECADES = 12.0
"""There alpha^n is not below 10^-12. Where it is, a solver in floats sees too little of the entries far off."""


def has_canonical(problem: DesignProblem) -> bool:
    """Return whether the canonical design is the usual one: for counts of few people, by a rule without a clock.

    It is not where alpha^n is tiny or the prior is lopsided, for there the stages may take many times as long.
    """
    return (
        problem.model.name == "count"
        and problem.n <= _largest(problem)
        and -natural_log(problem.alpha) * problem.n <= DECADES * math.log(10)
        and lopsided_doubt(problem) is None
    )


def _largest(problem: DesignProblem) -> int:
    if problem.is_worst_case:
        return LARGEST_WORST
    return LARGEST_CANONICAL if problem.prior.name == "uniform" else LARGEST_WEIGHTED


def canonical_design(problem: DesignProblem, *, solver: str = OWN_SOLVER, time_limit: float | None = None) -> Design:
    """Design the canonical mechanism where that is the usual one, else the one that `design` finds first.

    It is the one of `design` with `then="canonical"` for its alpha. Where that is not certified, the other one is taken
    too. Asked by epsilon, it has no further respects where their bounds for this epsilon would be wide.

    Raises:
        InputError, InfeasibleError, NotCertifiedError, LimitReachedError: as `design`.

    >>> canonical_design(DesignProblem(8, "3/4", properties="WH,CM")).single.words
    'no other mechanism at this alpha that equals its rotation has these scores'
    """
    find = partial(design, solver=solver, time_limit=time_limit)
    if not has_canonical(problem):
        return find(problem)
    try:
        found = find(problem.at_alpha, then=CANONICAL)
    except NotCertifiedError:
        return find(problem)
    result = found if found.problem is problem else restated(found, problem, found.certificate)
    forms = (result, replace(result, stages=(), single=None))
    return next((one for one in forms if one.status != "feasible"), None) or find(problem)
