"""Ranges of items by their names: files of them, and what their rows stand for."""

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.workloads.queries import Intervals, Rectangles
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.datasets.items.bins import parse_bins, parse_grid
from mechdesign_catalog.ordered.named_ranges import read_ranges


def ranges(tmp_path, text, domain):
    path = tmp_path / "ranges.csv"
    path.write_text(text)
    return read_ranges(path, domain)


def test_bins_by_their_units_and_labels(tmp_path):
    found = ranges(tmp_path, "last,note,first\n44,x,30\n40..44,y, 30..34 \n119,z,0\n", parse_bins("0:120:5"))
    assert isinstance(found.queries, Intervals)
    assert (found.queries.first.tolist(), found.queries.last.tolist()) == ([6, 6, 0], [8, 8, 23])
    assert found.names == {"first": ["30", "30..34", "0"], "last": ["44", "40..44", "119"]}


def test_items_of_a_list(tmp_path):
    found = ranges(tmp_path, "first,last\nS,L\nM,M\n", Domain(("S", "M", "L")))
    assert (found.queries.first.tolist(), found.queries.last.tolist()) == ([0, 1], [2, 1])
    for text, message in (
        ("first,last\nS,huge\n", "last must be an item, got huge in row 1 of"),
        ("first,last\nS,M\nLL,M\n", r"first must be an item, got LL; did you mean L\? in row 2 of"),
        ("first,last\n,M\n", "first must be an item, got a blank cell in row 1 of"),
        ("first,last\nL,S\n", "first must not be after last, got L and S in row 1 of"),
    ):
        with pytest.raises(InputError, match=message):
            ranges(tmp_path, text, Domain(("S", "M", "L")))


def test_rectangles_of_pairs(tmp_path):
    grid = parse_grid(["0:30:10", "2020-01-01:2020-01-05:1d"])
    text = "first_1,last_1,first_2,last_2\n0,19,2020-01-02,2020-01-03\n10..19,29,2020-01-01,2020-01-04\n"
    found = ranges(tmp_path, text, grid)
    assert isinstance(found.queries, Rectangles)
    table = np.arange(12.0).reshape(3, 4)
    assert found.queries.apply(table.ravel()).tolist() == [table[:2, 1:3].sum(), table[1:].sum()]
    with pytest.raises(InputError, match="first_2 must not be after last_2, got 2020-01-03 and 2020-01-02 in row 1"):
        ranges(tmp_path, "first_1,last_1,first_2,last_2\n0,9,2020-01-03,2020-01-02\n", grid)
    with pytest.raises(InputError, match="has no column 'first_1'"):
        ranges(tmp_path, "first,last\n0,9\n", grid)
    with pytest.raises(InputError, match="has no column 'first'"):
        ranges(tmp_path, text, parse_bins("0:30:10"))


def test_a_span_of_items_has_a_name():
    assert parse_bins("0:120:5").span(0, 1) == "0..9"
    assert parse_bins("0:120:1").span(7, 7) == "7"
    assert [Domain(("S", "M", "L")).span(0, last) for last in (0, 2)] == ["S", "S .. L"]
