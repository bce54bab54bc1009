"""Make reports of many users from their values as texts, piece by piece."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign.problem.privacy import Privacy, require_privacy
from mechdesign.rational import Number
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.oracles.collection.encoders import Encoder, ItemEncoder, NumberEncoder
from mechdesign_catalog.oracles.collection.memory import Memoised
from mechdesign_catalog.oracles.collection.memory_file import MemoryFile
from mechdesign_catalog.oracles.collection.report_files import Header
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.mean import MEAN_ORACLES
from mechdesign_catalog.oracles.memory_needs import require_fit, rows_at_once
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.oracles.registry import parse_oracle
from mechdesign_catalog.oracles.reports import Reports

ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class UserRows:
    """Hold some users' values as texts, their names where a memory needs them, and the number of the first row."""

    values: Sequence[str]
    users: Sequence[str] = ()
    first_row: int = 1


@dataclass(frozen=True)
class Client:
    """Make reports with an oracle, an encoder of users' texts, and a memory of their answers if they have one."""

    oracle: LocalOracle
    encoder: Encoder
    memory: MemoryFile | None = None

    def remembering(self, path: Path, seed: int | None) -> "Client":
        """Return this client with the memory of that file, or an empty one where there is none yet."""
        oracle = self.oracle
        if not isinstance(oracle, Memoised):
            raise InputError(f"memory goes with dbitflip and onebitmean, got it with {oracle.name}")
        return replace(self, memory=MemoryFile(path, oracle, self.encoder.domain_digest, seed))

    def words(self, seed: int | None) -> WordSource | None:
        """Return the source of randomness; None is the operating system."""
        if seed is None:
            return None
        return seeded_words(seed) if self.memory is None else self.memory.words(seed)

    def header(self, seed: int | None) -> Header:
        """Return the header that travels with the reports."""
        memory = "" if self.memory is None else self.memory.memory.identity
        return Header(self.oracle.parameters, self.encoder.domain_digest, self.encoder.items, seed=seed, memory=memory)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for whoever collects the reports."""
        if self.memory is None:
            return ("Reporting the same value again spends as much again.",)
        return self.memory.remarks

    @property
    def rows_at_once(self) -> int:
        """Number of rows of a piece that fits the memory."""
        return ROWS_AT_ONCE if self.memory is not None else min(ROWS_AT_ONCE, rows_at_once(self.oracle))

    def pieces(self, chunks: Iterable[UserRows], words: WordSource | None, source: str) -> Iterator[Reports]:
        """Make the reports of all rows, piece by piece; `source` is what errors call them.

        With a memory all rows make one piece, since each user may stand there once; it is saved before that piece is
        given away for good, when the next one is asked for.
        """
        if self.memory is not None:
            yield from self._remembered(self.memory, chunks, words, source)
            return
        for rows in chunks:
            yield self.oracle.privatize(self.encoder.encode(rows.values, source, rows.first_row), words)

    def _remembered(
        self, memory: MemoryFile, chunks: Iterable[UserRows], words: WordSource | None, source: str
    ) -> Iterator[Reports]:
        users: list[str] = []
        texts: list[str] = []
        for rows in chunks:
            users += rows.users
            texts += rows.values
        values = self.encoder.encode(texts, source, 1)
        try:
            reports = memory.answer(users, values, words)
        except InputError as error:
            raise InputError(f"{error} of {source}") from None
        if len(reports):
            yield reports
            memory.save()


def make_client(text: str, privacy: Privacy | None, domain: Domain | None, maximum: Number | None) -> Client:
    """Make the client that an oracle's text asks for: with a domain of items, or with numbers up to a maximum.

    `privacy` may be None for the file of a mechanism, which has an alpha of its own.

    Raises:
        InputError: as `parse_oracle`, where domain or maximum do not go with the oracle, or where it does not fit the
            memory.
    """
    name, *options = text.strip().split(":")
    if name.strip().lower() in MEAN_ORACLES:
        if options:
            option = shorten(options[0].partition("=")[0]) or "nothing"
            raise InputError(f"{option} must not be given for onebitmean, got {shorten(text)}; it has no options")
        if maximum is None or domain is not None:
            raise InputError("onebitmean must have a maximum and no domain, since it takes numbers in 0..maximum")
        numbers = OneBitMean.up_to(maximum, require_privacy(privacy))
        return Client(numbers, NumberEncoder(numbers))
    if maximum is not None:
        raise InputError(f"maximum goes with onebitmean, got it with {shorten(text)}")
    if domain is None:
        raise InputError("domain must be given, got none: a public list of all items (a file has one a line)")
    oracle = parse_oracle(text, domain.k, privacy)
    require_fit(oracle)
    return Client(oracle, ItemEncoder(domain))
