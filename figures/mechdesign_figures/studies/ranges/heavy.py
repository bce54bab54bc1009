"""Figure 5.4: relative errors of ranges by their share of the data, on made-up series."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign_catalog.datasets.items import ItemCounts, open_items
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number
from mechdesign_figures.studies.ranges.printed import FIGURE_LOG2, HAAR, HH4
from mechdesign_figures.studies.ranges.queries import RangesFrom
from mechdesign_figures.studies.ranges.systems import FLAT, NAMES, THREE, oracle
from mechdesign_figures.studies.repeated import NOISE_STREAM, REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

SERIES = {
    "movielens": "timeseries:movielens",
    "stackoverflow": "timeseries:stackoverflow",
    "taxi": "timeseries:taxi",
    "check-ins": "checkins",
}
SYSTEMS = {"flat OUE": FLAT, HH4: NAMES[HH4], HAAR: NAMES[HAAR]}
LOOKS = {
    "flat OUE": LineStyle("#7F7F7F", "P", ":"),
    HH4: LineStyle("#D55E00", "s", "--"),
    HAAR: LineStyle("#000000", "X"),
}
THRESHOLDS = tuple(range(10, 100, 10))
STARTS = 256
"""Ranges begin at so many evenly spaced items; every 2^10 of 2^18."""

SAMPLED, QUICK_SAMPLED = 20_000, 2_000
"""Ranges at which exact variances are taken."""

REPETITIONS = 5
DATA_SEED = 5_204
HALF_NORMAL = math.sqrt(2 / math.pi)
"""Mean absolute value of a standard normal."""

COLUMNS = ("data", "system", "oracle", "percent", "ranges", "sampled_ranges", "expected", *REPEATED)


@dataclass(frozen=True)
class Size:
    """Logarithms of the numbers of users and of items."""

    users_log2: int
    items_log2: int

    @property
    def items(self) -> int:
        """Number of items."""
        return 1 << self.items_log2

    @property
    def starts(self) -> range:
        """Where ranges begin."""
        return range(0, self.items, max(1, self.items // STARTS))


PUBLISHED, QUICK = Size(*FIGURE_LOG2), Size(14, 10)


@lru_cache(maxsize=8)
def series(name: str, size: Size) -> ItemCounts:
    """Make up the users of a series; they are the same in every study and claim."""
    return open_items(SERIES[name], k=size.items, people=1 << size.users_log2, seed=DATA_SEED)


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    size = QUICK if quick else PUBLISHED
    return [row for data in SERIES for system in SYSTEMS for row in _rows(data, system, size)]


def _rows(data: str, system: str, size: Size) -> Iterator[Row]:
    sampled, expected = expectations(data, system, size)
    counts, errors = simulated(data, system, size)
    for place, percent in enumerate(THRESHOLDS):
        found: Row = {"data": data, "system": system, "oracle": SYSTEMS[system], "percent": percent}
        found |= {
            "ranges": int(counts[place]),
            "sampled_ranges": int(sampled[place]),
            "expected": float(expected[place]),
        }
        yield {**found, **repeated(errors[:, place].tolist())}


def expectations(data: str, system: str, size: Size) -> tuple[np.ndarray, Floats]:
    """Return numbers of sampled ranges and their mean relative error by threshold, estimates taken to be normal.

    Variances are exact at the data's shares; ranges are sampled uniformly among those that begin as published.
    """
    users = series(data, size)
    generator = np.random.default_rng((*data.encode(), DATA_SEED))
    queries = RangesFrom(size.items, size.starts.step).sample(QUICK_SAMPLED if size == QUICK else SAMPLED, generator)
    shares = queries.apply(users.frequencies)
    variances = oracle(SYSTEMS[system], size.items, THREE).answer_variance(queries, users.frequencies, users.users)
    with np.errstate(divide="ignore"):
        relative = HALF_NORMAL * np.sqrt(variances) / shares
    kept = [shares >= percent / 100 for percent in THRESHOLDS]
    return np.array([mask.sum() for mask in kept]), np.array([relative[mask].mean() for mask in kept])


def simulated(data: str, system: str, size: Size) -> tuple[np.ndarray, Floats]:
    """Return numbers of ranges, shape (thresholds,), and mean relative errors, shape (repetitions, thresholds)."""
    users = series(data, size)
    drawn = oracle(SYSTEMS[system], size.items, THREE)
    found = []
    for repetition in range(REPETITIONS):
        seed = (*f"{data} {system}".encode(), size.items_log2, repetition, NOISE_STREAM)
        estimates = drawn.estimate(drawn.simulate_sums(users.counts, np.random.default_rng(seed)))
        found.append(relative_errors(users.frequencies, estimates, size.starts))
    counts = found[0][0]
    return counts, np.array([sums for _, sums in found]) / counts


def relative_errors(shares: Floats, estimates: Floats, starts: range) -> tuple[np.ndarray, Floats]:
    """Count the ranges that hold at least each threshold of the data, and sum their relative errors.

    Ranges begin at `starts` and end anywhere after; for each beginning the share grows with the end.
    """
    true, off = (np.concatenate([[0.0], np.cumsum(values)]) for values in (shares, estimates - shares))
    counts, sums = np.zeros(len(THRESHOLDS), dtype=np.int64), np.zeros(len(THRESHOLDS))
    for start in starts:
        held = true[start + 1 :] - true[start]
        first = int(np.searchsorted(held, THRESHOLDS[0] / 100))
        relative = np.abs(off[start + 1 + first :] - off[start]) / held[first:]
        beyond = np.append(np.cumsum(relative[::-1])[::-1], 0.0)
        places = np.searchsorted(held, np.array(THRESHOLDS) / 100) - first
        sums += beyond[places]
        counts += len(relative) - places
    return counts, sums


def draw(rows: Sequence[Row]) -> Figure:
    """Draw a panel for each series."""
    figure = HouseFigure(figsize=(8.4, 6.6))
    grid: np.ndarray = figure.subplots(2, 2, sharex=True)
    for axes, data in zip(grid.flat, SERIES, strict=True):
        _draw_panel([row for row in rows if row["data"] == data], axes, data)
        axes.label_outer(remove_inner_ticks=False)
    draw_legend(
        figure,
        LOOKS,
        f"lines: expected where estimates are normal; marks: simulated means of {REPETITIONS} repetitions",
    )
    return figure


def _draw_panel(rows: Sequence[Row], axes: Axes, title: str) -> None:
    names = [name for name in LOOKS if any(row["system"] == name for row in rows)]
    own = {name: [row for row in rows if row["system"] == name] for name in names}
    series = {name: [Mean(number(row, "percent"), number(row, "expected")) for row in own[name]] for name in names}
    draw_lines(
        series,
        axes,
        looks={name: replace(LOOKS[name], marker="") for name in names},
        x_label="ranges with at least so many % of the users",
        y_label="mean relative error",
        title=title,
        log_y=True,
    )
    for name in names:
        places, means = ([number(row, column) for row in own[name]] for column in ("percent", "mean"))
        axes.plot(places, means, marker=LOOKS[name].marker, color=LOOKS[name].colour, linestyle="", markersize=5)
    axes.set_xticks(THRESHOLDS)


STUDIES = (
    Study(
        number="5.4",
        title="Relative error of heavy ranges",
        setting=f"2^21 users with 2^18 items of made-up series (seed {DATA_SEED}); e^epsilon = 3; flat OUE, HH4 with "
        "constrained inference and OUE in each level, HaarHRR; ranges that begin at multiples of 2^10; simulated "
        f"{REPETITIONS} times from the law of the server's sums, and expected from exact variances of {SAMPLED:,} "
        "sampled ranges",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="The published series are too large to come along: laws with their shape stand in, so levels cannot be "
        "compared. The figure is labelled with 2^21 users and 2^18 items everywhere, where table 5.1 has 2^24 users "
        "of 2^17 items (taxi) and 2^16 items (check-ins); the labels are followed.",
    ),
)
