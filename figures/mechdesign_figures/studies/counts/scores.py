"""Studies 6.7 and 6.8: exact scores against n and alpha."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from matplotlib.figure import Figure

from mechdesign.methods.flowchart import threshold
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.rational import fraction_text
from mechdesign_figures.plots.parts.style import MECHANISM_LOOKS, HouseFigure, LineStyle, short
from mechdesign_figures.plots.scores import Mark, ScoreLine, draw_scores
from mechdesign_figures.studies.design_cache import DesignCache, problems_of
from mechdesign_figures.studies.matrices import number
from mechdesign_figures.studies.study import Row, Study

SizeAndAlpha = tuple[int, Fraction]

ADDED = ("none", "RH", "RM", "CH", "CM", "RH+CH", "RH+CM", "RM+CH", "RM+CM")
"""What WH is combined with."""

SHARED_ALPHA, SHARED_SIZE = Fraction(19, 25), 8
WH_SIZES, WH_QUICK_SIZES = tuple(range(2, 25)), (2, 4, 8)
WH_ALPHAS = tuple(Fraction(k, 50) for k in range(20, 50))
WH_QUICK_ALPHAS = (Fraction(2, 5), Fraction(3, 5), Fraction(4, 5))
GROUP_LOOKS = [MECHANISM_LOOKS[name] for name in ("WH", "WM", "EM", "GM", "UM", "UCM", "FM", "AM")]
"""WH alone leads the first group, WM = WH+RM+CM the second; more there should not be, but would be drawn."""

NAMES = ("GM", "WM", "EM", "UM")
SPANS = {
    Fraction(2, 3): tuple(range(2, 17)),
    Fraction(10, 11): tuple(range(2, 41, 2)),
    Fraction(99, 100): tuple(range(2, 41, 2)),
}
QUICK_SIZES = (2, 4, 8)

WH_COLUMNS = ("along", "combined", "n", "alpha", "exact", "score")
COLUMNS = ("mechanism", "n", "alpha", "threshold", "exact", "score")


def _combined_settings(quick: bool) -> Iterator[tuple[str, SizeAndAlpha]]:
    """What varies, with n and alpha."""
    yield from (("n", (n, SHARED_ALPHA)) for n in (WH_QUICK_SIZES if quick else WH_SIZES))
    yield from (("alpha", (SHARED_SIZE, alpha)) for alpha in (WH_QUICK_ALPHAS if quick else WH_ALPHAS))


def _combined_problem(added: str, setting: SizeAndAlpha) -> DesignProblem:
    return DesignProblem(*setting, properties=["WH", *(added.split("+") if added != "none" else ())])


def combined_problems(quick: bool) -> Iterable[DesignProblem]:
    """List the problems that study 6.7 designs."""
    return (_combined_problem(added, setting) for _, setting in _combined_settings(quick) for added in ADDED)


def combined_rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table of study 6.7."""
    return [
        {
            "along": along,
            "combined": added,
            "n": setting[0],
            "alpha": fraction_text(setting[1]),
            "exact": fraction_text(score),
            "score": float(score),
        }
        for added in ADDED
        for along, setting in _combined_settings(quick)
        for score in [cache.design(_combined_problem(added, setting)).score]
    ]


def same_scores(rows: Sequence[Row]) -> list[list[str]]:
    """Group the combinations whose exact scores are the same at every setting."""
    found: dict[tuple[str, ...], list[str]] = {}
    for added in dict.fromkeys(str(row["combined"]) for row in rows):
        scores = tuple(str(row["exact"]) for row in rows if row["combined"] == added)
        found.setdefault(scores, []).append(added)
    return list(found.values())


def draw_combined(rows: Sequence[Row]) -> Figure:
    """Draw a line for each group: against n at the left, against alpha at the right."""
    groups = same_scores(rows)
    figure = HouseFigure(figsize=(9.6, 4.2))
    for axes, along in zip(figure.subplots(1, 2), ("n", "alpha"), strict=True):
        part = [row for row in rows if row["along"] == along]
        lines = []
        for group, look in zip(groups, GROUP_LOOKS[: len(groups)], strict=True):
            own = sorted((row for row in part if row["combined"] == group[0]), key=lambda row: number(row, along))
            lines.append(_line(_group_label(group), own, along, look))
        draw_scores(lines, axes, along=along, marks=_combined_marks(part, along), title=_fixed(part[0], along))
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", frameon=False)
    return figure


