"""`privatize` without a memory, killed at every call by which it changes a file: no draw is left that nobody counts."""

import os
from pathlib import Path

import pytest
from killing import KILLED


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("cities.txt").write_text("Cork\nGalway\nDublin\n")
    Path("values.csv").write_text("city\n" + "Cork\nDublin\n" * 50)


def command(name):
    return [
        "privatize",
        "--oracle",
        "grr",
        "--epsilon",
        1,
        "--domain",
        "cities.txt",
        "--input",
        "values.csv",
        "-o",
        name,
    ]


@pytest.mark.slow
def test_reports_are_there_whole_or_not_at_all(launcher):
    before = set(os.listdir())
    whole = launcher.run(*command("first.parquet"))
    assert whole.code == 0
    for number, moment in whole.moments:
        name = f"{number}{moment}.parquet"
        assert launcher.killed(number, moment, *command(name)).code == KILLED
        left = set(os.listdir()) - before - {"first.parquet"}
        assert left <= {name}
        if left:
            assert launcher.run("aggregate", name).code == 0
            Path(name).unlink()
