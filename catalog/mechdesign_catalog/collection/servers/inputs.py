"""Inputs of aggregation: states, files of reports, and reports in memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

from mechdesign.documents.files import FilePath
from mechdesign.errors import InputError
from mechdesign_catalog.collection.reports.batches import Batch, PrivateReports, as_batches
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.state_files import is_state_file, read_state
from mechdesign_catalog.collection.tasks.task import Task

Countable = FilePath | PrivateReports | CollectionState
"""What can be added up: the name of a file of reports or of a `.state` file, what `privatize` returned, or a state."""


@dataclass(frozen=True)
class NamedState:
    """A state, and what errors call it."""

    name: str
    state: CollectionState


@dataclass(frozen=True)
class Inputs:
    """The inputs to add up: states of earlier counts, and batches; at least one of either."""

    states: Sequence[NamedState]
    batches: Sequence[Batch]

    @property
    def task(self) -> Task:
        """The task of the first of them, which all must have.

        Raises:
            InputError: for a file that cannot be read.
        """
        return self.states[0].state.task if self.states else self.batches[0].header.task

    @property
    def first(self) -> str:
        """What errors call the first of them."""
        return self.states[0].name if self.states else self.batches[0].name


def as_inputs(given: Countable | Iterable[Countable]) -> Inputs:
    """Return what is meant by one of these or several; patterns such as `day1/*.state` are all files they fit.

    Raises:
        InputError: for none, the same file twice, or a state that cannot be read.
    """
    every = [given] if isinstance(given, str | Path | PrivateReports | CollectionState) else list(given)
    states: list[NamedState] = []
    reports: list[FilePath | PrivateReports] = []
    for one in every:
        if isinstance(one, CollectionState):
            states.append(NamedState("a state in memory", one))
        elif isinstance(one, str | Path) and is_state_file(one):
            states.extend(NamedState(str(path), read_state(path)) for path in _matches(Path(one)))
        else:
            reports.append(one)
    _require_once([Path(state.name) for state in states if is_state_file(state.name)])
    return Inputs(states, as_batches(reports) if reports or not states else [])


def _matches(path: Path) -> list[Path]:
    """Return the files that a pattern fits, in order; a name that is there is no pattern."""
    if path.exists() or not has_magic(str(path)):
        return [path]
    found = sorted(glob(str(path)))
    if not found:
        raise InputError(f"the pattern must match at least one file, got none for {path}")
    return [Path(name) for name in found]


def _require_once(paths: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise InputError(f"each state must be given once, got {path} twice")
        seen.add(path.resolve())
