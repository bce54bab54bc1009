"""Published texts that a spreadsheet would take for formulas."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from mechdesign.documents.csv_rows import Cells
from mechdesign.errors import printable, shorten
from mechdesign.releases.publishing import TrueCounts

_FORMULA = re.compile(r"[=+\-@\t\r](?!\s*[\d.,\s]*%?$)")
"""A text that begins like a formula, and is no signed number."""


class Formulas:
    """The count of texts like formulas in a table that is published as it is.

    They are counted while its rows are read.
    """

    def __init__(self) -> None:
        self.count = 0
        self.first = ""

    def watch(self, table: TrueCounts) -> TrueCounts:
        """Return the table, whose texts are counted."""
        self._look(table.columns.written())
        return replace(table, rows=self._watched(table))

    @property
    def remark(self) -> str | None:
        """What is said of them; None where there are none."""
        if not self.count:
            return None
        names, ending = ("1 name begins", "it is") if self.count == 1 else (f"{self.count:,} names begin", "they are")
        shown = printable(shorten(self.first))
        return f"{names} like a spreadsheet formula ({shown}), published as {ending}: open the output as text"

    def _watched(self, table: TrueCounts) -> Iterator[Cells]:
        for row in table.rows:
            self._look(table.columns.rewritten(row, "")[:-1])
            yield row

    def _look(self, cells: Iterable[str]) -> None:
        for cell in cells:
            if _FORMULA.match(cell):
                self.first = self.first or cell
                self.count += 1
