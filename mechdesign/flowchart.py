"""Which box of the published flowchart a problem falls into (L0, uniform prior, expected loss).

Cormode, Kulkarni, Srivastava, "Constrained Private Mechanisms for Count Data", ICDE 2018: fairness asks for EM; without
a column property, and where weak honesty costs nothing, GM is optimal; so it is for alpha <= 1/2; what remains is
an LP.
"""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign.problem import DesignProblem
from mechdesign.properties import COLUMN_PROPERTIES, smoothness


@dataclass(frozen=True)
class Box:
    """`name` is GM, EM or LP; `reason` says in a line why."""

    name: str
    reason: str


def flowchart_box(problem: DesignProblem) -> Box:
    """The box of a problem; problems outside the flowchart's scope go to the LP."""
    alpha, asked = problem.alpha, problem.properties
    if problem.model.name != "count" or problem.is_worst_case:
        return Box("LP", "the flowchart covers expected losses of counts; this problem is outside it")
    if not problem.loss.is_zero_one or problem.prior.name != "uniform":
        return Box("LP", "the flowchart covers L0 under the uniform prior; this problem is outside it")
    if smoothness(asked) is not None:
        return Box("LP", "the flowchart covers the seven properties; this problem is outside it")
    threshold = Fraction(2) * alpha / (1 - alpha)
    if "F" in asked:
        return Box("EM", "fairness is asked: the explicit fair mechanism is optimal and has all seven properties")
    if problem.n == 1:
        return Box("GM", "for one person GM, EM and randomised response are the same and have everything")
    if alpha <= Fraction(1, 2):
        return Box("GM", "alpha <= 1/2: GM has every column property")
    if asked & COLUMN_PROPERTIES:
        return Box("LP", "a column property is asked and alpha > 1/2: GM does not have it")
    if "WH" in asked and problem.n < threshold:
        return Box("LP", f"weak honesty is asked and n < 2 alpha/(1 - alpha) = {float(threshold):.4g}")
    return Box("GM", "no property is asked that GM lacks")
