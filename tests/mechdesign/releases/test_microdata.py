import pytest
from wording import refused

from mechdesign.errors import InputError
from mechdesign.releases.microdata import CountedGroups, count_categories, count_groups, group_columns

HEADER = ["id", "area", "poor"]


def counted(*rows, unit_column=None):
    return count_groups(HEADER, [list(row) for row in rows], "poor", ("area",), "p.csv", unit_column)


def flat(found):
    return tuple(name for (name,) in found.names)


def test_groups_are_counted_wherever_their_rows_stand():
    found = counted(("1", "b", "1"), ("2", "a", "0"), ("3", " b ", "True"), ("4", "b", "0"))
    assert found == CountedGroups((("b",), ("a",)), (2, 0), (3, 1), "poor")


def test_the_public_order_tells_nothing_of_the_rows():
    rows = [("1", "10", "1"), ("2", "9", "0"), ("3", "010", "0"), ("4", "2", "1")]
    found = counted(*rows).in_public_order()
    assert flat(found) == ("2", "9", "010", "10")
    assert found.counts == (1, 0, 0, 1)
    assert counted(*reversed(rows)).in_public_order() == found
    assert flat(counted(("1", "b", "1"), ("2", "10", "0"), ("3", "a9", "0")).in_public_order()) == ("10", "a9", "b")
    assert flat(counted(("1", "9" * 5000, "1"), ("2", "8", "1")).in_public_order()) == ("8", "9" * 5000)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [("1", "a", "2")],
        [("1", "a", "1"), ("2", "a", "")],
        [("1", "a", "0.5")],
        [("1", "", "1")],
        [("1", " ", "1")],
        [("1", "a\nb", "1")],
        [("1", "M\u00e1laga", "1"), ("2", "Ma\u0301laga", "1")],
        [("1", "a b", "1"), ("2", "a\u00a0b", "1")],
    ],
)
def test_rows_that_cannot_be_counted(rows):
    with refused(InputError):
        counted(*rows)


@pytest.mark.parametrize(
    "rows",
    [
        [("7", "a", "1"), ("8", "a", "1"), ("7", "b", "1")],
        [("", "a", "1")],
        [("\u00e9", "a", "1"), ("e\u0301", "a", "1")],
        [("p1", "a", "1"), ("p1\ufe0f", "a", "1")],
    ],
)
def test_units_that_have_two_rows(rows):
    assert counted(*rows[:1], unit_column=None if not rows[0][0] else "id").sizes == (1,)
    with refused(InputError):
        counted(*rows, unit_column="id")


@pytest.mark.parametrize(
    "rows",
    [
        [("1", "a", "s3cret")],
        [("1", "s3c\nret", "1")],
        [("1", "s3cr\u00e9t", "1"), ("2", "s3cre\u0301t", "1")],
        [("s3cret", "a", "1"), ("s3cret", "b", "1")],
        [("s3c\nret", "a", "1")],
        [("s3cr\u00e9t", "a", "1"), ("s3cre\u0301t", "b", "1")],
    ],
)
def test_no_message_repeats_a_value_or_a_name(rows):
    with refused(InputError) as told:
        counted(*rows, unit_column="id")
    assert "s3c" not in str(told.value)


JOBS = ["id", "area", "job", "a=b", "c=1/2"]


def jobs(asked, *rows):
    return count_groups(JOBS, [list(row) for row in rows], asked, ("area",), "p.csv")


def test_a_column_may_have_two_texts_of_its_own():
    rows = (("1", "x", "yes", "u", "1"), ("2", "x", "no", "v", "0"), ("3", "y", "yes", "u", "0"))
    assert jobs("job=yes/no", *rows) == CountedGroups((("x",), ("y",)), (1, 1), (2, 1), "job=yes")
    assert jobs("job=no/yes", *rows) == CountedGroups((("x",), ("y",)), (1, 0), (2, 1), "job=no")
    assert jobs("a=b=v/u", *rows).counts == (1, 0)
    assert jobs("c=1/2", *rows) == CountedGroups(
        (("x",), ("y",)), (1, 0), (2, 1), "c=1/2"
    )  # a column's own name is first
    with refused(InputError):
        jobs("c=1/2", ("1", "x", "yes", "u", "2"))


