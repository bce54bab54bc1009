"""Study 6.4: the flowchart, and exact designs that confirm each of its boxes.

For every closed set of properties (S is free and left out) and every setting of a grid, a design is made without the
flowchart. GM and EM are confirmed where the optimal score is theirs, exactly. LP is confirmed where the
optimal score is neither GM's nor EM's (`gm_lacks` says what keeps GM from it), and is that of WM where a column
property is asked, else that of WH: these two linear programs are enough.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from matplotlib.figure import Figure

from mechdesign.designs import Design
from mechdesign.methods.flowchart import LAST, QUESTIONS, flowchart_box
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import COLUMN_PROPERTIES, closure, ordered, properties_of
from mechdesign.rational import fraction_text
from mechdesign.sweeps.landscape import closed_subsets
from mechdesign.sweeps.subset_designs import with_properties
from mechdesign_figures.plots.flow import Step, draw_flow, flow_figure
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.study import Row, Study

SIZES, QUICK_SIZES = (1, 2, 3, 4, 8, 18, 20), (1, 2, 4)
ALPHAS = (Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(9, 10))
TITLES = {"GM": "truncated geometric", "EM": "explicit fair", "LP": "linear program"}
WM, WH = closure({"WH", "RM", "CM"}), closure({"WH"})
COLUMNS = (
    *("record", "step", "question", "box"),
    *("n", "alpha", "properties", "score", "score_gm", "score_em", "program", "gm_lacks", "confirmed"),
)


def problems(quick: bool) -> Iterator[DesignProblem]:
    """List the problems that the study designs."""
    for n in QUICK_SIZES if quick else SIZES:
        for alpha in ALPHAS:
            free = DesignProblem(n, alpha)
            yield from (with_properties(free, subset) for subset in closed_subsets(free))


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table: a row for each closed set of properties and setting."""
    asked: list[Row] = [
        {"record": "question", "step": step, "question": question.text, "box": question.box}
        for step, question in enumerate(QUESTIONS)
    ]
    asked.append({"record": "question", "step": len(QUESTIONS), "question": "otherwise", "box": LAST.name})
    found = [*asked, *(_confirm(cache, cache.design(problem)) for problem in problems(quick))]
    return [{column: row.get(column) for column in COLUMNS} for row in found]


def _confirm(cache: DesignCache, made: Design) -> Row:
    problem = made.problem
    n, alpha = problem.n, problem.alpha
    gm, em = (cache.score(name, n, alpha) for name in ("GM", "EM"))
    geometric = cache.mechanism("GM", n, alpha)
    lacks = problem.properties - set(properties_of(geometric.weights, geometric.denominator))
    box = flowchart_box(problem).name
    optimal = {"GM": made.score == gm and not lacks, "EM": made.score == em}
    program, closed = ("WM", WM) if problem.properties & COLUMN_PROPERTIES else ("WH", WH)
    if box == "LP":
        same = made.score == cache.design(with_properties(problem, closed)).score
        optimal["LP"] = same and made.score not in (gm, em)
    return {
        "record": "design",
        "step": next((k for k, question in enumerate(QUESTIONS) if question.holds(problem)), len(QUESTIONS)),
        "box": box,
        "n": n,
        "alpha": fraction_text(alpha),
        "properties": " ".join(ordered(problem.properties)) or "none",
        "score": fraction_text(made.score),
        "score_gm": fraction_text(gm),
        "score_em": fraction_text(em),
        "program": program if box == "LP" else None,
        "gm_lacks": " ".join(ordered(lacks)) or "nothing",
        "confirmed": "yes" if optimal[box] and not made.gap else "no",
    }


def draw(rows: Sequence[Row]) -> Figure:
    """Draw the questions with, at each box, how many designs confirm it."""
    asked = [row for row in rows if row["record"] == "question"]
    boxes = [_box(rows, row) for row in asked]
    steps = [Step(str(row["question"]), box) for row, box in zip(asked[:-1], boxes, strict=False)]
    figure = flow_figure(steps)
    draw_flow(steps, boxes[-1], figure.add_subplot())
    return figure


def _box(rows: Iterable[Row], question: Row) -> str:
    """Name, title and count of the box of a question."""
    own = [row for row in rows if row["record"] == "design" and row["step"] == question["step"]]
    names = sorted({str(row["program"] or row["box"]) for row in own})
    told = [row["confirmed"] for row in own]
    title = f"{' or '.join(names)}: {TITLES[str(question['box'])]}"
    return f"{title}\nconfirmed by {told.count('yes')} of {len(told)} designs"


STUDIES = (
    Study(
        number="6.4",
        title="Which mechanism is optimal: the flowchart",
        setting="L0, uniform prior; confirmed for the closed sets of properties without S at each n of 1, 2, 3, 4, 8, "
        "18, 20 and alpha of 1/3, 1/2, 2/3, 9/10",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        problems=problems,
        remark="The question about one person is ours: there GM has every property.",
    ),
)
