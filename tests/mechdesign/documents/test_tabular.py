"""One table on a screen, as CSV and as rows."""

import io

import pytest
from rich.console import Console

from mechdesign.documents.tabular import Column, Table, words

RESULTS = Table({"item": ["a", "b\x1b[31m"], "share": [0.25, None], "users": [12, 3456]}, {"post": "raw"})


def screen(table, width=80, least=0):
    stream = io.StringIO()
    Console(file=stream, width=width, markup=False).print(table.for_screen(width, least))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_a_table_of_results_is_shown_and_written():
    assert screen(RESULTS) == ["item    share  users", "a        0.25     12", "b\ufffd[31m          3456"]
    assert RESULTS.csv_bytes().decode().splitlines()[1] == "a,0.25,12,raw"
    assert RESULTS.width == len("item    share  users")


def test_columns_of_texts_are_rows_of_documents_too():
    made = Table.of_columns([words("item", ["a"]), Column("+-", ["0.1"]), Column("+-", ["0.2"])])
    assert made.entries() == [{"item": "a", "+-": "0.1", "+- 2": "0.2"}]
    assert screen(made)[0].split() == ["item", "+-", "+-"]
    assert made.csv_bytes() == b"item,+-,+- 2\na,0.1,0.2\n"


@pytest.mark.parametrize(("width", "heads"), [(18, ["item", "share", "+-"]), (17, ["item", "share"])])
def test_a_narrow_screen_spares_columns(width, heads):
    made = Table.of_columns([words("item", ["abcd"]), Column("share", ["0.25"]), Column("+-", ["0.01"])])
    assert made.width == 17
    assert screen(made.within(width - 1, ["none", "+-"]))[0].split() == heads


def test_a_wide_table_is_parts_with_their_words():
    made = Table.of_columns([words("item", ["a"]), *(Column(f"n{i}", ["0.25"]) for i in range(4))])
    assert [[column.head for column in part.shown] for part in made.parts(16)] == [
        ["item", "n0", "n1"],
        ["item", "n2", "n3"],
    ]
