"""Reports from clients, and the state of sums that a server keeps of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign_catalog.randomizers.reports.ragged import Ragged, concatenated

Constants = dict[str, Any]
"""Exact numbers as JSON has them: whole numbers, rationals as texts (`3/10`), and lists and objects of these."""

Parameters = dict[str, str | int]
"""`oracle` is its name; the rest makes the same oracle again. Rationals are texts such as 3/10."""

ReportLaw = dict[tuple[int, ...], tuple[Fraction, ...]]
"""`law[report][v] = Pr[report | item v]`; a report is the row of its columns, flattened to whole numbers."""

Column = NDArray[Any]
AnyColumn = Column | Ragged
"""Numbers or rows of bytes as an array; or byte strings of different lengths."""


@dataclass(frozen=True, eq=False)
class Reports:
    """One report for each user, in columns of equal length.

    A column is an array of shape (users,), or (users, bytes) for packed bits; or byte strings of different lengths.

    Raises:
        InputError: for no column, or columns of different lengths.
    """

    parameters: Parameters
    columns: Mapping[str, AnyColumn]

    def __post_init__(self) -> None:
        if len({column.shape[:1] for column in self.columns.values()} | {()}) != 2:
            shapes = ", ".join(f"{name} {column.shape}" for name, column in self.columns.items())
            raise InputError(f"reports must have columns of equal length, got {shapes or 'none'}")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def arrays(self) -> dict[str, Column]:
        """Return the columns, where all are arrays.

        Raises:
            InputError: naming the first that has byte strings.
        """
        found: dict[str, Column] = {}
        for name, column in self.columns.items():
            if isinstance(column, Ragged):
                raise InputError(f"reports must have a column {name} of numbers, got byte strings")
            found[name] = column
        return found

    def __getitem__(self, rows: slice) -> "Reports":
        return Reports(self.parameters, {name: column[rows] for name, column in self.columns.items()})


def joined(pieces: Sequence[Reports]) -> Reports:
    """Put the reports of one oracle together, in order; there must be at least one piece.

    Raises:
        InputError: for reports of other parameters than the first.
    """
    first, *others = pieces
    for other in others:
        require_same(first.parameters, other.parameters, "reports")
    columns = {name: _joined([piece.columns[name] for piece in pieces], name) for name in first.columns}
    return Reports(first.parameters, columns)


def _joined(columns: Sequence[AnyColumn], name: str) -> AnyColumn:
    ragged = [column for column in columns if isinstance(column, Ragged)]
    arrays = [column for column in columns if not isinstance(column, Ragged)]
    if ragged and arrays:
        raise InputError(f"reports must have one kind of column {name}, got byte strings beside others")
    return concatenated(ragged) if ragged else np.concatenate(arrays)


@dataclass(frozen=True, eq=False)
class State:
    """The state of a server: the number of users and whole-number sums.

    States of one oracle add up, in any order.
    """

    parameters: Parameters
    users: int
    sums: NDArray[np.int64]

    def merge(self, other: "State") -> "State":
        """Return the state of both groups of users.

        Raises:
            InputError: for a state of another oracle, of other parameters, or with another number of sums.
        """
        self._require_alike(other)
        return State(self.parameters, self.users + other.users, self.sums + other.sums)

    def grown_by(self, other: "State") -> "State":
        """Return the same, in the memory of this state's sums, which nobody may use afterwards.

        Raises:
            InputError: as `merge`.
        """
        self._require_alike(other)
        sums = np.add(self.sums, other.sums, out=self.sums)
        return State(self.parameters, self.users + other.users, sums)

    def _require_alike(self, other: "State") -> None:
        require_same(self.parameters, other.parameters, "states")
        if self.sums.shape != other.sums.shape:
            raise InputError(f"states must have as many sums, got {other.sums.shape} beside {self.sums.shape}")


def merged(states: Iterable[State]) -> State:
    """Merge states into one; there must be at least one."""
    return reduce(State.merge, states)


def random_identity(words: WordSource = system_words) -> str:
    """Draw 16 random bytes in hexadecimal digits: what tells files apart, and says nothing else."""
    return words(2).tobytes().hex()


def require_same(wanted: Parameters, got: Parameters, what: str) -> None:
    """Refuse reports and states that do not go together: every parameter must be the same.

    Raises:
        InputError: naming the first parameter that differs.
    """
    if wanted == got:
        return
    name = next(name for name in [*wanted, *got] if wanted.get(name) != got.get(name))
    raise InputError(
        f"{what} must be made with the same parameters, got {name}={shorten(got.get(name))} "
        f"beside {name}={shorten(wanted.get(name))}"
    )


def require_counts(counts: NDArray[np.int64], most: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Check counts of users: each is in 0..most, by itself if `most` is an array.

    Raises:
        InputError: naming the first that no reports can add up to.
    """
    outside = (counts < 0) | (counts > most)
    if outside.any():
        place = int(np.argmax(outside))
        limit = np.broadcast_to(most, counts.shape)[place]
        raise InputError(f"a state must have counts in 0..{limit}, got {counts[place]} in place {place + 1}")
    return counts


def counted(column: Column, bound: int) -> NDArray[np.int64]:
    """Count how often each number below the bound is in a column of numbers that are; shape (bound,)."""
    return np.bincount(column.astype(np.intp, copy=False), minlength=bound).astype(np.int64, copy=False)
