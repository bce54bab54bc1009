"""Matrices from outside as integers over one denominator.

A matrix is a mechanism, a design, a file, an array, or rows of numbers.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from mechdesign.designs import Design
from mechdesign.documents.document import AnyDesign, RuleDesign, design_document, document_text
from mechdesign.documents.files import FilePath, float_rows
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.precision import Halves, halves_of_floats
from mechdesign.documents.storage import Stored, StoredMatrix, read_stored, require_matrix
from mechdesign.documents.stored import (
    WRITTEN,
    ByRule,
    StoredDesign,
    read_document,
)
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import Number, as_rational, over_common_denominator

Rows = Sequence[Sequence[Number]] | np.ndarray
AnyMatrix = FilePath | StoredMatrix | StoredDesign | Design | Mechanism | Rows
"""A file by its path, what a file held, a certified design, a mechanism, or a plain matrix `P[i,j]`."""


def read_if_file(matrix: AnyMatrix | Stored | AnyDesign) -> Stored | StoredDesign | Design | Mechanism | Rows:
    """Read the file, where a matrix is given by one, and the document of a law or a design for a workload."""
    if isinstance(matrix, RuleDesign):
        return read_document(parse_json(document_text(design_document(matrix)), WRITTEN), WRITTEN)
    return read_stored(matrix) if isinstance(matrix, str | Path) else matrix


def open_matrix(matrix: AnyMatrix) -> StoredDesign | Design | Mechanism | Rows:
    """Open the file, where a matrix is given by one: its design document, else its rows.

    Raises:
        InputError: for a file that is missing, unusable or of another format.
    """
    read = read_if_file(matrix)
    if isinstance(read, StoredMatrix | ByRule):
        stored = require_matrix(read, matrix if isinstance(matrix, str | Path) else "")
        return stored.document or stored.rows
    return read


def half_units(matrix: StoredMatrix | StoredDesign | Design | Mechanism | Rows) -> Halves | None:
    """Return how far the entries of a matrix that can be read may be from what they stand for; None for exact ones."""
    if isinstance(matrix, StoredMatrix):
        return matrix.halves
    if isinstance(matrix, np.ndarray):
        return halves_of_floats(matrix)
    if isinstance(matrix, StoredDesign | Design | Mechanism) or not any(
        isinstance(x, float) for row in matrix for x in row
    ):
        return None
    return [[Fraction(math.ulp(x)) / 2 if isinstance(x, float) else Fraction(0) for x in row] for row in matrix]


def integer_matrix(matrix: StoredDesign | Design | Mechanism | Rows) -> tuple[list[list[int]], int]:
    """Convert a matrix to integers and their denominator; in a plain one every float is the exact rational that it is.

    Raises:
        InputError: if the matrix is empty, ragged, or not finite.
    """
    if isinstance(matrix, Design):
        matrix = matrix.mechanism
    if isinstance(matrix, Mechanism | StoredDesign):
        return [list(row) for row in matrix.weights], matrix.denominator
    if isinstance(matrix, np.ndarray):
        matrix = float_rows(matrix, "the array")
    if not isinstance(matrix, Sequence) or any(isinstance(row, str) or not isinstance(row, Sequence) for row in matrix):
        raise InputError(
            f"matrix must be a file, a mechanism, a design, an array or rows of numbers, got {type(matrix).__name__}"
        )
    rows = [[Fraction(x) if isinstance(x, float) else as_rational(x, "entry") for x in row] for row in matrix]
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise InputError("matrix must have rows of equal length, and at least one entry")
    flat, denominator = over_common_denominator(value for row in rows for value in row)
    width = len(rows[0])
    return [flat[i * width : (i + 1) * width] for i in range(len(rows))], denominator
