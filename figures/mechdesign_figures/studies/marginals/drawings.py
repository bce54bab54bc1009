"""Figures 4.1 and 4.2: the Hadamard matrix of 8 items, and correlations of taxi trips.

The correlations are those of their attributes.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from matplotlib.figure import Figure

from mechdesign_catalog.datasets.items.joint.registry import parse_joint_law
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_figures.plots.parts.signed_matrix import draw_signed_matrix
from mechdesign_figures.plots.parts.style import HouseFigure
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.people import TAXI, people, population
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.study import Row, Study

ITEMS = 8
TRIPS, QUICK_TRIPS = 1 << 19, 1 << 12
CORRELATION_COLUMNS = ("attribute", "other", "correlation", "drawn", "trips")
HADAMARD_COLUMNS = ("item", "coefficient", "bits_together", "sign")


def hadamard_rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table: the sign of coefficient l for item j is `(-1)^<l,j>`, <l,j> the bits that both have."""
    return list(_entries())


def _entries() -> Iterator[Row]:
    for item, coefficient in product(range(ITEMS), repeat=2):
        together = (item & coefficient).bit_count()
        yield {"item": item, "coefficient": coefficient, "bits_together": together, "sign": (-1) ** together}


def draw_hadamard(rows: Sequence[Row]) -> Figure:
    """Draw the Hadamard matrix times the root of its size."""
    matrix = np.zeros((ITEMS, ITEMS))
    for row in rows:
        matrix[whole(row, "item"), whole(row, "coefficient")] = whole(row, "sign")
    figure = HouseFigure(figsize=(5.0, 5.0))
    draw_signed_matrix(
        matrix,
        [[f"{entry:+.0f}" for entry in line] for line in matrix],
        figure.subplots(),
        title=rf"Hadamard matrix of {ITEMS} items, times $\sqrt{{{ITEMS}}}$",
        x_label="coefficient",
        y_label="item",
    )
    return figure


def correlation_rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute Pearson's correlations of all pairs of attributes, of the law and of trips drawn from it."""
    return list(_correlations(QUICK_TRIPS if quick else TRIPS))


def _correlations(trips: int) -> Iterator[Row]:
    names = population(TAXI, 8).attributes
    drawn = np.atleast_2d(np.corrcoef(people(TAXI, 8, trips).values.T))
    for (i, one), (j, other) in product(enumerate(names), repeat=2):
        value = 1.0 if i == j else phi(law_table(min(i, j), max(i, j)))
        yield {"attribute": one, "other": other, "correlation": value, "drawn": float(drawn[i, j]), "trips": trips}


def law_table(i: int, j: int) -> Floats:
    """Return the table of two attributes of the law of trips, shape (2, 2)."""
    law = parse_joint_law(TAXI)
    if law is None:
        raise TypeError("a law of rows is needed")
    return law.shares((i, j)).reshape(2, 2)


def phi(table: Floats) -> float:
    """Return the correlation of two bits from their joint shares, shape (2, 2)."""
    (_, one), (_, other) = table.sum(axis=1), table.sum(axis=0)
    return float((table[1, 1] - one * other) / np.sqrt(one * (1 - one) * other * (1 - other)))


def draw_correlations(rows: Sequence[Row]) -> Figure:
    """Draw the correlations, positive and negative ones in two colours."""
    names = list(dict.fromkeys(str(row["attribute"]) for row in rows))
    matrix = np.array([number(row, "correlation") for row in rows]).reshape(len(names), len(names))
    figure = HouseFigure(figsize=(6.4, 5.2))
    axes = figure.subplots()
    image = axes.imshow(matrix, cmap="PuOr", vmin=-1, vmax=1)
    for (i, j), value in np.ndenumerate(matrix):
        words = f"{value:+.2f}" if abs(value) >= 0.005 else "0"
        colour = "white" if abs(value) > 0.7 else "black"
        axes.text(j, i, words, ha="center", va="center", color=colour, fontsize=8).set_in_layout(False)
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, label="Pearson's correlation")
    axes.set_title("Attributes of made-up taxi trips")
    return figure


STUDIES = (
    Study(
        number="4.1",
        title="The Hadamard matrix of 8 items",
        setting="8 items, numbered by three bits",
        columns=HADAMARD_COLUMNS,
        rows=hadamard_rows,
        draw=draw_hadamard,
    ),
    Study(
        number="4.2",
        title="Correlations of the attributes of taxi trips",
        setting=f"the law of made-up taxi trips, 8 attributes; beside it {TRIPS:,} trips drawn from it",
        columns=CORRELATION_COLUMNS,
        rows=correlation_rows,
        draw=draw_correlations,
        remark="The published trips are too large to come along, and their correlations are not printed: the law has "
        "the printed shares of pick-up and drop-off, three strong pairs and three that are nearly independent.",
    ),
)
