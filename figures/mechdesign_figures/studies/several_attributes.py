"""Studies of several attributes: mean squared error of RS+FD, splitting and sampling."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.datasets.items import ItemTable
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.attributes import TupleOracle, make_tuple_oracle
from mechdesign_figures.plots.parts.curves import Point, draw_curves, draw_legend, marker_words
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import ITEMS, DesignCache
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.repeated import NOISE_STREAM, REPEATED, repeated, rescaled
from mechdesign_figures.studies.study import Row, Study

POWERS = (2, 3, 4, 5, 6, 7)
"""epsilon is the natural logarithm of each."""

RAW, RESCALED = "raw", "rescaled"
TITLES = {RAW: "estimates as they are (unbiased)", RESCALED: "negative estimates set to 0, the rest rescaled"}


@dataclass(frozen=True)
class Method:
    """A mechanism for tuples as `make_tuple_oracle` takes it."""

    name: str
    encoding: str = "adp"

    def oracle(self, domains: Sequence[int], epsilon: Fraction) -> TupleOracle:
        """Return the mechanism for so many items of each attribute."""
        return make_tuple_oracle(self.name, domains, Privacy(epsilon=epsilon), self.encoding)


METHODS = {
    "SPL[ADP]": Method("SPL"),
    "SMP[ADP]": Method("SMP"),
    "RS+FD[GRR]": Method("RS+FD", "grr"),
    "RS+FD[OUE-z]": Method("RS+FD", "oue-z"),
    "RS+FD[ADP]": Method("RS+FD", "adp"),
}
LOOKS = {
    "SPL[ADP]": LineStyle("#000000", "X", ":"),
    "SMP[ADP]": LineStyle("#0072B2", "o"),
    "RS+FD[GRR]": LineStyle("#E69F00", "v", (0, (3, 1, 3, 1, 1, 1))),
    "RS+FD[OUE-z]": LineStyle("#009E73", "^", "-."),
    "RS+FD[ADP]": LineStyle("#D55E00", "s", "--"),
}


@dataclass(frozen=True)
class Truth:
    """All people of a table with the true shares of each attribute's items."""

    table: ItemTable
    shares: tuple[Floats, ...]

    @classmethod
    def of(cls, table: ItemTable) -> "Truth":
        """Read the people of a table, and count their shares."""
        columns = zip(table.values.T, table.sizes, strict=True)
        return cls(table, tuple(np.bincount(column, minlength=k) / table.users for column, k in columns))

    def error(self, estimates: Sequence[Floats]) -> float:
        """Return MSE_avg of estimates: the mean over the items of an attribute, then over attributes."""
        pairs = zip(estimates, self.shares, strict=True)
        return float(np.mean([np.square(estimate - shares).mean() for estimate, shares in pairs]))

    def expected_error(self, oracle: TupleOracle) -> float:
        """Return the expectation of MSE_avg for raw estimates, from the exact variances at the true shares."""
        found = (oracle.variance(j, shares, self.table.users).mean() for j, shares in enumerate(self.shares))
        return float(np.mean(list(found)))


@dataclass(frozen=True)
class Tuples:
    """A study that measures every method at every epsilon on all people of one table.

    `seed` is of the noise; each method and epsilon has a stream of its own, each repetition one of its own.
    """

    data: str
    repetitions: int
    seed: int

    columns: ClassVar[tuple[str, ...]] = (
        "data",
        "method",
        "exp_epsilon",
        "epsilon",
        "estimates",
        "expected",
        *REPEATED,
        "users",
    )

    def rows(self, cache: DesignCache, quick: bool) -> list[Row]:
        """Compute the table: epsilon varies slowest, then methods; quick takes the ends and two repetitions."""
        truth = Truth.of(cache.table(self.data))
        powers = POWERS[:: len(POWERS) - 1] if quick else POWERS
        return [row for power in powers for row in self._rows(truth, power, 2 if quick else self.repetitions)]

    def _rows(self, truth: Truth, power: int, repetitions: int) -> Iterator[Row]:
        for name, method in METHODS.items():
            oracle = method.oracle(truth.table.sizes, log_epsilon(power))
            for kind, values in replace(self, repetitions=repetitions).errors(truth, power, name).items():
                yield {
                    "data": self.data,
                    "method": name,
                    "exp_epsilon": power,
                    "epsilon": oracle.privacy.epsilon,
                    "estimates": kind,
                    "expected": truth.expected_error(oracle) if kind == RAW else None,
                    **repeated(values),
                    "users": truth.table.users,
                }

    def errors(self, truth: Truth, power: int, name: str) -> dict[str, list[float]]:
        """Simulate MSE_avg of one method in each repetition, for raw and for rescaled estimates."""
        oracle = METHODS[name].oracle(truth.table.sizes, log_epsilon(power))
        found: dict[str, list[float]] = {RAW: [], RESCALED: []}
        for repetition in range(self.repetitions):
            words = seeded_words((self.seed, power, list(METHODS).index(name), repetition, NOISE_STREAM))
            estimates = oracle.estimate(oracle.aggregate(oracle.privatize(truth.table.values, words)))
            found[RAW].append(truth.error(estimates))
            found[RESCALED].append(truth.error([rescaled(estimate) for estimate in estimates]))
        return found


