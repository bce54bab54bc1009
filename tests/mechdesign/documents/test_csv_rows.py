"""Rows of CSV streams: what is read, and what is no CSV."""

import io

import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.documents.csv_rows import csv_rows


def rows(text):
    return list(csv_rows(io.StringIO(text, newline=""), "t.csv"))


def test_quotes_that_are_closed():
    assert rows('a,b\r\n"x, ""y""","two\nlines"') == [["a", "b"], ['x, "y"', "two\nlines"]]


@pytest.mark.parametrize(
    "text",
    [
        'city\n"Bonn',
        'city\n"Bonn\nBerlin\n',
        'city\nKiel\n"Bo"nn\n',
        "city\nBo\0nn\n",
    ],
)
def test_what_is_no_csv(text):
    with refused(InputError):
        rows(text)
