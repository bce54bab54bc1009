"""Nothing outlives a studio: no process and no file, however it ends; and a worker's end is not the studio's."""

import itertools
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from studios import wait_until

ENDS = {signal.SIGINT: -2, signal.SIGTERM: -15, signal.SIGHUP: -1, signal.SIGKILL: -9}


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDS, ids=lambda number: signal.Signals(number).name)
def test_no_process_and_no_file_outlives_a_studio(new_tasks, number):
    studio = new_tasks().open()
    upload = studio.client.post("/api/uploads?name=a.csv", content=b"a,b\n").json()["upload"]
    job = studio.job([["start", 0], ["write", "secret.txt"], ["read", upload], ["sleep", 600]])
    spinning = studio.job([["spin", 10**11]], panel="check")  # nothing in that process can notice anything
    studio.await_state(job, "running")
    studio.await_state(spinning, "running")
    sleeper = next(int(data["text"]) for _, data in studio.events(f"/api/jobs/{job}/events") if "text" in data)
    wait_until(lambda: list(studio.homes()[0].rglob("secret.txt")) != [])
    assert sleeper in studio.processes()
    assert len(studio.processes()) >= 5  # the studio, its guard, two workers, what one of them started
    assert studio.homes()[0].stat().st_mode & 0o077 == 0
    assert studio.end(number) == ENDS[number]
    wait_until(lambda: not studio.processes())
    assert studio.homes() == []
    assert "Traceback" not in studio.remarks


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: signal.Signals(number).name)
def test_a_guard_that_is_killed_is_replaced(new_tasks, number):
    studio = new_tasks().open()
    home = studio.homes()[0]
    studio.client.post("/api/uploads?name=a.csv", content=b"a,b\n")
    first = guard_of(studio, home)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: guard_of(studio, home) not in (None, first))
    assert studio.run([])["kind"] == "done"
    studio.end(number)
    wait_until(lambda: not studio.processes())
    assert studio.homes() == []


REMARKS = "the studio serves this machine alone; Ctrl-C ends it\n"
"""What is said at the start."""


def guard_of(studio, home):
    """The process whose command line names the studio's folder, None where there is none."""
    for number in studio.processes():
        with suppress(OSError):
            if str(home).encode() in Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0"):
                return number
    return None


@pytest.mark.slow
def test_ctrl_c_ends_it_at_any_moment_with_nothing_said(new_tasks):
    for delay in (0, 0.06, 0.15):
        studio = new_tasks()
        time.sleep(delay)
        assert studio.interrupt() == -2
        assert studio.remarks in ("", REMARKS)
        wait_until(lambda studio=studio: not studio.processes())
        assert studio.homes() == []


@pytest.mark.slow
def test_open_streams_do_not_hold_it_up(new_tasks):
    studio = new_tasks().open()
    job = studio.job([["start", 0], ["sleep", 600]])
    streams = [studio.events("/api/pages/page/events"), studio.events(f"/api/jobs/{job}/events")]
    assert [next(stream)[1]["kind"] for stream in streams] == ["started", "started"]
    assert studio.interrupt() == -2
    wait_until(lambda: not studio.processes())


@pytest.mark.slow
def test_a_cancelled_job_leaves_no_process_of_its_own(tasks):
    job = tasks.job([["start", 0], ["sleep", 600]])
    sleeper = next(int(data["text"]) for _, data in tasks.events(f"/api/jobs/{job}/events") if "text" in data)
    worker = os.getpgid(sleeper)
    assert {sleeper, worker} <= tasks.processes()
    assert tasks.client.delete(f"/api/jobs/{job}").status_code == 204
    wait_until(lambda: not {sleeper, worker} & tasks.processes())
    assert tasks.end_of(job)["kind"] == "cancelled"
    assert tasks.run([])["kind"] == "done"


@pytest.mark.parametrize(
    ("task", "words"),
    [
        pytest.param(["die", signal.SIGKILL], "death by signal 9", id="killed"),
        pytest.param(["die", signal.SIGABRT], "death by signal 6", id="aborted"),
        pytest.param(["leave", 3], "death by exit code 3", id="left"),
        pytest.param(["fail", "oh"], "unexpected ValueError: oh", id="failed"),
    ],
)
def test_a_worker_that_dies_fails_its_job_and_no_other(tasks, task, words):
    end = tasks.run([["start", 0], task])
    assert end["kind"] == "failed"
    assert end["code"] == 70
    assert words in end["message"]
    assert tasks.run([])["kind"] == "done"
    assert "Traceback" not in tasks.remarks


@pytest.mark.slow
@pytest.mark.parametrize("way", ["start", "fork"])
def test_what_a_dead_worker_started_dies_with_it(tasks, way):
    job = tasks.job([[way, 0], ["die", signal.SIGKILL]])
    told = [data for _, data in tasks.events(f"/api/jobs/{job}/events")]
    sleeper = next(int(data["text"]) for data in told if "text" in data)
    assert told[-1]["kind"] == "failed"
    wait_until(lambda: sleeper not in tasks.processes())


def test_workers_go_first_where_memory_ends(tasks):
    worker = tasks.run([])["said"][0]
    with open(f"/proc/{worker}/oom_score_adj") as own, open(f"/proc/{tasks.process.pid}/oom_score_adj") as of_studio:
        assert int(own.read()) > int(of_studio.read())


@pytest.mark.slow
def test_a_worker_that_has_had_much_memory_is_replaced_after_its_job(tasks):
    end = tasks.run([["hold", 2**28]])
    assert end["kind"] == "done"
    small = tasks.run([["hold", 10]])
    assert small["kind"] == "done"
    wait_until(lambda: end["said"][0] not in tasks.processes())


@pytest.mark.slow
def test_jobs_of_a_page_that_is_closed_end(tasks):
    job = tasks.job([["start", 0], ["sleep", 600]], page="closed")
    for _, data in tasks.events("/api/pages/closed/events"):
        if data["kind"] == "remark":
            break
    assert tasks.end_of(job)["kind"] == "cancelled"


@pytest.mark.slow
def test_a_page_that_asks_again_and_again_is_told_what_there_is_and_keeps_its_jobs(tasks):
    job = tasks.job([["start", 0], ["sleep", 0.6]], page="asks")
    kinds: list[str] = []
    last = 0
    while kinds[-1:] != ["done"]:  # as far apart as a page that listens would be given up
        told = list(tasks.events("/api/pages/asks/events?once", last=last))
        kinds += [data["kind"] for _, data in told]
        last = max([last, *(number for number, _ in told)])
        time.sleep(0.25)
    assert kinds == ["started", "remark", "done"]
    assert tasks.end_of(job)["kind"] == "done"


@pytest.mark.slow
def test_jobs_of_a_page_that_comes_back_go_on(tasks):
    job = tasks.job([["start", 0], ["sleep", 0.6]], page="returns")
    streams = iter([tasks.events("/api/pages/returns/events"), tasks.events("/api/pages/returns/events")])
    next(next(streams))
    kinds = [data["kind"] for _, data in itertools.takewhile(lambda event: event[1]["kind"] != "done", next(streams))]
    assert kinds == ["started", "remark"]
    assert tasks.end_of(job)["kind"] == "done"
