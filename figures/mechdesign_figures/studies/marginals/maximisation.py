"""Figure 4.5: INPEM by EM and by inversion, against INPHT and MARGPS.

The attributes are many.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

import numpy as np
from matplotlib.figure import Figure

from mechdesign_catalog.decoders.tables.subsets import subsets_of
from mechdesign_catalog.systems.tables.estimates import LinearTables
from mechdesign_catalog.systems.tables.inputs.decoded_tables import EmTables
from mechdesign_catalog.systems.tables.inputs.inpem import InpEm
from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.distances import total_variation
from mechdesign_figures.studies.marginals.people import TAXI, people
from mechdesign_figures.studies.marginals.systems import INPHT, LOOKS, MARGPS, SIX, at, binary
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.repeated import NOISE_STREAM, REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

EM, INVERSION = "INPEM", "INPEM, inverted"
ATTRIBUTES, QUICK_ATTRIBUTES = (8, 12, 16, 24), (4, 8)
EPSILONS, QUICK_EPSILONS = ("0.2", "0.6", "1", "1.4"), ("0.6", "1.4")
USERS, QUICK_USERS = 1 << 19, 1 << 12
REPETITIONS, QUICK_REPETITIONS = 3, 2
SYSTEM_LOOKS = {
    EM: LineStyle("#882255", "*", "-"),
    INVERSION: LineStyle("#882255", "", ":"),
    MARGPS: LOOKS[MARGPS],
    INPHT: LOOKS[INPHT],
}
COLUMNS = ("attributes", "way", "epsilon", "users", "system", "expected", "median_steps", "stopped_at_once", *REPEATED)


@lru_cache(maxsize=64)
def decoded(d: int, epsilon: str, users: int, repetitions: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Collect so many times; return mean errors of the tables by EM, and the steps that all of them took."""
    asked, oracle = people(TAXI, d, users), InpEm((2,) * d, at(epsilon), 2)
    pairs = subsets_of(d, 2)
    true = [asked.shares.table(pair) for pair in pairs]
    errors: list[float] = []
    steps: list[int] = []
    for repetition in range(repetitions):
        seed = (d, *epsilon.encode(), users, repetition, NOISE_STREAM)
        state = oracle.simulate_sums(asked.values, np.random.default_rng(seed))
        fitted = EmTables(LinearTables(oracle, state, "raw")).fitted(pairs)
        errors.append(float(np.mean([total_variation(*both) for both in zip(fitted.shares, true, strict=True)])))
        steps += fitted.steps.tolist()
    return tuple(errors), tuple(steps)


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    cells = product(QUICK_ATTRIBUTES if quick else ATTRIBUTES, QUICK_EPSILONS if quick else EPSILONS)
    users, repetitions = (QUICK_USERS, QUICK_REPETITIONS) if quick else (USERS, REPETITIONS)
    return [row for d, epsilon in cells for row in _rows(d, epsilon, users, repetitions)]


def _rows(d: int, epsilon: str, users: int, repetitions: int) -> Iterator[Row]:
    common: Row = {"attributes": d, "way": 2, "epsilon": float(epsilon), "users": users}
    empty: Row = dict.fromkeys((*("expected", "median_steps", "stopped_at_once"), *REPEATED))
    errors, steps = decoded(d, epsilon, users, repetitions)
    found: Row = {"median_steps": float(np.median(steps)), "stopped_at_once": sum(taken <= 1 for taken in steps)}
    yield {**common, "system": EM, **empty, **found, **repeated(errors)}
    for system, name in ((INVERSION, "inpem"), (MARGPS, SIX[MARGPS]), (INPHT, SIX[INPHT])):
        expected = expected_error(name, d, epsilon, users)
        yield {**common, "system": system, **empty, "expected": expected}


@lru_cache(maxsize=256)
def expected_error(name: str, d: int, epsilon: str, users: int) -> float:
    """Return the expected error of the published estimates of the tables of pairs."""
    return binary(name, d, 2, at(epsilon)).mean_error(people(TAXI, d, users).shares, users)


def draw(rows: Sequence[Row]) -> Figure:
    """Draw a panel for each epsilon."""
    epsilons = sorted({number(row, "epsilon") for row in rows})
    figure = HouseFigure(figsize=(2.6 * len(epsilons) + 0.6, 3.8))
    panels: np.ndarray = figure.subplots(1, len(epsilons), squeeze=False, sharey=True)
    for axes, epsilon in zip(panels[0], epsilons, strict=True):
        own = [row for row in rows if row["epsilon"] == epsilon]
        series = {name: [_mean(row) for row in own if row["system"] == name] for name in SYSTEM_LOOKS}
        draw_lines(series, axes, looks=SYSTEM_LOOKS, x_label="attributes d", title=f"epsilon = {epsilon:g}", log_y=True)
        axes.set_xticks(sorted({whole(row, "attributes") for row in own}))
    panels[0][0].set_ylabel("total variation distance, k = 2")
    draw_legend(figure, SYSTEM_LOOKS, f"INPEM: simulated means of {REPETITIONS} collections; the others: expected")
    return figure


def _mean(row: Row) -> Mean:
    if row["expected"] is not None:
        return Mean(number(row, "attributes"), number(row, "expected"))
    return Mean(*(number(row, column) for column in ("attributes", "mean", "standard_error")))


STUDIES = (
    Study(
        number="4.5",
        title="INPEM against INPHT and MARGPS for many attributes",
        setting="made-up taxi trips, 2^19, columns duplicated beyond 8; d = 8 to 24, k = 2; epsilon = 0.2 to 1.4; "
        f"INPEM by EM with the published stop (a step of at most 0.00001), {REPETITIONS} collections simulated; "
        "expected errors of its unbiased inversion, and of INPHT and MARGPS as published",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="Where EM stops at once (`stopped_at_once`, of all tables of all collections) it returns the uniform "
        "table, which is nearer to the truth than the inversion.",
    ),
)
