"""Permanent memoisation: a user draws answers once and for all, so that repeated collection averages nothing away.

Reports that are drawn anew in every round reveal the value: the mean of many has no noise left. Here each user has a
table of answers, one for every state that the oracle can tell apart, drawn once (Ding, Kulkarni, Yekhanin, *Collecting
telemetry data privately*, NeurIPS 2017; the idea is RAPPOR's). The report is looked up: as long as the value does not
change, every round's report is the same, and a thousand rounds say as much as one.

- `dbitflip`: the d buckets, and d bits for each of the d + 1 states "my value is the j-th bucket" and "none of them"
  (d = k: k states). Every state's bits are drawn by themselves, as in the paper.
- `onebitmean`: the rounding point, and one bit each for 0 and for the maximum.

**What rounds do reveal.** That a state changed, and when it is the same as before: reports change with it. What the
states are stays hidden: for any two users whose states change in the same rounds and return in the same rounds, the
loss over all rounds is at most eps for each state that was visited (composition), so (d + 1) eps or 2 eps in the end.

**All answers are drawn when the user first comes**, not when a state first occurs: a memory that has only the states
that occurred would tell the values to whoever finds it. As it is, the memory alone says nothing of them; but together
with the reports it does, so it must stay with the users' own values.
"""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign import InputError
from mechdesign.files import read_arrays, whole_binary_file
from mechdesign.sampling import WordSource, system_words
from mechdesign_catalog.oracles.oracle import Values
from mechdesign_catalog.oracles.reports import Column, Parameters, Reports, require_same

Names = NDArray[np.str_]

MEMORY_FORMAT = "mechdesign-memory/1"
SECRET = (
    "SECRET: these answers and a user's reports together tell the user's values; keep the file where the values are"
)
LONGEST_NAME = 200


@runtime_checkable
class Memoised(Protocol):
    """An oracle whose answers can be drawn before the value is known."""

    @property
    def name(self) -> str:
        """As on the command line."""

    @property
    def parameters(self) -> Parameters:
        """All that makes the same oracle again."""

    def checked(self, values: Values) -> Values:
        """Values in range."""

    def remember(self, count: int, words: WordSource) -> dict[str, Column]:
        """So many users' answers, in columns with one row for each."""

    def recall(self, memory: Mapping[str, Column], values: Values) -> Reports:
        """Those users' reports."""

    def require_memory(self, memory: Mapping[str, Column], users: int) -> None:
        """Refuse columns that `remember` cannot have made."""


@dataclass(frozen=True, eq=False)
class Memory:
    """Answers of `users` (their names, each once), in columns with one row for each. Secret."""

    oracle: Memoised
    users: Names
    columns: Mapping[str, Column]

    @classmethod
    def empty(cls, oracle: Memoised) -> "Memory":
        """Before the first round."""
        return cls(oracle, np.empty(0, dtype="<U1"), oracle.remember(0, system_words))

    def __len__(self) -> int:
        return len(self.users)

    def answer(self, users: ArrayLike, values: Values, words: WordSource | None = None) -> tuple[Reports, "Memory"]:
        """One round: a report for each of these users, and the memory with those among them who are new.

        The new memory must be saved before the reports are sent: else the next round draws again.

        Raises:
            InputError: for a user who stands there twice or has no name, or a value out of range, naming the row.
        """
        names = checked_names(users)
        values = self.oracle.checked(values)
        if len(names) != len(values):
            raise InputError(f"users must be as many as values, got {len(names)} for {len(values)}")
        rows = self._rows(names)
        is_new = rows < 0
        grown = self._with_new(names[is_new], words or system_words)
        rows[is_new] = np.arange(len(self), len(grown))
        return self.oracle.recall({name: column[rows] for name, column in grown.columns.items()}, values), grown

    def _rows(self, names: Names) -> NDArray[np.int64]:
        """Where these users stand, -1 for new ones."""
        if not len(self):
            return np.full(len(names), -1, dtype=np.int64)
        order = np.argsort(self.users)
        place = order[np.minimum(np.searchsorted(self.users, names, sorter=order), len(self) - 1)]
        return np.where(self.users[place] == names, place, -1)

    def _with_new(self, names: Names, words: WordSource) -> "Memory":
        if not len(names):
            return self
        drawn = self.oracle.remember(len(names), words)
        columns = {name: np.concatenate([column, drawn[name]]) for name, column in self.columns.items()}
        return Memory(self.oracle, np.concatenate([self.users, names]), columns)

    def to_bytes(self) -> bytes:
        """An `.npz` without pickles: names in UTF-8, the columns, and the rest as JSON text."""
        header = {"format": MEMORY_FORMAT, "secret": SECRET, "parameters": self.oracle.parameters, "users": len(self)}
        names = np.char.encode(self.users, "utf-8")
        arrays: dict[str, Any] = {"header": np.array(json.dumps(header)), "users": names, **self.columns}
        stream = io.BytesIO()
        np.savez(stream, **arrays)
        return stream.getvalue()

    def save(self, path: Path) -> None:
        """Replace the file as a whole, or not at all; a new one can be read by its owner only."""
        with whole_binary_file(path, secret=True) as stream:
            stream.write(self.to_bytes())

    @classmethod
    def read(cls, path: Path, oracle: Memoised) -> "Memory":
        """A memory of this oracle, as `save` wrote it.

        Raises:
            InputError: for any other file, a damaged one, or the memory of another oracle or of other parameters.
        """
        arrays = read_arrays(path)
        try:
            header = json.loads(str(arrays.pop("header")))
            if header["format"] != MEMORY_FORMAT:
                raise ValueError
            parameters, count = dict(header["parameters"]), header["users"]
            names = np.char.decode(arrays.pop("users"), "utf-8")
        except (KeyError, ValueError, TypeError):
            raise InputError(f"file must be a memory of format {MEMORY_FORMAT}, got {path}") from None
        require_same(oracle.parameters, parameters, "a memory")
        try:
            if len(checked_names(names)) != count:
                raise InputError(f"a memory must have as many users as it says, got {len(names)}, not {count}")
            oracle.require_memory(arrays, len(names))
        except InputError as error:
            raise InputError(f"{error}; the memory {path} is damaged") from None
        return cls(oracle, names, arrays)


def checked_names(users: ArrayLike) -> Names:
    """Names of users, texts or whole numbers, each once.

    Raises:
        InputError: naming the first row that is blank, too long, or there before.
    """
    names = np.asarray(users)
    if names.ndim != 1 or (len(names) and names.dtype.kind not in "Uiu"):
        raise InputError(
            f"users must be a vector of texts or whole numbers, got {names.dtype}, {names.ndim} dimensions"
        )
    names = names.astype(np.str_)
    lengths = np.char.str_len(names)
    for wrong, what in ((lengths == 0, "not be blank"), (lengths > LONGEST_NAME, f"be {LONGEST_NAME} letters at most")):
        if wrong.any():
            raise InputError(f"users must {what}, got one in row {int(np.argmax(wrong)) + 1}")
    order = np.argsort(names, kind="stable")
    again = np.flatnonzero(names[order][1:] == names[order][:-1])
    if len(again):
        row = int(order[again + 1].min())
        raise InputError(f"users must stand once in a round, got {names[row][:40]} again in row {row + 1}")
    return names
