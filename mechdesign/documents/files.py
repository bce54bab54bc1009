"""Files, written whole or not at all, and one-line errors about unusable ones."""

import io
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np

from mechdesign.documents.csv_rows import csv_rows
from mechdesign.documents.unnamed import force_to_disk, sync_folder, unnamed_file
from mechdesign.errors import InputError, argument, quote
from mechdesign.rational import as_rational

FilePath = str | Path
"""How a file may be named from outside."""

Content = bytes | Iterable[bytes]
"""What a file holds: at once, or piece by piece where it is long."""

Rows = list[list[Fraction]]

INHERITED = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Names of files that were open before this program began."""

MATRIX_SUFFIXES = (".json", ".csv", ".npz", ".npy")
MAX_CELLS = 5_000_000
LARGEST_ENTRY = Fraction(10**300)
NAME = re.compile(r"\s*(?!nan|[+-]?inf)[^\W\d]", re.IGNORECASE)


def require_writable(path: Path) -> None:
    """Refuse, before the work, a file that could not be written after it."""
    folder = path.resolve().parent
    if path.is_dir():
        raise InputError(f"output must be a file, got the folder {path}")
    if path.absolute().parts[:2] == ("/", "dev") or (path.exists() and not path.is_file()):
        raise InputError(f"output must be a regular file, got {path}, which is a device or a pipe")
    if not folder.is_dir():
        raise InputError(f"output folder must exist, got {folder}; create it with mkdir -p {folder}")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"output folder must be writable, got {folder} ({error.strerror})") from None
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError(f"output must be writable, got {path} (it is read-only)")


def require_readable(path: FilePath) -> None:
    """Refuse, before it is opened, a pipe or a device, which may keep whoever reads it waiting for ever.

    What the shell has opened already, as /dev/stdin or /dev/fd/63, is read; a file that is missing is whoever opens
    it to say.

    Raises:
        InputError: naming the path.
    """
    if str(path).startswith(INHERITED):
        return
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(f"file must be a regular file, got {path}, which is a device or a pipe")


def require_new(name: str, path: Path, simulated: bool = False) -> None:
    """Refuse to draw into a file that is there: what it holds would be lost; `name` is the argument that named it."""
    if path.exists():
        spent = "" if simulated else ", and a second draw of the same people spends epsilon again"
        raise InputError(
            f"{name} must be a new file, got {path}: what is there would be lost{spent}; take another "
            f"{argument(name)}, or give {argument('replace')}"
        )


def require_other_files(targets: Sequence[Path], sources: Sequence[Path]) -> None:
    """Refuse, before any work, an output that would replace what is read."""
    for path in targets:
        if any(path.exists() and source.exists() and path.samefile(source) for source in sources):
            raise InputError(f"output must not replace what is read, got {path} for both")


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Write text that takes the place of `path` only when the block ends without an error."""
    with _neighbour(path) as handle, open(handle, "w", encoding="utf-8", newline="") as stream:
        yield stream
        force_to_disk(stream)


@contextmanager
def whole_binary_file(path: Path, secret: bool = False) -> Iterator[BinaryIO]:
    """Write bytes that take the place of `path` only when the block ends without an error.

    A `secret` file that is new can be read by its owner only.
    """
    with _neighbour(path, secret) as handle, open(handle, "wb") as stream:
        yield stream
        force_to_disk(stream)


@contextmanager
def _neighbour(path: Path, secret: bool = False) -> Iterator[int]:
    """Open a temporary file that takes the place of `path`, or of what it links to, at the end without an error.

    Until then it has no name where the system allows that, so that a killed process leaves nothing of it.
    """
    require_writable(path)
    target = path.resolve()
    try:
        new = 0o600 if secret else 0o666
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else new & ~_umask()
        with unnamed_file(target.parent) as (handle, give_name):
            yield os.dup(handle)
            os.fchmod(handle, mode)
            _put(target, give_name)
    except OSError as error:
        raise InputError(f"output could not be written: {path} ({error.strerror})") from None


def _put(target: Path, give_name: Callable[[Path], None]) -> None:
    """Name a new file as the target, in the place of what is there, and make that last."""
    try:
        give_name(target)
    except FileExistsError:
        beside = target.with_name(f".{target.name[:60]}.{secrets.token_hex(4)}")
        give_name(beside)
        try:
            os.replace(beside, target)
        except OSError:
            beside.unlink()
            raise
    sync_folder(target.parent)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_together(contents: Mapping[Path, Content]) -> None:
    """Write several files; none appears unless all of them could be written."""
    with ExitStack() as stack:
        for path, content in contents.items():
            handle = stack.enter_context(_neighbour(path))
            with open(handle, "wb") as stream:
                stream.writelines([content] if isinstance(content, bytes) else content)
                force_to_disk(stream)


