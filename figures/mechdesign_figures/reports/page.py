"""The page of a report in HTML: no script, nothing from elsewhere, light and dark.

It serves screen and paper.
"""

from collections.abc import Iterator
from fractions import Fraction
from html import escape
from pathlib import Path

from mechdesign.arguments import checked
from mechdesign.documents.files import FilePath, require_writable, write_together
from mechdesign.errors import InputError
from mechdesign.mechanism.notebook import MOST_WRITTEN, decimal, tooltip
from mechdesign.pages.heat_map import MOST_DRAWN, heat_map
from mechdesign.pages.html import (
    PROVE_AGAIN,
    grid,
    paragraphs,
    scrolled,
    section,
    svg_figure,
    table,
    whole_page,
)
from mechdesign.pages.words import key_facts
from mechdesign.problem.privacy import rounded_up
from mechdesign.sweeps.landscape import ScoreClass
from mechdesign_catalog.mechanisms.landmarks import LandmarkComparison, class_names
from mechdesign_figures.plots.heatmap import plot_mechanism
from mechdesign_figures.plots.parts.saving import picture_bytes
from mechdesign_figures.reports.report import THIS, DesignReport

SUFFIX = ".html"
BAR, BAR_HEIGHT = 160, 12
"""Width of the longest bar of a score, and its height."""


@checked
def save_report(report: DesignReport, path: FilePath) -> None:
    """Write a report to an `.html` file, whole or not at all.

    Raises:
        InputError: for another ending, or a file that cannot be written.
    """
    target = Path(path)
    if target.suffix.lower() != SUFFIX:
        raise InputError(f"report must end in {SUFFIX}, got {target}")
    require_writable(target)
    write_together({target: report_page(report).encode()})


def report_page(report: DesignReport) -> str:
    """Write a report as a page of HTML that needs no other file."""
    title = f"Report on {report.name}"
    return whole_page(title, report.design.problem.describe(), _sections(report))


def _sections(report: DesignReport) -> Iterator[str]:
    yield f'<p class="seal">{escape(report.design.seal)}</p>'
    yield table("Key facts", key_facts(report.design))
    yield section("What was asked", paragraphs(report.problem_words))
    yield section("The mechanism", _heat_map(report) + _entries(report))
    yield section("What is proved", paragraphs(report.certificate_words) + PROVE_AGAIN)
    if report.landmarks:
        yield section("Where it stands", _landmarks(report))
    if report.prices is not None:
        yield section("What each property costs", _prices(report))
    if report.errors:
        yield section("Errors on data", _errors(report))
    yield section("Privacy statement", f"<blockquote>{paragraphs(report.privacy_words)}</blockquote>")


def _heat_map(report: DesignReport) -> str:
    words = "Heat map of the probabilities of output i (downwards) on input j (to the right)"
    elsewhere = "the numbers stand in the table below"
    mechanism = report.design.mechanism
    if mechanism.n_inputs > MOST_DRAWN:
        return svg_figure(picture_bytes(plot_mechanism(report.design), ".svg").decode(), words, elsewhere)
    return f"<figure>\n{heat_map(mechanism, f'{words}; {elsewhere}')}<figcaption>{words}.</figcaption>\n</figure>"


def _entries(report: DesignReport) -> str:
    mechanism = report.design.mechanism
    if mechanism.n_inputs > MOST_WRITTEN:
        size = f"{mechanism.n_outputs} x {mechanism.n_inputs}"
        return f'<p class="quiet">The {size} numbers stand in the document, and in a .csv or .npz made of it.</p>'
    head = "".join(f'<th scope="col">{j}</th>' for j in range(mechanism.n_inputs))
    rows = []
    for i in range(mechanism.n_outputs):
        cells = "".join(_cell(mechanism.fraction(i, j)) for j in range(mechanism.n_inputs))
        rows.append(f'<tr><th scope="row">{i}</th>{cells}</tr>')
    caption = "Pr[output i | input j], four decimals; the exact fraction of a cell is its tooltip"
    lines = "\n".join(rows)
    rows_text = f'<tr><th scope="col">i \\ j</th>{head}</tr>\n{lines}'
    return f"<details>\n<summary>The numbers</summary>\n{scrolled(caption, rows_text, 'cells')}\n</details>"


def _cell(value: Fraction) -> str:
    return f'<td title="{escape(tooltip(value))}">{float(value):.4f}</td>'


def _landmarks(report: DesignReport) -> str:
    design = report.design
    scores = [(THIS, "", design.score), *((one.name, _titled(one), one.score) for one in report.landmarks)]
    top = max(float(score) for _, _, score in scores) or 1.0
    lines = []
    for name, title, score in sorted(scores, key=lambda row: row[2]):
        own = ' class="own"' if name == THIS else ""
        shown = f"{escape(name)}{f' ({escape(title)})' if title else ''}"
        bar = _bar(float(score) / top)
        lines.append(f'<tr{own}><th scope="row">{shown}</th>{_score(score)}<td>{bar}</td></tr>')
    columns = '<th scope="col">mechanism</th><th class="number" scope="col">score</th><th scope="col">as a bar</th>'
    measure = "own loss, of the worst input" if design.problem.is_worst_case else "own loss and prior"
    caption = f"Scores under the design's {measure}, the lowest first, rounded up; all keep the same privacy"
    body = "\n".join(lines)
    return scrolled(caption, f"<tr>{columns}</tr>\n{body}")


def _titled(comparison: LandmarkComparison) -> str:
    return f"{comparison.title}; {comparison.remark}" if comparison.remark else comparison.title


def _bar(share: float) -> str:
    width = max(0.0, share) * BAR
    return (
        f'<svg class="bar" width="{BAR}" height="{BAR_HEIGHT}" aria-hidden="true">'
        f'<rect width="{width:.1f}" height="{BAR_HEIGHT}"/></svg>'
    )


def _score(value: Fraction) -> str:
    return f'<td class="number" title="{escape(tooltip(value))}">{rounded_up(value)}</td>'


def _prices(report: DesignReport) -> str:
    found = report.prices
    assert found is not None
    names, own = class_names(found), report.own_class
    rows = [
        (number == own, _class_cells(shown, names[number] or "", group))
        for number, (group, shown) in enumerate(zip(found.classes, found.decimals, strict=True))
    ]
    caption = (
        "The best score under every subset of the properties, the freest first, to the nearest digit; subsets in a row "
        "cost the same"
    )
    if own is not None:
        caption += "; the design's own are in the row that is marked"
    return grid(caption, ("score", "name", "weakest subsets", "strictest subsets", "subsets"), rows)


def _class_cells(shown: str, name: str, group: ScoreClass[Fraction]) -> tuple[str, ...]:
    listed = ("; ".join(",".join(one) or "none" for one in some) for some in (group.weakest, group.strictest))
    weakest, strictest = listed
    return shown, name, weakest, strictest, str(len(group.subsets))


def _errors(report: DesignReport) -> str:
    rows = []
    by_metric = dict.fromkeys(row.measured.metric for row in report.errors)
    for row in sorted(report.errors, key=lambda row: list(by_metric).index(row.measured.metric)):
        found = row.measured
        error = "" if found.standard_error is None else decimal(found.standard_error)
        cells = (found.metric, row.mechanism, decimal(found.expected), decimal(found.mean), error)
        rows.append((row.mechanism == THIS, cells))
    times = report.errors[0].measured.repetitions
    caption = (
        f"{report.data_words}. Expected: exact, given the data; simulated: the mean of {times} releases and its "
        "standard error"
    )
    return grid(caption, ("metric", "mechanism", "expected", "simulated", "+-"), rows)
