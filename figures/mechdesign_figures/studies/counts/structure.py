"""Studies 6.2 and 6.3: every entry of GM and of EM is x alpha^k or y alpha^k.

The symbols are read off the exact matrices: an entry gets the one factor and exponent that give it at each alpha of
`ALPHAS`. In GM, x = 1/(1+alpha) and y = (1-alpha)/(1+alpha); in EM, y is the diagonal.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from matplotlib.figure import Figure

from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import fraction_text
from mechdesign_figures.plots.heatmap import COUNTS, draw_matrix
from mechdesign_figures.plots.parts.heat_scale import HeatScale, draw_bar
from mechdesign_figures.plots.parts.style import HouseFigure, short
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import matrix_of, whole
from mechdesign_figures.studies.study import Row, Study

SHOWN = Fraction(7, 10)
ALPHAS = (SHOWN, Fraction(2, 3), Fraction(10, 11), Fraction(1, 7))
SIZE, QUICK_SIZE = 7, 4
COLUMNS = ("mechanism", "n", "alpha", "output", "input", "factor", "exponent", "exact", "value")

Factors = Callable[[Mechanism, Fraction], Mapping[str, Fraction]]


@dataclass(frozen=True)
class Symbol:
    """An entry written as `factor alpha^exponent`."""

    factor: str
    exponent: int

    @property
    def text(self) -> str:
        """The symbol as mathematical text."""
        power = {0: "", 1: r"\,\alpha"}.get(self.exponent, rf"\,\alpha^{{{self.exponent}}}")
        return f"${self.factor}{power}$"


def geometric_factors(mechanism: Mechanism, alpha: Fraction) -> dict[str, Fraction]:
    """Return the factors x and y of GM at an alpha."""
    return {"x": 1 / (1 + alpha), "y": (1 - alpha) / (1 + alpha)}


def fair_factors(mechanism: Mechanism, alpha: Fraction) -> dict[str, Fraction]:
    """Return the factor y of EM, its diagonal.

    `1/y` is the sum of the powers of alpha in any column, such as the first.
    """
    return {"y": mechanism.fraction(0, 0)}


def symbols(made: Mapping[Fraction, Mechanism], factors: Factors) -> list[list[Symbol]]:
    """Find the symbol of each entry, from one mechanism for each alpha.

    Raises:
        ValueError: naming the first entry that no symbol, or more than one, gives at every alpha.
    """
    size = next(iter(made.values())).n_inputs
    common = [
        (
            mechanism,
            {Symbol(name, k): y * alpha**k for name, y in factors(mechanism, alpha).items() for k in range(size)},
        )
        for alpha, mechanism in made.items()
    ]
    return [[_symbol(common, i, j) for j in range(size)] for i in range(size)]


def _symbol(common: Sequence[tuple[Mechanism, Mapping[Symbol, Fraction]]], i: int, j: int) -> Symbol:
    able = [
        symbol
        for symbol in common[0][1]
        if all(mechanism.fraction(i, j) == values[symbol] for mechanism, values in common)
    ]
    if len(able) != 1:
        raise ValueError(f"entry ({i}, {j}) must have one symbol, got {[symbol.text for symbol in able]}")
    return able[0]


def rows(name: str, factors: Factors, cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table: the symbol and the value of each entry."""
    n = QUICK_SIZE if quick else SIZE
    made = {alpha: cache.mechanism(name, n, alpha) for alpha in ALPHAS}
    shown = made[SHOWN]
    return [
        {
            "mechanism": name,
            "n": n,
            "alpha": fraction_text(SHOWN),
            "output": i,
            "input": j,
            "factor": symbol.factor,
            "exponent": symbol.exponent,
            "exact": fraction_text(shown.fraction(i, j)),
            "value": float(shown.fraction(i, j)),
        }
        for i, line in enumerate(symbols(made, factors))
        for j, symbol in enumerate(line)
    ]


def draw(meaning: str, rows: Sequence[Row]) -> Figure:
    """Draw the symbols, shaded by their value at the alpha of the table."""
    matrix = matrix_of(rows)
    texts = [["" for _ in line] for line in matrix]
    for row in rows:
        texts[whole(row, "output")][whole(row, "input")] = Symbol(str(row["factor"]), whole(row, "exponent")).text
    first = rows[0]
    alpha = short(first["alpha"])
    figure = HouseFigure(figsize=(5.9, 5.0))
    axes = figure.add_subplot()
    title = f"{first['mechanism']}, n = {first['n']}; {meaning}"
    scale = HeatScale.of([matrix])
    image = draw_matrix(matrix, axes, scale, title=title, texts=texts)
    draw_bar(figure, image, axes, scale, f"{COUNTS.colours} at alpha = {alpha}")
    return figure


STUDIES = (
    Study(
        number="6.2",
        title="Structure of the geometric mechanism GM",
        setting="n = 7, colours at alpha = 0.7",
        columns=COLUMNS,
        rows=partial(rows, "GM", geometric_factors),
        draw=partial(draw, r"$x = 1/(1+\alpha)$, $y = (1-\alpha)/(1+\alpha)$"),
        remark="The published figure is for any n; n = 7 is shown, as in 6.3.",
    ),
    Study(
        number="6.3",
        title="Structure of the explicit fair mechanism EM",
        setting="n = 7, colours at alpha = 0.7",
        columns=COLUMNS,
        rows=partial(rows, "EM", fair_factors),
        draw=partial(draw, r"$y$ makes every column sum to 1"),
    ),
)
