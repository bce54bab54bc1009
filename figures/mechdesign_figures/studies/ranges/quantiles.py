"""Figure 5.5: errors of deciles, in items and in shares of users, on two made-up series."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.workloads.queries import Intervals
from mechdesign_catalog.analyses.ordered.prefixes import Items, binary_search, first_reaching, isotonic_prefixes
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.lines import Mean, draw_lines
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number
from mechdesign_figures.studies.ranges.heavy import DATA_SEED, HALF_NORMAL, PUBLISHED, QUICK, Size, series
from mechdesign_figures.studies.ranges.printed import HAAR, HH4
from mechdesign_figures.studies.ranges.systems import NAMES, THREE, oracle
from mechdesign_figures.studies.repeated import NOISE_STREAM, REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

DATA = ("movielens", "stackoverflow")
SYSTEMS = (HH4, HAAR)
DECILES = np.arange(1, 10) / 10
REPETITIONS = 10
SEARCH, ISOTONIC = "binary search", "isotonic"
VALUE, QUANTILE = "value", "quantile"
COLUMNS = ("data", "system", "oracle", "quantile", "true_item", "read_by", "error", "expected", *REPEATED)
LOOKS = {
    f"{HH4}, {SEARCH}": LineStyle("#D55E00", "s", "--"),
    f"{HH4}, {ISOTONIC}": LineStyle("#E69F00", "v", ":"),
    f"{HAAR}, {SEARCH}": LineStyle("#000000", "X"),
    f"{HAAR}, {ISOTONIC}": LineStyle("#7F7F7F", "^", "-."),
}
WORDS = {VALUE: "value error (items)", QUANTILE: "quantile error (share of the users)"}


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    size = QUICK if quick else PUBLISHED
    return [row for data in DATA for system in SYSTEMS for row in _rows(data, system, size)]


def _rows(data: str, system: str, size: Size) -> Iterator[Row]:
    prefixes = np.cumsum(series(data, size).frequencies)
    true = first_reaching(prefixes, DECILES)
    found = list(simulated(data, system, size, REPETITIONS))
    spread = prefix_errors(data, system, size, true)
    for read_by in (SEARCH, ISOTONIC):
        items = np.array([own[read_by] for own in found])
        errors = {VALUE: np.abs(items - true), QUANTILE: np.abs(prefixes[items] - DECILES)}
        for error, values in errors.items():
            for place, decile in enumerate(DECILES):
                told: Row = {
                    "data": data,
                    "system": system,
                    "oracle": NAMES[system],
                    "quantile": round(float(decile), 1),
                }
                told |= {"true_item": int(true[place]), "read_by": read_by, "error": error}
                told["expected"] = float(spread[place]) if error == QUANTILE else None
                yield {**told, **repeated(values[:, place].tolist())}


def simulated(data: str, system: str, size: Size, repetitions: int) -> Iterator[dict[str, Items]]:
    """Yield the items that are read off as deciles, by how they are read, once for each repetition."""
    users = series(data, size)
    drawn = oracle(NAMES[system], size.items, THREE)
    for repetition in range(repetitions):
        seed = (*f"{data} {system} deciles".encode(), size.items_log2, repetition, NOISE_STREAM)
        estimates = drawn.estimate(drawn.simulate_sums(users.counts, np.random.default_rng(seed)))
        prefixes = np.cumsum(estimates)
        rising = isotonic_prefixes(prefixes)
        yield {SEARCH: binary_search(prefixes, DECILES), ISOTONIC: first_reaching(rising, DECILES)}


def prefix_errors(data: str, system: str, size: Size, items: Items) -> Floats:
    """Return the expected error of the prefixes that end in these items: normal, of their exact variance."""
    users = series(data, size)
    queries = Intervals(size.items, np.zeros_like(items), items)
    variances = oracle(NAMES[system], size.items, THREE).answer_variance(queries, users.frequencies, users.users)
    return HALF_NORMAL * np.sqrt(variances)


def draw(rows: Sequence[Row]) -> Figure:
    """Draw value errors above quantile errors, a column of panels for each series."""
    figure = HouseFigure(figsize=(9.0, 6.6))
    grid: np.ndarray = figure.subplots(2, len(DATA), sharex=True, sharey="row")
    for line, error in zip(grid, (VALUE, QUANTILE), strict=True):
        for axes, data in zip(line, DATA, strict=True):
            _draw_panel([row for row in rows if (row["data"], row["error"]) == (data, error)], axes, error)
            axes.set_title(data if error == VALUE else "")
            axes.label_outer()
        line[0].set_ylim(bottom=0.0)  # once all is drawn, for it ends the choice of the other limit
    draw_legend(
        figure,
        LOOKS,
        f"simulated means of {REPETITIONS} repetitions, bars of one standard error; broad, pale: the system's "
        "expected error of the prefix that ends in the decile",
    )
    return figure


def _draw_panel(rows: Sequence[Row], axes: Axes, error: str) -> None:
    own = {name: [row for row in rows if f"{row['system']}, {row['read_by']}" == name] for name in LOOKS}
    series = {
        name: [Mean(*(number(row, column) for column in ("quantile", "mean", "standard_error"))) for row in found]
        for name, found in own.items()
    }
    draw_lines(series, axes, looks=LOOKS, x_label="quantile", y_label=WORDS[error])
    if error == QUANTILE:
        for system in SYSTEMS:
            found = own[f"{system}, {SEARCH}"]
            places, values = ([number(row, column) for row in found] for column in ("quantile", "expected"))
            axes.plot(places, values, color=LOOKS[f"{system}, {SEARCH}"].colour, alpha=0.35, linewidth=4.0, zorder=1)


STUDIES = (
    Study(
        number="5.5",
        title="Errors of deciles",
        setting=f"2^21 users with 2^18 items of two made-up series (seed {DATA_SEED}); e^epsilon = 3; HH4 with "
        "constrained inference and OUE in each level, and HaarHRR; deciles by binary search in the prefix estimates, "
        f"as published, and off their isotonic regression; simulated {REPETITIONS} times (published: 5) from the law "
        "of the server's sums",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="The published series are too large to come along: laws with their shape stand in. The published text "
        "tells of a largest value error of about 15,000 items, where its axis ends at 12,000.",
    ),
)
