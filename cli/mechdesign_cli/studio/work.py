"""The work that the studio is handed, put together."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mechdesign.documents.unnamed import scratch_files
from mechdesign_cli.studio.command_line import CommandLine
from mechdesign_cli.studio.facts import FACTS
from mechdesign_cli.studio.options_table import FIRST, Command, find_command, list_commands, list_examples
from mechdesign_cli.studio.releasing.reading import offered, read_release, require_simulation, simulated
from mechdesign_cli.studio.releasing.tasks import ReleaseTask, run_release
from mechdesign_cli.studio.running import run_steps
from mechdesign_cli.studio.steps import Step, read_steps
from mechdesign_studio.workers.work import Emit, Ending, Order, ReleaseWork, Work

WIDTH = "100"
"""Columns of what commands print for people."""


@dataclass(frozen=True)
class Learnt:
    """A worker's news for the server: the commands, and choices of forms.

    Those of the Design panel come first.
    """

    commands: Mapping[str, Command]
    choices: Mapping[str, Any]
    release: Command | None = None
    is_all: bool = False


def make_work(line: CommandLine, release_folder: Path | None = None, ledger: Path | None = None) -> Work:
    """Make the studio's work of a command line.

    Releases go into a folder that the office or its page chose, and are paid by the office's ledger, if it keeps one.
    """
    tasks = Tasks(line, ledger)
    releases = ReleaseWork(release_folder, read_of_release)
    return Work(tasks.warm, (tasks.learn_first, tasks.learn_all), choices, read, tasks.run, releases, FACTS)


@dataclass(frozen=True)
class Tasks:
    """The tasks of workers."""

    line: CommandLine
    ledger: Path | None = None

    def warm(self) -> None:
        """Design a small mechanism, so that everything it needs is there for the next one."""
        _settle()
        for name in FIRST:
            self.line.record(name)
        options = ("--n", "3", "--alpha", "9/10", "--props", "WH,CM", "--json")
        run_steps((Step("solve", ("solve", *options)),), self.line, _to_nobody)

    def learn_first(self) -> Learnt:
        """Import what the Design panel needs, and list it."""
        from mechdesign_cli.studio.choices import list_first_choices

        _settle()
        commands = list_commands(self.line, FIRST)
        return Learnt(commands, list_first_choices(commands, self.ledger))

    def learn_all(self) -> Learnt:
        """Import every command, and list what there is."""
        from mechdesign_cli.studio.choices import list_first_choices, list_other_choices

        _settle()
        commands = list_commands(self.line)
        release = find_command("release", self.line, withheld=frozenset())
        real = offered(release, self.ledger is not None)
        offered_commands = {**commands, "release": real}
        found = {
            **list_first_choices(offered_commands, self.ledger),
            **list_other_choices(),
            "elsewhere": list_examples(self.line),
        }
        return Learnt({**commands, "release": simulated(release)}, found, real, is_all=True)

    def run(self, payload: object, _folder: Path, emit: Emit) -> Ending:
        """Run an order's steps in a worker, in the job's folder."""
        if isinstance(payload, ReleaseTask):
            return run_release(payload, self.ledger, self.line, emit)
        assert isinstance(payload, tuple)
        with scratch_files():  # the job's folder goes with the studio
            ending = run_steps(payload, self.line, emit)
        if any(step.command == "release" for step in payload):
            from mechdesign_cli.studio.releasing.results import with_results

            return with_results(payload, ending)
        return ending


def _settle() -> None:
    """Make a worker's surroundings those of the page: lines of one width, no network."""
    os.environ.update(COLUMNS=WIDTH, MECHDESIGN_OFFLINE="1")


def _to_nobody(_kind: str, _data: Mapping[str, Any]) -> None:
    """Tell nobody."""


def choices(learnt: object) -> dict[str, Any]:
    """Return the document of `GET /api/choices`, as far as it is known."""
    assert isinstance(learnt, Learnt)
    return dict(learnt.choices)


def read(request: object, learnt: object, uploads: Mapping[str, str]) -> Order | None:
    """Make an order of the steps of a request; None where a step's command is not known yet, or is none at all."""
    assert isinstance(learnt, Learnt)
    if not learnt.is_all and not _commands_of(request) <= learnt.commands.keys():
        return None
    found = read_steps(request, learnt.commands, uploads)
    require_simulation(found.steps)
    return Order(found.steps, tuple(step.line for step in found.steps), found.links)


def _commands_of(request: object) -> set[str]:
    """The commands that a request's steps name, whatever else is wrong with it."""
    steps = [step for step in request if isinstance(step, dict)] if isinstance(request, list) else []
    return {str(step.get("command")) for step in steps}


def read_of_release(
    action: str, request: object, folder: Path | None, learnt: object, uploads: Mapping[str, str]
) -> Order | None:
    """Make an order of an action of the Release panel."""
    assert learnt is None or isinstance(learnt, Learnt)
    if learnt is not None and not learnt.is_all:
        return None
    return read_release(action, request, folder, None if learnt is None else learnt.release, uploads)
