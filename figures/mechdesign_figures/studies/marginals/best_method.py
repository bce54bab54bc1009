"""The study of the best method: exact expected errors by attributes, table size, epsilon."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.systems import INPHT, LOOKS, SIX, at, binary
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.study import Row, Study

USERS = 1 << 18
ATTRIBUTES, QUICK_ATTRIBUTES = (2, 3, 4, 5, 6, 8, 10, 12, 16), (3, 4, 6)
WAYS, QUICK_WAYS = (1, 2, 3, 4), (1, 2)
EPSILONS = ("0.2", "0.4", "0.6", "0.8", "1", "1.1", "1.2", "1.4", "1.7", "2", "2.5", "3", "3.5", "4", "5")
QUICK_EPSILONS = ("0.4", "1.1", "3")
PUBLISHED, IMPROVED = "published", "improved"
OURS = {**SIX, INPHT: "inpht"}
"""The same systems; INPHT draws coefficients by the square roots of how often the tables need them."""

TITLES = {PUBLISHED: "estimates as published", IMPROVED: "coefficients by square roots, least squares"}
EQUAL = 1e-9
"""Errors that differ by less are equal."""

SHORT = {"INPRR": "iR", "INPPS": "iP", "INPHT": "iH", "MARGRR": "mR", "MARGPS": "mP", "MARGHT": "mH"}
COLUMNS = ("estimates", "attributes", "way", "epsilon", "users", *SIX, "best")

CLOSING_ATTRIBUTES, CLOSING_WAYS, CLOSING_EPSILONS = (4, 8, 16), (1, 2, 3), ("0.4", "1.1", "1.4")
CLOSING_COLUMNS = ("attributes", "way", "epsilon", "users", "system", "oracle", "published", "improved", "best")


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    ways, attributes = (QUICK_WAYS, QUICK_ATTRIBUTES) if quick else (WAYS, ATTRIBUTES)
    epsilons = QUICK_EPSILONS if quick else EPSILONS
    cells = product((PUBLISHED, IMPROVED), ways, attributes, epsilons)
    return [_row(kind, d, k, epsilon) for kind, k, d, epsilon in cells if k <= d]


def expected_errors(kind: str, d: int, k: int, epsilon: str) -> dict[str, float]:
    """Return the expected error of each system, published or improved, at uniform shares."""
    systems, consistent = (OURS, True) if kind == IMPROVED else (SIX, False)
    return {
        system: binary(name, d, k, at(epsilon), consistent).uniform_error(USERS) for system, name in systems.items()
    }


def _row(kind: str, d: int, k: int, epsilon: str) -> Row:
    found = expected_errors(kind, d, k, epsilon)
    setting: Row = {"estimates": kind, "attributes": d, "way": k, "epsilon": float(epsilon), "users": USERS}
    return {**setting, **found, "best": best_of(found)}


def best_of(errors: dict[str, float]) -> str:
    """Return the system with the lowest error, the first one of those that are equal."""
    least = min(errors.values())
    return next(system for system, error in errors.items() if error <= least * (1 + EQUAL))


def draw(rows: Sequence[Row]) -> Figure:
    """Draw which system is the best: a column of panels for each k, attributes to the right and epsilon upwards."""
    ways = sorted({whole(row, "way") for row in rows})
    figure = HouseFigure(figsize=(2.9 * len(ways) + 0.4, 7.6))
    grid: np.ndarray = figure.subplots(2, len(ways), squeeze=False)
    for (line, kind), (place, k) in product(enumerate(TITLES), enumerate(ways)):
        own = [row for row in rows if (row["estimates"], row["way"]) == (kind, k)]
        _draw_panel(own, grid[line, place], f"tables of k = {k}")
        if place == 0:
            grid[line, place].set_ylabel(f"{TITLES[kind]}\nepsilon")
        grid[line, place].set_xlabel("attributes d")
    handles = [Patch(color=LOOKS[name].colour, label=f"{SHORT[name]}: {name}") for name in LOOKS]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    return figure


def _draw_panel(rows: Sequence[Row], axes: Axes, title: str) -> None:
    attributes = sorted({whole(row, "attributes") for row in rows})
    epsilons = sorted({number(row, "epsilon") for row in rows})
    names = list(LOOKS)
    best = np.zeros((len(epsilons), len(attributes)), dtype=np.int64)
    for row in rows:
        place = epsilons.index(number(row, "epsilon")), attributes.index(whole(row, "attributes"))
        best[place] = names.index(str(row["best"]))
    colours = ListedColormap([LOOKS[name].colour for name in names])
    axes.imshow(best, origin="lower", aspect="auto", cmap=colours, vmin=-0.5, vmax=len(names) - 0.5, alpha=0.75)
    for (i, j), which in np.ndenumerate(best):
        axes.text(j, i, SHORT[names[which]], ha="center", va="center", fontsize=7).set_in_layout(False)
    axes.set_xticks(range(len(attributes)), map(str, attributes))
    axes.set_yticks(range(len(epsilons)), [f"{epsilon:g}" for epsilon in epsilons])
    axes.tick_params(length=0)
    axes.set_title(title)


def closing_rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table of expected errors of all systems."""
    cells = product(CLOSING_ATTRIBUTES[:2] if quick else CLOSING_ATTRIBUTES, CLOSING_WAYS, CLOSING_EPSILONS)
    return [row for d, k, epsilon in cells for row in _closing_rows(d, k, epsilon)]


