"""Files of mechanisms: `.json`, `.csv`, `.npz`, and linear programs; matrices in `.npy`."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from mechdesign.arguments import checked
from mechdesign.designs import Design, require_sound
from mechdesign.documents.arrays import read_arrays
from mechdesign.documents.document import AnyDesign, design_document
from mechdesign.documents.files import (
    MATRIX_SUFFIXES,
    MAX_CELLS,
    Content,
    FilePath,
    Rows,
    csv_text,
    float_rows,
    npz_bytes,
    rational_rows,
    read_csv_cells,
    read_text,
    require_writable,
    write_together,
)
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.precision import Halves, halves_of_cells, halves_of_floats
from mechdesign.documents.stored import (
    ByRule,
    StoredDesign,
    StoredLaw,
    StoredLevelDesign,
    StoredNoiseTable,
    StoredWorkloadDesign,
    proved_text,
    read_document,
    require_true,
)
from mechdesign.errors import InputError
from mechdesign.exports.exact_text import LATEX, fractions_csv, latex_matrix
from mechdesign.exports.writing import PROGRAM_SUFFIXES, program_pieces, require_short_programs
from mechdesign.laws.law import Law
from mechdesign.level_designs import LevelDesign
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import FramedPage
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.noise_tables.design import NoiseTableDesign
from mechdesign.pages.design_page import TITLE, design_page
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.rational import nearest_float
from mechdesign.workload_designs import WorkloadDesign

AnyMechanism = Mechanism | Design | FilePath
BySize = Mechanism | Law
"""What gives a mechanism for groups of one size, or of every size."""

MECHANISM_SUFFIXES = (".json", ".csv", ".npz")
DOCUMENT_SUFFIX = ".json"
"""The one ending of what has no matrix to write."""
LEVEL_DESIGN, NOISE_TABLE = "a design of levels", "a noise table"
"""What has a document alone."""
PAGE = ".html"
EXPORT_SUFFIXES = (*MECHANISM_SUFFIXES, PAGE, LATEX, *PROGRAM_SUFFIXES)
LARGEST_CELL = 16
"""Bytes of a number in a matrix, with what its file says of it."""


@dataclass(frozen=True)
class StoredMatrix:
    """A matrix from a file: rows of exact rationals, and the design document if it is one.

    `halves` says how far each entry of a file of floats may be from the number that it stands for; None for exact ones.
    """

    rows: Rows
    document: StoredDesign | None
    halves: Halves | None = None

    def transposed(self) -> "StoredMatrix":
        """Swap rows and columns, for tools that keep one row for each input."""
        if self.document is not None:
            raise InputError("a design document is column-stochastic already; --row-stochastic is for plain matrices")
        halves = None if self.halves is None else _swapped(self.halves)
        return StoredMatrix(_swapped(self.rows), None, halves)


Stored = StoredMatrix | ByRule


def _swapped(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def require_exportable(path: Path) -> None:
    """Refuse, before any work, a file that `export` could not write."""
    if path.suffix.lower() not in EXPORT_SUFFIXES:
        raise InputError(f"output must end in {', '.join(EXPORT_SUFFIXES)}, got {path}")
    require_writable(path)


def require_design_exportable(path: Path) -> None:
    """Refuse, before any work, a file that `export` could not write a mechanism for a workload to."""
    require_exportable(path)
    if path.suffix.lower() not in MECHANISM_SUFFIXES:
        raise InputError(f"output of a workload design must end in {', '.join(MECHANISM_SUFFIXES)}, got {path}")


def require_law_exportable(path: Path) -> None:
    """Refuse, before any work, a file that `export` could not write a law to."""
    if path.suffix.lower() != DOCUMENT_SUFFIX:
        raise InputError(
            f"output of a law must end in {DOCUMENT_SUFFIX}, got {path}; law.design(n) is a design of one size"
        )
    require_writable(path)


def require_document_exportable(path: Path, kind: str) -> None:
    """Refuse, before any work, a file that `export` could not write a document without a matrix to."""
    if path.suffix.lower() != DOCUMENT_SUFFIX:
        raise InputError(f"output of {kind} must end in {DOCUMENT_SUFFIX}, got {path}")
    require_writable(path)


@checked
def export(design: AnyDesign, path: FilePath, *, fractions: bool = False) -> None:
    """Write a design to a file, by its ending.

    The document (.json), the plain matrix (.csv), both (.npz), a page with document, heat map and seal that opens
    anywhere (.html), the matrix for LaTeX (.tex), the linear program with the proof of optimality as a certificate
    (.vipr), or the program alone in whole numbers (.lp, .mps; comments say where one exceeds 2^53). Pages, LaTeX and
    programs are of square designs alone; a law, levels and a noise table have a document alone.

    Args:
        design: what to write.
        path: the file.
        fractions: write the `.csv` of a square design in exact fractions, which are rounded to floats otherwise.

    Raises:
        InputError: for another ending, a file that cannot be written, or a program of more than a million rows.
        RefusedError: if `verify` does not prove all that the document says, or the kernel finds a defect in the matrix.
    """
    path = Path(path)
    if isinstance(design, WorkloadDesign):
        require_design_exportable(path)
    elif isinstance(design, Law):
        require_law_exportable(path)
    elif isinstance(design, LevelDesign | NoiseTableDesign):
        require_document_exportable(path, NOISE_TABLE if isinstance(design, NoiseTableDesign) else LEVEL_DESIGN)
    else:
        require_exportable(path)
        require_short_programs(design.problem, [path])
    write_together({path: export_content(design, path, fractions)})


def export_content(design: AnyDesign, path: Path, fractions: bool = False) -> Content:
    """Return what `export` writes: a document that `verify` proves, or a matrix that the kernel checks again."""
    suffix = path.suffix.lower()
    if isinstance(design, Law | LevelDesign | NoiseTableDesign) or suffix == DOCUMENT_SUFFIX:
        return proved_text(design_document(design)).encode()
    if suffix == ".npz":
        return npz_bytes(design.mechanism.matrix(), proved_text(design_document(design)))
    if isinstance(design, Design):
        if suffix == PAGE:
            return proved_page(design).encode()
        require_sound(design.problem, design.mechanism)
        if suffix in PROGRAM_SUFFIXES:
            return program_pieces(design, path)
        if suffix == LATEX:
            return latex_matrix(design.mechanism).encode()
        if fractions:
            return fractions_csv(design.mechanism).encode()
    return csv_text(design.mechanism.matrix()).encode()


def proved_page(design: Design) -> str:
    """Write the page of a design, once `verify` has proved the document that it holds."""
    return design_page(design, proved_text(design_document(design)))


def framed_page(design: Design) -> FramedPage:
    """Put the page of a design into a frame for a notebook."""
    return FramedPage(proved_page(design), f"{TITLE}: {design.problem.describe()}")


@checked
def read_matrix(path: FilePath) -> StoredMatrix:
    """Read any matrix from a file, by suffix .json, .csv, .npz or .npy, and the design document if it is one.

    Raises:
        InputError: for a file that is missing, empty, binary, ragged, cut off, or of another format.
    """
    return require_matrix(read_stored(path), path)


def require_matrix(stored: Stored, path: FilePath) -> StoredMatrix:
    """Return what was read if it is a matrix, or a design of one.

    Raises:
        InputError: saying what it is, and what takes it.
    """
    if isinstance(stored, StoredWorkloadDesign | StoredLevelDesign):
        raise InputError(
            f"file must hold a matrix or a square design, got a workload design in {path}, which mechdesign check and "
            "report take, and mechdesign local privatize --oracle uses"
        )
    if isinstance(stored, StoredNoiseTable):
        raise InputError(
            f"file must hold a matrix or a square design, got a noise table in {path}, which mechdesign check audits"
        )
    if isinstance(stored, StoredLaw):
        raise InputError(
            f"file must hold one matrix or a square design, got a law for groups of every size in {path}, which "
            "mechdesign check audits and mechdesign report writes out at one n"
        )
    return stored


def read_stored(path: FilePath) -> Stored:
    """Read what a file holds, by its key `format`: a design for a workload, a law, or a matrix as `read_matrix` does.

    Raises:
        InputError: as `read_matrix`.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".json":
        return _from_json(read_text(path), str(path))
    if suffix == ".csv":
        return _from_cells(read_csv_cells(path), str(path))
    if suffix in (".npz", ".npy"):
        return _from_arrays(read_arrays(path, LARGEST_CELL * MAX_CELLS), str(path))
    raise InputError(f"matrix file must end in {', '.join(MATRIX_SUFFIXES)}, got {path}")


