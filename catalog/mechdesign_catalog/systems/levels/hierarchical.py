"""HH_B: hierarchical histograms, for ranges of items in a row."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import fraction_text
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.queries import Intervals, Queries, written_parts
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.closed_forms.averages import WorkloadOnTree, average_variance, sums_of_squares
from mechdesign_catalog.closed_forms.decomposed_averages import decomposed_squares
from mechdesign_catalog.closed_forms.largest import (
    MOST_BLOCKS,
    MOST_EXACT,
    as_ranges,
    largest_consistent,
    largest_decomposed,
    largest_of_all,
    largest_of_ranges,
    mean_of_all,
)
from mechdesign_catalog.decoders.trees.inference import Averaging
from mechdesign_catalog.decoders.trees.level_sums import LevelSums, noise
from mechdesign_catalog.decoders.trees.node_weights import consistent_weights, decomposed_weights
from mechdesign_catalog.decoders.trees.plan import UNIFORM, decomposed_chances, optimal_chances
from mechdesign_catalog.decoders.trees.tree import Tree
from mechdesign_catalog.decoders.trees.walks import consistent_sums, decomposed_sums, running_sums
from mechdesign_catalog.randomizers.facts.sources import RANGES, THESIS, Source
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants
from mechdesign_catalog.systems.flat.bit_oracle import BitOracle
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.hadamard import Hrr
from mechdesign_catalog.systems.flat.local_hashing import Olh
from mechdesign_catalog.systems.flat.subset import SubsetSelection
from mechdesign_catalog.systems.flat.unary import Oue
from mechdesign_catalog.systems.levels.level_oracle import LevelOracle, SumsOfQueries

MOST_UNARY = 1 << 12
"""Nodes of the largest level whose reports are rows of bits, unless these are asked for."""

CONSISTENT, RAW = "ci", "raw"
ShareOracle = Grr | Oue | Olh | Hrr | SubsetSelection
IN_ALL_LEVELS: dict[str, type[ShareOracle]] = {"hrr": Hrr, "oue": Oue, "olh": Olh, "grr": Grr, "ss": SubsetSelection}
UNLESS_LARGE: dict[str, type[ShareOracle]] = {"oue-hrr": Oue, "ss-hrr": SubsetSelection}
"""Those that report rows of bits, in levels of up to `MOST_UNARY` nodes; larger ones have HRR."""

CHOICES = (*UNLESS_LARGE, *IN_ALL_LEVELS, "auto")


@dataclass(frozen=True)
class HierarchicalHistograms(LevelOracle):
    """The node of one level of a tree with B children a node, the level by public chances.

    `in` names the oracle of each level: OUE (`oue-hrr`) or subset selection (`ss-hrr`) in levels of up to 2^12 nodes
    and HRR in larger ones; one of `hrr`, `oue`, `olh`, `grr`, `ss` in all; or of GRR, OUE up to 2^12 nodes and HRR the
    one with the least noise (`auto`, which leaves SS out: its reports were named so before there was SS). Subset
    selection makes the least noise where the nodes of a level are equally frequent (Ye, Barg, 2018). `levels` are the
    weights of the levels, the largest nodes first (`plan`); a name is replaced by the weights that it stands for.
    `estimate` is `ci`, estimates made consistent by weighted least squares (`inference`), where the variance of a node
    of level l is taken to be `a_l / p_l`: that of a contrast of rare nodes for one user, over the level's chance.
    So the weights do not depend on data. Or `raw`: a range adds up the fewest nodes, and estimates stay as they are.

    Consistency lowers the variance of every query where all nodes of a level have equal noise. Where few items have
    most of the users and epsilon is large, their nodes have far more than the others, and `raw` can be better: for all
    users on one of 16 items, B = 2 and OUE from epsilon = 2.25 on.

    Raises:
        InputError: for b below 2, or another oracle, other levels, or another estimate.

    >>> oracle = HierarchicalHistograms(1024, Privacy(epsilon=1))
    >>> oracle.tree.nodes, oracle.bits, oracle.levels
    ((4, 16, 64, 256, 1024), 1027, '1-1-1-1-1')
    """

    b: int = 4
    in_: str = "oue-hrr"
    levels: str | Workload = UNIFORM
    estimate_: str = CONSISTENT
    name: ClassVar[str] = "hh"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 5.3"), RANGES)

    def settle_options(self) -> None:
        """Check the oracle of the nodes and the way to estimate."""
        object.__setattr__(self, "in_", checked_word("in", self.in_, CHOICES))
        object.__setattr__(self, "estimate_", checked_word("estimate", self.estimate_, (CONSISTENT, RAW)))

    def best_chances(self, workload: Workload) -> Floats:
        """Compute the chances of the levels that are best for a workload."""
        if self.is_consistent:
            variances = [float(variance) for variance in self.contrast_variances]
            return optimal_chances(WorkloadOnTree(self.tree, workload).squares, variances)
        return decomposed_chances(self.tree, workload, self.moments)

    @property
    def is_published(self) -> bool:
        """Whether users share out evenly over the levels, none of which has subset selection."""
        return set(self.branch_weights) == {1} and not self.in_.startswith("ss")

    @cached_property
    def tree(self) -> Tree:
        """Tree over the items."""
        return Tree(self.k, self.b)

    @property
    def is_consistent(self) -> bool:
        """Whether estimates are made consistent."""
        return self.estimate_ == CONSISTENT

    @property
    def decoder(self) -> str:
        """Weighted least squares over the tree, or sums of the fewest nodes."""
        return "tree inference" if self.is_consistent else "sums of the fewest nodes"

    @property
    def answers_add_up(self) -> bool:
        """Whether answers are sums of estimated shares: only of consistent ones."""
        return self.is_consistent

    @cached_property
    def parts(self) -> tuple[ShareOracle, ...]:
        """The oracle of each level's nodes."""
        return tuple(node_oracle(self.in_, nodes, self.privacy) for nodes in self.tree.nodes)

    def level_nodes(self) -> Iterable[Constants]:
        """State beside a level's items the variance of a contrast of its nodes, by which estimates are weighed."""
        for size, kind in zip(self.tree.sizes, self.parts, strict=True):
            yield {"items": size, "variance": fraction_text(contrast_variance(kind))}

    @cached_property
    def contrast_variances(self) -> tuple[Fraction, ...]:
        """Variance of a contrast of rare nodes for one user, `a_l`, of each level."""
        return tuple(contrast_variance(oracle) for oracle in self.parts)

    @cached_property
    def averaging(self) -> Averaging:
        """How the estimates of the levels are averaged."""
        planned = zip(self.contrast_variances, self.branch_chances, strict=True)
        return Averaging(self.tree, tuple(float(variance / chance) for variance, chance in planned))

    @property
    def time_class(self) -> str:
        """How time grows, client and server."""
        unary, last = unary_nodes(self.parts), self.parts[-1]
        if not unary:
            return last.time_class
        return f"N {max(unary)} + {'k log k' if isinstance(last, Hrr) else 'k'}"

    def encode(self, level: int, values: Values) -> Values:
        """Return the node of each item."""
        return values // self.tree.sizes[level]

    def items_of(self, estimates: Sequence[Floats]) -> Floats:
        """Return the leaves: of the consistent tree, or as the last level estimates them."""
        return self.averaging.consistent(estimates)[-1] if self.is_consistent else estimates[-1]

    def answers_of(self, estimates: Sequence[Floats], queries: Queries) -> Floats:
        """Answer queries by consistent items, or by the fewest nodes."""
        if self.is_consistent:
            return super().answers_of(estimates, queries)
        if isinstance(queries, Intervals):
            running = [np.array([0.0, 1.0]), *(np.append(0.0, np.cumsum(of_level)) for of_level in estimates)]
            whole = (queries.first == 0) & (queries.last == self.k - 1)
            sums = decomposed_sums(self.tree, running, queries)
            return np.asarray(whole + sum(of_level.answers for of_level in sums), dtype=np.float64)
        found = []
        for weights in written_parts(queries):
            constants, of_levels = decomposed_weights(self.tree, weights)
            found.append(constants + sum(u @ shares for u, shares in zip(of_levels, estimates, strict=True)))
        return np.concatenate(found)

    def answers_fast(self, queries: Queries) -> bool:
        """Return whether these are ranges."""
        return isinstance(queries, Intervals)

    def sums_at(self, shares: Floats) -> SumsOfQueries:
        """Return what forms the sums of all levels for queries, where the items have these shares."""
        running, of_nodes = running_sums(self.tree, shares), self.tree.node_shares(shares)

        def sums(queries: Queries) -> Iterator[LevelSums]:
            if isinstance(queries, Intervals):
                return self._interval_sums(running, queries)
            weights = queries.weights()
            _, of_levels = (
                consistent_weights(self.averaging, weights)
                if self.is_consistent
                else decomposed_weights(self.tree, weights)
            )
            return map(LevelSums.of, of_levels, of_nodes)

        return sums

    def approximate_variance(self, users: int) -> float:
        """Compute the variance of item 0 where it is rare, and so are the nodes that it is in; for any k."""
        item = Intervals(self.k, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        empty = [np.broadcast_to(np.zeros(1), 1 + nodes) for nodes in (1, *self.tree.nodes)]
        noises = map(noise, self.moments, self._interval_sums(empty, item))
        return float(sum(one[0] / count for one, count in zip(noises, self.users_by_branch(users), strict=True)))

    def _interval_sums(self, running: Sequence[Floats], ranges: Intervals) -> Iterator[LevelSums]:
        if self.is_consistent:
            return consistent_sums(self.averaging, running, ranges)
        return decomposed_sums(self.tree, running, ranges)

    def average_variance(self, workload: Workload, users: int) -> float:
        """Average the variance over all queries of a workload, where the items have equal shares.

        In closed form for consistent estimates, and for ranges and prefixes; other workloads on estimates as they
        are look at all queries.

        Raises:
            InputError: for a workload on other items, or too many queries on estimates as they are.
        """
        self.require_workload(workload)
        counts = self.users_by_branch(users)
        if self.is_consistent:
            return average_variance(sums_of_squares(self.averaging, workload), self.moments, workload, counts)
        if isinstance(workload, Ranges | Prefixes):
            return average_variance(decomposed_squares(self.tree, workload), self.moments, workload, counts)
        if workload.count > MOST_EXACT:
            raise InputError(f"raw must have at most {MOST_EXACT} queries to average over, got {workload.count}")
        return mean_of_all(workload, self.at_equal_shares(users))

    def largest_variance(self, workload: Workload, users: int) -> tuple[float, float]:
        """Return a value that the largest variance over a workload has at least, and a bound of it, at equal shares.

        They are equal, and exact, up to all ranges of 2^12 items.

        Raises:
            InputError: for a workload on other items, or of too many queries that are no ranges.
        """
        self.require_workload(workload)
        counts, variance = self.users_by_branch(users), self.at_equal_shares(users)
        workload = as_ranges(workload) if self.is_consistent else workload
        if workload.count <= MOST_EXACT:
            few = self.tree.is_full or self.b * self.height <= MOST_BLOCKS
            if self.is_consistent and few and isinstance(workload, Ranges):
                found = largest_of_ranges(self.averaging, self.moments, counts)
            else:
                found = largest_of_all(workload, variance)
            return found, found
        if not isinstance(workload.queries(0, 1), Intervals):
            raise InputError(
                f"a workload must have at most {MOST_EXACT} queries that are no ranges, got {workload.count}"
            )
        if self.is_consistent:
            return largest_consistent(self.averaging, self.moments, workload, counts, variance)
        return largest_decomposed(self.tree.nodes, self.b, self.moments, workload, counts, variance)


def checked_word(option: str, given: object, known: Sequence[str]) -> str:
    """Return what was given for an option, in lower case, if it is one of the known words.

    Raises:
        InputError: with all of these.
    """
    word = str(given).strip().lower()
    if word not in known:
        raise InputError(f"{option} must be {', '.join(known[:-1])} or {known[-1]}, got {shorten(given)}")
    return word


def node_oracle(choice: str, nodes: int, privacy: Privacy) -> ShareOracle:
    """Make the oracle of a level with so many nodes, of those that `in` names."""
    if choice in IN_ALL_LEVELS:
        return IN_ALL_LEVELS[choice](nodes, privacy)
    few = nodes <= MOST_UNARY
    if choice in UNLESS_LARGE:
        return UNLESS_LARGE[choice](nodes, privacy) if few else Hrr(nodes, privacy)
    known: list[ShareOracle] = [Grr(nodes, privacy), *([Oue(nodes, privacy)] if few else []), Hrr(nodes, privacy)]
    return min(known, key=contrast_variance)


def unary_nodes(oracles: Sequence[ShareOracle]) -> list[int]:
    """Return the number of nodes of each level whose reports are rows of bits."""
    return [oracle.k for oracle in oracles if isinstance(oracle, BitOracle)]


def contrast_variance(oracle: ShareOracle) -> Fraction:
    """Compute the variance of `sum_v u_v y_v` for one user, over `sum_v u_v^2`, where nodes are rare.

    That is where `sum_v u_v = 0`, as on each level of a consistent tree. Scores of different nodes may be correlated,
    so it is a node's variance less a covariance.
    """
    return oracle.moments.other - oracle.moments.others
