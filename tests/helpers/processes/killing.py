"""Commands of the product, killed or held at any call by which they change a file.

`Launcher.run` tells the calls of an undisturbed run: opening for writing, writing, truncating, forcing to the disk,
renaming, linking, unlinking, changing the mode, of files in the working folder, by whatever library. `killed` sends a
real SIGKILL before or after one of them. `held` lets others run while the command stands at one.

Between one such call and the next nothing changes on the disk, so being killed before each and after the last
(`moments`) is being killed anywhere. What a kill leaves does not hang on what was forced to the disk, and that SQLite
rolls a transaction back from any page of it is left to SQLite: `changes` are the moments that differ otherwise.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import system_calls

KILLED = -9
SYNCS = ("fsync", "fdatasync")
PAGEWISE = ("openat", "pwrite64")
"""Calls of which several in a row on one file are one step of SQLite: its pages follow one another."""


@dataclass(frozen=True)
class Ran:
    """A command's outcome: exit code (`KILLED` after SIGKILL), output, and calls on files.

    The calls are those that changed files.
    """

    code: int
    out: str
    err: str
    events: tuple[str, ...]

    @property
    def moments(self) -> list[tuple[int, str]]:
        """Every moment at which being killed can make a difference."""
        count = len(self.events)
        return [*((number, "before") for number in range(1, count + 1)), (count, "after")]

    @property
    def changes(self) -> list[tuple[int, str]]:
        """The moments that leave other files behind; of a step of SQLite the first."""
        kept, last = [], None
        for number, event in enumerate(self.events, 1):
            if not event.startswith(SYNCS):
                now = step(event)
                if now is None or now != last:
                    kept.append((number, "before"))
                last = now
        return [*kept, (len(self.events), "after")]


def step(event: str) -> str | None:
    """Name the step of SQLite that a call belongs to, a journal or the pages of a database; None for any other call."""
    call, file = event.split(" ", 1)
    if file.endswith("-journal") and call != "unlink":
        return file
    return event if call in PAGEWISE else None


class Launcher:
    """A process that forks a child for each command; a command runs in the present working folder."""

    def __init__(self) -> None:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "100"}
        self._server = subprocess.Popen(
            [sys.executable, system_calls.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, *arguments: object) -> Ran:
        """Run a command to its end."""
        return self._ask(arguments)

    def killed(self, number: int, moment: str, *arguments: object) -> Ran:
        """Run a command and kill it "before" or "after" its call of this number, from 1."""
        return self._ask(arguments, number, moment)

    @contextmanager
    def held(self, number: int, moment: str, *arguments: object) -> Iterator[Callable[[], Ran]]:
        """Let a command stand at that call; the function that is given lets it go on, and tells what it did."""
        self._send(arguments, number, moment, hold=True)
        self._receive()
        ended: list[Ran] = []

        def let_go() -> Ran:
            if not ended:
                self._write({})
                ended.append(self._ran())
            return ended[0]

        try:
            yield let_go
        finally:
            let_go()

    def __enter__(self) -> "Launcher":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate()

    def _ask(self, arguments: Sequence[object], number: int | None = None, moment: str = "before") -> Ran:
        self._send(arguments, number, moment)
        return self._ran()

    def _send(
        self, arguments: Sequence[object], number: int | None = None, moment: str = "before", hold: bool = False
    ) -> None:
        assert moment in ("before", "after")
        asked = {"arguments": [str(one) for one in arguments], "folder": str(Path.cwd())}
        self._write({**asked, "number": number, "moment": moment, "hold": hold})

    def _write(self, request: dict[str, object]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        line = self._server.stdout.readline()
        assert line, "the launcher ended; its last words are on standard error"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _ran(self) -> Ran:
        answer = self._receive()
        return Ran(answer["code"], answer["out"], answer["err"], tuple(answer["events"]))
