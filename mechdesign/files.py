"""Files: written whole or not at all, read with one clear line when they are unusable."""

import csv
import io
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np

from mechdesign.errors import InputError
from mechdesign.rational import as_rational

Rows = list[list[Fraction]]

MATRIX_SUFFIXES = (".json", ".csv", ".npz", ".npy")
MAX_CELLS = 5_000_000


def require_writable(path: Path) -> None:
    """Find out before the work whether a file can be written later."""
    folder = path.parent
    if path.is_dir():
        raise InputError(f"output must be a file, got the folder {path}")
    if not folder.is_dir():
        raise InputError(f"output folder must exist, got {folder}; create it with mkdir -p {folder}")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"output folder must be writable, got {folder} ({error.strerror})") from None
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError(f"output must be writable, got {path} (it is read-only)")


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A text stream whose content takes the place of `path` only when the block ends without an error."""
    with _neighbour(path) as handle, open(handle, "w", encoding="utf-8", newline="") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def whole_binary_file(path: Path) -> Iterator[BinaryIO]:
    """The same for bytes."""
    with _neighbour(path) as handle, open(handle, "wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def _neighbour(path: Path) -> Iterator[int]:
    """A temporary file beside `path`, moved there at the end, removed on any error."""
    require_writable(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise InputError(f"output could not be written: {path} ({error.strerror})") from None
    try:
        yield handle
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        raise InputError(f"output could not be written: {path} ({error.strerror})") from None
    finally:
        if os.path.exists(name):
            os.unlink(name)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    with whole_file(path) as stream:
        stream.write(text)


def write_bytes(path: Path, content: bytes) -> None:
    with whole_binary_file(path) as stream:
        stream.write(content)


def read_text(path: Path) -> str:
    """A text file's content; missing, unreadable, empty and binary files are one clear line each."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"file must exist, got {path}") from None
    except OSError as error:
        raise InputError(f"file must be readable, got {path} ({error.strerror})") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"file must be text, got {path}, which is binary") from None
    if "\0" in text:
        raise InputError(f"file must be text, got {path}, which is binary")
    if not text.strip():
        raise InputError(f"file must not be empty, got {path}")
    return text


def read_csv_matrix(path: Path) -> Rows:
    """A plain matrix of decimals or fractions, no header; each text is the exact number that it spells."""
    return rational_rows(list(csv.reader(io.StringIO(read_text(path)))), str(path))


def rational_rows(cells: Sequence[Sequence[object]], source: str) -> Rows:
    """Rows of exact rationals from rows of texts or numbers; ragged rows and non-numbers are named."""
    rows: Rows = []
    for number, row in enumerate((row for row in cells if row), start=1):
        if rows and len(row) != len(rows[0]):
            raise InputError(
                f"rows must be equally long, got {len(row)} cells in row {number} of {source}, {len(rows[0])} in row 1"
            )
        rows.append([_cell(value, source, number, column) for column, value in enumerate(row, start=1)])
    if not rows:
        raise InputError(f"matrix must not be empty, got {source}")
    if len(rows) * len(rows[0]) > MAX_CELLS:
        raise InputError(f"matrix must have at most {MAX_CELLS} entries, got {len(rows)} x {len(rows[0])} in {source}")
    return rows


def _cell(value: object, source: str, row: int, column: int) -> Fraction:
    place = f"row {row}, column {column} of {source}"
    try:
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            return as_rational(value, "entry")
    except InputError:
        pass
    raise InputError(f"matrix entries must be finite numbers, got {str(value)[:40]!r} in {place}")


def read_weights(path: Path) -> list[Fraction]:
    """A vector of decimals or fractions, separated by commas or lines."""
    cells = [cell for row in csv.reader(io.StringIO(read_text(path))) for cell in row if cell.strip()]
    return rational_rows([cells], str(path))[0]


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an `.npz`, or the one of an `.npy` under the name `matrix`; pickles are refused."""
    try:
        loaded = np.load(path, allow_pickle=False)
        arrays = {"matrix": loaded} if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except FileNotFoundError:
        raise InputError(f"file must exist, got {path}") from None
    except (OSError, ValueError, EOFError, KeyError) as error:
        reason = str(error).splitlines()[0][:60] if str(error) else "no data"
        raise InputError(f"file must be a numpy file without pickles, got {path} ({reason})") from None
    return arrays


def float_rows(array: np.ndarray, source: str) -> Rows:
    """Rows of the exact binary rationals that the floats of a matrix are."""
    if array.ndim != 2 or 0 in array.shape or array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        raise InputError(f"matrix must be two-dimensional and real, got shape {array.shape}, {array.dtype} in {source}")
    if array.size > MAX_CELLS:
        raise InputError(f"matrix must have at most {MAX_CELLS} entries, got {array.shape} in {source}")
    if not np.isfinite(array).all():
        i, j = np.argwhere(~np.isfinite(array))[0].tolist()
        raise InputError(f"matrix entries must be finite, got {array[i, j]} in row {i + 1}, column {j + 1} of {source}")
    return [[Fraction(value) for value in row] for row in array.tolist()]


def csv_text(matrix: np.ndarray) -> str:
    """Plain matrix, no header, row i = output i, shortest decimals that read back as the same floats."""
    return "".join(",".join(repr(float(value)) for value in row) + "\n" for row in matrix)


def npz_bytes(matrix: np.ndarray, document: str) -> bytes:
    """`matrix` as float64 and the JSON document as text; nothing is pickled."""
    stream = io.BytesIO()
    np.savez_compressed(stream, matrix=matrix.astype(np.float64), document=np.array(document))
    return stream.getvalue()
