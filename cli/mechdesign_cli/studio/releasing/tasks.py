"""Tasks of the Release panel in a worker: quote, draw, results, completion, removal."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from mechdesign_cli.endings import BAD_INPUT, NO
from mechdesign_cli.studio.command_line import CommandLine
from mechdesign_cli.studio.running import progress_to, run_steps
from mechdesign_cli.studio.steps import Step
from mechdesign_studio.workers.work import Emit, Ending

if TYPE_CHECKING:  # only workers do these tasks
    from mechdesign.releases.quoting import ReleaseQuote
    from mechdesign_cli.studio.releasing.release_store import ReleaseStore

NO_FOLDER = "no-folder"
"""The folder of a quote where none of releases is chosen; it goes with the job's own, in which it is."""

ANYWHERE = ("--output", "released.csv", "--record", "record.json")
"""Where nothing is written: what counts is that there is a record."""

FORECAST_SECONDS = 5.0
"""Work on designs up to which a quote says what errors are to be expected."""

NO_TEXTS = ("", "0", "1")


@dataclass(frozen=True)
class ReleaseTask:
    """One task in a folder of releases: the step of `mechdesign release`, a release's name, or, to draw one, both.

    A quote needs no folder.

    The step has every option but those of the files that are written.
    """

    folder: Path | None
    action: str
    step: Step | None = None
    name: str | None = None


def run_release(task: ReleaseTask, ledger: Path | None, line: CommandLine, emit: Emit) -> Ending:
    """Run a task; an error of the input, of the budget, or of the disk, ends it as `failed` with one line."""
    from mechdesign.errors import InputError, NoAnswerError
    from mechdesign_cli.studio.releasing.release_store import ReleaseStore

    try:
        store = ReleaseStore(_folder_of(task), ledger)
        if task.action == "draw":
            return _draw(task, store, line, emit)
        if task.action == "quote":
            return Ending("done", _quote(task, store, line, emit))
        return Ending("done", _of_name(task, store))
    except (InputError, NoAnswerError) as error:
        code = BAD_INPUT if isinstance(error, InputError) else NO
        texts = [] if task.step is None else two_texts(task.step.options)
        return Ending("failed", {"step": 0, "code": code, "message": str(error), "texts": texts, "steps": []})


def _folder_of(task: ReleaseTask) -> Path:
    if task.folder is not None:
        return task.folder
    folder = Path(NO_FOLDER)
    folder.mkdir()
    return folder


def two_texts(options: Mapping[str, Any]) -> list[str]:
    """List the two texts of the column of yes and no, where they were not named; nothing where it has no such two."""
    from mechdesign.documents.sources import open_table
    from mechdesign.errors import InputError
    from mechdesign.releases.microdata import BitColumn

    found: set[str] = set()
    try:
        with open_table(Path(options["input"])) as source:
            column = BitColumn.find(str(options["bit"]), source.header, options["input"])
            for row in source.rows:
                text = row[column.position]
                found.add(text)
                if column.yes is not None or len(found) > 2 or "/" in text or text.strip() in NO_TEXTS:
                    return []
    except (InputError, KeyError):
        return []
    return sorted(found) if len(found) == 2 else []


class QuotableRelease(Protocol):
    """The fields of the record of `mechdesign release` that a quote needs."""

    def quote(self, key: bytes, show: Callable[[int], None], patience: float | None) -> "ReleaseQuote":
        """Say what it would spend; with `patience` seconds for designs also what comes of it."""


def quote(step: Step, key: bytes, line: CommandLine, emit: Emit, patience: float | None = None) -> "ReleaseQuote":
    """Say what the release of a step would spend; its input lies in the working folder.

    With `patience` seconds for designs it has a forecast.

    Raises:
        InputError: as `mechdesign release` for the same options, and for what the input is unfit for.
    """
    from mechdesign.errors import InputError
    from mechdesign_cli.showing.messages import drop_remarks
    from mechdesign_cli.showing.progress import heard_by, progress_after_a_second
    from mechdesign_cli.studio.python_text import record_of_step

    whole = replace(step, words=(*step.words, *ANYWHERE))
    release = cast(QuotableRelease, record_of_step(whole, line))
    file = Path(step.options["input"])
    try:
        with heard_by(progress_to(emit)), progress_after_a_second("counting", file.stat().st_size) as show:
            return release.quote(key, show, patience)
    except OSError as error:
        raise InputError(f"input must be a readable file, got {file} ({error.strerror})") from None
    finally:
        drop_remarks()


def _quote(task: ReleaseTask, store: "ReleaseStore", line: CommandLine, emit: Emit) -> dict[str, Any]:
    from mechdesign.problem.privacy import loss_text

    assert task.step is not None
    store.require_dataset(task.step.options)
    found = quote(task.step, store.key(), line, emit, FORECAST_SECONDS)
    assert found.forecast is not None
    told = {name: getattr(found.forecast, name) for name in ("errors", "record_bytes", "is_made", "obstacle")}
    earlier = [
        {name: one[name] for name in ("release", "asked", "quote", "discarded")}
        for one in store.of_input(found.input_hmac)
    ]
    name, is_there = store.place(found)
    spent = (
        loss_text(prod((Fraction(one["quote"]["alpha"]) for one in earlier), start=Fraction(1))) if earlier else None
    )
    budget = store.budget(name, found, task.step.options, is_there)
    said = {"quote": found.entries(), "release": name, "is_there": is_there, "earlier": earlier, "spent": spent}
    return {**said, "budget": budget, "forecast": told}


def _draw(task: ReleaseTask, store: "ReleaseStore", line: CommandLine, emit: Emit) -> Ending:
    from mechdesign_cli.studio.python_text import python_text
    from mechdesign_cli.studio.releasing.release_store import ReleaseRequest

    step = task.step
    assert step is not None
    assert task.name is not None
    found = quote(step, store.key(), line, emit)
    ended: list[tuple[tuple[str, ...], Ending]] = []

    def release(words: list[str]) -> int:
        whole = Step("release", (*step.words, *words))
        ended.append((whole.words, run_steps((whole,), line, emit)))
        ending = ended[0][1]
        code: int = ending.data["code"] if ending.kind == "failed" else ending.data["steps"][0]["code"]
        return code

    options = {name: value for name, value in step.options.items() if name != "input"}
    drawn = store.draw(
        task.name, ReleaseRequest(found, str(step.options["input"]), options), lambda words: release(list(words))
    )
    words, ending = ended[0]
    if ending.kind == "failed":
        return ending
    remarks = ending.data["steps"][0]["remarks"]
    python = python_text([Step("release", words)], line)
    typed = shlex.join(["mechdesign", *words])
    said = {"release": drawn.name, "was_there": drawn.was_there, "quote": found.entries()}
    return Ending("done", {**said, "remarks": remarks, "lines": [typed], "python": python})


def _of_name(task: ReleaseTask, store: "ReleaseStore") -> dict[str, Any]:
    assert task.name is not None
    if task.action == "results":
        from mechdesign_cli.studio.releasing.results import release_results

        return {"release": task.name, **release_results(*store.drawn(task.name))}
    if task.action == "finish":
        return {"release": task.name, "drawn": store.finish(task.name)}
    store.discard(task.name)
    return {"release": task.name, "drawn": False}