def log_epsilon(power: int) -> Fraction:
    """Return ln of a whole number, to the precision of floats."""
    return Fraction(math.log(power))


def draw(rows: Sequence[Row]) -> Figure:
    """Draw two panels: raw estimates with their exact expectations, and rescaled ones."""
    figure = HouseFigure(figsize=(9.0, 4.6))
    raw, scaled = figure.subplots(1, 2, sharey=True)
    curves = {name: [_point(row) for row in part] for name, part in _parts(rows, RAW).items()}
    lines = {name: [_mean(row) for row in part] for name, part in _parts(rows, RESCALED).items()}
    label = "mean squared error of a share,\nmean over attributes (MSE_avg)"
    draw_curves(curves, raw, looks=LOOKS, y_label=label, title=TITLES[RAW], whole_places=False)
    draw_lines(lines, scaled, looks=LOOKS, title=TITLES[RESCALED])
    for axes in (raw, scaled):
        _axes_of_powers(axes, rows)
    figure.suptitle(f"{str(rows[0]['data']).capitalize()}: {whole(rows[0], 'users'):,} users")
    words = marker_words("standard_error", whole(rows[0], "repetitions"))
    draw_legend(figure, LOOKS, words.replace("line: exact expectation", "line: exact expectation (left)"))
    return figure


def _parts(rows: Sequence[Row], kind: str) -> dict[str, list[Row]]:
    return {name: [r for r in rows if (r["method"], r["estimates"]) == (name, kind)] for name in METHODS}


def _point(row: Row) -> Point:
    return Point(*(number(row, name) for name in ("epsilon", "expected", "mean", "standard_error")))


def _mean(row: Row) -> Mean:
    return Mean(*(number(row, name) for name in ("epsilon", "mean", "standard_error")))


def _axes_of_powers(axes: Axes, rows: Sequence[Row]) -> None:
    powers = sorted({whole(row, "exp_epsilon") for row in rows})
    axes.set_yscale("log")
    axes.set_xticks([math.log(power) for power in powers], [f"ln {power}" for power in powers])
    axes.set_xlabel("epsilon")


ADULT = Tuples("adult", repetitions=10, seed=5081)
NURSERY = Tuples("nursery", repetitions=20, seed=5082)


def _study(tuples: Tuples, people: str) -> Study:
    return Study(
        number=f"rsfd-{tuples.data}",
        title=f"RS+FD against splitting and sampling on {tuples.data.capitalize()}",
        setting=f"{people}; epsilon = ln 2, ..., ln 7; {tuples.repetitions} repetitions, bars of one standard error; "
        f"noise from seed {tuples.seed}",
        columns=tuples.columns,
        rows=tuples.rows,
        draw=draw,
        remark="The repetitions are ours. Rescaled estimates are those of the authors' own package.",
        needs=(f"{ITEMS}{tuples.data}",),
    )


STUDIES = (
    _study(ADULT, "Adult, both files, the 45,222 complete rows, domains 7, 16, 7, 14, 6, 5, 2, 41, 2"),
    _study(NURSERY, "Nursery, 12,960 rows, domains 3, 5, 4, 4, 3, 2, 3, 3, 5"),
)