def _closing_rows(d: int, k: int, epsilon: str) -> Iterator[Row]:
    published, improved = (expected_errors(kind, d, k, epsilon) for kind in (PUBLISHED, IMPROVED))
    for system in SIX:
        yield {
            "attributes": d,
            "way": k,
            "epsilon": float(epsilon),
            "users": USERS,
            "system": system,
            "oracle": OURS[system],
            "published": published[system],
            "improved": improved[system],
            "best": " and ".join(
                kind
                for kind, errors in ((PUBLISHED, published), (IMPROVED, improved))
                if errors[system] <= min(errors.values()) * (1 + EQUAL)
            ),
        }


def draw_closing(rows: Sequence[Row]) -> Figure:
    """Draw the errors of all systems: columns of panels for d, rows for k; published ones are dotted."""
    attributes, ways = (sorted({whole(row, name) for row in rows}) for name in ("attributes", "way"))
    figure = HouseFigure(figsize=(2.9 * len(attributes) + 0.8, 2.6 * len(ways) + 0.6))
    grid: np.ndarray = figure.subplots(len(ways), len(attributes), squeeze=False, sharex=True)
    for (line, k), (place, d) in product(enumerate(ways), enumerate(attributes)):
        axes = grid[line, place]
        own = [row for row in rows if (row["attributes"], row["way"]) == (d, k)]
        for column, looks in (
            (PUBLISHED, {name: replace(LOOKS[name], marker="", dash=":") for name in LOOKS}),
            (IMPROVED, LOOKS),
        ):
            series = {
                name: [Mean(number(row, "epsilon"), number(row, column)) for row in own if row["system"] == name]
                for name in LOOKS
            }
            draw_lines(series, axes, looks=looks, title=f"d = {d}, k = {k}", log_y=True)
        if place == 0:
            axes.set_ylabel("total variation distance")
        if line == len(ways) - 1:
            axes.set_xlabel("epsilon")
    draw_legend(figure, LOOKS, "marks: coefficients by square roots, least squares; dotted: as published")
    return figure


STUDIES = (
    Study(
        number="best-marginals",
        title="The best method for marginal tables over attributes, the way of the tables, and epsilon",
        setting="2 to 16 attributes of two items; all tables of k = 1 to 4 attributes; epsilon = 0.2 to 5; 2^18 users "
        "with uniform shares; expected total variation distances from exact variances, as published, and improved: "
        "INPHT with coefficients drawn by square roots, all systems with least squares",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="Ours. All errors go with 1 over the root of the number of users, so the best method does not depend on "
        "it. Where systems are equal (INPHT, MARGPS and MARGHT at k = 1, INPPS and MARGPS at k = d) the one that is "
        "listed first is shown. CALM, which chooses its sets by the setting, is in the ledger.",
    ),
    Study(
        number="marginals-errors",
        title="Expected errors of the six systems",
        setting="4, 8 and 16 attributes of two items; all tables of k = 1, 2, 3 attributes; epsilon = 0.4, 1.1, 1.4; "
        "2^18 users with uniform shares; expected total variation distances from exact variances, as published and "
        "improved",
        columns=CLOSING_COLUMNS,
        rows=closing_rows,
        draw=draw_closing,
        remark="Ours. For n users multiply by the root of 2^18/n. `best` marks the lowest error of a column.",
    ),
)
