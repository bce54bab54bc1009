"""The pictures of formulas: the best score over alpha, exact between the ends of its pieces."""

from fractions import Fraction

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.arguments import checked
from mechdesign.formulas.formula import Formula
from mechdesign.formulas.landscape import FormulaLandscape, weakest
from mechdesign.formulas.pieces import Piece
from mechdesign.rational import nearest_float
from mechdesign.sweeps.subset_designs import Subset
from mechdesign_figures.plots.parts.lettering import wrapped
from mechdesign_figures.plots.parts.style import COLOURS, on_figure
from mechdesign_figures.plots.scores import ACROSS

POINTS = 400
"""Of the whole curve; each piece has some more."""

FEWEST = 8
STYLES = ("-", "--", ":")
NAMED_AT = Fraction(9, 10)
"""Names stand in the order of the scores here, the dearest first."""

WIDTH, HEIGHT = 6.4, 4.0


@checked
def plot_formula(formula: Formula, figure: Figure | None = None) -> Figure:
    """Draw the least score over alpha, with a dot where one piece ends and the next begins.

    Args:
        formula: what is drawn; a range without a feasible mechanism is a gap.
        figure: where; a new one by default.

    Returns:
        The figure.
    """
    with on_figure(figure, WIDTH, HEIGHT) as made:
        draw_formula(formula, made.subplots())
    return made


@checked
def plot_formula_landscape(landscape: FormulaLandscape, figure: Figure | None = None) -> Figure:
    """Draw what every set of properties costs above the best score without any, over alpha.

    Sets with the same score everywhere have one line. Thin upright lines are where sets part, join or meet.

    Args:
        landscape: what is drawn.
        figure: where; a new one by default.

    Returns:
        The figure.
    """
    lines: dict[tuple[object, ...], list[Subset]] = {}
    for subset, formula in landscape.formulas.items():
        lines.setdefault(tuple(piece.score for piece in formula.pieces), []).append(subset)
    groups = sorted(lines.values(), key=lambda group: -landscape.formulas[group[0]].score(NAMED_AT))
    ends = [sum(region.end.between, Fraction(0)) / 2 for region in landscape.regions[:-1]]
    across = sorted({*ends, *(Fraction(k, POINTS) for k in range(1, POINTS))})
    free = [landscape.formulas[frozenset()].score(alpha) for alpha in across]
    with on_figure(figure, WIDTH, HEIGHT) as made:
        axes = made.subplots()
        for end in ends:
            axes.axvline(float(end), color="0.85", linewidth=0.6, zorder=0)
        for number, group in enumerate(groups):
            score = landscape.formulas[group[0]].score
            prices = [
                nearest_float(100 * (score(alpha) / least - 1)) for alpha, least in zip(across, free, strict=True)
            ]
            style = STYLES[number // len(COLOURS) % len(STYLES)]
            label = "; ".join(",".join(names) or "none" for names in weakest(group))
            axes.plot(
                list(map(nearest_float, across)),
                prices,
                style,
                color=COLOURS[number % len(COLOURS)],
                linewidth=1.4,
                label=label,
            )
        axes.set_xlim(0, 1)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(ACROSS["alpha"])
        axes.set_ylabel("above the score without properties (%)")
        axes.set_title(wrapped(landscape.describe().replace(", every alpha", ""), 0.85 * WIDTH), fontsize="medium")
        axes.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return made


def draw_formula(formula: Formula, axes: Axes, *, label: str = "", colour: str = COLOURS[0]) -> Axes:
    """Draw a formula on given axes; returns them."""
    for number, piece in enumerate(piece for piece in formula.pieces if piece.score is not None):
        across, scores = _curve(piece)
        axes.plot(across, scores, color=colour, linewidth=1.8, label=label if number == 0 else "")
        inner = [(a, s) for a, s in ((across[0], scores[0]), (across[-1], scores[-1])) if 0.001 < a < 0.999]
        for a, s in inner:
            axes.plot([a], [s], "o", color=colour, markersize=4.5, markeredgecolor="white", markeredgewidth=0.6)
    axes.set_xlim(0, 1)
    axes.set_ylim(bottom=0)
    axes.grid(True, color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(ACROSS["alpha"])
    axes.set_ylabel("least score")
    axes.set_title(wrapped(formula.problem.describe().replace(", every alpha", ""), 0.85 * WIDTH), fontsize="medium")
    return axes


def _curve(piece: Piece) -> tuple[list[float], list[float]]:
    """Return points of a piece, the values exact before they are rounded."""
    assert piece.score is not None
    low, high = (sum(end.between, Fraction(0)) / 2 for end in (piece.start, piece.end))
    low, high = max(low, Fraction(1, 10**6)), min(high, 1 - Fraction(1, 10**6))
    steps = FEWEST + int(POINTS * (high - low))
    across = [(low + (high - low) * k / steps).limit_denominator(10**9) for k in range(steps + 1)]
    return [nearest_float(a) for a in across], [nearest_float(piece.score(a)) for a in across]
