"""The provenance of a state's reports, so that none is counted twice."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from mechdesign.errors import InputError, shorten
from mechdesign_catalog.collection.reports.report_header import Header

LONGEST_SOURCE = 200
_HALF_LETTER = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Provenance:
    """The sources of a state's reports.

    `sources` are names of what was counted. `seals` are SHA-256 digests, each of a set of sources that are finished and
    no longer named. `seeds` are those of simulated reports, none for real ones. `rounds` has the one round for each
    memory that reports came from. `unguarded` says that some reports had no source: nobody can tell whether they were
    counted before. `dropped` is the number of reports that were left out because no client can have made them.
    """

    sources: frozenset[str] = frozenset()
    seals: frozenset[str] = frozenset()
    seeds: frozenset[int] = frozenset()
    rounds: Mapping[str, str] = field(default_factory=dict)
    unguarded: bool = False
    dropped: int = 0

    @classmethod
    def of_header(cls, header: Header, source: str | None = None) -> "Provenance":
        """Name the source of a batch with this header, and beside it the name `source`, if given."""
        return cls(
            sources=frozenset({source_of(header)} if source is None else {source_of(header), named(source)}),
            seeds=frozenset() if header.seed is None else frozenset({header.seed}),
            rounds={header.memory: header.round} if header.memory else {},
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing was counted."""
        return self == Provenance()

    @property
    def is_traced(self) -> bool:
        """Whether it says where reports came from, or that nobody knows."""
        return bool(self.sources or self.seals or self.unguarded)

    def shares(self, other: "Provenance") -> frozenset[str]:
        """Return the sources that both name."""
        return self.sources & other.sources

    def merge(self, other: "Provenance") -> "Provenance":
        """Name the sources of both; the order does not matter.

        Raises:
            InputError: for a source or a seal that both have, real reports beside simulated ones, or two rounds of one
                memory.
        """
        if common := self.shares(other):
            raise InputError(f"states must share no source, got {shorten(min(common))} in both")
        if common := self._seals_known_to(other) | other._seals_known_to(self):
            raise InputError(f"states must share no source, got those of the seal {shorten(min(common), 20)} in both")
        if not self.is_empty and not other.is_empty and bool(self.seeds) != bool(other.seeds):
            seed = min(self.seeds | other.seeds)
            raise InputError(f"reports must be all real or all simulated, got the seed {seed} beside real ones")
        return Provenance(
            self.sources | other.sources,
            self.seals | other.seals,
            self.seeds | other.seeds,
            _one_round_each(self.rounds, other.rounds),
            self.unguarded or other.unguarded,
            self.dropped + other.dropped,
        )

    def _seals_known_to(self, other: "Provenance") -> frozenset[str]:
        """Return the seals of this that the other has too, or whose sources are just those that it names."""
        return self.seals & (other.seals | {seal_of(other.sources)}) if self.seals else frozenset()

    def sealed(self) -> "Provenance":
        """Fold the named sources into one digest; what has none is the same again."""
        if not self.sources:
            return self
        return replace(self, sources=frozenset(), seals=self.seals | {seal_of(self.sources)})


def source_of(header: Header) -> str:
    """Return the name of a batch as a source: its identity, or the digest of reports that a seed makes again."""
    return header.identity or header.reports_digest


def named(source: object) -> str:
    """Check the name of a source.

    Raises:
        InputError: unless it is a text of 1 to 200 characters that UTF-8 can write.
    """
    if isinstance(source, str) and 0 < len(source) <= LONGEST_SOURCE and not _HALF_LETTER.search(source):
        return source
    raise InputError(f"source must be a text of 1 to {LONGEST_SOURCE} characters, got {shorten(repr(source))}")


def seal_of(sources: Iterable[str]) -> str:
    """Compute the digest of a set of sources: SHA-256 of their sorted list as JSON."""
    return hashlib.sha256(json.dumps(sorted(sources), separators=(",", ":")).encode()).hexdigest()


def _one_round_each(ours: Mapping[str, str], theirs: Mapping[str, str]) -> Mapping[str, str]:
    for memory in sorted(set(ours) & set(theirs)):
        if ours[memory] != theirs[memory]:
            first, second = sorted((ours[memory], theirs[memory]))
            raise InputError(
                f"reports must be of one round of a memory, got round {first} beside round {second}; "
                "estimate each round by itself"
            )
    return {**ours, **theirs}
