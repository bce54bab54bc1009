"""Take the options of a collection that runs by a task: its document, and sums that were added up elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mechdesign.errors import InputError
from mechdesign_catalog.collection.servers.inputs import Countable, Inputs, as_inputs
from mechdesign_catalog.collection.states.delivered_sums import read_sums
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_document import read_task


@dataclass(frozen=True)
class AskedTask:
    """Hold the task that all reports must be of, if one is given, and sums of so many users from a named source."""

    path: Path | None
    task: Task | None
    sums: Path | None
    users: int | None
    source: str | None

    @classmethod
    def parse(cls, path: Path | None, sums: Path | None, users: int | None, source: str | None) -> "AskedTask":
        """Read the task.

        Raises:
            InputError: for sums without users or a task, or users or a source without sums; and as `read_task`.
        """
        if sums is not None and (path is None or users is None):
            raise InputError("--sums goes with --task and --users, got it without them")
        if users is not None and sums is None:
            raise InputError("--users goes with --sums, got no sums")
        if source is not None and sums is None:
            raise InputError("--source goes with --sums, got no sums; files of reports have names of their own")
        return cls(path, None if path is None else read_task(path), sums, users, source)

    @property
    def sources(self) -> list[Path]:
        """The files that are read."""
        return [path for path in (self.path, self.sums) if path is not None]

    def inputs(self, files: Sequence[Path]) -> Inputs:
        """Return these files, and the sums, as what is added up.

        Raises:
            InputError: for reports of another task, and as `as_inputs` and `read_sums`.
        """
        given: list[Countable] = list(files)
        if self.sums is not None and self.task is not None and self.users is not None:
            given.append(read_sums(self.sums, self.task, self.users, self.source))
        found = as_inputs(given)
        if self.task is not None:
            self.task.require_same(found.task, str(self.path), found.first)
        return found
