"""Exact matrices as text: they read back as the same numbers."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from mechdesign import DesignProblem, audit, design, export, read_matrix
from mechdesign.exports.exact_text import exactness_notes, latex_matrix
from mechdesign.mechanism.mechanism import Mechanism


@pytest.fixture(scope="module")
def best():
    return design(DesignProblem(n=10, alpha="0.9", properties="WH,CM"))


def entries(mechanism):
    size = range(mechanism.n_inputs)
    return [[mechanism.fraction(i, j) for j in size] for i in size]


def test_a_table_of_fractions_reads_back_exactly(best, tmp_path):
    export(best, tmp_path / "exact.csv", fractions=True)
    assert read_matrix(tmp_path / "exact.csv").rows == entries(best.mechanism)
    found = audit(tmp_path / "exact.csv", alpha="0.9", properties="WH,CM")
    assert (found.passed, found.within, found.column_sums_exact) == (True, None, True)
    export(best, tmp_path / "rounded.csv")
    assert read_matrix(tmp_path / "rounded.csv").rows != entries(best.mechanism)


def test_a_matrix_of_latex_has_every_entry(best, tmp_path):
    export(best, tmp_path / "m.tex")
    counter, begin, *rows, end = (tmp_path / "m.tex").read_text().splitlines()
    assert (counter, begin, end) == (r"\setcounter{MaxMatrixCols}{11}", r"\begin{pmatrix}", r"\end{pmatrix}")
    cells = [[re.sub(r"\\frac{(\d+)}{(\d+)}", r"\1/\2", cell) for cell in row.split(" & ")] for row in rows]
    assert [[Fraction(cell.removesuffix(r" \\")) for cell in row] for row in cells] == entries(best.mechanism)
    assert [row.endswith(r" \\") for row in rows] == [True] * 10 + [False]


def test_ten_columns_need_no_counter():
    assert latex_matrix(Mechanism(((1, 0), (0, 1)), 1)) == "\\begin{pmatrix}\n1 & 0 \\\\\n0 & 1\n\\end{pmatrix}\n"


def test_what_is_not_exact_is_said():
    paths = [Path("a.csv"), Path("a.json")]
    assert exactness_notes(paths, "a .json") == ["a.csv holds rounded floats; for exact numbers use a .json"]
    assert exactness_notes(paths, "a .json", Mechanism(((1, 0), (0, 1)), 1)) == []
    long = Mechanism(((10**600, 0), (0, 10**600)), 10**600)
    assert "a.csv: fractions may have 1203 characters" in exactness_notes(paths, "a .json", long)[0]
