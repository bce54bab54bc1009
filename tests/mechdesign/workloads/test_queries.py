"""Batches of queries against their matrices of weights."""

import numpy as np
import pytest

from mechdesign.errors import InputError
from mechdesign.workloads.queries import Intervals, LinearQueries, Rectangles, written_parts

VECTOR = np.array([0.25, -1.5, 3.0, 0.125, 7.0, 2.0])
BATCHES = {
    "intervals": Intervals(6, [0, 1, 5, 2], [5, 1, 5, 4]),
    "rectangles": Rectangles((2, 3), [0, 1, 0], [1, 1, 0], [0, 1, 2], [2, 2, 2]),
    "linear": LinearQueries([[1.0, 0, -2, 0, 0.5, 0], [0, 0, 0, 0, 0, 3]]),
}


@pytest.fixture(params=BATCHES.values(), ids=BATCHES)
def queries(request):
    return request.param


def test_a_batch_is_its_matrix(queries):
    weights = queries.weights()
    assert weights.shape == (len(queries), queries.k)
    np.testing.assert_allclose(queries.apply(VECTOR), weights @ VECTOR, rtol=1e-14)
    np.testing.assert_allclose(queries.apply_squares(VECTOR), weights**2 @ VECTOR, rtol=1e-14)
    np.testing.assert_array_equal(queries.sums, weights.sum(axis=1))
    np.testing.assert_array_equal(queries.squares, (weights**2).sum(axis=1))
    np.testing.assert_array_equal(queries.extremes(), (weights.min(axis=1), weights.max(axis=1)))


def test_parts_are_all_rows_in_order(queries, monkeypatch):
    monkeypatch.setattr("mechdesign.workloads.queries.PART_WEIGHTS", 2 * queries.k)
    parts = list(written_parts(queries))
    assert [len(part) for part in parts] == [2] * (len(queries) // 2) + [1] * (len(queries) % 2)
    np.testing.assert_array_equal(np.concatenate(parts), queries.weights())


def test_a_part_is_those_rows(queries):
    np.testing.assert_array_equal(queries[1:].weights(), queries.weights()[1:])
    assert len(queries[:0]) == 0
    assert queries[:0].apply(VECTOR).shape == (0,)


def test_an_interval_is_ones_between_its_ends():
    assert BATCHES["intervals"].weights().tolist()[3] == [0, 0, 1, 1, 1, 0]
    assert BATCHES["rectangles"].weights().tolist()[1] == [0, 0, 0, 0, 1, 1]


def test_ends_cannot_be_changed_and_stay_their_owners():
    first = np.array([0, 1])
    queries = Intervals(3, first, np.array([2, 2]))
    with pytest.raises(ValueError, match="read-only"):
        queries.first[0] = 1
    first[0] = 1  # its owner may


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Intervals(4, [0, 2], [3, 1]),
            "must be at most its last, both in 0..3, got 2..1 in query 1",
        ),
        (lambda: Intervals(4, [-1], [3]), "got -1..3 in query 0"),
        (lambda: Intervals(4, [0], [4]), "got 0..4 in query 0"),
        (lambda: Intervals(4, [0.0], [1.0]), r"first must be an array of numbers, got \[0\.0\] \(it holds float64\)"),
        (lambda: Intervals(4, [0, 1], [1]), "each first item must have a last one, got 2 and 1"),
        (lambda: Intervals(0, [], []), "at least one item, got 0"),
        (lambda: Rectangles((2, 3), [0], [2], [0], [0]), "first row must be at most its last, both in 0..1, got 0..2"),
        (lambda: Rectangles((2, 3), [0], [1], [2], [1]), "first column must be .* got 2..1 in query 0"),
        (lambda: Rectangles((2, 3), [0], [1], [], []), "must have rows and columns, got 1 and 0 of them"),
        (lambda: LinearQueries([1.0, 2.0]), "must be a matrix of numbers, q x k, got shape .2,., float64"),
        (lambda: LinearQueries([["a"]]), "must be an array of numbers"),
        (lambda: LinearQueries([[1.0, 2.0], [0.0, np.nan]]), "must be finite numbers of .*, got nan in query 1"),
        (lambda: LinearQueries([[1.0, -1e101]]), "must be finite numbers of -1e100 to 1e100, got -1e.101 in query 0"),
        (lambda: BATCHES["intervals"].apply(np.ones(5)), "k = 6 items must be given a vector of 6 numbers, got shape"),
    ],
)
def test_what_is_no_query_is_refused_in_one_line(make, message):
    with pytest.raises(InputError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_matrix_too_large_to_write_is_refused():
    many = Intervals(1 << 20, np.zeros(17, dtype=np.int64), np.full(17, 5))
    with pytest.raises(InputError, match=r"weights must be at most 16777216 .* got 17 queries on 1048576 items"):
        many.weights()
