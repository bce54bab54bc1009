"""Systems of several parts, whose state has the sums of all parts in a row."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np

from mechdesign_catalog.randomizers.facts.rates import AnyRates, part_rates
from mechdesign_catalog.randomizers.oracle import LocalOracle, Values
from mechdesign_catalog.randomizers.reports.reports import State


class InParts(LocalOracle):
    """The system with sums for each of its parts.

    A user reports by a public draw of one (`Mixture`), or by all, side by side.
    """

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return sum(part.server_bytes for part in self.parts)

    @cached_property
    def part_starts(self) -> list[int]:
        """Where the sums of each part begin, and where the last ones end."""
        return list(accumulate((part.contribution.length for part in self.parts), initial=0))

    @abstractmethod
    def part_states(self, state: State) -> list[State]:
        """Return the state of each part, of a state of this system.

        Raises:
            InputError: for a state that is not this system's.
        """

    def split_sums(self, users: Sequence[int], sums: Values) -> list[State]:
        """Return the state of each part, of so many users, from the sums of all."""
        owns = zip(self.parts, users, np.split(sums, self.part_starts[1:-1]), strict=True)
        return [State(part.parameters, count, own) for part, count, own in owns]

    def rates_of_parts(self, name: str, state: State, first: int = 1) -> Iterator[AnyRates]:
        """Yield the rates of the sums of each part, by this name and its number."""
        for number, (part, own) in enumerate(zip(self.parts, self.part_states(state), strict=True), first):
            yield from part_rates(f"{name} {number}", part, own)
