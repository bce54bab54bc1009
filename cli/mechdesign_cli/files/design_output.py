"""Options that say where a design goes, and how it is delivered."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from mechdesign.designs import Design
from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.storage import EXPORT_SUFFIXES, export_content
from mechdesign.documents.stored import proved_text
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.exports.writing import notes_on
from mechdesign.ties import Ties
from mechdesign_cli.files.output import Output, SummarizedOutput
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import ENGINE, FIGURES, PICTURES, Code, PythonText, ending
from mechdesign_cli.record import option
from mechdesign_cli.showing.designs import show_design, show_solved, show_ties, ties_document
from mechdesign_cli.showing.messages import print_result
from mechdesign_cli.showing.pictures import picture

EXACT = "--fractions, or a .json or .npz"
"""What to write instead of a rounded .csv."""


class DesignOutput(Output):
    """The output of a design: its files, and what is printed of it."""

    suffixes: ClassVar[tuple[str, ...]] = EXPORT_SUFFIXES

    output: options.Outputs = None
    fractions: bool = option("Print exact fractions, and write them to .csv (floats if not given).", default=False)

    def deliver(self, result: Design, title: str | None = None, compared: Ties | None = None) -> None:
        """Write the files, all or none, then print the document or the report in words; with it, what was compared."""
        files, exact = self.output or (), result.mechanism if self.fractions else None
        notes = [*notes_on(result.problem, files), *exactness_notes(files, EXACT, exact)]
        draw = partial(picture, "design_picture.plot_design", result, title=title)
        self.write(partial(export_content, result, fractions=self.fractions), draw, notes)
        if compared is None:
            self.show(result)
        else:
            show = partial(show_ties, result, compared, fractions=self.fractions)
            print_result(self.json, lambda: ties_document(result, compared), show)

    def show(self, result: Design) -> None:
        """Print the document or the report in words."""
        show = partial(show_design, fractions=self.fractions)
        print_result(self.json, design_document, show, result, write=proved_text)

    def python(self, text: PythonText) -> None:
        """Write the files of `found`, and print it."""
        files_python(text, self.paths, "result", self.fractions)
        text.add("print(result.score, result.status, result.holds)")


class SolvedOutput(SummarizedOutput, DesignOutput):
    """The output of a solved design: its files, and a print that may be a summary."""

    def show(self, result: Design) -> None:
        """Print the summary, the document or the report in words."""
        if self.summary:
            from mechdesign_figures.reports.report import DesignReport

            print(document_text(DesignReport(result).entries()), end="")
        else:
            show = partial(show_solved, fractions=self.fractions)
            print_result(self.json, design_document, show, result, write=proved_text)


def files_python(
    text: PythonText, paths: Sequence[Path], design: str, fractions: bool = False, plot: str = "plot_design"
) -> None:
    """Write lines that write a design to files and draw it."""
    for path in paths:
        if ending(path) in PICTURES:
            text.picture(path, f"{text.use(FIGURES, plot)}({design})")
        else:
            exact = {"fractions": True} if fractions and ending(path) == ".csv" else {}
            text.call("", text.use(ENGINE, "export"), Code(design), path, **exact)
