"""Do the release panel's tasks in a worker: say what a release would spend, draw it, tell it, finish it, discard it."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mechdesign_cli.endings import BAD_INPUT, NO
from mechdesign_cli.studio.python_text import python_text
from mechdesign_cli.studio.running import run_steps
from mechdesign_cli.studio.steps import Step
from mechdesign_studio.workers.work import Emit, Ending

if TYPE_CHECKING:  # only workers do these tasks
    from mechdesign_cli.studio.releasing.desk import Desk


@dataclass(frozen=True)
class ReleaseTask:
    """One task: the step of `mechdesign release`, the name of a release, or, to draw one, both.

    The step has every option but those of the files that are written.
    """

    action: str
    step: Step | None = None
    name: str | None = None


def run_release(
    task: ReleaseTask, folder: Path, ledger: Path | None, run: Callable[[list[str]], int], emit: Emit
) -> Ending:
    """Run a task; an error of the input, of the budget, or of the disk, ends it as `failed` with one line."""
    from mechdesign.errors import InputError, NoAnswerError
    from mechdesign_cli.studio.releasing.desk import Desk

    try:
        desk = Desk(folder, ledger)
        if task.action == "draw":
            return _draw(task, desk, run, emit)
        if task.action == "quote":
            return Ending("done", _quote(task, desk, emit))
        return Ending("done", _of_name(task, desk))
    except (InputError, NoAnswerError) as error:
        code = BAD_INPUT if isinstance(error, InputError) else NO
        return Ending("failed", {"step": 0, "code": code, "message": str(error), "steps": []})


def _quote(task: ReleaseTask, desk: "Desk", emit: Emit) -> dict[str, Any]:
    from mechdesign.problem.privacy import loss_text
    from mechdesign_cli.studio.releasing.quoting import quote

    assert task.step is not None
    desk.require_dataset(task.step.options)
    found = quote(task.step.options, desk.key(), emit)
    earlier = [
        {name: one[name] for name in ("release", "asked", "quote", "discarded")}
        for one in desk.of_input(found.input_hmac)
    ]
    name, is_there = desk.place(found)
    spent = (
        loss_text(prod((Fraction(one["quote"]["alpha"]) for one in earlier), start=Fraction(1))) if earlier else None
    )
    budget = desk.budget(name, found, task.step.options, is_there)
    said = {"quote": found.entries(), "release": name, "is_there": is_there, "earlier": earlier, "spent": spent}
    return {**said, "budget": budget}


def _draw(task: ReleaseTask, desk: "Desk", run: Callable[[list[str]], int], emit: Emit) -> Ending:
    from mechdesign_cli.studio.releasing.desk import Asked
    from mechdesign_cli.studio.releasing.quoting import quote

    step = task.step
    assert step is not None
    assert task.name is not None
    found = quote(step.options, desk.key(), emit)
    ended: list[tuple[tuple[str, ...], Ending]] = []

    def release(words: list[str]) -> int:
        whole = Step("release", (*step.words, *words))
        ended.append((whole.words, run_steps((whole,), run, emit)))
        ending = ended[0][1]
        code: int = ending.data["code"] if ending.kind == "failed" else ending.data["steps"][0]["code"]
        return code

    options = {name: value for name, value in step.options.items() if name != "input"}
    drawn = desk.draw(task.name, Asked(found, str(step.options["input"]), options), lambda words: release(list(words)))
    words, ending = ended[0]
    if ending.kind == "failed":
        return ending
    remarks = ending.data["steps"][0]["remarks"]
    python = python_text([Step("release", words, (), {**step.options, **_options(words, len(step.words))})])
    line = shlex.join(["mechdesign", *words])
    said = {"release": drawn.name, "was_there": drawn.was_there, "quote": found.entries()}
    return Ending("done", {**said, "remarks": remarks, "lines": [line], "python": python})


def _options(words: tuple[str, ...], start: int) -> Mapping[str, str]:
    """The options that the folder's own words state, a name and a value in turn."""
    own = words[start:]
    return {name.removeprefix("--"): value for name, value in zip(own[::2], own[1::2], strict=True)}


def _of_name(task: ReleaseTask, desk: "Desk") -> dict[str, Any]:
    assert task.name is not None
    if task.action == "results":
        from mechdesign_cli.studio.releasing.results import release_results

        return {"release": task.name, **release_results(*desk.drawn(task.name))}
    if task.action == "finish":
        return {"release": task.name, "drawn": desk.finish(task.name)}
    desk.discard(task.name)
    return {"release": task.name, "drawn": False}
