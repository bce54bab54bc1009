"""Workloads of weights, from Python and from CSV files."""

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest
from dense_workloads import listed_energy, tiled
from wording import refused

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
    with refused(InputError):
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
    "text",
    [
        "1,2,3\n",
        "1,2,3,4,5\n1,2\n",
        "1,2,nan,4,5\n",
        "1,2,inf,4,5\n",
        "a,b,c,d,e\n1,2,3,4,5\n",
        "1,2,3,4,1e200\n",
        "1,1,1,1,1\n0,0,0,0,0\n",
        "",
        "\n\n",
        pytest.param("1,2,3,4,5\n" * 209_716, marks=pytest.mark.slow),
        "1e-900,2,3,4,5\n",
    ],
)
def test_files_that_are_no_weights_are_refused_in_one_line(path, text):
    path.write_text(text)
    with refused(InputError) as caught:
        parse_workload(str(path), 5)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a\0b.csv",
        "\ud800.csv",
        "x" * 5000 + ".csv",
        "W.csv@0123456789ab",
        "W.csv@12",
    ],
)
def test_names_of_no_file_are_refused(text):
    with refused(InputError):
        parse_workload(text, 5)


def test_files_that_cannot_be_read_are_refused(tmp_path, path):
    with refused(InputError, about="file"):
        parse_workload("no/such.csv", 5)
    (tmp_path / "folder.csv").mkdir()
    with refused(InputError, about="file"):
        parse_workload(str(tmp_path / "folder.csv"), 5)
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    with refused(InputError):
        parse_workload(str(tmp_path / "endless.csv"), 5)
    with path.open("r+b") as stream:
        stream.truncate(LARGEST_FILE + 1)
    with refused(InputError):
        parse_workload(str(path), 5)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [[]],
        [[1, 2], [1]],
        [[1, float("nan")]],
        [[1, "x"]],
    ],
)
def test_rows_that_are_no_weights_are_refused(rows):
    with refused(InputError):
        MatrixWorkload.of(rows)


@pytest.mark.slow
def test_a_gram_matrix_of_too_many_products_is_refused():
    workload = MatrixWorkload.of(np.ones((68, 2000), dtype=int))
    with refused(InputError, about="weights"):
        workload.gram()
