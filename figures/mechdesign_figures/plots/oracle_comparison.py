"""The picture of a comparison of oracles: a panel a metric, every oracle by epsilon."""

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.arguments import checked
from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.of_oracles import OracleRow
from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lettering import TITLE_SIZE, wrapped
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import LineStyle, mechanism_looks, on_figure

PANELS_ACROSS = 3
MOST_PANELS, MOST_ORACLES = 12, 21
PANEL_WIDTH, PANEL_HEIGHT = 3.4, 2.9
"""Inches."""

ORACLE_LOOKS = {
    "grr": LineStyle("#0072B2", "o"),
    "sue": LineStyle("#E69F00", "P", (0, (3, 1, 3, 1, 1, 1))),
    "oue": LineStyle("#D55E00", "s", "--"),
    "blh": LineStyle("#56B4E9", "v"),
    "olh": LineStyle("#009E73", "^", "-."),
    "hrr": LineStyle("#CC79A7", "D", ":"),
    "hcms": LineStyle("#882255", "*", (0, (8, 2))),
    "ss": LineStyle("#000000", "X", ":"),
    "dbitflip": LineStyle("#117733", "<", "--"),
}
"""The same in every picture."""

APART = 0.08
"""Share of the axis that ticks of epsilons are apart."""


def oracle_looks(names: Iterable[str]) -> dict[str, LineStyle]:
    """Return a look for every oracle: its own where it has one."""
    return mechanism_looks(names, ORACLE_LOOKS)


def require_plottable(oracles: Sequence[str], metrics: Sequence[str]) -> None:
    """Refuse, before any work, more panels or lines than can be read."""
    if len(metrics) > MOST_PANELS:
        raise InputError(f"plot must show at most {MOST_PANELS} metrics, got {len(metrics)}")
    if len(oracles) > MOST_ORACLES:
        raise InputError(f"plot must show at most {MOST_ORACLES} oracles, got {len(oracles)}")


@checked
def plot_oracle_comparison(rows: Sequence[OracleRow], figure: Figure | None = None) -> Figure:
    """Draw a comparison of oracles: a panel for each metric, every oracle against epsilon.

    Args:
        rows: of one comparison.
        figure: where; a new one by default.

    Returns:
        The figure; bars are standard errors.

    Raises:
        InputError: for no row, or more panels or lines than can be read.
    """
    if not rows:
        raise InputError("rows of a comparison must be at least one, got none")
    metrics = list(dict.fromkeys(row.measured.metric for row in rows))
    require_plottable(list(dict.fromkeys(row.oracle for row in rows)), metrics)
    down, across = _layout(len(metrics))
    with on_figure(figure, max(5.0, PANEL_WIDTH * across), PANEL_HEIGHT * down + 0.9) as made:
        draw_oracle_comparison(rows, made)
    return made


def draw_oracle_comparison(rows: Sequence[OracleRow], figure: Figure) -> np.ndarray:
    """Draw a panel for each metric on a given figure; bars are standard errors. Returns the axes, shape (panels,)."""
    names = list(dict.fromkeys(row.oracle for row in rows))
    metrics = list(dict.fromkeys(row.measured.metric for row in rows))
    looks = oracle_looks(names)
    grid: np.ndarray = figure.subplots(*_layout(len(metrics)), squeeze=False).reshape(-1)
    for axes, metric in zip(grid, metrics, strict=False):
        draw_metric(rows, metric, axes, looks)
    for axes in grid[len(metrics) :]:
        axes.set_axis_off()
    data = rows[0].comparison.data
    post = "" if rows[0].comparison.post is None else f"; post-processing {rows[0].comparison.post}"
    workload = rows[0].comparison.workload
    asked = "" if workload is None else f"; answers to {workload.described}"
    title = f"{data.name}: {data.users:,} users, {data.k:,} items{asked}{post}"
    figure.suptitle(wrapped(title, 0.96 * figure.get_figwidth(), TITLE_SIZE), fontsize=TITLE_SIZE)
    times = rows[0].measured.repetitions
    bars = "" if times == 1 else "; bar: one standard error of that mean"
    draw_legend(figure, looks, f"mean of {times:,} repetition{'' if times == 1 else 's'}{bars}")
    return grid[: len(metrics)]


def draw_metric(rows: Sequence[OracleRow], metric: str, axes: Axes, looks: dict[str, LineStyle]) -> Axes:
    """Draw one metric against epsilon on given axes, a line for each oracle; returns the axes."""
    series: dict[str, list[Mean]] = {}
    for row in rows:
        if row.measured.metric == metric:
            mean = Mean(row.privacy.epsilon, row.measured.mean, row.measured.standard_error)
            series.setdefault(row.oracle, []).append(mean)
    found = next(made for made in rows[0].comparison.made_metrics if made.name == metric)
    draw_lines(
        series,
        axes,
        looks=looks,
        x_label="epsilon (privacy loss of a report)",
        y_label=f"{metric} ({found.unit})",
        title=wrapped(found.title, 0.78 * PANEL_WIDTH, TITLE_SIZE),
        log_y=True,
    )
    _tick_epsilons([row.privacy for row in rows], axes)
    return axes


def _tick_epsilons(privacies: Sequence[Privacy], axes: Axes) -> None:
    """Mark the epsilons that were measured, rounded up, where they are far enough apart."""
    texts = {privacy.epsilon: privacy.epsilon_text(4) for privacy in privacies}
    places = sorted(texts)
    room = APART * (places[-1] - places[0])
    if all(after - before >= room for before, after in itertools.pairwise(places)):
        axes.set_xticks(places, [texts[place] for place in places])


def _layout(panels: int) -> tuple[int, int]:
    """Rows and columns, as even as they can be."""
    down = math.ceil(panels / PANELS_ACROSS)
    return down, math.ceil(panels / down)
