"""Studies of dBitFlip: the histogram of few users' hours, [0, 24] in 32 buckets."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import YAxis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import ArrayLike

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.frequency_metrics import HOURS, make_frequency_metric
from mechdesign_catalog.comparisons.of_oracles import AGGREGATE, REPORTS, OracleComparison, collect_once
from mechdesign_catalog.datasets.items import ItemCounts, open_items
from mechdesign_catalog.datasets.items.laws import BUCKETS
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.flat.dbitflip import DBitFlip
from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.repeated import REPEATED, repeated, rescaled
from mechdesign_figures.studies.study import Row, Study

Value = TypeVar("Value")

LAWS = ("normal", "uniform", "constant")
DRAWN = (1, 2, 4)
"""Buckets of a user, d."""

USERS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
EPSILONS = tuple(map(Fraction, ("0.1", "0.2", "0.5", "1", "2", "3", "5", "10")))
FEW = 10_000
REPETITIONS = 10
DATA_SEED = 5_000
"""Users of one law and number are the same in every study."""

RAW, RESCALED = "raw", "rescaled"
PUBLISHED_ERRORS = {10_000: 0.3, 300_000: 0.045}
"""Largest error, d = 1, epsilon = 1, normal data, as the study reports it."""

PUBLISHED_DISTANCES = {10_000: 2.0, 100_000: 1.0}
"""Wasserstein-1, epsilon = 3, in a unit that it does not tell."""

LOOKS = {
    "d = 1": LineStyle("#0072B2", "o"),
    "d = 2": LineStyle("#D55E00", "s", "--"),
    "d = 4": LineStyle("#009E73", "^", "-."),
}
PUBLISHED = LineStyle("#000000", "*", "None")
STAR = "published (d = 1)"
PLAIN = FuncFormatter(lambda place, _: f"{place:g}")
WORDS = {"users": "users, n", "epsilon": "epsilon"}
LARGEST = "largest error of any bucket (share)"
DISTANCE = "Wasserstein-1 distance (hours)"
STEPS = "in buckets of 0.75 hours"
PEOPLE = (
    "users drawn once for each law and n; normal: mean 12, standard deviation 4 hours; constant: the bucket from noon"
)
STEP_HOURS = HOURS / BUCKETS


def telemetry_users(law: str, users: int) -> ItemCounts:
    """Make up so many users, each with a bucket by this law."""
    return open_items(law, people=users, seed=DATA_SEED)


def estimates_of(
    data: ItemCounts, oracle: DBitFlip, repetitions: int, seed: tuple[int, ...]
) -> Iterator[tuple[Floats, Floats]]:
    """Simulate one collection for each repetition: raw estimates, and rescaled to a distribution.

    Sums are drawn from their law where they have one (d = 1), else every user's report is made.
    """
    simulate = AGGREGATE if oracle.can_simulate_sums else REPORTS
    comparison = OracleComparison(data, (oracle.name,), (oracle.privacy,), "max", repetitions, simulate)
    for repetition in range(repetitions):
        raw = collect_once(comparison, oracle, (*seed, repetition)).items
        yield raw, rescaled(raw)


@dataclass(frozen=True)
class Telemetry:
    """A study of every law, number of users, epsilon and d; each cell has noise of its own.

    `metrics` are pairs of a metric and of the estimates that it looks at, `raw` or `rescaled`.
    """

    users: tuple[int, ...]
    epsilons: tuple[Fraction, ...]
    metrics: tuple[tuple[str, str], ...]
    seed: int

    columns: ClassVar[tuple[str, ...]] = ("data", "d", "users", "epsilon", "metric", "estimates", *REPEATED)

    def form(self, quick: bool) -> "Telemetry":
        """Return the study itself, or with the two ends of what varies, of at most 10,000 users."""
        if not quick:
            return self
        users = tuple(n for n in self.users if n <= FEW)
        return replace(self, users=_ends(users), epsilons=_ends(self.epsilons))

    def rows(self, cache: DesignCache, quick: bool) -> list[Row]:
        """Compute the table: laws vary slowest, then users, epsilons, d; metrics fastest."""
        form = self.form(quick)
        cells = itertools.product(LAWS, form.users, form.epsilons, DRAWN)
        return [row for cell in cells for row in form._measured(*cell)]

    def _measured(self, law: str, users: int, epsilon: Fraction, d: int) -> Iterator[Row]:
        data = telemetry_users(law, users)
        seed = (self.seed, LAWS.index(law), users, epsilon.numerator, epsilon.denominator, d)
        estimates = estimates_of(data, DBitFlip(BUCKETS, Privacy(epsilon=epsilon), d), REPETITIONS, seed)
        raw, scaled = map(np.array, zip(*estimates, strict=True))
        for name, kind in self.metrics:
            values = make_frequency_metric(name).values(data.counts, raw if kind == RAW else scaled)
            found: Row = {"data": law, "d": d, "users": users, "epsilon": float(epsilon)}
            yield {**found, "metric": name, "estimates": kind, **repeated(values.tolist())}


def _ends(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return values[:: max(1, len(values) - 1)]


@dataclass(frozen=True)
class Line:
    """A row of panels: one metric of one kind of estimates; `published` for normal data, by users."""

    metric: str
    kind: str
    label: str
    published: Mapping[int, float] = field(default_factory=dict)


def drawn_by(along: str, lines: Sequence[Line]) -> Callable[[Sequence[Row]], Figure]:
    """Return the function that draws a row of panels for each line, against the column `along`.

    There is a column of panels for each law.
    """

    published = {STAR: PUBLISHED} if any(line.published for line in lines) else {}
    note = "\nthe published distances are taken to be in hours" if published and lines[0].metric == "w1-hours" else ""

    def draw(rows: Sequence[Row]) -> Figure:
        figure = HouseFigure(figsize=(10.0, 2.9 * len(lines) + 0.9))
        grid: np.ndarray = figure.subplots(len(lines), len(LAWS), squeeze=False, sharex=True, sharey="row")
        for line, across in zip(lines, grid, strict=True):
            for axes, law in zip(across, LAWS, strict=True):
                own = [r for r in rows if (r["data"], r["metric"], r["estimates"]) == (law, line.metric, line.kind)]
                _draw_panel(own, axes, along, line, law)
                axes.set_title(f"{law} data" if line == lines[0] else "")
        times = whole(rows[0], "repetitions")
        words = f"mean of {times} repetitions; bar: one standard error of that mean"
        draw_legend(figure, {**LOOKS, **published}, f"{words}{note}")
        return figure

    return draw


def _draw_panel(rows: Sequence[Row], axes: Axes, along: str, line: Line, law: str) -> None:
    series = {
        name: [
            Mean(*(number(row, cell) for cell in (along, "mean", "standard_error")))
            for row in rows
            if f"d = {row['d']}" == name
        ]
        for name in LOOKS
    }
    draw_lines(
        series,
        axes,
        looks=LOOKS,
        x_label=WORDS[along],
        y_label=line.label,
        log_x=True,
        log_y=True,
    )
    axes.label_outer()
    if along == "epsilon":
        axes.xaxis.set_major_formatter(PLAIN)
    if law == LAWS[0] and line.published:
        axes.plot(list(line.published), list(line.published.values()), markersize=11, zorder=4, **PUBLISHED.line())
    _plain_decimals(axes.yaxis)
    if line.metric == "w1-hours" and law == LAWS[-1]:
        steps = axes.secondary_yaxis("right", functions=(_in_steps, _in_hours))
        steps.set_ylabel(STEPS)
        _plain_decimals(steps.yaxis)


def _plain_decimals(axis: YAxis) -> None:
    """Ticks at 1, 2 and 5 times powers of ten."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(PLAIN)
    axis.set_minor_formatter(NullFormatter())


