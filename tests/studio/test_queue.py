"""What supersedes what, moment by moment: the queue with workers that a test drives, and a clock that it sets."""

import asyncio
from types import SimpleNamespace

import pytest

from mechdesign_studio import jobs as module
from mechdesign_studio.feeds import Feeds
from mechdesign_studio.jobs import GRACE, Jobs
from mechdesign_studio.uploads import Uploads
from mechdesign_studio.workers.work import Order


class Hand:
    """A worker that does nothing until the test says that it has ended."""

    def __init__(self):
        self.payload = None

    def tell(self, _task, payload, _folder):
        self.payload = payload


class Hands:
    """Two of them; one that is ended is free at once, as a new one in its place."""

    def __init__(self, _work, _home, _boss):
        self.all = [Hand(), Hand()]
        self.killed = []

    def free(self):
        return next((hand for hand in self.all if hand.payload is None), None)

    def end(self, hand):
        self.killed.append(hand.payload)
        hand.payload = None


class Folders:
    def __init__(self, path):
        self.jobs = path


class Queue:
    """The queue under test; jobs are called by their payloads."""

    def __init__(self, path, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(module, "WorkerPool", Hands)
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.now))
        self.jobs = Jobs(None, Folders(path), Uploads(path), Feeds())
        self.by_name = {}

    def add(self, name, panel="design", page="page"):
        self.by_name[name] = self.jobs.add(page, panel, Order(name, (name,)))

    def finish(self, name):
        hand = next(hand for hand in self.jobs.pool.all if hand.payload == name)
        hand.payload = None
        self.jobs.worker_says(hand, "end", "done", "{}")

    async def grow_old(self, seconds):
        self.now += seconds
        await asyncio.sleep(0.01)

    @property
    def running(self):
        return {hand.payload for hand in self.jobs.pool.all} - {None}

    @property
    def states(self):
        return {name: job.state for name, job in self.by_name.items()}


@pytest.fixture
def in_queue(tmp_path, monkeypatch):
    def run(scenario):
        async def go():
            await scenario(Queue(tmp_path, monkeypatch))

        asyncio.run(go())

    return run


def test_a_young_job_finishes_and_of_those_that_wait_the_newest_alone_runs(in_queue):
    async def scenario(queue):
        for number in range(20):
            queue.add(f"drag {number}")
        assert queue.running == {"drag 0"}
        queue.finish("drag 0")
        assert queue.running == {"drag 19"}
        queue.finish("drag 19")
        dropped = [name for name, state in queue.states.items() if state == "superseded"]
        assert dropped == [f"drag {number}" for number in range(1, 19)]
        assert queue.jobs.pool.killed == []

    in_queue(scenario)


def test_an_old_job_is_killed_when_a_newer_one_comes(in_queue):
    async def scenario(queue):
        queue.add("old")
        await queue.grow_old(GRACE * 1.01)
        queue.add("new")
        await queue.grow_old(0)
        assert queue.jobs.pool.killed == ["old"]
        assert queue.states == {"old": "superseded", "new": "running"}

    in_queue(scenario)


def test_a_job_that_grows_old_is_killed_only_where_a_newer_one_waits(in_queue, monkeypatch):
    monkeypatch.setattr(module, "GRACE", 0.1)

    async def scenario(queue):
        queue.add("alone")
        queue.add("of another panel", panel="check")
        await asyncio.sleep(0.12)
        assert queue.jobs.pool.killed == []
        queue.finish("alone")
        queue.add("young")
        queue.add("waits")
        assert queue.running == {"young", "of another panel"}
        await asyncio.sleep(0.12)
        assert queue.jobs.pool.killed == ["young"]
        assert queue.running == {"waits", "of another panel"}

    in_queue(scenario)


def test_a_job_that_finished_in_time_is_not_killed_later(in_queue, monkeypatch):
    monkeypatch.setattr(module, "GRACE", 0.05)

    async def scenario(queue):
        queue.add("first")
        queue.add("second")
        queue.finish("first")
        queue.add("third")
        queue.finish("second")
        await asyncio.sleep(0.1)
        assert queue.jobs.pool.killed == []
        assert queue.states == {"first": "done", "second": "done", "third": "running"}

    in_queue(scenario)


def test_who_waits_longest_is_next_and_a_panel_never_has_two(in_queue):
    async def scenario(queue):
        queue.add("a", panel="one")
        queue.add("b", panel="two")
        queue.add("c", panel="three")
        queue.add("d", panel="one", page="another")
        queue.add("e", panel="one")
        queue.finish("b")
        assert queue.running == {"a", "c"}
        queue.finish("c")
        assert queue.running == {"a", "d"}
        queue.finish("d")
        assert queue.running == {"a"}
        queue.finish("a")
        assert queue.running == {"e"}

    in_queue(scenario)


def test_of_a_page_that_goes_nothing_starts_any_more(in_queue):
    async def scenario(queue):
        for name in "abcd":
            queue.add(name, panel=name)
        queue.add("e", panel="e", page="another")
        queue.jobs.cancel_page("page")
        assert queue.jobs.pool.killed == ["a", "b"]
        assert queue.running == {"e"}
        assert [queue.states[name] for name in "abcd"] == ["cancelled"] * 4

    in_queue(scenario)


def test_an_upload_that_is_gone_when_its_job_begins_fails_it(in_queue):
    async def scenario(queue):
        queue.jobs.add("page", "check", Order("x", ("x",), {"a.csv": "gone"}))
        (job,) = queue.jobs.of_page("page")
        assert job.state == "failed"
        assert "upload must be there when its job begins, got a.csv" in job.last
        assert queue.running == set()

    in_queue(scenario)
