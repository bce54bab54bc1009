"""The study of noise tables: published digits of ptable's tables, and what was computed of others by other code."""

import pytest

from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.registry import STUDIES


@pytest.fixture(scope="module")
def rows():
    return STUDIES["noise-tables"].rows(DesignCache(), True)


def cells(rows, panel, table):
    own = (row for row in rows if row["panel"] == panel and row["table"] == table)
    return {(row["start"], row["epsilon"], row["cells"]): round(row["delta"], 4) for row in own}


def test_one_cell(rows):
    assert list(cells(rows, "one cell", "ptable").values()) == [0.2655, 0.0545, 0.0173]
    assert list(cells(rows, "one cell", "least delta at 1").values()) == [0.2655, 0.0131, 0.0031]


def test_several_cells(rows):
    assert cells(rows, "cells", "least delta at 1") == {("large", 1.0, 1): 0.0031, ("large", 1.0, 2): 0.342}
    assert cells(rows, "cells", "ptable")["large", 1.0, 2] == 0.0661


def test_keys(rows):
    """Sums of sorted keys tell more than independent noise, and people alone most, at every epsilon alike."""
    ways = [list(cells(rows, "keys", way).values()) for way in ("of people alone", "sums, sorted", "independent")]
    assert all(a > b > c for a, b, c in zip(*ways, strict=True))
    assert len(set(ways[0])) == 1


def test_the_picture(rows):
    figure = STUDIES["noise-tables"].draw(rows)
    assert [axes.get_title() for axes in figure.axes][:2] == ["one cell", "several cells at epsilon 1"]
