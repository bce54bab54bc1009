"""The clients behind `mechdesign privatize`: rows of a table in, pieces of reports out."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from pathlib import Path

from mechdesign.documents.csv_rows import Cells, column_position
from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign_catalog.datasets.items import Domain, read_domain
from mechdesign_catalog.datasets.items.domain import require_header
from mechdesign_catalog.oracles import FrequencyOracle, Reports, parse_oracle
from mechdesign_catalog.oracles.collection.memory import Memoised
from mechdesign_catalog.oracles.collection.report_files import MOST_CHARACTERS, Header
from mechdesign_catalog.oracles.fit import require_fit, rows_at_once
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.mean import MEAN_ORACLES
from mechdesign_catalog.oracles.oracle import Values
from mechdesign_cli.remembering import Remembering
from mechdesign_cli.sources import Source

Show = Callable[[int], None]
ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Columns:
    """Where the value stands, and the user's name if that is asked for."""

    value: int
    user: int | None

    @classmethod
    def find(cls, source: Source, column: str | None, user: str | None, is_value: Callable[[str], bool]) -> "Columns":
        """Look the names up in the header; the value's may be left out where there is no other column."""
        require_header(source.header, [column, user] if user else [column], is_value, source.name)
        at_user = None if user is None else column_position(source.header, user, source.name)
        others = [place for place in range(len(source.header)) if place != at_user]
        if column is None and len(others) != 1:
            names = ", ".join(source.header)[:200]
            raise InputError(f"column must be named, got {len(others)} to choose from: {names}")
        at_value = others[0] if column is None else column_position(source.header, column, source.name)
        if at_value == at_user:
            raise InputError(f"column and user must be two columns, got {column} for both")
        return cls(at_value, at_user)


@dataclass(frozen=True)
class Client:
    """An oracle, the domain that cells are items of (None: they are numbers), and what users remember, if they do."""

    oracle: FrequencyOracle | OneBitMean
    domain: Domain | None
    memory: Remembering | None = None

    def remembering(self, path: Path, seed: int | None) -> "Client":
        """The same with the memory of that file, or an empty one where there is none yet."""
        oracle = self.oracle
        if not isinstance(oracle, Memoised):
            raise InputError(f"--memory goes with dbitflip and onebitmean, got it with {oracle.name}")
        return replace(self, memory=Remembering(path, oracle, self.domain_digest, seed))

    def words(self, seed: int | None) -> WordSource | None:
        """Where randomness comes from; None is the operating system."""
        if seed is None:
            return None
        return seeded_words(seed) if self.memory is None else self.memory.words(seed)

    def header(self, seed: int | None) -> Header:
        """What travels with the reports."""
        memory = "" if self.memory is None else self.memory.memory.identity
        return Header(self.oracle.parameters, self.domain_digest, self.items, seed=seed, memory=memory)

    @property
    def domain_digest(self) -> str:
        return "" if self.domain is None else self.domain.digest

    @property
    def items(self) -> tuple[str, ...] | None:
        """For the header; None where they are too many to travel along."""
        if self.domain is None or sum(map(len, self.domain.items)) > MOST_CHARACTERS:
            return None
        return self.domain.items

    @property
    def remarks(self) -> tuple[str, ...]:
        """What whoever collects should know."""
        if self.memory is None:
            return ("Reporting the same value again spends as much again.",)
        return self.memory.remarks

    @property
    def rows_at_once(self) -> int:
        return ROWS_AT_ONCE if isinstance(self.oracle, OneBitMean) else min(ROWS_AT_ONCE, rows_at_once(self.oracle))

    def values(self, cells: Cells, source: Source, first_row: int) -> Values:
        """What cells stand for, or the first row that is out of range."""
        if self.domain is not None:
            return self.domain.encode(cells, source.name, first_row)
        assert isinstance(self.oracle, OneBitMean)
        numbers = [_number(cell, source, first_row + place) for place, cell in enumerate(cells)]
        try:
            return self.oracle.on_grid(numbers, first_row)
        except InputError as error:
            raise InputError(f"{error} of {source.name}") from None

    def is_value(self, text: str) -> bool:
        """Whether a user could have this."""
        return bool(_DECIMAL.fullmatch(text.strip())) if self.domain is None else text in self.domain

    def pieces(self, source: Source, columns: Columns, words: WordSource | None, show: Show) -> Iterator[Reports]:
        """The reports of all rows, piece by piece."""
        if self.memory is not None:
            yield from self._remembered(self.memory, source, columns, words, show)
            return
        for rows, first_row in _chunks(source, self.rows_at_once, show):
            values = self.values([row[columns.value] for row in rows], source, first_row)
            yield self.oracle.privatize(values, words)

    def _remembered(
        self, memory: Remembering, source: Source, columns: Columns, words: WordSource | None, show: Show
    ) -> Iterator[Reports]:
        """All rows at once, since each user may stand there once; the memory is saved before the reports are."""
        assert columns.user is not None
        users: list[str] = []
        cells: list[str] = []
        for rows, _ in _chunks(source, ROWS_AT_ONCE, show):
            users += [row[columns.user].strip() for row in rows]
            cells += [row[columns.value] for row in rows]
        values = self.values(cells, source, 1)
        try:
            reports = memory.answer(users, values, words)
        except InputError as error:
            raise InputError(f"{error} of {source.name}") from None
        if len(reports):
            yield reports
            memory.save()


_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def _number(cell: str, source: Source, row: int) -> float:
    """A decimal; what else stands there is not shown, since it is private."""
    text = cell.strip()
    if not _DECIMAL.fullmatch(text):
        got = "another text" if text else "a blank cell"
        raise InputError(f"numbers must be decimals, got {got} in row {row} of {source.name}")
    return float(text)


def _chunks(source: Source, size: int, show: Show) -> Iterator[tuple[list[Cells], int]]:
    """Rows, and the number of the first of them."""
    done = 0
    while rows := list(islice(source.rows, size)):
        yield rows, done + 1
        done += len(rows)
        show(source.position.read)


def client_of(text: str, epsilon: Fraction | None, domain: Path | None, maximum: str | None) -> Client:
    """The client that an oracle's text asks for: with a domain of items, or with numbers up to a maximum."""
    name, *options = text.strip().split(":")
    if name.strip().lower() in MEAN_ORACLES:
        if options:
            option = options[0].partition("=")[0][:40] or "nothing"
            raise InputError(f"{option} must not be given for onebitmean, got {text[:80]}; it has no options")
        if maximum is None or domain is not None:
            raise InputError("onebitmean must have --maximum and no --domain, since it takes numbers in 0..MAXIMUM")
        if epsilon is None:
            raise InputError("exactly one of alpha and epsilon must be given, got neither")
        return Client(OneBitMean.up_to(maximum, epsilon), None)
    if maximum is not None:
        raise InputError(f"--maximum goes with onebitmean, got it with {text[:80]}")
    if domain is None:
        raise InputError("--domain must be given, got none: a public file of all items, one a line")
    items = read_domain(domain)
    oracle = parse_oracle(text, items.k, epsilon)
    require_fit(oracle)
    return Client(oracle, items)
