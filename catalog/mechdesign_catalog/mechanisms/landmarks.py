"""Landmarks: a design, or the classes of a landscape, among the named mechanisms."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from mechdesign.certificate.score import score
from mechdesign.designs import Design
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import score_decimal
from mechdesign.methods.flowchart import flowchart_box
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import ordered, properties_of
from mechdesign.rational import fraction_text
from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS

if TYPE_CHECKING:  # `solve` needs no landscape
    from mechdesign.sweeps.landscape import Landscape

LANDMARKS = {"count": ("GM", "EM", "UM"), "ldp": ("GRR", "UM"), "lldp": ("GRR", "UM"), "metric": ("UM",)}
LARGEST_MEASURED = 256
"""Up to this n the landmarks are scored by their matrix under any loss; beyond, only by formula under L0."""


@dataclass(frozen=True)
class LandmarkComparison:
    """The comparison with a landmark: its exact score, and the design's score over it.

    Both are under the design's own loss and prior, or of the worst input where the design is for it. `lacks` are
    the properties asked of the design that the landmark does not have, so that its score is no rival's; None where its
    matrix is too large to be tested.
    """

    name: str
    score: Fraction
    text: str
    lacks: tuple[str, ...] | None = ()

    @property
    def title(self) -> str:
        """The landmark's name in full."""
        return CLOSED_FORMS[self.name].title

    @property
    def remark(self) -> str:
        """What of the properties asked is missing, in words; empty where nothing is."""
        return _remark(self.lacks)


def _remark(lacks: tuple[str, ...] | None) -> str:
    if lacks is None:
        return "not tested for what was asked"
    return f"it lacks {', '.join(lacks)}, asked for here" if lacks else ""


def landmark_scores(problem: DesignProblem) -> dict[str, Fraction]:
    """Score the landmarks of a model exactly under the loss and the prior of a problem.

    All are private in the model.
    """
    formula = problem.loss.is_zero_one and problem.prior.name == "uniform" and not problem.is_worst_case
    scores = {}
    for name in LANDMARKS[problem.model.name]:
        form = CLOSED_FORMS[name]
        size = problem.n if form.model != "ldp" else problem.size
        if formula:
            scores[name] = form.score(size, problem.alpha)
        elif problem.n <= LARGEST_MEASURED:
            mechanism: Mechanism = form.build(size, problem.alpha)
            scores[name] = score(mechanism, problem)
    return scores


def lacking(name: str, problem: DesignProblem) -> tuple[str, ...] | None:
    """Name the properties asked for that a landmark lacks; None where its matrix is too large to be tested."""
    form = CLOSED_FORMS[name]
    open_questions = problem.properties - form.always
    if not open_questions:
        return ()
    if problem.n > LARGEST_MEASURED:
        return None
    mechanism = form.build(problem.n if form.model != "ldp" else problem.size, problem.alpha)
    held = properties_of(mechanism.weights, mechanism.denominator, open_questions)
    return ordered(open_questions - set(held))


def compare_with_landmarks(design: Design) -> list[LandmarkComparison]:
    """Place a design among the named mechanisms of its model; each with a line of text."""
    places = []
    for name, value in landmark_scores(design.problem).items():
        exact = fraction_text(value)
        shown = f"{exact} = {score_decimal(value)}" if len(exact) <= 30 else score_decimal(value)
        if value.denominator == 1:
            shown = exact
        relation = "the same score"
        if value != design.score:
            side = "below" if design.score < value else "above"
            relation = f"the design is {abs(float(design.score - value)):.3g} {side} it"
        lacks = lacking(name, design.problem)
        remark = f"; {_remark(lacks)}" if _remark(lacks) else ""
        places.append(
            LandmarkComparison(name, value, f"{shown} ({CLOSED_FORMS[name].title}; {relation}{remark})", lacks)
        )
    return places


WEAK_MECHANISMS = {"WH": ("WH",), "WM": ("WH", "RM", "CM")}
"""The flowchart's two linear programs, by the properties that they ask for."""


def class_names(landscape: "Landscape") -> tuple[str | None, ...]:
    """Name the classes of a landscape: one name or None for each.

    GM, EM or UM where its exact score is the landmark's own; where the published flowchart covers the problem, WH
    and WM for the classes of the subsets WH and WH,RM,CM that are none of those.
    """
    from mechdesign.sweeps.subset_designs import with_properties

    names: list[str | None] = [None] * len(landscape.classes)
    if flowchart_box(with_properties(landscape.problem, {"F"})).name == "EM":
        for name, subset in WEAK_MECHANISMS.items():
            names[landscape.class_of(subset)] = name
    landmarks = landmark_scores(landscape.problem)
    for number, group in enumerate(landscape.classes):
        if group.status == "exact":
            names[number] = next((name for name, score in landmarks.items() if score == group.score), names[number])
    return tuple(names)
