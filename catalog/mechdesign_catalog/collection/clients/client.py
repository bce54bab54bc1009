"""Reports of many users from their values as texts, piece by piece."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy, require_privacy
from mechdesign.rational import Number
from mechdesign_catalog.collection.clients.encoders import Columns, Encoder, number_encoder
from mechdesign_catalog.collection.memories.memory import SECRET, Memoised, checked_names
from mechdesign_catalog.collection.memories.memory_database import MemoryDatabase
from mechdesign_catalog.collection.reports.report_header import Header, checked_round
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.datasets.items.bins import Grid, ItemDomain
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, LocalOracle
from mechdesign_catalog.randomizers.reports.reports import Reports
from mechdesign_catalog.systems.attributes.registry import stated_loss
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.memory_needs import require_fit, rows_at_once
from mechdesign_catalog.systems.registry import SYSTEMS, parse_oracle, with_sides

ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class UserRows:
    """Some users' values as texts, their names where a memory needs them, and the number of the first row.

    `columns` are one, two for bins of two, or one for each attribute, of equal length.
    """

    columns: Columns
    users: Sequence[str] = ()
    first_row: int = 1


@dataclass(frozen=True)
class Collection:
    """Reports on their way: their header, the reports piece by piece, and remarks for whoever collects them."""

    header: Header
    pieces: Iterator[Reports]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Client:
    """The client: an oracle, an encoder of users' texts, and a memory of answers if any."""

    oracle: LocalOracle
    encoder: Encoder[ItemDomain | Attributes | None]
    seed: int | None = None
    memory: MemoryDatabase | None = None

    def remembering(self, path: Path, round_: str) -> "Client":
        """Return this client with the memory at that path, for that round."""
        oracle = self.oracle
        if not isinstance(oracle, Memoised):
            raise InputError(f"memory goes with dbitflip and onebitmean, got it with {oracle.name}")
        memory = MemoryDatabase(path, oracle, self.task.domain_digest, self.seed, checked_round(round_))
        memory.require_own()
        return replace(self, memory=memory)

    @property
    def rows_at_once(self) -> int:
        """Number of rows of a piece that fits the memory."""
        return ROWS_AT_ONCE if self.memory is not None else min(ROWS_AT_ONCE, rows_at_once(self.oracle))

    def collect(self, chunks: Iterable[UserRows], source: str, begin: Callable[[], object] = tuple) -> Collection:
        """Make the reports of all rows, piece by piece; `source` is what errors call them.

        `begin` is called when the first values are read (with a memory: all), and nothing is drawn yet.

        With a memory all rows are one batch, which is noted for good before this returns.

        Raises:
            InputError: for values or users that are none, and as `MemoryDatabase.note`.
        """
        if self.memory is not None:
            return self._remembered(self.memory, chunks, source, begin)
        return Collection(self._header, self._pieces(chunks, source, begin), (*self.encoder.remarks, FORGOTTEN))

    def _pieces(self, chunks: Iterable[UserRows], source: str, begin: Callable[[], object]) -> Iterator[Reports]:
        words = None if self.seed is None else seeded_words(self.seed)
        for number, rows in enumerate(chunks):
            values = self.encoder.encode(rows.columns, source, rows.first_row)
            if not number:
                begin()
            yield self.oracle.privatize(values, words)

    @property
    def losses(self) -> str | None:
        """What a report really tells, where attributes are reported one by one; to be said before the first report."""
        return stated_loss(self.oracle)

    @property
    def keeps_claim(self) -> bool:
        """Whether a report tells no more than the oracle claims."""
        return self.oracle.privacy.allows(self.oracle.alpha)

    @property
    def task(self) -> Task:
        """What the reports are about."""
        return Task.about(self.oracle.parameters, self.encoder.domain, self.encoder.ordered)

    @property
    def _header(self) -> Header:
        return Header(self.task, seed=self.seed)

    def _remembered(
        self, memory: MemoryDatabase, chunks: Iterable[UserRows], source: str, begin: Callable[[], object]
    ) -> Collection:
        users: list[str] = []
        pieces: list[Columns] = []
        for rows in chunks:
            users += rows.users
            pieces.append(rows.columns)
        if not pieces:
            raise InputError("the input must have at least one row, got none")
        columns = [list(chain.from_iterable(parts)) for parts in zip(*pieces, strict=True)]
        if len(users) != len(columns[0]):
            raise InputError(f"users must be as many as values, got {len(users):,} for {len(columns[0]):,}")
        values = self.encoder.encode(columns, source, 1)
        try:
            names = checked_names(users, memory.names_rule)
        except InputError as error:
            raise InputError(f"{error} of {source}") from None
        begin()
        batch = memory.note(names)
        named = f"new memory {memory.path}" if batch.is_first else f"memory {memory.path}: {batch.remark}"
        header = replace(self._header, memory=batch.memory, identity=batch.identity, round=memory.round)
        secret = f"{memory.path}: {SECRET}"
        return Collection(
            header, memory.recall(batch, values), (*self.encoder.remarks, named, secret, *memory.warnings, STAYS)
        )


