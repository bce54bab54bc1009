"""Reports on one of several tables: a drawn set of attributes, and the own cell of its table."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.decoders.tables.subsets import Subset, cell_numbers
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.randomizers.kernels.draws import bits_for
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.attributes.marginal_oracle import MarginalOracle


class OneOfTables(Mixture, MarginalOracle):
    """The own cell of the table of one of several sets of attributes, each as likely."""

    @property
    @abstractmethod
    def parts(self) -> Sequence[ExchangeableOracle]:
        """The oracle of each set's table."""

    @property
    @abstractmethod
    def sets(self) -> Sequence[Subset]:
        """The sets of attributes."""

    @cached_property
    def telling(self) -> dict[Subset, Values]:
        """The numbers of the sets that contain some attributes, rising; for 1 to `way` attributes."""
        found: dict[Subset, list[int]] = {}
        for number, subset in enumerate(self.sets):
            for size in range(1, self.way + 1):
                for part in combinations(subset, size):
                    found.setdefault(part, []).append(number)
        return {part: np.array(numbers) for part, numbers in found.items()}

    @cached_property
    def branch_weights(self) -> Sequence[int]:
        """One for each set."""
        return (1,) * len(self.sets)

    @property
    def inputs(self) -> Values:
        """All tuples, the last attribute changing fastest."""
        return np.array(self.tuples(), dtype=np.int64)

    def encode(self, branch: int, values: Values) -> Values:
        """Return each user's cell in the table of a set, from values of shape (users, d)."""
        return cell_numbers(self.domains, self.sets[branch], values)

    @cached_property
    def calls(self) -> Sequence[Sequence[int]]:
        """The sets whose reports are drawn together: all that have one oracle."""
        found: dict[object, list[int]] = {}
        for branch, part in enumerate(self.parts):
            found.setdefault(part, []).append(branch)
        return list(found.values())

    @property
    def mean_bits(self) -> float:
        """Bits that one report costs to send, on average over the sets."""
        return bits_for(self.branches) + sum(part.bits for part in self.parts) / self.branches

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read, on average over the sets, rounded up."""
        return 8 * len(self.domains) + super().row_bytes

    def simulate_sums(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users: their sets, then the sums of each; for simulation only."""
        values = self.checked(values)
        drawn, sums = self.simulated_branches(len(values), generator), []
        for branch, users in enumerate(self.users_of_branches(drawn)):
            counts = np.bincount(self.encode(branch, values[users]), minlength=self.parts[branch].k)
            sums.append(self.parts[branch].simulate_sums(counts.astype(np.int64), generator).sums)
        return self.branch_state(drawn, np.concatenate(sums))

    def set_tables(self, state: State) -> dict[Subset, Floats]:
        """Estimate the table of each set that has users from these, unbiased.

        Raises:
            InputError: for a state that is not this oracle's, or whose sums no reports add up to.
        """
        found = {}
        for branch, own in enumerate(self.part_states(state)):
            if own.users:
                found[self.sets[branch]] = self.parts[branch].estimate(own)
            elif own.sums.any():
                raise InputError(f"a state must have no sums of {self.branch_name(branch)}, which has no user")
        return found

    def information_at_equal_shares(self) -> Floats:
        """Add up the information of the sets' tables."""
        return self.information_at(np.ones(math.prod(self.domains), dtype=np.int64))
