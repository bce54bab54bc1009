"""The file of a ledger: its kind, its header and its entries.

The header has a random key. Header and entries have digests under it, so that what a damaged disk changed is found out,
and so have the hints by which the same input is known again: without the key nobody can test guesses of an input.
"""

import hashlib
import hmac
import json
import secrets
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from mechdesign.documents.databases import DatabaseKind, patiently
from mechdesign.errors import InputError
from mechdesign.ledgers.entry import Entry, EntryState
from mechdesign.ledgers.spellings import RULE, RULES
from mechdesign.rational import fraction_from_text, fraction_text

LEDGER_FORMATS = {rule: f"mechdesign-ledger/{rule}" for rule in RULES}
"""By the rule that tells spellings of names apart; the format of rule 1 does not state it."""

KEY_BYTES = 32
COLUMNS = tuple(field.name for field in fields(Entry))
LEDGER_DATABASE = DatabaseKind(
    "ledger",
    application=0x6D64_6C67,
    version=1,
    tables=[
        "CREATE TABLE entries (number INTEGER PRIMARY KEY, "
        + "".join(f"{name} TEXT NOT NULL, " for name in COLUMNS[1:])
        + "digest TEXT NOT NULL)",
        "CREATE TABLE header (text TEXT NOT NULL)",
    ],
    whole="a whole file of mechdesign ledger new",
    missing="restore its latest copy: a new ledger would not know what was spent",
    undone="nothing is delivered that is not paid, and what was paid stays paid",
)


@dataclass(frozen=True)
class LedgerHeader:
    """The header of a ledger: its purpose and its units.

    Attributes:
        unit: what it protects: a person, a household.
        budget: the most that the epsilon of each data set may come to.
        created: when it was made, in UTC.
        key: 32 random bytes.
        names: the rule that tells spellings of one name apart (`spellings`).
    """

    unit: str
    budget: Fraction
    created: str
    key: bytes
    names: int = RULE

    @classmethod
    def new(cls, unit: str, budget: Fraction) -> "LedgerHeader":
        """Make the header of a new ledger."""
        return cls(unit, budget, now(), secrets.token_bytes(KEY_BYTES))

    def to_json(self) -> str:
        """Write the header, with a digest of it under its key."""
        body: dict[str, object] = {
            "format": LEDGER_FORMATS[self.names],
            "unit": self.unit,
            "budget": fraction_text(self.budget),
            "created": self.created,
            "key": self.key.hex(),
        }
        if self.names > 1:
            body["names"] = self.names
        return json.dumps({**body, "digest": keyed_digest(self.key, body)})

    @classmethod
    def from_json(cls, text: object, path: Path) -> "LedgerHeader":
        """Parse the header of a file.

        Raises:
            InputError: for a header that is none, or was changed.
        """
        try:
            body = json.loads(str(text))
            header = cls(
                body["unit"],
                fraction_from_text(body["budget"], "budget"),
                body["created"],
                _key(body),
                body.get("names", 1),
            )
            if header.to_json() == text:
                return header
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        raise LEDGER_DATABASE.unfit(path, "damaged: its header is not what was written")


def _key(body: Mapping[str, str]) -> bytes:
    key = bytes.fromhex(body["key"])
    if len(key) != KEY_BYTES:
        raise InputError("key must be 32 bytes, got others")
    return key


def read_header(connection: sqlite3.Connection, path: Path, patience: float) -> LedgerHeader:
    """Read the header of an open ledger; errors as `LedgerHeader.from_json`."""
    texts = patiently(connection, "SELECT text FROM header", patience)
    if len(texts) != 1:
        raise LEDGER_DATABASE.unfit(path, "damaged: it has no header")
    return LedgerHeader.from_json(texts[0][0], path)


def read_entries(connection: sqlite3.Connection, key: bytes, path: Path, patience: float) -> list[Entry]:
    """Read all entries of an open ledger, by number.

    Raises:
        InputError: where one is missing, or is not what was written.
    """
    rows = patiently(connection, f"SELECT {', '.join(COLUMNS)}, digest FROM entries ORDER BY number", patience)
    return [_entry(row, place, key, path) for place, row in enumerate(rows, start=1)]


def _entry(row: tuple[object, ...], place: int, key: bytes, path: Path) -> Entry:
    *cells, digest = row
    stated = dict(zip(COLUMNS, cells, strict=True))
    are_texts = all(isinstance(cell, str) for cell in cells[1:])  # a damaged file may hold bytes
    if stated["number"] != place or not are_texts or digest != keyed_digest(key, stated):
        raise LEDGER_DATABASE.unfit(path, f"damaged: entry {place} is missing, or is not what was written")
    texts = {name: str(cell) for name, cell in stated.items() if name not in ("number", "alpha", "state")}
    alpha, state = fraction_from_text(stated["alpha"], "alpha"), EntryState(str(stated["state"]))
    return Entry(number=place, alpha=alpha, state=state, **texts)


def write_entry(connection: sqlite3.Connection, key: bytes, entry: Entry) -> None:
    """Write an entry, in the place of the one that had its number."""
    stated = _cells(entry)
    marks = ", ".join("?" * (len(COLUMNS) + 1))
    connection.execute(f"REPLACE INTO entries VALUES ({marks})", (*stated.values(), keyed_digest(key, stated)))


def settled(entry: Entry, state: EntryState) -> Entry:
    """Return the entry as it is from now on: what is delivered is neither lost nor cancelled."""
    if entry.state is state or (state is not EntryState.DELIVERED and entry.state is not EntryState.RESERVED):
        return entry
    return replace(entry, state=state, settled=now())


def _cells(entry: Entry) -> dict[str, object]:
    return {name: getattr(entry, name) for name in COLUMNS} | {
        "alpha": fraction_text(entry.alpha),
        "state": entry.state.value,
    }


def keyed_digest(key: bytes, body: Mapping[str, object]) -> str:
    """Compute the HMAC-SHA256 of what is written, as JSON with sorted keys and no blanks, in hexadecimal digits."""
    return hmac.new(key, json.dumps(body, sort_keys=True, separators=(",", ":")).encode(), hashlib.sha256).hexdigest()


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
