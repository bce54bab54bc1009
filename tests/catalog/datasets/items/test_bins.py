"""Bins of numbers and dates: against rationals and the calendar, and what is refused."""

import datetime
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.datasets.items.bins import Beyond, Bins, parse_bins, parse_grid

DECIMALS = st.from_regex(r"[+-]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})([eE][+-]?[0-9]{1,2})?", fullmatch=True)
TEXTS = ["0:120:1", "0:120:5", "-7:8:3", "0:1:0.25", "-1.5:1.50:0.003", "-1000000:1000000:1"]


@settings(max_examples=40)
@given(st.sampled_from(TEXTS), st.lists(DECIMALS, min_size=1, max_size=8))
def test_no_float_decides_which_bin_a_number_is_in(text, numbers):
    bins = parse_bins(text)
    low, _, step = map(Fraction, text.split(":"))
    expected = [math.floor((Fraction(number) - low) / step) for number in numbers]
    clipped = bins.encode([f" {number}\t" for number in numbers], "rows", beyond=Beyond.CLIP)
    assert clipped.dtype == np.int64
    assert clipped.tolist() == [min(max(item, 0), bins.k - 1) for item in expected]
    beyond = [row for row, item in enumerate(expected, 1) if not 0 <= item < bins.k]
    if beyond:
        with pytest.raises(InputError, match=f"got one beyond in row {beyond[0]} of rows; take another column"):
            bins.encode(numbers, "rows")
    else:
        assert bins.encode(numbers, "rows").tolist() == expected


