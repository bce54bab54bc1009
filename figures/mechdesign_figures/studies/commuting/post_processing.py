"""The study of post-processed commuters' counts: the error, and pairs set to 0."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.figure import Figure

from mechdesign.counts.measuring import summarise
from mechdesign_catalog.analyses.postprocessing import find_postprocessing
from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure
from mechdesign_figures.studies.commuting.errors import mean_words
from mechdesign_figures.studies.commuting.looks import POST_LOOKS, TITLES, chosen, distinct, means
from mechdesign_figures.studies.commuting.runs import (
    COUNTY,
    EPSILONS,
    SIMULATED,
    STAND_IN,
    Source,
    common_cells,
    commuters,
    measured,
    measured_cells,
    reduced,
)
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.study import Row, Study

SOURCES = ("grr", "oue", "olh", "hcms")
POSTS = tuple(POST_LOOKS)
METRIC_WORDS = {
    "rmse": "RMSE\n(share)",
    "max": "largest error\n(share)",
    "tv": "total variation\n(share)",
    "zeroed": "pairs set to 0",
}
REPETITIONS = 5
SEED = 503

COLUMNS = (
    "data",
    "people",
    "pairs",
    "oracle",
    "epsilon",
    "post",
    "metric",
    "mean",
    "standard_error",
    "repetitions",
    "simulated",
)


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table.

    Epsilons vary slowest, then oracles, post-processing, metrics; all kinds of it start from the same estimates.
    """
    return list(_rows(quick))


def _rows(quick: bool) -> Iterator[Row]:
    epsilons, repetitions = reduced(EPSILONS, REPETITIONS) if quick else (EPSILONS, REPETITIONS)
    data = commuters(COUNTY)
    for cell, source in enumerate(Source(name, epsilon) for epsilon in epsilons for name in SOURCES):
        common = common_cells(COUNTY, data, source)
        for post, found in processed(COUNTY, source, repetitions, (SEED, cell)).items():
            for name, values in found.items():
                cells: Row = {**common, "post": post, **measured_cells(summarise(name, None, values))}
                yield {column: cells[column] for column in COLUMNS}


def processed(
    name: str, source: Source, repetitions: int, seed: tuple[int, ...]
) -> dict[str, dict[str, tuple[float, ...]]]:
    """Return, for each post-processing, the values of each metric, one for each repetition."""
    data = commuters(name)
    raw = list(source.estimates(data, repetitions, seed))
    return {
        post: measured(data, (find_postprocessing(post).apply(estimate) for estimate in raw), tuple(METRIC_WORDS))
        for post in POSTS
    }


def draw(rows: Sequence[Row]) -> Figure:
    """Draw a row of panels for each metric, a column for each oracle."""
    names = distinct(rows, "oracle")
    figure = HouseFigure(figsize=(2.4 * len(names) + 0.6, 1.75 * len(METRIC_WORDS) + 1.0))
    grid: np.ndarray = figure.subplots(len(METRIC_WORDS), len(names), sharex=True, sharey="row")
    for line, (metric, label) in zip(grid, METRIC_WORDS.items(), strict=True):
        for axes, name in zip(line, names, strict=True):
            part = chosen(rows, oracle=name, metric=metric)
            draw_lines(
                {post: means(chosen(part, post=post)) for post in POSTS},
                axes,
                looks=POST_LOOKS,
                x_label="epsilon",
                y_label=label,
                title=TITLES[name] if metric == "rmse" else "",
                log_y=metric != "zeroed",
            )
            axes.set_xticks(range(1, 6))
            axes.label_outer()
    figure.suptitle("Post-processing: made-up commuters between counties")
    figure.align_ylabels(grid[:, 0])
    draw_legend(figure, POST_LOOKS, mean_words(rows))
    return figure


STUDIES = (
    Study(
        number="commuting-post",
        title="Commuting between counties: post-processing",
        setting=f"{STAND_IN}; 2,750,238 people, 1,085 pairs; epsilon = 0.5, 1, ..., 5; {SIMULATED}; 5 repetitions, the "
        f"same estimates for every kind of post-processing; seed {SEED}",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="The oracles, repetitions and norm-sub beside the published base, base-pos (Base-Pro there) and "
        "base-cut are ours. Of the true pairs 6 are empty.",
    ),
)
