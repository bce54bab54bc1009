"""The style of all pictures: colour-blind safe, readable in grey, no chart junk."""

import base64
import html
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure

from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import loss_text
from mechdesign.rational import number_text
from mechdesign_figures.plots.parts.saving import describe, picture_bytes
from mechdesign_figures.plots.parts.settings import house_style

HEAT = "cividis"
"""Perceptually uniform, the same to readers with and without colour vision, monotone in lightness."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette without its yellow: apart for readers with and without colour vision."""

FURTHER_COLOURS = (*COLOURS, "#882255", "#332288", "#999933", "#7F7F7F", "#117733")
"""For mechanisms of one's own: twelve differ, then marker and dash tell which of a colour is meant."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")

Dash = str | tuple[float, tuple[float, ...]]
"""A name of matplotlib's, or an offset and then lengths on and off in line widths."""

DASHES = ("-", "--", ":")


@dataclass(frozen=True)
class LineStyle:
    """The style of one line: colour, marker and dash, each enough to know it by."""

    colour: str
    marker: str
    dash: Dash = "-"

    def line(self) -> dict[str, Any]:
        """Return the look as keywords of `Axes.plot` and `Axes.errorbar`."""
        return {"color": self.colour, "marker": self.marker, "linestyle": self.dash}


MECHANISM_LOOKS = {
    "GM": LineStyle("#0072B2", "o"),
    "WM": LineStyle("#D55E00", "s", "--"),
    "EM": LineStyle("#009E73", "^", "-."),
    "UM": LineStyle("#000000", "X", ":"),
    "UCM": LineStyle("#56B4E9", "v"),
    "FM": LineStyle("#CC79A7", "D", "-."),
    "AM": LineStyle("#E69F00", "P", (0, (3, 1, 3, 1, 1, 1))),
    "WH": LineStyle("#882255", "*", (0, (8, 2))),
}
"""The mechanisms of the constrained-mechanisms study, the same in every picture."""


def mechanism_looks(names: Iterable[str], known: Mapping[str, LineStyle] = MECHANISM_LOOKS) -> dict[str, LineStyle]:
    """Choose a look for every mechanism: its own where it has one; else one that shares least with those taken."""
    distinct = list(dict.fromkeys(names))
    looks = {name: known[name] for name in distinct if name in known}
    for name in distinct:
        if name not in looks:
            looks[name] = _spare(list(looks.values()))
    return {name: looks[name] for name in distinct}


def _spare(taken: Sequence[LineStyle]) -> LineStyle:
    """The first look that repeats no two traits of one that is taken, of the rarest colour and then marker."""

    def likeness(look: LineStyle) -> tuple[int, int, int]:
        same = [(look.colour == t.colour, look.marker == t.marker, look.dash == t.dash) for t in taken]
        pairs = sum(sum(traits) > 1 for traits in same)
        return pairs, sum(colour for colour, _, _ in same), sum(marker for _, marker, _ in same)

    return min(
        (LineStyle(*traits[::-1]) for traits in itertools.product(DASHES, MARKERS, FURTHER_COLOURS)), key=likeness
    )


def short(value: Fraction | str | float | None) -> str:
    """Write a number of a table or a title as `number_text` does.

    >>> short(Fraction(31, 50)), short("10/11"), short(0.25)
    ('0.62', '10/11', '0.25')
    """
    return number_text(Fraction(str(value)))


LONGEST_ALPHA = 8
"""Letters up to which an alpha stands in a title."""


def privacy_words(alpha: Fraction) -> str:
    """Say how private in few words: alpha, or epsilon rounded up where alpha is long, as one made from epsilon is.

    >>> privacy_words(Fraction(9, 10)), privacy_words(Fraction(27634, 75117))
    ('alpha = 0.9', 'epsilon = 1')
    """
    text = number_text(alpha)
    return f"alpha = {text}" if len(text) <= LONGEST_ALPHA else f"epsilon = {loss_text(alpha)}"


def problem_words(problem: DesignProblem) -> str:
    """Return the title of a picture of a problem: what was asked, and epsilon rounded up."""
    far = " for each 1 of distance" if problem.model.name == "metric" else ""
    return f"{problem.describe()}; epsilon = {loss_text(problem.alpha)}{far}"


class HouseFigure(Figure):
    """A figure that keeps the house style when it is drawn later, since ticks and layout are made only then."""

    def draw(self, renderer: RendererBase) -> None:
        """Draw the figure in the house style."""
        with house_style():
            super().draw(renderer)

    def _repr_html_(self) -> str:
        """Show the figure in a notebook, in its true size, with its description for those who do not see it."""
        data = base64.b64encode(picture_bytes(self, ".png")).decode()
        words, width = html.escape(describe(self)), round(96 * self.get_figwidth())
        return f'<img alt="{words}" width="{width}" style="height: auto" src="data:image/png;base64,{data}">'


@contextmanager
def on_axes(ax: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """Give the axes to draw on: those of the caller, else new ones on a figure of so many inches in the house style."""
    if ax is not None:
        yield ax
        return
    with house_style():
        yield HouseFigure(figsize=(width, height)).add_subplot()


@contextmanager
def on_figure(figure: Figure | None, width: float, height: float) -> Iterator[Figure]:
    """Give the figure to draw on: that of the caller, else a new one of so many inches in the house style."""
    if figure is not None:
        yield figure
        return
    with house_style():
        yield HouseFigure(figsize=(width, height))
