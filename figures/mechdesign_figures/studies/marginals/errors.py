"""Figures 4.3, 4.4 and 4.6: total variation by users, size of tables, and epsilon."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.distances import total_variation
from mechdesign_figures.studies.marginals.people import FILMS, TAXI, People, people
from mechdesign_figures.studies.marginals.systems import LOOKS, SIX, SYMMETRIC, Collection, at, binary
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.repeated import NOISE_STREAM, REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

REPETITIONS, QUICK_REPETITIONS = 10, 2
ATTRIBUTES, WAYS = (4, 8, 16), (1, 2, 3)
USERS_LOG2, QUICK_USERS_LOG2 = (16, 17, 18, 19), (12, 14)
SIMULATED_LOG2 = (16, 18, *QUICK_USERS_LOG2)
EPSILONS, QUICK_EPSILONS = ("0.4", "0.6", "0.8", "1", "1.2", "1.4"), ("0.4", "1.4")
SIMULATED_EPSILONS = ("0.4", "1", "1.4")
MOST_SIMULATED = 8
"""Attributes up to which collections are simulated."""

THREE_TEXT = "ln 3"
TAXI_ATTRIBUTES, TAXI_WAYS, QUICK_WAYS = 8, tuple(range(1, 8)), (1, 2, 4)

COLUMNS = ("data", "attributes", "way", "epsilon", "users", "system", "oracle", "expected", *REPEATED)


@dataclass(frozen=True)
class Cell:
    """A setting: who is asked, tables of how many attributes, at which epsilon, and whether it is simulated."""

    data: str
    d: int
    k: int
    epsilon: str
    users_log2: int
    repetitions: int = 0

    def collection(self, name: str) -> Collection:
        """Return the collection by a system."""
        if self.epsilon == THREE_TEXT:
            return binary(name, self.d, self.k)
        return binary(name, self.d, self.k, at(self.epsilon))

    @property
    def asked(self) -> People:
        """The people."""
        return people(self.data, self.d, 1 << self.users_log2)

    def rows(self, systems: dict[str, str]) -> Iterator[Row]:
        """Compute a row for each system."""
        for system, name in systems.items():
            collection = self.collection(name)
            found: Row = {
                "data": self.data,
                "attributes": self.d,
                "way": self.k,
                "epsilon": collection.privacy.epsilon,
                "users": self.asked.users,
                "system": system,
                "oracle": collection.oracle.title,
                "expected": collection.mean_error(self.asked.shares, self.asked.users),
            }
            simulated = simulated_errors(collection, self.asked, self.repetitions)
            yield {**found, **(repeated(simulated) if simulated else dict.fromkeys(REPEATED))}


def simulated_errors(collection: Collection, people: People, repetitions: int) -> list[float]:
    """Draw the server's state so many times, and return mean total variation distances of its tables."""
    shares = people.shares
    true = [shares.table(subset) for subset in collection.subsets]
    found = []
    for repetition in range(repetitions):
        text = f"{collection.name} {collection.privacy}".encode()
        seed = (*text, len(people.domains), collection.k, people.users, repetition, NOISE_STREAM)
        drawn = collection.redrawn(repetition)
        state = drawn.oracle.simulate_sums(people.values, np.random.default_rng(seed))
        estimates = drawn.estimator.estimate(state, drawn.subsets)
        found.append(float(np.mean([total_variation(*pair) for pair in zip(estimates, true, strict=True)])))
    return found


