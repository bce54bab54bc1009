"""Workloads of weights, from Python and from CSV files."""

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest
from dense_workloads import listed_energy, tiled

from mechdesign.documents.workloads import LARGEST_FILE, parse_workload
from mechdesign.errors import InputError
from mechdesign.workloads.matrix import MatrixWorkload

ROWS = [["0.1", "1/3", "-2", "0", "5"], ["1", "1", "1", "1", "1"], ["0", "0", "7e-1", "0", "0"]]
EXACT = [[Fraction(1, 10), Fraction(1, 3), Fraction(-2), Fraction(0), Fraction(5)], [Fraction(1)] * 5]
EXACT.append([Fraction(0), Fraction(0), Fraction(7, 10), Fraction(0), Fraction(0)])


@pytest.fixture
def path(tmp_path):
    target = tmp_path / "weights.csv"
    target.write_text("".join(",".join(row) + "\n" for row in ROWS))
    return target


def test_a_file_is_read_as_the_numbers_it_spells(path):
    workload = parse_workload(str(path), 5)
    assert (workload.k, workload.count, workload.sides) == (5, 3, None)
    floats = np.array(EXACT, dtype=float)
    np.testing.assert_array_equal(workload.queries().weights(), floats)
    x = np.array([1.0, -2, 0.5, 4, 0.25])
    np.testing.assert_allclose(workload.answers(x), floats @ x, rtol=1e-15)
    np.testing.assert_allclose(workload.gram_times(x), floats.T @ floats @ x, rtol=1e-14)
    assert workload.gram() == [[sum(row[u] * row[v] for row in EXACT) for v in range(5)] for u in range(5)]


def test_energies_are_fractions(path):
    workload = parse_workload(str(path), 5)
    for size in range(1, 7):
        edges = [*range(0, 5, size), 5]
        energy = sum(sum(row[a:b]) ** 2 for row in EXACT for a, b in itertools.pairwise(edges))
        assert workload.block_energy(size) == workload.energy(edges) == energy
    assert isinstance(workload.block_energy(1), Fraction)


def test_the_name_says_which_weights_and_reads_back(path):
    workload = parse_workload(str(path), 5)
    assert re.fullmatch(re.escape(str(path)) + "@[0-9a-f]{12}", workload.name)
    assert parse_workload(workload.name, 5) == workload
    path.write_text(path.read_text().replace("0.1", "1/10"))
    assert parse_workload(workload.name, 5) == workload  # the same numbers
    path.write_text(path.read_text().replace("7e-1", "8e-1"))
    assert parse_workload(str(path), 5) != workload
    with pytest.raises(InputError, match=r"must be the one that was named, got other weights in .*weights.csv"):
        parse_workload(workload.name, 5)


def test_weights_from_python_are_the_decimals_that_a_person_means(path):
    assert MatrixWorkload.of(EXACT, str(path)) == parse_workload(str(path), 5)
    floats = MatrixWorkload.of(np.array([[0.1, 0.5], [2, 0]]))
    assert floats.block_energy(1) == Fraction(1, 100) + Fraction(1, 4) + 4
    assert floats.name.startswith("matrix@")


@pytest.mark.parametrize("scale", [1, 10**12, 10**40])
def test_large_weights_do_not_overflow(scale):
    matrix = np.arange(1, 41).reshape(4, 10) - 17
    workload = MatrixWorkload.of([[int(w) * scale for w in row] for row in matrix])
    for size in (1, 3, 10):
        assert workload.block_energy(size) == int(listed_energy(matrix, tiled(10, size))) * scale**2
    assert workload.gram()[2][5] == int((matrix.T @ matrix)[2, 5]) * scale**2


def test_energies_just_beyond_64_bits_do_not_overflow():
    """Each query's energy fits, their sum does not."""
    workload = MatrixWorkload.of([[10**8] * 10] * 100)
    assert workload.block_energy(10) == 10**20
    assert workload.block_energy(5) == 5 * 10**19


def test_samples_are_rows(path):
    workload = parse_workload(str(path), 5)
    drawn = workload.sample(300, np.random.default_rng(0)).weights().tolist()
    assert {tuple(row) for row in drawn} == {tuple(row) for row in workload.queries().weights().tolist()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,3\n", r"must have k = 5 weights a query, got 3 in row 1 of .*weights.csv"),
        ("1,2,3,4,5\n1,2\n", r"must have k = 5 weights a query, got 2 in row 2"),
        ("1,2,nan,4,5\n", r"matrix entries must be numbers of at most 1e300, got 'nan' in row 1, column 3"),
        ("1,2,inf,4,5\n", r"matrix entries must be numbers"),
        ("a,b,c,d,e\n1,2,3,4,5\n", r"matrix entries must be numbers of at most 1e300, got 'a' in row 1, column 1"),
        ("1,2,3,4,1e200\n", r"weights must be at most 1e100 in size, got a larger one in row 1"),
        ("1,1,1,1,1\n0,0,0,0,0\n", r"a query must weigh some item, got zeros alone in row 2"),
        ("", r"file must not be empty"),
        ("\n\n", r"file must not be empty"),
        pytest.param("1,2,3,4,5\n" * 209_716, r"at most 1048576 weights, got more in", marks=pytest.mark.slow),
        ("1e-900,2,3,4,5\n", r"common denominator of at most 2048 bits, got more in .*weights.csv; round them"),
    ],
)
def test_files_that_are_no_weights_are_refused_in_one_line(path, text, message):
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        parse_workload(str(path), 5)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\0b.csv", r"file must have a name that the system takes, got 'a.x00b.csv'"),
        ("\ud800.csv", r"text must be a text, got '.ud800.csv' .it has half a letter"),
        ("x" * 5000 + ".csv", r"file must be readable, got x+.csv .File name too long"),
        ("W.csv@0123456789ab", r"file must exist, got W.csv"),
        ("W.csv@12", r"workload must be one of .*, a CSV file of weights, got W.csv@12"),
    ],
)
def test_names_of_no_file_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_workload(text, 5)


def test_files_that_cannot_be_read_are_refused(tmp_path, path):
    with pytest.raises(InputError, match=r"file must exist, got no/such.csv"):
        parse_workload("no/such.csv", 5)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="file must be readable"):
        parse_workload(str(tmp_path / "folder.csv"), 5)
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    with pytest.raises(InputError, match=r"must be a regular file, got .*, which is a device or a pipe"):
        parse_workload(str(tmp_path / "endless.csv"), 5)
    with path.open("r+b") as stream:
        stream.truncate(LARGEST_FILE + 1)
    with pytest.raises(InputError, match="a file of at most 67108864 bytes, got 67108865 in"):
        parse_workload(str(path), 5)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "workload must have a query, got none in matrix"),
        ([[]], "workload must have a query, got none in matrix"),
        ([[1, 2], [1]], "queries must have 2 weights like the first, got 1 in row 2 of matrix"),
        ([[1, float("nan")]], "weight must be a decimal or a fraction"),
        ([[1, "x"]], "weight must be a decimal or a fraction"),
    ],
)
def test_rows_that_are_no_weights_are_refused(rows, message):
    with pytest.raises(InputError, match=message):
        MatrixWorkload.of(rows)


@pytest.mark.slow
def test_a_gram_matrix_of_too_many_products_is_refused():
    workload = MatrixWorkload.of(np.ones((68, 2000), dtype=int))
    with pytest.raises(InputError, match="weights must be fewer for an exact Gram matrix, got 68 x 2000"):
        workload.gram()
