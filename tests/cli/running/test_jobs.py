"""`mechdesign` alone: the five jobs by commands that work in an empty folder, one after the other."""

import re
import shlex
from pathlib import Path

import pytest

from mechdesign_cli.jobs import JOBS


def commands():
    joined = JOBS.replace("\\\n", " ")
    return [shlex.split(line)[1:] for line in joined.splitlines() if line.startswith("    mechdesign ")]


def test_alone_it_shows_five_jobs_and_ends_well(mechdesign):
    seen = mechdesign()
    assert (seen.code, seen.err) == (0, "")
    assert re.findall(r"^(\w+):", seen.out, flags=re.MULTILINE) == ["design", "check", "compare", "collect", "release"]
    assert max(map(len, seen.out.splitlines())) <= 80


@pytest.mark.slow
def test_the_jobs_run_as_they_stand(mechdesign):
    assert len(commands()) == 8
    for arguments in commands():
        seen = mechdesign(*arguments)
        assert seen.code == 0, seen.err
    made = {"wm.json", "values.csv", "classes.txt", "reports.parquet", "released.csv", "release.json"}
    assert made <= {path.name for path in Path().iterdir()}
