"""Uploads: their names, their columns, how much of them there may be."""

import asyncio

import pytest
from wording import check_wording, refused

from mechdesign.errors import InputError
from mechdesign_studio import uploads as module
from mechdesign_studio.uploads import Uploads, plain_name


async def pieces(*contents):
    for content in contents:
        yield content


def add(uploads, name, *contents):
    return asyncio.run(uploads.add(name, pieces(*contents)))


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("people.csv", "people.csv"),
        ("Bevölkerung 2024 (b).csv", "Bevölkerung 2024 (b).csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\a.csv", "a.csv"),
        ("--output=x.csv", "output_x.csv"),
        (".bashrc", "bashrc"),
        ("a\n;rm -rf $HOME`x`.csv", "a__rm -rf _HOME_x_.csv"),
        ("a,b.csv", "a_b.csv"),
        ("x" * 300 + ".csv", "x" * 116 + ".csv"),
        ("x" * 300, "x" * 120),
        ("ü" * 300 + ".npz", "ü" * 58 + ".npz"),
        ("a." + "x" * 300, "a." + "x" * 118),
    ],
    ids=str,
)
def test_names_are_plain_and_as_like_as_can_be(name, kept):
    assert plain_name(name) == kept
    assert len(kept.encode()) <= 120


@pytest.mark.parametrize("name", ["", ".", "..", "/", "a/", "- -", "..."])
def test_a_name_of_nothing_is_refused(name):
    with refused(InputError, about="name"):
        plain_name(name)


@pytest.mark.parametrize(
    ("name", "content", "columns"),
    [
        ("a.csv", b"age,sex\n1,2\n", ["age", "sex"]),
        ("a.CSV", b'\xef\xbb\xbf"a ""b""",c\r\n1,2', ['a "b"', "c"]),
        ("a.csv", b"one\r1\r", ["one"]),
        ("a.csv", b"a;b", ["a;b"]),
        ("a.csv", b"", None),
        ("a.csv", b"\xff\xfe\n", None),
        ("a.csv", b"a\0b\n", None),
        ("a.csv", "größe\n1\n".encode("latin-1"), None),
        ("a.csv", b'"a,b\n', None),
        ("a.csv", b"x" * 70_000, None),
        ("a.csv", b"a," * 2_000 + b"\n", None),
        ("a.json", b"{}", None),
        ("a.csv", "age,city\n1,M\u00fcnster\n".encode("latin-1"), None),
        ("a.csv", b"age\n" + b"1" * 65_531 + "\u00fc\n".encode(), ["age"]),
    ],
)
def test_a_table_tells_its_columns(tasks, name, content, columns):
    answer = tasks.client.post(f"/api/uploads?name={name}", content=content)
    assert answer.status_code == 201
    assert answer.json() | {"name": name, "bytes": len(content), "columns": columns} == answer.json()
    assert ("why" in answer.json()) == (columns is None)
    assert answer.json()["utf8"] is (
        not name.lower().endswith(".csv") or "\N{REPLACEMENT CHARACTER}" not in content.decode(errors="replace")
    )
    if columns is None:
        check_wording(answer.json()["why"])


@pytest.mark.parametrize(
    ("content", "doubted"),
    [
        (b"21\n30\n", True),
        (b"21,-1.5\r\n30,2", True),
        (b"age\n30\n", False),
        (b"1,2\nyes,no\n", False),
        (b"21\n", False),
    ],
)
def test_a_header_that_looks_like_data_is_doubted(tasks, content, doubted):
    doubt = tasks.client.post("/api/uploads?name=a.csv", content=content).json()["doubt"]
    assert (doubt is not None) == doubted
    if doubt is not None:
        check_wording(doubt)


def test_an_upload_that_is_too_large_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 10)
    uploads = Uploads(tmp_path)
    assert add(uploads, "a", b"12345", b"12345").bytes == 10
    with refused(InputError):
        add(uploads, "b", b"12345", b"123456")
    assert len(list(tmp_path.iterdir())) == 1


def test_a_connection_that_breaks_leaves_nothing(tmp_path):
    async def broken():
        yield b"x"
        raise ConnectionError

    with pytest.raises(ConnectionError):
        asyncio.run(Uploads(tmp_path).add("a", broken()))
    assert list(tmp_path.iterdir()) == []


def test_of_too_many_those_go_that_were_not_used_for_longest(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 3)
    monkeypatch.setattr(module, "ALL_TOGETHER", 100)
    uploads = Uploads(tmp_path)
    first, second, third = (add(uploads, name, b"x" * 30).id for name in "abc")
    assert uploads.use(first) is not None
    fourth = add(uploads, "d", b"x").id
    assert set(uploads.names()) == {first, third, fourth}
    fifth = add(uploads, "e", b"x" * 60).id
    assert set(uploads.names()) == {first, fourth, fifth}
    assert {path.name for path in tmp_path.iterdir()} == {first, fourth, fifth}
    assert uploads.use(second) is None


@pytest.mark.slow
def test_a_page_learns_the_limits(studio):
    limits = studio.client.get("/api/choices").json()["limits"]
    assert limits["upload_bytes"] == module.LARGEST
