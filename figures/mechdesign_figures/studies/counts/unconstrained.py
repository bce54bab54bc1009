"""Study 6.1: the best mechanisms without any property, and the published text on them.

The text quotes how likely certain outputs are whatever the input. Each quoted sentence is measured exactly: at the
alpha of the caption, at one where it comes out, and over all alpha. Optima need not be unique. The design shown is the
best remap of GM, and where `every_optimum` agrees the sentence does not depend on that choice: adding a tiny charge, or
a tiny reward, for the quoted outputs on one input leaves their probability there as it is, and an optimum with another
probability would gain from one of the two.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from matplotlib.figure import Figure

from mechdesign.designs import design
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.rational import fraction_text
from mechdesign_figures.plots.heatmap import draw_heatmaps
from mechdesign_figures.plots.parts.style import HouseFigure, short
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import entries, matrix_of, number
from mechdesign_figures.studies.study import Row, Study

CAPTION = Fraction(31, 50)
NUDGE = Fraction(1, 10**9)
"""Charge or reward of one quoted output: far below what separates the vertices of these small problems."""

FROM, TO = Fraction(1, 100), Fraction(99, 100)
STEP, QUICK_STEP = Fraction(1, 400), Fraction(1, 50)
HALVINGS = 24
"""Ends of a range are found to within STEP / 2^24, about 1e-10."""


@dataclass(frozen=True)
class PublishedPanel:
    """A panel of the published figure: its loss and size, and the sentence that the text says of it.

    Of the quoted `outputs` the text says how likely it is that one comes out.

    That probability is to be `least` or more, and more than that if `strictly`.
    """

    loss: str
    n: int
    alpha: Fraction
    outputs: tuple[int, ...] = ()
    least: Fraction = Fraction(0)
    strictly: bool = False

    @property
    def alphas(self) -> tuple[Fraction, Fraction]:
        """The alpha of the caption, and one at which the text comes out."""
        return CAPTION, self.alpha

    @property
    def sentence(self) -> str:
        """The sentence of the text, in our words."""
        outputs = " or ".join(map(str, self.outputs))
        return f"Pr[{outputs}] {'>' if self.strictly else '>='} {short(self.least)}"

    def problem(self, alpha: Fraction) -> DesignProblem:
        """Return the design problem at an alpha."""
        return DesignProblem(self.n, alpha, loss=self.loss)

    def nudged(self, alpha: Fraction) -> Iterator[tuple[int, DesignProblem]]:
        """List, for each input j, the problems whose quoted outputs are charged and rewarded there."""
        table = Loss.parse(self.loss).matrix(self.n + 1)
        for j in range(self.n + 1):
            for charge in (NUDGE, -NUDGE):
                extra = {(i, j): charge for i in self.outputs}
                rows = [
                    [cost + extra.get((i, column), 0) for column, cost in enumerate(row)] for i, row in enumerate(table)
                ]
                yield j, DesignProblem(self.n, alpha, loss=Loss.from_matrix(rows))

    def share(self, mechanism: Mechanism, j: int) -> Fraction:
        """Return the probability of the quoted outputs on input j."""
        return sum((mechanism.fraction(i, j) for i in self.outputs), Fraction(0))

    def smallest(self, mechanism: Mechanism) -> Fraction:
        """Return the probability of the quoted outputs on the input where it is smallest."""
        return min(self.share(mechanism, j) for j in range(self.n + 1))

    def holds(self, share: Fraction) -> bool:
        """Return whether the sentence is true of a probability."""
        return share > self.least if self.strictly else share >= self.least

    def comes_out(self, alpha: Fraction) -> bool:
        """Return whether the sentence is true of the design at an alpha."""
        return self.holds(self.smallest(design(self.problem(alpha)).mechanism))


PANELS = (
    PublishedPanel("L0", 7, Fraction(9, 10)),
    PublishedPanel("L1", 7, Fraction(21, 25), (2, 5), Fraction(7, 10)),
    PublishedPanel("L2", 4, Fraction(4, 5), (2,), Fraction(1)),
    PublishedPanel("L0:1", 5, Fraction(19, 20), (1, 4), Fraction(9, 10), strictly=True),
)
COLUMNS = (
    *("record", "loss", "n", "alpha", "alpha_to", "output", "input", "exact", "value"),
    *("sentence", "holds", "every_optimum"),
)


def problems(quick: bool) -> Iterable[DesignProblem]:
    """List the problems that the study designs."""
    for panel in PANELS:
        for alpha in panel.alphas:
            yield panel.problem(alpha)
            if panel.outputs:
                yield from (problem for _, problem in panel.nudged(alpha))


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table: the entries, and the probabilities that the text quotes."""
    found: list[Row] = []
    for panel in PANELS:
        for alpha in panel.alphas:
            mechanism = cache.design(panel.problem(alpha)).mechanism
            common: Row = {"loss": panel.loss, "n": panel.n, "alpha": fraction_text(alpha)}
            found += [_row(cells) for cells in entries(mechanism, {"record": "entry", **common})]
            if panel.outputs:
                found.append(_row({**common, **_quoted(cache, panel, alpha, mechanism)}))
        if panel.outputs:
            found += [_row(cells) for cells in _ranges(panel, QUICK_STEP if quick else STEP)]
    return found


