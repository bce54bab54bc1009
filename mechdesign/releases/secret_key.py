"""The secret key that binds the input of a release to its record.

A plain digest of the input would let whoever knows all rows but one test the last. Under a random key of 256 bits that
nobody else has, a digest tells nothing, and its owner can still show later which file was released.
"""

import hashlib
import hmac
import os
import re
import secrets
import stat
from pathlib import Path

from mechdesign.documents.files import require_readable, require_writable
from mechdesign.documents.unnamed import appear
from mechdesign.errors import InputError

KEY_BYTES = 32
_KEY = re.compile(rf"[0-9a-f]{{{2 * KEY_BYTES}}}\n?")


class InputDigest:
    """The HMAC-SHA256 of what is read, piece by piece."""

    def __init__(self, key: bytes) -> None:
        self._code = hmac.new(key, digestmod=hashlib.sha256)

    def __call__(self, data: bytes) -> None:
        """Take the next piece."""
        self._code.update(data)

    def result(self) -> str:
        """Return the code of everything so far, in hexadecimal digits."""
        return self._code.hexdigest()


def open_key(path: Path) -> tuple[bytes, bool]:
    """Read the key of a file, or make a new one where there is no file; tells whether it is new.

    Raises:
        InputError: as `read_key`, or where it cannot be written.
    """
    if path.exists():
        return read_key(path), False
    require_writable(path)
    key = secrets.token_bytes(KEY_BYTES)
    try:
        is_new = appear(path.resolve(), f"{key.hex()}\n".encode())
    except OSError as error:
        raise InputError(f"key could not be written: {path} ({error.strerror})") from None
    return (key, True) if is_new else (read_key(path), False)


def read_key(path: Path) -> bytes:
    """Read the key of a file.

    Raises:
        InputError: for a file that is missing, has no key of 256 bits, or can be read by others than its owner.
    """
    require_readable(path)
    try:
        with path.open("rb") as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            content = stream.read(4 * KEY_BYTES)
    except OSError as error:
        raise InputError(f"key must be a readable file, got {path} ({error.strerror})") from None
    if mode & 0o077 and os.name == "posix":
        raise InputError(f"key must be readable by its owner alone (mode 600), got mode {mode:o} of {path}")
    text = content.decode("latin-1")
    if not _KEY.fullmatch(text):
        raise InputError(f"key must be a file of {2 * KEY_BYTES} hexadecimal digits, got another in {path}")
    return bytes.fromhex(text)


def input_hmac(path: Path, key: bytes, before: bytes = b"") -> str:
    """Compute the HMAC-SHA256 of a file, with other bytes before it.

    Raises:
        InputError: for a file that cannot be read.
    """
    digest = InputDigest(key)
    digest(before)
    require_readable(path)
    try:
        with path.open("rb") as stream:
            while piece := stream.read(1 << 16):
                digest(piece)
    except OSError as error:
        raise InputError(f"input must be a readable file, got {path} ({error.strerror})") from None
    return digest.result()
