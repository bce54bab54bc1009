"""The ledger and its accounts: charges reserved, settled and listed."""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from mechdesign.arguments import checked
from mechdesign.documents.databases import patiently
from mechdesign.documents.files import FilePath, require_writable
from mechdesign.errors import InputError, NoAnswerError, quote, shorten
from mechdesign.ledgers.composition import Balance, composed_alpha, cost_of, fits_budget
from mechdesign.ledgers.entry import Charge, Entry, EntryState
from mechdesign.ledgers.ledger_file import (
    LEDGER_DATABASE,
    LedgerHeader,
    now,
    read_entries,
    read_header,
    settled,
    write_entry,
)
from mechdesign.ledgers.names import USUAL_UNIT, checked_dataset, checked_part, checked_unit, require_spelling
from mechdesign.problem.privacy import MAX_EPSILON, epsilon_bounds, loss_text, rounded_down
from mechdesign.rational import Number, as_rational, number_text

PATIENCE = 30.0
"""Seconds to wait for another process."""


class BudgetError(NoAnswerError):
    """The error when a release or a collection costs more than is left of the budget; nothing was drawn."""


@dataclass(frozen=True)
class Ledger:
    """A budget of privacy for each data set, in a file for its owner only (mode 600).

    The file is an SQLite database.

    The budget is the most that the epsilon of one data set may come to, for each of its units (persons, say), over all
    that is ever released or collected of it. It goes by the name of the data set: other rows under the same name spend
    the same budget. Any number of processes may use a ledger at once.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     office = Ledger.new(f"{folder}/office.db", budget=1)
    ...     print(office.header.unit, office.header.budget, office.balances())
    person 1 []
    """

    path: Path

    @classmethod
    @checked
    def new(cls, path: FilePath, budget: Number, unit: str = USUAL_UNIT) -> "Ledger":
        """Make a ledger without entries.

        Args:
            path: of the file, where there must be none.
            budget: the most that the epsilon of each data set may come to, in (0, 200].
            unit: what is protected: a word such as person or household.

        Raises:
            InputError: for another budget or unit, or where the file is there already or cannot be written.
        """
        wanted = as_rational(budget, "budget")
        if not 0 < wanted <= MAX_EPSILON:
            raise InputError(f"budget must be in (0, {MAX_EPSILON}], got budget={shorten(budget)}")
        header, place = LedgerHeader.new(checked_unit(unit), wanted), Path(path)
        if not place.exists():
            require_writable(place)
        insert = "INSERT INTO header VALUES (?)"
        if place.exists() or not LEDGER_DATABASE.create(place, lambda db: db.execute(insert, (header.to_json(),))):
            raise InputError(f"ledger must be a new file, got {place}, which is there already")
        return cls(place)

    @classmethod
    @checked
    def open(cls, path: FilePath) -> "Ledger":
        """Open a ledger.

        Raises:
            InputError: for a file that is missing, no ledger, damaged, or open to others than its owner.
        """
        ledger = cls(Path(path))
        ledger._read()
        return ledger

    @property
    def header(self) -> LedgerHeader:
        """What the ledger is for; errors as `open`."""
        return self._read()[0]

    @checked
    def entries(self, dataset: str | None = None) -> list[Entry]:
        """List all entries in the order of time, or those of one data set.

        Raises:
            InputError: as `open`, or for a data set without entries.
        """
        return _chosen(self._read()[1], dataset)

    @checked
    def balances(self, dataset: str | None = None) -> list[Balance]:
        """Add up what each data set, or one of them, has spent; errors as `entries`."""
        header, entries = self._read()
        chosen = _chosen(entries, dataset)
        found = []
        for name in dict.fromkeys(entry.dataset for entry in chosen):
            paid = [entry for entry in chosen if entry.dataset == name and entry.counts]
            open_ = sum(entry.state is not EntryState.DELIVERED for entry in paid)
            found.append(Balance(name, header.budget, composed_alpha(paid), len(paid), open_))
        return found

    @checked
    def account(self, dataset: str, unit: str = USUAL_UNIT, part: str = "") -> "Account":
        """Open the account of a data set, or of a part of its units, whom no other part of it has.

        Raises:
            InputError: as `open`, for a name that is none or is spelled in another way than before, or where the
                ledger protects another unit.
        """
        header, entries = self._read()
        if checked_unit(unit) != header.unit:
            raise InputError(
                f"unit must be that of the ledger, {header.unit}, got {checked_unit(unit)}; a budget protects one kind "
                f"of unit, and {self.path} is of another"
            )
        account = Account(self, checked_dataset(dataset), checked_part(part) if part else "")
        account.require_spelling(header, entries)
        return account

    @checked
    def settle(self, number: int, state: EntryState) -> Entry:
        """Note what has become of an entry; returns it. Only one that is reserved is lost, or cancelled.

        Raises:
            InputError: as `open`.
        """
        return self._change(number, lambda entry: settled(entry, state))

    @checked
    def note_draw(self, number: int, content: str, hint: str = "", memory: str = "") -> Entry:
        """Note what was drawn for an entry; returns it. What is empty stays as it was.

        Raises:
            InputError: as `open`.
        """

        def told(entry: Entry) -> Entry:
            return replace(
                entry, content=content or entry.content, hint=hint or entry.hint, memory=memory or entry.memory
            )

        return self._change(number, told)

    def _change(self, number: int, change: Callable[[Entry], Entry]) -> Entry:
        with self._changing() as (connection, header, entries):
            if not 0 < number <= len(entries):
                raise InputError(f"number must be that of an entry, 1 to {len(entries)}, got {number}")
            before = entries[number - 1]
            after = change(before) if before.counts else before
            if after != before:
                write_entry(connection, header.key, after)
        return after

    @contextmanager
    def _changing(self) -> Iterator[tuple[sqlite3.Connection, LedgerHeader, list[Entry]]]:
        """Hold the ledger alone; what is written is on the disk at the end, or nothing is."""
        with (
            LEDGER_DATABASE.connected(self.path, PATIENCE) as connection,
            LEDGER_DATABASE.transaction(connection, self.path, PATIENCE),
        ):
            self._require_owner_only()
            header = read_header(connection, self.path, PATIENCE)
            yield connection, header, read_entries(connection, header.key, self.path, PATIENCE)

    def _read(self) -> tuple[LedgerHeader, list[Entry]]:
        with LEDGER_DATABASE.connected(self.path, PATIENCE) as connection:
            self._require_owner_only()
            patiently(connection, "BEGIN", PATIENCE)
            header = read_header(connection, self.path, PATIENCE)
            return header, read_entries(connection, header.key, self.path, PATIENCE)

    def _require_owner_only(self) -> None:
        mode = stat.S_IMODE(self.path.stat().st_mode)
        if mode & 0o077 and os.name == "posix":
            raise InputError(
                f"ledger must be open to its owner alone (mode 600), got mode {mode:o} of {self.path}; "
                f"chmod 600 {self.path}"
            )


