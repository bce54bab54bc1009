"""Requests of the Release panel: the action, and the release or its options."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mechdesign.errors import InputError, quote
from mechdesign_cli.studio.options_table import Command
from mechdesign_cli.studio.releasing.tasks import ReleaseTask
from mechdesign_cli.studio.steps import Step, read_steps
from mechdesign_studio.releases.folder import NAME
from mechdesign_studio.workers.work import Order

OPTIONS = (
    *("input", "bit", "category", "group", "unit", "unit-column", "column", "size"),
    *("mechanism", "alpha", "epsilon", "props", "loss", "prior", "intervals"),
)
"""Options of `mechdesign release` that the page may give; the studio itself states where output and record go."""

PAYING = ("dataset", "part")
"""Those that it may give besides, where a ledger pays."""


def offered(command: Command, pays: bool) -> Command:
    """Return the release command with what the page may give alone; `pays` tells whether there is a ledger."""
    return replace(command, options={name: command.options[name] for name in (*OPTIONS, *(PAYING if pays else ()))})


SIMULATING = (*OPTIONS, "output", "record", "statement", "seed")
"""Options of a release that is a simulation: it goes into the job's own folder, with a seed, and no ledger pays."""


def simulated(command: Command) -> Command:
    """Return the release command with what a simulation may give alone."""
    return replace(command, options={name: command.options[name] for name in SIMULATING})


def require_simulation(steps: Sequence[Step]) -> None:
    """Refuse a release that would be a real one.

    Raises:
        InputError: where a step releases without a seed.
    """
    if any(step.command == "release" and "seed" not in step.options for step in steps):
        raise InputError(
            "release must have a seed among the steps of a job, got none; real ones have a panel of their own"
        )


def read_release(
    action: str, request: object, folder: Path | None, command: Command | None, uploads: Mapping[str, str]
) -> Order:
    """Make an order of an action of the Release panel.

    Args:
        action: `quote` goes with `{"options": ..}`, `finish`, `discard` and `results` with `{"release": NAME}`, and
            `draw` with both, the name being the one that the quote gave: no name is drawn twice.
        request: the JSON value of the request.
        folder: that of the releases; None where there is none yet, for a quote.
        command: the release command as it is offered; needed for options.
        uploads: the name of each upload by its id.

    Raises:
        InputError: for anything else.
    """
    if not isinstance(request, dict):
        raise InputError("request must be an object, got another value")
    keys = {"quote": {"options"}, "draw": {"options", "release"}}.get(action, {"release"})
    if set(request) != keys:
        raise InputError(f"request must have {' and '.join(sorted(keys))}, and nothing else")
    name = request.get("release")
    if "release" in keys and (not isinstance(name, str) or not NAME.fullmatch(name)):
        raise InputError(f"release must be one that the studio named, got {quote(name)}")
    if "options" not in keys:
        return Order(ReleaseTask(folder, action, name=name), ())
    assert command is not None
    found = read_steps([{"command": "release", "options": request["options"]}], {"release": command}, uploads)
    step = found.steps[0]
    if "input" not in step.options:
        raise InputError("input must be a file that was uploaded, got none")
    return Order(ReleaseTask(folder, action, step, name), (step.line,), found.links)
