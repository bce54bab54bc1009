"""Batches of queries against their matrices of weights."""

import numpy as np
import pytest
from wording import refused

from mechdesign.errors import InputError
from mechdesign.workloads.queries import Intervals, LinearQueries, Rectangles, written_parts

VECTOR = np.array([0.25, -1.5, 3.0, 0.125, 7.0, 2.0])
BATCHES = {
    "intervals": Intervals(6, [0, 1, 5, 2], [5, 1, 5, 4]),
    "rectangles": Rectangles((2, 3), [0, 1, 0], [1, 1, 0], [0, 1, 2], [2, 2, 2]),
    "rectangles over the end": Rectangles((2, 3), [1, 1, 0], [0, 1, 0], [2, 1, 1], [0, 0, 2], (True, True)),
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
    with refused(ValueError):
        queries.first[0] = 1
    first[0] = 1  # its owner may


@pytest.mark.parametrize(
    "make",
    [
        lambda: Intervals(4, [0, 2], [3, 1]),
        lambda: Intervals(4, [-1], [3]),
        lambda: Intervals(4, [0], [4]),
        lambda: Intervals(4, [0.0], [1.0]),
        lambda: Intervals(4, [0, 1], [1]),
        lambda: Intervals(0, [], []),
        lambda: Rectangles((2, 3), [0], [2], [0], [0]),
        lambda: Rectangles((2, 3), [0], [1], [2], [1]),
        lambda: Rectangles((2, 3), [0], [1], [], []),
        lambda: Rectangles((2, 3), [0], [1], [2], [-1], (True, True)),
        lambda: LinearQueries([1.0, 2.0]),
        lambda: LinearQueries([["a"]]),
        lambda: LinearQueries([[1.0, 2.0], [0.0, np.nan]]),
        lambda: LinearQueries([[1.0, -1e101]]),
        lambda: BATCHES["intervals"].apply(np.ones(5)),
    ],
)
def test_what_is_no_query_is_refused_in_one_line(make):
    with refused(InputError) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_matrix_too_large_to_write_is_refused():
    many = Intervals(1 << 20, np.zeros(17, dtype=np.int64), np.full(17, 5))
    with refused(InputError, about="weights"):
        many.weights()
