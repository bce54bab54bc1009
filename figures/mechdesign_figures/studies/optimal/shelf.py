"""The study of published local mechanisms over the certified optimum.

It runs over the number of items and epsilon.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.curves import draw_legend, legend_inches
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.optimal.published import (
    FAMILIES,
    GRR,
    HAAR,
    HRR,
    INPHT,
    MARGPS,
    MARGRR,
    OLH,
    OPTIMUM,
    OUE,
    SUBSET_TREES,
    SUBSETS,
    SUE,
    TREES,
    WEIGHTED,
    own_families,
    variances,
)
from mechdesign_figures.studies.optimal.settings import WORKLOADS, Setting, settings
from mechdesign_figures.studies.study import Row, Study

COLUMNS = (
    "workload",
    "items",
    "epsilon",
    "mechanism",
    "family",
    "variance",
    "over_least",
    "over_most",
    "lower_bound",
    "floor",
    "outputs",
    "least_input",
    "largest_input",
)

LOOKS = {
    GRR: LineStyle("#E69F00", "v", ":"),
    SUE: LineStyle("#999933", "<", (0, (8, 2))),
    OUE: LineStyle("#56B4E9", "P", (0, (3, 1, 3, 1, 1, 1))),
    OLH: LineStyle("#882255", "*", (0, (8, 2))),
    HRR: LineStyle("#CC79A7", "D", ":"),
    SUBSETS: LineStyle("#000000", "X", "--"),
    TREES: LineStyle("#0072B2", "o"),
    SUBSET_TREES: LineStyle("#009E73", "^", "-."),
    HAAR: LineStyle("#D55E00", "s", "--"),
    INPHT: LineStyle("#7F7F7F", ">"),
    WEIGHTED: LineStyle("#332288", "o", "-."),
    MARGPS: LineStyle("#117733", "P", (0, (5, 1))),
    MARGRR: LineStyle("#AA4499", "*", (0, (1, 1))),
}
NEARLY = 0.75
"""Of the settings of the commonest epsilon, those that another one has to have to be drawn."""

MOST_SHOWN = 4.0
"""Times the optimum: what is worse is not drawn."""

LEGEND = (
    "each with its best linear reconstruction at uniform shares; the optimum is 1, and a bar, where longer than the "
    "marker, spans what the certified bounds leave open; of trees the best over B = 2, 4, 8, 16 and the levels' "
    "oracles; own: of this project, in no paper"
)


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table: for every setting the certified design, and every mechanism of the shelf over it."""
    return [row for setting in settings(quick) for row in _rows(cache, setting)]


def _rows(cache: DesignCache, setting: Setting) -> Iterator[Row]:
    best = cache.workload_design(setting.problem, setting.gap)
    upper, lower = float(best.score), float(best.lower_bound)
    common: Row = {"workload": setting.workload, "items": setting.k, "epsilon": float(setting.epsilon)}
    bounds: Row = {"lower_bound": lower, "floor": float(best.floor)}
    yield {
        **common,
        "mechanism": OPTIMUM,
        "family": OPTIMUM,
        "variance": upper,
        "over_least": 1.0,
        "over_most": upper / lower,
        **bounds,
        "outputs": best.mechanism.n_outputs,
        "least_input": float(best.by_input.least),
        "largest_input": float(best.by_input.largest),
    }
    for name, family, variance in variances(setting):
        found: Row = {"mechanism": name, "family": family, "variance": variance}
        ratios: Row = {"over_least": variance / upper, "over_most": variance / lower}
        nothing: Row = dict.fromkeys(("outputs", "least_input", "largest_input"))
        yield {**common, **found, **ratios, **bounds, **nothing}


