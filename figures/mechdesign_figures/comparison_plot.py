"""The picture of a comparison: what was asked for decides what is drawn.

| rows | panels |
| --- | --- |
| several n | one for each metric: value against n |
| one n | one for each metric: a dot for each mechanism |
| `Lp:0` to `Lp:n-1`, complete | one for each n: the tail against d |
| `error:-n` to `error:n`, complete | one for each n and mechanism: the error histogram |

All of them once for each alpha. A mechanism of one alpha among others that have several (a file) is in every panel.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign import InputError
from mechdesign.comparison import ComparisonRow, Measured
from mechdesign.metrics import parse_metrics
from mechdesign_catalog.comparing import Comparison
from mechdesign_figures.curves import Point, draw_curves, draw_dots, draw_legend, marker_words, metric_words
from mechdesign_figures.error_plot import draw_errors
from mechdesign_figures.studies.matrices import short
from mechdesign_figures.style import COLOURS, DASHES, Look, house_style, mechanism_looks, picture_bytes

MAX_PANELS = 24
MAX_MECHANISMS = len(COLOURS) * len(DASHES)
PANELS_ACROSS = 4
LONGEST_NAME = 28

SIZES, DOTS, TAIL, ERRORS = "sizes", "dots", "tail", "errors"
EXACT_MARKS = {SIZES: "line", TAIL: "line", DOTS: "stroke", ERRORS: "column"}


@dataclass(frozen=True)
class Panel:
    """One set of axes: its kind, title, what the values are, and the rows that it shows."""

    kind: str
    title: str
    words: str
    rows: tuple[ComparisonRow, ...]


def require_plottable(comparison: Comparison) -> None:
    """Refuse, before any work, what would make more panels or lines than can be read."""
    rows = [
        ComparisonRow(candidate.name, data.n, alpha, data.groups, Measured(metric.name, 0.0, 0.0, None, 1))
        for data in comparison.grouped
        for candidate in comparison.candidates
        for alpha in ([Fraction(0)] if candidate.is_file else comparison.alphas)
        for metric in parse_metrics(comparison.metrics, data.n)
    ]
    _require_readable(rows, panels_of(rows))


def draw_comparison(rows: Sequence[ComparisonRow], figure: Figure, *, title: str = "") -> np.ndarray:
    """Draw a comparison on a given figure; bars are standard errors.

    Returns:
        The axes, shape (rows, columns); those beyond the last panel are blank.

    Raises:
        InputError: for more panels or mechanisms than can be read.
    """
    panels = panels_of(rows)
    _require_readable(rows, panels)
    labels = _labels(rows)
    named = mechanism_looks(labels)
    looks = {labels[name]: look for name, look in named.items()}
    down, across = _shape(len(panels))
    grid: np.ndarray = figure.subplots(down, across, squeeze=False)
    for axes, panel in zip(grid.flat, panels, strict=False):
        _draw_panel(panel, axes, labels, looks)
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    _one_scale([axes for axes, panel in zip(grid.flat, panels, strict=False) if panel.kind == ERRORS])
    kinds = list(dict.fromkeys(panel.kind for panel in panels))
    marks = " or ".join(dict.fromkeys(EXACT_MARKS[kind] for kind in kinds))
    lines = looks if {SIZES, TAIL} & set(kinds) else {}
    draw_legend(figure, lines, marker_words("standard_error", rows[0].measured.repetitions, exact=marks))
    if title:
        figure.suptitle(title, fontsize="medium")
    return grid


def comparison_bytes(rows: Sequence[ComparisonRow], suffix: str, *, title: str = "") -> bytes:
    """The picture of a comparison as the content of a `.png`, `.svg` or `.pdf` file."""
    with house_style():
        down, across = _shape(len(panels_of(rows)))
        figure = Figure(figsize=(max(4.6, 3.5 * across), 3.0 * down + 0.9))
        draw_comparison(rows, figure, title=title)
        return picture_bytes(figure, suffix)


def panels_of(rows: Sequence[ComparisonRow]) -> list[Panel]:
    """All panels, alphas varying slowest."""
    return [panel for alpha in _shared_alphas(rows) for panel in _panels(rows, alpha)]


def _panels(rows: Sequence[ComparisonRow], alpha: Fraction | None) -> Iterator[Panel]:
    """Those of one alpha, None for all rows: single metrics first, tails next, error histograms last."""
    alphas = _alphas(rows)
    part = [row for row in rows if alpha in (None, row.alpha) or len(alphas[row.mechanism]) == 1]
    sizes = list(dict.fromkeys(row.n for row in part))
    named = alpha or (rows[0].alpha if len({row.alpha for row in rows}) == 1 else None)
    at_alpha = [] if named is None else [f"alpha = {short(named)}"]
    families = dict.fromkeys(family for row in part if (family := _family(row)))
    whole = [family for family in families if _is_whole(part, family, sizes)]
    single = [row for row in part if _family(row) not in whole]
    for metric in dict.fromkeys(row.measured.metric for row in single):
        own = tuple(row for row in single if row.measured.metric == metric)
        at_size = [f"n = {sizes[0]}"] if len(sizes) == 1 else []
        yield Panel(DOTS if at_size else SIZES, ", ".join(at_size + at_alpha), metric_words(metric), own)
    for family in whole:
        for n in sizes:
            own = tuple(row for row in part if _family(row) == family and row.n == n)
            told = [f"n = {n}", *at_alpha]
            if family != "error":
                yield Panel(TAIL, ", ".join(told), metric_words(f"{family}:d"), own)
                continue
            for name in dict.fromkeys(row.mechanism for row in own):
                yield Panel(
                    ERRORS, ", ".join(told), "share of groups", tuple(row for row in own if row.mechanism == name)
                )


def _family(row: ComparisonRow) -> str:
    """`L0` of `L0:3`, `error` of `error:-1`, nothing for a metric that has no family."""
    family, colon, _ = row.measured.metric.partition(":")
    return family if colon else ""


def _is_whole(rows: Sequence[ComparisonRow], family: str, sizes: Sequence[int]) -> bool:
    """Whether every size has the family's every metric, and some size more than one."""
    for n in sizes:
        found = {_place(row) for row in rows if row.n == n and _family(row) == family}
        if found != set(range(-n if family == "error" else 0, n + (family == "error"))):
            return False
    return max(sizes) > 1 or family == "error"


