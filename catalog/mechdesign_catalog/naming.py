"""What the classes of a landscape are called."""

from mechdesign.methods.flowchart import flowchart_box
from mechdesign.sweeps.landscape import Landscape, with_properties
from mechdesign_catalog.mechanisms.landmarks import landmark_scores

WEAK_MECHANISMS = {"WH": ("WH",), "WM": ("WH", "RM", "CM")}
"""The flowchart's two linear programs, by the properties that they ask for."""


def class_names(found: Landscape) -> tuple[str | None, ...]:
    """One name or None for each class.

    GM, EM or UM where its exact score is the landmark's own; where the published flowchart covers the problem, WH
    and WM for the classes of the subsets WH and WH,RM,CM that are none of those.
    """
    names: list[str | None] = [None] * len(found.classes)
    if flowchart_box(with_properties(found.problem, {"F"})).name == "EM":
        for name, subset in WEAK_MECHANISMS.items():
            names[found.class_of(subset)] = name
    landmarks = landmark_scores(found.problem)
    for number, group in enumerate(found.classes):
        if group.status == "exact":
            names[number] = next((name for name, score in landmarks.items() if score == group.score), names[number])
    return tuple(names)