FORGOTTEN = "running this again on the same people spends epsilon again, unless a memory keeps their answers"
STAYS = "A user's report stays the same while the value does; a value that is new to a user spends epsilon again."


def make_client(
    text: str,
    privacy: Privacy | None,
    items: Encoder[ItemDomain] | None,
    maximum: Number | None,
    seed: int | None = None,
) -> Client:
    """Make the client that an oracle's text asks for: with an encoder of items, or with numbers up to a maximum.

    `privacy` may be None for the file of a mechanism, which has an alpha of its own; `seed` is for simulation.

    Raises:
        InputError: as `parse_oracle`, where domain or maximum do not go with the oracle, or where it does not fit the
            memory.
    """
    name, *options = text.strip().split(":")
    if name.strip().lower() in MEAN_ORACLES:
        if options:
            option = shorten(options[0].partition("=")[0]) or "nothing"
            raise InputError(f"{option} must not be given for onebitmean, got {shorten(text)}; it has no options")
        if maximum is None or items is not None:
            raise InputError("onebitmean must have a maximum and no domain, since it takes numbers in 0..maximum")
        numbers = OneBitMean.up_to(maximum, require_privacy(privacy))
        return Client(numbers, number_encoder(numbers), seed)
    if maximum is not None:
        raise InputError(f"maximum goes with onebitmean, got it with {shorten(text)}")
    if items is None:
        raise InputError(
            "domain must be a public list of all items (a file with one item a line), or give bins, got none"
        )
    return make_item_client(_item_oracle(text, privacy, items.domain), items, seed)


def make_item_client(oracle: FrequencyOracle, items: Encoder[ItemDomain], seed: int | None = None) -> Client:
    """Make the client of an oracle for items, with their encoder.

    Raises:
        InputError: where the oracle does not fit the memory, or has another number of items.
    """
    if oracle.k != items.domain.k:
        raise InputError(f"domain must have the {oracle.k} items of the oracle, got {items.domain.k}")
    require_fit(oracle)
    if isinstance(items.domain, Domain) and oracle.name in SYSTEMS:
        items = replace(items, ordered=True)
    return Client(oracle, items, seed)


def _item_oracle(text: str, privacy: Privacy | None, domain: ItemDomain) -> FrequencyOracle:
    """Make the oracle of a domain; one on two columns has as many rows and columns as there are bins of each."""
    if not isinstance(domain, Grid):
        return parse_oracle(text, domain.k, privacy)
    oracle = parse_oracle(with_sides(text, domain.shape), domain.k, privacy)
    sides = "x".join(map(str, domain.shape))
    if oracle.parameters.get("sides", sides) != sides:
        raise InputError(f"sides must be those of the bins, {sides}, got sides={oracle.parameters['sides']}")
    return oracle