def split_around_files(text: str, separator: str = ",") -> list[str]:
    """Split names at a separator, but not within the name of a file that is there; the longest name wins.

    >>> split_around_files("L0, L1,L2"), split_around_files("GM;design:WH,CM:L1", ";")
    (['L0', 'L1', 'L2'], ['GM', 'design:WH,CM:L1'])
    """
    parts, words, start = text.split(separator), [], 0
    while start < len(parts):
        ends = range(len(parts), start + 1, -1)
        named = (end for end in ends if Path(separator.join(parts[start:end]).strip()).is_file())
        end = next(named, start + 1)
        words.append(separator.join(parts[start:end]).strip())
        start = end
    return words


def read_text(path: Path) -> str:
    """Read a text file, and report a missing, unreadable, empty or binary one in one line."""
    require_readable(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"file must exist, got {path}") from None
    except OSError as error:
        raise InputError(f"file must be readable, got {path} ({error.strerror})") from None
    except ValueError:
        raise InputError(f"file must have a name that the system takes, got {quote(str(path))}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"file must be text, got {path}, which is binary") from None
    if "\0" in text:
        raise InputError(f"file must be text, got {path}, which is binary")
    if not text.strip():
        raise InputError(f"file must not be empty, got {path}")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_csv_cells(path: Path) -> list[list[str]]:
    """Read the texts of a plain matrix, no header."""
    return list(csv_rows(io.StringIO(read_text(path)), str(path)))


def read_csv_matrix(path: Path) -> Rows:
    """Read a plain matrix of decimals or fractions, no header; each text is the exact number that it spells."""
    return rational_rows(read_csv_cells(path), str(path))


def rational_rows(cells: Sequence[Sequence[object]], source: str) -> Rows:
    """Parse rows of exact rationals from rows of texts or numbers; ragged rows and non-numbers are named."""
    rows: Rows = []
    for number, row in enumerate((row for row in cells if row), start=1):
        if rows and len(row) != len(rows[0]):
            raise InputError(
                f"rows must be equally long, got {len(row)} cells in row {number} of {source}, {len(rows[0])} in row 1"
            )
        try:
            rows.append([_cell(value, source, number, column) for column, value in enumerate(row, start=1)])
        except InputError as error:
            if not rows and len(cells) > 1 and _is_header(row):
                raise InputError(f"{error}; a matrix file has no header line, so leave that row out") from None
            raise
    if not rows:
        raise InputError(f"matrix must not be empty, got {source}")
    if len(rows) * len(rows[0]) > MAX_CELLS:
        raise InputError(f"matrix must have at most {MAX_CELLS} entries, got {len(rows)} x {len(rows[0])} in {source}")
    return rows


def _cell(value: object, source: str, row: int, column: int) -> Fraction:
    place = f"row {row}, column {column} of {source}"
    try:
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            number = as_rational(value, "entry")
            if abs(number) <= LARGEST_ENTRY:
                return number
    except InputError:
        pass
    advice = "; write commas between the entries" if isinstance(value, str) and _is_a_row(value) else ""
    raise InputError(f"matrix entries must be numbers of at most 1e300, got {quote(str(value), 40)} in {place}{advice}")


def _is_header(row: Sequence[object]) -> bool:
    """Return whether a row is of names alone."""
    return all(isinstance(cell, str) and NAME.match(cell) for cell in row)


def _is_a_row(text: str) -> bool:
    """Return whether a cell holds several numbers, with something else than commas between them."""
    words = re.split(r"[\s;|]+", text.strip())
    try:
        return len([as_rational(word, "entry") for word in words]) > 1
    except InputError:
        return False


def read_weights(path: Path) -> list[Fraction]:
    """Read a vector of decimals or fractions, separated by commas or lines."""
    cells = [cell for row in csv_rows(io.StringIO(read_text(path)), str(path)) for cell in row if cell.strip()]
    return rational_rows([cells], str(path))[0]


def float_rows(array: np.ndarray, source: str) -> Rows:
    """Return the floats of a matrix as rows of the exact binary rationals that they are."""
    if array.ndim != 2 or 0 in array.shape or array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        raise InputError(f"matrix must be two-dimensional and real, got shape {array.shape}, {array.dtype} in {source}")
    if array.size > MAX_CELLS:
        raise InputError(f"matrix must have at most {MAX_CELLS} entries, got {array.shape} in {source}")
    array = array.astype(np.float64)
    unfit = ~(np.abs(array) <= 1e300)
    if unfit.any():
        i, j = np.argwhere(unfit)[0].tolist()
        place = f"row {i + 1}, column {j + 1} of {source}"
        raise InputError(f"matrix entries must be numbers of at most 1e300, got {array[i, j]} in {place}")
    return [[Fraction(value) for value in row] for row in array.tolist()]


def csv_text(matrix: np.ndarray) -> str:
    """Write a plain matrix, no header, row i = output i, in shortest decimals that read back as the same floats."""
    return "".join(",".join(repr(float(value)) for value in row) + "\n" for row in matrix)


def npz_bytes(matrix: np.ndarray, document: str) -> bytes:
    """Write `matrix` as float64 and the JSON document as text; nothing is pickled."""
    stream = io.BytesIO()
    np.savez_compressed(stream, matrix=matrix.astype(np.float64), document=np.array(document))
    return stream.getvalue()
