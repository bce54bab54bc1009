"""Warped blocks: cells of shifted partitions, for prefixes and other ranges.

The items stand in a row; the shares of cells are estimated.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.workloads.ordered import Prefixes
from mechdesign.workloads.queries import Intervals, Queries, some_queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.closed_forms.largest import largest_of_all
from mechdesign_catalog.decoders.lines.information import MOST_DENSE, Information, centred
from mechdesign_catalog.decoders.lines.warp import stretches
from mechdesign_catalog.decoders.trees.plan import parse_levels, whole_weights
from mechdesign_catalog.randomizers.facts.information import of_nodes
from mechdesign_catalog.randomizers.oracle import Users, Values, all_users, require_few_pairs
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants, State
from mechdesign_catalog.systems.flat.subset import SubsetSelection
from mechdesign_catalog.systems.levels.frequency_mixture import FrequencyMixture
from mechdesign_catalog.systems.levels.masked_blocks import MaskedBlocks
from mechdesign_catalog.systems.levels.nested_masks import NestedMasks
from mechdesign_catalog.systems.levels.warped_levels import SHIFTS, THIN, Level, best_chances, levels_of, usual_nested
from mechdesign_catalog.systems.levels.weighed_levels import require_epsilon

MOST_SOLVED = 1 << 10
"""Answers whose variances are computed beyond `MOST_DENSE` items, where each takes a part of a second."""

STRATA, SEED = 12, 17
"""Parts of the queries of a large workload, of which each gives two to the estimate of their average variance."""

LEAST_K, LARGEST_K = 4, 1 << 20
"""Numbers of items: up to the last, edges are computed in 64 bits."""


@dataclass(frozen=True)
class WarpedBlocks(FrequencyMixture):
    """The own cell of one of many partitions of the items into blocks, by public chances.

    A level has partitions into about M blocks each, all shifted: cuts are as dense as `sin(pi x)^t` along the items,
    `t = 1 - ln M / ln k`, so blocks are longest at the ends (`Warp`). Levels with few cells select a subset of
    them, the others report by masks, the last one the item itself. The server pools what all of them tell by least
    squares, with the weights that are best where items are equally frequent (`Information`): answers are unbiased at
    all shares, and their variance is exact.

    For prefixes it is within a few percent of the least that any local mechanism can have at epsilon up to 2. All other
    answers about items in a row vary little more than they have to.

    `levels` are the weights of the levels, the coarsest first: `uniform`, whole numbers such as `3-2-1`, or a workload
    or its name, which is replaced by the weights that it stands for. `nested` is how many of the finest levels tell
    wide cells too (`Nested`), which is best from epsilon 1.4 on. If it is not given, epsilon says it, up to 65,536
    items.

    Raises:
        InputError: for fewer than 4 items or more than 2^20.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = WarpedBlocks(1000, Privacy(epsilon=1), "uniform")
    >>> oracle.height, oracle.branches, oracle.bits
    (11, 449, 64)
    """

    levels: str | Workload = Prefixes.name
    nested: int | None = None
    name: ClassVar[str] = "warped-blocks"
    decoder: ClassVar[str] = "weighted least squares"
    branch_column: ClassVar[str] = "partition"
    first_number: ClassVar[int] = 1
    is_counted: ClassVar[bool] = False
    time_class: ClassVar[str] = "N + k log k"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_epsilon(self.name, self.privacy)
        if not LEAST_K <= self.k <= LARGEST_K:
            raise InputError(f"k must be a whole number from {LEAST_K} to 2^20 for {self.name}, got k={self.k}")
        if self.nested is None:
            object.__setattr__(self, "nested", usual_nested(self.k, self.privacy))
        if isinstance(self.nested, bool) or not isinstance(self.nested, int) or not 0 <= self.nested <= len(THIN):
            raise InputError(f"nested must be a whole number from 0 to {len(THIN)}, got nested={self.nested}")
        weights = parse_levels(self.levels, self.k, self.height, self._best_chances)
        object.__setattr__(self, "levels", "-".join(map(str, weights)))

    def _best_chances(self, workload: Workload) -> Floats:
        return np.array(best_chances(self.k, self.privacy, workload, self._nested))

    @property
    def _nested(self) -> int:
        assert self.nested is not None
        return self.nested

    @cached_property
    def kinds(self) -> tuple[Level, ...]:
        """The levels, the coarsest first."""
        return levels_of(self.k, self.privacy, self._nested)

    @property
    def height(self) -> int:
        """Number of levels."""
        return len(self.kinds)

    @cached_property
    def level_weights(self) -> tuple[int, ...]:
        """How often each level is drawn, in proportion."""
        return tuple(int(word) for word in str(self.levels).split("-"))

    @property
    def title(self) -> str:
        """The name, with weights of the levels that are not those for prefixes."""
        usual = whole_weights(self._best_chances(Prefixes(self.k)))
        levels = "" if self.level_weights == usual else f":levels={shorten(self.levels)}"
        nested = "" if self.nested == usual_nested(self.k, self.privacy) else f":nested={self.nested}"
        return f"{self.name}{levels}{nested}"

    @cached_property
    def places(self) -> tuple[tuple[Level, int], ...]:
        """Each partition: its level, and its shift."""
        return tuple((level, shift) for level in self.kinds for shift in range(level.shifts))

    @cached_property
    def parts(self) -> tuple[SubsetSelection | MaskedBlocks | NestedMasks, ...]:
        """The oracle of each partition: that of its level."""
        return tuple(level.oracle for level, _ in self.places)

    @cached_property
    def calls(self) -> list[range]:
        """The partitions of each level."""
        ends = list(accumulate((level.shifts for level in self.kinds), initial=0))
        return [range(*pair) for pair in pairwise(ends)]

    @cached_property
    def branch_weights(self) -> tuple[int, ...]:
        """How often each partition is drawn, in proportion: those of a level as often."""
        weighed = zip(self.level_weights, self.kinds, strict=True)
        return tuple(weight * (SHIFTS // level.shifts) for weight, level in weighed for _ in range(level.shifts))

    @cached_property
    def pool(self) -> Information:
        """What a report tells."""
        weights = np.array(self.level_weights, dtype=np.float64)
        return Information([level.partitions(self.k) for level in self.kinds], weights / weights.sum())

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        is_dense = self.k <= MOST_DENSE
        numbers = self.sums_length * (7 if is_dense else 16) + 8 * self.k + (4 * self.k**2 if is_dense else 0)
        return 8 * numbers

    def own_constants(self) -> Constants:
        """State where stretches begin, how often a partition is drawn, the densities, and the oracle of the cells."""
        return {
            "starts": list(stretches(self.k)),
            "levels": [
                {"weight": self.branch_weights[own[0]], **level.constants(self.k), **level.oracle.constants_as_part}
                for own, level in zip(self.calls, self.kinds, strict=True)
            ],
        }

    def encode(self, branch: int, values: Values) -> Values:
        """Return the own cells of a partition."""
        level, shift = self.places[branch]
        return level.cells_of(values, shift)

    def statistic(self, state: State) -> Floats:
        """Return the mean over all reports of what each adds, s, which adds up to 0; shape (k,).

        Raises:
            InputError: for a state that is not this oracle's.
        """
        states, found = self.part_states(state), np.zeros(self.k)
        for branches, level, cut in zip(self.calls, self.kinds, self.pool.levels, strict=True):
            told = np.zeros((cut.shifts, cut.cells))
            for row, branch in enumerate(branches):
                own = states[branch]
                if own.users:
                    told[row] = own.users / state.users * (level.told(own) - cut.shares[row])
            found += cut.at_items(cut.weighed(told))
        return centred(found)

    def estimate(self, state: State) -> Floats:
        """Estimate the share of each item, shape (k,), unbiased."""
        _, solved = _solution(self, state)
        return 1 / self.k + solved

    def solution_errors(self, state: State, queries: Queries) -> Floats:
        """Bound by how much answers differ from the exact solution's, of which rounding and a last step are short."""
        self.require_own(queries)
        return self.pool.error_bounds(queries, *_solution(self, state))

    def answer_variance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each answer, for users whose items are fixed and who draw their partitions.

        Beyond `MOST_DENSE` items it is so to some 6e-4 of it: a standard error to some 3e-4.

        Raises:
            InputError: for more than `MOST_SOLVED` answers there.
        """
        self.require_own(queries)
        if self.most_told is not None and len(queries) > self.most_told:
            raise InputError(
                f"answers of {self.name} must be at most {self.most_told} where they have standard errors and k is "
                f"above {MOST_DENSE}, got {len(queries)} on {self.k} items"
            )
        _, found = self.pool.variances(queries, np.asarray(frequencies, dtype=np.float64))
        return np.maximum(found, 0.0) / _in_all(users)

    @property
    def most_told(self) -> int | None:
        """How many standard errors are told at once: beyond `MOST_DENSE` items each takes a solution."""
        return MOST_SOLVED if self.k > MOST_DENSE else None

    def unbounded_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Compute the formula at estimates of the shares."""
        return self.answer_variance(queries, estimates, users)

    def estimated_answer_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each answer: it is linear in the shares, so unclipped estimates leave it unbiased.

        It is brought into what shares can make of it (`Information.widths`). If it is still below half or above twice
        the variance at equal shares, as with few users, it is that of the shares which estimates become without what is
        below 0. Of more answers than `most_told` all are NaN, not known.
        """
        self.require_own(queries)
        if self.most_told is not None and len(queries) > self.most_told:
            return np.full(len(queries), np.nan)
        even, found = self.pool.variances(queries, estimates)
        width = self.pool.widths(queries, even)
        found = np.clip(found, even - width, even + width)
        unlikely = (found < even / 2) | (found > 2 * even)
        if unlikely.any():
            above, rows = np.maximum(estimates, 0.0), np.flatnonzero(unlikely)
            _, others = self.pool.variances(some_queries(queries, rows), above / above.sum())
            found[rows] = np.maximum(others, 0.0)
        return found / _in_all(users)

    def answer_covariance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact covariance of the answers at the true shares, shape (q, q).

        Raises:
            InputError: as `require_few_pairs`.
        """
        self.require_own(queries)
        require_few_pairs(len(queries), self.k)
        weights = queries.weights()
        solved = np.array([self.pool.solved(one) for one in weights])
        return self.pool.covariance(weights, solved, np.asarray(frequencies, dtype=np.float64)) / _in_all(users)

    def estimated_answer_covariance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the covariance of the answers by its exact formula at unclipped estimates of the shares."""
        return self.answer_covariance(queries, estimates, users)

    def average_variance(self, workload: Workload, users: int) -> float:
        """Average the variance over all queries of a workload, where the items have equal shares, exactly.

        Raises:
            InputError: for a workload on other items, or more items than `MOST_DENSE`.
        """
        self._require_dense(workload)
        return self.pool.total_variance(workload) / workload.count / _in_all(users)

    def largest_variance(self, workload: Workload, users: int) -> tuple[float, float]:
        """Return the largest variance over a workload, at equal shares, twice: it is exact.

        Raises:
            InputError: as `average_variance`, and for more than `MOST_EXACT` queries.
        """
        self._require_dense(workload)
        found = largest_of_all(workload, self.at_equal_shares(users))
        return found, found

    @property
    def is_sampled(self) -> bool:
        """Whether the items are so many that variances are computed of some queries alone."""
        return self.k > MOST_DENSE

    def sampled_variances(self, workload: Workload, users: int) -> tuple[float, float, float]:
        """Estimate the average variance over a workload of many items, at equal shares, from some of its queries.

        Two are drawn from each of so many equal parts of the list of queries, always the same.

        Returns:
            The estimated average, its standard error, and the largest variance of these queries.

        Raises:
            InputError: for a workload on other items.
        """
        self.require_workload(workload)
        ends = np.arange(STRATA + 1) * workload.count // STRATA
        drawn = np.random.default_rng(SEED).integers(ends[:-1], np.maximum(ends[1:], ends[:-1] + 1), (2, STRATA))
        found = self.pool.probed(workload.at(drawn.ravel())) / _in_all(users)
        one, other = found.reshape(2, STRATA)
        error = math.sqrt(float(((one - other) ** 2).sum())) / (2 * STRATA)
        return float(one.mean() + other.mean()) / 2, error, float(np.maximum(one, other).max())

    def _require_dense(self, workload: Workload) -> None:
        self.require_workload(workload)
        if self.k > MOST_DENSE:
            raise InputError(
                f"k must be at most {MOST_DENSE} for variances of all queries by {self.name}, got k={self.k}; "
                "sampled_variances looks at some of them"
            )

    def approximate_variance(self, users: int) -> float:
        """Compute the variance of the item in the middle where all items have equal shares."""
        middle = np.array([self.k // 2])
        return float(self.at_equal_shares(users)(Intervals(self.k, middle, middle))[0])

    def information_at(self, counts: Values) -> Floats:
        """Add up the information of the partitions, each weighed by its chance; masks are taken to draw any set."""
        found = np.zeros((self.k, self.k))
        for branch, ((level, _), chance) in enumerate(zip(self.places, self.branch_chances, strict=True)):
            found += float(chance) * of_nodes(level.sets, self.encode(branch, self.inputs), counts)
        return found

    @property
    def information_is_exact(self) -> bool:
        """Whether it is that of the reports as they are sent: not where masks draw fewer sets than there are."""
        return False

    @property
    def score_is_reached(self) -> bool:
        """Whether reports of all levels have the highest score."""
        return all(level.oracle.score_is_reached for level in self.kinds)

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest score of a report of any partition."""
        found = np.empty(len(weights))
        for row, one in enumerate(weights):
            solved, scores = self.pool.solved(one), []
            for level, cut in zip(self.kinds, self.pool.levels, strict=True):
                of_cells = cut.weighed(cut.of_cells(solved))
                known = (of_cells * cut.shares).sum(axis=1)
                scores.append(float((level.highest_scores(of_cells) - known).max()))
            found[row] = one.mean() + max(scores)
        return found


@lru_cache(maxsize=2)
def _solution(oracle: WarpedBlocks, state: State) -> tuple[Floats, Floats]:
    """Return the statistic s of a state and the solution z of `A z = s`: many answers are of one state."""
    statistic = oracle.statistic(state)
    return statistic, oracle.pool.solved(statistic)


def _in_all(users: Users) -> float:
    """Return how many users there are in all partitions."""
    return all_users(users if isinstance(users, int) else int(np.sum(users)))
