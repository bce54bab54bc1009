"""HaarHRR: Haar differences by Hadamard response, for ranges of items in a row."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.workloads.queries import Intervals, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.closed_forms.averages import SumsOfSquares, average_variance
from mechdesign_catalog.closed_forms.largest import (
    MOST_EXACT,
    Ends,
    as_ranges,
    largest_by_ends,
    largest_of_all,
    square_factors,
)
from mechdesign_catalog.decoders.contrasts.haar import NodeShares, interval_sums, leaves_of, weight_sums
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.decoders.contrasts.side_energies import exact_lengths, side_energies
from mechdesign_catalog.decoders.trees.level_sums import LevelSums
from mechdesign_catalog.decoders.trees.plan import UNIFORM
from mechdesign_catalog.decoders.trees.tree import Tree
from mechdesign_catalog.randomizers.facts.sources import RANGES, THESIS, Source
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants
from mechdesign_catalog.systems.levels.level_oracle import LevelOracle, SumsOfQueries
from mechdesign_catalog.systems.levels.signed_hadamard import SignedHrr


@dataclass(frozen=True)
class Haar(LevelOracle):
    """The half of one binary tree node that has the item, the level drawn by public chances.

    Level l = 1..h, `h = ceil(log2 k)`, has `2^(l-1)` nodes of `2^(h-l+1)` items, the last ones padded with items that
    nobody has (`Side` says how, so that estimates add up to 1). A user has the sign + at the own node where the item is
    in its left half, and reports it by signed Hadamard response (`SignedHrr`). The server estimates for each node the
    share of its left half less that of its right half; these differences and the total, which is 1, are the Haar
    transform of the shares. It is orthogonal, so estimates are consistent as they are: ranges add up, whatever they are
    made of.

    A range with `o_L` and `o_R` items in the halves of a node of height i weighs the node's difference by
    `u = (o_L - o_R) / 2^i`, not 0 for two nodes a height at most. With
    `A = ((e^eps + 1)/(e^eps - 1))^2` level l has the noise `N_l = A sum u^2` less the mean of u^2
    over the users' own nodes (`level_sums`). Under central privacy: Xiao, Wang, Gehrke, *Differential privacy via
    wavelet transforms*, 2011.

    `levels` are the weights of the levels, the largest nodes first: `uniform`, whole numbers such as `3-2-1`, a
    workload or its name, or `optimal` for all ranges; a name is replaced by the weights that it stands for.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Haar(1000, Privacy(epsilon=1))
    >>> oracle.height, oracle.bits, oracle.levels
    (10, 14, '1-1-1-1-1-1-1-1-1-1')
    """

    levels: str | Workload = UNIFORM
    name: ClassVar[str] = "haar"
    decoder: ClassVar[str] = "inverse Haar transform"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 5.4.3"), RANGES)

    @property
    def is_published(self) -> bool:
        """Whether users share out evenly over the levels."""
        return set(self.branch_weights) == {1}

    @cached_property
    def side(self) -> Side:
        """Binary tree over the items and the padding."""
        return Side.tree(self.k, 2)

    @cached_property
    def parts(self) -> tuple[SignedHrr, ...]:
        """The oracle of each level's signs."""
        return tuple(SignedHrr(2 << level, self.privacy) for level in range(self.side.rows - 1))

    def level_nodes(self) -> Iterable[Constants]:
        """State half a node's length."""
        return ({"half": 1 << self.height - 1 - level} for level in range(self.height))

    def best_chances(self, workload: Workload) -> Floats:
        """Compute the chances of the levels with the least noise over a workload: `p_l ~ sqrt(sum u^2)`."""
        lengths = exact_lengths(self.side, workload)[:-1]
        squares = [float(length / size) for length, size in zip(lengths, self.side.sizes[1:], strict=True)]
        roots = np.sqrt(squares[::-1])
        return np.asarray(roots / roots.sum(), dtype=np.float64)

    def approximate_variance(self, users: int) -> float:
        """Compute the variance of a rare item, `A sum_l 4^-(h-l+1) / n_l`."""
        squares = 4.0 ** -np.arange(self.height, 0, -1)
        return float(self.parts[0].moments.other) * float(np.sum(squares / self.users_by_branch(users)))

    def encode(self, level: int, values: Values) -> Values:
        """Return the own node and the sign, as `2 node + (0 for the left half, 1 for the right)`."""
        return values >> (self.height - 1 - level)

    def items_of(self, estimates: Sequence[Floats]) -> Floats:
        """Transform the differences back."""
        return self.side.folded(leaves_of(estimates[::-1]))

    def sums_at(self, shares: Floats) -> SumsOfQueries:
        """Return what forms the sums of all levels for queries, where the items have these shares."""
        nodes = NodeShares.of(self.side, shares)

        def sums(queries: Queries) -> Iterator[LevelSums]:
            if isinstance(queries, Intervals):
                found = interval_sums(queries.first, queries.last, nodes)
            else:
                found = weight_sums(queries.weights(), nodes)
            return found.at(reversed(range(self.height)))

        return sums

    def average_variance(self, workload: Workload, users: int) -> float:
        """Average the variance over all queries of a workload, where the items have equal shares, in closed form.

        Raises:
            InputError: for a workload on other items.
        """
        self.require_workload(workload)
        energies = side_energies(self.side, workload)
        squares = energies.lengths / self.side.spans
        levels = [
            SumsOfSquares(squares[row], energies.products[row, row], squared_answers=energies.means[row, row])
            for row in reversed(range(self.height))
        ]
        return average_variance(levels, self.moments, workload, self.users_by_branch(users))

    def largest_variance(self, workload: Workload, users: int) -> tuple[float, float]:
        """Return a value that the largest variance over a workload has at least, and a bound of it, at equal shares.

        They are equal, and exact, up to all ranges of 2^12 items.

        Raises:
            InputError: for a workload on other items.
        """
        self.require_workload(workload)
        workload, variance = as_ranges(workload), self.at_equal_shares(users)
        if workload.count <= MOST_EXACT:
            found = largest_of_all(workload, variance)
            return found, found
        spans = self.side.spans[-2::-1]
        factors = square_factors((spans / self.k).tolist(), self.moments, self.users_by_branch(users)) / spans
        return largest_by_ends(Ends(Tree(self.k, 2), factors), workload, variance)
