"""Level oracles: each user reports about one level, with the whole privacy budget.

The level is drawn with public chances, and the user's node of this level is reported through an oracle of the level's
nodes. The server estimates each level from its own users, so the noise of different levels is independent.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import NoAnswerError, shorten
from mechdesign.workloads.arcs import ArcQueries
from mechdesign.workloads.queries import PART_WEIGHTS, Intervals, LinearQueries, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.trees.level_sums import LevelSums, least_noise, noise, total_variance
from mechdesign_catalog.decoders.trees.plan import parse_levels
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.randomizers.facts.liars import AnswerPart
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.oracle import Users
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants, State
from mechdesign_catalog.systems.levels.frequency_mixture import FrequencyMixture
from mechdesign_catalog.systems.levels.signed_hadamard import SignedHrr

QUERIES_AT_ONCE = 1 << 14

LevelNoise = Callable[[Moments, LevelSums], Floats]
"""Computes the noise of a level, `N_l` as `level_sums` defines it, from the moments of its oracle."""

SumsOfQueries = Callable[[Queries], Iterator[LevelSums]]
"""Forms the sums of each level for queries, at shares that were given before."""


class LevelOracle(FrequencyMixture):
    """The system of levels; a subclass says what they are, and how answers follow from them.

    Levels are numbered from 1 in reports and messages, and from 0 in lists. A report has the columns `level` and
    `report`, the message of the level oracle's report (`wire`). A state has the numbers of users of all levels, then
    the sums of level 1, and so on.
    """

    branch_column: ClassVar[str] = "level"
    first_number: ClassVar[int] = 1
    needs_every_branch: ClassVar[bool] = True
    shared_out: ClassVar[str] = "{} users over all levels"

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
            sums = sums_of(queries[part])
            levels = ((level_noise(*pair), pair[1].spread) for pair in zip(self.moments, sums, strict=True))
            found[part] = total_variance(levels, whole[part], counts, least)
        return found

    def approximate_variance(self, users: int) -> float:
        """Compute the variance of item 0 where it is rare, and so are the nodes that it is in."""
        item = Intervals(self.k, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        sums = self.sums_at(np.zeros(self.k))(item)
        noises = map(noise, self.moments, sums)
        return float(sum(one / count for one, count in zip(noises, self.users_by_branch(users), strict=True))[0])
