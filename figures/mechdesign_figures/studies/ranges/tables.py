"""Tables 5.2 and 5.3: errors of ranges and prefixes by epsilon: exact, simulated, printed.

An error is the root of the mean, over the queries, of exact variances, times 1000. Variances are those at uniform
shares: the part that depends on the shares is small, and what is simulated has Cauchy shares.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.workload import Workload
from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.ranges.printed import (
    HAAR,
    HH2,
    HH4,
    HH16,
    RANGES,
    STEPS_LOG2,
    TABLE_5_2,
    TABLE_5_3,
    TIMES,
    USERS_LOG2,
    Part,
)
from mechdesign_figures.studies.ranges.queries import RangesFrom
from mechdesign_figures.studies.ranges.simulation import DATA_SEED, Simulation, root_mean_square
from mechdesign_figures.studies.ranges.systems import NAMES, average
from mechdesign_figures.studies.repeated import REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

COLUMNS = (
    *("items_log2", "epsilon", "system", "oracle", "printed", "exact", "exact_all_queries", "exact_mse"),
    *("simulated_users", *REPEATED),
)
LOOKS = {
    HH2: LineStyle("#0072B2", "o"),
    HH4: LineStyle("#D55E00", "s", "--"),
    HH16: LineStyle("#009E73", "^", "-."),
    HAAR: LineStyle("#000000", "X", ":"),
}
REPETITIONS = {8: 5, 16: 2, 20: 2}
"""Of the simulation, for each logarithm of the number of items."""

FEW_EPSILONS = ("0.2", "1.4")
"""Those that are simulated at 2^20 items."""

HAAR_USERS_LOG2 = 20
WORDS = (
    "above: lines are exact for the published queries, marks are printed; below: the printed errors divided by the "
    "exact ones, 1 where they agree"
)


@lru_cache(maxsize=32)
def published_queries(part: Part) -> Workload:
    """Return the queries that the printed errors were averaged over."""
    k, step = 1 << part.log2, 1 << STEPS_LOG2[part.log2]
    if part.queries != RANGES:
        return Prefixes(k)
    return Ranges(k) if step == 1 else RangesFrom(k, step)


@lru_cache(maxsize=32)
def all_queries(part: Part) -> Workload:
    """Return all queries of their kind."""
    return Ranges(1 << part.log2) if part.queries == RANGES else published_queries(part)


def error(system: str, workload: Workload, epsilon: str) -> float:
    """Return the root of the mean of exact variances, times 1000."""
    return TIMES * math.sqrt(mean_square(system, workload, epsilon))


def mean_square(system: str, workload: Workload, epsilon: str) -> float:
    """Return the mean of exact variances."""
    return average(NAMES[system], workload, Privacy(epsilon=Fraction(epsilon)))


def rows_of(parts: Sequence[Part], quick: bool) -> Iterator[Row]:
    """Compute the rows of some parts of a table; the quick form has those of the smallest domain."""
    for part in parts[:1] if quick else parts:
        for epsilon, system, printed in part.cells():
            queries = published_queries(part)
            found: Row = {
                "items_log2": part.log2,
                "epsilon": float(epsilon),
                "system": system,
                "oracle": NAMES[system],
                "printed": printed,
                "exact": error(system, queries, epsilon),
                "exact_all_queries": error(system, all_queries(part), epsilon),
                "exact_mse": TIMES * mean_square(system, queries, epsilon),
            }
            yield {**found, **_simulated(part, system, epsilon, quick)}


def _simulated(part: Part, system: str, epsilon: str, quick: bool) -> Row:
    """Columns of a simulation, empty where there is none."""
    plan = simulation_of(part.log2, system, epsilon, quick)
    if plan is None:
        return dict.fromkeys(("simulated_users", *REPEATED))
    k = 1 << part.log2
    starts = range(0, k, 1 << STEPS_LOG2[part.log2]) if part.queries == RANGES else range(1)
    errors = plan.errors(NAMES[system], k, Privacy(epsilon=Fraction(epsilon)))
    return {
        "simulated_users": plan.users,
        **repeated([TIMES * root_mean_square(found, starts) for found in errors]),
    }


def simulation_of(log2: int, system: str, epsilon: str, quick: bool) -> Simulation | None:
    """Return what is simulated of a domain of `2^log2` items and a system, None where that would take minutes.

    HaarHRR is drawn user by user, so fewer users are.
    """
    if log2 not in REPETITIONS or (log2 == 20 and epsilon not in FEW_EPSILONS):
        return None
    users = 1 << (14 if quick else HAAR_USERS_LOG2 if system == HAAR else USERS_LOG2)
    return Simulation(users, REPETITIONS[log2])


def draw(rows: Sequence[Row]) -> Figure:
    """Draw the errors of each domain against epsilon, and below them the printed ones as parts of the exact ones."""
    domains = sorted({whole(row, "items_log2") for row in rows})
    figure = HouseFigure(figsize=(2.9 * len(domains) + 0.6, 6.6))
    grid: np.ndarray = figure.subplots(2, len(domains), squeeze=False, sharex=True, sharey="row")
    for axes, below, log2 in zip(*grid, domains, strict=True):
        own = [row for row in rows if row["items_log2"] == log2]
        _draw_errors(own, axes, f"2^{log2} items")
        _draw_ratios(own, below)
    for axes in grid.flat:
        axes.label_outer()
    shown = {name: LOOKS[name] for name in LOOKS if any(row["system"] == name for row in rows)}
    draw_legend(figure, shown, WORDS)
    return figure


def _draw_errors(rows: Sequence[Row], axes: Axes, title: str) -> None:
    series = {name: [Mean(number(row, "epsilon"), number(row, "exact")) for row in _of(rows, name)] for name in LOOKS}
    draw_lines(
        {name: points for name, points in series.items() if points},
        axes,
        looks={name: replace(look, marker="") for name, look in LOOKS.items()},
        y_label="root mean squared error, times 1000",
        title=title,
        log_y=True,
    )
    for name, look in LOOKS.items():
        own = _of(rows, name)
        places, told = ([number(row, column) for row in own] for column in ("epsilon", "printed"))
        axes.plot(places, told, marker=look.marker, color=look.colour, linestyle="", markersize=5, zorder=3)


def _draw_ratios(rows: Sequence[Row], axes: Axes) -> None:
    series = {
        name: [Mean(number(row, "epsilon"), number(row, "printed") / number(row, "exact")) for row in _of(rows, name)]
        for name in LOOKS
    }
    draw_lines(
        {name: points for name, points in series.items() if points},
        axes,
        looks=LOOKS,
        x_label="epsilon",
        y_label="printed / exact",
    )
    axes.axhline(1.0, color="0.4", linewidth=0.8, zorder=1)


def _of(rows: Sequence[Row], system: str) -> list[Row]:
    return [row for row in rows if row["system"] == system]


COMMON = "2^8, 2^16, 2^20 and 2^22 items; HH_B with constrained inference, uniform levels and OUE in each; HaarHRR; "
"2^26 users"
SIMULATED = (
    "simulated from the law of the server's sums for users with Cauchy shares (centre 0.4 k, scale k / 10, seed "
    f"{DATA_SEED}): 5 times at 2^8 items, twice at 2^16, and at 2^20 for epsilon = 0.2 and 1.4; HaarHRR with "
    f"2^{HAAR_USERS_LOG2} users, its errors scaled to 2^26"
)
REMARK = (
    "The captions say mean squared error; the printed numbers are roots of it (`exact_mse` is the mean square times "
    "1000). Exact numbers are those of uniform shares."
)

STUDIES = (
    Study(
        number="table-5.2",
        title="Error of ranges against epsilon",
        setting=f"{COMMON}; all ranges at 2^8 items, beyond those that begin at multiples of 2^8, 2^14, 2^17; "
        f"{SIMULATED}",
        columns=COLUMNS,
        rows=lambda cache, quick: list(rows_of(TABLE_5_2, quick)),
        draw=draw,
        remark=f"{REMARK} Beginnings at multiples of large steps make the left ends of ranges nearly free: "
        "`exact_all_queries` is the error of all ranges.",
    ),
    Study(
        number="table-5.3",
        title="Error of prefixes against epsilon",
        setting=f"{COMMON}; all prefixes; {SIMULATED}",
        columns=COLUMNS,
        rows=lambda cache, quick: list(rows_of(TABLE_5_3, quick)),
        draw=draw,
        remark=REMARK,
    ),
)
