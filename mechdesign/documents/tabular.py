"""Tables of results: as CSV, as rows of a JSON document, in a notebook, and for pandas, polars or pyarrow."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from mechdesign.errors import InputError, printable, quote

if TYPE_CHECKING:
    import rich.table

Backend = Literal["pandas", "polars", "pyarrow"]


GAP = 2
"""Columns of the terminal before each column but the first."""


@dataclass(frozen=True)
class Column(Sequence[Any]):
    """Cells, and how a screen shows them: numbers at the right, words at the left; what is too wide is cut or folds.

    A text is shown as it is, and a number with six digits.
    """

    head: str
    cells: Sequence[Any]
    is_number: bool = True
    folds: bool = False

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, place: Any) -> Any:
        return self.cells[place]

    @property
    def texts(self) -> list[str]:
        """The cells as a screen shows them."""
        return [f"{cell:.6g}" if isinstance(cell, float) else "" if cell is None else str(cell) for cell in self.cells]

    @property
    def width(self) -> int:
        """How many columns of the terminal it takes."""
        return max(len(line) for text in (self.head, *self.texts) for line in text.split("\n"))


def words(head: str, cells: Sequence[str], *, folds: bool = False) -> Column:
    """Return a column of words."""
    return Column(head, cells, is_number=False, folds=folds)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of results by name, all of the same length.

    `common` is the same in every row, such as the confidence of intervals: files have it as further columns, documents
    state it once.

    >>> table = Table({"item": ["a", "b, c"], "share": [0.25, None]}, {"post": "raw"})
    >>> table.csv_bytes().decode().splitlines()
    ['item,share,post', 'a,0.25,raw', '"b, c",,raw']
    >>> table.entries()[1]
    {'item': 'b, c', 'share': None}
    """

    columns: Mapping[str, Sequence[Any]]
    common: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Sequence[Mapping[str, Any]]) -> "Table":
        """Make a table of rows that have the same columns."""
        return cls({name: [entry[name] for entry in entries] for name in (entries[0] if entries else ())})

    @classmethod
    def of_columns(cls, columns: Iterable[Column]) -> "Table":
        """Make a table of columns by their heads; the second of two equal heads is numbered."""
        seen, found = Counter[str](), {}
        for column in columns:
            seen[column.head] += 1
            found[column.head if seen[column.head] == 1 else f"{column.head} {seen[column.head]}"] = column
        return cls(found)

    def rows(self) -> Iterable[tuple[Any, ...]]:
        """Yield the cells of each row, without what is common."""
        return zip(*self.columns.values(), strict=True)

    def entries(self) -> list[dict[str, Any]]:
        """Return the cells of each row by column, without what is common."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows()]

    def csv_bytes(self) -> bytes:
        """Write CSV, as `csv_bytes` does."""
        common = tuple(self.common.values())
        return csv_bytes((*self.columns, *self.common), ((*row, *common) for row in self.rows()))

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Make a `pandas.DataFrame` of it, or one of polars or pyarrow, without what is common.

        Raises:
            InputError: for another library, or one that is not installed.
        """
        if backend not in ("pandas", "polars", "pyarrow"):
            raise InputError(f"backend must be pandas, polars or pyarrow, got {quote(backend)}")
        import narwhals as nw  # takes longer than most results

        columns = {name: list(cells) for name, cells in self.columns.items()}
        try:
            return nw.from_dict(columns, backend=backend).to_native()
        except ModuleNotFoundError:
            raise InputError(
                f"backend must be installed, got {backend}, which is not; run pip install {backend}"
            ) from None

    @property
    def shown(self) -> list[Column]:
        """The columns as a screen shows them: those of texts alone as words."""
        return [
            cells
            if isinstance(cells, Column)
            else Column(name, cells, not all(isinstance(cell, str) for cell in cells))
            for name, cells in self.columns.items()
        ]

    @property
    def width(self) -> int:
        """How many columns of the terminal it takes."""
        return sum(column.width + GAP for column in self.shown) - GAP

    def within(self, width: int, spared: Sequence[str]) -> "Table":
        """Leave columns out, those of the first of these heads first, until the table is no wider."""
        found = self
        for head in spared:
            if found.width > width:
                found = Table.of_columns(column for column in found.shown if column.head != head)
        return found

    def parts(self, width: int) -> "list[Table]":
        """Make several tables of it, each with its words and as many of the numbers as fit."""
        labels = [column for column in self.shown if not column.is_number]
        found = [labels]
        for column in self.shown:
            if column.is_number:
                if len(found[-1]) > len(labels) and Table.of_columns([*found[-1], column]).width > width:
                    found.append(labels)
                found[-1] = [*found[-1], column]
        return [Table.of_columns(columns) for columns in found]

    def for_screen(self, width: int, least: int = 0) -> "rich.table.Table":
        """Make a table of Rich, without lines; its words are cut off, if `least` is given, to no fewer letters."""
        from rich.table import Table as Grid  # a screen is not always there
        from rich.text import Text

        labels = [column for column in self.shown if not column.is_number]
        numbers = Table.of_columns(column for column in self.shown if column.is_number)
        room = max(least, (width - numbers.width) // len(labels) - GAP) if least else None
        grid = Grid(box=None, pad_edge=False)
        for column in self.shown:
            grid.add_column(
                Text(printable(column.head)),
                justify="right" if column.is_number else "left",
                no_wrap=not column.folds,
                overflow="fold" if column.folds else "ellipsis",
                min_width=max(map(len, column.head.split()), default=0) if column.folds else None,
                max_width=None if column.is_number else room,
            )
        for row in zip(*(column.texts for column in self.shown), strict=True):
            grid.add_row(*(Text("\n".join(map(printable, text.split("\n")))) for text in row))
        return grid

    def _repr_html_(self) -> str:
        from mechdesign.mechanism.notebook import table

        size = len(next(iter(self.columns.values()), ()))
        told = [f"{name}: {value}" for name, value in self.common.items()]
        told += [f"the first {MOST_SHOWN} of {size} rows"] if size > MOST_SHOWN else []
        return table(list(self.columns), islice(self.rows(), MOST_SHOWN), "; ".join(told))


MOST_SHOWN = 500
"""Rows that a notebook shows."""


def csv_bytes(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """Write CSV in UTF-8: floats as the shortest decimals that read back the same, None as an empty cell."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue().encode()
