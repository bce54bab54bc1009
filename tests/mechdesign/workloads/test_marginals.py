"""Marginal tables as workloads, of few tuples and of more than any vector has."""

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, prod

import numpy as np
import pytest
from dense_workloads import listed, listed_energy, tiled
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign.documents.workloads import parse_workload
from mechdesign.errors import InputError
from mechdesign.workloads.cells import Cells, table_sums
from mechdesign.workloads.marginals import Marginals

BINARY_32 = Marginals((2,) * 32, 3)
PEOPLE = Marginals((73, 7, 16, 7, 14, 6, 5, 2, 41, 2), 2)
"""Attributes of a census: 10^11 tuples."""

domains_of_any = st.lists(st.integers(2, 5), min_size=1, max_size=4).map(tuple).filter(lambda sizes: prod(sizes) <= 60)


def test_attributes_with_two_items_need_no_list():
    assert parse_workload("marginals:2", 16) == Marginals((2, 2, 2, 2), 2)
    assert parse_workload("marginals:2", 16).name == "marginals:2:2,2,2,2"
    assert parse_workload(" marginals : 2 : 3, 4 ,2 ", 24) == Marginals((3, 4, 2), 2)


@pytest.mark.slow
@given(domains_of_any, st.data())
def test_energies_are_those_of_listed_cells(domains, data):
    way = data.draw(st.integers(1, len(domains)))
    workload, k = Marginals(domains, way), prod(domains)
    matrix = listed(workload.name, k)
    size = data.draw(st.integers(1, k))
    edges = [0, *sorted(data.draw(st.sets(st.integers(1, k - 1)))), k]
    assert workload.block_energy(size) == listed_energy(matrix, tiled(k, size))
    assert workload.energy(edges) == listed_energy(matrix, edges)


@pytest.mark.parametrize("workload", [BINARY_32, PEOPLE], ids=["binary", "census"])
def test_counts_and_energies_of_more_tuples_than_fit_are_exact(workload):
    """Table by table, in fractions: a table of r cells sums k/r tuples in each."""
    d, k = len(workload.domains), workload.k
    sizes = [prod(workload.domains[i] for i in table) for table in combinations(range(d), workload.way)]
    assert workload.count == sum(sizes)
    assert workload.table_sizes == sorted(set(sizes))
    assert workload.block_energy(1) == len(sizes) * k
    assert workload.block_energy(k) == sum(Fraction(k * k, size) for size in sizes)
    half = k // workload.domains[0]  # tiles of all tuples with one item of the first attribute
    without = [prod(workload.domains[i] for i in table if i) for table in combinations(range(d), workload.way)]
    assert workload.block_energy(half) == sum(Fraction(k * half, size) for size in without)


def test_uneven_tiles_beyond_64_bits():
    """A third of 2^32 tuples, and a rest of one, against pairs of aligned pieces in Python's integers."""
    third = BINARY_32.k // 3
    edges = [0, third, 2 * third, BINARY_32.k - 1, BINARY_32.k]
    expected = sum(_agreements(_aligned(a, b)) for a, b in pairwise(edges))
    assert expected > 2**63
    assert BINARY_32.block_energy(third) == BINARY_32.energy(edges) == expected


def _aligned(a: int, b: int) -> list[tuple[int, int]]:
    """Cut [a, b) into blocks of 2^t numbers that begin at a multiple of 2^t: their first numbers and t."""
    pieces = []
    while a < b:
        t = min((a & -a).bit_length() - 1 if a else 64, (b - a).bit_length() - 1)
        pieces.append((a, t))
        a += 1 << t
    return pieces


