"""Define oracles whose users share out over levels: each user reports about one level, with the whole privacy budget.

The level is drawn with public chances, and the user's node of this level is reported through an oracle of the level's
nodes. The server estimates each level from its own users, so the noise of different levels is independent.

Kulkarni's thesis, section 5.3; Cormode, Kulkarni, Srivastava, *Answering range queries under local differential
privacy*, VLDB 2019.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np

from mechdesign.errors import InputError, NoAnswerError, shorten
from mechdesign.mechanism.sampling import ColumnSampler, Words, WordSource, system_words
from mechdesign.workloads.ordered import Histogram
from mechdesign.workloads.queries import PART_WEIGHTS, Intervals, LinearQueries, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.oracles.contributions import Contribution, OneOf
from mechdesign_catalog.oracles.costs import shared_out_seconds
from mechdesign_catalog.oracles.information import of_nodes
from mechdesign_catalog.oracles.kernels.draws import bits_for
from mechdesign_catalog.oracles.levels.largest import Variance
from mechdesign_catalog.oracles.levels.level_sums import LevelSums, least_noise, noise, total_variance
from mechdesign_catalog.oracles.liars import AnswerPart, WorstBias, worst_answer_bias
from mechdesign_catalog.oracles.moments import Moments
from mechdesign_catalog.oracles.oracle import FrequencyBase, LocalOracle, Users, Values, require_few
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.rates import AnyRates, branch_rates
from mechdesign_catalog.oracles.reports import Constants, ReportLaw, Reports, State, require_counts, require_length
from mechdesign_catalog.oracles.wire import ByteStrings, Numbers, Wire

QUERIES_AT_ONCE = 1 << 14
USERS_AT_ONCE = 1 << 20


class NodeOracle(LocalOracle, Protocol):
    """An oracle of a level's nodes."""

    @property
    def k(self) -> int:
        """Number of nodes."""

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper."""

    @property
    def moments(self) -> Moments:
        """Second moments of one user's scores of the nodes."""

    def information_at(self, counts: Values) -> Floats:
        """Compute the information of a report where nodes have shares in proportion to these whole numbers."""

    @property
    def information_is_exact(self) -> bool:
        """Whether it is that of the reports as they are sent."""

    @property
    def constants_as_part(self) -> Constants:
        """The name, the number of nodes and the constants."""

    @property
    def sums_have_law(self) -> bool:
        """Whether `draw_state` draws the server's sums."""

    @property
    def told_places(self) -> int:
        """How many numbers `estimate` has."""

    def mean_scores(self, weights: Floats) -> Floats:
        """Compute the mean of `sum_v u_v y_v` for a user of each node, from weights of the places."""

    @property
    def score_is_reached(self) -> bool:
        """Whether a report has the score of `highest_scores`; else that is an upper bound."""

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest score over all reports, or an upper bound, for weights of shape (q, places)."""

    def estimate(self, state: State) -> Floats:
        """Estimate what the level tells of each node."""

    def draw_state(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the server's state where `counts[v]` users have the node v."""


LevelNoise = Callable[[int, LevelSums], Floats]
"""Computes the noise of a level, by its number in lists."""

SumsOfQueries = Callable[[Queries], Iterator[LevelSums]]
"""Forms the sums of each level for queries, at shares that were given before."""


