"""Define oracles whose users share out over levels: each user reports about one level, with the whole privacy budget.

The level is drawn with public chances, and the user's node of this level is reported through an oracle of the level's
nodes. The server estimates each level from its own users, so the noise of different levels is independent.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError, NoAnswerError, shorten
from mechdesign.workloads.arcs import ArcQueries
from mechdesign.workloads.ordered import Histogram
from mechdesign.workloads.queries import PART_WEIGHTS, Intervals, LinearQueries, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.closed_forms.largest import Variance
from mechdesign_catalog.decoders.trees.level_sums import LevelSums, least_noise, noise, total_variance
from mechdesign_catalog.decoders.trees.plan import parse_levels
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.randomizers.facts.liars import AnswerPart, WorstBias, worst_answer_bias
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.kernels.draws import words_of
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, Users, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants, State
from mechdesign_catalog.systems.levels.signed_hadamard import SignedHrr

QUERIES_AT_ONCE = 1 << 14
USERS_AT_ONCE = 1 << 20

LevelNoise = Callable[[Moments, LevelSums], Floats]
"""Computes the noise of a level, `N_l` as `level_sums` defines it, from the moments of its oracle."""

SumsOfQueries = Callable[[Queries], Iterator[LevelSums]]
"""Forms the sums of each level for queries, at shares that were given before."""


class LevelOracle(Mixture, FrequencyOracle):
    """Serve a system of levels: a subclass says what the levels are, and how answers follow from their estimates.

    Levels are numbered from 1 in reports and messages, and from 0 in lists. A report has the columns `level` and
    `report`, the message of the level oracle's report (`wire`). A state has the numbers of users of all levels, then
    the sums of level 1, and so on.
    """

    branch_column: ClassVar[str] = "level"
    first_number: ClassVar[int] = 1
    needs_every_branch: ClassVar[bool] = True
    equal_branches_by_remainder: ClassVar[bool] = False
    shared_out: ClassVar[str] = "{} users over all levels"
    can_simulate_sums: ClassVar[bool] = True

    levels: str | Workload
    """The weights of the levels, the largest nodes first; a name is replaced by those that it stands for."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.settle_options()
        weights = parse_levels(self.levels, self.k, self.height, self.best_chances)
        object.__setattr__(self, "levels", "-".join(map(str, weights)))

    def settle_options(self) -> None:
        """Check the options of a subclass, before the weights of the levels are settled; here there are none."""

    @abstractmethod
    def best_chances(self, workload: Workload) -> Floats:
        """Compute the chances of the levels that are best for a workload, shape (levels,)."""

    @cached_property
    def branch_weights(self) -> tuple[int, ...]:
        """How often each level is drawn, in proportion."""
        return tuple(int(word) for word in str(self.levels).split("-"))

    @property
    def title(self) -> str:
        """The name with the number of children of a node, and every option that is not the usual one.

        Weights of levels stand for the name that they were asked by; very many are shortened.
        """
        usual = {field.name: field.default for field in fields(self)}
        if set(self.branch_weights) == {1}:
            usual["levels"] = "-".join(map(str, self.branch_weights))
        elsewhere = ("k", "privacy", "sides")
        told = (
            f"{option}={shorten(getattr(self, name))}"
            for option, name in self.fields_by_option().items()
            if option not in elsewhere and (option == "b" or getattr(self, name) != usual[name])
        )
        return ":".join((self.name, *told))

    @property
    @abstractmethod
    def parts(self) -> Sequence[ExchangeableOracle | SignedHrr]:
        """The oracle of each level's nodes."""

    @abstractmethod
    def items_of(self, estimates: Sequence[Floats]) -> Floats:
        """Estimate the share of each item from the estimates of all levels, shape (k,)."""

    def answers_of(self, estimates: Sequence[Floats], queries: Queries) -> Floats:
        """Answer queries from the estimates of all levels, shape (q,): by the items, if the system says no other."""
        return queries.apply(self.items_of(estimates))

    @abstractmethod
    def sums_at(self, shares: Floats) -> SumsOfQueries:
        """Return what forms the sums of all levels for queries, where the items have these shares."""

    def answers_fast(self, queries: Queries) -> bool:
        """Return whether the sums of these queries are formed without writing all of their weights down."""
        return not isinstance(queries, LinearQueries | ArcQueries)

    @property
    def inputs(self) -> Values:
        """All items."""
        return np.arange(self.k, dtype=np.int64)

    @property
    def moments(self) -> list[Moments]:
        """Second moments of one user's scores, of each level's oracle."""
        return [oracle.moments for oracle in self.parts]

    @property
    def height(self) -> int:
        """Number of levels."""
        return len(self.parts)

    @property
    def time_class(self) -> str:
        """How time grows, client and server: as at the items, if the system says no other."""
        return self.parts[-1].time_class

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return super().server_bytes + 32 * self.k

    def own_constants(self) -> Constants:
        """State how often each level is drawn, which items are together in a node, and the oracle of the nodes."""
        levels = zip(self.branch_weights, self.level_nodes(), self.parts, strict=True)
        return {"levels": [{"weight": weight, **nodes, **kind.constants_as_part} for weight, nodes, kind in levels]}

    @abstractmethod
    def level_nodes(self) -> Iterable[Constants]:
        """State for each level which items are together in a node."""

    def simulate_sums(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the server's state where `counts[v]` users have the item v: the levels, then each level's sums.

        Sums are drawn from their law where they have one; else every user's report is, some at a time.
        """
        left, chance_left = np.asarray(counts, dtype=np.int64), Fraction(1)
        users, sums = [], []
        for level, chance in enumerate(self.branch_chances):
            drawn = left if chance == chance_left else generator.binomial(left, float(chance / chance_left))
            left, chance_left = left - drawn, chance_left - chance
            users.append(int(drawn.sum()))
            sums.append(self._level_state(level, drawn, generator).sums)
        return State(self.parameters, sum(users), np.concatenate([users, *sums]).astype(np.int64))

    def _level_state(self, level: int, counts: Values, generator: np.random.Generator) -> State:
        """Draw the state of a level where so many of its users have each item."""
        oracle = self.parts[level]
        nodes = self.encode(level, self.inputs)
        of_nodes = np.bincount(nodes, weights=counts, minlength=oracle.k).astype(np.int64)
        if oracle.can_simulate_sums:
            return oracle.simulate_sums(of_nodes, generator)
        state = State(oracle.parameters, 0, np.zeros(oracle.contribution.length, dtype=np.int64))
        words, ends = words_of(generator), np.cumsum(of_nodes)
        for start in range(0, int(ends[-1]), USERS_AT_ONCE):
            users = np.arange(start, min(start + USERS_AT_ONCE, int(ends[-1])))
            own = np.searchsorted(ends, users, side="right")
            state = state.merge(oracle.aggregate(oracle.privatize(own, words)))
        return state

    def without_reports(self, branch: int, users: float) -> NoAnswerError:
        """Make the error for a level without any of so many users."""
        return NoAnswerError(
            f"each level must have a report, got none of level {branch + 1} of {self.height} from {users} "
            f"user{'' if users == 1 else 's'}; collect more reports, or give the level a larger weight"
        )

    def level_estimates(self, state: State) -> list[Floats]:
        """Estimate each level from its own users.

        Raises:
            InputError: for a state that is not this oracle's.
            NoAnswerError: for a level without users.
        """
        self.users_of(state)
        return [part.estimate(own) for part, own in zip(self.parts, self.part_states(state), strict=True)]

    def estimate(self, state: State) -> Floats:
        """Estimate the share of each item, shape (k,), unbiased."""
        return self.items_of(self.level_estimates(state))

    def answers(self, state: State, queries: Queries) -> Floats:
        """Answer queries, shape (q,), unbiased; the share of all items together is known to be 1."""
        self.require_own(queries)
        answers = self.answers_of(self.level_estimates(state), queries)
        whole = (queries.sums == self.k) & (queries.squares == self.k)  # then all weights are 1
        return np.where(whole, 1.0, answers)

    def answer_parts(self, queries: Queries) -> Sequence[AnswerPart]:
        """Return what each level adds to answers, which are linear in what it tells: each place is asked by itself."""
        whole = (queries.sums == self.k) & (queries.squares == self.k)  # known to be 1
        empty = [np.zeros(oracle.n_estimates) for oracle in self.parts]
        constant, found = self.answers_of(empty, queries), []
        for level, oracle in enumerate(self.parts):
            of_places = np.empty((len(queries), oracle.n_estimates))
            for place in range(oracle.n_estimates):
                told = [estimates.copy() for estimates in empty]
                told[level][place] = 1.0
                of_places[:, place] = np.where(whole, 0.0, self.answers_of(told, queries) - constant)
            means = oracle.mean_scores(of_places)[:, self.encode(level, self.inputs)]
            found.append(AnswerPart(self.branch_chances[level], oracle, of_places, means))
        return found

    @property
    def score_is_reached(self) -> bool:
        """Whether reports of all levels have the highest score."""
        return all(oracle.score_is_reached for oracle in self.parts)

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest score of a report of any level, over the level's chance."""
        parts = self.answer_parts(LinearQueries(weights))
        scores = [part.oracle.highest_scores(part.of_places) / float(part.chance) for part in parts]
        found: Floats = np.max(scores, axis=0)
        return found

    def worst_bias(self, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias of an item's share, all levels together; None for very many items."""
        return worst_answer_bias(self, Histogram(self.k), liars)

    def answer_variance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each answer, as `level_sums` says."""
        return self._variance_at(queries, np.asarray(frequencies, dtype=np.float64), users, least=0.0)

    def unbounded_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Compute the formula at estimates of the shares."""
        return self._variance_at(queries, estimates, users, least=-np.inf)

    def _variance_at(self, queries: Queries, shares: Floats, users: Users, least: float) -> Floats:
        self.require_own(queries)
        whole = queries.apply_squares(shares) - queries.apply(shares) ** 2
        return self._variance(queries, self.sums_at(shares), noise, whole, users, least)

    def estimated_answer_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each answer from unclipped estimates of the items.

        What they say of a level is brought to values that shares can give, and noise to its least value at least.
        """
        self.require_own(queries)
        sums_at = self.sums_at(np.asarray(estimates, dtype=np.float64))
        low, high = queries.extremes()
        squares = np.clip(queries.apply_squares(estimates), 0.0, np.maximum(low**2, high**2))
        whole = np.maximum(squares - np.clip(queries.apply(estimates), low, high) ** 2, 0.0)

        def possible(part: Queries) -> Iterator[LevelSums]:
            return (of_level.possible() for of_level in sums_at(part))

        def at_least(moments: Moments, sums: LevelSums) -> Floats:
            return np.maximum(noise(moments, sums), least_noise(moments, sums))

        return self._variance(queries, possible, at_least, whole, users)

    def _variance(
        self,
        queries: Queries,
        sums_of: SumsOfQueries,
        level_noise: LevelNoise,
        whole: Floats,
        users: Users,
        least: float = 0.0,
    ) -> Floats:
        counts, found = self.users_by_branch(users), np.empty(len(queries))
        step = QUERIES_AT_ONCE if self.answers_fast(queries) else max(1, PART_WEIGHTS // self.k)
        for start in range(0, len(queries), step):
            part = slice(start, start + step)
            sums = list(sums_of(queries[part]))
            noises = map(level_noise, self.moments, sums)
            found[part] = total_variance(noises, [of_level.spread for of_level in sums], whole[part], counts, least)
        return found

    def at_equal_shares(self, users: int) -> Variance:
        """Return what computes the variance of answers where all items have the share 1/k."""
        shares = np.full(self.k, 1 / self.k)
        return lambda queries: self.answer_variance(queries, shares, users)

    def require_workload(self, workload: Workload) -> None:
        """Refuse a workload on another number of items.

        Raises:
            InputError: with both numbers.
        """
        if workload.k != self.k:
            raise InputError(f"workload must be on the {self.k} items of the oracle, got {workload.k}")

    def variance(self, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each item's estimate."""
        return self.answer_variance(self._items, frequencies, users)

    def estimated_variance(self, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each item's estimate."""
        return self.estimated_answer_variance(self._items, estimates, users)

    @property
    def _items(self) -> Intervals:
        items = np.arange(self.k, dtype=np.int64)
        return Intervals(self.k, items, items)

    def approximate_variance(self, users: int) -> float:
        """Compute the variance of item 0 where it is rare, and so are the nodes that it is in."""
        item = Intervals(self.k, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        sums = self.sums_at(np.zeros(self.k))(item)
        noises = map(noise, self.moments, sums)
        return float(sum(one / count for one, count in zip(noises, self.users_by_branch(users), strict=True))[0])
