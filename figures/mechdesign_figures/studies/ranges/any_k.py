"""The study of prefixes and ranges at any number of items: loss to the bound, to 2^20."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.workload_survey import WorkloadStanding, survey_workload
from mechdesign_figures.plots.parts.curves import draw_legend, legend_inches
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.optimal.settings import SHORT_EPSILONS, WORKLOADS, Setting
from mechdesign_figures.studies.study import Row, Study

NAMES = ("prefixes", "ranges")
SIZES, QUICK_SIZES = (4, 5, 6, 7, 8, 10, 12, 16, 20), (2, 3)
EPSILONS, QUICK_EPSILONS = ("0.5", "1", "2", "3"), ("1",)
LARGEST_DESIGN = 7
"""Logarithm of the number of items up to which the optimum is certified; of these it takes minutes at small epsilon."""

USERS = 10**6
OPTIMUM, PUBLISHED, OWN = "certified optimum", "best published", "best of all"
LOOKS = {
    PUBLISHED: LineStyle("#D55E00", "s", "--"),
    OWN: LineStyle("#0072B2", "o"),
    OPTIMUM: LineStyle("#000000", "X", ":"),
}
LEGEND = (
    "mean variance of all answers at uniform shares over its bound, which is 1; published: with options and weights of "
    "the paper; all: with systems, weights of levels and subset selection of this project; optimum: proved in "
    "integers"
)
COLUMNS = ("workload", "items_log2", "epsilon", "family", "system", "variance", "bound", "over_bound")


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table: the best published system and the best of all for each setting, the optimum where known."""
    sizes, epsilons = (QUICK_SIZES, QUICK_EPSILONS) if quick else (SIZES, EPSILONS)
    found: list[Row] = []
    for name in NAMES:
        for log2 in sizes:
            for epsilon in epsilons:
                common: Row = {"workload": name, "items_log2": log2, "epsilon": float(epsilon)}
                found += [{**common, **row} for row in _rows(cache, name, log2, epsilon)]
    return found


def _rows(cache: DesignCache, name: str, log2: int, epsilon: str) -> Iterator[Row]:
    workload = WORKLOADS[name](1 << log2)
    listed = [one for one in survey_workload(workload, Privacy(epsilon=epsilon), USERS) if one.bound is not None]
    bound = USERS * float(listed[0].bound or 0)

    def row(family: str, system: str | None, variance: float) -> Row:
        return {
            "family": family,
            "system": system,
            "variance": variance,
            "bound": bound,
            "over_bound": variance / bound,
        }

    def best(family: str, among: Sequence[WorkloadStanding]) -> Row:
        first = min(among, key=lambda one: one.variance)
        return row(family, first.name, USERS * first.variance)

    yield best(PUBLISHED, [one for one in listed if one.oracle.is_published])
    yield best(OWN, listed)
    if log2 < LARGEST_DESIGN or (log2 == LARGEST_DESIGN and epsilon in SHORT_EPSILONS):
        of_optimum = Setting(name, 1 << log2, epsilon)
        score = cache.workload_design(of_optimum.problem, of_optimum.gap).score
        yield row(OPTIMUM, None, float(score) / workload.count)


def draw(rows: Sequence[Row]) -> Figure:
    """Draw the ratio to the bound against the number of items, a panel for each workload and epsilon."""
    names = [name for name in NAMES if any(row["workload"] == name for row in rows)]
    epsilons = sorted({number(row, "epsilon") for row in rows})
    width = max(5.0, 2.9 * len(epsilons))
    figure = HouseFigure(figsize=(width, 3.1 * len(names) + legend_inches(LOOKS, LEGEND, width)))
    grid: np.ndarray = figure.subplots(len(names), len(epsilons), squeeze=False, sharey="col")
    for line, name in zip(grid, names, strict=True):
        for axes, epsilon in zip(line, epsilons, strict=True):
            _draw_panel([row for row in rows if row["workload"] == name and number(row, "epsilon") == epsilon], axes)
            axes.set_title(f"{name}, epsilon = {epsilon:g}\n{_sentence(rows, name, epsilon)}")
        line[0].set_ylabel("variance, the bound being 1")
    draw_legend(figure, LOOKS, LEGEND)
    return figure


def _sentence(rows: Sequence[Row], name: str, epsilon: float) -> str:
    """Say how far published systems and the best of all are from the bound."""
    ends = []
    for family in (PUBLISHED, OWN):
        ratios = [number(row, "over_bound") for row in _of(rows, name, epsilon, family)]
        low, high = (f"{ratio:.2f}" for ratio in (min(ratios), max(ratios)))
        ends.append(low if low == high else f"{low} to {high}")
    return "published {},\nall {}".format(*ends)


def _of(rows: Sequence[Row], name: str, epsilon: float, family: str) -> list[Row]:
    own = (row for row in rows if row["workload"] == name and row["family"] == family)
    return [row for row in own if number(row, "epsilon") == epsilon]


def _draw_panel(rows: Sequence[Row], axes: Axes) -> None:
    series = {
        family: [Mean(whole(row, "items_log2"), number(row, "over_bound")) for row in rows if row["family"] == family]
        for family in LOOKS
    }
    draw_lines(
        {family: points for family, points in series.items() if points},
        axes,
        looks=LOOKS,
        x_label="items k, log2",
        log_y=True,
    )
    axes.axhline(1.0, color="0.3", linewidth=0.8)


STUDIES = (
    Study(
        number="any-k",
        title="Prefixes and ranges over any number of items: variances over the least that is possible",
        setting="prefixes and ranges on 2^4 to 2^20 items at epsilon = 0.5, 1, 2, 3; the mean variance of all answers "
        "for one user at uniform shares, and the bound that no local mechanism goes below; the certified optimum to "
        "2^6 items, and of 2^7 at epsilon = 0.5 and 1, where it is found in minutes",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="Ours. The bound needs no search; how far it is below the optimum is seen where both stand. It is loose "
        "where epsilon is large and the items are few. For prefixes the best of all is warped-blocks; beyond 2^12 "
        "items its variance is estimated from some of them.",
    ),
)
