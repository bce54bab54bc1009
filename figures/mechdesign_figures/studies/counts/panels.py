"""Panels of releases as small multiples: one for each pair of two columns.

Each mechanism has a curve.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.curves import Point, draw_curves, draw_legend, marker_words
from mechdesign_figures.plots.parts.error_histograms import draw_errors
from mechdesign_figures.plots.parts.style import HouseFigure, mechanism_looks, short
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.study import Row

WORDS = {
    "n": "people in a group, n",
    "p": "chance of a 1 for each person, p",
    "d": "d (people)",
    "error": "error = released - true (people)",
}


def draw_multiples(
    rows: Sequence[Row],
    *,
    along: str,
    across: str,
    value: str,
    bar: str,
    share_y: bool = True,
    width: float = 3.6,
    height: float = 2.6,
) -> Figure:
    """Draw curves against the column `along`: panels for each value of `across` and each alpha.

    A value of `across` has a column of panels, an alpha has a row.

    `value` is the label of the vertical axis, `bar` the column that bars show. With `share_y` all panels are on one
    scale, else each row is.
    """
    names = list(dict.fromkeys(str(row["mechanism"]) for row in rows))
    alphas = list(dict.fromkeys(row["alpha"] for row in rows))
    values = list(dict.fromkeys(row[across] for row in rows))
    looks = mechanism_looks(names)
    figure = HouseFigure(figsize=(width * len(values), height * len(alphas) + 0.8))
    grid: np.ndarray = figure.subplots(
        len(alphas), len(values), squeeze=False, sharex=True, sharey="all" if share_y else "row"
    )
    for line, alpha in zip(grid, alphas, strict=True):
        for axes, cell in zip(line, values, strict=True):
            part = [row for row in rows if (row["alpha"], row[across]) == (alpha, cell)]
            draw_curves(
                {name: points(part, name, along, bar) for name in names},
                axes,
                looks=looks,
                x_label=WORDS[along],
                y_label=value if len(alphas) == 1 else "",
                title=_title(part[0], across),
                whole_places=along != "p",
            )
            axes.label_outer()
    if len(alphas) > 1:
        figure.supylabel(value, fontsize="medium")
    draw_legend(figure, looks, marker_words(bar, whole(rows[0], "repetitions")))
    return figure


def draw_histograms(rows: Sequence[Row], *, across: str, bar: str) -> Figure:
    """Draw error histograms: a row of panels for each mechanism.

    There is a column for each alpha and each value of `across`.
    """
    names = list(dict.fromkeys(str(row["mechanism"]) for row in rows))
    pairs = list(dict.fromkeys((row["alpha"], row[across]) for row in rows))
    looks = mechanism_looks(names)
    figure = HouseFigure(figsize=(2.7 * len(pairs), 1.6 * len(names) + 0.7))
    grid: np.ndarray = figure.subplots(len(names), len(pairs), squeeze=False, sharex=True, sharey=True)
    for line, name in zip(grid, names, strict=True):
        for axes, pair in zip(line, pairs, strict=True):
            part = [row for row in rows if (row["alpha"], row[across]) == pair]
            draw_errors(
                points(part, name, "error", bar),
                axes,
                look=looks[name],
                x_label=WORDS["error"],
                y_label=f"{name}\nshare of groups",
                title=_title(part[0], across) if name == names[0] else "",
            )
            axes.label_outer()
    draw_legend(figure, {}, marker_words(bar, whole(rows[0], "repetitions"), exact="column"))
    return figure


def points(rows: Sequence[Row], mechanism: str, along: str, bar: str) -> list[Point]:
    """Return one mechanism's rows as points, by rising place."""
    own = [row for row in rows if row["mechanism"] == mechanism]
    made = (
        Point(
            number(row, along),
            number(row, "expected"),
            number(row, "mean"),
            None if row[bar] is None else number(row, bar),
        )
        for row in own
    )
    return sorted(made, key=lambda point: point.place)


def _title(row: Row, across: str) -> str:
    cell = row[across] if across == "target" else f"{across} = {short(row[across])}"
    return f"{cell}, alpha = {short(row['alpha'])}"
