"""Shifted levels: rows of places at public shifts of a circle or a torus, several levels of them."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Generic

import numpy as np

from mechdesign.errors import InputError, NoAnswerError, shorten
from mechdesign.workloads.ordered import Histogram
from mechdesign.workloads.queries import PART_WEIGHTS, Intervals, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.circles.circle import Circle
from mechdesign_catalog.decoders.circles.levels import Pairing
from mechdesign_catalog.decoders.circles.torus import Torus
from mechdesign_catalog.decoders.trees.level_sums import total_variance
from mechdesign_catalog.randomizers.facts.liars import AnswerPart, WorstBias, worst_answer_bias
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, Users, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants, State
from mechdesign_catalog.systems.levels.weighed_levels import OPTIMAL, Naming, Rows, WeighedLevel, require_epsilon

MOST_WEIGHTS = 1 << 27
"""Weights of all queries up to which a workload's variances are computed query by query."""


class ShiftedLevels(Mixture, FrequencyOracle, Generic[Rows]):
    """Rows at public shifts, the level drawn by public chances; a subclass says on what ground, and which levels.

    The ground has K places, of which the items are the first; the others are padding. A report holds some places. With
    `P_l(j)` what level l tells of the frequency j (`LevelFacts`), `w_l` the chances and `A = sum_l w_l P_l`, the
    estimate is `sum_l w_l scale_l A^-1 y_l`, and the constant that makes shares add up to 1: y_l are the shares of the
    level's reports that hold each place. One transform divides by A. It is unbiased, as the reports of level l hold a
    place with a chance whose transform is `pull_l |p_j|^2` times that of the shares.
    """

    branch_column: ClassVar[str] = "level"
    first_number: ClassVar[int] = 1
    needs_every_branch: ClassVar[bool] = True
    equal_branches_by_remainder: ClassVar[bool] = False
    shared_out: ClassVar[str] = "{} users over all levels"
    score_is_reached: ClassVar[bool] = False

    closed: ClassVar[str]
    """The workloads whose average needs no query by itself."""

    @property
    @abstractmethod
    def ground(self) -> Circle | Torus:
        """The places."""

    levels: str
    """The levels with their weights; `optimal` is replaced by the best ones."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_epsilon(self.name, self.privacy)
        self.settle_sides()
        object.__setattr__(self, "levels", _text(self.weighed))

    def settle_sides(self) -> None:
        """Write the sides of the ground out, before the levels are settled; here there are none."""

    @property
    @abstractmethod
    def optimal(self) -> tuple[WeighedLevel[Rows], ...]:
        """The best levels."""

    @property
    @abstractmethod
    def naming(self) -> Naming[Rows]:
        """How texts name levels."""

    @cached_property
    def weighed(self) -> tuple[WeighedLevel[Rows], ...]:
        """The levels, the finest first where they are the best ones."""
        text = str(self.levels)
        return self.optimal if text.strip().lower() == OPTIMAL else self.naming.parsed(text)

    @cached_property
    def parts(self) -> tuple[Rows, ...]:
        """The oracle of each level."""
        return tuple(level.oracle for level in self.weighed)

    @cached_property
    def branch_weights(self) -> tuple[int, ...]:
        """How often each level is drawn, in proportion."""
        return tuple(level.weight for level in self.weighed)

    @property
    def title(self) -> str:
        """The name, with levels that are not the best ones."""
        return self.name if self.levels == _text(self.optimal) else f"{self.name}:levels={shorten(self.levels)}"

    def own_constants(self) -> Constants:
        """State how often each level is drawn, with its oracle."""
        return {"levels": [{"weight": one.weight, **one.oracle.constants_as_part} for one in self.weighed]}

    @property
    def information_is_exact(self) -> bool:
        """Whether it is that of the reports as they are sent: where there is no padding, and parts say so."""
        return not self.ground.padding and super().information_is_exact

    @property
    def inputs(self) -> Values:
        """All items."""
        return np.arange(self.k, dtype=np.int64)

    def encode(self, branch: int, values: Values) -> Values:
        """Return the items: they are the first places."""
        return values

    @property
    def time_class(self) -> str:
        """How time grows, client and server: as at single items."""
        return self.parts[0].time_class

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return super().server_bytes + 64 * self.ground.size

    def without_reports(self, branch: int, users: float) -> NoAnswerError:
        """Make the error for a level without any of so many users."""
        return NoAnswerError(
            f"each level must have a report, got none of level {branch + 1} of {self.branches} from {users:.0f} "
            f"user{'' if users == 1 else 's'}; collect more reports"
        )

    @cached_property
    def told(self) -> Floats:
        """`A(j)` at the frequency 0, where all is known and this is infinity, and at all others."""
        frequencies = self.ground.frequencies
        told = np.full(len(frequencies) + 1, np.inf)
        powers = (part.facts.powers(frequencies) for part in self.parts)
        told[1:] = sum(float(w) * power for w, power in zip(self.branch_chances, powers, strict=True))
        return told

    def solved(self, vectors: Floats) -> Floats:
        """Return `A^-1` times vectors of all places, along the last axis, less their means."""
        return self.ground.of_waves(self.ground.waves(vectors) / self.told)

    @cached_property
    def factors(self) -> tuple[float, ...]:
        """What the mean score of each level's reports counts: its chance times its scale."""
        levels = zip(self.branch_chances, self.parts, strict=True)
        return tuple(float(chance * part.facts.scale) for chance, part in levels)

    def estimate(self, state: State) -> Floats:
        """Estimate the share of each item, shape (k,), unbiased; they add up to 1.

        Raises:
            InputError: for a state that is not this oracle's.
            NoAnswerError: for a level without users.
        """
        self.users_of(state)
        return self.items_of(part.estimate(own) for part, own in zip(self.parts, self.part_states(state), strict=True))

    def items_of(self, estimates: Iterable[Floats]) -> Floats:
        """Estimate the share of each item from the shares of the reports of all levels that hold each place."""
        mean = sum((factor * held for factor, held in zip(self.factors, estimates, strict=True)), np.zeros(1))
        return self.ground.folded(self.solved(mean) + 1 / self.ground.size)

    def answers_of(self, estimates: Sequence[Floats], queries: Queries) -> Floats:
        """Answer queries from the same."""
        return queries.apply(self.items_of(estimates))

    def answer_parts(self, queries: Queries) -> Sequence[AnswerPart]:
        """Return what each level adds to answers, but for a constant."""
        solved = self.solved(self.ground.extended(queries.weights()))
        return [
            AnswerPart(chance, part, factor * solved, part.mean_scores(factor * solved)[:, : self.k])
            for chance, part, factor in zip(self.branch_chances, self.parts, self.factors, strict=True)
        ]

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest score of a report of any level, over the level's chance."""
        solved = self.solved(self.ground.extended(weights))
        levels = zip(self.factors, self.parts, self.branch_chances, strict=True)
        scores = [part.highest_scores(factor * solved) / float(chance) for factor, part, chance in levels]
        found: Floats = np.max(scores, axis=0)
        return found

    def worst_bias(self, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias of an item's share, all levels together; None for very many items."""
        return worst_answer_bias(self, Histogram(self.k), liars)

    def answer_variance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each answer, in `O(K log K)` for each level and query.

        Many ranges that begin, or that end, at the same place take as long as some thirty, so that prefixes are quick.
        """
        return self.of_queries(queries, np.asarray(frequencies, dtype=np.float64), users, 0.0)

    def unbounded_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Compute the formula at estimates of the shares."""
        return self.of_queries(queries, estimates, users, -np.inf)

    def estimated_answer_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each answer, at the estimates brought to shares: none below 0, of sum 1."""
        return self.answer_variance(queries, _as_shares(estimates), users)

    def of_queries(self, queries: Queries, shares: Floats, users: Users, least: float) -> Floats:
        """Compute the variance of queries at these shares; the part of sharing users out is not below `least`."""
        self.require_own(queries)
        return self.by_weights(queries, shares, users, least)

    def by_weights(self, queries: Queries, shares: Floats, users: Users, least: float) -> Floats:
        """Compute the variance of queries from all of their weights, some queries at a time."""
        found, places = [np.zeros(0)], self.ground.padded(shares)
        step = max(1, PART_WEIGHTS // self.ground.size)
        for start in range(0, len(queries), step):
            part = queries[start : start + step]
            whole = part.apply_squares(shares) - part.apply(shares) ** 2
            solved = self.solved(self.ground.extended(part.weights()))
            found.append(self._variance(solved, places, np.matmul, whole, users, least))
        return np.concatenate(found)

    def _variance(
        self, solved: Floats, places: Floats, pair: Pairing, whole: Floats, users: Users, least: float
    ) -> Floats:
        """Put the variance together of answers with these weights `A^-1 q`, at shares of the places (`level_sums`)."""

        def levels() -> Iterator[tuple[Floats, Floats]]:
            for factor, part in zip(self.factors, self.parts, strict=True):
                squares, own = part.facts.moments(factor * solved, places, pair)
                mean_square = pair(own**2, places)
                yield squares - mean_square, mean_square - pair(own, places) ** 2

        return total_variance(levels(), whole, self.users_by_branch(users), least)

    def variance(self, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each item's estimate: those of all turns of one place by transforms.

        The first and the last item have padding beside them, and are looked at by themselves.
        """
        shares = np.asarray(frequencies, dtype=np.float64)
        places = self.ground.padded(shares)
        one, waves = self.solved(np.eye(1, self.ground.size))[0], self.ground.waves(places)

        def turned(values: Floats, shares: Floats) -> Floats:
            of_shares = waves if shares is places else self.ground.waves(shares)
            return self.ground.of_waves(np.conj(self.ground.waves(values)) * of_shares)

        found = self._variance(one, places, turned, places - places**2, users, 0.0)[: self.k]
        if self.ground.padding:
            ends = np.array([0, self.k - 1])
            found[ends] = self.answer_variance(Intervals(self.k, ends, ends), shares, users)
        return np.maximum(found, 0.0)

    def estimated_variance(self, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each item's estimate."""
        return self.variance(_as_shares(estimates), users)

    def approximate_variance(self, users: int) -> float:
        """Compute the mean variance of an item where all are as frequent."""
        return float(self.variance(np.full(self.k, 1 / self.k), users).mean())

    def of_all(self, workload: Workload, users: int) -> Floats:
        """Compute the variance of all queries of a workload, one by one, at equal shares.

        Raises:
            InputError: for too many weights.
        """
        if workload.count * self.k > MOST_WEIGHTS:
            raise InputError(
                f"a workload for {self.name} must be {self.closed}, or have at most {MOST_WEIGHTS} weights, "
                f"got {workload.count} queries on {self.k} items"
            )
        return self.answer_variance(workload.queries(), np.full(self.k, 1 / self.k), users)

    def require_workload(self, workload: Workload) -> None:
        """Refuse a workload on other items."""
        if workload.k != self.k:
            raise InputError(f"workload must be on the {self.k} items of the oracle, got {workload.k}")


def _text(levels: Sequence[WeighedLevel[Rows]]) -> str:
    return "-".join(level.text for level in levels)


def _as_shares(estimates: Floats) -> Floats:
    """Bring estimates to shares: none below 0, of sum 1."""
    above = np.maximum(estimates, 0.0)
    return np.asarray(above / above.sum(), dtype=np.float64)
