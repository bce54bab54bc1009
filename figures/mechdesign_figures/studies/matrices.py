"""Matrices as rows of a table, and back."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import fraction_text
from mechdesign_figures.studies.study import Row


def entries(mechanism: Mechanism, common: Row) -> list[Row]:
    """Return one row for each entry, `common` first: output i, input j, `P[i,j]` exactly and as a decimal."""
    return [
        {**common, "output": i, "input": j, "exact": fraction_text(entry), "value": float(entry)}
        for i in range(mechanism.n_outputs)
        for j in range(mechanism.n_inputs)
        for entry in [mechanism.fraction(i, j)]
    ]


def matrix_of(rows: Sequence[Row]) -> NDArray[np.float64]:
    """Return the matrix of the decimals of `entries`, shape (n_outputs, n_inputs)."""
    size = [1 + max(whole(row, name) for row in rows) for name in ("output", "input")]
    matrix = np.full(size, np.nan)
    for row in rows:
        matrix[whole(row, "output"), whole(row, "input")] = number(row, "value")
    return matrix


def whole(row: Row, name: str) -> int:
    """Read a cell that holds a whole number."""
    return int(str(row[name]))


def number(row: Row, name: str) -> float:
    """Read a cell that holds a number, be it a fraction."""
    return float(Fraction(str(row[name])))
