"""Sweeps on a Dask cluster of two worker processes: whatever is killed, no design is lost or made twice."""

import os
import signal
from collections import Counter

import pytest
from command_line import make_runner
from dask_processes import dask_processes
from studios import wait_until
from sweep_work import accident_prone, untimed
from wording import check_wording

from mechdesign import ClusterError, sweep
from mechdesign.sweeps import Journal, SweepGrid, run_sweep, tasks_of, workers_for
from mechdesign.workers import dask_opening

pytestmark = pytest.mark.slow

ASKED = {"n": "30:44:2", "alpha": "1/2,0.9", "properties": "CM"}
ARGUMENTS = ("--n", "30:44:2", "--alpha", "1/2,0.9", "--props", "CM", "-o", "s.csv")
DESIGNS = 16


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with dask_processes(tmp_path_factory.mktemp("dask")) as processes:
        wait_until(lambda: len(processes.worker_processes()) == 2)
        yield processes


@pytest.fixture(scope="module")
def rows():
    return sweep(**ASKED)


@pytest.fixture
def written(monkeypatch):
    """How often each design was written into a journal."""
    counted = Counter()
    append = Journal.append

    def counting(journal, task, row):
        counted[task.key] += 1
        append(journal, task, row)

    monkeypatch.setattr(Journal, "append", counting)
    return counted


def once(what):
    """Do something when three designs are there, once."""
    done = []

    def report(finished):
        if finished >= 3 and not done:
            done.append(finished)
            what()

    return report


def test_a_killed_worker_costs_no_design(cluster, rows, written, tmp_path):
    kill = once(lambda: os.kill(cluster.worker_processes()[0], signal.SIGKILL))
    found = sweep(**ASKED, cluster=cluster.address, output=tmp_path / "s.csv", report=kill)
    assert [untimed(row) for row in found] == [untimed(row) for row in rows]
    assert sorted(written.values()) == [1] * DESIGNS
    assert os.listdir(tmp_path) == ["s.csv"]


def test_a_design_that_kills_its_worker_is_a_failed_row_and_the_rest_goes_on(cluster):
    tasks = tasks_of(SweepGrid.parse("2,3,4,5,6", alpha="1/2"))
    choice = workers_for(cluster=cluster.address)
    found = {row.n: row for row in run_sweep(tasks, workers=choice, work=accident_prone)}
    assert found[3].status == "failed: its process died (out of memory?)"
    assert found[4].status == "failed: unexpected ZeroDivisionError: somebody's mistake"
    assert [found[n].score_exact for n in (2, 5, 6)] == ["2/3"] * 3


def test_a_killed_scheduler_is_one_line_and_the_same_command_goes_on(rows, written, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "dask"
    folder.mkdir()
    with dask_processes(folder) as processes:
        with pytest.raises(ClusterError) as caught:
            sweep(**ASKED, cluster=processes.address, output="s.csv", report=once(processes.kill_scheduler))
        kept = sum(written.values())
        assert 3 <= kept < DESIGNS
        goes_on = f"{kept} of {DESIGNS} designs are kept in s.csv.journal; the same command goes on from there"
        lost = f"cluster must stay until all is done, got no answer any more from {processes.address}"
        assert str(caught.value) == f"{lost}; {goes_on}"
    monkeypatch.setattr(dask_opening, "CONNECT_SECONDS", 1)
    mechdesign = make_runner(capsys)
    seen = mechdesign("sweep", *ARGUMENTS, "--cluster", processes.address)
    assert seen.code == 1
    absent = f"--cluster must be a Dask scheduler that answers within 1 s, got none at {processes.address}"
    assert seen.err.splitlines()[1:] == [f"mechdesign: {absent}; {goes_on}"]
    seen = mechdesign("sweep", *ARGUMENTS)
    assert (seen.code, seen.out) == (0, "")
    assert seen.err.splitlines() == [
        f"going on: {kept} of {DESIGNS} designs are in s.csv.journal already",
        "wrote s.csv",
    ]
    assert sorted(written.values()) == [1] * DESIGNS
    assert [untimed(row) for row in sweep(**ASKED)] == [untimed(row) for row in rows]


def test_a_cluster_that_is_not_there_leaves_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dask_opening, "CONNECT_SECONDS", 0.5)
    seen = make_runner(capsys)("sweep", *ARGUMENTS, "--cluster", "127.0.0.1:1")
    assert (seen.code, seen.out) == (1, "")
    check_wording(seen.err)
    assert os.listdir(tmp_path) == []
