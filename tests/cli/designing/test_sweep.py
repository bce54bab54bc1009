"""`mechdesign sweep` as a user runs it: tables, pictures, failures, and sweeps that are killed."""

import csv
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pyarrow.parquet as pq
import pytest
from studios import PATIENCE
from wording import check_wording

from mechdesign.sweeps import worker

SWEEP = ["sweep", "--n", "2:6:2", "--alpha", "1/2,0.9", "--props", "none;WH,CM", "--loss", "L0,L1"]
LONG = ["sweep", "--n", "2:40:2", "--alpha", "0.5,0.9", "--props", "none;WH,RM,CM", "--jobs", "2", "-o", "s.csv"]
JOURNAL = Path("s.csv.journal")


def table(path="s.csv"):
    """The rows without their times."""
    rows = csv.DictReader(Path(path).read_text().splitlines())
    return [{name: cell for name, cell in row.items() if not name.startswith("seconds")} for row in rows]


def test_a_table_of_designs(mechdesign):
    seen = mechdesign(*SWEEP, "--output", "s.csv", "--jobs", 1)
    assert (seen.code, seen.out, seen.err) == (0, "", "wrote s.csv\n")
    assert os.listdir() == ["s.csv"]
    rows = table()
    assert len(rows) == 3 * 2 * 2 * 2
    assert [row["n"] for row in rows[::8]] == ["2", "4", "6"]
    assert rows[0] == {
        **{
            "model": "count",
            "n": "2",
            "k": "",
            "radius": "",
            "alpha": "1/2",
            "epsilon": "0.6931471805599454",
            "properties": "none",
        },
        **{"loss": "L0", "aggregate": "expected", "prior": "uniform", "score_exact": "2/3"},
        **{"score": "0.6666666666666666", "lower_bound_exact": "2/3", "lower_bound": "0.6666666666666666"},
        **{"status": "exact", "holds": "CH CM RH RM S WH", "method": "closed-form"},
        "how": rows[0]["how"],
    }
    assert rows[2]["properties"] == "WH CM"


@pytest.mark.slow
def test_table_and_picture_in_other_formats(mechdesign):
    mechdesign(*SWEEP, "-o", "s.csv", "--jobs", 1)
    seen = mechdesign(*SWEEP, "-o", "s.parquet", "--jobs", 2, "--plot", "s.png")
    assert (seen.code, seen.err.splitlines()) == (0, ["wrote s.parquet", "wrote s.png"])
    assert Path("s.png").read_bytes().startswith(b"\x89PNG")
    found = [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in pq.read_table("s.parquet").to_pylist()
    ]
    assert [{name: row[name] for name in table()[0]} for row in found] == table()


def test_files_of_loss_and_prior(mechdesign):
    Path("loss.csv").write_text("0,1,5\n1/2,0,1/2\n5,1,0\n")
    Path("prior.txt").write_text("0.5\n0.25\n0.25\n")
    Path("loss.csv").rename("my,loss.csv")
    options = ("--loss", "L0, my,loss.csv", "--prior", "prior.txt", "-o", "s.csv", "--jobs", 1)
    assert mechdesign("sweep", "--n", 2, "--epsilon", "0.5,1", *options).code == 0
    assert [(row["loss"], row["prior"]) for row in table()] == [("L0", "weights"), ("matrix", "weights")] * 2
    seen = mechdesign("sweep", "--n", "2,4", "--epsilon", "0.5", *options, "--overwrite")
    assert (seen.code, "must have 5 weights" in seen.err or "must be 5 x 5" in seen.err) == (2, True)


def test_a_table_is_replaced_only_when_asked(mechdesign):
    Path("s.csv").write_text("precious\n")
    seen = mechdesign(*SWEEP, "-o", "s.csv", "--jobs", 1)
    assert seen.code == 2
    check_wording(seen.err)
    assert Path("s.csv").read_text() == "precious\n"
    assert os.listdir() == ["s.csv"]
    assert mechdesign(*SWEEP, "-o", "s.csv", "--jobs", 1, "--overwrite").code == 0
    assert len(table()) == 24


@contextmanager
def out_of_time_at(n):
    """Have the time limit reached by designs for groups of n alone, on any machine."""
    design = worker.design

    def hasty(problem, **options):
        return design(problem, **(options | {"time_limit": 1e-6} if problem.n == n else options))

    with patch.object(worker, "design", hasty):
        yield


@pytest.mark.slow
def test_failures_are_rows_and_only_they_are_tried_again(mechdesign):
    hasty = ["sweep", "--n", "2,80", "--alpha", "0.9", "--props", "CM", "-o", "s.csv", "--jobs", 1]
    with out_of_time_at(80):
        seen = mechdesign(*hasty, "--time-limit", "600")
    assert seen.code == 1
    assert seen.err.splitlines() == [
        "wrote s.csv",
        "mechdesign: 1 of 2 designs failed, see status in s.csv; the same command tries only those again, with another "
        "--time-limit where that ran out (s.csv.journal is kept)",
    ]
    first, second = table()
    assert (first["status"], second["status"][:8], second["score"], second["holds"]) == ("exact", "failed: ", "", "")
    times = Path("s.csv").read_text().splitlines()[1]
    seen = mechdesign(*hasty)
    assert seen.code == 0
    assert seen.err.splitlines() == ["going on: 1 of 2 designs are in s.csv.journal already", "wrote s.csv"]
    assert Path("s.csv").read_text().splitlines()[1] == times
    assert table()[1]["status"] == "exact"
    assert os.listdir() == ["s.csv"]


