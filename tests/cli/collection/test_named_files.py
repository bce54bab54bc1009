"""Reports by folder, pattern and address on the command line."""

import pytest

from mechdesign_catalog import privatize


@pytest.fixture
def day(tmp_path, monkeypatch):
    """Three files of ten reports, in a folder and below."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "day" / "late").mkdir(parents=True)
    for name in ("one", "two", "late/three"):
        reports = privatize(["yes", "no"] * 5, "grr", epsilon=1, domain=["yes", "no"])
        reports.save(tmp_path / "day" / f"{name}.parquet")
    return tmp_path / "day"


@pytest.mark.parametrize(
    ("names", "users"),
    [
        (["day"], 30),
        (["day/*.parquet"], 20),
        (["day/**/*.parquet"], 30),
        (["file://{day}"], 30),
        (["file://{day}/[ot]*.parquet", "day/late"], 30),
    ],
    ids=["folder", "pattern", "deep pattern", "address", "address with a pattern, and a folder"],
)
def test_files_are_found(mechdesign, day, names, users):
    seen = mechdesign("aggregate", *(name.format(day=day) for name in names))
    assert (seen.code, seen.out.split()[0]) == (0, str(users)), seen.err


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["day/*.csv"], "pattern must match a file, got none in day/*.csv"),
        (["empty"], "folder must have files that end in .parquet, got none in empty"),
        (["nowhere://day"], "address must be of a file system that pyarrow or fsspec knows, got nowhere://day"),
        (["day", "day/one.parquet"], "each file of reports must be given once, got day/one.parquet twice"),
    ],
    ids=["pattern", "folder", "address", "twice"],
)
def test_what_is_not_there_is_one_line(mechdesign, day, names, message):
    (day.parent / "empty").mkdir()
    seen = mechdesign("aggregate", *names)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert message in seen.err
