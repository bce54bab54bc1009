"""The picture of scores against n or alpha, with the points that matter marked."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mechdesign_figures.plots.parts.style import LineStyle

ACROSS = {"n": "people in a group, n", "alpha": "alpha = exp(-epsilon)"}
MAX_MARKERS = 14
ROOM = 0.08
"""Share of the height that is kept free above the lines for the word of each mark."""


LINE = 12.0
"""Points from one word to the next."""


@dataclass(frozen=True)
class ScoreLine:
    """Scores at values of n or alpha, and how they are drawn."""

    label: str
    across: Sequence[float]
    scores: Sequence[float]
    look: LineStyle


@dataclass(frozen=True)
class Mark:
    """A place on the horizontal axis where something changes."""

    at: float
    text: str


def draw_scores(
    lines: Sequence[ScoreLine],
    axes: Axes,
    *,
    along: str = "n",
    marks: Sequence[Mark] = (),
    title: str = "",
    y_label: str = "L0 score (uniform guessing: 1)",
) -> Axes:
    """Draw scores and marks on given axes; a mark beyond the lines stands at that edge, with an arrow.

    Args:
        lines: what is drawn; a line of one value is a point.
        axes: where.
        along: `"n"` or `"alpha"`, what the horizontal axis is.
        marks: dotted verticals with a word at their head.
        title: of the axes.
        y_label: of the vertical axis, with its unit or scale.

    Returns:
        The axes.
    """
    for line in lines:
        every = 1 + len(line.across) // MAX_MARKERS
        axes.plot(
            line.across,
            line.scores,
            label=line.label,
            linewidth=1.5,
            markersize=5.5,
            markevery=every,
            **line.look.line(),
        )
    first = min(min(line.across) for line in lines)
    last = max(max(line.across) for line in lines)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + ROOM * len(marks) * (high - low))
    for place, mark in enumerate(marks):
        _mark(axes, mark, place, first, last)
    axes.ticklabel_format(axis="y", useOffset=False)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=along == "n"))
    axes.set_xlabel(ACROSS[along])
    axes.set_ylabel(y_label)
    axes.set_title(title)
    return axes


def _mark(axes: Axes, mark: Mark, place: int, first: float, last: float) -> None:
    """A dotted vertical, its word on the side that has room, each word in a line of its own."""
    inside = first <= mark.at <= last
    at = min(max(mark.at, first), last)
    left = at - first > last - at
    if inside:
        axes.axvline(at, color="0.45", linewidth=1.0, linestyle=(0, (1, 2)), zorder=0)
    text = mark.text if inside else f"{mark.text} \N{RIGHTWARDS ARROW}" if left else f"\N{LEFTWARDS ARROW} {mark.text}"
    axes.annotate(
        text,
        (at, 1.0),
        xycoords=axes.get_xaxis_transform(),
        xytext=(-3 if left else 3, -2 - LINE * place),
        textcoords="offset points",
        ha="right" if left else "left",
        va="top",
        color="0.3",
        fontsize=8,
    )
