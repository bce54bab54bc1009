"""Jobs: what supersedes what, who waits, how they end, what is told of them, and what is kept."""

import threading
import time

import pytest
from studios import PATIENCE, wait_until

from mechdesign_studio.jobs import GRACE, KEPT_OF_A_PANEL, MOST_WAITING


def kinds(studio, job):
    return [data["kind"] for _, data in studio.events(f"/api/jobs/{job}/events")]


def test_a_job_tells_what_happens_to_it(tasks):
    job = tasks.job([["report", 3], ["write", "a.txt"]], page="told")
    told = [data for _, data in tasks.events(f"/api/jobs/{job}/events")]
    assert [data["kind"] for data in told] == ["started", *["progress"] * 3, "done"]
    assert {(data["job"], data["panel"]) for data in told} == {(job, "design")}
    assert told[2] | {"label": "report", "done": 1, "total": 3} == told[2]
    assert told[-1]["files"] == [{"name": "a.txt", "bytes": 5}]
    assert told[-1]["seconds"] >= 0
    state = tasks.client.get(f"/api/jobs/{job}").json()
    assert state["state"] == "done"
    assert state["last"] == told[-1]
    assert state["lines"] == ["report", "write"]


@pytest.mark.slow
def test_a_newer_job_kills_an_old_one_and_drops_one_that_waits(tasks):
    old = tasks.job([["sleep", 600]], page="newer")
    tasks.await_state(old, "running")
    time.sleep(GRACE)
    middle, new = (tasks.job([["say", 1]], page="newer") for _ in range(2))
    assert tasks.end_of(new)["kind"] == "done"
    assert kinds(tasks, old)[-1] == "superseded"
    assert kinds(tasks, middle)[-1] in ("done", "superseded")


@pytest.mark.slow
def test_a_young_job_that_grows_old_while_another_waits_is_killed(tasks):
    begin = time.monotonic()
    first = tasks.job([["sleep", 600]], page="grows")
    second = tasks.job([], page="grows")
    assert tasks.end_of(second)["kind"] == "done"
    assert time.monotonic() - begin > GRACE * 0.9
    assert kinds(tasks, first) == ["started", "superseded"]


@pytest.mark.slow
def test_jobs_of_other_panels_and_pages_do_not_supersede(tasks):
    one = tasks.job([["sleep", 0.3]], page="others", panel="design")
    two = tasks.job([["sleep", 0.3]], page="others", panel="check")
    three = tasks.job([], page="another", panel="design")
    assert [kinds(tasks, job)[-1] for job in (one, two, three)] == ["done"] * 3


@pytest.mark.slow
def test_two_jobs_run_at_a_time_and_each_panel_one(tasks, tmp_path):
    gate = tmp_path / "gate"
    jobs = [tasks.job([["await", str(gate)]], page="two", panel=f"panel{number}") for number in range(3)]
    wait_until(lambda: tasks.client.get(f"/api/jobs/{jobs[1]}").json()["state"] != "waiting")
    assert tasks.client.get(f"/api/jobs/{jobs[2]}").json()["state"] == "waiting"
    gate.touch()
    assert [kinds(tasks, job)[-1] for job in jobs] == ["done"] * 3


def test_a_job_that_waits_is_cancelled_without_a_kill(tasks):
    busy = [tasks.job([["sleep", 600]], page="busy", panel=f"panel{number}") for number in range(2)]
    waiting = tasks.job([], page="busy", panel="waits")
    assert tasks.client.delete(f"/api/jobs/{waiting}").status_code == 204
    assert kinds(tasks, waiting) == ["cancelled"]
    for job in busy:
        tasks.client.delete(f"/api/jobs/{job}")
        assert kinds(tasks, job)[-1] == "cancelled"
        assert tasks.client.delete(f"/api/jobs/{job}").status_code == 204
        assert kinds(tasks, job)[-1] == "cancelled"


