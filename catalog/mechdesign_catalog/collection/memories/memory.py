"""Permanent memoisation: users' answers kept for good.

So repeated collection averages nothing away.

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

**Why not fewer answers.** Two bits a bucket (for "mine" and "not mine") would be 2 d bits in place of d (d + 1). But
then only the bits of the old and of the new bucket can change with the value: a bit that changes names one of the two
with certainty, where here any of the d bits may. Answers that are drawn only for states that occur would be fewer, and
tell the values to whoever finds the memory.

**All answers are drawn when the user first comes**, whatever the value is. So the memory alone says nothing of the
values; but together with the reports it does, so it must stay with the users' own values.

**A memory belongs to one domain**, since a state is the number of an item: with other items, or the same in another
order, users would give the answers of other states, and permanent answers would be fresh ones. So it knows its
domain's digest. It also knows whether it is a simulation (its seed), which never mixes with real answers, and it has a
random identity, which travels with its reports: two rounds of one memory are the same users.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.errors import InputError
from mechdesign.ledgers.spellings import DIFFERENCE, RULE, user_keys, without_invisible
from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.reports import Column, Parameters, Reports

Names = NDArray[np.str_]

SECRET = (
    "SECRET: these answers and a user's reports together tell the user's values; keep the file where the values are"
)
LONGEST_NAME = 200


@runtime_checkable
class Memoised(Protocol):
    """An oracle whose answers can be drawn before the value is known."""

    @property
    def title(self) -> str:
        """The name on the command line, with options that are not the usual ones."""

    @property
    def parameters(self) -> Parameters:
        """Parameters that make the same oracle again."""

    def checked(self, values: Values) -> Values:
        """Check that values are in range."""

    def remember(self, count: int, words: WordSource) -> dict[str, Column]:
        """Draw the answers of so many users, in columns with one row for each."""

    def recall(self, memory: Mapping[str, Column], values: Values) -> Reports:
        """Look up those users' reports."""

    def require_memory(self, memory: Mapping[str, Column], users: int) -> None:
        """Refuse columns that `remember` cannot have made."""

    @property
    def permanent_answers(self) -> int:
        """How many answers a user has, one for each state; all rounds together tell no more than they do."""

    @property
    def remembered_bytes(self) -> int:
        """Bytes of one user's answers."""

    def remembering_less(self, most: int) -> str:
        """Name, as on the command line, the best such oracle whose answers take `most` bytes a user; empty if none."""


@dataclass(frozen=True)
class AnswerRows:
    """The rows of users' answers, packed into bytes of one length, little-endian."""

    row: np.dtype[np.void]

    @classmethod
    def of(cls, oracle: Memoised) -> "AnswerRows":
        """Find out what columns the oracle remembers; a row has them in the order of their names."""
        empty = sorted(oracle.remember(0, system_words).items())
        return cls(np.dtype([(name, column.dtype.newbyteorder("<"), column.shape[1:]) for name, column in empty]))

    @property
    def width(self) -> int:
        """Bytes of one user's row."""
        return self.row.itemsize

    def packed(self, columns: Mapping[str, Column]) -> list[bytes]:
        """Return one text of bytes for each user."""
        rows = np.empty(len(next(iter(columns.values()))), dtype=self.row)
        for name, column in columns.items():
            rows[name] = column
        return [row.tobytes() for row in rows]

    def unpacked(self, rows: Sequence[bytes]) -> dict[str, Column]:
        """Return the columns again; every row must have `width` bytes."""
        table = np.frombuffer(b"".join(rows), dtype=self.row)
        return {name: np.ascontiguousarray(table[name]) for name in self.row.names or ()}


def checked_names(users: ArrayLike, rule: int = RULE) -> Names:
    """Check names of users: texts or whole numbers, each once; returns them in the one form by which they are known.

    Different writings of the same letters (Unicode NFKC), what is invisible, and white space around them make no other
    user, who would answer anew. Names that differ in so little that they may be one user's, as in case or in
    hyphens, are refused: taken for one, two users would share their answers; taken for two, one would answer twice.

    Args:
        users: their names.
        rule: of the memory (`mechdesign.ledgers.spellings`); by rule 1 only NFKC and white space make no other user.

    Raises:
        InputError: naming the first row that is blank, too long, there before, or spelled like another one.
    """
    names = np.asarray(users)
    if names.ndim != 1 or (len(names) and names.dtype.kind not in "Uiu"):
        raise InputError(
            f"users must be a vector of texts or whole numbers, got {names.dtype}, {names.ndim} dimensions"
        )
    form = without_invisible if rule > 1 else _plain_form
    names = np.array([form(name) for name in names.astype(np.str_).tolist()], dtype=np.str_)
    lengths = np.char.str_len(names)
    for wrong, what in ((lengths == 0, "not be blank"), (lengths > LONGEST_NAME, f"be {LONGEST_NAME} letters at most")):
        if wrong.any():
            raise InputError(f"users must {what}, got one in row {int(np.argmax(wrong)) + 1}")
    rows = np.arange(1, len(names) + 1)
    _require_once(names, rows, "users must occur once in a batch, got the user of row {} again in row {}")
    if rule > 1:
        found = [(key, row) for row, name in zip(rows, names.tolist(), strict=True) for key in {*user_keys(name, rule)}]
        keys, of_rows = np.array([key for key, _ in found], dtype=np.str_), np.array([row for _, row in found])
        _require_once(keys, of_rows, f"users must differ in {DIFFERENCE}, got rows {{}} and {{}}")
    return names


def _require_once(texts: Names, rows: NDArray[np.int64], message: str) -> None:
    """Refuse a text that stands twice, with the rows of the first one that does; rows rise."""
    order = np.argsort(texts, kind="stable")
    again = np.flatnonzero(texts[order][1:] == texts[order][:-1])
    if len(again):
        second = again[np.argmin(order[again + 1])]
        raise InputError(message.format(*rows[order[second : second + 2]].tolist()))


def _plain_form(name: str) -> str:
    return (name if name.isascii() else unicodedata.normalize("NFKC", name)).strip()