def _place(row: ComparisonRow) -> int:
    """The d of a tail, the e of an error."""
    return int(row.measured.metric.partition(":")[2])


def _draw_panel(panel: Panel, axes: Axes, labels: dict[str, str], looks: dict[str, Look]) -> None:
    names = {labels[row.mechanism]: row.mechanism for row in panel.rows}
    points = {
        label: sorted((_point(row, panel.kind) for row in panel.rows if row.mechanism == name), key=lambda p: p.place)
        for label, name in names.items()
    }
    if panel.kind == DOTS:
        draw_dots({label: own[0] for label, own in points.items()}, axes, looks=looks, x_label=panel.words)
    elif panel.kind == ERRORS:
        ((label, own),) = points.items()
        draw_errors(own, axes, look=looks[label], x_label="released - true (people)", y_label=panel.words)
    else:
        x_label = "d (people)" if panel.kind == TAIL else "people in a group, n"
        draw_curves(points, axes, looks=looks, x_label=x_label, y_label=panel.words)
    axes.set_title(", ".join(([label] if panel.kind == ERRORS else []) + ([panel.title] if panel.title else [])))


def _point(row: ComparisonRow, kind: str) -> Point:
    place = _place(row) if kind in (TAIL, ERRORS) else row.n
    return Point(place, row.measured.expected, row.measured.mean, row.measured.standard_error)


def _alphas(rows: Sequence[ComparisonRow]) -> dict[str, list[Fraction]]:
    found: dict[str, dict[Fraction, None]] = {}
    for row in rows:
        found.setdefault(row.mechanism, {})[row.alpha] = None
    return {name: list(alphas) for name, alphas in found.items()}


def _shared_alphas(rows: Sequence[ComparisonRow]) -> list[Fraction] | list[None]:
    """The alphas of mechanisms that have several; None alone where none has."""
    several = dict.fromkeys(alpha for alphas in _alphas(rows).values() if len(alphas) > 1 for alpha in alphas)
    return list(several) or [None]


def _labels(rows: Sequence[ComparisonRow]) -> dict[str, str]:
    """What each mechanism is called: with its alpha where that is not the panel's."""
    alphas = _alphas(rows)
    one_for_all = len({row.alpha for row in rows}) == 1
    brief = {name: name if len(name) <= LONGEST_NAME else f"...{name[3 - LONGEST_NAME :]}" for name in alphas}
    shown = brief if len(set(brief.values())) == len(brief) else {name: name for name in brief}
    return {
        name: shown[name] + ("" if one_for_all or len(own) > 1 else f" ({short(own[0])})")
        for name, own in alphas.items()
    }


def _one_scale(panels: Sequence[Axes]) -> None:
    """The same upper end for all."""
    top = max((axes.get_ylim()[1] for axes in panels), default=1.0)
    for axes in panels:
        axes.set_ylim(0, top)


def _shape(panels: int) -> tuple[int, int]:
    """Rows and columns, as even as they can be."""
    down = math.ceil(panels / PANELS_ACROSS)
    return down, math.ceil(panels / down)


def _require_readable(rows: Sequence[ComparisonRow], panels: Sequence[Panel]) -> None:
    mechanisms = len({row.mechanism for row in rows})
    if mechanisms > MAX_MECHANISMS:
        raise InputError(f"plot must show at most {MAX_MECHANISMS} mechanisms, got {mechanisms}; leave --plot out")
    if len(panels) > MAX_PANELS:
        raise InputError(
            f"plot must have at most {MAX_PANELS} panels, got {len(panels)}; take fewer metrics, group sizes or alphas"
        )