@pytest.mark.slow
def test_too_many_that_wait_are_refused(tasks):
    jobs = [tasks.job([["sleep", 600]], page="many", panel=f"busy{number}") for number in range(2)]
    for job in jobs:
        tasks.await_state(job, "running")
    jobs += [tasks.job([], page="many", panel=f"panel{number}") for number in range(MOST_WAITING)]
    answer = tasks.ask([], page="many", panel="more")
    assert answer.status_code == 400
    assert "at most 64" in answer.json()["error"]
    for job in jobs:
        tasks.client.delete(f"/api/jobs/{job}")
    assert tasks.run([])["kind"] == "done"


def test_a_page_that_comes_back_gets_what_it_missed_and_starts_nothing(tasks):
    first = tasks.run([["report", 2]], page="back")
    seen = []
    for number, data in tasks.events("/api/pages/back/events"):
        seen.append(number)
        if data["kind"] == "progress":
            break
    second = tasks.run([["say", 1]], page="back")
    missed = []
    for _, data in tasks.events("/api/pages/back/events", last=seen[-1]):
        missed.append((data["job"], data["kind"]))
        if data["job"] == second["job"] and data["kind"] == "done":
            break
    begin = [(first["job"], "progress"), (first["job"], "done")]
    assert missed == [*begin, (second["job"], "started"), (second["job"], "done")]


def test_a_stream_has_events_as_they_come_and_numbers_that_grow(tasks):
    seen = []

    def listen():
        for number, data in tasks.events("/api/pages/live/events"):
            seen.append((number, data["kind"]))
            if data["kind"] == "done":
                return

    ear = threading.Thread(target=listen)
    ear.start()
    tasks.run([["report", 5]], page="live")
    ear.join(PATIENCE)
    assert [kind for _, kind in seen] == ["started", *["progress"] * 5, "done"]
    assert [number for number, _ in seen] == sorted({number for number, _ in seen})


def test_files_are_kept_for_the_last_jobs_of_a_panel_and_downloads_are_downloads(tasks):
    jobs = [tasks.run([["write", "a.svg"]], page="kept")["job"] for _ in range(KEPT_OF_A_PANEL + 1)]
    assert tasks.client.get(f"/api/jobs/{jobs[0]}").status_code == 404
    for job in jobs[1:]:
        answer = tasks.client.get(f"/api/jobs/{job}/files/a.svg")
        assert answer.text == "a.svg"
        assert answer.headers["content-disposition"] == 'attachment; filename="a.svg"'
    shown = tasks.client.get(f"/api/jobs/{jobs[-1]}/files/a.svg?show")
    assert shown.headers["content-disposition"].startswith("inline")
    assert shown.headers["content-type"] == "image/svg+xml"
    rules = shown.headers["content-security-policy"]
    assert "script-src" not in rules
    assert rules.startswith("default-src 'none'")
    assert "sandbox" in rules
    wait_until(lambda: len(list((tasks.homes()[0] / "jobs").glob(f"*{jobs[0]}*"))) == 0)


@pytest.mark.parametrize("name", ["b.svg", "%2e%2e%2fuploads", "a.svg%00", "-a.svg", "%2e%2e"])
def test_other_files_are_not_given(tasks, name):
    job = tasks.run([["write", "a.svg"]], page="given")["job"]
    assert tasks.client.get(f"/api/jobs/{job}/files/{name}").status_code in (403, 404)


def test_uploads_are_files_of_the_job_and_are_not_what_it_made(tasks):
    first, second = (
        tasks.client.post(f"/api/uploads?name={name}", content=content).json()["upload"]
        for name, content in (("a.csv", b"age\n"), ("b.txt", b"hello"))
    )
    end = tasks.run([["read", first], ["write", "c.txt"], ["read", second]], page="reads")
    assert end["said"][1] == {"a.csv": "age\n", "b.txt": "hello"}
    assert [file["name"] for file in end["files"]] == ["c.txt"]
    assert tasks.client.delete(f"/api/uploads/{first}").status_code == 204
    assert tasks.client.delete(f"/api/uploads/{first}").status_code == 404


@pytest.mark.slow
def test_a_file_without_end_ends_its_job_and_not_the_disk(tasks):
    end = tasks.run([["fill", 2 * 2**30 + 1]], page="fills")
    assert end["kind"] == "failed"
    assert tasks.run([], page="fills")["kind"] == "done"
