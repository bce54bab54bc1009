"""Files of reports by path, folder, pattern and address."""

import os
from pathlib import Path

import fsspec
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign_catalog import aggregate, privatize
from mechdesign_catalog.collection.reports.batches import as_batches
from mechdesign_catalog.collection.reports.locations import Location, find_files

NAMES = ["a/one.parquet", "a/two.PARQUET", "a/b/three.parquet", "four.parquet", "s3:five.parquet"]
OTHERS = ["a/notes.txt", "a/_temporary/no.parquet", "a/.hidden/no.parquet", "a/.no.parquet", "_SUCCESS"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in [*NAMES, *OTHERS]:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(b"x")
    return tmp_path


@pytest.fixture
def memory(folder):
    """The same files in fsspec's file system in memory."""
    system = fsspec.filesystem("memory")
    for name in [*NAMES, *OTHERS]:
        system.pipe(f"/day/{name}", b"x")
    yield "memory://day"
    system.rm("/day", recursive=True)


PATTERNS = [
    ("a", ["a/b/three.parquet", "a/one.parquet", "a/two.PARQUET"]),
    ("a/", ["a/b/three.parquet", "a/one.parquet", "a/two.PARQUET"]),
    ("a/*.parquet", ["a/one.parquet"]),
    ("a/*.p[aA]*", ["a/one.parquet"]),
    ("a/[ot]*", ["a/one.parquet", "a/two.PARQUET"]),
    ("*/b/*.parquet", ["a/b/three.parquet"]),
    ("a/**/*.parquet", ["a/_temporary/no.parquet", "a/b/three.parquet", "a/one.parquet"]),
    ("four.parquet", ["four.parquet"]),
    ("missing.parquet", ["missing.parquet"]),
]


@pytest.mark.parametrize(("given", "names"), PATTERNS, ids=[given for given, _ in PATTERNS])
@pytest.mark.parametrize("kind", ["path", "file", "memory"])
def test_what_a_name_stands_for(folder, memory, kind, given, names):
    start = {"path": "", "file": f"file://{folder}/", "memory": f"{memory}/"}[kind]
    found = [one.name for one in find_files(start + given)]
    assert [name.removeprefix(start) for name in found] == names


def test_a_name_with_a_colon_is_that_of_the_file_where_there_is_one(folder):
    assert find_files("s3:five.parquet") == [Location("s3:five.parquet")]
    Path("s3:/bucket").mkdir(parents=True)
    Path("s3:/bucket/six.parquet").write_bytes(b"x")
    assert find_files("s3://bucket") == [Location("s3://bucket/six.parquet")]
    Path("[x].parquet").write_bytes(b"x")
    assert find_files("[x].parquet") == [Location("[x].parquet")]


def test_paths_may_have_lost_a_slash(folder, memory):
    assert find_files(Path("memory://day/four.parquet")) == [Location("memory://day/four.parquet", is_address=True)]
    assert find_files(Path(f"file://{folder}/four.parquet")) == [Location(f"file://{folder}/four.parquet", True)]


def test_sizes(folder, memory):
    assert [Location.of(name).size for name in ("four.parquet", "memory://day/four.parquet", "no", "memory://no")] == [
        1,
        1,
        0,
        0,
    ]


@pytest.mark.parametrize(
    "given",
    [
        "empty",
        "a/*.csv",
        "memory://day/*.csv",
        "nowhere://day/x.parquet",
    ],
)
def test_names_that_stand_for_nothing(memory, given):
    Path("empty").mkdir()
    with refused(InputError):
        find_files(given)


def test_a_file_is_given_once_whatever_its_name(folder):
    assert [batch.name for batch in as_batches(["a", "four.parquet"])][3:] == ["four.parquet"]
    os.link("four.parquet", "link.parquet")
    for twice in (["four.parquet", "./four.parquet"], ["a", "a/one.parquet"], ["four.parquet", "link.parquet"]):
        with refused(InputError):
            as_batches(twice)


def test_reports_are_read_from_addresses(tmp_path):
    system = fsspec.filesystem("memory")
    batches = [privatize(["yes", "no", "yes"], "grr", epsilon=40, domain=["yes", "no"]) for _ in range(3)]
    for number, batch in enumerate(batches):
        batch.save(path := tmp_path / f"{number}.parquet")
        system.pipe(f"/reports/{number}.parquet", path.read_bytes())
    for given in (f"file://{tmp_path}", "memory://reports", "memory://reports/*.parquet", f"{tmp_path}/*.parquet"):
        assert aggregate(given).state.users == 9
    with refused(InputError, about="file"):
        aggregate("memory://reports/no.parquet")
    system.pipe("/reports/damaged.parquet", b"PAR1")
    with refused(InputError):
        aggregate("memory://reports")
    system.rm("/reports", recursive=True)
