"""`mechdesign privatize --bins`: numbers and dates of one column or two, and what does not go together."""

from pathlib import Path

import numpy as np
import pytest

from mechdesign_catalog.collection.reports.report_files import read_header, read_reports
from mechdesign_catalog.datasets.items.bins import parse_grid

ALMOST_EXACT = ["--oracle", "grr", "--epsilon", 40]
"""Reports that are the values themselves, but for less than one in 10^15."""

BASE = ["privatize", *ALMOST_EXACT, "--input", "people.csv", "-o", "r.parquet"]


def write_people(rows="30,2020-02-29\n0,2020-01-01\n119.99,2020-12-31\n"):
    Path("people.csv").write_text(f"age,day\n{rows}")


def reported():
    return np.concatenate([piece.columns["item"] for piece in read_reports(Path("r.parquet"))]).tolist()


def test_numbers_are_reported_by_their_bins(mechdesign):
    write_people()
    seen = mechdesign(*BASE, "--column", "age", "--bins", "0:120:5")
    assert (seen.code, seen.out) == (0, ""), seen.err
    assert "shorter" not in seen.err
    assert reported() == [6, 0, 23]
    header = read_header(Path("r.parquet"))
    assert (header.task.bins, header.task.ordered, header.task.items) == (("0:120:5",), True, None)


def test_dates_are_reported_by_their_bins(mechdesign):
    write_people()
    seen = mechdesign(*BASE, "--column", "day", "--bins", "2020-01-01:2021-01-01:7d")
    assert seen.code == 0
    assert "the last bin, 2020-12-30..2020-12-31, is shorter than the others\n" in seen.err
    assert reported() == [8, 0, 52]
    assert mechdesign("aggregate", "r.parquet").out.startswith("3 reports of grr, 53 bins 2020-01-01:2021-01-01:7d")


def test_two_columns_make_a_grid(mechdesign):
    write_people()
    bins = ["--bins", "0:120:60", "--bins", "2020-01-01:2021-01-01:183d"]
    seen = mechdesign(*BASE, "--columns", "age,day", *bins)
    assert seen.code == 0, seen.err
    assert reported() == [0, 0, 3]
    header = read_header(Path("r.parquet"))
    assert (header.task.bins, header.task.ordered) == (("0:120:60", "2020-01-01:2021-01-01:183d"), False)
    assert header.task.domain_digest == parse_grid(header.task.bins).digest


def test_values_beyond_are_refused_by_row_or_clipped_and_never_counted(mechdesign):
    write_people("30,2020-01-01\n120,2020-01-01\n-1,2020-01-01\n")
    seen = mechdesign(*BASE, "--column", "age", "--bins", "0:120:1")
    assert (seen.code, seen.out, seen.err) == (
        2,
        "",
        "mechdesign: values must be from 0 to below 120, got one beyond in row 2 of people.csv; "
        "to move such values to the first or last bin, give --beyond=clip\n",
    )
    assert not Path("r.parquet").exists()
    seen = mechdesign(*BASE, "--column", "age", "--bins", "0:120:1", "--beyond", "clip")
    assert seen.code == 0
    assert reported() == [30, 119, 0]
    clipped = seen.err
    write_people("30,2020-01-01\n31,2020-01-01\n32,2020-01-01\n")
    assert mechdesign(*BASE, "--column", "age", "--bins", "0:120:1", "--beyond", "clip", "--replace").err == clipped


def test_items_that_are_listed_in_their_order(mechdesign):
    Path("people.csv").write_text("size\nS\nL\n")
    Path("sizes.txt").write_text("S\nM\nL\n")
    for options, ordered in ([], False), (["--ordered"], True):
        assert mechdesign(*BASE, "--domain", "sizes.txt", "--replace", *options).code == 0
        assert read_header(Path("r.parquet")).task.ordered is ordered


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bins", "0:120:1", "--domain", "d.txt"], "exactly one of --domain and --bins must be given, got both"),
        (["--bins", "0:120:1", "--ordered"], "ordered goes with a domain, got it with bins, which are in order"),
        (["--ordered"], "ordered goes with a domain, got none"),
        (["--domain", "d.txt", "--beyond", "clip"], "beyond goes with bins, got clip without them"),
        (["--bins", "0:120:1", "--beyond", "drop"], "beyond must be refuse or clip, got 'drop'"),
        (["--bins", "0:120:1", "--bins", "0:120:1"], "columns must be as many as bins, got 1 for 2"),
        (["--bins", "0:120:1", "--columns", "age,day"], "columns must be as many as bins, got 2 for 1"),
        (
            ["--domain", "d.txt", "--columns", "age,day"],
            "columns must be one for grr, got 2; of several attributes are",
        ),
        (["--domain", "d.txt", "--columns", "age,day", "--oracle", "magrps"], "got magrps; did you mean margps?"),
        (["--bins", "0:9:1", "--columns", "a,b", "--column", "a"], "exactly one of column and columns must be given"),
        (["--bins", "0:9:1", "--bins", "0:9:1", "--columns", "a,a"], "columns must be different names with commas"),
        (["--bins", "0:9:1", "--bins", "0:9:1", "--columns", "a,"], "columns must be different names with commas"),
        (["--bins", "0:120:1", "--maximum", 120], "maximum goes with onebitmean, got it with grr"),
        (["--bins", "120:0:1"], "edges of bins must increase, got 120:0:1"),
        (["--bins", "0:120:1", "--oracle", "onebitmean"], "onebitmean must have a maximum and no domain"),
        ([], "domain must be given, got none: a public list of all items (a file has one a line), or bins"),
    ],
)
def test_what_does_not_go_together_is_refused_before_the_input_is_opened(mechdesign, options, message):
    Path("d.txt").write_text("a\nb\n")
    seen = mechdesign(*BASE, *options)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert message in seen.err
    assert not Path("r.parquet").exists()


def test_a_file_without_a_header_loses_no_user(mechdesign):
    Path("people.csv").write_text("30\n41\n")
    seen = mechdesign(*BASE, "--bins", "0:120:1")
    assert seen.code == 2
    assert "the first row of people.csv must be a header, got a value in it" in seen.err
    assert "30" not in seen.err


@pytest.mark.slow
def test_a_memory_keeps_answers_about_bins(mechdesign):
    Path("people.csv").write_text("user,age\nann,30\nbob,45\n")
    base = ["privatize", "--oracle", "dbitflip:d=2", "--epsilon", 1, "--input", "people.csv", "--column", "age"]
    memory = ["--user", "user", "--memory", "m.db"]
    for day in ("one", "two"):
        seen = mechdesign(*base, *memory, "--bins", "0:120:10", "--round", day, "-o", f"{day}.parquet")
        assert seen.code == 0, seen.err
    one, two = (next(iter(read_reports(Path(f"{day}.parquet")))) for day in ("one", "two"))
    assert all(np.array_equal(one.columns[name], two.columns[name]) for name in one.columns)
    seen = mechdesign(*base, *memory, "--bins", "0:120:20", "--round", "three", "-o", "three.parquet")
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    Path("people.csv").write_text("user,age\n")
    seen = mechdesign(*base, *memory, "--bins", "0:120:10", "--round", "four", "-o", "four.parquet")
    assert (seen.code, seen.err) == (2, "mechdesign: the input must have at least one row, got none\n")