@pytest.mark.parametrize(
    "options",
    [
        ["--n", "2:x"],
        ["--n", "9000", "--prior", "binomial:1/2"],
        ["--alpha", "0.5,2"],
        ["--epsilon", "1"],
        ["--props", "WH;"],
        ["--loss", "L0,missing.csv"],
        ["--prior", "binomial:2"],
        ["--solver", "cplex"],
        ["--jobs", "0"],
        ["--jobs", "two"],
        ["--time-limit", "0"],
        ["--n", "1:512", "--alpha", "0.01:0.99:0.01"],
        ["-o", "s.json"],
        ["-o", "no/s.csv"],
        ["--plot", "s.gif"],
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(mechdesign, options):
    seen = mechdesign("sweep", "--n", "2", "--alpha", "0.5", "-o", "s.csv", *options)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1
    assert os.listdir() == []


def test_more_lines_than_can_be_told_apart(mechdesign):
    names = ["WH", "RH", "RM", "CH", "CM", "F", "S"]
    props = ";".join(["none", *names, *(f"{a},{b}" for a in names for b in names if a < b)][:22])
    seen = mechdesign("sweep", "--n", 2, "--alpha", "0.5", "-o", "s.csv", "--props", props, "--plot", "s.png")
    assert seen.code == 2
    check_wording(seen.err)


# Sweeps that are stopped.


def start(arguments):
    """A sweep in a session of its own, with at least two rows in its journal that were not there before."""
    had = rows_in_journal()
    command = [sys.executable, "-m", "mechdesign_cli", *arguments]
    with open("err.txt", "w") as err:
        job = subprocess.Popen(command, stderr=err, start_new_session=True)
    while job.poll() is None and rows_in_journal() < had + 2:
        time.sleep(0.005)
    return job


def rows_in_journal():
    return max(0, JOURNAL.read_bytes().count(b"\n") - 1) if JOURNAL.exists() else 0


def living(session):
    """Processes of a session that are more than a name in the table."""
    alive = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue
        if int(its_session) == session and state not in "ZX":
            alive.append(stat.parent.name)
    return alive


def wait_until_gone(session):
    deadline = time.monotonic() + PATIENCE
    while living(session) and time.monotonic() < deadline:
        time.sleep(0.02)
    if living(session):
        os.killpg(session, signal.SIGKILL)
        return False
    Path("err.txt").unlink()
    return True


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_a_killed_sweep_goes_on_and_loses_nothing(mechdesign):
    job = start(LONG)
    job.kill()
    assert job.wait() == -signal.SIGKILL
    assert wait_until_gone(job.pid)
    kept = rows_in_journal()
    assert 2 <= kept < 80
    assert not Path("s.csv").exists()
    with JOURNAL.open("a") as stream:
        stream.write('{"key": "torn')
    resumed = mechdesign(*LONG)
    assert resumed.code == 0
    assert resumed.err.splitlines()[0] == f"going on: {kept} of 80 designs are in s.csv.journal already"
    whole = mechdesign(*LONG[:-4], "-o", "t.csv")
    assert (whole.code, whole.err) == (0, "wrote t.csv\n")
    assert table("s.csv") == table("t.csv")
    assert sorted(os.listdir()) == ["s.csv", "t.csv"]


@pytest.mark.slow
def test_a_full_disk_keeps_what_was_finished(mechdesign):
    command = [sys.executable, "-B", "-m", "mechdesign_cli", *SWEEP, "-o", "s.csv", "--jobs", "1"]
    limited = ["bash", "-c", 'ulimit -f 4; exec "$@"', "bash", *command]
    done = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "mechdesign: journal could not be written: s.csv.journal (File too large)\n",
    )
    kept = rows_in_journal()
    assert 0 < kept < 24
    seen = mechdesign(*SWEEP, "-o", "s.csv", "--jobs", 1)
    assert seen.err.splitlines()[0] == f"going on: {kept} of 24 designs are in s.csv.journal already"
    assert (seen.code, len(table()), os.listdir()) == (0, 24, ["s.csv"])


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_ctrl_c_keeps_the_journal_and_says_how_to_go_on(mechdesign):
    job = start(LONG)
    os.killpg(job.pid, signal.SIGINT)  # as a terminal does: to the processes of the pool as well
    assert job.wait() == 130
    kept = rows_in_journal()
    assert Path("err.txt").read_text().splitlines() == [
        f"{kept} of 80 designs are kept in s.csv.journal; the same command goes on from there",
        "mechdesign: interrupted",
    ]
    assert wait_until_gone(job.pid)
    assert os.listdir() == ["s.csv.journal"]


def test_a_table_of_another_grid_is_not_replaced(mechdesign):
    """A journal that holds rows of two grids says nothing about whose table is there."""
    failing = ["sweep", "--alpha", "0.9", "--props", "CM", "--jobs", 1, "-o", "s.csv"]
    with out_of_time_at(40):
        assert mechdesign(*failing, "--n", "2,40", "--time-limit", "600").code == 1
    table_before = Path("s.csv").read_text()
    seen = mechdesign(*failing, "--n", "2,5")
    assert seen.code == 2
    check_wording(seen.err)
    assert Path("s.csv").read_text() == table_before
    assert mechdesign(*failing, "--n", "2,40").code == 0
    assert mechdesign("sweep", "--n", "3", "--alpha", "0.5", "--aggregate", "worst", "--prior", "uniform").code == 2


def test_a_picture_says_what_all_designs_share(mechdesign):
    arguments = ["--model", "lldp", "--k", "4,5", "--radius", "2", "--alpha", "0.5", "--aggregate", "worst"]
    seen = mechdesign("sweep", *arguments, "-o", "s.csv", "--plot", "s.svg", "--jobs", 1)
    assert (seen.code, Path("s.svg").exists()) == (0, True)
    rows = table()
    shared = {(row["model"], row["radius"], row["aggregate"], row["prior"]) for row in rows}
    assert shared == {("lldp", "2", "worst", "")}
