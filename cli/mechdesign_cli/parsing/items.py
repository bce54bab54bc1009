"""Options that say what users have (items of a list, bins, numbers, several attributes), and in which columns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from mechdesign.documents.csv_rows import column_position, listed_names
from mechdesign.documents.sources import Source
from mechdesign.errors import InputError, quote, shorten
from mechdesign_catalog.collection.clients.client import UserRows
from mechdesign_catalog.datasets.items.domain import require_header
from mechdesign_cli.record import Group, option
from mechdesign_cli.showing.messages import Kind, remark


class ItemOptions(Group, title="Items, or numbers"):
    """The public domain of what is collected; it never comes from the values."""

    domain: Path | None = option(
        "Public file of all items, one a line; for several attributes, a CSV file column,item."
    )
    ordered: bool = option("The items of --domain are listed in order, as ranges and quantiles need.", default=False)
    bins: list[str] | None = option(
        "Instead of --domain: FIRST:LAST:STEP of numbers (0:120:1) or dates (2020-01-01:2021-01-01:7d); LAST "
        "itself is excluded; give --bins twice for two columns."
    )
    columns: str | None = option("The columns of values, such as a,b: one for each attribute, or one for each --bins.")
    maximum: str | None = option("For onebitmean, instead of --domain: values are numbers in 0..MAXIMUM.")

    def named(self) -> dict[str, Any]:
        """Return what Python takes of them; columns as a list, one of bins alone."""
        given = self.arguments("columns", "bins")
        if self.columns is not None:
            given["columns"] = [name.strip() for name in self.columns.split(",")]
        if self.bins is not None:
            given["bins"] = self.bins[0] if len(self.bins) == 1 else self.bins
        return given


def value_names(column: str | None, columns: str | None) -> list[str] | None:
    """Return the names of the columns of values that are asked for, or None where there is no need to choose.

    Raises:
        InputError: for both options, or a name that is empty or stands twice in the second.
    """
    if columns is None:
        return None if column is None else [column]
    if column is not None:
        raise InputError("exactly one of column and columns must be given, got both")
    names = [name.strip() for name in columns.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise InputError(f"columns must be different names separated by commas, got {quote(columns)}")
    return names


@dataclass(frozen=True)
class ValueColumns:
    """The places of the values in a row, one or more, and of the user's name if that is asked for."""

    values: tuple[int, ...]
    user: int | None

    @classmethod
    def find(
        cls, source: Source, columns: Sequence[str] | None, user: str | None, is_value: Callable[[str], bool]
    ) -> "ValueColumns":
        """Find the columns by their names; that of the values may be left out where there is no other column."""
        named: Sequence[str | None] = [None] if columns is None else columns
        require_header(source.header, [*named, *([user] if user else [])], is_value, source.name)
        at_user = None if user is None else column_position(source.header, user, source.name, "user")
        others = [place for place in range(len(source.header)) if place != at_user]
        if all(map(is_value, source.header)):
            remark("the first line looks like data; a header line is expected, so its user is not counted", Kind.DOUBT)
        if columns is None:
            if len(others) != 1:
                found = listed_names(source.header)
                raise InputError(f"column must be named, got {len(others)} to choose from: {found}")
            return cls((others[0],), at_user)
        asked = "column" if len(columns) == 1 else "columns"
        for name in columns:
            if name == user:
                raise InputError(f"column and user must be two columns, got {name} for both")
        return cls(tuple(column_position(source.header, name, source.name, asked) for name in columns), at_user)

    def told(self, source: Source) -> str:
        """Return what errors call the values: their column of the file, where nothing else is read from it."""
        is_alone = len(self.values) == 1 and self.user is None
        return f"column {shorten(source.header[self.values[0]])} of {source.name}" if is_alone else source.name

    def chunks(self, source: Source, size: int, show: Callable[[int], None]) -> Iterator[UserRows]:
        """Read so many rows at a time; `show` is told how far reading has come."""
        done = 0
        while rows := list(islice(source.rows, size)):
            users = [] if self.user is None else [row[self.user].strip() for row in rows]
            columns = [[row[place] for row in rows] for place in self.values]
            yield UserRows(columns, users, done + 1)
            done += len(rows)
            show(source.position.read)