def _from_json(text: str, source: str) -> Stored:
    data = parse_json(text, source)
    if isinstance(data, dict) and "format" not in data:  # another tool's matrix, or a remap of `mechdesign derive`
        data = next((data[key] for key in ("matrix", "remap") if isinstance(data.get(key), list)), data)
    if isinstance(data, list) and data and all(isinstance(row, list) for row in data):
        return _from_cells(data, source)
    stored = read_document(data, source)
    return _from_document(stored) if isinstance(stored, StoredDesign) else stored


def _from_cells(cells: Sequence[Sequence[object]], source: str) -> StoredMatrix:
    return StoredMatrix(rational_rows(cells, source), None, halves_of_cells(cells))


def _from_document(document: StoredDesign) -> StoredMatrix:
    rows = [[Fraction(weight, document.denominator) for weight in row] for row in document.weights]
    return StoredMatrix(rows, document)


def _from_arrays(arrays: dict[str, np.ndarray], source: str) -> StoredMatrix | StoredWorkloadDesign:
    text = arrays.get("document")
    if text is not None and text.dtype.kind == "U" and text.ndim == 0:
        stored = _from_json(str(text), source)
        if isinstance(stored, StoredLaw | StoredLevelDesign | StoredNoiseTable):
            kind = "a law" if isinstance(stored, StoredLaw) else LEVEL_DESIGN
            kind = NOISE_TABLE if isinstance(stored, StoredNoiseTable) else kind
            raise InputError(f"document of a matrix must be a design of one size, got {kind} in {source}")
        if isinstance(stored, StoredWorkloadDesign):
            floats = stored.mechanism().matrix()
        else:
            floats = np.array([[nearest_float(value) for value in row] for row in stored.rows])
        if "matrix" not in arrays or not np.array_equal(arrays["matrix"], floats):
            raise InputError(f"matrix and document must agree, got two different mechanisms in {source}")
        return stored
    if "matrix" in arrays:
        return _from_floats(arrays["matrix"], source)
    if len(arrays) == 1:
        return _from_floats(next(iter(arrays.values())), source)
    raise InputError(f"file must hold one array, or one called matrix, got {', '.join(arrays) or 'none'} in {source}")


