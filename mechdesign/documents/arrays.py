"""Numpy files, whose sizes are checked before memory is allocated; nothing is unpickled.

A `.npz` is a zip archive of `.npy` files, and both say beforehand how large they are. What is larger than the limits
here, holds other bytes than its header promises, or is of a type that no matrix and no document has, is refused.
"""

import math
import os
import sys
import zipfile
from pathlib import Path
from typing import IO

import numpy as np

from mechdesign.documents.files import require_readable
from mechdesign.errors import InputError, reason_of, shorten

LARGEST_ARRAY = 1 << 31
"""Bytes of one array; a document takes four for each letter."""

SMALL_TEXT = 1 << 26
LARGEST_RATIO = 100
"""So many times its compressed size may a text have that is larger than `SMALL_TEXT`; documents have about 10."""

MOST_ARRAYS = 16
LARGEST_HEADER = 10_000
KINDS = "fiubSU"
"""Floats, integers, truth values, bytes and texts, by numpy's letters."""


def read_arrays(path: Path, largest: int = LARGEST_ARRAY) -> dict[str, np.ndarray]:
    """Read the arrays of an `.npz`, or the one of an `.npy` under the name `matrix`.

    Args:
        path: the file.
        largest: bytes that an array of numbers may have.

    Raises:
        InputError: for a file that is missing, damaged, too large for what it says, or pickled.
    """
    require_readable(path)
    try:
        with path.open("rb") as stream:
            if zipfile.is_zipfile(stream):
                return _archive(stream, largest)
            stream.seek(0)
            size = os.fstat(stream.fileno()).st_size
            return {"matrix": _array(stream, size, size, largest)}
    except FileNotFoundError:
        raise InputError(f"file must exist, got {path}") from None
    except Exception as error:  # a damaged archive makes numpy and zipfile raise nearly anything
        raise InputError(f"file must be a numpy file without pickles, got {path} ({reason_of(error)})") from None


def _archive(stream: IO[bytes], largest: int) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    with zipfile.ZipFile(stream) as archive:
        members = archive.infolist()
        if len(members) > MOST_ARRAYS:
            raise ValueError(f"it has {len(members)} parts, more than {MOST_ARRAYS}")
        for member in members:
            name = member.filename.removesuffix(".npy")
            if name == member.filename or name in arrays:
                raise ValueError(f"{shorten(member.filename)} is {'there twice' if name in arrays else 'no array'}")
            with archive.open(member) as part:
                arrays[name] = _array(part, member.file_size, member.compress_size, largest)
    return arrays


def _array(stream: IO[bytes], size: int, compressed: int, largest: int) -> np.ndarray:
    """Read one array from a stream of so many bytes, which take `compressed` in the file."""
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"its format is {version[0]}.{version[1]}, not 1.0 or 2.0")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, is_fortran, kind = read(stream, max_header_size=LARGEST_HEADER)
    if kind.hasobject:
        raise ValueError("it holds pickled objects")
    if kind.kind not in KINDS:
        raise ValueError(f"it holds {shorten(kind, 30)}, not real numbers or texts")
    if size > (LARGEST_ARRAY if kind.kind == "U" else largest):
        raise ValueError(f"an array has {size} bytes, more than {largest}")
    if kind.kind == "U" and size > SMALL_TEXT and size > LARGEST_RATIO * compressed:
        raise ValueError(f"a text grows {size // max(1, compressed)} times as large when it is opened, a zip bomb")
    promised, found = math.prod(shape) * kind.itemsize, size - stream.tell()
    if promised != found or min(shape, default=0) < 0:
        raise ValueError(f"its header promises {promised} bytes and {found} are there")
    content = stream.read(promised)
    if len(content) != promised:
        raise ValueError(f"its header promises {promised} bytes and {len(content)} are there")
    if not promised:
        return np.zeros(shape, kind)
    if kind.kind == "U" and np.frombuffer(content, np.dtype("u4").newbyteorder(kind.byteorder)).max() > sys.maxunicode:
        raise ValueError("a text has letters that do not exist")
    return np.frombuffer(content, kind).reshape(shape, order="F" if is_fortran else "C")
