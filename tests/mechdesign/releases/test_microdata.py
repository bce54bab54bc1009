import pytest

from mechdesign.errors import InputError
from mechdesign.releases.microdata import CountedGroups, count_groups

HEADER = ["id", "area", "poor"]


def counted(*rows, unit_column=None):
    return count_groups(HEADER, [list(row) for row in rows], "poor", "area", "p.csv", unit_column)


def test_groups_are_counted_wherever_their_rows_stand():
    found = counted(("1", "b", "1"), ("2", "a", "0"), ("3", " b ", "True"), ("4", "b", "0"))
    assert found == CountedGroups(("b", "a"), (2, 0), (3, 1))


def test_the_public_order_tells_nothing_of_the_rows():
    rows = [("1", "10", "1"), ("2", "9", "0"), ("3", "010", "0"), ("4", "2", "1")]
    found = counted(*rows).in_public_order()
    assert found.names == ("2", "9", "010", "10")
    assert found.counts == (1, 0, 0, 1)
    assert counted(*reversed(rows)).in_public_order() == found
    assert counted(("1", "b", "1"), ("2", "10", "0"), ("3", "a9", "0")).in_public_order().names == ("10", "a9", "b")
    assert counted(("1", "9" * 5000, "1"), ("2", "8", "1")).in_public_order().names == ("8", "9" * 5000)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "at least one row, got none in p.csv"),
        ([("1", "a", "2")], "poor must be 0 or 1, got 2 in row 1 of p.csv"),
        ([("1", "a", "1"), ("2", "a", "")], "poor must be 0 or 1, got none in row 2"),
        ([("1", "a", "0.5")], "poor must be 0 or 1, got 0.5"),
        ([("1", "", "1")], "area must name a group, got none in row 1"),
        ([("1", " ", "1")], "area must name a group, got none in row 1"),
        ([("1", "a\nb", "1")], r"area must be a name in one line, got 'a\\nb' in row 1"),
        ([("1", "M\u00e1laga", "1"), ("2", "Ma\u0301laga", "1")], "area must spell each name in one way"),
        ([("1", "a b", "1"), ("2", "a\u00a0b", "1")], "must be a name in one line|spell each name in one way"),
    ],
)
def test_rows_that_cannot_be_counted(rows, message):
    with pytest.raises(InputError, match=message):
        counted(*rows)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("7", "a", "1"), ("8", "a", "1"), ("7", "b", "1")], "id must name each unit once, got 7 again in row 3"),
        ([("", "a", "1")], "id must name a unit, got none in row 1"),
        ([("\u00e9", "a", "1"), ("e\u0301", "a", "1")], "id must spell each name in one way"),
    ],
)
def test_units_that_have_two_rows(rows, message):
    assert counted(*rows[:1], unit_column=None if not rows[0][0] else "id").sizes == (1,)
    with pytest.raises(InputError, match=message):
        counted(*rows, unit_column="id")


def test_columns_are_two():
    with pytest.raises(InputError, match="bit and group must be two columns"):
        count_groups(HEADER, [], "poor", "poor", "p.csv")
