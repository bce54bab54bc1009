"""Figure 4.9: what dependence trees learnt from private tables tell of film tastes."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product

import numpy as np
from matplotlib.figure import Figure

from mechdesign_catalog.analyses.dependence.information import noise_information, on_the_simplex, pair_information
from mechdesign_catalog.analyses.dependence.trees import DependenceTree, chow_liu_tree
from mechdesign_catalog.systems.tables.estimates import LinearTables
from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.people import FILMS, people
from mechdesign_figures.studies.marginals.systems import INPHT, LOOKS, MARGPS, SIX, at, binary
from mechdesign_figures.studies.matrices import number
from mechdesign_figures.studies.repeated import NOISE_STREAM, REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

ATTRIBUTES, QUICK_ATTRIBUTES = 10, 5
USERS, QUICK_USERS = 200_000, 20_000
REPETITIONS, QUICK_REPETITIONS = 10, 2
EPSILONS, QUICK_EPSILONS = ("0.2", "0.4", "0.6", "0.8", "1", "1.2", "1.4"), ("0.4", "1.4")
PUBLISHED, IMPROVED = "published", "improved"
SYSTEMS = (INPHT, MARGPS)
COLUMNS = ("epsilon", "system", "estimates", "attributes", "users", "best", *REPEATED)


def learnt(system: str, d: int, users: int, epsilon: str, estimates: str, repetition: int) -> DependenceTree:
    """Collect tables of pairs once, and learn the tree.

    Published: from the published estimates, each table on the simplex. Improved: from least squares, less the mutual
    information that noise alone makes.
    """
    name = SIX[system] if estimates == PUBLISHED else SIX[system].partition(":")[0]
    oracle = binary(name, d, 2, at(epsilon)).oracle
    seed = (*f"{system} {epsilon}".encode(), d, users, repetition, NOISE_STREAM)
    state = oracle.simulate_sums(people(FILMS, d, users).values, np.random.default_rng(seed))
    source = LinearTables(oracle, state, "raw" if estimates == PUBLISHED else "least-squares")
    noise = None if estimates == PUBLISHED else noise_information(source)
    return chow_liu_tree(on_the_simplex(source), noise=noise)


@lru_cache(maxsize=512)
def told(system: str, d: int, users: int, epsilon: str, estimates: str, repetitions: int) -> tuple[float, ...]:
    """Return the true mutual information along learnt trees, in nats, once for each repetition."""
    true = pair_information(people(FILMS, d, users).shares)
    trees = (learnt(system, d, users, epsilon, estimates, repetition) for repetition in range(repetitions))
    return tuple(sum(true[edge.pair] for edge in tree.edges) for tree in trees)


@lru_cache(maxsize=8)
def best(d: int, users: int) -> float:
    """Return the mutual information along the tree of the true tables."""
    return chow_liu_tree(people(FILMS, d, users).shares).information


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    d, users = (QUICK_ATTRIBUTES, QUICK_USERS) if quick else (ATTRIBUTES, USERS)
    cells = product(QUICK_EPSILONS if quick else EPSILONS, SYSTEMS, (PUBLISHED, IMPROVED))
    return list(_rows(cells, d, users, QUICK_REPETITIONS if quick else REPETITIONS))


def _rows(cells: Iterable[tuple[str, str, str]], d: int, users: int, repetitions: int) -> Iterator[Row]:
    for epsilon, system, estimates in cells:
        yield {
            "epsilon": float(epsilon),
            "system": system,
            "estimates": estimates,
            "attributes": d,
            "users": users,
            "best": best(d, users),
            **repeated(told(system, d, users, epsilon, estimates, repetitions)),
        }


def draw(rows: Sequence[Row]) -> Figure:
    """Draw mutual information against epsilon."""
    figure = HouseFigure(figsize=(6.4, 4.4))
    axes = figure.subplots()
    looks, series = {}, {}
    for system, (estimates, dash) in product(SYSTEMS, ((PUBLISHED, ":"), (IMPROVED, "-"))):
        name = f"{system}, {estimates}"
        looks[name] = LineStyle(LOOKS[system].colour, LOOKS[system].marker, dash)
        own = [row for row in rows if (row["system"], row["estimates"]) == (system, estimates)]
        series[name] = [Mean(*(number(row, column) for column in ("epsilon", "mean", "standard_error"))) for row in own]
    draw_lines(
        series,
        axes,
        looks=looks,
        x_label="epsilon",
        y_label="true mutual information along the tree (nats)",
        title=f"Trees of {rows[0]['attributes']} genres, {rows[0]['users']:,} users",
    )
    axes.axhline(number(rows[0], "best"), color="black", linewidth=1.0)
    draw_legend(figure, looks, "black line: the best tree, without noise; bars: one standard error")
    return figure


STUDIES = (
    Study(
        number="4.9",
        title="Dependence trees from private tables",
        setting=f"made-up users of films, {USERS:,}, d = {ATTRIBUTES}; k = 2; epsilon = 0.2 to 1.4; {REPETITIONS} "
        "collections; trees from tables on the simplex, measured by true mutual information; as published, and "
        "improved: least squares, INPHT with coefficients by square roots, less the information that noise alone makes",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="The chapter does not say what it does with negative estimates: each table goes to the nearest law.",
    ),
)
