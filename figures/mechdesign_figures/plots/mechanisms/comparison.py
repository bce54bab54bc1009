"""The picture of a comparison of mechanisms, as large as its names and values need.

`mechanism_panels` chooses the panels.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.arguments import checked
from mechdesign.counts.error_metrics import parse_metrics
from mechdesign.counts.measuring import Measured
from mechdesign.errors import InputError
from mechdesign_catalog.comparisons.of_mechanisms import MechanismComparison, MechanismRow
from mechdesign_figures.plots.mechanisms.panels import (
    DOTS,
    ERRORS,
    SIZES,
    TAIL,
    Panel,
    labels_of,
    panels_by_alpha,
    panels_of,
)
from mechdesign_figures.plots.parts.curves import MANY, Point, draw_curves, draw_legend, legend_inches, marker_words
from mechdesign_figures.plots.parts.dot_plot import ROW_INCHES, column_inches, draw_dots
from mechdesign_figures.plots.parts.error_histograms import draw_errors
from mechdesign_figures.plots.parts.lettering import TITLE_SIZE, inches, wrapped
from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.plots.parts.style import COLOURS, DASHES, LineStyle, mechanism_looks, on_figure

MAX_PANELS = 24
MAX_MECHANISMS = len(COLOURS) * len(DASHES)
PANELS_ACROSS = 4

MOST_SIZES = 4
"""Group sizes that a title lists."""

EXACT_MARKS = {SIZES: "line", TAIL: "line", DOTS: "stroke and number", ERRORS: "column"}
AXIS_WORDS = {SIZES: "people in a group, n", TAIL: "d (people)", ERRORS: "released - true (people)"}

NARROWEST, PANEL_WIDTH, PANEL_HEIGHT, DOTS_WIDTH = 5.0, 3.5, 3.0, 2.7
"""Inches."""

ROUND_DOTS, ROUND_AXES = 1.1, 0.8
"""Inches: a panel of dots with title and axis beyond its rows, and what stands left and below of other axes."""

LEAST_SEEN = 1e-3
"""Share of the top of a panel below which a tail cannot be told from 0."""


@dataclass(frozen=True)
class Layout:
    """The arrangement of panels, and the size of the picture in inches; `room` is for one panel."""

    lines: tuple[tuple[Panel, ...], ...]
    room: float
    width: float
    height: float

    @classmethod
    def of(cls, rows: Sequence[MechanismRow], title: str = "") -> "Layout":
        """Return the layout for these panels."""
        panels, labels, lines = panels_of(rows), labels_of(rows), tuple(_lines(rows))
        dots = [panel for panel in panels if panel.kind == DOTS]
        numbers = max((column_inches([row.measured.expected for row in panel.rows]) for panel in dots), default=0.0)
        names = max(map(inches, labels.values())) if dots else 0.0
        room = max(PANEL_WIDTH if len(dots) < len(panels) else 0.0, DOTS_WIDTH + numbers if dots else 0.0)
        width = max(NARROWEST, names + room * max(map(len, lines)))
        legend = legend_inches(list(labels.values()) if _has_lines(panels) else [], _words(rows, panels), width)
        above = 0.2 * (1 + wrapped(title, 0.96 * width).count("\n")) if title else 0.0
        return cls(lines, room, width, sum(map(_height, lines)) + legend + above + 0.2)


def _lines(rows: Sequence[MechanismRow]) -> Iterator[tuple[Panel, ...]]:
    """All panels beside one another where they fit, else every alpha in lines of its own, as even as they can be."""
    each = panels_by_alpha(rows)
    for part in each if len(panels_of(rows)) > PANELS_ACROSS else [panels_of(rows)]:
        across = math.ceil(len(part) / math.ceil(len(part) / PANELS_ACROSS))
        yield from (tuple(part[k : k + across]) for k in range(0, len(part), across))


def _height(line: Sequence[Panel]) -> float:
    """Of the highest panel."""
    dots = max((len(panel.mechanisms) for panel in line if panel.kind == DOTS), default=0)
    others = any(panel.kind != DOTS for panel in line)
    return max(ROUND_DOTS + ROW_INCHES * dots if dots else 0.0, PANEL_HEIGHT if others else 0.0)


def _has_lines(panels: Sequence[Panel]) -> bool:
    return any(panel.kind in (SIZES, TAIL) for panel in panels)


def _words(rows: Sequence[MechanismRow], panels: Sequence[Panel]) -> str:
    """What the marks are."""
    marks = dict.fromkeys(EXACT_MARKS[panel.kind] for panel in panels)
    return marker_words("standard_error", rows[0].measured.repetitions, exact=", ".join(marks))


def require_plottable(comparison: MechanismComparison) -> None:
    """Refuse, before any work, what would make more panels or lines than can be read."""
    rows = [
        MechanismRow(candidate.name, data.n, alpha, data.groups, Measured(metric.name, 0.0, 0.0, None, 1))
        for data in comparison.grouped
        for candidate in comparison.candidates
        for alpha in ([Fraction(0)] if candidate.is_made else comparison.alphas)
        for metric in parse_metrics(comparison.metrics, data.n)
    ]
    _require_readable(rows, panels_of(rows))


def comparison_words(comparison: MechanismComparison) -> str:
    """Return the title of a comparison: the data, the groups, and what designs among the mechanisms minimise."""
    grouped = sorted(comparison.grouped, key=lambda data: data.n)
    sizes = ", ".join(f"{data.groups:,} groups of n = {data.n:,}" for data in grouped)
    if len(grouped) > MOST_SIZES:
        first, last = grouped[0], grouped[-1]
        sizes = f"groups of n = {first.n:,} ({first.groups:,} of them) to {last.n:,} ({last.groups:,})"
    prior = "uniform" if comparison.prior is None else comparison.prior.name
    return f"{grouped[0].source}: {sizes}; loss of designs {comparison.loss.name}, prior {prior}"


@checked
def plot_mechanism_comparison(rows: Sequence[MechanismRow], figure: Figure | None = None, *, title: str = "") -> Figure:
    """Draw a comparison of mechanisms: what was measured decides the panels, see `mechanism_panels`.

    Args:
        rows: of one comparison.
        figure: where; by default a new one, as large as names and values ask for.
        title: above all panels.

    Returns:
        The figure; bars are standard errors.

    Raises:
        InputError: for no row, or more panels or mechanisms than can be read.
    """
    if not rows:
        raise InputError("rows of a comparison must be at least one, got none")
    with house_style():
        layout = Layout.of(rows, title)
    with on_figure(figure, layout.width, layout.height) as made:
        draw_mechanism_comparison(rows, made, title=title)
    return made


def draw_mechanism_comparison(rows: Sequence[MechanismRow], figure: Figure, *, title: str = "") -> np.ndarray:
    """Draw a comparison of mechanisms on a given figure, best of the size of its `Layout`; bars are standard errors.

    Returns:
        The axes, shape (rows, columns); those beyond the last panel are blank.

    Raises:
        InputError: for more panels or mechanisms than can be read.
    """
    panels = panels_of(rows)
    _require_readable(rows, panels)
    labels, layout = labels_of(rows), Layout.of(rows, title)
    looks = {labels[name]: look for name, look in mechanism_looks(labels).items()}
    heights = [_height(line) for line in layout.lines]
    across = max(map(len, layout.lines))
    grid: np.ndarray = figure.subplots(len(heights), across, squeeze=False, gridspec_kw={"height_ratios": heights})
    histograms, values = [], []
    for grid_line, line in zip(grid, layout.lines, strict=True):
        for k, (axes, panel) in enumerate(zip(grid_line, line, strict=False)):
            named = k == 0 or not _same_names(line[k - 1], panel)
            _draw_panel(panel, axes, labels, looks, layout.room, named=named)
            histograms += [(axes, panel)] if panel.kind == ERRORS else []
            values += [(axes, panel)] if panel.kind == SIZES else []
        for axes in grid_line[len(line) :]:
            axes.set_axis_off()
    _one_scale(histograms)
    _one_height(values)
    draw_legend(figure, looks if _has_lines(panels) else {}, _words(rows, panels))
    if title:
        figure.suptitle(wrapped(title, 0.96 * figure.get_figwidth()), fontsize="medium")
    return grid


def _same_names(one: Panel, other: Panel) -> bool:
    return one.kind == other.kind == DOTS and one.mechanisms == other.mechanisms


def _draw_panel(
    panel: Panel, axes: Axes, labels: dict[str, str], looks: dict[str, LineStyle], room: float, *, named: bool
) -> None:
    points = {labels[name]: panel.points(name) for name in panel.mechanisms}
    across = wrapped(panel.words if panel.kind == DOTS else AXIS_WORDS[panel.kind], room - 0.3)
    up = wrapped(panel.words, PANEL_HEIGHT - ROUND_AXES)
    title = panel.title
    if panel.kind == DOTS:
        draw_dots({label: own[0] for label, own in points.items()}, axes, looks=looks, x_label=across, named=named)
    elif panel.kind == ERRORS:
        ((label, own),) = points.items()
        draw_errors(own, axes, look=looks[label], x_label=across, y_label=up)
        title = f"{wrapped(label, room - ROUND_AXES, TITLE_SIZE)}\n{title}".rstrip()
    else:
        points = _cut(points) if panel.kind == TAIL else points
        draw_curves(points, axes, looks=looks, x_label=across, y_label=up)
    axes.set_title(wrapped(title, room - 0.3, TITLE_SIZE))


def _cut(tails: dict[str, list[Point]]) -> dict[str, list[Point]]:
    """Tails of many d up to where all are down to 0 as far as can be seen."""
    tops = np.array([[max(point.expected, point.mean) for point in tail] for tail in tails.values()]).max(axis=0)
    seen = len(tops) if len(tops) <= MANY else 2 + np.flatnonzero(tops >= LEAST_SEEN * tops.max())[-1]
    return {name: tail[:seen] for name, tail in tails.items()}


def _one_scale(panels: Sequence[tuple[Axes, Panel]]) -> None:
    """The same upper end for all, the same ends of the axis of errors for all of one n."""
    top = max((axes.get_ylim()[1] for axes, _ in panels), default=1.0)
    for n in {panel.rows[0].n for _, panel in panels}:
        own = [axes for axes, panel in panels if panel.rows[0].n == n]
        left, right = zip(*(axes.get_xlim() for axes in own), strict=True)
        for axes in own:
            axes.set_xlim(min(left), max(right))
            axes.set_ylim(0, top)


def _one_height(panels: Sequence[tuple[Axes, Panel]]) -> None:
    """The same ends of the vertical axis for one metric, whatever the alpha."""
    for words in {panel.words for _, panel in panels}:
        own = [axes for axes, panel in panels if panel.words == words]
        low, high = zip(*(axes.get_ylim() for axes in own), strict=True)
        for axes in own:
            axes.set_ylim(min(low), max(high))


def _require_readable(rows: Sequence[MechanismRow], panels: Sequence[Panel]) -> None:
    mechanisms = len({row.mechanism for row in rows})
    if mechanisms > MAX_MECHANISMS:
        raise InputError(f"plot must show at most {MAX_MECHANISMS} mechanisms, got {mechanisms}; leave --plot out")
    if len(panels) > MAX_PANELS:
        raise InputError(
            f"plot must have at most {MAX_PANELS} panels, got {len(panels)}; take fewer metrics, group sizes or alphas"
        )
