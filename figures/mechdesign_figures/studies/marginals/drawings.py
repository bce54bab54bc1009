"""Run figures 4.1 and 4.2: the Hadamard matrix of 8 items, and correlations of the attributes of taxi trips."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.signed_matrix import draw_signed_matrix
from mechdesign_figures.plots.parts.style import HouseFigure
from mechdesign_figures.studies.bench import Bench
from mechdesign_figures.studies.matrices import whole
from mechdesign_figures.studies.study import Row, Study

ITEMS = 8
HADAMARD_COLUMNS = ("item", "coefficient", "bits_together", "sign")


def hadamard_rows(bench: Bench, quick: bool) -> list[Row]:
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


STUDIES = (
    Study(
        number="4.1",
        title="The Hadamard matrix of 8 items",
        setting="8 items, numbered by three bits",
        columns=HADAMARD_COLUMNS,
        rows=hadamard_rows,
        draw=draw_hadamard,
    ),
)
