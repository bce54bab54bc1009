"""The studio's work, handed in: how a request is read, what a worker runs.

The studio knows no command itself.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Emit = Callable[[str, Mapping[str, Any]], None]
"""Report an event of a job while it runs: its kind and its data."""


@dataclass(frozen=True)
class Order:
    """One job as a worker gets it.

    Attributes:
        payload: what `Work.run` understands; it is pickled.
        lines: what runs, as one would type it.
        links: uploads that stand in the job's folder, by the name that they have there.
    """

    payload: object
    lines: tuple[str, ...]
    links: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ending:
    """The ending of a job: kind `done` or `failed`, and its message."""

    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class ReleaseWork:
    """The work of the Release panel.

    Attributes:
        folder: that of the releases; None where the page may have one made.
        read: make an order of an action (`quote`, `draw`, `results`, `finish`, `discard`) and its request in a folder,
            given what was learnt and the names of uploads by their ids; None where more must be learnt first.
    """

    folder: Path | None
    read: Callable[[str, object, Path | None, object, Mapping[str, str]], Order | None]


@dataclass(frozen=True)
class Work:
    """The work of the studio; all are functions of modules, since workers unpickle them.

    Attributes:
        warm: import what jobs need, in a new worker.
        learn: find out, in workers and one after the other, what `choices` and `read` go by; each tells what those
            before tell too, and is pickled. The first is short: the page's first job waits for it.
        choices: make, of what was learnt, the document that the page's forms are made of, as far as it is known.
        read: make an order of a request's steps, given what was learnt, and the names of uploads by their ids; None
            where more must be learnt first.
        run: do an order's payload in a worker whose working directory is the job's folder.
        facts: what the page is told before any worker knows something.
        releases: what the Release panel does.

    `read` raises `InputError` for a request that is no order.
    """

    warm: Callable[[], None]
    learn: tuple[Callable[[], object], ...]
    choices: Callable[[object], dict[str, Any]]
    read: Callable[[object, object, Mapping[str, str]], Order | None]
    run: Callable[[object, Path, Emit], Ending]
    releases: ReleaseWork
    facts: Mapping[str, Any] = field(default_factory=dict)
