"""Studies of errors in commuters' counts: counties, divisions, and two subsets."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.commuting.looks import TITLES, chosen, distinct, looks_by_title, means
from mechdesign_figures.studies.commuting.runs import (
    COLUMNS,
    COUNTY,
    DIVISIONS,
    EPSILONS,
    LARGE,
    SIMULATED,
    SMALL,
    STAND_IN,
    Collections,
)
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.study import Row, Study

METRICS = ("rmse", "max")
AXIS_WORDS = {"rmse": "RMSE", "max": "largest error"}

COUNTIES = Collections(
    data=(COUNTY,),
    sources=("grr", "sue", "oue", "olh", "hcms", "laplace", "geometric", "stability"),
    epsilons=EPSILONS,
    metrics=METRICS,
    repetitions=5,
    seed=501,
)
ALL_DIVISIONS = Collections(
    data=(DIVISIONS,),
    sources=("grr", "hrr", "hcms", "laplace", "zero"),
    epsilons=tuple(map(Fraction, ("1/2", "1", "2", "3", "5"))),
    metrics=METRICS,
    repetitions=1,
    seed=504,
    quick_data=(SMALL,),
)
SUBSETS = Collections(
    data=(LARGE, SMALL),
    sources=("grr", "oue", "olh", "hcms", "laplace"),
    epsilons=EPSILONS,
    metrics=("rmse",),
    repetitions=5,
    seed=505,
)

SUBSET_LOOKS = {
    "218,860 people": LineStyle("#0072B2", "o"),
    "38,630 people": LineStyle("#D55E00", "s", "--"),
}
RATIO_TO = "oue"
MOST_RATIO = 4.0
"""Of the panel of ratios; RR begins far above."""


def draw_counties(rows: Sequence[Row]) -> Figure:
    """Draw RMSE and largest error for the counties, and RMSE in multiples of OUE's.

    The multiples are there because most lines run close together.
    """
    figure = HouseFigure(figsize=(11.0, 4.4))
    grid: np.ndarray = figure.subplots(1, 3)
    for axes, metric in zip(grid, ("rmse", "max"), strict=False):
        draw_people_and_share(rows, metric, axes)
    local = [name for name in distinct(rows, "oracle") if not TITLES[name].startswith("central")]
    draw_ratios(rows, local, grid[2])
    _legend(figure, rows)
    return figure


def draw_divisions(rows: Sequence[Row]) -> Figure:
    """Draw RMSE and largest error for the divisions, and what answering 0 everywhere would cost."""
    figure = HouseFigure(figsize=(8.6, 4.4))
    grid: np.ndarray = figure.subplots(1, 2)
    for axes, metric in zip(grid, ("rmse", "max"), strict=True):
        draw_people_and_share(rows, metric, axes)
    _legend(figure, rows, "; HRR lies under HM")
    return figure


def _legend(figure: Figure, rows: Sequence[Row], more: str = "") -> None:
    first = rows[0]
    figure.suptitle(f"{whole(first, 'people'):,} made-up commuters on {whole(first, 'pairs'):,} pairs")
    draw_legend(figure, looks_by_title(distinct(rows, "oracle")), mean_words(rows) + more)


def mean_words(rows: Sequence[Row]) -> str:
    """Return what a legend says of a marker."""
    times = whole(rows[0], "repetitions")
    if times == 1:
        return "one repetition"
    return f"mean of {times} repetitions; bar, where longer than the marker: one standard error of that mean"


def draw_people_and_share(rows: Sequence[Row], metric: str, axes: Axes) -> Axes:
    """Draw one metric against epsilon, in people on the left axis and as a share of all on the right one."""
    people = whole(rows[0], "people")
    part = chosen(rows, metric=f"{metric}-people")
    series = {TITLES[name]: means(chosen(part, oracle=name)) for name in distinct(part, "oracle")}
    draw_lines(
        series,
        axes,
        looks=looks_by_title(distinct(part, "oracle")),
        x_label="epsilon",
        y_label=f"{AXIS_WORDS[metric]} (people)",
        title=f"{AXIS_WORDS[metric][0].upper()}{AXIS_WORDS[metric][1:]} over all pairs",
        log_y=True,
    )
    _epsilon_ticks(axes)
    to_share, to_people = _scaled(1 / people), _scaled(people)
    shares = axes.secondary_yaxis("right", functions=(to_share, to_people))
    shares.set_ylabel("share of all people")
    return axes


def _scaled(factor: float) -> Callable[[ArrayLike], ArrayLike]:
    return lambda values: np.asarray(values, dtype=np.float64) * factor


def draw_ratios(rows: Sequence[Row], names: Sequence[str], axes: Axes) -> Axes:
    """Draw the exact RMSE of each source in multiples of OUE's; what is above the panel is left out."""
    part = chosen(rows, metric="rmse")
    unit = {row["epsilon"]: number(row, "expected") for row in chosen(part, oracle=RATIO_TO)}
    series = {
        TITLES[name]: [
            Mean(number(row, "epsilon"), number(row, "expected") / unit[row["epsilon"]])
            for row in chosen(part, oracle=name)
        ]
        for name in names
    }
    draw_lines(
        series,
        axes,
        looks=looks_by_title(names),
        x_label="epsilon",
        y_label="multiple of the RMSE of oue",
        title="The local ones against OUE, exactly",
    )
    highest = max(mean.mean for line in series.values() for mean in line)
    axes.set_ylim(0.8, min(highest * 1.05, MOST_RATIO))
    _epsilon_ticks(axes)
    if highest > MOST_RATIO:
        axes.text(0.04, 0.97, f"RR begins at {highest:.1f}", transform=axes.transAxes, va="top", color="0.3")
    return axes


