"""The report on a workload design: facts, proofs, and other mechanisms' variance.

That is stated as a multiple of the design's.

The report is data (`WorkloadReport`), and one page of HTML that needs no other file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mechdesign.arguments import checked
from mechdesign.audits.reading import read_design
from mechdesign.documents.document import design_document
from mechdesign.documents.files import FilePath
from mechdesign.errors import InputError
from mechdesign.level_designs import LevelDesign
from mechdesign.pages.html import PROVE_AGAIN, grid, paragraphs, section, svg_figure, table, whole_page
from mechdesign.problem.privacy import Privacy, loss_text, rounded_down, rounded_up
from mechdesign.workload_designs import WorkloadDesign
from mechdesign_catalog.comparisons.baselines import MOST_ITEMS, BaselineStanding, rank_baselines
from mechdesign_figures.reports.workload_bands import bands_of
from mechdesign_figures.reports.workload_words import (
    bits_text,
    bound_rows,
    error_text,
    floor_rows,
    gap_text,
    level_variance_text,
    levels_text,
    variance_text,
)

LEFT_OUT = ("rows", "weights", "denominator", "levels", "certificate")
"""What a report leaves out of the document: the rows or levels, and the proof."""

BELIEF = (
    "What has to be believed is arithmetic with whole numbers in the folder mechdesign/verify, which uses nothing else "
    "of this package. It proves the privacy"
)


@dataclass(frozen=True)
class WorkloadReport:
    """A design for a workload, and what a report says beside it.

    Attributes:
        design: the design.
        name: what the report is called, such as the name of its file.
    """

    design: WorkloadDesign | LevelDesign
    name: str = "design"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What is told first, as labels and texts."""
        found = self.design
        if isinstance(found, LevelDesign):
            return self._of_levels(found)
        problem, mechanism, inputs = found.problem, found.mechanism, found.by_input
        return [
            ("asked", problem.describe()),
            ("epsilon", f"{loss_text(problem.alpha)} = -ln(alpha), rounded up"),
            ("variance", variance_text(problem, found.score)),
            ("  error", error_text(found)),
            (
                "  by item",
                f"{rounded_down(inputs.least, 6)} to {rounded_up(inputs.largest, 6)}, "
                f"mean {rounded_up(inputs.mean, 6)}; on data their mean by the data's shares",
            ),
            *floor_rows("  floor", found.floor),
            *bound_rows(found),
            ("gap", gap_text(found)),
            ("reports", f"{mechanism.n_outputs:,} different ones, {bits_text(mechanism.bits)} each"),
            ("reached by", found.how),
            ("seconds", str(found.seconds)),
        ]

    @staticmethod
    def _of_levels(design: LevelDesign) -> list[tuple[str, str]]:
        return [
            ("asked", design.problem.describe()),
            ("epsilon", f"{loss_text(design.problem.alpha)} = -ln(alpha), rounded up"),
            ("variance", level_variance_text(design)),
            ("  error", error_text(design)),
            *bound_rows(design),
            ("gap", gap_text(design)),
            ("reports", levels_text(design)),
            ("reached by", design.how),
            ("seconds", str(design.seconds)),
        ]

    @cached_property
    def standings(self) -> Sequence[BaselineStanding]:
        """Where the oracles stand beside a design of rows, the best first; none where that would take minutes."""
        problem = self.design.problem
        if isinstance(self.design, LevelDesign):
            return ()
        return rank_baselines(problem.workload, Privacy(alpha=problem.alpha)) if problem.k <= MOST_ITEMS else ()

    @property
    def variance(self) -> str:
        """What the variances of the standings are of."""
        return "mean variance" if self.design.problem.is_worst_case else "variance"

    def times(self, standing: BaselineStanding) -> float:
        """Return how many times the design's variance an oracle has."""
        assert isinstance(self.design, WorkloadDesign)
        return standing.variance / float(self.design.by_input.mean)

    def entries(self) -> dict[str, Any]:
        """Return the document without rows and proof, with facts in words, the oracles, and bands to be drawn."""
        found = self.design
        parts = (
            {"levels": len(found.mechanism.levels)}
            if isinstance(found, LevelDesign)
            else {"outputs": found.mechanism.n_outputs}
        )
        oracles = [
            {
                "oracle": standing.name,
                "published": standing.is_published,
                "variance": standing.variance,
                "ratio": self.times(standing),
                "bits": standing.bits,
            }
            for standing in self.standings
        ]
        return {
            **{key: value for key, value in design_document(found).items() if key not in LEFT_OUT},
            **parts,
            "bits": found.mechanism.bits,
            "facts": [list(row) for row in self.facts],
            "oracles": oracles,
            "bands": bands_of(found),
        }

    def __repr__(self) -> str:
        return f"<WorkloadReport: {self.name}, {self.design.problem.describe()}>"


