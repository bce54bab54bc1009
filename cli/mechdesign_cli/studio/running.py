"""Runs of steps in a worker, by the console script's own `run`.

Output is caught, and remarks are passed on.
"""

import io
import json
import re
import time
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from mechdesign_cli.endings import DONE, NO
from mechdesign_cli.showing.messages import Kind, remarks_to
from mechdesign_cli.studio.command_line import CommandLine
from mechdesign_cli.studio.steps import Step
from mechdesign_studio.workers.work import Emit, Ending

PROGRESS_SECONDS = 0.1
"""At most so often a job tells how far it is."""

LONGEST_OUTPUT = 64 * 2**20
MOST_REMARKS = 200
PREFIX = "mechdesign: "
_OPTIONS = re.compile(r"^(give )?--[a-z-]+( (or|and) --[a-z-]+)*")


def run_steps(steps: tuple[Step, ...], line: CommandLine, emit: Emit) -> Ending:
    """Run steps one after the other, until one fails; a verdict (exit code 1 with output) is no failure."""
    from mechdesign_cli.showing.progress import heard_by
    from mechdesign_cli.studio.python_text import python_text

    ended: list[dict[str, Any]] = []
    for number, step in enumerate(steps):
        output, remarks = _Output(), _Remarks(emit)
        with redirect_stdout(output), redirect_stderr(remarks), remarks_to(remarks.hear), heard_by(progress_to(emit)):
            code = line.run(list(step.words))
        text = output.getvalue()
        said = remarks.all()
        if code not in (DONE, NO) or (code == NO and not text):
            message = _of_fields(said.pop().removeprefix(PREFIX)) if said else f"command ended with exit code {code}"
            return Ending("failed", {"step": number, "code": code, "message": message, "steps": ended})
        document = _document(text)
        ended.append(
            {"code": code, "document": document, "text": "" if document is not None else text, "remarks": said}
        )
    return Ending("done", {"python": python_text(steps, line), "steps": ended})


def _of_fields(message: str) -> str:
    """Name what a message is about as the page's fields do, where it begins with an option."""
    return _OPTIONS.sub(lambda found: found[0].replace("--", "").replace("-", " "), message)


def _document(text: str) -> Any:
    """What a command's output says where it is JSON; None where it is not."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return None


class _Output(io.StringIO):
    """Standard output of a step, as long as memory allows."""

    def write(self, text: str) -> int:
        if self.tell() + len(text) > LONGEST_OUTPUT:
            raise OSError(27, f"more than {LONGEST_OUTPUT:,} letters")
        return super().write(text)


class _Remarks(io.StringIO):
    """Remarks of a step, and what else comes on standard error: each line is passed on at once and kept."""

    def __init__(self, emit: Emit) -> None:
        super().__init__()
        self._emit = emit
        self._begun = ""
        self._lines: list[str] = []

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            self._add(line)
        return len(text)

    def all(self) -> list[str]:
        """Return the remarks, the last one too if its line has no end."""
        self._add(self._begun)
        self._begun = ""
        return self._lines

    def hear(self, text: str, kind: Kind) -> None:
        """Take a remark, with what it is about."""
        for line in text.splitlines():
            self._add(line, kind)

    def _add(self, line: str, kind: Kind = Kind.NOTE) -> None:
        if line.strip():
            self._lines = [*self._lines, line.strip()][-MOST_REMARKS:]
            if not line.startswith(PREFIX):
                self._emit("remark", {"text": line.strip(), "code": kind.value, "audience": kind.audience})


def progress_to(emit: Emit) -> Any:
    """Return a listener that passes on how far the work is, not too often; the beginning and the end always."""
    last = [0.0]

    def listen(label: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if done == 0 or done == total or now - last[0] >= PROGRESS_SECONDS:
            last[0] = now
            data: Mapping[str, Any] = {"label": label, "done": done, "total": total}
            emit("progress", data)

    return listen
