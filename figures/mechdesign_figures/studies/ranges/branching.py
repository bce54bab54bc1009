"""Figure 5.3: mean squared errors of all ranges of one length, against the fan-out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.ranges.printed import HAAR
from mechdesign_figures.studies.ranges.simulation import Simulation, cauchy_users
from mechdesign_figures.studies.ranges.systems import FLAT, MOST_ASKED, NAMES, THREE, average, is_sampled, oracle, tree
from mechdesign_figures.studies.repeated import REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

DOMAINS, QUICK_DOMAINS = (8, 16, 22), (8,)
FANOUTS = (2, 4, 8, 16, 32, 64, 128, 256)
SMALLEST = 8
"""Logarithm of the number of items at which trees of OLH are shown, as published, and collections simulated."""

COLUMNS = ("items_log2", "length", "method", "fanout", "oracle", "exact", "ranges", "simulated_users", *REPEATED)
FLAT_NAME = "flat OUE"
LOOKS = {
    FLAT_NAME: LineStyle("#7F7F7F", "", "-"),
    "TreeOUE": LineStyle("#0072B2", "o", ":"),
    "TreeOUECI": LineStyle("#0072B2", "o"),
    "TreeHRR": LineStyle("#D55E00", "s", ":"),
    "TreeHRRCI": LineStyle("#D55E00", "s"),
    "TreeOLH": LineStyle("#009E73", "^", ":"),
    "TreeOLHCI": LineStyle("#009E73", "^", (0, (8, 2))),
    "HaarHRR": LineStyle("#000000", "X", "None"),
}
SIMULATED, QUICK_SIMULATED = Simulation(users=1 << 20, repetitions=5), Simulation(users=1 << 14, repetitions=2)


@dataclass(frozen=True)
class Method:
    """A method of the figure with a fan-out; flat OUE has all items as one, and HaarHRR two."""

    name: str
    fanout: int
    oracle: str


def methods(log2: int) -> Iterator[Method]:
    """List the methods for `2^log2` items, with every fan-out of less than all items."""
    yield Method(FLAT_NAME, 1 << log2, FLAT)
    for primitive in ("OUE", "HRR", "OLH") if log2 == SMALLEST else ("OUE", "HRR"):
        for ending, consistent in (("", False), ("CI", True)):
            for b in FANOUTS:
                if b < 1 << log2:
                    yield Method(f"Tree{primitive}{ending}", b, tree(b, primitive.lower(), consistent))
    yield Method("HaarHRR", 2, NAMES[HAAR])


def lengths(log2: int) -> tuple[int, ...]:
    """Return the lengths of the rows of panels.

    Single items; the first power of two at which HaarHRR has less variance than flat OUE; an eighth and three quarters.
    """
    k = 1 << log2
    second = next(r for r in (1 << shift for shift in range(log2)) if _mean(NAMES[HAAR], k, r) < _mean(FLAT, k, r))
    return 1, second, k // 8, 3 * k // 4


def _mean(name: str, k: int, length: int) -> float:
    return average(name, FixedRanges(k, length), THREE)


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    domains, plan = (QUICK_DOMAINS, QUICK_SIMULATED) if quick else (DOMAINS, SIMULATED)
    return [row for log2 in domains for row in _domain(log2, plan)]


def _domain(log2: int, plan: Simulation) -> Iterator[Row]:
    k = 1 << log2
    for method in methods(log2):
        errors = dict(zip(lengths(log2), simulated(method, k, plan), strict=True)) if log2 == SMALLEST else {}
        for length in lengths(log2):
            found: Row = {"items_log2": log2, "length": length, "method": method.name, "fanout": method.fanout}
            ranges = FixedRanges(k, length)
            asked = MOST_ASKED if is_sampled(method.oracle, ranges) else ranges.count
            found |= {"oracle": method.oracle, "exact": average(method.oracle, ranges, THREE), "ranges": asked}
            found |= dict.fromkeys(("simulated_users", *REPEATED))
            if errors:
                found |= {"simulated_users": plan.users, **repeated(errors[length])}
            yield found


def simulated(method: Method, k: int, plan: Simulation) -> list[list[float]]:
    """Return mean squared errors for each length, shape (lengths, repetitions), scaled to 2^26 users."""
    shares = cauchy_users(k, plan.users).frequencies
    queries = [FixedRanges(k, length).queries() for length in lengths(SMALLEST)]
    found: list[list[float]] = [[] for _ in queries]
    for state in plan.states(method.oracle, k, THREE):
        for own, asked in zip(found, queries, strict=True):
            errors = oracle(method.oracle, k, THREE).answers(state, asked) - asked.apply(shares)
            own.append(float(np.mean(errors**2)) * plan.scale**2)
    return found


def draw(rows: Sequence[Row]) -> Figure:
    """Draw a column of panels for each number of items, a row for each length."""
    domains = sorted({whole(row, "items_log2") for row in rows})
    figure = HouseFigure(figsize=(3.3 * len(domains) + 0.6, 9.6))
    grid: np.ndarray = figure.subplots(4, len(domains), squeeze=False, sharex="col")
    for column, log2 in zip(grid.T, domains, strict=True):
        own = [row for row in rows if row["items_log2"] == log2]
        for axes, length in zip(column, sorted({whole(row, "length") for row in own}), strict=True):
            _draw_panel([row for row in own if row["length"] == length], axes, f"2^{log2} items, r = {length:,}")
            axes.label_outer(remove_inner_ticks=False)
            axes.tick_params(labelleft=True)
    draw_legend(
        figure,
        LOOKS,
        "exact means; HaarHRR is put at B = 2; trees of OLH lie on those of OUE; small dots: simulated with users of "
        "Cauchy shares (2^8 items alone)",
    )
    return figure


def _draw_panel(rows: Sequence[Row], axes: Axes, title: str) -> None:
    series = {
        name: [Mean(number(row, "fanout"), number(row, "exact")) for row in rows if row["method"] == name]
        for name in LOOKS
    }
    draw_lines(
        {name: points for name, points in series.items() if points and name != FLAT_NAME},
        axes,
        looks=LOOKS,
        x_label="fan-out B",
        y_label="mean squared error",
        title=title,
        log_x=True,
        log_y=True,
    )
    axes.axhline(series[FLAT_NAME][0].mean, color=LOOKS[FLAT_NAME].colour, linewidth=1.2, zorder=1)
    axes.set_xticks(FANOUTS[::2], map(str, FANOUTS[::2]))
    shown = [row for row in rows if row["mean"] is not None and row["method"] != FLAT_NAME]
    places, means = ([number(row, column) for row in shown] for column in ("fanout", "mean"))
    axes.plot(places, means, ".", color="black", markersize=2.5, zorder=5)


STUDIES = (
    Study(
        number="5.3",
        title="Error of ranges of one length against the fan-out",
        setting="2^8, 2^16 and 2^22 items; e^epsilon = 3; 2^26 users with uniform shares; B = 2, 4, 8, ..., 256, the "
        "largest nodes fewer where the number of items is no power of B; r = 1, the first power of two at which "
        "HaarHRR beats flat OUE, k/8 and 3k/4; exact; at 2^8 items simulated 5 times from the law of the server's "
        "sums, for 2^20 users with Cauchy shares, scaled to 2^26",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="The lengths of the published panels are not printed. Its text has three numbers of items and speaks of "
        "columns of panels for lengths, its caption of rows.",
    ),
)
