"""Options that say where a result goes, and how it gets there."""

import json as json_module
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from mechdesign.documents.files import Content
from mechdesign.errors import InputError
from mechdesign_catalog.comparisons.rows import ComparisonRows
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import FIGURES, PythonText, ending
from mechdesign_cli.record import Group, option
from mechdesign_cli.showing.messages import print_result, say


class Output(Group, title="Output"):
    """The output of a result: files, a picture, and what is printed of it."""

    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".json")

    output: options.Tables = None
    plot: options.Plot = None
    json: options.Json = False

    @property
    def paths(self) -> list[Path]:
        """All files, the picture last."""
        return [*(self.output or ()), *([] if self.plot is None else [self.plot])]

    def require_targets(self, sources: Sequence[Path]) -> None:
        """Refuse, before any work, files that could not be written, or that are `sources`."""
        require_targets(self.output or (), self.plot, sources, self.suffixes)

    def write(
        self, content: Callable[[Path], Content], draw: Callable[[str], bytes], notes: Iterable[str] = ()
    ) -> None:
        """Write the files, all or none, by what makes the content of a path and the picture of a suffix; say notes."""
        contents = {path: content(path) for path in self.output or ()}
        if self.plot is not None:
            contents[self.plot] = draw(self.plot.suffix)
        write_and_say(contents)
        for note in notes:
            say(note)

    def deliver_table(
        self, document: str, table: bytes, draw: Callable[[str], bytes], report: Callable[[], None]
    ) -> None:
        """Write a document to .json and a table to other files, and print the document or the report."""
        self.write(lambda path: document.encode() if path.suffix.lower() == ".json" else table, draw)
        print_result(self.json, lambda: document, report, write=str)


class SummarizedOutput(Output):
    """The output of a result whose print may be a summary."""

    summary: bool = option(
        "With --json: print the report, which has no matrix and no proof, instead of the document.", default=False
    )

    def check(self, *, plan_only: bool) -> None:
        """Refuse options that do not go together."""
        if self.summary and not self.json:
            raise InputError("--summary goes with --json, got it alone; the report without --json is a summary too")
        if plan_only and (self.output or self.plot is not None or self.summary):
            raise InputError("--plan designs nothing, got it with --output, --plot or --summary; leave one out")


SUFFIXES = (".csv", ".json")


class ComparisonOutput(Output):
    """The output of a comparison's rows."""

    plot: Path | None = option("Draw the comparison to .png, .svg or .pdf.")

    def deliver(
        self,
        rows: ComparisonRows[Any],
        about: Mapping[str, object],
        draw: Callable[[str], bytes],
        report: Callable[[], None],
    ) -> None:
        """Write the files, all or none, and print the document or the report.

        Args:
            rows: the rows.
            about: what the document says besides: the data, the seed.
            draw: makes the picture for a suffix.
            report: prints the tables.
        """
        document = json_module.dumps({"rows": rows.tabulate().entries(), **about}, indent=1) + "\n"
        self.deliver_table(document, rows.tabulate().csv_bytes(), draw, report)

    def python(self, text: PythonText, command: str, plot: str) -> None:
        """Write the rows to files, and print them; `plot` names the function that draws them."""
        for path in self.output or ():
            if ending(path) == ".csv":
                text.write(path, "rows.tabulate().csv_bytes()")
            else:
                text.leave_out(path, command)
        if self.plot is not None:
            text.use(FIGURES, plot)
            text.picture(self.plot, f"{plot}(rows)")
        text.add("for entry in rows.tabulate().entries():", "    print(entry)")
