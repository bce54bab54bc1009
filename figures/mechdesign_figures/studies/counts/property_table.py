"""Study 6.5: the properties of GM, WM, EM and UM, when they hold, and scores.

When a property holds is measured on a grid of n >= 2 and alpha, on both sides of each threshold: it gets the first
condition of `CONDITIONS` that is true exactly where the property holds. A formula of the score is given where it equals
the exact score at every setting.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from matplotlib.figure import Figure

from mechdesign.methods.flowchart import threshold
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import LATTICE, PROPERTIES, properties_of
from mechdesign.rational import fraction_text
from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS
from mechdesign_figures.plots.parts.style import short
from mechdesign_figures.plots.table import draw_table, table_figure
from mechdesign_figures.studies.design_cache import DesignCache, problems_of
from mechdesign_figures.studies.matrices import number
from mechdesign_figures.studies.study import Row, Study

NAMES = ("GM", "WM", "EM", "UM")
SIZES, QUICK_SIZES = (2, 3, 4, 5, 8, 9, 18, 20), (2, 4, 5)
ALPHAS = (Fraction(1, 3), Fraction(1, 2), Fraction(51, 100), Fraction(2, 3), Fraction(9, 10), Fraction(10, 11))
SCORED = (
    (4, Fraction(9, 10)),
    (8, Fraction(9, 10)),
    (8, Fraction(10, 11)),
    (12, Fraction(10, 11)),
    (8, Fraction(99, 100)),
)

CONDITIONS: dict[str, Callable[[int, Fraction], bool]] = {
    "always": lambda n, alpha: True,
    "never": lambda n, alpha: False,
    "alpha <= 1/2": lambda n, alpha: alpha <= Fraction(1, 2),
    "n >= 2 alpha/(1 - alpha)": lambda n, alpha: n >= threshold(alpha),
}
OTHERWISE = "no single condition"

FORMULAS = {
    "GM": "2 alpha/(1 + alpha)",
    "EM": "(n + 1)/n (1 - y)",
    "UM": "1",
}
"""How the formulas of the shelf are written; y is the diagonal of EM."""

COLUMNS = ("record", "mechanism", "property", "when", "n", "alpha", "holds", "exact", "value", "formula")


def problems(quick: bool) -> Iterable[DesignProblem]:
    """List the problems that the study designs."""
    for n, alpha in [*_grid(quick), *SCORED]:
        yield from problems_of(list(NAMES), [n], [alpha])


def _grid(quick: bool) -> list[tuple[int, Fraction]]:
    return [(n, alpha) for n in (QUICK_SIZES if quick else SIZES) for alpha in ALPHAS]


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table: when each property holds, and the score of each mechanism."""
    found = [row for name in NAMES for row in [*_properties(cache, name, _grid(quick)), *_scores(cache, name)]]
    return [{column: row.get(column) for column in COLUMNS} for row in found]


def _properties(cache: DesignCache, name: str, grid: Sequence[tuple[int, Fraction]]) -> list[Row]:
    """A row `when` for each property, and the settings that it is read off."""
    held = {(n, alpha): _held(cache, name, n, alpha) for n, alpha in grid}
    found: list[Row] = []
    for wanted in LATTICE:
        states = {setting: wanted in has for setting, has in held.items()}
        when = condition(states)
        found.append({"record": "property", "mechanism": name, "property": wanted, "when": when})
        found += [
            {
                "record": "setting",
                "mechanism": name,
                "property": wanted,
                "n": n,
                "alpha": fraction_text(alpha),
                "holds": "yes" if holds else "no",
            }
            for (n, alpha), holds in states.items()
        ]
    return found


def _held(cache: DesignCache, name: str, n: int, alpha: Fraction) -> tuple[str, ...]:
    mechanism = cache.mechanism(name, n, alpha)
    return properties_of(mechanism.weights, mechanism.denominator)


def condition(states: dict[tuple[int, Fraction], bool]) -> str:
    """Return the first condition that is true exactly where the states are."""
    fitting = (
        name for name, test in CONDITIONS.items() if all(test(*setting) == state for setting, state in states.items())
    )
    return next(fitting, OTHERWISE)


def _scores(cache: DesignCache, name: str) -> list[Row]:
    exact = {setting: cache.score(name, *setting) for setting in SCORED}
    form = CLOSED_FORMS.get(name)
    known = form is not None and all(form.score(*setting) == value for setting, value in exact.items())
    return [
        {
            "record": "score",
            "mechanism": name,
            "n": n,
            "alpha": fraction_text(alpha),
            "exact": fraction_text(value),
            "value": float(value),
            "formula": FORMULAS[name] if known else "linear program",
        }
        for (n, alpha), value in exact.items()
    ]


def draw(rows: Sequence[Row]) -> Figure:
    """Draw properties above, scores below, a column for each mechanism."""
    names = list(dict.fromkeys(str(row["mechanism"]) for row in rows))
    cells: list[list[str]] = [["", *names]]
    for wanted in LATTICE:
        when = {row["mechanism"]: str(row["when"]) for row in _of(rows, "property") if row["property"] == wanted}
        cells.append([f"{wanted}  {PROPERTIES[wanted].title}", *(when[name] for name in names)])
    scores = _of(rows, "score")
    formulas = {row["mechanism"]: str(row["formula"]) for row in scores}
    cells.append(["L0 score (y: EM's diagonal)", *(formulas[name] for name in names)])
    for n, alpha in dict.fromkeys((row["n"], row["alpha"]) for row in scores):
        here = {row["mechanism"]: row for row in scores if (row["n"], row["alpha"]) == (n, alpha)}
        cells.append([f"n = {n}, alpha = {short(alpha)}", *(f"{number(here[name], 'value'):.6f}" for name in names)])
    figure = table_figure(cells)
    draw_table(cells, figure.add_subplot(), rules_above=(1, 1 + len(LATTICE), 2 + len(LATTICE)))
    return figure


def _of(rows: Sequence[Row], record: str) -> list[Row]:
    return [row for row in rows if row["record"] == record]


STUDIES = (
    Study(
        number="6.5",
        title="Properties and scores of GM, WM, EM and UM",
        setting="properties measured at n of 2, 3, 4, 5, 8, 9, 18, 20 with alpha of 1/3, 1/2, 0.51, 2/3, 0.9, 10/11; "
        "score: L0, uniform prior",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        problems=problems,
        remark="WM has S because the design made here has it: S costs nothing, so some optimum has it. At n = 1 GM, WM "
        "and EM are randomised response and have all. The settings of the scores are ours.",
    ),
)
