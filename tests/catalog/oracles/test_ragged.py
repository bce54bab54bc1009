"""Byte strings of different lengths as a column of reports: cut, joined, gathered, checked."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import InputError
from mechdesign_catalog.oracles.ragged import Ragged, concatenated
from mechdesign_catalog.oracles.reports import Reports, joined

texts = st.lists(st.binary(max_size=5), max_size=12)


def column_of(rows: list[bytes]) -> Ragged:
    offsets = np.cumsum([0, *map(len, rows)])
    return Ragged(offsets, np.frombuffer(b"".join(rows), dtype=np.uint8) if any(rows) else np.zeros(0, dtype=np.uint8))


def rows_of(column: Ragged) -> list[bytes]:
    return [column.data[a:b].tobytes() for a, b in zip(column.offsets[:-1], column.offsets[1:], strict=True)]


@given(texts, st.integers(-3, 14), st.integers(-3, 14))
def test_a_slice_has_the_rows_of_the_list(rows, start, stop):
    column = column_of(rows)
    assert rows_of(column) == rows
    assert len(column) == len(rows) == column.shape[0]
    assert column.widths.tolist() == list(map(len, rows))
    assert rows_of(column[start:stop]) == rows[start:stop]
    assert rows_of(column[start:stop][1:]) == rows[start:stop][1:]


@given(st.lists(texts, min_size=1, max_size=4))
def test_columns_join_in_order(parts):
    assert rows_of(concatenated([column_of(part) for part in parts])) == list(chain(*parts))
    assert rows_of(concatenated([column_of(part)[1:] for part in parts])) == list(chain(*(part[1:] for part in parts)))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_gathered_groups_come_back_as_they_were(levels):
    """Group g has rows of g bytes."""
    groups = [np.flatnonzero(np.array(levels) == g) for g in range(4)]
    parts = [np.arange(len(rows) * g, dtype=np.uint8).reshape(len(rows), g) + 10 * g for g, rows in enumerate(groups)]
    column = Ragged.gathered(len(levels), groups, parts)
    assert column.widths.tolist() == levels
    for g, (rows, part) in enumerate(zip(groups, parts, strict=True)):
        assert np.array_equal(column.rows(rows, g), part)


def test_rows_of_another_length_are_named():
    column = column_of([b"ab", b"c", b"de"])
    assert column.rows(np.array([2, 0]), 2).tolist() == [[100, 101], [97, 98]]
    with pytest.raises(InputError, match="reports must have 2 bytes, got 1 in row 2"):
        column.rows(np.array([0, 1]), 2)


@pytest.mark.parametrize(
    ("offsets", "data", "message"),
    [
        ([0, 2, 1], b"ab", "offsets must never fall, from 0 to the 2 bytes, got others"),
        ([0, 3, 2], b"ab", "offsets must never fall"),
        ([1, 2], b"ab", "from 0 to the 2 bytes"),
        ([0, 1], b"ab", "from 0 to the 2 bytes"),
        ([0, 3], b"ab", "from 0 to the 2 bytes"),
        ([], b"", "offsets must be a row of whole numbers"),
        ([0.0, 2.0], b"ab", "offsets must be a row of whole numbers, got float64"),
        ([[0, 2]], b"ab", "offsets must be a row of whole numbers"),
    ],
)
def test_offsets_that_are_none_are_refused(offsets, data, message):
    with pytest.raises(InputError, match=message):
        Ragged(np.array(offsets), np.frombuffer(data, dtype=np.uint8) if data else np.zeros(0, dtype=np.uint8))


def test_other_data_steps_and_groups_are_refused():
    with pytest.raises(InputError, match="byte strings must be a row of bytes, got int64"):
        Ragged(np.array([0, 2]), np.array([1, 2]))
    with pytest.raises(InputError, match="cut in steps of 1, got 2"):
        column_of([b"a", b"b"])[::2]
    one = np.array([[1]], dtype=np.uint8)
    for rows in ([np.array([0])], [np.array([0]), np.array([0])], [np.array([0]), np.array([0, 1])]):
        parts = [np.repeat(one, len(places), axis=0) for places in rows]
        with pytest.raises(InputError, match="groups must have each of the 2 rows once"):
            Ragged.gathered(2, rows, parts)


def test_reports_are_cut_and_joined_with_their_byte_strings():
    reports = Reports({"oracle": "x"}, {"level": np.array([1, 2, 1]), "report": column_of([b"a", b"bcd", b""])})
    assert len(reports) == 3
    again = joined([reports[:1], reports[1:1], reports[1:]])
    assert rows_of(again.columns["report"]) == [b"a", b"bcd", b""]
    assert again.columns["level"].tolist() == [1, 2, 1]
    with pytest.raises(InputError, match=r"columns of equal length, got level \(3,\), report \(2,\)"):
        Reports({}, {"level": np.array([1, 2, 1]), "report": column_of([b"a", b"b"])})
    with pytest.raises(InputError, match="reports must have a column report of numbers, got byte strings"):
        reports.arrays()
    other = Reports({"oracle": "x"}, {"level": np.array([1]), "report": np.array([1])})
    with pytest.raises(InputError, match="one kind of column report, got byte strings beside others"):
        joined([reports, other])
