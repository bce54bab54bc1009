"""Keep users' answers for good (permanent memoisation), so that repeated collection averages nothing away.

A user draws all answers once.

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

**A memory belongs to one domain**, since a state is the number of an item: with other items, or the same in another
order, users would give the answers of other states, and permanent answers would be fresh ones. So it knows its
domain's digest. It also knows whether it is a simulation (its seed), which never mixes with real answers, and it has a
random identity, which travels with its reports: two rounds of one memory are the same users.
"""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.documents.arrays import read_arrays
from mechdesign.documents.files import whole_binary_file
from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource, seeded_words, system_words
from mechdesign_catalog.oracles import headers
from mechdesign_catalog.oracles.oracle import Values
from mechdesign_catalog.oracles.reports import Column, Parameters, Reports, random_identity, require_same

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
        """The name on the command line."""

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


@dataclass(frozen=True, eq=False)
class Memory:
    """Hold the answers of `users` (their names, each once), in columns with one row for each. Secret.

    `domain_digest` is that of the items (`Domain.digest`), empty for numbers; `seed` that of the first round, None for
    real answers.
    """

    oracle: Memoised
    users: Names
    columns: Mapping[str, Column]
    domain_digest: str = ""
    seed: int | None = None
    identity: str = field(default_factory=random_identity)

    @classmethod
    def empty(cls, oracle: Memoised, domain_digest: str = "", seed: int | None = None) -> "Memory":
        """Make a memory without users, before the first round."""
        nobody, nothing = np.empty(0, dtype="<U1"), oracle.remember(0, system_words)
        identity = random_identity() if seed is None else random_identity(seeded_words((seed, 0)))
        return cls(oracle, nobody, nothing, domain_digest, seed, identity)

    def __len__(self) -> int:
        return len(self.users)

    def answer(self, users: ArrayLike, values: Values, words: WordSource | None = None) -> tuple[Reports, "Memory"]:
        """Answer one round: return a report for each of these users, and the memory with the new ones among them.

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
        """Find where these users stand, -1 for new ones."""
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
        return replace(self, users=np.concatenate([self.users, names]), columns=columns)

    def to_bytes(self) -> bytes:
        """Write an `.npz` without pickles: names in UTF-8, the columns, and the rest as JSON text."""
        header = {
            "format": MEMORY_FORMAT,
            "secret": SECRET,
            "parameters": self.oracle.parameters,
            "domain": {"sha256": self.domain_digest},
            "seed": self.seed,
            "identity": self.identity,
            "users": len(self),
        }
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
    def read(cls, path: Path, oracle: Memoised, domain_digest: str = "", seed: int | None = None) -> "Memory":
        """Read a memory of this oracle and domain, as `save` wrote it; `seed` is that of the round to come.

        Raises:
            InputError: for any other file, a damaged one, the memory of another oracle, of other parameters or of
                another domain, a simulated one for a real round, or a real one for a simulated round.
        """
        arrays = _arrays(path)
        header = _Header.of(arrays.pop("header", None), path)
        require_same(oracle.parameters, header.parameters, f"the memory {path}")
        if header.domain_digest != domain_digest:
            raise InputError(
                f"a memory must be used with its own domain, got items for {path} that are others or in another order; "
                "with these its users would not give their permanent answers, which spends their privacy anew"
            )
        if header.seed is not None and seed is None:
            raise InputError(
                f"real reports must have a memory of their own, got {path}, a simulation with the seed {header.seed}; "
                "give a new file, or a seed to go on simulating"
            )
        if header.seed is None and seed is not None:
            raise InputError(
                f"a simulation must have a memory of its own, got {path} of real answers with the seed {seed}; "
                "give a new file, or no seed"
            )
        try:
            names = checked_names(_decoded(arrays.pop("users", None)))
            if len(names) != header.users:
                raise InputError(f"a memory must have as many users as it says, got {len(names)}, not {header.users}")
            oracle.require_memory(arrays, len(names))
        except InputError as error:
            raise _no_memory(path, f"damaged: {error}") from None
        return cls(oracle, names, arrays, header.domain_digest, header.seed, header.identity)


@dataclass(frozen=True)
class _Header:
    """Describe a memory: what its file says of itself."""

    parameters: Parameters
    domain_digest: str
    seed: int | None
    identity: str
    users: int

    @classmethod
    def of(cls, array: Column | None, path: Path) -> "_Header":
        """Parse the JSON text in a file."""
        try:
            body = headers.parse_header(str(array), MEMORY_FORMAT)
        except InputError:
            raise _no_memory(path, f"no header of format {MEMORY_FORMAT}") from None
        try:
            return cls(
                parameters=headers.parameters(body),
                domain_digest=headers.hexadecimal_or_empty(
                    headers.part(body, "domain"), "sha256", headers.SHA256_DIGITS
                ),
                seed=headers.seed(body),
                identity=headers.hexadecimal(body, "identity", headers.IDENTITY_DIGITS),
                users=headers.count(body, "users"),
            )
        except InputError as error:
            raise _no_memory(path, f"damaged: {error}") from None


def _arrays(path: Path) -> dict[str, Column]:
    if not path.exists():
        raise InputError(f"memory must exist, got {path}")
    try:
        return read_arrays(path)
    except InputError:
        raise _no_memory(path, "cut off, changed, or another kind of file") from None


def _decoded(names: Column | None) -> Names:
    """Decode the names that `to_bytes` encoded."""
    if names is None or names.ndim != 1 or names.dtype.kind != "S":
        raise InputError("users must be a vector of texts in UTF-8, got others")
    try:
        return np.char.decode(names, "utf-8")
    except UnicodeDecodeError:
        raise InputError("users must be texts in UTF-8, got others") from None


def _no_memory(path: Path, reason: str) -> InputError:
    return InputError(
        f"memory must be a whole memory file of mechdesign privatize, got {path} ({reason}); "
        "bring it back from a copy, since with a new one all users answer anew, which spends their privacy again"
    )


def checked_names(users: ArrayLike) -> Names:
    """Check names of users: texts or whole numbers, each once.

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
        second = again[np.argmin(order[again + 1])]
        first, row = int(order[second]) + 1, int(order[second + 1]) + 1
        raise InputError(f"users must stand once in a round, got that of row {first} again in row {row}")
    return names
