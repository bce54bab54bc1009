"""The published flowchart: the box of a problem (L0, uniform prior, expected loss).

Cormode, Kulkarni, Srivastava, "Constrained Private Mechanisms for Count Data", ICDE 2018: fairness asks for EM; without
a column property, and where weak honesty costs nothing, GM is optimal; so it is for alpha <= 1/2; what remains is
an LP.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import COLUMN_PROPERTIES
from mechdesign.rational import nearest_float


@dataclass(frozen=True)
class Box:
    """A box of the flowchart: `name` is GM, EM or LP, `reason` says in a line why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Question:
    """A diamond of the flowchart: where `holds`, `box` settles the problem, otherwise the next is asked."""

    text: str
    holds: Callable[[DesignProblem], bool]
    box: str
    reason: str


QUESTIONS = (
    Question(
        "fairness asked?",
        lambda problem: "F" in problem.properties,
        "EM",
        "fairness is asked: the explicit fair mechanism is optimal and has every property of the lattice",
    ),
    Question(
        "one person, n = 1?",
        lambda problem: problem.n == 1,
        "GM",
        "for one person GM, EM and randomised response are the same and have everything",
    ),
    Question(
        "alpha <= 1/2?",
        lambda problem: problem.alpha <= Fraction(1, 2),
        "GM",
        "alpha <= 1/2: GM has every column property",
    ),
    Question(
        "CH or CM asked?",
        lambda problem: bool(problem.properties & COLUMN_PROPERTIES),
        "LP",
        "a column property is asked and alpha > 1/2: GM does not have it",
    ),
    Question(
        "WH asked and n < 2 alpha/(1 - alpha)?",
        lambda problem: "WH" in problem.properties and problem.n < threshold(problem.alpha),
        "LP",
        "weak honesty is asked and n < 2 alpha/(1 - alpha) = {threshold:.4g}",
    ),
)
"""In the order in which they are asked."""

LAST = Box("GM", "no property is asked that GM lacks")
"""Where every answer was no."""


def threshold(alpha: Fraction) -> Fraction:
    """Return `2 alpha / (1 - alpha)`: GM is weakly honest from this n on, and at n = 1."""
    return 2 * alpha / (1 - alpha)


def flowchart_box(problem: DesignProblem) -> Box:
    """Find the box of a problem; problems outside the flowchart's scope go to the LP."""
    if problem.model.name != "count" or problem.is_worst_case:
        return Box("LP", "the flowchart covers expected losses of counts; this problem is outside it")
    if not problem.loss.is_zero_one or problem.prior.name != "uniform":
        return Box("LP", "the flowchart covers L0 under the uniform prior; this problem is outside it")
    beyond = [prop.name for prop in problem.required if not prop.in_lattice]
    if beyond:
        return Box("LP", f"the flowchart does not know {', '.join(beyond)}; this problem is outside it")
    for question in QUESTIONS:
        if question.holds(problem):
            return Box(question.box, question.reason.format(threshold=nearest_float(threshold(problem.alpha))))
    return LAST