def _line(label: str, rows: Sequence[Row], along: str, look: LineStyle) -> ScoreLine:
    return ScoreLine(label, [number(row, along) for row in rows], [number(row, "score") for row in rows], look)


def _group_label(group: Sequence[str]) -> str:
    count = f" ({len(group)} sets, the same score everywhere)" if len(group) > 1 else ""
    return f"WH with {', '.join(group)}{count}"


def _combined_marks(rows: Sequence[Row], along: str) -> list[Mark]:
    if along == "n":
        limit = threshold(Fraction(str(rows[0]["alpha"])))
        return [Mark(float(limit), f"2 alpha/(1 - alpha) = {float(limit):.4g}")]
    n = int(number(rows[0], "n"))
    return [Mark(0.5, "alpha = 0.5"), Mark(n / (n + 2), f"alpha = n/(n + 2) = {n / (n + 2):.3g}")]


def _fixed(row: Row, along: str) -> str:
    return f"alpha = {short(row['alpha'])}" if along == "n" else f"n = {row['n']}"


def _sizes(alpha: Fraction, quick: bool) -> tuple[int, ...]:
    return QUICK_SIZES if quick else SPANS[alpha]


def against_n_problems(quick: bool) -> Iterable[DesignProblem]:
    """List the problems that study 6.8 designs."""
    for alpha in SPANS:
        yield from problems_of(list(NAMES), list(_sizes(alpha, quick)), [alpha])


def against_n_rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table of study 6.8."""
    return [
        {
            "mechanism": name,
            "n": n,
            "alpha": fraction_text(alpha),
            "threshold": fraction_text(threshold(alpha)),
            "exact": fraction_text(score),
            "score": float(score),
        }
        for alpha in SPANS
        for name in NAMES
        for n in _sizes(alpha, quick)
        for score in [cache.score(name, n, alpha)]
    ]


def draw_against_n(rows: Sequence[Row]) -> Figure:
    """Draw scores against n, a panel for each alpha."""
    alphas = list(dict.fromkeys(str(row["alpha"]) for row in rows))
    names = list(dict.fromkeys(str(row["mechanism"]) for row in rows))
    figure = HouseFigure(figsize=(11.0, 3.7))
    for axes, alpha in zip(figure.subplots(1, len(alphas)), alphas, strict=True):
        part = [row for row in rows if row["alpha"] == alpha]
        lines = [
            _line(name, [row for row in part if row["mechanism"] == name], "n", MECHANISM_LOOKS[name]) for name in names
        ]
        limit = number(part[0], "threshold")
        draw_scores(
            lines, axes, marks=[Mark(limit, f"2 alpha/(1 - alpha) = {limit:g}")], title=f"alpha = {short(alpha)}"
        )
        if axes is not figure.axes[0]:
            axes.set_ylabel("")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return figure


STUDIES = (
    Study(
        number="6.7",
        title="Weak honesty with other properties costs WH's score or WM's",
        setting="L0, uniform prior; n = 2 to 24 at alpha = 0.76, and alpha = 0.4 to 0.98 at n = 8",
        columns=WH_COLUMNS,
        rows=combined_rows,
        draw=draw_combined,
        problems=combined_problems,
        remark="Sets whose exact scores are equal at every setting are drawn as one line; n = 8 is our choice.",
    ),
    Study(
        number="6.8",
        title="GM, WM, EM and UM against n",
        setting="L0, uniform prior; alpha = 2/3 (n = 2 to 16), 10/11 and 0.99 (n = 2 to 40, even)",
        columns=COLUMNS,
        rows=against_n_rows,
        draw=draw_against_n,
        problems=against_n_problems,
        remark="2 alpha/(1 - alpha) is where GM becomes weakly honest; at alpha = 0.99 it is 198, outside the "
        "picture. WM does not meet GM there: only WH alone does.",
    ),
)
