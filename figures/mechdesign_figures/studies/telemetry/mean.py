"""The study of 1BitMean: the mean of few users' hours in [0, 24]."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from matplotlib.figure import Figure

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.frequency_metrics import HOURS
from mechdesign_catalog.datasets.items import open_items
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_figures.plots.parts.curves import Point, draw_curves, draw_legend, marker_words
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.repeated import NOISE_STREAM, REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study
from mechdesign_figures.studies.telemetry.histogram import (
    DATA_SEED,
    EPSILONS,
    FEW,
    LAWS,
    OURS,
    PLAIN,
    REPETITIONS,
    USERS,
    WORDS,
)

GRID = 2_401
"""Values told apart: hundredths of an hour from 0 to 24."""

EPSILON = Fraction(1)
LOOKS = {
    "normal": LineStyle("#0072B2", "o"),
    "uniform": LineStyle("#D55E00", "s", "--"),
    "constant": LineStyle("#009E73", "^", "-."),
}
MEAN_OF_HALF_NORMAL = math.sqrt(2 / math.pi)
"""The mean of `abs(z)`, z standard normal."""


@dataclass(frozen=True)
class Means:
    """A study of 1BitMean on every law, against users and against epsilon; each cell has noise of its own."""

    seed: int

    columns: ClassVar[tuple[str, ...]] = ("panel", "data", "users", "epsilon", "expected", *REPEATED)

    def rows(self, cache: DesignCache, quick: bool) -> list[Row]:
        """Compute the table: the panel varies slowest, the law next.

        The quick form takes the ends of what varies and at most 10,000 users.
        """
        users = (USERS[0], FEW) if quick else USERS
        epsilons = (EPSILONS[0], EPSILONS[-1]) if quick else EPSILONS
        cells = [("users", *cell) for cell in itertools.product(LAWS, users, (EPSILON,))]
        cells += [("epsilon", *cell) for cell in itertools.product(LAWS, (FEW,), epsilons)]
        return list(self._rows(cells))

    def _rows(self, cells: Sequence[tuple[str, str, int, Fraction]]) -> Iterator[Row]:
        for panel, law, users, epsilon in cells:
            values = open_items(law, k=GRID, people=users, seed=DATA_SEED).values()
            oracle = OneBitMean.up_to(int(HOURS), Privacy(epsilon=epsilon), GRID)
            cell = (self.seed, panel == "users", LAWS.index(law), users, epsilon.numerator, epsilon.denominator)
            generator = np.random.default_rng((*cell, NOISE_STREAM))
            truth = float(oracle.numbers(values).mean())
            states = (oracle.simulate_sums(values, generator) for _ in range(REPETITIONS))
            errors = [abs(oracle.estimate(state) - truth) for state in states]
            expected = MEAN_OF_HALF_NORMAL * math.sqrt(oracle.variance(values))
            found: Row = {"panel": panel, "data": law, "users": users, "epsilon": float(epsilon)}
            yield {**found, "expected": expected, **repeated(errors)}


def draw(rows: Sequence[Row]) -> Figure:
    """Draw the error against the number of users, and against epsilon; a curve for each law."""
    figure = HouseFigure(figsize=(9.0, 4.3))
    panels: np.ndarray = figure.subplots(1, 2, sharey=True)
    for axes, along in zip(panels, ("users", "epsilon"), strict=True):
        own = [row for row in rows if row["panel"] == along]
        cells = (along, "expected", "mean", "standard_error")
        curves = {
            law: [Point(*(number(row, cell) for cell in cells)) for row in own if row["data"] == law] for law in LAWS
        }
        draw_curves(
            curves,
            axes,
            looks=LOOKS,
            x_label=WORDS[along],
            y_label="error of the mean (hours)" if along == "users" else "",
            title="epsilon = 1" if along == "users" else f"n = {FEW:,}",
            whole_places=False,
        )
    for axes in panels:
        axes.set_xscale("log")
        axes.set_yscale("log")
    panels[1].xaxis.set_major_formatter(PLAIN)
    words = marker_words("standard_error", whole(rows[0], "repetitions"))
    draw_legend(figure, LOOKS, words.replace("exact expectation", "expectation, the estimate taken to be normal"))
    return figure


MEANS = Means(seed=5086)

STUDIES = (
    Study(
        number="telemetry-mean",
        title="Telemetry of few users: error of the mean against n and epsilon",
        setting=f"1BitMean on [0, 24] hours in hundredths; n = 10^3 to 3*10^5 at epsilon = 1, and epsilon = 0.1 to 10 "
        f"at n = 10,000; {REPETITIONS} repetitions, bars of one standard error; users drawn once for each law and n; "
        f"noise from seed {MEANS.seed}",
        columns=MEANS.columns,
        rows=MEANS.rows,
        draw=draw,
        remark=OURS,
    ),
)
