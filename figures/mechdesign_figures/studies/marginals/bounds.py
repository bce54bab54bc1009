"""Table 4.1: bits and error bounds of the six systems, as printed and as exact errors."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.systems import (
    INPHT,
    INPPS,
    INPRR,
    LOOKS,
    MARGHT,
    MARGPS,
    MARGRR,
    SIX,
    at,
    binary,
)
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.study import Row, Study

ATTRIBUTES, WAYS, QUICK_ATTRIBUTES = (4, 6, 8, 10, 12, 14, 16), (1, 2, 3, 4), (4, 8)
EPSILON = "0.1"
"""Bounds go with 1/epsilon, so epsilon is small."""

USERS = 1 << 18
FIXED_WAY, FIXED_ATTRIBUTES = 2, 8

Growth = Callable[[int, int], float]


def coefficients(d: int, k: int) -> int:
    """Return T, the number of coefficients of 1 to k out of d attributes."""
    return sum(math.comb(d, size) for size in range(1, k + 1))


def tables(d: int, k: int) -> int:
    """Return the number of tables of k out of d attributes."""
    return math.comb(d, k)


@dataclass(frozen=True)
class Bound:
    """A row of table 4.1: bits of a report and the growth of the error, as printed, and the growth of exact errors.

    Growths are but for a constant over epsilon times the root of the number of users.
    """

    bits: Growth
    printed: Growth
    derived: Growth


BOUNDS = {
    INPRR: Bound(lambda d, k: 2**d, lambda d, k: 2 ** (k / 2) * 2**d, lambda d, k: 2 ** ((d + k) / 2)),
    INPPS: Bound(lambda d, k: d, lambda d, k: 2 ** (k / 2) * 2**d, lambda d, k: 2 ** (k / 2) * 2**d),
    INPHT: Bound(
        lambda d, k: d + 1,
        lambda d, k: 2 ** (k / 2) * d ** (k / 2),
        lambda d, k: 2 ** (k / 2) * math.sqrt(coefficients(d, k)),
    ),
    MARGRR: Bound(
        lambda d, k: d + 2**k,
        lambda d, k: 2**k * d ** (k / 2),
        lambda d, k: 2**k * math.sqrt(tables(d, k)),
    ),
    MARGPS: Bound(
        lambda d, k: d + k,
        lambda d, k: 2 ** (3 * k / 2) * d ** (k / 2),
        lambda d, k: 2 ** (3 * k / 2) * math.sqrt(tables(d, k)),
    ),
    MARGHT: Bound(
        lambda d, k: d + k + 1,
        lambda d, k: 2 ** (3 * k / 2) * d ** (k / 2),
        lambda d, k: 2**k * math.sqrt(tables(d, k)),
    ),
}
COLUMNS = (
    *("system", "oracle", "attributes", "way", "printed_bits", "bits", "expected"),
    *("printed_growth", "over_printed", "derived_growth", "over_derived"),
)


def scaled_error(system: str, d: int, k: int) -> float:
    """Return the exact expected error times epsilon and the root of the number of users, at uniform shares."""
    error = binary(SIX[system], d, k, at(EPSILON)).uniform_error(USERS)
    return error * float(EPSILON) * math.sqrt(USERS)


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    cells = product(BOUNDS, QUICK_ATTRIBUTES if quick else ATTRIBUTES, WAYS)
    return [_row(system, d, k) for system, d, k in cells]


def _row(system: str, d: int, k: int) -> Row:
    bound, error = BOUNDS[system], scaled_error(system, d, k)
    return {
        "system": system,
        "oracle": SIX[system],
        "attributes": d,
        "way": k,
        "printed_bits": int(bound.bits(d, k)),
        "bits": int(binary(SIX[system], d, k, at(EPSILON)).oracle.bits),
        "expected": error / float(EPSILON) / math.sqrt(USERS),
        "printed_growth": bound.printed(d, k),
        "over_printed": error / bound.printed(d, k),
        "derived_growth": bound.derived(d, k),
        "over_derived": error / bound.derived(d, k),
    }


def draw(rows: Sequence[Row]) -> Figure:
    """Draw errors over their bounds: against attributes above, against the way below; printed left, derived right."""
    figure = HouseFigure(figsize=(8.0, 6.4))
    grid: np.ndarray = figure.subplots(2, 2, sharey="row")
    titles = {"over_printed": "over the printed bound", "over_derived": "over the bound that follows"}
    for place, (column, title) in enumerate(titles.items()):
        _draw(rows, grid[0, place], column, "attributes", "way", FIXED_WAY, f"k = {FIXED_WAY}, {title}")
        _draw(rows, grid[1, place], column, "way", "attributes", FIXED_ATTRIBUTES, f"d = {FIXED_ATTRIBUTES}, {title}")
    draw_legend(
        figure,
        LOOKS,
        "errors over their bounds, the first of each line being 1: a flat line has the growth of the bound",
    )
    return figure


def _draw(rows: Sequence[Row], axes: Axes, column: str, along: str, across: str, fixed: int, title: str) -> None:
    series = {}
    for name in LOOKS:
        own = [row for row in rows if row["system"] == name and whole(row, across) == fixed]
        series[name] = [Mean(whole(row, along), number(row, column) / number(own[0], column)) for row in own]
    label = {"attributes": "attributes d", "way": "attributes of a table, k"}[along]
    draw_lines(series, axes, looks=LOOKS, x_label=label, title=title, log_y=True)
    axes.set_xticks(sorted({whole(row, along) for row in rows}))


STUDIES = (
    Study(
        number="table-4.1",
        title="Bits and error bounds of the six systems",
        setting="4 to 16 attributes of two items, k = 1 to 4; bits of reports as printed and as they are; exact "
        f"expected total variation distances at epsilon = {EPSILON}, 2^18 users with uniform shares, times epsilon and "
        "the root of the number of users, over the printed bounds and over those that follow from exact variances",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="The table prints 2^(k/2) 2^d for INPRR, its theorem 3 2^((d+k)/2). d^(k/2) stands for the roots of T "
        "and of the number of tables.",
    ),
)
