"""Matrices in exact fractions: plain rows, and a `pmatrix` of LaTeX."""

from collections.abc import Iterable
from pathlib import Path

from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import MAX_TEXT, fraction_text, integer_text

LATEX = ".tex"
ROUNDED = ".csv"

LATEX_COLUMNS = 10
"""Columns of a `pmatrix` that amsmath takes without being told."""


def fractions_csv(mechanism: Mechanism) -> str:
    """Write a plain matrix, no header, row i = output i, in fractions `p/q` in lowest terms.

    >>> fractions_csv(Mechanism(((2, 1), (1, 2)), 3))
    '2/3,1/3\\n1/3,2/3\\n'
    """
    return "".join(",".join(row) + "\n" for row in fraction_rows(mechanism))


def latex_matrix(mechanism: Mechanism) -> str:
    r"""Write a `pmatrix` of LaTeX (package amsmath) in fractions in lowest terms.

    >>> print(latex_matrix(Mechanism(((3, 1), (0, 2)), 3)).splitlines()[1])
    1 & \frac{1}{3} \\
    """
    rows = [[_latex(mechanism, i, j) for j in range(mechanism.n_inputs)] for i in range(mechanism.n_outputs)]
    body = " \\\\\n".join(" & ".join(row) for row in rows)
    many = mechanism.n_inputs > LATEX_COLUMNS
    counter = f"\\setcounter{{MaxMatrixCols}}{{{mechanism.n_inputs}}}\n" if many else ""
    return f"{counter}\\begin{{pmatrix}}\n{body}\n\\end{{pmatrix}}\n"


def fraction_rows(mechanism: Mechanism) -> list[list[str]]:
    """Return the entries as texts `p/q` in lowest terms."""
    return [
        [fraction_text(mechanism.fraction(i, j)) for j in range(mechanism.n_inputs)] for i in range(mechanism.n_outputs)
    ]


def exactness_notes(paths: Iterable[Path], remedy: str, mechanism: Mechanism | None = None) -> list[str]:
    """List a line for each `.csv` that is not exact, or not to be read again.

    Args:
        paths: what is written.
        remedy: what to write instead: `.json`.
        mechanism: given where the files have its exact fractions.
    """
    tables = [path for path in paths if path.suffix.lower() == ROUNDED]
    if mechanism is None:
        return [f"{path} holds rounded floats; for exact numbers use {remedy}" for path in tables]
    longest = 2 * len(integer_text(mechanism.denominator)) + 1
    long = f"fractions may have {longest} characters; mechdesign reads up to {MAX_TEXT} from a .csv, all from a .json"
    return [f"{path}: {long}" for path in tables] if longest > MAX_TEXT else []


def _latex(mechanism: Mechanism, i: int, j: int) -> str:
    value = mechanism.fraction(i, j)
    top, bottom = integer_text(value.numerator), integer_text(value.denominator)
    return top if value.denominator == 1 else rf"\frac{{{top}}}{{{bottom}}}"
