import io
from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import DesignProblem, InputError, Mechanism, design
from mechdesign.counts.release import CHUNK_ROWS, MechanismChooser, ReleaseColumns, privacy_statement, release_rows
from mechdesign.documents.csv_rows import read_rows
from mechdesign.mechanism.sampling import seeded_words

SWAP = Mechanism(((0, 0, 1), (0, 1, 0), (1, 0, 0)), 1)  # tells everything, so that outputs can be foreseen


def released(text, *, count=None, size=None, keep_true=False, chooser=None):
    header, rows = read_rows(io.StringIO(text, newline=""), "in.csv")
    columns = ReleaseColumns.find(header, count, size, keep_true, "in.csv")
    output = io.StringIO()
    number = release_rows(rows, columns, chooser or MechanismChooser.one(SWAP, None), output, "in.csv")
    return number, output.getvalue()


def test_the_true_column_goes_and_the_others_stay():
    assert released("id,boys,town\na,0,X\nb,2,Y\n", count="boys") == (2, "id,town,released\na,X,2\nb,Y,0\n")
    assert released("c\n1\n") == (1, "released\n1\n")
    assert released("c\n2\n", keep_true=True) == (1, "c,released\n2,0\n")


def test_quotes_byte_marks_and_line_ends_survive():
    number, text = released('\ufeffid,c\r\n"a, ""b""\nc",2\r\n\r\n'.lstrip("\ufeff"), count="c")
    assert (number, text) == (1, 'id,released\n"a, ""b""\nc",0\n')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "c\n",
        "c\n1\n-1\n",
        "c\n1.0\n",
        "c,d\n,1\n",
        "c\n1\n\n2\n",
        "c\n1_0\n",
        "c\n\u0663\n",
        "c\n3\n",
        "c\n99999999999999999999\n",
        "c,d\n1\n",
        "c,c\n1,1\n",
        "x,y\n1,1\n",
        "c,released\n1,1\n",
        "c\n\0\n",
    ],
)
def test_bad_tables(text):
    with refused(InputError):
        released(text, count="c")


def test_a_column_must_be_named_where_there_is_a_choice():
    with refused(InputError):
        released("a,b\n1,2\n")


@pytest.mark.slow
def test_rows_past_the_first_chunk_are_counted_on():
    text = "c\n" + "1\n" * (CHUNK_ROWS + 4) + "7\n"
    with refused(InputError):
        released(text)
    number, output = released("c\n" + "2\n" * (CHUNK_ROWS + 4))
    assert number == CHUNK_ROWS + 4
    assert output.count("\n0") == number


def sized(text):
    made = []

    def make(n):
        made.append(n)
        return design(DesignProblem(n, "9/10", properties="WH")).mechanism

    return made, released(text, count="c", size="s", chooser=MechanismChooser(make, seeded_words(1)))


def test_every_size_has_its_design_and_it_is_made_once():
    made, (number, output) = sized("c,s\n1,3\n0,1\n5,5\n2,3\n")
    assert sorted(made) == [1, 3, 5]
    assert number == 4
    for line in output.splitlines()[1:]:
        size, out = line.split(",")
        assert 0 <= int(out) <= int(size)


def test_every_row_goes_through_the_mechanism_of_its_size():
    """With mechanisms that turn a count c of n into n - c for certain, the output can be foreseen."""

    def reverse(n):
        return Mechanism(tuple(tuple(int(i + j == n) for j in range(n + 1)) for i in range(n + 1)), 1)

    text = "c,s\n1,3\n0,1\n5,5\n2,3\n"
    _, output = released(text, count="c", size="s", chooser=MechanismChooser(reverse, None))
    assert output == "s,released\n3,2\n1,1\n5,0\n3,1\n"


@pytest.mark.parametrize(
    "text",
    [
        "c,s\n1,3\n4,3\n",
        "c,s\n0,0\n",
        "c,s\n0,x\n",
        "c,s\n0,2\n0,9000\n",
    ],
)
def test_bad_sizes(text):
    with refused(InputError):
        sized(text)


def test_the_released_column_follows_the_mechanism():
    mechanism = design(DesignProblem(3, "1/2")).mechanism
    _, output = released("c\n" + "1\n" * 40_000, chooser=MechanismChooser.one(mechanism, seeded_words(5)))
    shares = np.bincount([int(line) for line in output.splitlines()[1:]], minlength=4) / 40_000
    assert np.abs(shares - mechanism.matrix()[:, 1]).max() < 0.015


def test_the_privacy_statement():
    text = privacy_statement(Fraction(9, 10), 12, 6115, None)
    assert max(len(line) for line in text.splitlines()) < 80
    text = " ".join(text.split())
    for word in (
        "epsilon = 0.105361 (alpha = 0.9)",
        "n = 12 is public",
        "disjoint",
        "another epsilon",
        "one person's answer",
    ):
        assert word in text
    assert "size of every group is public" in " ".join(privacy_statement(Fraction(9, 10), None, 3, None).split())
    assert "SIMULATION" in privacy_statement(Fraction(9, 10), 3, 3, 7)
