"""Numbers of Adult as ordered items: age, weekly hours, capital gain, in public bins.

The bins are those of what the columns mean, never of what the private values happen to be: ages and hours of two
digits, one bin each; gains of five digits, in bins of 100 dollars. The people are those of `adult:sex` and so on, the
complete rows of both files.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign_catalog.datasets.counts.adult import ADULT, WIDTH
from mechdesign_catalog.datasets.items.categorical import complete_rows
from mechdesign_catalog.datasets.items.counts import ItemCounts
from mechdesign_catalog.datasets.published import PublishedFile


@dataclass(frozen=True)
class OrderedColumn:
    """A column of whole numbers from 0 to `k * step` - 1, in k bins of `step` numbers each."""

    name: str
    title: str
    column: int
    k: int
    step: int
    files: tuple[PublishedFile, ...]

    def counts(self, folder: Path | None = None) -> ItemCounts:
        """Count the people in each bin.

        Raises:
            InputError: for a file that is missing or wrong, or a number that is in no bin.
        """
        return self.parse((file.read(folder), file.file_name) for file in self.files)

    def parse(self, contents: Iterable[tuple[bytes, str]]) -> ItemCounts:
        """Count the people in the files' contents, each given with its name.

        Raises:
            InputError: naming the row that does not fit.
        """
        counts = np.zeros(self.k, dtype=np.int64)
        for content, source in contents:
            for number, cells in complete_rows(content, WIDTH, source):
                counts[self._bin(cells[self.column], number, source)] += 1
        return ItemCounts(self.name, tuple(map(self.label, range(self.k))), counts)

    def label(self, item: int) -> str:
        """Return the label of a bin: its number, or its first and last."""
        first = item * self.step
        return str(first) if self.step == 1 else f"{first}..{first + self.step - 1}"

    def _bin(self, cell: str, row: int, source: str) -> int:
        if not (cell.isascii() and cell.isdecimal()) or int(cell) >= self.k * self.step:
            raise InputError(
                f"{self.name} must be a whole number in 0..{self.k * self.step - 1}, "
                f"got {shorten(cell) or 'none'} in row {row} of {source}"
            )
        return int(cell) // self.step


BOTH = tuple(ADULT.values())
ORDERED = {
    column.name: column
    for column in (
        OrderedColumn("adult:age", "age in years", 0, 100, 1, BOTH),
        OrderedColumn("adult:hours-per-week", "hours of work in a week", 12, 100, 1, BOTH),
        OrderedColumn("adult:capital-gain", "gain from capital in a year, in bins of 100 dollars", 10, 1000, 100, BOTH),
    )
}
