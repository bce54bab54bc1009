"""The state of a collection: it adds batches, merges with others, and travels as bytes."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign_catalog.collection.reports.batches import Batch
from mechdesign_catalog.collection.states.provenance import Provenance, named
from mechdesign_catalog.collection.states.state_bytes import digest_of, packed, unpacked
from mechdesign_catalog.collection.states.summing import sum_up
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.reports.reports import Reports, State, require_same

MOST_USERS = 2**53
"""More users than any collection has; below it no sum overflows."""


@dataclass(frozen=True, eq=False)
class CollectionState:
    """The sums of reports of one task, and where they came from.

    Two states are equal if their bytes are. Adding and merging return another state, and for sources that are not
    shared no order and no grouping makes a difference, to the last bit.

    Args:
        task: what all reports share.
        sums: what the oracle estimates from: the number of users and whole-number sums, shape (sums,).
        provenance: sources, seals, seeds, rounds of memories, and reports dropped.

    >>> from mechdesign_catalog import privatize
    >>> monday, tuesday = (privatize(values, "grr", epsilon=1, domain=["yes", "no"]) for values in (["yes"], ["no"]))
    >>> empty = CollectionState.empty(monday.header.task)
    >>> whole = empty.add(monday).merge(empty.add(tuesday))
    >>> whole.users, whole == empty.add(tuesday).add(monday)
    (2, True)
    """

    task: Task
    sums: State
    provenance: Provenance = field(default_factory=Provenance)

    @classmethod
    def empty(cls, task: Task) -> "CollectionState":
        """Make the state of nobody: all sums are 0.

        Raises:
            InputError: for parameters that no oracle has.
        """
        length = task_oracle(task).contribution.length
        return cls(task, State(task.parameters, 0, np.zeros(length, dtype=np.int64)))

    @property
    def users(self) -> int:
        """Number of users whose reports were counted."""
        return self.sums.users

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the state's content, the identity of the state: equal states have the same."""
        return digest_of(self.task, self.sums, self.provenance)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CollectionState) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def has(self, source: str) -> bool:
        """Return whether a source was added, and is not folded into a seal."""
        return source in self.provenance.sources

    def add(
        self,
        batch: Batch | Reports,
        *,
        source: str | None = None,
        drop_invalid: bool = False,
        report: Callable[[int], None] = lambda users: None,
    ) -> "CollectionState":
        """Add the reports of a batch, or nothing where its source was added before, which a warning says.

        A file, or what `privatize` returned, has a name of its own in its header. Bare reports without a source mark
        the state as unguarded.

        Args:
            batch: a file of reports, what `privatize` returned, or bare reports.
            source: another name of the batch, such as a day and a part; 1 to 200 characters.
            drop_invalid: leave out reports that no client makes, and remember how many; without it they are refused.
            report: told how many reports of the batch were read so far.

        Raises:
            InputError: for another task, a damaged file, reports that no client makes, real reports beside simulated
                ones, or another round of a memory. Then nothing was added.
        """
        if isinstance(batch, Reports):
            require_same(self.task.parameters, batch.parameters, "reports")
            provenance = Provenance(unguarded=True) if source is None else Provenance(frozenset({named(source)}))
            task, pieces = self.task, iter([batch])
        else:
            self.task.require_same(batch.header.task, "the state", batch.name)
            provenance = Provenance.of_header(batch.header, source)
            task, pieces = batch.header.task, batch.pieces()
        if seen := self.provenance.shares(provenance):
            warnings.warn(f"{shorten(min(seen))} was added before: nothing changes", stacklevel=2)
            return self
        oracle = task_oracle(self.task)
        name = "reports" if isinstance(batch, Reports) else batch.name
        part = sum_up(oracle, pieces, name, drop_invalid=drop_invalid, report=report)
        provenance = replace(provenance, dropped=part.dropped)
        return self.merge(CollectionState(task, part.sums or CollectionState.empty(self.task).sums, provenance))

    def add_messages(self, messages: Iterable[bytes], *, source: str | None = None) -> "CollectionState":
        """Add reports that came as messages, as REPORTS.md has them; sources as those of bare reports in `add`.

        Raises:
            InputError: naming the first message of another length, and as `add`. Then nothing was added.
        """
        report_schema = task_oracle(self.task).report_schema
        return self.add(report_schema.from_messages(messages, self.task.parameters), source=source)

    def merge(self, other: "CollectionState") -> "CollectionState":
        """Return the state of the reports of both.

        Raises:
            InputError: for another task, a source or a seal that both have, real reports beside simulated ones, or two
                rounds of one memory. Then nothing was counted.
        """
        self.task.require_same(other.task, "one state", "another")
        provenance = self.provenance.merge(other.provenance)
        _require_countable(self.users + other.users, "states")
        return CollectionState(_fuller(self.task, other.task), self.sums.merge(other.sums), provenance)

    def sealed(self) -> "CollectionState":
        """Fold the named sources into one digest, as of a finished day: the state stays small, year after year.

        A source within a seal is no longer recognised when it is added again. Of two states, the same seal in both is.
        """
        return replace(self, provenance=self.provenance.sealed())

    def to_bytes(self) -> bytes:
        """Write the state: the same bytes for equal states, on every machine."""
        return packed(self.task, self.sums, self.provenance)

    @classmethod
    def from_bytes(cls, content: bytes, name: str = "the bytes") -> "CollectionState":
        """Read what `to_bytes` wrote; errors say `name`.

        Raises:
            InputError: for bytes that are cut off or changed, of another format, or that no reports add up to.
        """
        state = cls(*unpacked(content, name))
        _require_possible(state, name)
        contribution = task_oracle(state.task).contribution
        if len(state.sums.sums) != contribution.length:
            got = len(state.sums.sums)
            raise InputError(f"a state of this task must have {contribution.length} sums, got {got} in {name}")
        try:
            contribution.require(state.sums.sums, state.users)
        except InputError as error:
            raise InputError(f"{error} in {name}") from None
        if state.to_bytes() != content:
            raise InputError(f"a state must have exactly the bytes that mechdesign writes, got others in {name}")
        return state


def _require_possible(state: CollectionState, name: str) -> None:
    """Refuse users whom no state has: more than can be counted, or such as came from nowhere.

    Reports have a source, or a seal over sources, or mark the state as unguarded; a state with none of these would be
    added to itself without a word.

    Raises:
        InputError: saying `name`.
    """
    _require_countable(state.users, name)
    _require_countable(state.provenance.dropped, name, "dropped reports")
    if not state.provenance.is_traced and (state.users or not state.provenance.is_empty):
        raise InputError(
            f"reports of a state must have a source or a seal, or be marked as unguarded, got none of them in {name}"
        )


def _require_countable(number: int, name: str, what: str = "users") -> None:
    if number > MOST_USERS:
        raise InputError(f"{name} must have at most 2^53 {what}, got {number}")


def _fuller(one: Task, other: Task) -> Task:
    """Return what is written of a task in either: items and attributes may be left out for length."""
    return replace(one, domain=other.domain if one.domain is None else one.domain)
