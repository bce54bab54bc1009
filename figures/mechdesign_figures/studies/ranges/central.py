"""Table 5.4: mean variance of all ranges with a trusted server, exact and simulated."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from matplotlib.figure import Figure

from mechdesign.problem.privacy import Privacy
from mechdesign.rational import fraction_text
from mechdesign.workloads.ordered import Ranges
from mechdesign_catalog.central import parse_baseline
from mechdesign_catalog.central.contrasts import ContrastBaseline
from mechdesign_figures.plots.table import draw_table, table_figure
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.ranges.printed import CENTRAL, CENTRAL_LOG2
from mechdesign_figures.studies.ranges.simulation import cauchy_users, root_mean_square
from mechdesign_figures.studies.repeated import NOISE_STREAM, REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

ONE = Privacy(epsilon=1)
SYSTEMS = {
    "wavelet": "privelet:neighbours=added",
    "HH16": "central-hh:neighbours=added:b=16",
    "HH2": "central-hh:neighbours=added:b=2",
}
BASE = "HH16"
"""To which the others are compared."""

REPETITIONS = 400
COLUMNS = ("items_log2", "system", "baseline", "printed", "exact", "value", "ratio_printed", "ratio", *REPEATED)


@lru_cache
def baseline(system: str) -> ContrastBaseline:
    """Return the mechanism of a row of the table."""
    made = parse_baseline(SYSTEMS[system], ONE)
    if not isinstance(made, ContrastBaseline):
        raise TypeError(f"a baseline of ranges is needed, got {made.name}")
    return made


def ratio(system: str, log2: int) -> float:
    """Return the exact mean variance over that of the tree with fan-out 16."""
    ranges = Ranges(1 << log2)
    return float(baseline(system).average_variance(ranges) / baseline(BASE).average_variance(ranges))


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    return [
        _row(system, log2, place)
        for system in SYSTEMS
        for place, log2 in enumerate(CENTRAL_LOG2[:1] if quick else CENTRAL_LOG2)
    ]


def _row(system: str, log2: int, place: int) -> Row:
    printed = CENTRAL[system][place]
    mean = baseline(system).average_variance(Ranges(1 << log2))
    return {
        "items_log2": log2,
        "system": system,
        "baseline": SYSTEMS[system],
        "printed": printed,
        "exact": fraction_text(mean),
        "value": float(mean),
        "ratio_printed": printed / CENTRAL[BASE][place],
        "ratio": ratio(system, log2),
        **repeated(simulated(system, log2)),
    }


def simulated(system: str, log2: int) -> list[float]:
    """Return the mean squared error of all ranges of made-up counts, once for each repetition."""
    counts = cauchy_users(1 << log2, 1 << 16).counts
    generator = np.random.default_rng((*system.encode(), log2, NOISE_STREAM))
    draws = (baseline(system).simulate(counts, generator) - counts for _ in range(REPETITIONS))
    return [root_mean_square(errors, range(1 << log2)) ** 2 for errors in draws]


def draw(rows: Sequence[Row]) -> Figure:
    """Draw printed and exact means, and printed and exact ratios, as a table."""
    sizes = sorted({whole(row, "items_log2") for row in rows})
    cells = [["mean variance of all ranges", *(f"2^{log2} items" for log2 in sizes)]]
    for system in SYSTEMS:
        own = [row for row in rows if row["system"] == system]
        cells.append([f"{system}, printed", *(f"{number(row, 'printed'):.2f}" for row in own)])
        cells.append([f"{system}, exact", *(f"{number(row, 'value'):.2f}" for row in own)])
        means = [f"{number(row, 'mean'):.1f} ± {number(row, 'standard_error'):.1f}" for row in own]
        cells.append([f"{system}, simulated", *means])
    for system in SYSTEMS:
        if system != BASE:
            own = [row for row in rows if row["system"] == system]
            cells.append([f"{system} / {BASE}, printed", *(f"{number(row, 'ratio_printed'):.3f}" for row in own)])
            cells.append([f"{system} / {BASE}, exact", *(f"{number(row, 'ratio'):.3f}" for row in own)])
    figure = table_figure(cells)
    draw_table(cells, figure.add_subplot(), rules_above=(1, 4, 7, 10, 12))
    return figure


STUDIES = (
    Study(
        number="table-5.4",
        title="Variance of ranges with a trusted server",
        setting=f"2^8 to 2^11 items; epsilon = 1; one user more or less; Laplace noise on the nodes of a tree with "
        "constrained inference (fan-outs 2 and 16), and on Haar differences; exact means over all ranges, and the "
        f"mean squared error of {REPETITIONS} simulated releases of made-up counts",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="The trees' printed numbers at 2^8 items come out to all digits, the others within 0.7 %. Where the "
        "number of items is no power of 16 the root has fewer children.",
    ),
)
