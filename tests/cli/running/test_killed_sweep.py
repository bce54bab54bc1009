"""`sweep` killed at every call by which it changes a file: no finished design is lost, and the same command goes on."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from killing import KILLED
from wording import check_wording

SWEEP = ["sweep", "--n", "2:4", "--alpha", "1/2", "--props", "none;WH", "--jobs", 1, "--output", "s.csv"]
DESIGNS = 6


def table():
    """The rows of the table, without their times."""
    with Path("s.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [{name: cell for name, cell in row.items() if not name.startswith("seconds")} for row in rows]


def journaled():
    """How many whole rows the journal has."""
    lines = content_of("s.csv.journal").split(b"\n")[1:-1]
    return sum("row" in json.loads(line) for line in lines)


def content_of(name):
    return Path(name).read_bytes() if Path(name).exists() else b""


@pytest.mark.slow
def test_killed_at_every_write_a_sweep_goes_on_where_it_was(launcher, tmp_path, monkeypatch):
    whole = launcher.run(*SWEEP)
    assert whole.code == 0, whole.err
    wanted = table()
    assert (len(wanted), journaled()) == (DESIGNS, 0)
    resumed = set()
    for number, moment in whole.changes:
        place = tmp_path / f"{number}{moment}"
        place.mkdir()
        monkeypatch.chdir(place)
        seen = launcher.killed(number, moment, *SWEEP)
        assert (seen.code, len(seen.events)) == (KILLED, number)
        finished = journaled()
        is_written, has_header = Path("s.csv").exists(), b"\n" in content_of("s.csv.journal")
        assert not is_written or table() == wanted
        again = launcher.run(*SWEEP)
        if is_written and not finished:  # killed after its last call: the table is there, and stays
            assert (number, moment, again.code) == (len(whole.events), "after", 2)
            check_wording(again.err)
        else:
            assert again.code == 0, again.err
            assert (f"going on: {finished} of {DESIGNS} designs are in" in again.err) == (finished > 0)
            written = sum(event == "write s.csv.journal" for event in again.events)
            assert written == DESIGNS - finished + (not has_header)  # nothing is designed again
        assert table() == wanted
        assert not Path("s.csv.journal").exists()
        resumed.add(finished)
        monkeypatch.chdir(tmp_path)
        shutil.rmtree(place)
    assert resumed == set(range(DESIGNS + 1))
