"""The SQLite database of a memory.

Several processes may use it at once, and no crash leaves it half done.

**One transaction a batch**: lock the database (BEGIN IMMEDIATE; another process waits), read who is known, draw the
answers of all new users, write them, note the batch, COMMIT. Only then the first report leaves. A process that is
killed before COMMIT has answered nobody, and what it wrote is rolled back; one that is killed after it finds the batch
noted, and gives the same answers again.

**A round** is a collection in which each user answers once, in one of its batches. The same batch again (the same users
in the same round) gives the same answers under the same identity, except for users whose value changed: the memory
does not know values, and answers what it remembers for the value that it is told. A batch that shares only some users
with others of its round is refused before anything is drawn.

**What the file holds**: the oracle's parameters, the domain's digest, identities, a random key; for each user a hash of
the name under that key, after those of what its spellings share, and the answers, in the order of the hashes; for each
batch its round and its users. Not the values, nor anything that depends on them. Hashes keep names from being read, but
not from being tried by whoever has the file, since it holds the key. Rows have digests under the key: what a damaged
disk changed is found out.
"""

import hashlib
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shutil import disk_usage

import numpy as np
from numpy.typing import NDArray

from mechdesign.documents.databases import patiently
from mechdesign.documents.files import require_writable
from mechdesign.errors import InputError
from mechdesign.ledgers.spellings import DIFFERENCE, RULE, in_common, user_keys
from mechdesign.machine import readable_bytes
from mechdesign.mechanism.sampling import WordSource, seeded_words, system_words
from mechdesign_catalog.collection.memories.memory import AnswerRows, Memoised, checked_names
from mechdesign_catalog.collection.memories.memory_file import MEMORY_DATABASE, MemoryHeader
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.reports import Reports, random_identity

Numbers = NDArray[np.int64]

LARGEST_DRAW = 1 << 29
"""Bytes of answers that one batch may draw."""

ROW_OVERHEAD = 128
"""Bytes of a user beside the answers: hashes, digest, and their places in the database."""

NAME_BYTES = 16
"""Bytes of a hash."""

PIECE_BYTES = 1 << 24
PATIENCE = 30.0
"""Seconds to wait for another process."""


@dataclass(frozen=True)
class NotedBatch:
    """A batch that the memory has noted: `numbers` are its users', in the order of its rows."""

    memory: str
    """Identity of the memory."""

    identity: str
    numbers: Numbers
    known: int
    """Users that the memory knew before."""

    is_first: bool
    """Whether the memory knew nobody before."""

    is_again: bool
    """Whether this batch was noted before."""

    @property
    def remark(self) -> str:
        """What became of the users."""
        if self.is_again:
            return "the batch was answered before: the same reports again, but for users whose value changed since"
        return f"{self.known:,} known users, {len(self.numbers) - self.known:,} new"