@pytest.mark.parametrize("text", ["Yes", " yes", "yes ", "YES", "", "1", "maybe"])
def test_texts_are_compared_exactly(text):
    with refused(InputError):
        jobs("job=yes/no", ("1", "x", "no", "u", "1"), ("2", "x", text, "v", "0"))


@pytest.mark.parametrize("asked", ["job=yes", "job=", "job=/no", "job=yes/", "job=yes/no/maybe", "job=no/no"])
def test_two_texts_must_be_named(asked):
    with refused(InputError, about="bit"):
        jobs(asked)


def test_a_column_that_is_not_there():
    with refused(InputError):
        jobs("work=yes/no")


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        (("name", "area"), "(columns: name, area)"),
        (("Smith", "1"), "(columns: the first line seems to be no header)"),
        (("Smith", " -0.5"), "(columns: the first line seems to be no header)"),
        (("Smith", "1990-01-02"), "(columns: the first line seems to be no header)"),
        (("Smith", ""), "(columns: the first line seems to be no header)"),
    ],
)
def test_a_first_line_that_may_be_of_a_person_is_not_repeated(header, shown):
    with pytest.raises(InputError) as refused:
        count_groups(list(header), [], "poor", ("town",), "p.csv")
    assert str(refused.value) == f"p.csv has no column 'poor', which bit asks for {shown}"


@pytest.mark.parametrize("count", [count_groups, count_categories])
def test_a_first_line_with_a_value_that_is_counted_is_not_repeated(count):
    with refused(InputError):
        count(["north", "Smith", "no"], [], "poor=yes/no", ("town",), "p.csv")


def test_columns_are_two():
    with refused(InputError):
        count_groups(HEADER, [], "poor", ("poor",), "p.csv")


def in_regions(*rows):
    return count_groups(["region", "area", "poor"], [list(row) for row in rows], "poor", ("region", "area"), "p.csv")


def test_groups_in_regions_are_the_pairs_sorted_by_region_first():
    rows = [("s", "10", "1"), ("n", "10", "0"), ("s", "9", "1"), (" s", "10 ", "0")]
    found = in_regions(*rows).in_public_order()
    assert found == CountedGroups((("n", "10"), ("s", "9"), ("s", "10")), (0, 1, 1), (1, 1, 2), "poor")
    assert in_regions(("10", "b", "1"), ("9", "10", "0")).in_public_order().names == (("9", "10"), ("10", "b"))


@pytest.mark.parametrize(
    "rows",
    [
        [("", "a", "1")],
        [("n", "", "1")],
        [("\u00e9", "a", "1"), ("e\u0301", "b", "1")],
        [("n", "\u00e9", "1"), ("s", "e\u0301", "1")],
    ],
)
def test_regions_that_cannot_be_named(rows):
    with refused(InputError):
        in_regions(*rows)


def test_the_bit_is_neither_region_nor_group():
    for named in (("poor", "area"), ("area", "poor")):
        with refused(InputError):
            count_groups(HEADER, [], "poor", named, "p.csv")


@pytest.mark.parametrize(
    ("asked", "found"),
    [("area", ("area",)), ("id,area", ("id", "area")), (" id , area", ("id", "area")), ("a,b", ("a,b",))],
)
def test_columns_of_groups(asked, found):
    assert group_columns(asked, [*HEADER, "a,b"]) == found


@pytest.mark.parametrize("asked", ["id,area,poor", "area,area", "area, area"])
def test_more_columns_or_one_twice(asked):
    with refused(InputError, about="group"):
        group_columns(asked, HEADER)
