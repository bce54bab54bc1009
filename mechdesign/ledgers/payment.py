"""Payment for a release or a collection: reserved before the draw, settled after it.

In this order: reserve, COMMIT, draw, note what was drawn, stage, rename, mark delivered. A run that is killed before
COMMIT has paid nothing and drawn nothing. One that is killed later has paid: what was whole on the disk is delivered by
the next run, which knows it by its digest; else the entry is lost, and stays paid. Only a run that ends by itself,
with an error and before anything left it, takes its payment back.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction

from mechdesign.documents.files import FilePath
from mechdesign.errors import InputError, shorten
from mechdesign.ledgers.entry import Charge, Entry, EntryState
from mechdesign.ledgers.ledger import Account, Ledger


def open_account(
    ledger: FilePath | None, dataset: str | None, part: str | None, unit: str, seed: int | None = None
) -> Account | None:
    """Open the account that pays; None where no ledger is given.

    Raises:
        InputError: as `Ledger.account`, for a ledger without a data set or the other way about, or beside a seed.
    """
    if ledger is None:
        given = [name for name, value in (("dataset", dataset), ("part", part)) if value is not None]
        if given:
            raise InputError(f"{given[0]} goes with a ledger, got it alone")
        return None
    if dataset is None:
        raise InputError(f"dataset must be named with a ledger, got none beside {ledger}")
    if seed is not None:
        raise InputError(f"a ledger pays for real draws, got a seed beside {ledger}: a simulation spends nothing")
    return Ledger.open(ledger).account(dataset, unit, part or "")


@dataclass
class Payment:
    """The payment of one charge from an account.

    Without an account nobody keeps a ledger, and every call does nothing.

    Attributes:
        account: of the data set.
        charge: what it costs.
        is_there: tells whether the output that has this content is there under its name.
        hint: the code of the input under the ledger's key, once it is read.
        remarks: for whoever pays.
    """

    account: Account | None = None
    charge: Charge = field(default_factory=lambda: Charge("", Fraction(1)))
    is_there: Callable[[str], bool] = lambda content: False
    hint: Callable[[], str] = lambda: ""
    remarks: list[str] = field(default_factory=list)
    _entry: Entry | None = None

    def require_room(self) -> None:
        """Refuse early what is beyond the budget, unless something was paid for this output, which may be finished.

        Raises:
            BudgetError, InputError: as `Account.reserve`.
        """
        if self.account is not None and not self._entries(EntryState.RESERVED, EntryState.DELIVERED):
            self.account.require_room(self.charge)

    def settle_earlier(self) -> Entry | None:
        """Settle what earlier runs have paid for this output: delivered if it is there, else lost.

        Returns:
            The entry that is found delivered only now; None where there is none.
        """
        found = None
        for entry in self._entries(EntryState.RESERVED):
            assert self.account is not None
            if entry.content and self.is_there(entry.content):
                found = self.account.ledger.settle(entry.number, EntryState.DELIVERED)
            else:
                self.account.ledger.settle(entry.number, EntryState.LOST)
                self.remarks.append(f"entry {entry.number} of the ledger is paid and lost: its run was killed")
        return found

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Let what is paid for be drawn; an error takes the payment back, unless something has left."""
        try:
            yield
        except BaseException:
            with suppress(InputError):  # then it stays paid
                self._take_back()
            raise

    def reserve(self) -> None:
        """Pay; errors as `Account.reserve`."""
        if self.account is not None and self._entry is None:
            self._entry = self.account.reserve(self.charge, self.hint() if self.charge.memory else "")
            self._tell_new(self._entry)

    def note_draw(self, content: str, memory: str = "") -> None:
        """Note what was drawn, before it has a name on the disk."""
        if self.account is not None and self._entry is not None:
            hint = self.hint()
            self._tell_others(hint)
            self._entry = self.account.ledger.note_draw(self._entry.number, content, hint, memory)

    def adopt(self, content: str, alpha: Fraction) -> None:
        """Find the payment for what an earlier run has drawn; pay now where there is none.

        Raises:
            BudgetError: where less is left.
            InputError: where another data set, or another part, has paid for it.
        """
        if self.account is None:
            return
        paid = [entry for entry in self.account.ledger.entries() if entry.counts and entry.content == content]
        for entry in paid:
            if (entry.dataset, entry.part) != (self.account.dataset, self.account.part):
                of = f"the part {entry.part} of {entry.dataset}" if entry.part else entry.dataset
                raise InputError(f"dataset must be the one that has paid for {self.charge.output}, {of}, got another")
        if paid:
            self._entry = paid[-1]
        else:
            self._entry = self.account.reserve(replace(self.charge, alpha=alpha, content=content))
            self._tell_new(self._entry)
            self.remarks.append("what was drawn without the ledger is paid now")

    def deliver(self) -> None:
        """Mark the entry as delivered."""
        if self.account is not None and self._entry is not None:
            self._entry = self.account.ledger.settle(self._entry.number, EntryState.DELIVERED)

    def lose(self) -> list[Entry]:
        """Mark what was paid for this output, and not delivered, as lost; returns the entries."""
        if self.account is None:
            return []
        ledger = self.account.ledger
        return [ledger.settle(entry.number, EntryState.LOST) for entry in self._entries(EntryState.RESERVED)]

    def _entries(self, *states: EntryState) -> list[Entry]:
        """List the entries of this output in one of these states, whichever data set has paid."""
        if self.account is None or not self.charge.output:
            return []
        entries = self.account.ledger.entries()
        return [entry for entry in entries if entry.state in states and entry.output == self.charge.output]

    def _take_back(self) -> None:
        if self.account is None or self._entry is None:
            return
        ledger, number = self.account.ledger, self._entry.number
        content = ledger.entries()[number - 1].content
        has_left = content != "" and self.is_there(content)
        ledger.settle(number, EntryState.DELIVERED if has_left else EntryState.CANCELLED)

    def _tell_new(self, entry: Entry) -> None:
        """Say which name has paid for the first time: one that was misspelt has a budget of its own."""
        assert self.account is not None
        earlier = self.account.ledger.entries()[: entry.number - 1]
        ours = [before for before in earlier if before.counts and before.dataset == entry.dataset]
        if not ours:
            self.remarks.append(f"{self.account.ledger.path}: {entry.dataset} is new: full budget")
        elif entry.part and all(before.part != entry.part for before in ours):
            self.remarks.append(
                f"{self.account.ledger.path}: {entry.part} of {entry.dataset} is new: full budget, less what every "
                f"unit of {entry.dataset} has spent"
            )

    def _tell_others(self, hint: str) -> None:
        """Say where the same input was paid for under another name: a hint, no more."""
        assert self.account is not None
        same = [entry for entry in self.account.ledger.entries() if hint and entry.hint == hint and entry.counts]
        names = dict.fromkeys(entry.dataset for entry in same if entry.dataset != self.account.dataset)
        if names:
            self.remarks.append(
                f"warning: the same file was paid for as the data set {shorten(', '.join(names))}; "
                "if these are the same units, their budget is spent twice"
            )