@dataclass(frozen=True)
class MemoryDatabase:
    """The memory of an oracle's users at a path, made there when it is first used; for one round.

    `domain_digest` is that of the items (`Domain.digest`), empty for numbers; `seed` is None for real answers.
    """

    path: Path
    oracle: Memoised
    domain_digest: str = ""
    seed: int | None = None
    round: str = ""

    def require_own(self) -> None:
        """Refuse early, before values are read, a file that is another's or damaged; none is fine.

        Raises:
            InputError: as `note`.
        """
        if self.path.exists():
            with self._connected() as connection:
                self._header(connection)

    def note(self, users: Sequence[str] | NDArray[np.str_], words: WordSource | None = None) -> NotedBatch:
        """Answer these users for good: when this returns, their answers and the batch are on the disk.

        `words` replaces the source of randomness, in tests.

        Raises:
            InputError: for names that are not each there once, for a batch that shares only some users with others of
                the round, for more answers than fit, or for a file that is another's, damaged, locked or unwritable.
        """
        names = checked_names(users, self.names_rule)
        if not len(names):
            raise InputError("a batch must have at least one user, got none")
        if not self.path.exists():
            require_writable(self.path)
            self._require_room(len(names))  # a refused batch leaves no memory behind
            self._create()
        with self._connected() as connection, MEMORY_DATABASE.transaction(connection, self.path, PATIENCE):
            return self._noted(connection, names.tolist(), words)

    def recall(self, batch: NotedBatch, values: Values) -> Iterator[Reports]:
        """Yield the batch's reports for these values, piece by piece, in the order of its rows.

        Raises:
            InputError: for a value out of range, naming the row, or a damaged file.
        """
        values = self.oracle.checked(values)
        step = max(1, PIECE_BYTES // self._rows.width)
        with self._connected() as connection:
            connection.execute(f"PRAGMA busy_timeout = {int(1000 * PATIENCE)}")
            key = self._header(connection).key
            for start in range(0, len(values), step):
                part = slice(start, start + step)
                yield self._answers(connection, key, batch.numbers[part], values[part])

    @property
    def names_rule(self) -> int:
        """The rule that tells spellings of users' names apart: that of the file, of a new one today's."""
        if not self.path.exists():
            return RULE
        with self._connected() as connection:
            return self._header(connection).names

    def known_identity(self) -> str:
        """Return the identity of the memory, empty where there is none yet; errors as `note`."""
        if not self.path.exists():
            return ""
        with self._connected() as connection:
            return self._header(connection).identity

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warn of a file that others can read: that may be the owner's wish, so its mode is kept."""
        mode = stat.S_IMODE(self.path.stat().st_mode)
        if not mode & (stat.S_IRWXG | stat.S_IRWXO):
            return ()
        return (f"warning: others may open {self.path} (mode {mode:o}); chmod 600 {self.path} keeps it to its owner",)

    @cached_property
    def _rows(self) -> AnswerRows:
        return AnswerRows.of(self.oracle)

    def _create(self) -> None:
        """Let the memory without users appear; if another process is faster, that one is the memory."""
        words = system_words if self.seed is None else seeded_words((self.seed, 0, 1))
        key, identity = words(4).tobytes(), random_identity(words)
        header = MemoryHeader(self.oracle.parameters, self.domain_digest, self.seed, identity, key)
        MEMORY_DATABASE.create(
            self.path, lambda connection: connection.execute("INSERT INTO header VALUES (?)", (header.to_json(),))
        )

    def _connected(self) -> AbstractContextManager[sqlite3.Connection]:
        return MEMORY_DATABASE.connected(self.path, PATIENCE)

    def _header(self, connection: sqlite3.Connection) -> MemoryHeader:
        """Read the header, which must be that of this oracle and domain, and of a simulation if this is one."""
        texts = patiently(connection, "SELECT text FROM header", PATIENCE)
        if len(texts) != 1:
            raise MEMORY_DATABASE.unfit(self.path, "damaged: it has no header")
        header = MemoryHeader.from_json(texts[0][0], self.path)
        header.require(self.path, self.oracle.parameters, self.domain_digest, self.seed)
        return header

    def _noted(self, connection: sqlite3.Connection, names: list[str], words: WordSource | None) -> NotedBatch:
        header = self._header(connection)
        hashes = [_name_hash(header, name) for name in names]
        numbers = np.fromiter(
            (_number(connection, one, row) for row, one in enumerate(hashes, start=1)), np.int64, count=len(hashes)
        )
        known = int((numbers >= 0).sum())
        (most,) = connection.execute("SELECT coalesce(max(number), 0) FROM users").fetchone()
        again = self._same_batch(connection, header.key, numbers)
        if again is not None:
            return NotedBatch(header.identity, again, numbers, known, is_first=False, is_again=True)
        for number in numbers[numbers >= 0].tolist():
            self._row(connection, header.key, number)  # before anything is noted
        self._require_room(len(names) - known)
        source = words or self._words(most)
        new = sorted(np.flatnonzero(numbers < 0).tolist(), key=hashes.__getitem__)
        numbers[new] = np.arange(most + 1, most + 1 + len(new))
        self._draw(connection, header.key, [hashes[place] for place in new], most, source)
        identity = self._note_batch(connection, header.key, numbers)
        return NotedBatch(header.identity, identity, numbers, known, is_first=not most, is_again=False)

    def _words(self, users: int) -> WordSource:
        """Return the randomness: newcomers of a later batch of a simulation must not get the first users' answers."""
        if self.seed is None:
            return system_words
        return seeded_words((self.seed, users) if users else self.seed)

    def _require_room(self, count: int) -> None:
        """Refuse, before a draw, more answers than one batch may draw or the disk has room for."""
        needed = count * (self._rows.width + ROW_OVERHEAD)
        free = disk_usage(self.path.resolve().parent).free
        room = min(LARGEST_DRAW, free)
        if needed <= room:
            return
        users = f"{count:,} new user{'s' * (count > 1)}"
        limit = "a batch may draw" if room == LARGEST_DRAW else "the disk has room for"
        each = self._rows.width + ROW_OVERHEAD
        other = self.oracle.remembering_less(room // count - ROW_OVERHEAD)
        fewer = f"batches of {room // each:,} users" if room >= each else ""
        serves = " or ".join(filter(None, (other, fewer))) or "more room on the disk"
        raise InputError(
            f"answers to remember must fit the {readable_bytes(room)} that {limit}, got {users} of {self.oracle.title} "
            f"with {readable_bytes(self._rows.width)} each, about {readable_bytes(needed)}; {serves} would fit"
        )

    def _draw(
        self, connection: sqlite3.Connection, key: bytes, hashes: list[bytes], most: int, words: WordSource
    ) -> None:
        """Draw and write the answers of new users, whose numbers follow `most`."""
        step = max(1, PIECE_BYTES // self._rows.width)
        for start in range(0, len(hashes), step):
            part = hashes[start : start + step]
            rows = self._rows.packed(self.oracle.remember(len(part), words))
            first = most + 1 + start
            connection.executemany(
                "INSERT INTO users VALUES (?, ?, ?, ?)",
                (
                    (number, name, row, _user_digest(key, number, name, row))
                    for number, name, row in zip(range(first, first + len(part)), part, rows, strict=True)
                ),
            )

    def _same_batch(self, connection: sqlite3.Connection, key: bytes, numbers: Numbers) -> str | None:
        """Return the identity of the round's batch of just these users, if there is one.

        Raises:
            InputError: where only some of them answered in this round.
        """
        shared = 0
        rows = connection.execute("SELECT round, identity, users, digest FROM batches WHERE round = ?", (self.round,))
        for round_, identity, users, digest in rows:
            if not isinstance(users, bytes) or digest != _batch_digest(key, round_, identity, users):
                raise MEMORY_DATABASE.unfit(self.path, "damaged: a batch is not what was noted")
            others = np.frombuffer(users, dtype="<i8")
            if np.array_equal(np.sort(numbers), others):
                return str(identity)
            shared += int(np.isin(numbers, others).sum())
        if shared:
            serves = "the others alone" if shared < len(numbers) else "each of its batches as it was"
            raise InputError(
                f"a batch must be new to its round, or one of its batches again, got {shared:,} of {len(numbers):,} "
                f"users who answered in round {self.round} before; give {serves}, or name another round"
            )
        return None

    def _note_batch(self, connection: sqlite3.Connection, key: bytes, numbers: Numbers) -> str:
        (count,) = connection.execute("SELECT count(*) FROM batches").fetchone()
        words = system_words if self.seed is None else seeded_words((self.seed, 0, 2, count))
        identity, users = random_identity(words), np.sort(numbers).astype("<i8").tobytes()
        insert = "INSERT INTO batches (round, identity, users, digest) VALUES (?, ?, ?, ?)"
        connection.execute(insert, (self.round, identity, users, _batch_digest(key, self.round, identity, users)))
        return identity

    def _answers(self, connection: sqlite3.Connection, key: bytes, numbers: Numbers, values: Values) -> Reports:
        """Look up these users' answers, which must be those that were written."""
        rows = [self._row(connection, key, number) for number in numbers.tolist()]
        columns = self._rows.unpacked(rows)
        self.oracle.require_memory(columns, len(rows))
        return self.oracle.recall(columns, values)

    def _row(self, connection: sqlite3.Connection, key: bytes, number: int) -> bytes:
        """Look up a user's row, which must be the one that was written."""
        found = connection.execute("SELECT name, answers, digest FROM users WHERE number = ?", (number,)).fetchone()
        name, row, digest = found or (None, None, None)
        if not (isinstance(name, bytes) and isinstance(row, bytes) and len(row) == self._rows.width) or (
            digest != _user_digest(key, number, name, row)
        ):
            raise MEMORY_DATABASE.unfit(self.path, "damaged: a user's answers are not those that were drawn")
        return row


def _keyed(key: bytes, use: bytes, text: bytes) -> bytes:
    """Hash a text under the memory's key: 16 bytes, of another function for each use."""
    return hashlib.blake2b(text, digest_size=NAME_BYTES, key=key, person=use).digest()


def _name_hash(header: MemoryHeader, name: str) -> bytes:
    """Hash a user's name, after what its spellings share: nothing by rule 1, and by rule 2 its key.

    By rule 3 a spelling shares one of two keys. What they have in common stands first, so that rows are found by it.
    """
    shared = () if header.names == 1 else user_keys(name, header.names)
    if len(shared) > 1:
        shared = (in_common(shared[0]), *shared)
    uses = (*((b"spelling", key) for key in shared), (b"name", name))
    return b"".join(_keyed(header.key, use, text.encode("utf-8", "surrogatepass")) for use, text in uses)


def _keys_of(hashed: bytes) -> set[bytes]:
    """Return the hashes of the keys of a name."""
    return {hashed[at : at + NAME_BYTES] for at in range(0, len(hashed) - NAME_BYTES, NAME_BYTES)[-2:]}


def _number(connection: sqlite3.Connection, hashed: bytes, row: int) -> int:
    """Look up the number of a user, -1 if there is none.

    Raises:
        InputError: where another spelling of the name is known.
    """
    first = hashed[:NAME_BYTES]
    look = "SELECT number, name FROM users WHERE name >= ? AND name <= ?"
    found = connection.execute(look, (first, first + b"\xff" * (len(hashed) - NAME_BYTES))).fetchall()
    for number, known in found:
        if known == hashed:
            return int(number)
    if any(not _keys_of(known).isdisjoint(_keys_of(hashed)) for _, known in found):
        raise InputError(
            f"users must be spelled as before, got one in row {row} whose name was spelled otherwise; the name of "
            f"another user must differ in {DIFFERENCE}"
        )
    return -1


def _user_digest(key: bytes, number: int, name: bytes, answers: bytes) -> bytes:
    return _keyed(key, b"answers", number.to_bytes(8, "little") + name + answers)


def _batch_digest(key: bytes, round_: str, identity: str, users: bytes) -> bytes:
    return _keyed(key, b"batch", f"{round_}\n{identity}\n".encode() + users)
