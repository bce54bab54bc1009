"""SQLite databases for records that no crash may lose.

Several processes may change them, one after the other.

A transaction locks the file (BEGIN IMMEDIATE; others wait), and its COMMIT is on the disk when it returns: file,
journal and folder are forced there (`synchronous = EXTRA`; with less, a power cut just after COMMIT could bring the
journal back). A process that is killed before has changed nothing.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from mechdesign.documents import unnamed
from mechdesign.documents.files import require_readable
from mechdesign.errors import InputError

BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
HARD_LINK_SECONDS = 1.0
"""How long a file that is just appearing may have two names."""

Row = tuple[object, ...]


@dataclass(frozen=True)
class DatabaseKind:
    """A kind of database, with the messages about one that cannot be used.

    `noun` is what errors call the file; `application` and `version` are SQLite's numbers of the format; `tables` are
    the CREATE statements by name. `whole` describes a file that is as it should be, `missing` what to do without it,
    and `undone` what holds where a change could not be made.
    """

    noun: str
    application: int
    version: int
    tables: Sequence[str]
    whole: str
    missing: str
    undone: str

    def create(self, path: Path, fill: Callable[[sqlite3.Connection], object]) -> bool:
        """Let a new database appear as a whole, for its owner only; one that is there stays. Tells whether it is new.

        Raises:
            InputError: where it cannot be written.
        """
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            numbers = (f"PRAGMA application_id = {self.application}", f"PRAGMA user_version = {self.version}")
            for statement in (*numbers, *self.tables):
                connection.execute(statement)
            fill(connection)
            try:
                return unnamed.appear(path.resolve(), connection.serialize())
            except OSError as error:
                raise InputError(f"{self.noun} could not be written: {path} ({error.strerror})") from None

    @contextmanager
    def connected(self, path: Path, patience: float) -> Iterator[sqlite3.Connection]:
        """Open a file, which must be a database of this kind; nothing is written. A lock is waited for so long.

        Raises:
            InputError: as `sqlite_errors`, or for a file that is missing or has hard links.
        """
        with self.sqlite_errors(path, patience):
            if not path.exists():
                raise InputError(f"{self.noun} must exist, got {path}")
            if path.is_dir():
                raise InputError(f"{self.noun} must be a file, got the folder {path}")
            require_readable(path)
            self._require_one_name(path)
            address = f"{path.resolve().as_uri()}?mode=rw"
            with closing(sqlite3.connect(address, uri=True, isolation_level=None, timeout=0)) as connection:
                numbers = [
                    patiently(connection, f"PRAGMA {what}", patience) for what in ("application_id", "user_version")
                ]
                if numbers != [[(self.application,)], [(self.version,)]]:
                    raise self.unfit(path, "cut off, changed, or another kind of file")
                for setting in (
                    "synchronous = EXTRA",
                    "temp_store = MEMORY",
                    "trusted_schema = OFF",
                    "cell_size_check = ON",
                ):
                    patiently(connection, f"PRAGMA {setting}", patience)
                yield connection

    @contextmanager
    def transaction(self, connection: sqlite3.Connection, path: Path, patience: float) -> Iterator[None]:
        """Hold the database alone, check all of it, and at the end force what was written to the disk."""
        with self.sqlite_errors(path, patience):
            patiently(connection, "BEGIN IMMEDIATE", patience)
            tables = connection.execute("SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY name").fetchall()
            whole = connection.execute("PRAGMA integrity_check(1)").fetchall()
            if tables != [(table,) for table in self.tables] or whole != [("ok",)]:
                raise self.unfit(path, "damaged")
            yield
            patiently(connection, "COMMIT", patience)

    @contextmanager
    def sqlite_errors(self, path: Path, patience: float) -> Iterator[None]:
        """Say in one line what SQLite meets; nothing was changed then.

        Raises:
            InputError: with the way out.
        """
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes what it cannot read
            raise self._told(path, error_code(error), str(error), patience) from None

    def unfit(self, path: Path, reason: str) -> InputError:
        """Make the error for a file that is of another kind, or not as it was written."""
        return InputError(f"{self.noun} must be {self.whole}, got {path} ({reason}); {self.missing}")

    def _require_one_name(self, path: Path) -> None:
        """Refuse a file with hard links: the journal of a killed run would not be found under another name."""
        end = time.monotonic() + HARD_LINK_SECONDS
        while path.stat().st_nlink > 1:
            if time.monotonic() > end:
                raise InputError(
                    f"{self.noun} must be a file of one name, got {path}, which has another one too (a hard link): a "
                    "run that was killed under one name is not undone under the other; delete the name without a "
                    "-journal beside it"
                )
            time.sleep(0.02)

    def _told(self, path: Path, code: int, text: str, patience: float) -> InputError:
        if code in BUSY:
            return InputError(
                f"{self.noun} must be free, got {path}, which another process has kept for {patience:g} s; try again "
                "later"
            )
        if code == sqlite3.SQLITE_READONLY:
            return InputError(f"{self.noun} must be writable, got {path} (it is read-only)")
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            return InputError(f"{self.noun} could not be read or written: {path} ({text}); {self.undone}")
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
            return InputError(f"{self.noun} must be a file in a folder that can be written, got {path} ({text})")
        return self.unfit(path, "cut off, changed, or another kind of file")


def error_code(error: Exception) -> int:
    """Return SQLite's primary code of an error, 0 if it has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def patiently(connection: sqlite3.Connection, statement: str, patience: float) -> list[Row]:
    """Execute a statement that may find the database locked, again and again; an interrupt is heard meanwhile."""
    end = time.monotonic() + patience
    while True:
        try:
            return connection.execute(statement).fetchall()
        except sqlite3.OperationalError as error:
            if error_code(error) not in BUSY or time.monotonic() > end:
                raise
        time.sleep(0.02)