def test_numbers_beyond_every_machine_number_are_only_beyond():
    bins = parse_bins("-1000000000000000000:1000000000000000000:1000000000000")
    values = ["1e400", "-1e400", "1e999999999999999", "-1e-999999999999999", "9" * 60]
    ends = [bins.k - 1, 0, bins.k - 1, bins.k // 2 - 1, bins.k - 1]
    assert bins.encode(values, "rows", beyond=Beyond.CLIP).tolist() == ends
    for value in values[:3]:
        with refused(InputError):
            bins.encode([value], "rows")


def test_cells_that_are_no_numbers_are_named_by_row_and_never_shown():
    for cell in [
        "",
        "  ",
        "nan",
        "inf",
        "-Infinity",
        "1_0",
        "0x10",
        "1e",
        "e5",
        ".",
        "+",
        "--1",
        "1.2.3",
        "1..2",
        "1-",
    ]:
        for beyond in Beyond:
            with pytest.raises(InputError) as caught:
                parse_bins("0:120:1").encode(["30", "31", cell, "x"], "ages.csv", 11, beyond)
            got = "another text" if cell.strip() else "a blank cell"
            assert str(caught.value) == f"values must be decimals, got {got} in row 13 of ages.csv"


def test_the_upper_edge_itself_is_beyond_and_its_value_is_not_shown():
    bins = parse_bins("0:120:1")
    assert bins.encode(["119.9999"], "rows").tolist() == [119]
    with refused(InputError):
        bins.encode(["7", "120"], "ages.csv")
    assert bins.encode(["-1", "120", "1e9"], "rows", beyond=Beyond.CLIP).tolist() == [0, 119, 119]


@pytest.mark.slow
@given(st.dates(), st.integers(2, 5000), st.integers(1, 400), st.data())
def test_dates_by_the_calendar(first, days, step, data):
    last = min(first.toordinal() + days, datetime.date.max.toordinal())
    if last - first.toordinal() <= step:
        return
    bins = parse_bins(f"{first}:{datetime.date.fromordinal(last)}:{step}d")
    day = data.draw(st.integers(first.toordinal(), last - 1))
    text = datetime.date.fromordinal(day).isoformat()
    (item,) = bins.encode([text], "rows").tolist()
    assert item == (day - first.toordinal()) // step
    start, _, stop = bins.items[item].partition("..")
    assert start <= text <= (stop or start)
    assert bins.encode([f"{text}T23:59:59.999"], "rows").tolist() == [item]


def test_the_last_bin_of_dates_may_be_short():
    weeks = parse_bins("2020-01-01:2021-01-01:7d")
    assert (weeks.k, weeks.items[0], weeks.items[-1]) == (53, "2020-01-01..2020-01-07", "2020-12-30..2020-12-31")
    assert weeks.encode(["2020-12-31", "2020-02-29"], "rows").tolist() == [52, 8]
    assert weeks.last_of("2020-12-31") == 52
    for bad in ("2021-01-01", "2019-12-31"):
        with refused(InputError):
            weeks.encode([bad], "rows")


def test_dates_that_are_none():
    for cell in [
        "2020-02-30", "2021-02-29", "2020-13-01", "2020-00-10", "2020-1-1", "0000-01-01", "20200101", "2020/01/01",
        "NaT", "2020-01-01x", "2020-01-01T24:00", "2020-01-01T10:00Z", "2020-01-01 10:00+01:00", "", "30", "x020-01-01",
    ]:  # fmt: skip
        with refused(InputError):
            parse_bins("2020-01-01:2021-01-01:7d").encode(["2020-01-01", cell], "rows", beyond=Beyond.CLIP)


def test_the_text_makes_the_same_bins():
    for text in [*TEXTS, "2020-01-01:2021-01-01:7d", "0001-01-01:9999-12-31:1d", "0:4194304:1"]:
        bins = parse_bins(text)
        again = parse_bins(bins.text)
        assert again == bins
        assert again.text == bins.text
        assert (again.digest, len(bins.digest)) == (bins.digest, 64)


def test_equal_bins_alone_have_equal_digests():
    texts = ["0:120:1", "0:120:2", "0:121:1", "1:121:1", "0.0:120.0:1", "1970-01-01:1970-05-01:1d"]
    assert len({parse_bins(text).digest for text in texts}) == len(texts)
    assert parse_bins(" 00:+120: 1").digest == parse_bins("0:120:1").digest
    pairs = [("0:2:1", "0:3:1"), ("0:3:1", "0:2:1")]
    assert parse_grid(pairs[0]).digest != Domain(pairs[0]).digest
    assert len({parse_grid(pair).digest for pair in pairs} | {parse_grid(pair[:1]).digest for pair in pairs}) == 4


def test_texts_that_make_no_bins():
    for text in [
        "120:0:1",
        "0:120:7",
        "0:120:0",
        "2020-01-01:2021-01-01:0d",
        "0:1099511627777:1",
        "0:nan:1",
        "0::1",
        "0:٣:1",
        "0:1:0.0000000000000001",
        "0:1000000000000000001:1",
        "2020-02-30:2021-01-01:1d",
        "0:120",
        "",
    ]:
        with refused(InputError) as caught:
            parse_bins(text)
        assert "\n" not in str(caught.value)


def test_labels_are_the_first_and_the_last_unit():
    assert parse_bins("0:120:1").items[:2] == ["0", "1"]
    assert parse_bins("-10:10:5").items[:] == ["-10..-6", "-5..-1", "0..4", "5..9"]
    assert parse_bins("0:1:0.25").items[:] == ["0.00..0.24", "0.25..0.49", "0.50..0.74", "0.75..0.99"]
    assert parse_bins("-0.2:0.1:0.1").items[:] == ["-0.2", "-0.1", "0.0"]
    assert parse_bins("1969-12-31:1970-01-02:1d").items[:] == ["1969-12-31", "1970-01-01"]
    assert [parse_bins("0:10:5").edge(item) for item in (0, 1, 2)] == ["0", "5", "10"]


def test_millions_of_bins_need_no_list():
    bins = parse_bins("0:1099511627776:1")
    assert (len(bins.items), bins.items[-1], bins.items[2**22]) == (1 << 40, "1099511627775", "4194304")
    assert bins.encode(["1099511627775"], "rows").tolist() == [2**40 - 1]
    with pytest.raises(IndexError):
        _ = bins.items[1 << 40]


def test_bins_are_found_by_label_and_by_their_end_units():
    for text in ["0:120:5", "-7:8:3", "0:1:0.25", "-1.5:1.50:0.5", "2020-01-01:2020-03-01:7d"]:
        bins = parse_bins(text)
        for item, label in enumerate(bins.items):
            start, stop = label.split("..")
            assert bins.first_of(f" {label} ") == bins.last_of(label) == item
            assert (bins.first_of(start), bins.last_of(stop)) == (item, item)
            with refused(InputError):
                bins.last_of(start)
            with refused(InputError):
                bins.first_of(stop)


def test_words_that_name_no_bin():
    for word in [
        "32",
        "3e1",
        "30.5",
        "30..39",
        "120",
        "-1",
        "Cork",
        "",
    ]:
        with refused(InputError):
            parse_bins("0:120:5").first_of(word)


def test_a_grid_numbers_its_pairs_row_by_row():
    grid = parse_grid(["0:30:10", "2020-01-01:2020-01-05:1d"])
    assert not isinstance(grid, Bins)
    assert (grid.k, grid.shape, len(grid.items)) == (12, (3, 4), 12)
    found = grid.encode([["29", "0"], ["2020-01-02", "2020-01-04"]], "rows")
    assert found.tolist() == [2 * 4 + 1, 3]
    assert grid.items[9] == "20..29 x 2020-01-02"
    assert parse_grid(grid.texts) == grid
    with refused(InputError):
        grid.encode([["29", "0"], ["2020-01-02", "2020-01-05"]], "rows")


def test_too_many_sides_or_pairs():
    with refused(InputError, about="bins"):
        parse_grid(["0:2:1"] * 3)
    with refused(InputError):
        parse_grid(["0:1048577:1", "0:1048576:1"])