def _epsilon_ticks(axes: Axes) -> None:
    axes.set_xticks(range(6))
    axes.set_xlim(0.25, 5.25)


def draw_subsets(rows: Sequence[Row]) -> Figure:
    """Draw a column of panels for each source: in people above, as shares below, a line for each subset."""
    names = distinct(rows, "oracle")
    figure = HouseFigure(figsize=(2.15 * len(names) + 0.6, 5.2))
    grid: np.ndarray = figure.subplots(2, len(names), sharex=True, sharey="row")
    subsets = dict(zip(distinct(rows, "data"), SUBSET_LOOKS, strict=True))
    words = {"rmse-people": "RMSE (people)", "rmse": "RMSE (share of the people)"}
    for line, (metric, label) in zip(grid, words.items(), strict=True):
        for axes, name in zip(line, names, strict=True):
            part = chosen(rows, metric=metric, oracle=name)
            draw_lines(
                {title: means(chosen(part, data=data)) for data, title in subsets.items()},
                axes,
                looks=SUBSET_LOOKS,
                x_label="epsilon",
                y_label=label,
                title=TITLES[name] if metric == "rmse-people" else "",
                log_y=True,
            )
            _epsilon_ticks(axes)
            axes.label_outer()
    figure.suptitle(f"Made-up commuters on {whole(rows[0], 'pairs'):,} pairs: fewer people, or more")
    draw_legend(figure, SUBSET_LOOKS, mean_words(rows))
    return figure


def _rows_of(collections: Collections) -> Callable[[DesignCache, bool], list[Row]]:
    return lambda cache, quick: collections.rows(quick)


STUDIES = (
    Study(
        number="commuting-error",
        title="Commuting between counties: error against epsilon",
        setting=f"{STAND_IN}; 2,750,238 people, 1,085 pairs; epsilon = 0.5, 1, ..., 5; {SIMULATED}; 5 repetitions; "
        "seed 501",
        columns=COLUMNS,
        rows=_rows_of(COUNTIES),
        draw=draw_counties,
        remark="Step of epsilon, repetitions, hashes and places are ours, as are 31 x 35 for 1,085. Stability has "
        "delta = 1/(2n), which is weak.",
    ),
    Study(
        number="commuting-ed",
        title="Commuting between electoral divisions: error against epsilon",
        setting=f"{STAND_IN}; 2,750,238 people, 9,796,900 pairs; epsilon = 0.5, 1, 2, 3, 5; grr by the law of "
        "the server's sums, hcms and hrr with every report; 1 repetition; seed 504",
        columns=COLUMNS,
        rows=_rows_of(ALL_DIVISIONS),
        draw=draw_divisions,
        remark="HRR, the central line and that for answering 0 everywhere are ours: nothing local is better than 0 "
        "unless it is post-processed.",
    ),
    Study(
        number="commuting-subsets",
        title="Fewer people: a lower RMSE in people, not in shares",
        setting=f"{STAND_IN}; 26,244 pairs with 218,860 and with 38,630 people; epsilon = 0.5, 1, ..., 5; simulated "
        "as commuting-error; 5 repetitions; seed 505",
        columns=COLUMNS,
        rows=_rows_of(SUBSETS),
        draw=draw_subsets,
        remark="Which places the subsets have is not published: ours are 162 divisions of the city and 162 of the "
        "country. With a trusted server (Laplace, ours) the error in people does not depend on their number.",
    ),
)
