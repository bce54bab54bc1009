"""What a studio can do first does not wait for what it learns later."""

import asyncio
import subprocess
import sys

import httpx
import pytest
from studio_tasks import LEARNS_BY
from studios import wait_until
from wording import refused

from mechdesign_cli.app import COMMAND_LINE
from mechdesign_cli.studio.work import choices, make_work, read
from mechdesign_studio.workers.knowledge import Knowledge

SOLVE = {"command": "solve", "arguments": [], "options": {"n": 4, "alpha": "0.9", "json": True}}
LATER = {"command": "estimate", "arguments": ["a.csv"], "options": {}}


@pytest.fixture(scope="module")
def stages() -> list[object]:
    """What is learnt first, and all that is learnt."""
    return [learn() for learn in make_work(COMMAND_LINE).learn]


@pytest.fixture
def slow_tasks(new_tasks, tmp_path, monkeypatch):
    """A studio that learns no more than the first stage before the file `go` is there."""
    monkeypatch.setenv(LEARNS_BY, str(tmp_path / "go"))
    return new_tasks().open()


@pytest.mark.slow
def test_the_first_stage_is_what_the_first_panels_need(stages):
    first, every = stages
    assert read([{"command": "simulate", "options": {"seed": 1}}], first, {}) is not None  # of Start
    assert {"mechdesign solve", "mechdesign landscape", "mechdesign check"} <= choices(first).keys()
    assert {"models", "properties", "families", "losses", "limits"} <= choices(first).keys()
    assert choices(first).items() < choices(every).items()
    order = read([SOLVE, {**LATER, "command": "report"}], first, {})
    assert order is not None
    assert order.lines == ("mechdesign solve --n 4 --alpha 0.9 --json", "mechdesign report a.csv")


@pytest.mark.slow
@pytest.mark.parametrize(
    "steps",
    [[LATER], [SOLVE, LATER], [{"command": "nothing"}], [{"command": None}]],
    ids=["another", "among others", "unknown", "no text"],
)
def test_commands_that_are_not_known_yet_wait(stages, steps):
    assert read(steps, stages[0], {}) is None


@pytest.mark.slow
def test_what_only_later_stages_know_waits_and_nothing_else_does(slow_tasks, tmp_path):
    assert slow_tasks.run([["write", "a.txt"]])["said"][1] == 5
    answer = slow_tasks.client.get("/api/choices?of=pid,opened")
    assert answer.status_code == 200
    assert answer.json().keys() == {"pid", "opened"}
    for request in (["GET", "/api/choices"], ["GET", "/api/choices?of=later"], ["GET", "/api/choices?of=nothing"]):
        with pytest.raises(httpx.ReadTimeout):
            slow_tasks.client.request(*request, timeout=0.3)
    body = {"page": "p", "panel": "design", "steps": [["later", 7]]}
    with pytest.raises(httpx.ReadTimeout):
        slow_tasks.client.post("/api/jobs", json=body, timeout=0.3)
    (tmp_path / "go").touch()
    assert slow_tasks.client.get("/api/choices").json()["later"]
    assert slow_tasks.client.get("/api/choices?of=later").json() == {"later": True}
    assert slow_tasks.run([["later", 7]])["said"][1] == 7
    refused = slow_tasks.client.get("/api/choices?of=nothing")
    assert refused.status_code == 400
    assert "of must be among pid, later, limits, opened, got 'nothing'" in refused.json()["error"]


@pytest.mark.slow
def test_workers_start_one_after_the_other(slow_tasks):
    first = slow_tasks.run([["write", "a.txt"]])["said"][0]
    assert slow_tasks.client.get("/api/choices?of=pid").json()["pid"] == first
    wait_until(lambda: len(slow_tasks.processes()) >= 5)  # studio, guard, resource tracker, two workers


def test_waiting_ends_with_an_error_where_nothing_more_is_learnt():
    async def ask() -> None:
        knowledge = Knowledge(2)
        knowledge.add(0, "first")
        assert await knowledge.first(lambda learnt, is_all: (learnt, is_all)) == ("first", False)
        waiting = asyncio.ensure_future(knowledge.first(lambda _learnt, is_all: is_all or None))
        await asyncio.sleep(0)
        assert knowledge.next_stage == 1
        knowledge.fail()
        with refused(RuntimeError):
            await waiting
        assert knowledge.next_stage is None

    asyncio.run(ask())


@pytest.mark.slow
def test_the_studio_itself_imports_nothing_that_computes():
    code = (
        "import sys, mechdesign_cli.app, mechdesign_cli.commands.tools.studio, mechdesign_cli.studio.work\n"
        "import mechdesign_studio.serving, mechdesign_studio.web_server\n"
        "print({'numpy', 'flint', 'scipy', 'pyarrow', 'rich'} & sys.modules.keys() or 'none')"
    )
    seen = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert seen.stdout == "none\n"


def test_a_worker_makes_each_command_once():
    assert COMMAND_LINE.command("check") is COMMAND_LINE.command("check")
    assert COMMAND_LINE.command("check") is not COMMAND_LINE.command("data")
