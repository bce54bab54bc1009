"""Find the columns of users' values in a table, and read them in chunks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from mechdesign.documents.csv_rows import column_position
from mechdesign.documents.sources import Source
from mechdesign.errors import InputError, shorten
from mechdesign_catalog.datasets.items.domain import require_header
from mechdesign_catalog.oracles.collection.clients import UserRows


@dataclass(frozen=True)
class ValueColumns:
    """The place of the value in a row, and of the user's name if that is asked for."""

    value: int
    user: int | None

    @classmethod
    def find(
        cls, source: Source, column: str | None, user: str | None, is_value: Callable[[str], bool]
    ) -> "ValueColumns":
        """Find the columns by their names; the value's may be left out where there is no other column."""
        require_header(source.header, [column, user] if user else [column], is_value, source.name)
        at_user = None if user is None else column_position(source.header, user, source.name)
        others = [place for place in range(len(source.header)) if place != at_user]
        if column is None and len(others) != 1:
            names = shorten(", ".join(source.header), 200)
            raise InputError(f"column must be named, got {len(others)} to choose from: {names}")
        at_value = others[0] if column is None else column_position(source.header, column, source.name)
        if at_value == at_user:
            raise InputError(f"column and user must be two columns, got {column} for both")
        return cls(at_value, at_user)

    def chunks(self, source: Source, size: int, show: Callable[[int], None]) -> Iterator[UserRows]:
        """Read so many rows at a time; `show` is told how far reading has come."""
        done = 0
        while rows := list(islice(source.rows, size)):
            users = [] if self.user is None else [row[self.user].strip() for row in rows]
            yield UserRows([row[self.value] for row in rows], users, done + 1)
            done += len(rows)
            show(source.position.read)
