import io

import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.counts.estimation import count_releases, released_column
from mechdesign.counts.release import CHUNK_ROWS
from mechdesign.documents.csv_rows import read_rows


def counted(text, n, column=None):
    header, rows = read_rows(io.StringIO(text), "r.csv")
    return count_releases(rows, released_column(header, column, "r.csv"), n, "r.csv")


@pytest.mark.slow
def test_only_frequencies_are_kept_over_chunks():
    seen = []
    rows = (["x", str(k % 5)] for k in range(2 * CHUNK_ROWS + 7))
    counts = count_releases(rows, 1, 6, "r.csv", seen.append)
    assert counts == (*(len(range(k, 2 * CHUNK_ROWS + 7, 5)) for k in range(5)), 0, 0)
    assert seen == [CHUNK_ROWS, CHUNK_ROWS, 7]


def test_which_column():
    assert counted("a,released\n0,1\n0,2\n", 2) == (0, 1, 1)
    assert counted("a,released\n0,1\n0,2\n", 2, "a") == (2, 0, 0)
    assert counted("noisy\n 2 \n", 2) == (0, 0, 1)
    for text, column in [
        ("a,b\n0,1\n", None),
        ("a,b\n0,1\n", "c"),
        ("released,released\n0,1\n", None),
    ]:
        with refused(InputError):
            counted(text, 2, column)


@pytest.mark.parametrize(
    "text",
    [
        "r\n1\n3\n",
        "r\n1\n-1\n",
        "r\n1\n1\nnan\n",
        "r\n1.5\n",
        "r,s\n,1\n",
        "r\n",
        "",
    ],
)
def test_bad_rows_are_named(text):
    with refused(InputError):
        counted(text, 2, "r" if text else None)


def test_the_row_is_right_beyond_the_first_chunk():
    rows = [*([["1"]] * (2 * CHUNK_ROWS + 4)), ["9"]]
    with refused(InputError):
        count_releases(rows, 0, 2, "r.csv")