def _agreements(pieces: list[tuple[int, int]]) -> int:
    """Sum C(agreeing bits, 3) over all pairs of 32-bit numbers in some pieces, bit by bit.

    A bit that is fixed for both is a factor 1 + z if it agrees; fixed for one alone 2 + z; free for both 4 + 2 z.
    """
    total = 0
    for (a, s), (b, t) in product(pieces, repeat=2):
        low, high = min(s, t), max(s, t)
        agreeing = 32 - high - ((a ^ b) >> high).bit_count()
        total += sum(
            comb(agreeing, i) * comb(high - low, j) * 2 ** (high - low - j) * comb(low, m) * 2**m * 4 ** (low - m)
            for i, j, m in product(range(4), repeat=3)
            if i + j + m == 3 and j <= high - low and m <= low
        )
    return total


def test_many_uneven_tiles():
    """43,691 tiles of three tuples: the pairs in each, one by one."""
    k = 1 << 17
    bits = np.arange(k)
    together = sum(
        _common(bits[start::3][: len(bits[end::3])], bits[end::3]) for start, end in ((0, 1), (0, 2), (1, 2))
    )
    assert Marginals((2,) * 17, 2).block_energy(3) == k * comb(17, 2) + 2 * together


def _common(first: np.ndarray, second: np.ndarray) -> int:
    agreeing = 17 - np.bitwise_count(first ^ second).astype(np.int64)
    return int((agreeing * (agreeing - 1) // 2).sum())


def test_cells_of_more_tuples_than_fit_are_found_by_their_numbers():
    tables = list(combinations(range(32), 3))
    numbers = np.array([0, 7, 8, 8 * 4959, 8 * 4960 - 1, 8 * 1234 + 5])
    found = BINARY_32.at(numbers)
    assert [tuple(row) for row in found.attributes.tolist()] == [tables[number // 8] for number in numbers]
    assert found.numbers.tolist() == (numbers % 8).tolist()
    assert found.sums.tolist() == [2.0**29] * 6
    census = PEOPLE.queries()
    order = [(*table, cell) for table in combinations(range(10), 2) for cell in range(_cells(table))]
    assert [(*row, cell) for row, cell in zip(census.attributes.tolist(), census.numbers, strict=True)] == order


def _cells(table: tuple[int, ...]) -> int:
    return prod(PEOPLE.domains[i] for i in table)


def test_tables_of_many_tuples_take_one_pass():
    domains = (3, 2, 4, 5)
    vector = np.random.default_rng(8).normal(size=120)
    for way in (1, 2, 3):
        subsets = list(combinations(range(4), way))
        found = dict(table_sums(vector, domains, subsets))
        assert list(found) == subsets
        for subset, table in found.items():
            others = tuple(set(range(4)) - set(subset))
            np.testing.assert_allclose(table, vector.reshape(domains).sum(axis=others).ravel(), atol=1e-13)


@pytest.mark.parametrize(
    "make",
    [
        lambda: parse_workload("marginals:2", 24),
        lambda: parse_workload("marginals", 16),
        lambda: parse_workload("marginals:x", 16),
        lambda: parse_workload("marginals:2:3,,2", 24),
        lambda: parse_workload("marginals:2:3,4", 24),
        lambda: parse_workload("marginals:4", 8),
        lambda: parse_workload("marginals:0", 8),
        lambda: Marginals((3, 1, 2), 1),
        lambda: Marginals((1 << 40,) * 3, 2),
        lambda: BINARY_32.gram(),
        lambda: BINARY_32.gram_times(np.ones(32)),
        lambda: BINARY_32.block_energy(3),
        lambda: BINARY_32.queries(0, 8).weights(),
        lambda: Marginals((2,) * 1200, 1).queries().sums,
        lambda: Cells((2, 3), np.array([[1, 0]]), np.array([0])),
        lambda: Cells((2, 3), np.array([[0], [1]]), np.array([1, 3])),
        lambda: Cells((2, 3), np.array([0, 1]), np.array([1, 3])),
    ],
)
def test_what_is_no_workload_is_refused_in_one_line(make):
    with refused(InputError) as caught:
        make()
    assert "\n" not in str(caught.value)
