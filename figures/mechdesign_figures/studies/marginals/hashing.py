"""Figure 4.7: tables from frequency oracles on all combinations of items, against INPHT."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.errors import draw_panel, legend_words, simulated_errors
from mechdesign_figures.studies.marginals.people import SKEWED, people
from mechdesign_figures.studies.marginals.systems import INPHT, LOOKS, SIX, binary
from mechdesign_figures.studies.matrices import whole
from mechdesign_figures.studies.repeated import REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

INPOLH, INPHTCMS = "INPOLH", "INPHTCMS"
SYSTEMS = {INPHT: SIX[INPHT], INPOLH: "inpolh", INPHTCMS: "inphtcms"}
SYSTEM_LOOKS = {INPHT: LOOKS[INPHT], INPOLH: LineStyle("#882255", "*", "--"), INPHTCMS: LineStyle("#117733", "<", "-.")}
ATTRIBUTES, QUICK_ATTRIBUTES = (4, 6, 8, 10, 12, 16), (4, 6)
WAYS = (1, 2, 3)
USERS, QUICK_USERS = 1 << 18, 1 << 12
REPETITIONS, QUICK_REPETITIONS = 10, 2
SIMULATED = (4, 8)
"""Attributes at which collections are simulated."""

COLUMNS = ("attributes", "way", "epsilon", "users", "system", "oracle", "expected", *REPEATED)


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    users, repetitions = (QUICK_USERS, QUICK_REPETITIONS) if quick else (USERS, REPETITIONS)
    cells = product(QUICK_ATTRIBUTES if quick else ATTRIBUTES, WAYS)
    return [row for d, k in cells for row in _rows(d, k, users, repetitions if d in SIMULATED else 0)]


def _rows(d: int, k: int, users: int, repetitions: int) -> Iterator[Row]:
    asked = people(SKEWED, d, users)
    for system, name in SYSTEMS.items():
        collection = binary(name, d, k)
        found: Row = {
            "attributes": d,
            "way": k,
            "epsilon": collection.privacy.epsilon,
            "users": users,
            "system": system,
            "oracle": collection.oracle.title,
            "expected": collection.mean_error(asked.shares, users),
        }
        simulated = simulated_errors(collection, asked, repetitions)
        yield {**found, **(repeated(simulated) if simulated else dict.fromkeys(REPEATED))}


def draw(rows: Sequence[Row]) -> Figure:
    """Draw a panel for each number of attributes of a table."""
    ways = sorted({whole(row, "way") for row in rows})
    figure = HouseFigure(figsize=(3.0 * len(ways) + 0.6, 3.8))
    panels: np.ndarray = figure.subplots(1, len(ways), squeeze=False)
    for axes, k in zip(panels[0], ways, strict=True):
        own = [row for row in rows if row["way"] == k]
        draw_panel(own, axes, "attributes", "attributes d", f"tables of k = {k}", SYSTEM_LOOKS)
    panels[0][0].set_ylabel("total variation distance")
    draw_legend(figure, SYSTEM_LOOKS, legend_words())
    return figure


STUDIES = (
    Study(
        number="4.7",
        title="Tables from frequency oracles on all combinations of items",
        setting="made-up users with lightly skewed bits, 2^18; e^epsilon = 3; d = 4 to 16, k = 1, 2, 3; INPOLH with 4 "
        "buckets, INPHTCMS with 5 hash functions of width 256, INPHT as published; simulated "
        f"{REPETITIONS} times for d = 4 and 8",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="The published data and k are not described. Errors of INPHTCMS are over redrawn hash "
        "functions. INPOLH was given up after 12 hours at d = 12 and 16: here its server takes seconds.",
    ),
)
