"""The output of answered wishes: a table, a picture, and what is printed."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from mechdesign.calibration import Answered
from mechdesign.documents.document import document_text
from mechdesign.sweeps.wishes import tabulate_wishes
from mechdesign_cli.files.output import Output
from mechdesign_cli.python_text import ENGINE, FIGURES, PythonText, ending
from mechdesign_cli.record import option
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.tables import print_table

A = TypeVar("A", bound=Answered)


class WishOutput(Output):
    """The output of answered wishes: their table in files, and on the screen where they are several."""

    plot: Path | None = option("Draw epsilon, or the number of users, against the error to .png, .svg or .pdf.")

    def deliver(self, found: Sequence[A], stated: Callable[[A], Any], show: Callable[[A], None]) -> None:
        """Write the files, all or none, and print the document or the report: of several wishes, the table."""
        documents, table = [stated(one) for one in found], tabulate_wishes(found)
        document = documents[0] if len(found) == 1 else {"wishes": documents}

        def report() -> None:
            if len(found) == 1:
                show(found[0])
            else:
                print_table(table)

        draw = partial(picture, "wishes.plot_wishes", found)
        self.deliver_table(document_text(document), table.csv_bytes(), draw, report)

    def python(
        self,
        text: PythonText,
        command: str,
        wishes: Sequence[Mapping[str, Any]],
        write: Callable[[str, Mapping[str, Any]], None],
    ) -> None:
        """Write a call for each wish, and the table and the picture of all; `write` adds a call under a name."""
        names = ["result"] if len(wishes) == 1 else [f"result_{number}" for number in range(1, len(wishes) + 1)]
        for name, wish in zip(names, wishes, strict=True):
            write(name, wish)
        every = f"[{', '.join(names)}]"
        if len(names) == 1:
            text.add("print(result)")
        if len(names) > 1 or any(ending(path) == ".csv" for path in self.output or ()):
            text.use(ENGINE, "tabulate_wishes")
            text.add(f"table = tabulate_wishes({every})", "print(table.columns)")
        for path in self.output or ():
            if ending(path) == ".csv":
                text.write(path, "table.csv_bytes()")
            else:
                text.leave_out(path, command)
        if self.plot is not None:
            text.use(FIGURES, "plot_wishes")
            text.picture(self.plot, f"plot_wishes({every})")
