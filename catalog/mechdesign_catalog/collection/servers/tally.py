"""The tally of counted parts, which refuses to count users twice."""

from collections.abc import Sequence

from mechdesign.errors import InputError
from mechdesign_catalog.collection.servers.counting import CountedBatch, UnitSums, changed_file
from mechdesign_catalog.collection.states.provenance import Provenance
from mechdesign_catalog.randomizers.reports.reports import State


class Tally:
    """The sum of parts as they come, in any order: each batch once, of a memory one round.

    Else standard errors would be too small. Equal digests alone are no copy: a few reports of two groups can be the
    same by chance. Batches of one round have different users, which the memory has seen to; the same batch may have
    been written twice, in another order.

    Args:
        names: of all batches, by their places.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.sums: State | None = None
        self._names = names
        self._found: dict[int, tuple[str, ...]] = {}
        self._sources: dict[str, tuple[int, str]] = {}
        self._rounds: dict[str, tuple[str, int]] = {}
        self._seeds: dict[int | None, int] = {}
        self._dropped = 0

    @property
    def users(self) -> int:
        """Number of users so far."""
        return 0 if self.sums is None else self.sums.users

    @property
    def provenance(self) -> Provenance:
        """Where all of them are from."""
        seeds = frozenset(seed for seed in self._seeds if seed is not None)
        rounds = {memory: name for memory, (name, _) in self._rounds.items()}
        return Provenance(frozenset(self._sources), seeds=seeds, rounds=rounds, dropped=self._dropped)

    def add(self, part: UnitSums) -> None:
        """Add a part.

        Raises:
            InputError: for a file that changed meanwhile, a batch that was counted before, another round of a memory,
                or simulated reports beside real ones; the later batch is named first.
        """
        for batch in part.batches:
            if self._is_known(batch):
                continue
            for source in batch.provenance.sources:
                self._require_new(source, batch)
            self._require_one_round(batch)
            self._require_one_kind(batch)
        self._dropped += part.dropped
        if part.sums is not None:
            self.sums = part.sums if self.sums is None else self.sums.merge(part.sums)

    def _is_known(self, batch: CountedBatch) -> bool:
        """Return whether other rows of the same file were counted before."""
        mark = (batch.digest, *sorted(batch.provenance.sources))
        earlier = self._found.setdefault(batch.place, mark)
        if earlier != mark:
            raise changed_file(self._names[batch.place])
        return earlier is not mark

    def _require_new(self, source: str, batch: CountedBatch) -> None:
        place, digest = self._sources.setdefault(source, (batch.place, batch.digest))
        if place == batch.place:
            return
        second, first = self._later_first(batch.place, place)
        if batch.provenance.rounds and batch.digest != digest:
            (name,) = batch.provenance.rounds.values()
            raise InputError(
                f"each batch must be given once, got {second}, which has the users of {first} in the same round "
                f"{name}; leave one of them out"
            )
        raise InputError(f"each report must be given once, got {second}, which holds the same reports as {first}")

    def _require_one_round(self, batch: CountedBatch) -> None:
        for memory, name in batch.provenance.rounds.items():
            other, place = self._rounds.setdefault(memory, (name, batch.place))
            if other != name:
                (later, its), (earlier, other_its) = sorted([(batch.place, name), (place, other)], reverse=True)
                raise InputError(
                    f"reports must be of one round of a memory, got round {its} in {self._names[later]} "
                    f"beside round {other_its} in {self._names[earlier]}; estimate each round by itself"
                )

    def _require_one_kind(self, batch: CountedBatch) -> None:
        for seed in batch.provenance.seeds or {None}:
            self._seeds.setdefault(seed, batch.place)
        if None in self._seeds and len(self._seeds) > 1:
            seed, place = min((seed, place) for seed, place in self._seeds.items() if seed is not None)
            raise InputError(
                f"reports must be all real or all simulated, got {self._names[place]} with the seed {seed} beside "
                f"{self._names[self._seeds[None]]} without one"
            )

    def _later_first(self, one: int, other: int) -> tuple[str, str]:
        return self._names[max(one, other)], self._names[min(one, other)]
