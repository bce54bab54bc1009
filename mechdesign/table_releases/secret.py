"""The secret of an office: an SQLite file with a random key, and a book of what was published under each name.

The noise of a cell follows from the key. So the key must not leak, and under one name there may be one input and one
noise table alone: with another input both counts of a cell would be read off one random number.
"""

import hashlib
import hmac
import json
import os
import secrets
import sqlite3
import stat
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from mechdesign.documents.databases import DatabaseKind, patiently
from mechdesign.documents.files import require_writable
from mechdesign.errors import InputError, quote
from mechdesign.ledgers.ledger_file import keyed_digest
from mechdesign.table_releases.cells import Variables

KEY_BYTES = 32
PATIENCE = 30.0
SECRET_FORMAT = "mechdesign-table-secret/1"
SECRET_DATABASE = DatabaseKind(
    "secret",
    application=0x6D64_7473,
    version=1,
    tables=[
        "CREATE TABLE header (text TEXT NOT NULL)",
        "CREATE TABLE names (name TEXT PRIMARY KEY, state TEXT NOT NULL, digest TEXT NOT NULL)",
    ],
    whole="a whole file that mechdesign table apply made",
    missing="restore its latest copy: with a new secret every cell gets new noise, which undoes the old one",
    undone="nothing was noted, and no cell is written",
)
"""Tables by their names: integrity is checked in this order."""


@dataclass(frozen=True)
class Secret:
    """The secret key of an office, and keys derived from it."""

    key: bytes

    def _derived(self, purpose: str) -> bytes:
        return hmac.new(self.key, f"{SECRET_FORMAT}/{purpose}".encode(), hashlib.sha256).digest()

    @property
    def noise_key(self) -> bytes:
        """The key of the noise."""
        return self._derived("noise")

    @property
    def input_key(self) -> bytes:
        """The key under which inputs have digests."""
        return self._derived("input")

    @property
    def book_key(self) -> bytes:
        """The key under which the book's entries have digests."""
        return self._derived("book")


@dataclass(frozen=True)
class NamedRelease:
    """A release by its name: digests of the table and the input, and the sets of variables so far."""

    table: str
    input: str
    sets: tuple[Variables, ...]

    def body(self, name: str) -> dict[str, object]:
        """Return it as JSON values."""
        return {"name": name, "table": self.table, "input": self.input, "sets": [list(names) for names in self.sets]}


def open_secret(path: Path) -> tuple[Secret, bool]:
    """Read the secret of a file, or make a new one where there is no file, which `keep_secret` writes.

    Tells whether it is new.

    Raises:
        InputError: for a file that is no secret, that others may read, or that cannot be written.
    """
    if path.exists():
        return read_secret(path), False
    require_writable(path)
    return Secret(secrets.token_bytes(KEY_BYTES)), True


def keep_secret(path: Path, secret: Secret) -> None:
    """Write a new secret to its file.

    Raises:
        InputError: where another process has made the file meanwhile, or it cannot be written.
    """
    header = json.dumps({"format": SECRET_FORMAT, "key": secret.key.hex()})
    if not SECRET_DATABASE.create(
        path, lambda connection: connection.execute("INSERT INTO header VALUES (?)", (header,))
    ):
        raise InputError(f"secret must be free, got {path}, which another process has made just now; run this again")


def read_secret(path: Path) -> Secret:
    """Read the secret of a file; errors as `open_secret`, or for a missing file."""
    with SECRET_DATABASE.connected(path, PATIENCE) as connection:
        mode = stat.S_IMODE(os.stat(path).st_mode)
        if mode & 0o077 and os.name == "posix":
            raise InputError(f"secret must be readable by its owner alone (mode 600), got mode {mode:o} of {path}")
        rows = patiently(connection, "SELECT text FROM header", PATIENCE)
    try:
        body = json.loads(str(rows[0][0]))
        key = bytes.fromhex(body["key"])
        if body["format"] == SECRET_FORMAT and len(rows) == 1 and len(key) == KEY_BYTES:
            return Secret(key)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        pass
    raise SECRET_DATABASE.unfit(path, "damaged: its header is not what was written")


def read_release(path: Path, secret: Secret, name: str) -> NamedRelease | None:
    """Read what was published under a name; None where nothing was.

    Raises:
        InputError: as `note_release`.
    """
    with (
        SECRET_DATABASE.connected(path, PATIENCE) as connection,
        SECRET_DATABASE.transaction(connection, path, PATIENCE),
    ):
        return _known(connection, secret, name, path)


def note_release(
    path: Path, secret: Secret, name: str, table: str, input_digest: str, sets: Collection[Variables]
) -> tuple[Variables, ...]:
    """Note, before anything is written, what is published under a name; return all its sets of variables so far.

    Raises:
        InputError: where the name was used for another input or another table, or the file was changed.
    """
    with (
        SECRET_DATABASE.connected(path, PATIENCE) as connection,
        SECRET_DATABASE.transaction(connection, path, PATIENCE),
    ):
        known = _known(connection, secret, name, path)
        if known is not None and (known.table, known.input) != (table, input_digest):
            other = "noise table" if known.table != table else "input"
            raise InputError(
                f"name must be a new one for another {other}, got {quote(name)}, which was used; a new extract gets a "
                "new name whether or not anybody changed"
            )
        before = () if known is None else known.sets
        every = tuple(sorted({*before, *sets}, key=lambda names: (len(names), names)))
        body = NamedRelease(table, input_digest, every).body(name)
        entry = (name, json.dumps(body), keyed_digest(secret.book_key, body))
        connection.execute("REPLACE INTO names VALUES (?, ?, ?)", entry)
    return every


def _known(connection: sqlite3.Connection, secret: Secret, name: str, path: Path) -> NamedRelease | None:
    rows = connection.execute("SELECT state, digest FROM names WHERE name = ?", (name,)).fetchall()
    if not rows:
        return None
    text, digest = (str(cell) for cell in rows[0])
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict) or keyed_digest(secret.book_key, body) != digest:
        raise SECRET_DATABASE.unfit(path, "damaged: an entry is not what was written")
    if body["name"] != name:
        raise SECRET_DATABASE.unfit(path, "damaged: an entry has another name")
    return NamedRelease(body["table"], body["input"], tuple(map(tuple, body["sets"])))
