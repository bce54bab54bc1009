"""Write the steps of a job as Python that gives the same result, for the page to show and people to copy."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from mechdesign_cli.studio.snippets import counts, data, designs, local, tasks
from mechdesign_cli.studio.snippets.snippet import Given, NoPythonError, Snippet

Writer = Callable[[Snippet, Sequence[str], Given], None]

WRITERS: dict[str, Writer] = {
    "solve": designs.solve,
    "report": designs.report,
    "check": designs.check,
    "landscape": designs.landscape,
    "catalog": designs.catalog,
    "compare": counts.compare,
    "estimate": counts.estimate,
    "simulate": counts.simulate,
    "release": counts.release,
    "data": data.data,
    "oracles": local.oracles,
    "compare-oracles": local.compare_oracles,
    "task new": tasks.task_new,
    "task show": tasks.task_show,
    "task receive": tasks.task_receive,
    "privatize": local.privatize,
    "aggregate": local.aggregate,
}


class AnyStep(Protocol):
    """A command with its arguments and options, as the page gave them."""

    @property
    def command(self) -> str:
        """The command."""

    @property
    def arguments(self) -> Sequence[Any]:
        """Its arguments."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Its options by name without dashes: a text, True for a flag, a list where there may be several."""


def python_text(steps: Sequence[AnyStep]) -> str | None:
    """Write steps as one piece of Python; None where a step has no counterpart in Python.

    Only public names are used. A file that a command alone can write is told in a comment.
    """
    snippet = Snippet()
    try:
        for number, step in enumerate(steps):
            if number:
                snippet.add("")
            given = Given(step.options)
            WRITERS[step.command](snippet, [str(argument) for argument in step.arguments], given)
            given.end()
    except (NoPythonError, KeyError, ValueError):
        return None
    return snippet.text()