def rows_by_users(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table of figure 4.3."""
    return [
        row
        for d, k, log2 in product(
            ATTRIBUTES[:2] if quick else ATTRIBUTES, WAYS, QUICK_USERS_LOG2 if quick else USERS_LOG2
        )
        for row in Cell(
            FILMS, d, k, THREE_TEXT, log2, _times(d <= MOST_SIMULATED and log2 in SIMULATED_LOG2, quick)
        ).rows(SIX)
    ]


def rows_by_order(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table of figure 4.4."""
    return [
        row
        for k in (QUICK_WAYS if quick else TAXI_WAYS)
        for row in Cell(TAXI, TAXI_ATTRIBUTES, k, THREE_TEXT, 14 if quick else 18, _times(True, quick)).rows(
            SIX | SYMMETRIC
        )
    ]


def rows_by_epsilon(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table of figure 4.6."""
    return [
        row
        for d, k, epsilon in product(
            ATTRIBUTES[:2] if quick else ATTRIBUTES, WAYS, QUICK_EPSILONS if quick else EPSILONS
        )
        for row in Cell(
            FILMS,
            d,
            k,
            epsilon,
            12 if quick else 18,
            _times(d <= MOST_SIMULATED and epsilon in SIMULATED_EPSILONS, quick),
        ).rows(SIX)
    ]


def _times(simulated: bool, quick: bool) -> int:
    return 0 if not simulated else QUICK_REPETITIONS if quick else REPETITIONS


def draw_grid(rows: Sequence[Row], column: str, label: str) -> Figure:
    """Draw a panel for each number of attributes (columns) and of attributes of a table (rows)."""
    attributes, ways = (sorted({whole(row, name) for row in rows}) for name in ("attributes", "way"))
    figure = HouseFigure(figsize=(2.9 * len(attributes) + 0.8, 2.6 * len(ways) + 0.6))
    grid: np.ndarray = figure.subplots(len(ways), len(attributes), squeeze=False, sharex=True)
    for (line, k), (place, d) in product(enumerate(ways), enumerate(attributes)):
        own = [row for row in rows if (row["attributes"], row["way"]) == (d, k)]
        axes = grid[line, place]
        draw_panel(own, axes, column, label if line == len(ways) - 1 else "", f"d = {d}, k = {k}")
        if place == 0:
            axes.set_ylabel("total variation distance")
    draw_legend(figure, LOOKS, legend_words())
    return figure


def legend_words() -> str:
    """Return what lines and marks are."""
    return f"lines: expected, exact variances; marks: simulated means of {REPETITIONS} repetitions"


def draw_panel(
    rows: Sequence[Row], axes: Axes, column: str, x_label: str, title: str, looks: dict[str, LineStyle] = LOOKS
) -> None:
    """Draw expected errors as lines, and simulated means as marks."""
    own = {name: [row for row in rows if row["system"] == name] for name in looks}
    draw_lines(
        {name: [Mean(number(row, column), number(row, "expected")) for row in found] for name, found in own.items()},
        axes,
        looks={name: LineStyle(look.colour, "", look.dash) for name, look in looks.items()},
        x_label=x_label,
        title=title,
        log_x=column == "users",
        log_y=True,
    )
    for name, look in looks.items():
        marked = [row for row in own[name] if row["mean"] is not None]
        axes.errorbar(
            [number(row, column) for row in marked],
            [number(row, "mean") for row in marked],
            yerr=[number(row, "standard_error") for row in marked],
            fmt=look.marker,
            color=look.colour,
            markersize=4.0,
            markeredgecolor="white",
            markeredgewidth=0.3,
            capsize=1.5,
        )
    if column == "users":
        places = sorted({whole(row, column) for row in rows})
        axes.set_xticks(places, [f"2^{place.bit_length() - 1}" for place in places])


def draw_by_users(rows: Sequence[Row]) -> Figure:
    """Draw figure 4.3."""
    return draw_grid(rows, "users", "users n")


def draw_by_epsilon(rows: Sequence[Row]) -> Figure:
    """Draw figure 4.6."""
    return draw_grid(rows, "epsilon", "epsilon")


def draw_by_order(rows: Sequence[Row]) -> Figure:
    """Draw figure 4.4."""
    figure = HouseFigure(figsize=(6.4, 4.8))
    axes = figure.subplots()
    draw_panel(rows, axes, "way", "attributes of a table, k", f"{TAXI_ATTRIBUTES} attributes of taxi trips")
    axes.set_ylabel("total variation distance")
    draw_legend(figure, LOOKS, legend_words())
    return figure


COMMON = "INPRR and MARGRR through OUE; INPHT with coefficients drawn uniformly, as published; estimates as published, "
f"unbiased; simulated {REPETITIONS} times from the law of the server's sums"

STUDIES = (
    Study(
        number="4.3",
        title="Errors of tables against the number of users",
        setting=f"made-up users of films; e^epsilon = 3; d = 4, 8, 16 attributes; all tables of k = 1, 2, 3; 2^16 to "
        f"2^19 users; {COMMON} for d = 4 and 8, 2^16 and 2^18 users",
        columns=COLUMNS,
        rows=rows_by_users,
        draw=draw_by_users,
        remark="MovieLens may not be passed on: a law with positive pairs stands in; errors hardly depend on it.",
    ),
    Study(
        number="4.4",
        title="Errors of tables against how many attributes they have",
        setting=f"made-up taxi trips, 8 attributes; e^epsilon = 3; 2^18 users; k = 1 to 7; {COMMON}; the table has "
        "INPRR and MARGRR through symmetric bits as well",
        columns=COLUMNS,
        rows=rows_by_order,
        draw=draw_by_order,
    ),
    Study(
        number="4.6",
        title="Errors of tables against epsilon",
        setting=f"made-up users of films, 2^18; d = 4, 8, 16 attributes; all tables of k = 1, 2, 3; epsilon = 0.4 to "
        f"1.4; {COMMON} for d = 4 and 8, epsilon = 0.4, 1 and 1.4",
        columns=COLUMNS,
        rows=rows_by_epsilon,
        draw=draw_by_epsilon,
    ),
)