def draw(rows: Sequence[Row]) -> Figure:
    """Draw ratios against the number of items at a middle and at the largest epsilon, and against epsilon."""
    names = [name for name in WORKLOADS if any(row["workload"] == name for row in rows)]
    of_epsilon, of_items = _most_common(rows, "epsilon"), _most_common(rows, "items")
    middle, largest = of_epsilon[len(of_epsilon) // 2], of_epsilon[-1]
    panels = [
        *(("items", "epsilon", value) for value in dict.fromkeys((middle, largest))),
        ("epsilon", "items", of_items[0]),
    ]
    width = 3.3 * len(panels)
    figure = HouseFigure(figsize=(width, 2.9 * len(names) + legend_inches(LOOKS, LEGEND, width)))
    grid: np.ndarray = figure.subplots(len(names), len(panels), squeeze=False, sharey="row")
    for (line, workload), (place, (column, other, fixed)) in product(enumerate(names), enumerate(panels)):
        own = [row for row in rows if row["workload"] == workload and number(row, other) == fixed]
        _draw_panel(own, grid[line, place], column)
        said = f"epsilon = {fixed:g}" if other == "epsilon" else f"k = {fixed:g}"
        grid[line, place].set_title(f"{workload}, {said}")
        if place == 0:
            grid[line, place].set_ylabel("variance, the optimum being 1")
    ours = own_families()
    draw_legend(figure, {f"{name} (own)" if name in ours else name: look for name, look in LOOKS.items()}, LEGEND)
    return figure


def _most_common(rows: Sequence[Row], column: str) -> list[float]:
    """The values with the most settings, or nearly as many, rising."""
    settings_at: dict[float, set[tuple[str, float, float]]] = {}
    for row in rows:
        setting = (str(row["workload"]), number(row, "items"), number(row, "epsilon"))
        settings_at.setdefault(number(row, column), set()).add(setting)
    most = max(map(len, settings_at.values()))
    return sorted(value for value, found in settings_at.items() if len(found) >= NEARLY * most)


def _draw_panel(rows: Sequence[Row], axes: Axes, column: str) -> None:
    series = {family: list(_points(rows, family, column)) for family in FAMILIES}
    draw_lines(
        {family: points for family, points in series.items() if points},
        axes,
        looks=LOOKS,
        x_label="items, k" if column == "items" else "epsilon",
        log_x=True,
    )
    axes.axhline(1.0, color="0.3", linewidth=0.8)
    axes.set_ylim(0.9, MOST_SHOWN)
    if column == "items":
        sizes = sorted({whole(row, "items") for row in rows})
        axes.set_xticks(sizes, map(str, sizes))


def _points(rows: Sequence[Row], family: str, column: str) -> Iterator[Mean]:
    """The best of a family at every place, with half of what the bounds leave open."""
    for place in sorted({number(row, column) for row in rows}):
        own = [row for row in rows if row["family"] == family and number(row, column) == place]
        if own:
            best = min(own, key=lambda row: number(row, "variance"))
            low, high = number(best, "over_least"), number(best, "over_most")
            yield Mean(place, (low + high) / 2, (high - low) / 2)


STUDIES = (
    Study(
        number="optimal",
        title="Local mechanisms over the certified optimum, published and own",
        setting="prefixes, ranges, histogram and all tables of two binary attributes on 8, 16, 32, 64 and 128 items, "
        "tables of two of ten attributes, too; epsilon = 0.5, 1, 2 (prefixes and ranges of 128: 0.5 and 1), and 0.25 "
        "to 3 at 16 items; the least variance for a user, certified from both sides, and that of GRR, SUE, OUE, OLH, "
        "HRR, subset selection, trees with constrained inference (B = 2, 4, 8, 16; OUE, OLH, HRR or subset selection "
        "in the levels, which users draw uniformly), HaarHRR, InpHT, MargPS and MargRR (SUE)",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="Ours. Variances are sums over all queries, for one user, the mean over items that are as likely. Every "
        "mechanism has its best linear reconstruction from full reports there, so a published estimator may lose more. "
        "Own, in no paper: levels with subset selection, and InpHT with weighted draws. Where k is no power of B the "
        "root of a tree has fewer children. Gaps asked for: 1e-6 to 16 items and for histograms, 1e-3 at epsilon up to "
        "1 and to 32 items beyond; else the bounds are as they come. over_least and over_most are what the two bounds "
        "make of a ratio.",
    ),
)
