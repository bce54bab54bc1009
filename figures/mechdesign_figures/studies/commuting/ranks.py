"""The study of ranks: those that the ten most travelled pairs get."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, Colormap
from matplotlib.figure import Figure

from mechdesign_catalog.comparisons.frequency_metrics import top_items, top_ranks
from mechdesign_figures.plots.parts.style import HEAT, HouseFigure
from mechdesign_figures.studies.commuting.looks import TITLES, chosen, distinct
from mechdesign_figures.studies.commuting.runs import (
    COUNTY,
    SIMULATED,
    STAND_IN,
    Source,
    commuters,
    reduced,
)
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.study import Row, Study

SOURCES = ("grr", "sue", "oue", "olh", "hcms", "laplace")
EPSILONS = tuple(map(Fraction, ("1/2", "1", "3/2", "5")))
TOP = 10
REPETITIONS = 11
"""Odd: the median is a rank that was given."""
SEED = 502

COLUMNS = (
    "data",
    "oracle",
    "epsilon",
    "true_rank",
    "pair",
    "people",
    "median_rank",
    "lowest_rank",
    "highest_rank",
    "mean_distance",
    "share_exact",
    "repetitions",
    "simulated",
)

STEPS = (0.0, 0.05, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0, 1100.0)
"""Of the mean distance from the true rank: where the colour changes."""

DARK = 0.55
"""Share of the colour map from which on letters are white."""


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table: epsilons vary slowest, then sources, then true ranks."""
    return list(_rows(quick))


def _rows(quick: bool) -> Iterator[Row]:
    epsilons, repetitions = reduced(EPSILONS, REPETITIONS) if quick else (EPSILONS, REPETITIONS)
    data = commuters(COUNTY)
    top = top_items(data.counts, TOP).tolist()
    for cell, source in enumerate(Source(name, epsilon) for epsilon in epsilons for name in SOURCES):
        found = ranks(source, repetitions, (SEED, cell))
        for place, (pair, given) in enumerate(zip(top, found.T, strict=True), start=1):
            yield {
                "data": data.name,
                "oracle": source.name,
                "epsilon": float(source.epsilon),
                "true_rank": place,
                "pair": data.label(pair),
                "people": int(data.counts[pair]),
                "median_rank": int(np.sort(given)[len(given) // 2]),
                "lowest_rank": int(given.min()),
                "highest_rank": int(given.max()),
                "mean_distance": float(np.abs(given - place).mean()),
                "share_exact": float((given == place).mean()),
                "repetitions": repetitions,
                "simulated": source.way(data.k),
            }


def ranks(source: Source, repetitions: int, seed: tuple[int, ...]) -> np.ndarray:
    """Return the rank that each true top pair gets, shape (repetitions, 10)."""
    data = commuters(COUNTY)
    return np.vstack(
        [top_ranks(data.counts, estimate[None], TOP) for estimate in source.estimates(data, repetitions, seed)]
    )


def draw(rows: Sequence[Row]) -> Figure:
    """Draw a panel for each epsilon: a row for each source, a column for each true rank.

    The colour tells how far off a rank is.
    """
    epsilons = distinct([{**row, "epsilon": str(row["epsilon"])} for row in rows], "epsilon")
    down = (len(epsilons) + 1) // 2
    figure = HouseFigure(figsize=(10.0, 2.6 * down + 1.2))
    grid: np.ndarray = figure.subplots(down, 2, sharex=True, sharey=True, squeeze=False)
    colours = mpl.colormaps[HEAT].reversed()
    norm = BoundaryNorm(STEPS, colours.N)
    for axes, epsilon in zip(grid.reshape(-1), epsilons, strict=False):
        _draw_ranks([row for row in rows if str(row["epsilon"]) == epsilon], axes, colours, norm)
        axes.set_title(f"epsilon = {float(epsilon):g}")
    for axes in grid[-1]:
        axes.set_xlabel("true rank")
    times = whole(rows[0], "repetitions")
    figure.suptitle(f"Ranks given to the ten most travelled of 1,085 made-up pairs: median of {times} repetitions")
    bar = figure.colorbar(
        ScalarMappable(norm, colours), ax=grid, location="bottom", shrink=0.6, aspect=45, spacing="uniform"
    )
    bar.set_label("mean distance from the true rank")
    bar.set_ticks(STEPS[:-1], labels=[f"{step:g}" for step in STEPS[:-1]])
    return figure


def _draw_ranks(rows: Sequence[Row], axes: Axes, colours: Colormap, norm: BoundaryNorm) -> None:
    names = distinct(rows, "oracle")
    parts = [chosen(rows, oracle=name) for name in names]
    distances = np.array([[number(row, "mean_distance") for row in part] for part in parts])
    axes.imshow(distances, cmap=colours, norm=norm, aspect="auto")
    for down, part in enumerate(parts):
        for across, row in enumerate(part):
            dark = float(norm(distances[down, across])) / colours.N > DARK
            text = f"{whole(row, 'median_rank'):,}"
            axes.text(across, down, text, ha="center", va="center", color="white" if dark else "black")
    axes.set_xticks(range(TOP), labels=[str(place) for place in range(1, TOP + 1)])
    axes.set_yticks(range(len(names)), labels=[TITLES[name] for name in names])
    axes.set_xticks(np.arange(TOP - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(len(names) - 1) + 0.5, minor=True)
    axes.grid(True, which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)


STUDIES = (
    Study(
        number="commuting-ranks",
        title="Commuting between counties: ranks given to the true top 10",
        setting=f"{STAND_IN}; 2,750,238 people, 1,085 pairs; epsilon = 0.5, 1, 1.5, 5; {SIMULATED}; "
        f"{REPETITIONS} repetitions; seed {SEED}",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="How far the top pairs are apart is the generator's, so the ranks are not the published ones. The "
        "repetitions are ours.",
    ),
)
