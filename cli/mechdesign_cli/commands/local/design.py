"""The command `mechdesign local design`: the best local mechanism for a workload."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from mechdesign.audits.reading import read_design
from mechdesign.documents.document import design_document
from mechdesign.documents.storage import LEVEL_DESIGN, MECHANISM_SUFFIXES, export_content, require_document_exportable
from mechdesign.documents.stored import proved_text
from mechdesign.errors import InputError, shorten
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.level_designs import LevelDesign
from mechdesign.problem.design_problem import AGGREGATES
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.verify.circles import PAIRS
from mechdesign.workload_designs import WideGapError, WorkloadDesign, design_workload, require_askable
from mechdesign.workloads.workload import LARGEST_GRAM, Workload
from mechdesign_catalog.systems.designs.level_design import design_levels
from mechdesign_cli.files.design_output import files_python
from mechdesign_cli.files.output import SummarizedOutput
from mechdesign_cli.files.unfinished import DOCUMENT, UnfinishedFile
from mechdesign_cli.parsing import numbers, options
from mechdesign_cli.parsing.choices import files_read
from mechdesign_cli.parsing.workloads import MOST_BY_ROWS, ItemsAndQueries
from mechdesign_cli.python_text import CATALOG, ENGINE, Code, PythonText
from mechdesign_cli.record import Command, option
from mechdesign_cli.showing.messages import INDENTED, print_result, say
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.progress import line_a_minute, progress_printer
from mechdesign_cli.showing.workload_designs import plan_document, show_plan, show_workload_report
from mechdesign_figures.reports.workload_report import WorkloadReport

AUTO, ROWS, LEVELS = "auto", "rows", "levels"
METHODS = (ROWS, LEVELS)
"""What a design may be made of."""


class WorkloadOutput(SummarizedOutput):
    """The output of a design for a workload."""

    suffixes: ClassVar[tuple[str, ...]] = MECHANISM_SUFFIXES

    output: options.MatrixOutputs = None

    def deliver(self, design: WorkloadDesign | LevelDesign) -> None:
        """Write the files, all or none, then print the document, its summary, or the report in words."""
        notes = [] if isinstance(design, LevelDesign) else exactness_notes(self.output or (), "a .json or .npz")
        self.write(partial(export_content, design), partial(picture, "row_heatmap.plot_workload_design", design), notes)
        report = WorkloadReport(design)
        show = partial(show_workload_report, report, "--json --summary")
        if self.summary:
            print_result(self.json, report.entries, show, write=INDENTED)
        else:
            print_result(self.json, partial(design_document, design), show, write=proved_text)


class Design(Command):
    """The reports answer a workload without bias, and their variance is proved to be near the least.

    A .json file given to --output receives the best design so far, every minute and on Ctrl-C. The exit code is 1 if
    the gap stays wider than --gap; --start FILE continues from such a file. Prefixes, ranges and arcs of more than 64
    items are answered by levels in seconds, unless --method rows says otherwise. Beyond 1,024 items the variance of
    prefixes is measured, and only the bound is proved. From epsilon 1.4 on, prefixes of up to 65,536 items vary less
    without a design, by --oracle best of privatize: its levels are nested.

    To make reports with a design: mechdesign local privatize --oracle FILE.

    Example: mechdesign local design --k 8 --epsilon 1 --workload prefixes --output prefix8.json

    Example: mechdesign local design --attributes 3,2 --epsilon 1 --workload marginals:2 --plot pairs.png
    """

    asked: ItemsAndQueries
    privacy: options.PrivacyOptions
    aggregate: str = option(
        "expected: the variance at equally frequent items; worst: the largest of an item (minimax).",
        default="expected",
        autocompletion=options.words(*AGGREGATES),
    )
    method: str = option(
        "rows: search all reports; levels: for prefixes, ranges and circular; auto: by the number of items.",
        default=AUTO,
        autocompletion=options.words(AUTO, *METHODS),
    )
    gap: float | None = option("Stop once the relative gap is this small.", parser=numbers.share)
    outputs: int | None = option("Use at most M different reports.", metavar="M")
    start: Path | None = option("Design to continue from, a .json file.")
    time_limit: options.TimeLimit = None
    plan_only: bool = option("Print what would be searched, and design nothing.", "--plan", default=False)
    files: WorkloadOutput

    def run(self) -> None:
        """Design, write the files and print.

        Raises:
            WideGapError: where the gap stays wider than asked; what was found is delivered before, after Ctrl-C the
                documents alone.
        """
        workload = self._read_workload()
        by_levels = self._by_levels(workload)
        if not by_levels and workload.k > LARGEST_GRAM:
            raise InputError(
                f"--k must be at most {LARGEST_GRAM} for a design by rows, got {workload.k}; "
                "`mechdesign local oracles` with the same options lists systems for any number of items, and the "
                "bound; --method levels serves prefixes, ranges and circular"
            )
        problem = WorkloadProblem(workload, privacy=self.privacy.read(), aggregate=self.aggregate)
        self.files.check(plan_only=self.plan_only)
        self.files.require_targets(files_read(None, self.asked.workload))
        if self.plan_only:
            print_result(self.files.json, plan_document, show_plan, problem, by_levels)
            return
        if by_levels:
            self._deliver_levels(problem)
            return
        start = None if self.start is None else read_design(self.start)
        if start is not None and not isinstance(start, WorkloadDesign):
            raise InputError(f"--start must be a workload design, got another design in {self.start}")
        output = self.files.output or []
        unfinished = [UnfinishedFile(path, problem) for path in output if path.suffix.lower() == DOCUMENT]

        def keep(design: WorkloadDesign) -> None:
            for file in unfinished:
                file.write(design)

        given = self.arguments("aggregate", "start", "time_limit", "plan_only", "method")
        require_askable(problem, **given, start=start)
        with line_a_minute("designing"):
            try:
                found = design_workload(
                    problem,
                    **given,
                    start=start,
                    time_limit=self.time_limit,
                    tell=progress_printer(),
                    keep=keep if unfinished else None,
                )
            except WideGapError as error:
                keep(error.design)
                if not error.was_interrupted:
                    rest = [path for path in output if path.suffix.lower() != DOCUMENT]
                    replace(self.files, output=rest).deliver(error.design)
                onward = next((f"; go on by --start {file.path}" for file in unfinished if file.goes_on), "")
                raise WideGapError(f"{error}{onward}", error.design) from None
        self.files.deliver(found)

    def _by_levels(self, workload: Workload) -> bool:
        """Whether levels are designed.

        Raises:
            InputError: for a method that is none, or options of a search beside levels.
        """
        if self.method not in (AUTO, *METHODS):
            raise InputError(f"--method must be {AUTO}, {' or '.join(METHODS)}, got {shorten(self.method)}")
        if self.method != AUTO:
            by_levels = self.method == LEVELS
        else:
            served = workload.name in PAIRS and self.aggregate == "expected" and not self._of_a_search()
            by_levels = served and workload.k > MOST_BY_ROWS
        if by_levels and (given := self._of_a_search()):
            raise InputError(f"--{given[0].replace('_', '-')} goes with a search for rows, got it with --method levels")
        return by_levels

    def _of_a_search(self) -> list[str]:
        """Return the options that only a search for rows takes."""
        names = {"gap": self.gap, "outputs": self.outputs, "start": self.start, "time_limit": self.time_limit}
        return [name for name, value in names.items() if value is not None]

    def _deliver_levels(self, problem: WorkloadProblem) -> None:
        """Design levels, write the file and print.

        Raises:
            InputError: for another file than a document.
        """
        for path in self.files.output or ():
            require_document_exportable(path, LEVEL_DESIGN)
        with line_a_minute("designing"):
            found = design_levels(problem)
        self.files.deliver(found)
        if self.method == AUTO and problem.k <= LARGEST_GRAM and _is_searchable(problem):
            say("--method rows searches for a smaller gap, and may take minutes")

    def _read_workload(self) -> Workload:
        """Read the workload.

        Raises:
            InputError: where none is named.
        """
        if self.asked.workload is None:
            raise InputError("--workload must be given, got none; try --workload prefixes")
        found = self.asked.read()
        assert isinstance(found, Workload)
        return found

    def python(self, text: PythonText) -> None:
        """Write a design, and its files."""
        self.asked.python(text)
        stated = self.privacy.arguments()
        aggregate = None if self.aggregate == "expected" else self.aggregate
        text.call("problem", text.use(ENGINE, "WorkloadProblem"), Code("workload"), **stated, aggregate=aggregate)
        if self._by_levels(self._read_workload()):
            text.call("result", text.use(CATALOG, "design_levels"), Code("problem"))
            files_python(text, self.files.paths, "result")
            text.add("print(result)")
            return
        given = self.arguments("aggregate", "start", "plan_only", "method")
        if self.start is not None:
            given["start"] = Code(f"{text.use(ENGINE, 'read_design')}({str(self.start)!r})")
        text.call("result", text.use(ENGINE, "design_workload"), Code("problem"), **given)
        files_python(text, self.files.paths, "result", plot="plot_workload_design")
        text.add("print(result)")


def _is_searchable(problem: WorkloadProblem) -> bool:
    """Whether a search for rows can begin."""
    try:
        require_askable(problem)
    except InputError:
        return False
    return True