class LevelOracle(FrequencyBase):
    """Serve a system of levels: a subclass says what the levels are, and how answers follow from their estimates.

    Levels are numbered from 1 in reports and messages, and from 0 in lists. A report has the columns `level` and
    `report`, the message of the level oracle's report (`wire`). A state has the numbers of users of all levels, then
    the sums of level 1, and so on.
    """

    @property
    def title(self) -> str:
        """The name with the number of children of a node, and every option that is not the usual one.

        Weights of levels stand for the name that they were asked by; very many are shortened.
        """
        usual = {field.name: field.default for field in fields(self)}
        if set(self.level_weights) == {1}:
            usual["levels"] = "-".join(map(str, self.level_weights))
        elsewhere = ("k", "privacy", "sides")
        told = (
            f"{option}={shorten(getattr(self, name))}"
            for option, name in self.fields_by_option().items()
            if option not in elsewhere and (option == "b" or getattr(self, name) != usual[name])
        )
        return ":".join((self.name, *told))

    @property
    @abstractmethod
    def level_oracles(self) -> Sequence[NodeOracle]:
        """The oracle of each level's nodes."""

    @property
    @abstractmethod
    def level_weights(self) -> tuple[int, ...]:
        """How often each level is drawn: in proportion to these whole numbers, which are public."""

    @abstractmethod
    def encode(self, level: int, values: Values) -> Values:
        """Return what the level's oracle reports about, for users with these items: their nodes."""

    @abstractmethod
    def items_of(self, estimates: Sequence[Floats]) -> Floats:
        """Estimate the share of each item from the estimates of all levels, shape (k,)."""

    @abstractmethod
    def answers_of(self, estimates: Sequence[Floats], queries: Queries) -> Floats:
        """Answer queries from the estimates of all levels, shape (q,)."""

    @abstractmethod
    def sums_at(self, shares: Floats) -> SumsOfQueries:
        """Return what forms the sums of all levels for queries, where the items have these shares."""

    def answers_fast(self, queries: Queries) -> bool:
        """Tell whether the sums of these queries are formed without writing all of their weights down."""
        return not isinstance(queries, LinearQueries)

    def level_noise(self, level: int, sums: LevelSums) -> Floats:
        """Compute `N_l`, as `level_sums` defines it."""
        return noise(self.level_oracles[level].moments, sums)

    def least_level_noise(self, level: int, sums: LevelSums) -> Floats:
        """Compute a value that `N_l` does not go below, whatever the shares are."""
        return least_noise(self.level_oracles[level].moments, sums)

    @property
    def moments(self) -> list[Moments]:
        """Second moments of one user's scores, of each level's oracle."""
        return [oracle.moments for oracle in self.level_oracles]

    @property
    def height(self) -> int:
        """Number of levels."""
        return len(self.level_weights)

    @cached_property
    def level_chances(self) -> tuple[Fraction, ...]:
        """Chance of each level."""
        total = sum(self.level_weights)
        return tuple(Fraction(weight, total) for weight in self.level_weights)

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used: the smallest of the levels, as the level is no secret."""
        return min(oracle.alpha for oracle in self.level_oracles)

    @property
    def bits(self) -> float:
        """Bits that one report costs to send at most: the level's number and the report of the largest level."""
        return bits_for(self.height) + max(oracle.bits for oracle in self.level_oracles)

    @property
    def mean_bits(self) -> float:
        """Bits that one report costs to send, on average over the levels."""
        costs = zip(self.level_chances, self.level_oracles, strict=True)
        return bits_for(self.height) + sum(float(chance) * oracle.bits for chance, oracle in costs)

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read, on average over the levels, rounded up."""
        costs = zip(self.level_chances, self.level_oracles, strict=True)
        return 48 + math.ceil(sum(chance * (oracle.row_bytes + 3 * oracle.wire.width) for chance, oracle in costs))

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return sum(oracle.server_bytes for oracle in self.level_oracles) + 32 * self.k

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper: at the own level, on average."""
        return shared_out_seconds(self.level_chances, self.level_oracles)

    @property
    def message_bytes(self) -> float:
        """Bytes of one message, on average over the levels."""
        return self.wire.mean_width(self.level_chances)

    @cached_property
    def wire(self) -> Wire:
        """The columns of its reports: the level, from 1, and the message of the level's oracle."""
        wires = tuple(oracle.wire for oracle in self.level_oracles)
        return Wire((Numbers("level", self.height + 1, first=1), ByteStrings("report", "level", wires)))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 for the level, and what the level's oracle adds."""
        return OneOf(tuple(oracle.contribution for oracle in self.level_oracles), "level")

    def own_constants(self) -> Constants:
        """State how often each level is drawn, which items are together in a node, and the oracle of the nodes."""
        levels = zip(self.level_weights, self.level_nodes(), self.level_oracles, strict=True)
        return {"levels": [{"weight": weight, **nodes, **kind.constants_as_part} for weight, nodes, kind in levels]}

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the users of each level, and of the sums of each."""
        yield from branch_rates(state, "level", 1, self.level_oracles, self.level_chances, self.state_lengths)

    @abstractmethod
    def level_nodes(self) -> Iterable[Constants]:
        """State for each level which items are together in a node."""

    @cached_property
    def state_lengths(self) -> tuple[int, ...]:
        """Number of sums of each level."""
        return tuple(len(self._empty(level).sums) for level in self.all_levels)

    @property
    def all_levels(self) -> range:
        """Levels as lists have them."""
        return range(self.height)

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each value, shape (users,): draw the level, and let its oracle report the node."""
        source = words or system_words
        values = self.checked(values)
        levels = ColumnSampler(list(self.level_weights), sum(self.level_weights)).draw(source, len(values))
        rows = [np.flatnonzero(levels == level) for level in self.all_levels]
        packed = []
        for level, oracle in enumerate(self.level_oracles):
            nodes = self.encode(level, values[rows[level]])
            packed.append(oracle.wire.pack(oracle.privatize(nodes, source)))
        return self.reports_of(levels + 1, Ragged.gathered(len(values), rows, packed))

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every value: its level, and the bytes of the level's report."""
        law: ReportLaw = {}
        items = np.arange(self.k, dtype=np.int64)
        for level, oracle in enumerate(self.level_oracles):
            nodes = self.encode(level, items).tolist()
            chance = self.level_chances[level]
            for report, chances in oracle.report_law().items():
                law[(level + 1, *oracle.wire.key(report))] = tuple(chance * chances[node] for node in nodes)
            require_few(len(law), self.name)
        return law

    def information_at(self, counts: Values) -> Floats:
        """Add up the information of the levels, each weighed by its chance: an item tells what its node tells."""
        items, found = np.arange(self.k, dtype=np.int64), np.zeros((self.k, self.k))
        for level, kind in enumerate(self.level_oracles):
            found += float(self.level_chances[level]) * of_nodes(kind, self.encode(level, items), counts)
        return found

    @property
    def information_is_exact(self) -> bool:
        """Whether it is that of the reports as they are sent, at all levels."""
        return all(kind.information_is_exact for kind in self.level_oracles)

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports, level by level."""
        levels, packed = self.wire.numbers_and_strings(reports, self.parameters)
        counts, sums = [], []
        for level, oracle in enumerate(self.level_oracles):
            rows = np.flatnonzero(levels == level + 1)
            counts.append(len(rows))
            try:
                own = oracle.wire.unpack(packed.rows(rows, oracle.wire.width), oracle.parameters)
                sums.append(oracle.aggregate(own).sums)
            except InputError as error:
                raise InputError(f"{error} among those of level {level + 1}") from None
        return State(self.parameters, len(reports), np.concatenate([counts, *sums]).astype(np.int64))

    @property
    def sums_have_law(self) -> bool:
        """Whether the server's sums have a law that can be drawn at once: yes."""
        return True

    def draw_state(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the server's state where `counts[v]` users have the item v: the levels, then each level's sums.

        Sums are drawn from their law where they have one; else every user's report is, some at a time.
        """
        left, chance_left = np.asarray(counts, dtype=np.int64), Fraction(1)
        users, sums = [], []
        for level, chance in enumerate(self.level_chances):
            drawn = left if chance == chance_left else generator.binomial(left, float(chance / chance_left))
            left, chance_left = left - drawn, chance_left - chance
            users.append(int(drawn.sum()))
            sums.append(self._level_state(level, drawn, generator).sums)
        return State(self.parameters, sum(users), np.concatenate([users, *sums]).astype(np.int64))

    def _empty(self, level: int) -> State:
        oracle = self.level_oracles[level]
        return oracle.aggregate(oracle.privatize(np.zeros(0, dtype=np.int64)))

    def _level_state(self, level: int, counts: Values, generator: np.random.Generator) -> State:
        """Draw the state of a level where so many of its users have each item."""
        oracle = self.level_oracles[level]
        nodes = self.encode(level, np.arange(self.k, dtype=np.int64))
        of_nodes = np.bincount(nodes, weights=counts, minlength=oracle.k).astype(np.int64)
        if oracle.sums_have_law:
            return oracle.draw_state(of_nodes, generator)
        state = self._empty(level)
        words, ends = words_of(generator), np.cumsum(of_nodes)
        for start in range(0, int(ends[-1]), USERS_AT_ONCE):
            users = np.arange(start, min(start + USERS_AT_ONCE, int(ends[-1])))
            own = np.searchsorted(ends, users, side="right")
            state = state.merge(oracle.aggregate(oracle.privatize(own, words)))
        return state

    def users_of(self, state: State) -> Floats:
        """Return the number of users of each level.

        Raises:
            InputError: for a state that is not this oracle's.
            NoAnswerError: for a level without users.
        """
        state = self.checked_state(state)
        require_length(state.sums, self.height + sum(self.state_lengths))
        users = require_counts(state.sums[: self.height], state.users)
        if int(users.sum()) != state.users:
            raise InputError(f"a state must have {state.users} users over all levels, got {users.sum()}")
        if not users.all():
            raise NoAnswerError(
                f"each level must have a report, got none of level {np.argmin(users) + 1} of {self.height} "
                f"from {state.users} user{'' if state.users == 1 else 's'}; collect more reports, or give the level a "
                "larger weight"
            )
        return users.astype(np.float64)

    def level_estimates(self, state: State) -> list[Floats]:
        """Estimate each level from its own users."""
        users = self.users_of(state).astype(np.int64).tolist()
        sums = np.split(state.sums[self.height :], np.cumsum(self.state_lengths)[:-1])
        return [
            oracle.estimate(State(oracle.parameters, count, part))
            for oracle, count, part in zip(self.level_oracles, users, sums, strict=True)
        ]

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
        items = np.arange(self.k, dtype=np.int64)
        empty = [np.zeros(oracle.told_places) for oracle in self.level_oracles]
        constant, found = self.answers_of(empty, queries), []
        for level, oracle in enumerate(self.level_oracles):
            of_places = np.empty((len(queries), oracle.told_places))
            for place in range(oracle.told_places):
                told = [estimates.copy() for estimates in empty]
                told[level][place] = 1.0
                of_places[:, place] = np.where(whole, 0.0, self.answers_of(told, queries) - constant)
            means = oracle.mean_scores(of_places)[:, self.encode(level, items)]
            found.append(AnswerPart(self.level_chances[level], oracle, of_places, means))
        return found

    @property
    def score_is_reached(self) -> bool:
        """Whether reports of all levels have the highest score."""
        return all(oracle.score_is_reached for oracle in self.level_oracles)

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
        self.require_own(queries)
        shares = np.asarray(frequencies, dtype=np.float64)
        whole = queries.apply_squares(shares) - queries.apply(shares) ** 2
        return self._variance(queries, self.sums_at(shares), self.level_noise, whole, users)

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

        def at_least(level: int, sums: LevelSums) -> Floats:
            return np.maximum(self.level_noise(level, sums), self.least_level_noise(level, sums))

        return self._variance(queries, possible, at_least, whole, users)

    def _variance(
        self, queries: Queries, sums_of: SumsOfQueries, level_noise: LevelNoise, whole: Floats, users: Users
    ) -> Floats:
        counts, found = self.users_by_level(users), np.empty(len(queries))
        step = QUERIES_AT_ONCE if self.answers_fast(queries) else max(1, PART_WEIGHTS // self.k)
        for start in range(0, len(queries), step):
            part = slice(start, start + step)
            sums = list(sums_of(queries[part]))
            noises = (level_noise(level, of_level) for level, of_level in enumerate(sums))
            found[part] = total_variance(noises, [of_level.spread for of_level in sums], whole[part], counts)
        return found

    def users_by_level(self, users: Users) -> Floats:
        """Return the number of users of each level; of n users level l has n p_l.

        Raises:
            InputError: for a level without users, another number of levels, or less than two users of several levels.
        """
        if isinstance(users, np.ndarray):
            if users.shape != (self.height,) or not (users > 0).all():
                raise InputError(f"users must be {self.height} numbers above 0, one for each level, got {users}")
            return users.astype(np.float64)
        if users < min(2, self.height):
            raise InputError(f"users must be at least {min(2, self.height)} for {self.name}, got {users}")
        return users * np.array([float(chance) for chance in self.level_chances])

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
        noises = [self.level_noise(level, of_level) for level, of_level in enumerate(sums)]
        return float(sum(noise / count for noise, count in zip(noises, self.users_by_level(users), strict=True))[0])


def words_of(generator: np.random.Generator) -> WordSource:
    """Take random words from a generator, for simulation."""

    def words(count: int) -> Words:
        return generator.integers(0, 2**64, size=count, dtype=np.uint64)

    return words