@dataclass(frozen=True)
class Account:
    """The account of one data set, which pays from its budget.

    `part` names some of its units, empty for all. `Ledger.account` opens it.
    """

    ledger: Ledger
    dataset: str
    part: str = ""

    def balance(self) -> Balance:
        """Add up what the data set has spent; nothing, where it has paid for nothing yet."""
        found = [balance for balance in self.ledger.balances() if balance.dataset == self.dataset]
        return found[0] if found else Balance(self.dataset, self.ledger.header.budget, Fraction(1), 0, 0)

    def require_room(self, charge: Charge) -> None:
        """Refuse early what is beyond the budget; errors as `reserve`."""
        header, entries = self.ledger._read()
        self._cost(charge, "", header, entries)

    def reserve(self, charge: Charge, hint: str = "") -> Entry:
        """Pay: when this returns, the entry is on the disk, and what it is for may be drawn.

        Raises:
            BudgetError: where less is left of the budget.
            InputError: as `Ledger.account`.
        """
        with self.ledger._changing() as (connection, header, entries):
            alpha = self._cost(charge, hint, header, entries)
            entry = Entry(
                number=len(entries) + 1,
                dataset=self.dataset,
                part=self.part,
                kind=charge.kind,
                alpha=alpha,
                state=EntryState.RESERVED,
                output=charge.output,
                content=charge.content,
                hint=hint,
                memory=charge.memory,
                reserved=now(),
                settled="",
            )
            write_entry(connection, header.key, entry)
        return entry

    def require_spelling(self, header: LedgerHeader, entries: list[Entry]) -> None:
        """Refuse a name that is another spelling of one in the entries.

        Raises:
            InputError: naming the spelling that is known.
        """
        ours = [entry for entry in entries if entry.dataset == self.dataset]
        pairs = [("dataset", self.dataset, entry.dataset) for entry in entries]
        pairs += [("part", self.part, entry.part) for entry in ours]
        for what, name, known in pairs:
            require_spelling(name, known, what, header.names)

    def _cost(self, charge: Charge, hint: str, header: LedgerHeader, entries: list[Entry]) -> Fraction:
        """Return what the charge costs.

        Raises:
            BudgetError: where less is left.
        """
        self.require_spelling(header, entries)
        ours = [entry for entry in entries if entry.dataset == self.dataset]
        before = composed_alpha(ours, self.part)
        cost = cost_of(charge, self.part, hint, ours)
        if not fits_budget(before * cost, header.budget):
            whose = f"{self.part} of {self.dataset}" if self.part else self.dataset
            left = rounded_down(max(header.budget - epsilon_bounds(before)[1], Fraction(0)))
            raise BudgetError(
                f"epsilon must be at most {left}, which is left of the budget {number_text(header.budget)} of {whose}, "
                f"got {loss_text(cost)}; nothing was drawn"
            )
        return cost


def _chosen(entries: list[Entry], dataset: str | None) -> list[Entry]:
    if dataset is None:
        return entries
    chosen = [entry for entry in entries if entry.dataset == dataset]
    if not chosen:
        known = ", ".join(dict.fromkeys(entry.dataset for entry in entries)) or "none"
        raise InputError(f"dataset must have entries in the ledger, got {quote(dataset)}; it has {shorten(known, 200)}")
    return chosen
