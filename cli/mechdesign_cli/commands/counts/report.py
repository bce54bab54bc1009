"""The command `mechdesign report`: a report on a proved design, and its conversion."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mechdesign.audits.reading import proved_design
from mechdesign.counts.error_metrics import KNOWN
from mechdesign.designs import Design
from mechdesign.documents.document import document_text
from mechdesign.documents.files import Content
from mechdesign.documents.storage import (
    DOCUMENT_SUFFIX,
    EXPORT_SUFFIXES,
    MECHANISM_SUFFIXES,
    PAGE,
    export_content,
    read_stored,
)
from mechdesign.documents.stored import StoredLaw, StoredLevelDesign, StoredWorkloadDesign
from mechdesign.errors import InputError, printable
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.exports.writing import notes_on, require_short_programs
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.releases.record_document import is_record_file
from mechdesign.sweeps.landscape import Landscape, closed_subsets, landscape
from mechdesign.sweeps.subset_designs import with_properties
from mechdesign_catalog.comparisons.of_mechanisms import METRICS, REPETITIONS, measure_mechanisms
from mechdesign_catalog.mechanisms.landmarks import class_names
from mechdesign_cli.commands.counts.landscape import report as show_landscape
from mechdesign_cli.files.design_output import files_python
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.data_options import DataSource, refuse_options
from mechdesign_cli.python_text import ENGINE, FIGURES, PICTURES, Code, PythonText, ending
from mechdesign_cli.record import REQUIRED, Command, Group, argument, option
from mechdesign_cli.showing.designs import show_design
from mechdesign_cli.showing.laws import show_law
from mechdesign_cli.showing.messages import print_result, say
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.tables import console, print_facts
from mechdesign_figures.reports.law_report import LawReport, law_page
from mechdesign_figures.reports.limits import USUAL_PRICES
from mechdesign_figures.reports.release_page import release_page
from mechdesign_figures.reports.release_report import ReleaseReport, report_release
from mechdesign_figures.reports.report import DesignReport, error_comparison

if TYPE_CHECKING:  # with it come all local oracles, which a design for counts does not wait for
    from mechdesign_figures.reports.workload_report import WorkloadReport

FILES = tuple(suffix for suffix in EXPORT_SUFFIXES if suffix != PAGE)
SUFFIXES = (PAGE, *FILES, *PICTURES)
"""Here an `.html` is the report; `--page` is the page that is exported."""


class ReportErrors(Group, title="Errors on data"):
    """The errors on data that a report has."""

    metrics: str | None = option(f"Errors to show, separated by commas: {', '.join(KNOWN)}.", "--metric")
    repetitions: int | None = option(
        f"Number of simulated releases on the data (default {REPETITIONS}).", metavar="TIMES"
    )
    seed: options.Seed = None


class Report(Command):
    """The report says what was asked and proved, how the design compares, what properties cost, and its errors on data.

    Every claim of the document is proved again; only the prices are solved for. An .html report is one page
    without scripts that needs no network; the other endings convert the document. A design for a workload is reported
    with the variances of other oracles.

    A law, one mechanism for groups of every size, has a report of its own. With --n it is written out for groups of n
    people, as a design: matrix and proof of that size, in files of any ending.

    Example: mechdesign report wm.json --data saxony --output wm.html --output wm.npz

    Example: mechdesign report law.json --n 40 --output forty.csv --output forty.vipr
    """

    file: Path = argument(
        "A design, .json or .npz, of any kind, a law, or the record of a release; it is proved again.",
        default=REQUIRED,
    )
    n: options.SizeOfLaw = None
    released: Path | None = option("With the record of a release: the released counts, to show each group.")
    prices: bool | None = option(
        f"Add the best score under every set of properties (default in an .html up to n = {USUAL_PRICES}).",
        "--prices/--no-prices",
    )
    output: list[Path] | None = option(
        "The report as .html; or the design as .json, .csv, .npz, .vipr, .lp, .mps, .png, .svg, .pdf (repeatable).",
        "--output",
        "-o",
    )
    page: Path | None = option(
        "The design as one .html with its document, seal, and a heat map to read by pointer and keys (by a script)."
    )
    json: bool = option("Print the report as JSON.", default=False)
    source: DataSource
    errors: ReportErrors

    def run(self) -> None:
        """Prove the document again, write the files and print."""
        of_data = {**self.source.given(), **self.errors.given()}
        of_designs = {"prices": self.prices, "page": self.page, **of_data}
        if is_record_file(self.file):
            refuse_options({"n": self.n, **of_designs}, "a design", f"the release of {self.file}")
            self._of_release()
            return
        refuse_options({"released": self.released}, "the record of a release", "a design")
        stored = read_stored(self.file)
        if self.n is None and isinstance(stored, StoredLaw):
            refuse_options(of_designs, "a law with --n", "a law alone")
            self._of_law(stored)
            return
        if isinstance(stored, StoredWorkloadDesign | StoredLevelDesign):
            refuse_options({"n": self.n, **of_designs}, "another design", "a design for a workload")
            self._of_workload(stored)
            return
        if self._has_data:
            self.source.check()
        else:
            refuse_options(of_data, "--data or --input", "neither of them")
        self._require_targets([self.file, *self.source.files_read()])
        self._of_design(proved_design(stored, self.file, self.n))

    @property
    def _has_data(self) -> bool:
        return self.source.data is not None or self.source.input is not None

    def _require_targets(self, sources: Sequence[Path], suffixes: Sequence[str] = SUFFIXES) -> None:
        require_targets(self.output or (), None, sources, suffixes)
        if self.page is not None and self.page.suffix.lower() != PAGE:
            raise InputError(f"page must end in {PAGE}, got {self.page}")
        require_targets([*(self.output or ()), *self._pages], None, sources)

    @property
    def _pages(self) -> list[Path]:
        return [] if self.page is None else [self.page]

    def _of_design(self, design: Design) -> None:
        """Report on a design."""
        outputs = self.output or ()
        require_short_programs(design.problem, outputs)
        has_page = any(path.suffix.lower() == PAGE for path in outputs)
        found = self._with_errors(DesignReport(design, self.file.name))
        if has_page and design.problem.n <= USUAL_PRICES if self.prices is None else self.prices:
            found = replace(found, prices=_prices(design))
        pages = {path: export_content(design, path) for path in self._pages}
        write_and_say({path: _content(found, path) for path in outputs} | pages)
        for note in [*notes_on(design.problem, outputs), *exactness_notes(outputs, "a .json or .npz")]:
            say(note)
        self._print(found, partial(_show, found))

    def _print(
        self, content: "DesignReport | LawReport | ReleaseReport | WorkloadReport", show: Callable[[], None]
    ) -> None:
        """Print the document, or what `show` prints where no file is written."""
        if self.json or not (self.output or self.page):
            print_result(self.json, content.entries, show, write=document_text)

    def _of_release(self) -> None:
        """Report on the record of a release."""
        self._require_targets([self.file, *([] if self.released is None else [self.released])], (PAGE,))
        found = report_release(self.file, self.released)
        write_and_say({path: release_page(found).encode() for path in self.output or ()})
        self._print(found, partial(_show_release, found))

    def _of_law(self, stored: StoredLaw) -> None:
        """Report on a law, for every n."""
        outputs = self.output or ()
        for path in outputs:
            if path.suffix.lower() not in (PAGE, *PICTURES):
                raise InputError(f"--output of a law must end in {', '.join((PAGE, *PICTURES))}, got {path}; state --n")
        self._require_targets([self.file])
        found = LawReport(stored.proved(), self.file.name)
        write_and_say({path: _law_content(found, path) for path in outputs})
        self._print(found, partial(show_law, found.law, None))

    def _of_workload(self, stored: StoredWorkloadDesign | StoredLevelDesign) -> None:
        """Report on a design for a workload."""
        from mechdesign_cli.showing.workload_designs import show_workload_report
        from mechdesign_figures.reports.workload_report import WorkloadReport

        outputs = self.output or ()
        documents = (DOCUMENT_SUFFIX,) if isinstance(stored, StoredLevelDesign) else MECHANISM_SUFFIXES
        self._require_targets([self.file], (PAGE, *documents, *PICTURES))
        found = WorkloadReport(stored.proved(), self.file.name)
        write_and_say({path: _workload_content(found, path) for path in outputs})
        for note in exactness_notes(outputs, "a .json or .npz"):
            say(note)
        self._print(found, partial(show_workload_report, found))

    def _with_errors(self, content: DesignReport) -> DesignReport:
        """Add the errors on data, if any are given."""
        if not self._has_data:
            return content
        given: dict[str, Any] = {"metrics": METRICS, "repetitions": REPETITIONS, **self.errors.arguments("seed")}
        seed = self.errors.seed
        comparison = error_comparison(content.design, self.source.read(seed), **given)
        with progress_after_a_second("releasing", comparison.draws) as show:
            rows = measure_mechanisms(comparison, None if seed is None else seeded_words(seed), show)
        return replace(content, errors=rows, grouped=comparison.grouped)

    def python(self, text: PythonText) -> None:
        """Write a report on a document, and its conversions."""
        outputs = self.output or ()
        pages = [path for path in outputs if ending(path) == PAGE]
        data = self.source.python(text, self.errors.seed, by_name=True)
        source: object = self.file
        more: dict[str, object] = {"prices": self.prices or None, "data": data, **self.errors.arguments()}
        is_usual = bool(pages) and self.prices is None
        if is_usual or self.n is not None:
            text.call("source", text.use(ENGINE, "read_design"), self.file, n=self.n)
            source, more = Code("source"), {"name": self.file.name, **more}
        if is_usual:
            more["prices"] = Code(f"source.problem.n <= {USUAL_PRICES}")
        text.call("report", text.use(FIGURES, "report_design"), source, **more)
        for path in pages:
            text.call("", text.use(FIGURES, "save_report"), Code("report"), path)
        files_python(text, [*(path for path in outputs if path not in pages), *self._pages], "report.design")
        text.add("for sentence in report.certificate_words:", "    print(sentence)")


def _show_release(content: ReleaseReport) -> None:
    screen = console()
    print_facts([(name, text) for name, text in content.facts])
    for paragraph in [*content.promise, *content.statement[6:]]:
        screen.print(f"\n{printable(paragraph)}")


def _law_content(content: LawReport, path: Path) -> bytes:
    return (
        law_page(content).encode()
        if ending(path) == PAGE
        else picture("law_picture.plot_law", content.law, path.suffix)
    )


def _workload_content(content: "WorkloadReport", path: Path) -> Content:
    if ending(path) == PAGE:
        from mechdesign_figures.reports.workload_report import workload_page

        return workload_page(content).encode()
    if ending(path) in PICTURES:
        return picture("row_heatmap.plot_workload_design", content.design, path.suffix)
    return export_content(content.design, path)


def _prices(design: Design) -> Landscape:
    problem = with_properties(design.problem, ())
    with progress_after_a_second("property subsets", len(closed_subsets(problem))) as show:
        return landscape(problem, on_progress=show)


def _content(content: DesignReport, path: Path) -> Content:
    """Make the content of a file of any ending that is offered."""
    suffix = path.suffix.lower()
    if suffix in FILES:
        return export_content(content.design, path)
    if suffix == PAGE:
        from mechdesign_figures.reports.page import report_page

        return report_page(content).encode()
    return picture("design_picture.plot_design", content.design, suffix)


def _show(content: DesignReport) -> None:
    show_design(content.design)
    if content.prices is not None:
        show_landscape(content.prices, class_names(content.prices), content.design.problem.privacy)
    if content.errors:
        from mechdesign_cli.showing.comparisons import report_mechanisms as show_comparison

        show_comparison(content.errors, content.grouped, "alpha")
