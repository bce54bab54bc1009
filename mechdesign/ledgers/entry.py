"""Entries of a ledger: the charge, its purpose, and its state."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class EntryState(StrEnum):
    """The state of an entry; all but the cancelled ones count."""

    RESERVED = "reserved"
    """Paid; what is drawn for it is not delivered yet, or never will be."""

    DELIVERED = "delivered"
    LOST = "lost"
    """Paid, and nothing came of it: the run was killed before its draw was whole on the disk."""

    CANCELLED = "cancelled"
    """Not paid after all: the run ended with an error, and nothing that it had drawn left it."""


@dataclass(frozen=True)
class Entry:
    """One entry of a ledger.

    Attributes:
        number: from 1, in the order of time.
        dataset: the data set that paid.
        part: the part of its units that paid, whom no other part has; empty for all units.
        kind: `release` or `collection`.
        alpha: what it costs, `exp(-epsilon)`; 1 where an earlier entry has paid already (answers of a memory).
        state: what has become of it.
        output: the file that it is for, empty for reports in memory.
        content: SHA-256 of a release's output, or the identity of a batch of reports; empty until it is drawn.
        hint: HMAC-SHA256 of the input under the ledger's key, a hint only; empty where there is no file.
        memory: the identity of the memory that answered, empty without one.
        reserved: when it was paid, in UTC.
        settled: when it got its state, in UTC; empty while it is reserved.
    """

    number: int
    dataset: str
    part: str
    kind: str
    alpha: Fraction
    state: EntryState
    output: str
    content: str
    hint: str
    memory: str
    reserved: str
    settled: str

    @property
    def counts(self) -> bool:
        """Whether it was paid."""
        return self.state is not EntryState.CANCELLED


@dataclass(frozen=True)
class Charge:
    """The charge of a release or a collection, with its purpose.

    Attributes:
        kind: `release` or `collection`.
        alpha: what each unit gets at least, `exp(-epsilon)`.
        output: the file, empty for reports in memory.
        content: as `Entry.content`, where it is known before the draw.
        memory: the identity of the memory that answers, empty without one, or where it is still to be made.
        answers: how many answers a memory has for each unit: all rounds together cost no more than so many.
    """

    kind: str
    alpha: Fraction
    output: str = ""
    content: str = ""
    memory: str = ""
    answers: int = 0