def _from_floats(array: np.ndarray, source: str) -> StoredMatrix:
    return StoredMatrix(float_rows(array, source), None, halves_of_floats(array))


def read_count_mechanism(path: FilePath, n: int | None = None) -> Mechanism:
    """Read a mechanism for counts that is fit for use; designs for other models are refused.

    Raises:
        InputError: as `read_mechanism`, or for another model.
    """
    return _usable(read_stored(path), Path(path), n, counts_only=True)


def read_count_source(path: FilePath) -> BySize:
    """Read a mechanism for counts that is fit for use, or a law for groups of every size.

    Raises:
        InputError: as `read_count_mechanism`.
    """
    stored = read_stored(path)
    if isinstance(stored, StoredLaw) and stored.n is None:
        return stored.proved()
    return _usable(stored, Path(path), None, counts_only=True)


def as_count_mechanism(mechanism: AnyMechanism) -> Mechanism:
    """Take a mechanism for counts as a mechanism, a design, or the path of a file.

    Raises:
        InputError: as `read_count_mechanism`, and for a design for another model.
    """
    if isinstance(mechanism, str | Path):
        return read_count_mechanism(mechanism)
    if isinstance(mechanism, Design):
        if mechanism.problem.model.name != "count":
            raise InputError(f"mechanism must be for counts, got a design for {mechanism.problem.model.describe()}")
        return mechanism.mechanism
    if not isinstance(mechanism, Mechanism):
        raise InputError(f"mechanism must be a mechanism, a design or a file, got {type(mechanism).__name__}")
    return mechanism


@checked
def read_mechanism(path: FilePath, *, n: int | None = None) -> Mechanism:
    """Read a mechanism that is fit for use on real counts from a file.

    All that a document claims must be true; a plain matrix must be column-stochastic and of finite epsilon exactly.

    Args:
        path: a matrix, a design, or a law.
        n: the size at which a law is written out; needed where its document speaks of every size.

    Raises:
        InputError: naming the defect and the way to mend it.
        RefusedError: naming the first claim of a document that is false.
    """
    return _usable(read_stored(path), Path(path), n)


def _usable(found: Stored, path: Path, n: int | None, counts_only: bool = False) -> Mechanism:
    if isinstance(found, StoredLaw):
        return found.proved().at(found.size(n))
    stored = require_matrix(found, path)
    if n not in (None, len(stored.rows[0]) - 1):
        raise InputError(f"n must be {len(stored.rows[0]) - 1} as in {path}, got n={n}")
    if stored.document is not None:
        problem = stored.document.problem
        if counts_only and problem.model.name != "count":
            raise InputError(f"mechanism must be for counts, got {problem.model.describe()} in {path}")
        try:
            mechanism = stored.document.mechanism()
        except InputError as error:
            raise InputError(f"{error} in {path}; mechdesign check {path} says more") from None
        require_true(stored.document.claims, path)
        return mechanism
    mend = f"mend it with mechdesign check {path} --alpha A --repair OUT.json"
    if path.suffix.lower() == ".csv":
        mend = f"a .csv is rounded: use the .json or .npz of the same design, or {mend}"
    if len(stored.rows) != len(stored.rows[0]):
        raise InputError(f"mechanism must be a square matrix, got {len(stored.rows)} x {len(stored.rows[0])} in {path}")
    try:
        mechanism = Mechanism.from_fractions(stored.rows)
    except InputError as error:
        raise InputError(f"{error} in {path}; {mend}") from None
    if tightest_alpha(mechanism.weights, NeighbourGraph.path(mechanism.n_inputs)).alpha is None:
        raise InputError(f"mechanism must have a finite epsilon, got a zero beside a positive entry in {path}; {mend}")
    return mechanism
