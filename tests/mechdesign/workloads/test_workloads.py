"""Named workloads against their queries, listed."""

import numpy as np
import pytest
from dense_workloads import listed, listed_energy, tiled
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign.documents.workloads import parse_workload
from mechdesign.errors import InputError
from mechdesign.verify.texts import UnreadableError
from mechdesign.verify.workloads import workload_of
from mechdesign.workloads.registry import FORMS, WORDS

CASES = [
    *((name, k) for name in ("histogram", "prefixes", "ranges") for k in (1, 2, 7, 12)),
    *(("circular", k) for k in (2, 3, 7, 12)),
    *((f"ranges:{length}", 13) for length in (1, 2, 5, 7, 12, 13)),
    *((f"grid:{a},{b}", a * b) for a, b in ((1, 1), (3, 4), (5, 2), (1, 7), (4, 4))),
    *(
        (f"grid:{sides}", 12)
        for sides in ("prefixes:3,4", "4,circular:3", "circular:2,circular:6", "histogram:3,prefixes:4")
    ),
    *((f"marginals:{way}:3,4,2", 24) for way in (1, 2, 3)),
    *((f"marginals:{way}:2,2,2,2", 16) for way in (1, 3)),
    ("marginals:1:5", 5),
    ("marginals:2:2,5", 10),
]


def test_every_workload_stands_in_the_table():
    words = {name.partition(":")[0] for name, _ in CASES}
    assert words == set(WORDS), "CASES of tests/mechdesign/workloads/test_workloads.py must have each of WORDS"
    forms = {form.partition(":")[0] for form in FORMS}
    assert forms == set(WORDS), "FORMS and WORDS of mechdesign/workloads/registry.py must have the same names"


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request):
    name, k = request.param
    return parse_workload(name, k), listed(name, k)


def test_a_name_reads_back(case):
    workload, _ = case
    assert parse_workload(workload.name, workload.k) == workload
    assert parse_workload(f" {workload.name.upper()} ", workload.k) == workload


def test_queries_stand_in_a_fixed_order(case):
    workload, matrix = case
    assert workload.count == len(matrix)
    np.testing.assert_array_equal(workload.queries().weights(), matrix)
    middle = len(matrix) // 2
    np.testing.assert_array_equal(workload.queries(middle).weights(), matrix[middle:])
    np.testing.assert_array_equal(workload.queries(0, middle).weights(), matrix[:middle].reshape(-1, workload.k))


def test_answers_are_those_of_the_matrix(case):
    workload, matrix = case
    x = np.random.default_rng(1).normal(size=workload.k)
    np.testing.assert_allclose(workload.answers(x), matrix @ x, rtol=1e-12, atol=1e-13)


def test_the_gram_matrix_is_exact_and_is_applied_without_it(case):
    workload, matrix = case
    gram = workload.gram()
    assert gram == (matrix.T @ matrix).tolist()
    x = np.random.default_rng(2).normal(size=workload.k)
    np.testing.assert_allclose(workload.gram_times(x), np.array(gram, dtype=float) @ x, rtol=1e-12, atol=1e-12)


def test_the_kernel_counts_the_same(case):
    workload, matrix = case
    try:
        stated = workload_of(workload.name, workload.k, None)
    except UnreadableError as error:
        pytest.fail(f"mechdesign/verify/workloads.py must have it: {error}")
    whole = np.array(stated.gram)[np.ix_(stated.group_of, stated.group_of)]
    assert (whole == stated.denominator * (matrix.T @ matrix)).all()


@pytest.mark.parametrize(
    ("name", "k"),
    [
        ("prefixes", 1 << 20),
        ("circular", 1001),
        ("ranges:777", 1 << 20),
        ("grid:40,50", 2000),
        ("grid:prefixes:400,circular:30", 12_000),
        ("marginals:3:4,7,2,3,5,4", 3360),
    ],
)
def test_the_gram_matrix_of_a_large_workload_gives_the_squares_of_the_answers(name, k):
    """`x'W'W x` is the sum of the squared answers."""
    workload, x = parse_workload(name, k), np.random.default_rng(5).normal(size=k)
    assert x @ workload.gram_times(x) == pytest.approx((workload.answers(x) ** 2).sum(), rel=1e-9)


def test_the_gram_matrix_of_half_a_trillion_ranges_gives_the_squares_of_the_answers():
    """A range's answer is the difference of two running sums P_i; all squares sum to (k+1) |P|^2 - (sum P)^2."""
    k = 1 << 20
    x = np.random.default_rng(6).normal(size=k)
    running = np.concatenate([[0.0], np.cumsum(x)])
    expected = (k + 1) * (running @ running) - running.sum() ** 2
    assert x @ parse_workload("ranges", k).gram_times(x) == pytest.approx(expected, rel=1e-9)


def test_energies_of_tiles(case):
    workload, matrix = case
    for size in range(1, workload.k + 2):
        assert workload.block_energy(size) == listed_energy(matrix, tiled(workload.k, size))
    assert workload.block_energy(1) == np.trace(matrix.T @ matrix)
    assert workload.block_energy(workload.k) == (matrix.sum(axis=1) ** 2).sum()


@given(st.sampled_from([case for case in CASES if case[1] > 1]), st.data())
def test_energies_of_any_partition(case, data):
    name, k = case
    inner = data.draw(st.sets(st.integers(1, k - 1)))
    edges = [0, *sorted(inner), k]
    assert parse_workload(name, k).energy(edges) == listed_energy(listed(name, k), edges)


