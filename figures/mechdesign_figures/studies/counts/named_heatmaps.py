"""Study 6.6: the four mechanisms GM, WM, EM and UM as heatmaps."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from matplotlib.figure import Figure

from mechdesign.problem.design_problem import DesignProblem
from mechdesign.rational import fraction_text
from mechdesign_figures.plots.heatmap import draw_heatmaps
from mechdesign_figures.plots.parts.style import HouseFigure
from mechdesign_figures.studies.design_cache import DesignCache, problems_of
from mechdesign_figures.studies.matrices import entries, matrix_of, number
from mechdesign_figures.studies.study import Row, Study

NAMES = ("GM", "WM", "EM", "UM")
ALPHA = Fraction(9, 10)
SIZE, QUICK_SIZE = 4, 2
COLUMNS = ("mechanism", "n", "alpha", "score", "output", "input", "exact", "value")


def problems(quick: bool) -> Iterable[DesignProblem]:
    """List the problems that the study designs."""
    return problems_of(list(NAMES), [_size(quick)], [ALPHA])


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table: every entry of each mechanism."""
    n = _size(quick)
    found: list[Row] = []
    for name in NAMES:
        score = fraction_text(cache.score(name, n, ALPHA))
        common: Row = {"mechanism": name, "n": n, "alpha": fraction_text(ALPHA), "score": score}
        found += entries(cache.mechanism(name, n, ALPHA), common)
    return found


def draw(rows: Sequence[Row]) -> Figure:
    """Draw the four heatmaps on one scale."""
    panels = []
    for name in dict.fromkeys(row["mechanism"] for row in rows):
        own = [row for row in rows if row["mechanism"] == name]
        panels.append((f"{name}, score {number(own[0], 'score'):.4f}", matrix_of(own)))
    figure = HouseFigure(figsize=(11.0, 3.3))
    draw_heatmaps(panels, figure, columns=len(panels))
    return figure


def _size(quick: bool) -> int:
    return QUICK_SIZE if quick else SIZE


STUDIES = (
    Study(
        number="6.6",
        title="GM, WM, EM and UM for n = 4",
        setting="n = 4, alpha = 0.9; score: L0, uniform prior",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        problems=problems,
    ),
)
