"""Values measured twice, side by side: the exact expectation as a line, the simulated mean as a marker with its bar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from mechdesign_figures.style import Look

BAR_WORDS = {
    "standard_error": "one standard error of that mean",
    "deviation": "one standard deviation of a repetition",
}
"""What a bar can be: a cell of a study's table, and how a legend says it."""

METRIC_WORDS = {
    "error-rate": "share of groups with an error",
    "L0": "share of groups with an error",
    "L1": "mean absolute error (people)",
    "L2": "mean squared error (people²)",
    "rmse": "root mean squared error (people)",
    "bias": "mean error (people)",
}

MAX_TICKS = 10

WIDEST, NARROWEST = 2.4, 1.2
LARGEST, SMALLEST = 6.0, 4.0
"""Line widths and marker sizes, first to last: where curves coincide, all of them can be seen."""


@dataclass(frozen=True)
class Point:
    """At `place`: the exact expectation, the simulated mean, and half the length of its bar (None for no bar)."""

    place: float
    expected: float
    mean: float
    spread: float | None = None


def metric_words(name: str) -> str:
    """A metric as an axis says it, with its unit.

    >>> metric_words("L0:1"), metric_words("L2:d")
    ('share of groups with |error| > 1', 'mean |error|² where |error| > d (people²)')
    """
    if name in METRIC_WORDS:
        return METRIC_WORDS[name]
    kind, _, beyond = name.partition(":")
    if kind == "error":
        return f"share of groups with error {beyond}"
    where = f" where |error| > {beyond}" if beyond else ""
    power = int(kind[1:])
    if power == 0:
        return f"share of groups with |error| > {beyond}"
    if power == 1:
        return f"mean |error|{where} (people)"
    raised = "²" if power == 2 else f"^{power}"
    return f"mean |error|{raised}{where} (people{raised})"


def draw_curves(
    curves: Mapping[str, Sequence[Point]],
    axes: Axes,
    *,
    looks: Mapping[str, Look],
    x_label: str = "",
    y_label: str = "",
    title: str = "",
    whole_places: bool = True,
) -> Axes:
    """A curve for each name on given axes; returns the axes. `whole_places` keeps ticks to whole numbers."""
    for k, (name, points) in enumerate(curves.items()):
        look = looks[name]
        places = [point.place for point in points]
        share = k / max(1, len(curves) - 1)
        width = WIDEST + (NARROWEST - WIDEST) * share
        axes.plot(places, [p.expected for p in points], color=look.colour, linestyle=look.dash, linewidth=width)
        _bars(points, axes, look, places, horizontal=False, size=LARGEST + (SMALLEST - LARGEST) * share)
    if whole_places:
        whole_ticks(axes, [point.place for points in curves.values() for point in points])
    axes.ticklabel_format(axis="y", useOffset=False)
    axes.grid(True, color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    return axes


def whole_ticks(axes: Axes, places: Sequence[float]) -> None:
    """Every place its tick where few, else round whole numbers."""
    distinct = sorted(set(places))
    if len(distinct) <= MAX_TICKS:
        axes.set_xticks(distinct)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, steps=[1, 2, 4, 5, 10], min_n_ticks=1))


def draw_dots(
    points: Mapping[str, Point], axes: Axes, *, looks: Mapping[str, Look], x_label: str = "", title: str = ""
) -> Axes:
    """One value for each name, downwards in their order, on given axes; returns the axes.

    The exact expectation is an upright stroke with its number above. The axis does not start at 0: what is compared
    are places, not lengths.
    """
    names = list(points)
    for k, (name, point) in enumerate(points.items()):
        _bars([point], axes, looks[name], [k], horizontal=True, size=LARGEST)
        axes.plot([point.expected], [k], "|", color="black", markersize=17, markeredgewidth=1.2)
        axes.annotate(
            f"{point.expected:#.4g}", (point.expected, k), (0, 9), textcoords="offset points", ha="center", fontsize=8
        )
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.7)
    axes.margins(x=0.18)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5))
    axes.ticklabel_format(axis="x", useOffset=False)
    axes.grid(True, axis="y", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(x_label)
    axes.set_title(title)
    return axes


def _bars(
    points: Sequence[Point], axes: Axes, look: Look, places: Sequence[float], *, horizontal: bool, size: float
) -> None:
    """The simulated means; bars where every point has one."""
    means = [point.mean for point in points]
    spreads = [point.spread for point in points if point.spread is not None]
    bars = spreads if len(spreads) == len(points) else None
    axes.errorbar(
        means if horizontal else places,
        places if horizontal else means,
        xerr=bars if horizontal else None,
        yerr=None if horizontal else bars,
        fmt=look.marker,
        color=look.colour,
        markersize=size,
        markeredgecolor="white",
        markeredgewidth=0.4,
        elinewidth=1.1,
        capsize=2.0,
    )


def draw_legend(figure: Figure, looks: Mapping[str, Look], words: str) -> None:
    """Names with line and marker below the picture, and what line, marker and bar are."""
    handles = [Line2D([], [], label=name, markersize=6, **look.line()) for name, look in looks.items()]
    legend = figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=8,
        frameon=False,
        title=words,
        title_fontsize=8,
        handlelength=3.6,
    )
    legend.get_title().set_multialignment("center")


def marker_words(bar: str, repetitions: int, *, exact: str = "line") -> str:
    """What a legend says of the marks; without bars where there was a single repetition."""
    bars = f"\nbar, where longer than the marker: {BAR_WORDS[bar]}" if repetitions > 1 else ""
    times = "1 repetition" if repetitions == 1 else f"{repetitions} repetitions"
    return f"{exact}: exact expectation; marker: simulated mean of {times}{bars}"
