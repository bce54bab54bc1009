"""The flowchart of yes-or-no questions.

Yes leads to a box at the right, no to the next question below.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from mechdesign_figures.plots.parts.style import HouseFigure

QUESTION_AT, BOX_AT = 0.0, 1.0
INCHES_DOWN = 0.95
QUESTION_FILL, BOX_FILL, INK = "white", "0.93", "0.25"


@dataclass(frozen=True)
class Step:
    """A question, and the lines of the box that a yes leads to."""

    question: str
    box: str


def draw_flow(steps: Sequence[Step], last: str, axes: Axes) -> Axes:
    """Draw the steps downwards on given axes, the box `last` at the foot; returns the axes."""
    above = None
    for place, step in enumerate(steps):
        question = _text(axes, QUESTION_AT, -place, step.question, QUESTION_FILL, "round4")
        if above is not None:
            _join(axes, above, question, "no")
        _join(axes, question, _text(axes, BOX_AT, -place, step.box, BOX_FILL, "square"), "yes")
        above = question
    foot = _text(axes, QUESTION_AT, -len(steps), last, BOX_FILL, "square")
    if above is not None:
        _join(axes, above, foot, "no")
    axes.set_xlim(QUESTION_AT - 0.42, BOX_AT + 0.42)
    axes.set_ylim(-len(steps) - 0.5, 0.45)
    axes.set_axis_off()
    return axes


def _text(axes: Axes, across: float, up: float, text: str, fill: str, shape: str) -> Text:
    box = {"boxstyle": f"{shape},pad=0.5", "facecolor": fill, "edgecolor": INK, "linewidth": 1.0}
    return axes.text(across, up, text, ha="center", va="center", bbox=box)


def _join(axes: Axes, start: Text, end: Text, word: str) -> None:
    """An arrow from the edge of one box to that of another, with a word at its middle; drawn after the boxes."""
    (left, high), (right, low) = start.get_position(), end.get_position()
    arrow = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.2, "shrinkA": 0.0, "shrinkB": 0.0}
    boxes = {"patchA": start.get_bbox_patch(), "patchB": end.get_bbox_patch()}
    axes.annotate("", xy=(right, low), xytext=(left, high), arrowprops=arrow | boxes, zorder=4)
    level = high == low
    middle = (0.52 * (left + right), high + 0.06) if level else (left + 0.02, (high + low) / 2)
    axes.text(*middle, word, ha="center" if level else "left", va="bottom" if level else "center", color=INK)


def flow_figure(steps: Sequence[Step]) -> Figure:
    """Return a new figure on which so many steps have room."""
    return HouseFigure(figsize=(8.6, INCHES_DOWN * (len(steps) + 1)))