@checked
def report_workload(source: WorkloadDesign | LevelDesign | FilePath, *, name: str | None = None) -> WorkloadReport:
    """Report on a design for a workload: what is proved of it, and how many times its variance each oracle has.

    Args:
        source: a design, or the file of its document (`.json`, `.npz`), which is proved again.
        name: what the report is called; by default the name of the file.

    Raises:
        InputError: for a file that is unusable, or holds no design for a workload.
        RefusedError: naming the first claim of a document that is false.

    >>> from mechdesign import WorkloadProblem, design_workload, parse_workload
    >>> found = report_workload(design_workload(WorkloadProblem(parse_workload("histogram", 3), epsilon=1)))
    >>> found.standings[0].name, round(found.times(found.standings[0]), 6)
    ('flat:grr', 1.0)
    """
    if isinstance(source, WorkloadDesign | LevelDesign):
        return WorkloadReport(source, name or "design")
    found = read_design(source)
    if not isinstance(found, WorkloadDesign | LevelDesign):
        raise InputError(f"file must be the document of a design for a workload, got another design in {source}")
    return WorkloadReport(found, name or Path(source).name)


def workload_page(report: WorkloadReport) -> str:
    """Write a report on a design for a workload as a page of HTML that needs no other file."""
    return whole_page(f"Report on {report.name}", report.design.problem.describe(), _sections(report))


def _sections(report: WorkloadReport) -> Iterator[str]:
    yield table("Key facts", [(label.strip(), text) for label, text in report.facts])
    yield section("The mechanism", _picture(report))
    if report.standings:
        yield section("Where it stands", _standings(report))
    yield section("What is proved", paragraphs([f"{BELIEF}{_proved(report.design)}"]) + PROVE_AGAIN)


def _proved(design: WorkloadDesign | LevelDesign) -> str:
    """Say what is proved of a design beside its privacy."""
    if not isinstance(design, LevelDesign):
        return ", the variance of each item, and the bound."
    if design.measured:
        return " and the bound. The variance was measured, and is not proved."
    return ", that the variance is at most what is said, and the bound."


def _picture(report: WorkloadReport) -> str:
    from mechdesign_figures.plots.parts.saving import picture_bytes
    from mechdesign_figures.plots.row_heatmap import plot_workload_design

    drawn = picture_bytes(plot_workload_design(report.design), ".svg").decode()
    words = "Left: the reports by items, the likeliest first, and how likely each is. Right: the queries"
    if isinstance(report.design, LevelDesign):
        words = "How often each level is drawn: its blocks, or its row of cells"
    return svg_figure(drawn, words, "the document has the numbers")


def _standings(report: WorkloadReport) -> str:
    caption = f"The {report.variance} of other oracles with best linear estimates, and how many times this design's"
    rows = [
        (False, (one.name, f"{one.variance:.6g}", f"{report.times(one):.3f}", f"{one.bits:,.0f}"))
        for one in report.standings
    ]
    return grid(caption, ("oracle", "variance", "times", "bits"), rows)