def _in_steps(hours: ArrayLike) -> Floats:
    return np.asarray(hours, dtype=np.float64) / STEP_HOURS


def _in_hours(steps: ArrayLike) -> Floats:
    return np.asarray(steps, dtype=np.float64) * STEP_HOURS


LARGEST_ERRORS = Telemetry(USERS, (Fraction(1),), (("max", RAW),), seed=5083)
DISTANCES = Telemetry(USERS, (Fraction(3),), tuple(("w1-hours", kind) for kind in (RAW, RESCALED)), seed=5084)
BY_EPSILON = Telemetry((FEW,), EPSILONS, (("max", RAW), ("w1-hours", RAW)), seed=5085)

COMMON = f"{BUCKETS} buckets of [0, 24] hours; d = 1, 2, 4; {REPETITIONS} repetitions"
OURS = "The parameters of the normal and the constant data are ours: the study does not print its own."

STUDIES = (
    Study(
        number="telemetry-max",
        title="Telemetry of few users: largest error against n",
        setting=f"{COMMON}; epsilon = 1; n = 10^3 to 3*10^5; {PEOPLE}; noise from seed {LARGEST_ERRORS.seed}",
        columns=LARGEST_ERRORS.columns,
        rows=LARGEST_ERRORS.rows,
        draw=drawn_by("users", [Line("max", RAW, LARGEST, PUBLISHED_ERRORS)]),
        remark=OURS,
    ),
    Study(
        number="telemetry-w1",
        title="Telemetry of few users: Wasserstein-1 distance against n",
        setting=f"{COMMON}; epsilon = 3; n = 10^3 to 3*10^5; {PEOPLE}; noise from seed {DISTANCES.seed}",
        columns=DISTANCES.columns,
        rows=DISTANCES.rows,
        draw=drawn_by(
            "users",
            [
                Line("w1-hours", RAW, f"{DISTANCE},\nestimates as they are", PUBLISHED_DISTANCES),
                Line("w1-hours", RESCALED, f"{DISTANCE},\nnegative set to 0, rescaled", PUBLISHED_DISTANCES),
            ],
        ),
        remark=f"{OURS} It does not say whether estimates are made a distribution, and in which unit: both are shown.",
    ),
    Study(
        number="telemetry-eps",
        title="Telemetry of few users: largest error and distance against epsilon",
        setting=f"{COMMON}; n = 10,000; epsilon = 0.1 to 10; {PEOPLE}; noise from seed {BY_EPSILON.seed}",
        columns=BY_EPSILON.columns,
        rows=BY_EPSILON.rows,
        draw=drawn_by("epsilon", [Line("max", RAW, LARGEST), Line("w1-hours", RAW, DISTANCE)]),
        remark=f"{OURS} So is n.",
    ),
)
