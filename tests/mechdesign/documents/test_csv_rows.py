"""Rows of CSV streams: what is read, and what is no CSV."""

import io

import pytest

from mechdesign import InputError
from mechdesign.documents.csv_rows import csv_rows


def rows(text):
    return list(csv_rows(io.StringIO(text, newline=""), "t.csv"))


def test_quotes_that_are_closed():
    assert rows('a,b\r\n"x, ""y""","two\nlines"') == [["a", "b"], ['x, "y"', "two\nlines"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('city\n"Bonn', "got t.csv: unexpected end of data in line 2"),
        ('city\n"Bonn\nBerlin\n', "got t.csv: unexpected end of data in line 3"),
        ('city\nKiel\n"Bo"nn\n', "got t.csv: ',' expected after '\"' in line 3"),
        ("city\nBo\0nn\n", "file must be text, got t.csv, which is binary"),
    ],
)
def test_what_is_no_csv(text, message):
    with pytest.raises(InputError, match=message):
        rows(text)