def _row(cells: Row) -> Row:
    return {column: cells.get(column) for column in COLUMNS}


def _quoted(cache: DesignCache, panel: PublishedPanel, alpha: Fraction, mechanism: Mechanism) -> Row:
    smallest = panel.smallest(mechanism)
    unique = all(
        panel.share(cache.design(problem).mechanism, j) == panel.share(mechanism, j)
        for j, problem in panel.nudged(alpha)
    )
    return {
        "record": "sentence",
        "exact": fraction_text(smallest),
        "value": float(smallest),
        "sentence": panel.sentence,
        "holds": "yes" if panel.holds(smallest) else "no",
        "every_optimum": "agrees" if unique else "does not agree",
    }


def _ranges(panel: PublishedPanel, step: Fraction) -> Iterator[Row]:
    """Where the sentence is true, `alpha` to `alpha_to`: a scan, and bisection where it changes."""
    grid = [FROM + k * step for k in range(int((TO - FROM) / step) + 1)]
    states = [panel.comes_out(alpha) for alpha in grid]
    ends = [
        _change(panel, low, high)
        for low, high, before, after in zip(grid, grid[1:], states, states[1:], strict=False)
        if before != after
    ]
    ends = ([grid[0]] if states[0] else []) + ends + ([grid[-1]] if states[-1] else [])
    for first, last in zip(ends[::2], ends[1::2], strict=True):
        yield {
            "record": "range",
            "loss": panel.loss,
            "n": panel.n,
            "alpha": round(float(first), 9),
            "alpha_to": round(float(last), 9),
            "sentence": panel.sentence,
            "holds": "yes",
        }


def _change(panel: PublishedPanel, low: Fraction, high: Fraction) -> Fraction:
    """Where between two alphas the sentence changes, from exact designs."""
    state = panel.comes_out(low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if panel.comes_out(middle) == state else (low, middle)
    return high if not state else low


def draw(rows: Sequence[Row]) -> Figure:
    """Draw the designs as heatmaps: the caption's alpha above, the text's below, all on one scale."""
    figure = HouseFigure(figsize=(11.5, 7.0))
    panels = []
    for low in (True, False):
        for panel in PANELS:
            own = [row for row in rows if (row["loss"], row["n"]) == (panel.loss, panel.n)]
            values = [row["alpha"] for row in own if row["record"] == "entry"]
            alpha = values[0] if low else values[-1]
            title = f"{panel.loss}, n = {panel.n}, alpha = {short(alpha)}\n{_told(own, alpha, ranges=not low)}"
            matrix = matrix_of([row for row in own if row["record"] == "entry" and row["alpha"] == alpha])
            panels.append((title, matrix))
    draw_heatmaps(panels, figure, columns=len(PANELS))
    return figure


def _told(rows: Sequence[Row], alpha: object, ranges: bool) -> str:
    """What became of the sentence at an alpha, and where it is true."""
    lines = []
    for row in rows:
        if row["record"] == "sentence" and row["alpha"] == alpha:
            lines.append(f"{row['sentence']}: {row['holds']}, least {number(row, 'value'):.3f}")
    spans = [_span(row) for row in rows if row["record"] == "range"]
    if ranges and spans:
        lines.append("yes for alpha " + "\nand ".join(spans))
    return "\n".join(lines)


def _span(row: Row) -> str:
    """A range in words; a strict sentence is not yet true at its lower end."""
    first, end = number(row, "alpha"), number(row, "alpha_to")
    if end < float(TO):
        return f"from {first:.3f} to {end:.3f}"
    return f"above {first:.3f}" if " > " in str(row["sentence"]) else f"from {first:.3f} on"


STUDIES = (
    Study(
        number="6.1",
        title="The best mechanisms without properties are pathological",
        setting="no properties, uniform prior; L0 n = 7, L1 n = 7, L2 n = 4, L0:1 n = 5; alpha = 0.62 as in the "
        "caption (above) and alphas at which the text comes out (below)",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        problems=problems,
        remark="What the text quotes does not come out at the caption's alpha; the table says at which alphas it does "
        "(scanned from 0.01 to 0.99, ends by bisection with exact designs; a sentence with > is not yet true at its "
        "lower end), and whether it depends on the choice among optimal mechanisms. The size of the L0 panel, and the "
        "second row, are ours.",
    ),
)
