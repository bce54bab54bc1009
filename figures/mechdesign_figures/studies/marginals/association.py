"""Figure 4.8: chi-squared of pairs of taxi trips' attributes, true and from private tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mechdesign_catalog.analyses.dependence.associations import find_associations
from mechdesign_catalog.analyses.dependence.chi_squared import chi_squared
from mechdesign_catalog.systems.tables.estimates import LinearTables
from mechdesign_figures.plots.parts.style import HouseFigure
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.people import TAXI, people, population
from mechdesign_figures.studies.marginals.systems import INPHT, LOOKS, MARGPS, SIX, binary
from mechdesign_figures.studies.matrices import number
from mechdesign_figures.studies.repeated import NOISE_STREAM, REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

DEPENDENT = (("night_pick", "night_drop"), ("toll", "far"), ("cc", "tip"))
INDEPENDENT = (("m_drop", "cc"), ("far", "night_pick"), ("toll", "night_pick"))
PAIRS = (*DEPENDENT, *INDEPENDENT)
"""As the chapter expects them."""

SYSTEMS = (INPHT, MARGPS)
CRITICAL = 3.841
"""Of one degree of freedom at 95 %."""

USERS, QUICK_USERS = 1 << 18, 1 << 16
REPETITIONS, QUICK_REPETITIONS = 10, 2
COLUMNS = ("pair", "expected_dependent", "system", "users", "true_statistic", *REPEATED, "found", "found_with_noise")


@dataclass(frozen=True)
class CollectedTests:
    """The tests of each pair in repeated collections: published statistics, and p-values.

    The p-values know the noise.
    """

    statistics: dict[tuple[str, str], list[float]]
    p_values: dict[tuple[str, str], list[float]]


def places(pair: tuple[str, str]) -> tuple[int, int]:
    """Return the numbers of two attributes, the lower one first."""
    names = population(TAXI, 8).attributes
    one, other = sorted(names.index(name) for name in pair)
    return one, other


def true_statistic(pair: tuple[str, str], users: int, data: str = TAXI) -> float:
    """Return the statistic of the true table."""
    return chi_squared(people(data, 8, users).shares.table(places(pair)).reshape(2, 2), users).statistic


@lru_cache(maxsize=16)
def collected_tests(system: str, users: int, repetitions: int, data: str = TAXI) -> CollectedTests:
    """Collect so many times, and test the pairs by published estimates; a statistic that is not defined is 0."""
    asked, collection = people(data, 8, users), binary(SIX[system], 8, 2)
    found = CollectedTests({pair: [] for pair in PAIRS}, {pair: [] for pair in PAIRS})
    for repetition in range(repetitions):
        seed = (*f"{system} {data}".encode(), users, repetition, NOISE_STREAM)
        state = collection.oracle.simulate_sums(asked.values, np.random.default_rng(seed))
        source = LinearTables(collection.oracle, state, "raw")
        tests = find_associations(source, [places(pair) for pair in PAIRS], replicates=0).tests
        for pair, test in zip(PAIRS, tests, strict=True):
            found.statistics[pair].append(np.nan_to_num(test.published.statistic).item())
            found.p_values[pair].append(test.aware.p_value)
    return found


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    users, repetitions = (QUICK_USERS, QUICK_REPETITIONS) if quick else (USERS, REPETITIONS)
    return [row for pair in PAIRS for row in _rows(pair, users, repetitions)]


def _rows(pair: tuple[str, str], users: int, repetitions: int) -> Iterator[Row]:
    for system in SYSTEMS:
        found = collected_tests(system, users, repetitions)
        yield {
            "pair": " ".join(pair),
            "expected_dependent": "yes" if pair in DEPENDENT else "no",
            "system": system,
            "users": users,
            "true_statistic": true_statistic(pair, users),
            **repeated(found.statistics[pair]),
            "found": sum(statistic > CRITICAL for statistic in found.statistics[pair]),
            "found_with_noise": sum(p_value < 0.05 for p_value in found.p_values[pair]),
        }


def draw(rows: Sequence[Row]) -> Figure:
    """Draw the statistics with the critical line."""
    figure = HouseFigure(figsize=(8.4, 4.6))
    axes = figure.subplots()
    pairs = list(dict.fromkeys(str(row["pair"]) for row in rows))
    for system, side in zip(SYSTEMS, (-0.15, 0.15), strict=True):
        _draw_system([row for row in rows if row["system"] == system], axes, system, side)
    for place, pair in enumerate(pairs):
        true = next(number(row, "true_statistic") for row in rows if row["pair"] == pair)
        axes.plot([place - 0.35, place + 0.35], [true, true], color="black", linewidth=1.6)
    axes.axhline(CRITICAL, color="0.4", linestyle="--", linewidth=0.9)
    axes.set_yscale("log")
    axes.set_xticks(range(len(pairs)), [pair.replace(" ", "\n") for pair in pairs])
    axes.axvline(len(DEPENDENT) - 0.5, color="0.85", linewidth=1)
    axes.set_ylabel("chi-squared statistic")
    axes.set_title(
        "Dependent (left) and nearly independent pairs (right); numbers: collections that find them,\n"
        "by the published test, and by one that counts the noise"
    )
    handles = [Line2D([], [], color="black", linewidth=1.6, label="true"), *axes.get_legend_handles_labels()[0]]
    handles.append(Line2D([], [], color="0.4", linestyle="--", label=f"critical value {CRITICAL}"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
    return figure


def _draw_system(rows: Sequence[Row], axes: Axes, system: str, side: float) -> None:
    look = LOOKS[system]
    axes.errorbar(
        [place + side for place in range(len(rows))],
        [number(row, "mean") for row in rows],
        yerr=[number(row, "standard_error") for row in rows],
        fmt=look.marker,
        color=look.colour,
        capsize=2,
        label=f"{system}, means of {rows[0]['repetitions']} collections",
    )
    for place, row in enumerate(rows):
        words = f"{row['found']}, {row['found_with_noise']}"
        spot, outward, towards = (place + side, number(row, "mean")), *((5, "left") if side > 0 else (-5, "right"))
        text = axes.annotate(words, spot, (outward, 4), textcoords="offset points", fontsize=7, ha=towards)
        text.set_in_layout(False)


STUDIES = (
    Study(
        number="4.8",
        title="Association of attributes of taxi trips",
        setting="made-up taxi trips, 2^18; e^epsilon = 3; INPHT and MARGPS as published; chi-squared from private "
        f"tables; {REPETITIONS} collections; beside each mark how many of them find the pair dependent at 5 %: by the "
        "published test, and by one that counts the noise",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="The number of trips is not printed. The three pairs on the right have a correlation of 0.002 or less, "
        "so that their true statistic is near 1.",
    ),
)
