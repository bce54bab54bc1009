"""Table 4.2: how often expectation maximisation stops at the uniform table it begins with.

Every attribute goes through randomised response with epsilon/d. With o(y) the observed frequencies of the reports about
the attributes of a table, and M(y|g) the chance of y for the items g, the first step from the uniform table leads to

    sum over y of o(y) M(y|g) / sum over g' of M(y|g') = sum over y of o(y) M(y|g),

as the chances M(y|g) of independent symmetric bits add up to 1 over g, too. The published rule stops where no share
moves by more than 0.00001.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.tables.inputs.inpem import InpEm
from mechdesign_figures.plots.parts.style import COLOURS, HouseFigure
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.distances import total_variation
from mechdesign_figures.studies.marginals.people import TAXI, People, people
from mechdesign_figures.studies.marginals.systems import at, binary
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.repeated import NOISE_STREAM, REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

TOLERANCE = 1e-5
"""Omega: the published rule stops where no share moves by more."""

REPETITIONS, QUICK_REPETITIONS = 10, 3


@dataclass(frozen=True)
class Printed:
    """A row of table 4.2: the setting, and in how many of its tables the procedure failed."""

    users_log2: int
    d: int
    k: int
    epsilon: str
    failed: int
    total: int

    @property
    def asked(self) -> People:
        """The people."""
        return people(TAXI, self.d, 1 << self.users_log2)


TABLE_4_2 = (
    Printed(16, 8, 1, "0.2", 3, 8),
    Printed(18, 8, 2, "0.1", 15, 28),
    Printed(16, 8, 2, "0.2", 3, 28),
    Printed(16, 12, 2, "0.2", 19, 66),
    Printed(18, 16, 2, "0.1", 120, 120),
    Printed(18, 16, 2, "0.2", 72, 120),
    Printed(19, 24, 2, "0.2", 276, 276),
)
COLUMNS = (
    *("users", "attributes", "way", "epsilon", "printed_failed", "tables", "median_move", "uniform_distance"),
    *("unbiased_distance", *REPEATED),
)


def first_moves(oracle: InpEm, state: State) -> Floats:
    """Return how far the first step moves the uniform table of every k attributes, shape (tables,)."""
    channel = oracle.channel(oracle.way).matrix()
    observed = np.array([oracle.reported(state, subset) for subset in oracle.subsets]) / state.users
    found: Floats = np.abs(observed @ channel - 1 / len(channel)).max(axis=1)
    return found


def moves(printed: Printed, repetitions: int) -> list[Floats]:
    """Draw the reports so many times, and return how far the first step moves each table."""
    text = (printed.users_log2, printed.d, printed.k, *printed.epsilon.encode(), NOISE_STREAM)
    oracle, values = InpEm((2,) * printed.d, at(printed.epsilon), printed.k), printed.asked.values
    return [
        first_moves(oracle, oracle.simulate_sums(values, np.random.default_rng((*text, repetition))))
        for repetition in range(repetitions)
    ]


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    printed = TABLE_4_2[:4] if quick else TABLE_4_2
    return list(_rows(printed, QUICK_REPETITIONS if quick else REPETITIONS))


def _rows(table: Sequence[Printed], repetitions: int) -> Iterator[Row]:
    for printed in table:
        found = moves(printed, repetitions)
        asked, collection = printed.asked, binary("inpem", printed.d, printed.k, at(printed.epsilon))
        true = [asked.shares.table(subset) for subset in collection.subsets]
        yield {
            "users": asked.users,
            "attributes": printed.d,
            "way": printed.k,
            "epsilon": float(printed.epsilon),
            "printed_failed": printed.failed,
            "tables": printed.total,
            "median_move": float(np.median(found)),
            "uniform_distance": float(np.mean([total_variation(np.full(len(t), 1 / len(t)), t) for t in true])),
            "unbiased_distance": collection.mean_error(asked.shares, asked.users),
            **repeated([float((values <= TOLERANCE).sum()) for values in found]),
        }


def draw(rows: Sequence[Row]) -> Figure:
    """Draw the shares of tables that fail, printed and simulated, for each setting."""
    figure = HouseFigure(figsize=(8.2, 4.2))
    axes = figure.subplots()
    places = np.arange(len(rows))
    for side, column, colour, name in (
        (-1, "printed_failed", COLOURS[1], "printed"),
        (1, "mean", COLOURS[0], "simulated on made-up trips"),
    ):
        shares = [number(row, column) / whole(row, "tables") for row in rows]
        axes.bar(places + 0.19 * side, shares, 0.36, color=colour, label=name)
    axes.set_xticks(places, [_name(row) for row in rows])
    axes.set_ylabel("share of the tables that stop at once")
    axes.set_title("The published stopping rule of expectation maximisation: a step of at most 0.00001")
    axes.legend(frameon=False)
    axes.grid(True, axis="y", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    return figure


def _name(row: Row) -> str:
    power = whole(row, "users").bit_length() - 1
    lines = f"n = 2^{power}", f"d = {row['attributes']}, k = {row['way']}", f"eps = {number(row, 'epsilon'):g}"
    return "\n".join((*lines, f"moves by\n{number(row, 'median_move'):.1e}"))


STUDIES = (
    Study(
        number="table-4.2",
        title="How often expectation maximisation stops at once",
        setting="made-up taxi trips, columns duplicated beyond 8; the printed settings; reports drawn "
        f"{REPETITIONS} times; the first step from the uniform table is computed exactly from them, and a table "
        "fails where no share moves by more than 0.00001",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="The failures are those of the stopping rule: a step is of the order of 2 p - 1 = tanh(epsilon/2d) "
        "times the noise. `median_move` is the median step. The reports tell next to nothing there all the same: "
        "`unbiased_distance` is the expected error of the unbiased inversion, `uniform_distance` that of the uniform "
        "table.",
    ),
)
