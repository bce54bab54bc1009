"""The report on a law, one mechanism for every size: facts, proofs, errors.

The report is data (`LawReport`), and one page of HTML that needs no other file.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

from mechdesign.arguments import checked
from mechdesign.audits.reading import read_design
from mechdesign.documents.files import FilePath
from mechdesign.errors import InputError
from mechdesign.laws.law import Law
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.notebook import MOST_WRITTEN, tooltip
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
from mechdesign.pages.words import BELIEF, exact_words, problem_sentences
from mechdesign.problem.privacy import loss_above, loss_text, rounded_up
from mechdesign.problem.properties import find_property, ordered
from mechdesign.rational import number_text
from mechdesign.releases.errors import TypicalErrors
from mechdesign.version import __version__

SIZES = (20, 50, 100, 200, 500, 1000, 10_000, 10**6, 10**9)
"""Scores and errors are told at these sizes, from the law's least on, and at that."""

LARGEST_FAIR = 200
"""Errors of the fair law are found from its matrix, up to this n."""


@dataclass(frozen=True)
class LawReport:
    """A law whose document was proved again, and what a report says beside it.

    Attributes:
        law: the law.
        name: what the report is called, such as the name of its file.
    """

    law: Law
    name: str = "law"

    @property
    def sizes(self) -> list[int]:
        """The sizes at which scores are told."""
        return [self.law.least, *(n for n in SIZES if n > self.law.least)]

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What is told first, as names and texts."""
        law = self.law
        alpha, seconds = law.problem.privacy.alpha, law.seconds
        return [
            ("alpha", number_text(alpha)),
            ("epsilon", f"{loss_text(alpha)} = -ln(alpha), rounded up"),
            ("mechanism", law.shape),
            ("proved for", f"every n from {law.least} on"),
            *([("score", law.formula)] if law.formula else []),
            ("gap" if law.is_exact else f"gap at {law.least}", law.optimality(law.least)),
            *((f"then at {self.sizes[-1]}", law.stage_words(stage, self.sizes[-1])) for stage in law.stages),
            ("properties that hold", ", ".join(ordered(law.holds())) or "none"),
            ("reached by", f"{law.how} ({law.method})"),
            ("seconds", f"{seconds.solve + seconds.certify + seconds.verify:.3f}"),
        ]

    @property
    def problem_words(self) -> list[str]:
        """What was asked for, in sentences."""
        return problem_sentences(self.law.problem.of_size(self.law.least), for_every_size=True)

    @property
    def mechanism_words(self) -> list[str]:
        """What the mechanism is, in sentences."""
        if isinstance(self.law.mechanism, FairMechanism):
            return [
                "The probability of output i on input j is y alpha^e. Near the diagonal e is the distance |i-j|. Where "
                "that reaches m = min(j, n-j), e is (|i-j| + m)/2, rounded up. y makes each column sum to 1."
            ]
        b = self.law.mechanism.depth
        rows = "row 0" if b == 1 else f"rows 0 to {b - 1}"
        return [
            f"A group of n people has the {rows} of the picture at one end, and their mirror image at the other. "
            f"From input {b} on, each entry of these rows is alpha times the one before.",
            "Every other row is that of the geometric mechanism: alpha^|i-j| times (1 - alpha)/(1 + alpha).",
            *(
                ["The rows of the layer change a little with n: each is an entry plus another one over n + 1."]
                if self.law.mechanism.slopes is not None
                else []
            ),
        ]

    @property
    def proof_words(self) -> list[str]:
        """What is proved, in sentences."""
        law = self.law
        if law.is_exact:
            best = "No mechanism with what was asked has a lower score, at any of these sizes."
        else:
            best = "No mechanism with what was asked scores below the bound in the table, which is proved at each size."
        return [
            f"Privacy, column sums and properties are proved for every n from {law.least} on, from the layer alone.",
            best,
            BELIEF,
        ]

    @property
    def scores(self) -> list[tuple[int, str, str, str]]:
        """For some sizes: n, the score, the gap as a part of it, rounded up, and the status."""
        law = self.law
        found = []
        for n in self.sizes:
            low, high = law.score(n)
            shown = exact_words(high) if low == high else f"{rounded_up(high, 9)} (rounded up)"
            found.append((n, shown, rounded_up(law.gap(n), 2), law.status(n)))
        return found

    @property
    def errors(self) -> list[tuple[int, TypicalErrors]]:
        """How far outputs are from the true count at some sizes, for the true count for which that is worst."""
        mechanism = self.law.mechanism
        if isinstance(mechanism, FairMechanism):
            return [(n, TypicalErrors.of(self.law.at(n))) for n in self.sizes if n <= LARGEST_FAIR]
        return [(n, TypicalErrors.of_law(mechanism, [n])) for n in self.sizes]

    def __repr__(self) -> str:
        return f"<LawReport: {self.name}, {self.law.problem.describe()}>"

    def entries(self) -> dict[str, Any]:
        """Return the report as an object of JSON."""
        law = self.law
        return {
            "name": self.name,
            "asked": law.problem.describe(),
            "from": law.least,
            "epsilon": loss_above(law.problem.privacy.alpha),
            "facts": [list(row) for row in self.facts],
            "scores": [
                {"n": n, "score": score, "value": float(law.score(n)[1]), "gap": gap, "status": status}
                for n, score, gap, status in self.scores
            ],
            "errors": [
                {
                    "n": n,
                    "distance": found.distance,
                    "within": found.within,
                    "root_mean_square": float(found.root_mean_square),
                }
                for n, found in self.errors
            ],
            "properties": [
                {"name": name, "title": find_property(name).title, "asked": name in law.problem.properties}
                for name in ordered(law.holds())
            ],
            "words": {"problem": self.problem_words, "mechanism": self.mechanism_words, "proof": self.proof_words},
            "version": __version__,
        }


@checked
def report_law(source: Law | FilePath, *, name: str | None = None) -> LawReport:
    """Report on a law: what was asked and is proved for every size, its scores, and how far outputs are from the truth.

    Args:
        source: a law, or the file of its document (`.json`), which is proved again.
        name: what the report is called; by default the name of the file.

    Raises:
        InputError: for a file that is unusable, or holds no law.
        RefusedError: naming the first claim of a document that is false.

    >>> from mechdesign import design_law
    >>> report_law(design_law(alpha="4/5", properties="WH,CM")).scores[0]
    (11, '11467/12672 = 0.904909 (rounded up)', '0', 'exact')
    """
    if isinstance(source, Law):
        return LawReport(source, name or "law")
    law = read_design(source)
    if not isinstance(law, Law):
        raise InputError(f"file must be the document of a law, got another design in {source}")
    return LawReport(law, name or Path(source).name)


def law_page(report: LawReport) -> str:
    """Write a report on a law as a page of HTML that needs no other file."""
    return whole_page(f"Report on {report.name}", report.law.problem.describe(), _sections(report))


def _sections(report: LawReport) -> Iterator[str]:
    yield table("Key facts", report.facts)
    yield section("What was asked", paragraphs(report.problem_words))
    yield section("The mechanism", paragraphs(report.mechanism_words) + _picture(report.law) + _numbers(report.law))
    yield section("Scores", _scores(report))
    yield section("How far outputs are from the true count", _errors(report))
    yield section("What is proved", paragraphs(report.proof_words) + PROVE_AGAIN)


def _picture(law: Law) -> str:
    from mechdesign_figures.plots.law_picture import layer_end, plot_law
    from mechdesign_figures.plots.parts.saving import picture_bytes

    drawn = picture_bytes(plot_law(law), ".svg").decode()
    left = f"Left: probabilities of output i (downwards) on input j (to the right); {layer_end(law)}"
    words = f"{left}. Right: how the score, or the proved gap, falls as the group grows"
    return svg_figure(drawn, words, "the numbers stand in the tables below")


def _numbers(law: Law) -> str:
    """Write the layer in numbers, the exact fractions as tooltips."""
    mechanism = law.mechanism
    if isinstance(mechanism, FairMechanism) or mechanism.depth > MOST_WRITTEN:
        return ""
    table_at, denominator = mechanism.table(law.least)
    columns = "".join(f'<th scope="col">{j}</th>' for j in range(mechanism.depth))
    lines = []
    for i, row in enumerate(table_at):
        values = [Fraction(x, denominator) for x in row]
        cells = "".join(f'<td title="{escape(tooltip(value))}">{float(value):.4f}</td>' for value in values)
        lines.append(f'<tr><th scope="row">{i}</th>{cells}</tr>')
    at = "" if mechanism.slopes is None else f" at n = {law.least}"
    caption = f"Pr[output i | input j] in the layer{at}, four decimals; the exact fraction of a cell is its tooltip"
    body = "\n".join([f'<tr><th scope="col">i \\ j</th>{columns}</tr>', *lines])
    return f"<details>\n<summary>The numbers</summary>\n{scrolled(caption, body, 'cells')}\n</details>"


def _scores(report: LawReport) -> str:
    caption = "The score at some sizes; the gap is the part of it that another mechanism may save at most, rounded up"
    rows = [(False, (f"{n:,}", score, gap, status)) for n, score, gap, status in report.scores]
    return grid(caption, ("n", "score", "gap", "status"), rows)


def _errors(report: LawReport) -> str:
    caption = "For the true count for which they are worst: chances rounded down, errors rounded up"
    rows = [
        (False, (f"{n:,}", str(one.distance), f"at least {one.within} of 100", f"{float(one.root_mean_square):.2f}"))
        for n, one in report.errors
    ]
    return grid(caption, ("n", "distance", "outputs within it", "root-mean-square error"), rows)