def test_samples_are_queries_of_the_workload_each_as_likely(case):
    workload, matrix = case
    drawn = workload.sample(4000, np.random.default_rng(3)).weights()
    rows = {tuple(row): i for i, row in enumerate(matrix.tolist())}
    times = np.bincount([rows[tuple(row)] for row in drawn.tolist()], minlength=len(matrix))
    expected = 4000 / len(matrix)
    assert (np.abs(times - expected) <= 5 * np.sqrt(expected) + 1e-9).all()


@pytest.mark.parametrize("exponent", [20, 24])
def test_averages_do_not_overflow(exponent):
    """Sums of fourth powers beyond 64 bits, against the same sums in Python's integers, block by block."""
    k, size = 1 << exponent, 1 << (exponent - 4)
    ranges, prefixes = parse_workload("ranges", k), parse_workload("prefixes", k)
    inside = sum((size - o + 1) * o * o for o in range(1, size + 1))
    ends = sum(o * o for o in range(1, size + 1))
    around = sum(a * (k - a - size) for a in range(0, k, size))
    assert ranges.count == k * (k + 1) // 2
    assert ranges.block_energy(size) == 16 * (inside + (k - size) * ends) + size**2 * around
    assert ranges.block_energy(size) > 2**63
    assert ranges.energy(np.arange(0, k + 1, size)) == ranges.block_energy(size)
    assert prefixes.block_energy(size) == 16 * ends + size**2 * sum(k - a - size for a in range(0, k, size))
    assert ranges.block_energy(1) == k * (k + 1) * (k + 2) // 6


def test_single_items_of_the_largest_workload():
    """Squares of starts are summed in halves: an independent sum in Python's integers."""
    k = 1 << 20
    assert parse_workload("ranges", k).energy(np.arange(k + 1)) == parse_workload("ranges", k).block_energy(1)


@pytest.mark.parametrize("length", [1, 1000, (1 << 19) + 77, 3 << 22, (1 << 24) - 5])
@pytest.mark.parametrize("size", [(1 << 19) - 3, 5 << 21])
def test_ranges_of_one_length_do_not_overflow(length, size):
    """By whole rounds of starts, against a sum block by block."""
    k = 1 << 24
    workload = parse_workload(f"ranges:{length}", k)
    assert workload.energy(tiled(k, size)) == workload.block_energy(size)
    assert parse_workload(f"ranges:{k}", k).block_energy(k) == k * k


@given(st.integers(1, 30), st.data())
def test_ranges_of_one_length(k, data):
    length, size = data.draw(st.integers(1, k)), data.draw(st.integers(1, k + 1))
    edges = [0, *sorted(data.draw(st.sets(st.integers(1, k - 1)) if k > 1 else st.just(set()))), k]
    workload, matrix = parse_workload(f"ranges:{length}", k), listed(f"ranges:{length}", k)
    assert workload.block_energy(size) == listed_energy(matrix, tiled(k, size))
    assert workload.energy(edges) == listed_energy(matrix, edges)


def test_rectangles_of_a_large_table():
    """Tiles of any size by columns in which they start, against a sum block by block; beyond 64 bits."""
    for name in ("grid:700,900", "grid:circular:700,prefixes:900", "grid:prefixes:700,circular:900"):
        workload = parse_workload(name, 630_000)
        rows, columns = workload.sides
        assert workload.block_energy(1) == rows.block_energy(1) * columns.block_energy(1)
        assert workload.block_energy(630_000) == rows.block_energy(700) * columns.block_energy(900) > 2**56
        for size in (128, 1024, 1800):
            assert workload.block_energy(size) == workload.energy(tiled(workload.k, size))


def test_parts_of_a_large_workload_are_found_at_once():
    workload = parse_workload("ranges", 1 << 20)
    last = workload.queries(workload.count - 1)
    assert (last.first.tolist(), last.last.tolist()) == ([(1 << 20) - 1], [(1 << 20) - 1])
    second_row = workload.queries((1 << 20) - 1, (1 << 20) + 1)
    assert second_row.first.tolist() == [0, 1]
    assert second_row.last.tolist() == [(1 << 20) - 1, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: parse_workload("rangs", 8),
        lambda: parse_workload("", 8),
        lambda: parse_workload("prefixes:3", 8),
        lambda: parse_workload("ranges:0", 8),
        lambda: parse_workload("ranges:9", 8),
        lambda: parse_workload("ranges:", 8),
        lambda: parse_workload("ranges:-2", 8),
        lambda: parse_workload("grid:3,4", 8),
        lambda: parse_workload("grid:0,8", 8),
        lambda: parse_workload("grid:8", 8),
        lambda: parse_workload("grid", 8),
        lambda: parse_workload("grid:marginals:2,4", 8),
        lambda: parse_workload("grid:circular:1,8", 8),
        lambda: parse_workload("ranges", 0),
        lambda: parse_workload("ranges", (1 << 30) + 1),
        lambda: parse_workload("ranges", 8).block_energy(0),
        lambda: parse_workload("ranges", 8).energy([0, 4, 4, 8]),
        lambda: parse_workload("ranges", 8).energy([1, 8]),
        lambda: parse_workload("ranges", 8).energy([0, 7]),
        lambda: parse_workload("ranges", 8).energy([0.0, 8.0]),
        lambda: parse_workload("ranges", 8).queries(3, 37),
        lambda: parse_workload("ranges", 1 << 20).queries(),
        lambda: parse_workload("ranges", 1 << 20).gram(),
    ],
)
def test_what_is_no_workload_is_refused_in_one_line(make):
    with refused(InputError) as caught:
        make()
    assert "\n" not in str(caught.value)
