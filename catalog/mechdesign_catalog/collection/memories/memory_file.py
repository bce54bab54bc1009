"""Make the file of a memory, describe it in its header, and say in one line what is wrong with it."""

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mechdesign.documents import unnamed
from mechdesign.errors import InputError
from mechdesign_catalog.collection.memories.memory import SECRET
from mechdesign_catalog.oracles import headers
from mechdesign_catalog.oracles.reports import Parameters, require_same

MEMORY_FORMAT = "mechdesign-memory/1"
KEY_DIGITS = 64
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@dataclass(frozen=True)
class MemoryHeader:
    """Describe a memory: what its file says of itself."""

    parameters: Parameters
    domain_digest: str
    seed: int | None
    identity: str
    key: bytes

    def to_json(self) -> str:
        """Write the header with the digest of everything else."""
        body = {
            "format": MEMORY_FORMAT,
            "secret": SECRET,
            "parameters": self.parameters,
            "domain": {"sha256": self.domain_digest},
            "seed": self.seed,
            "identity": self.identity,
            "key": self.key.hex(),
        }
        return json.dumps({**body, "sha256": _digest(body)})

    @classmethod
    def from_json(cls, text: object, path: Path) -> "MemoryHeader":
        """Parse the header of a file.

        Raises:
            InputError: for one of another format, whose digest is not that of its content, or with an impossible field.
        """
        try:
            body = headers.parse_header(str(text), MEMORY_FORMAT)
            if body.pop("sha256", None) != _digest(body):
                raise InputError("the header's digest must be that of its content, got another")
            return cls(
                parameters=headers.parameters(body),
                domain_digest=headers.hexadecimal_or_empty(
                    headers.part(body, "domain"), "sha256", headers.SHA256_DIGITS
                ),
                seed=headers.seed(body),
                identity=headers.hexadecimal(body, "identity", headers.IDENTITY_DIGITS),
                key=bytes.fromhex(headers.hexadecimal(body, "key", KEY_DIGITS)),
            )
        except (InputError, RecursionError) as error:
            raise no_memory(path, f"damaged: {error}") from None

    def require(self, path: Path, parameters: Parameters, domain_digest: str, seed: int | None) -> None:
        """Refuse to serve another oracle or another domain, or to mix real answers and simulated ones.

        Raises:
            InputError: with what serves.
        """
        require_same(parameters, self.parameters, f"the memory {path}")
        if self.domain_digest != domain_digest:
            raise InputError(
                f"a memory must be used with its own domain, got items for {path} that are others or in another order; "
                "with these its users would not give their permanent answers, which spends their privacy anew"
            )
        if self.seed is not None and seed is None:
            raise InputError(
                f"real reports must have a memory of their own, got {path}, a simulation with the seed {self.seed}; "
                "give a new file, or a seed to go on simulating"
            )
        if self.seed is None and seed is not None:
            raise InputError(
                f"a simulation must have a memory of its own, got {path} of real answers with the seed {seed}; "
                "give a new file, or no seed"
            )


def _digest(body: headers.Body) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def appear(path: Path, content: bytes) -> None:
    """Let a new memory appear as a whole, for its owner only; one that is there already stays.

    Raises:
        InputError: where it cannot be written.
    """
    try:
        unnamed.appear(path.resolve(), content)
    except OSError as error:
        raise InputError(f"memory could not be written: {path} ({error.strerror})") from None


def require_one_name(path: Path) -> None:
    """Refuse a memory with hard links: under another name a journal that a killed run has left would not be found.

    Raises:
        InputError: where the file has several names, for longer than `appear` may give it two.
    """
    end = time.monotonic() + 1.0
    while path.stat().st_nlink > 1:
        if time.monotonic() > end:
            raise InputError(
                f"memory must be a file of one name, got {path}, which has another one too (a hard link): a run that "
                "was killed under one name is not undone under the other; delete the name without a -journal beside it"
            )
        time.sleep(0.02)


@contextmanager
def errors_told(path: Path, patience: float) -> Iterator[None]:
    """Say in one line what SQLite meets; nothing was noted then.

    Raises:
        InputError: with the way out.
    """
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes what it cannot read
        raise _told(path, error_code(error), str(error), patience) from None


def error_code(error: Exception) -> int:
    """Return SQLite's primary code of an error, 0 if it has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _told(path: Path, code: int, text: str, patience: float) -> InputError:
    if code in BUSY:
        return InputError(
            f"memory must be free, got {path}, which another process has kept for {patience:g} s; try again later"
        )
    if code == sqlite3.SQLITE_READONLY:
        return InputError(f"memory must be writable, got {path} (it is read-only)")
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return InputError(
            f"memory could not be read or written: {path} ({text}); no report left, and the same command goes on from "
            "what it holds"
        )
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return InputError(f"memory must be a file in a folder that can be written, got {path} ({text})")
    return no_memory(path, "cut off, changed, or another kind of file")


def no_memory(path: Path, reason: str) -> InputError:
    """Make the error for a file that is no memory, or not as it was written."""
    return InputError(
        f"memory must be a whole memory file of mechdesign privatize, got {path} ({reason}); "
        "bring back its latest copy, since with a new one all users answer anew, which spends their privacy again"
    )
