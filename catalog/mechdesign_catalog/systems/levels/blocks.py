"""Blocks: rows at public shifts of a circle, for ranges and arcs of any number of items."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError, NoAnswerError, shorten
from mechdesign.workloads.ordered import Histogram, Prefixes
from mechdesign.workloads.queries import PART_WEIGHTS, Intervals, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.circles.circle import Circle
from mechdesign_catalog.decoders.circles.cuts import PAIRS, CutMoments, CutPairs, mean_over_pairs
from mechdesign_catalog.decoders.trees.level_sums import total_variance
from mechdesign_catalog.randomizers.facts.liars import AnswerPart, WorstBias, worst_answer_bias
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, Users, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants, State
from mechdesign_catalog.systems.levels.blocks_plan import OPTIMAL, WeighedLevel, optimal_levels, parse_blocks
from mechdesign_catalog.systems.levels.shifted_rows import ShiftedRows

Pairing = Callable[[Floats, Floats], Floats]
"""Sums the product of numbers at all places, for each query, and shares: `values @ shares`, or for all turns of one."""

MOST_WEIGHTS = 1 << 27
"""Weights of all queries up to which a workload's variances are computed query by query."""

MANY_OF_A_CUT = 32
"""Ranges with an end in common from which their variances together take less than one by one."""

LENGTHS_LOOKED_AT, STARTS_LOOKED_AT = 4, 16
"""Of a circle with padding: lengths with the largest variances without it, and where ranges of these start."""


@dataclass(frozen=True)
class Blocks(Mixture, FrequencyOracle):
    """A row of blocks of a circle at a public shift, the level drawn by public chances.

    Items lie on a circle of K places (`Circle`; some places may be padding). A level has blocks of one length, of which
    a report holds those in some buckets of public masks (`MaskedBlocks`), or cells of which it holds a rotation of a
    row (`RotatedCells`). With `P_l(j)` what level l tells of the frequency j (`LevelFacts`), `w_l` the chances and
    `A = sum_l w_l P_l`, the estimate is `sum_l w_l scale_l A^-1 y_l`, and the constant that makes shares add up to 1:
    y_l are the shares of the level's reports that hold each place. One transform divides by A. It is unbiased, as the
    reports of level l hold a place with a chance whose transform is `pull_l |p_j|^2` times that of the shares.

    `levels` are `optimal`, the best ones for all arcs, which are the best for all ranges too; or levels with weights,
    as `parse_blocks` takes them.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign.workloads.ordered import Ranges
    >>> oracle = Blocks(256, Privacy(epsilon=1))
    >>> f"{oracle.average_variance(Ranges(256), 1000) * 1000 * Ranges(256).count:.4g}"
    '7.887e+05'
    """

    levels: str = OPTIMAL
    name: ClassVar[str] = "blocks"
    branch_column: ClassVar[str] = "level"
    first_number: ClassVar[int] = 1
    needs_every_branch: ClassVar[bool] = True
    equal_branches_by_remainder: ClassVar[bool] = False
    shared_out: ClassVar[str] = "{} users over all levels"
    decoder: ClassVar[str] = "inverse on the circle"
    score_is_reached: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        text = "-".join(level.text for level in parse_blocks(self.levels, self.k, self.privacy))
        object.__setattr__(self, "levels", text)

    @cached_property
    def circle(self) -> Circle:
        """The circle that the items lie on."""
        return Circle(self.k)

    @cached_property
    def weighed(self) -> tuple[WeighedLevel, ...]:
        """The levels, the finest first."""
        return parse_blocks(self.levels, self.k, self.privacy)

    @cached_property
    def parts(self) -> tuple[ShiftedRows, ...]:
        """The oracle of each level."""
        return tuple(level.oracle for level in self.weighed)

    @cached_property
    def branch_weights(self) -> tuple[int, ...]:
        """How often each level is drawn, in proportion."""
        return tuple(level.weight for level in self.weighed)

    @property
    def title(self) -> str:
        """The name, with levels that are not the best ones."""
        usual = "-".join(level.text for level in optimal_levels(self.k, self.privacy))
        return self.name if self.levels == usual else f"{self.name}:levels={shorten(self.levels)}"

    @property
    def information_is_exact(self) -> bool:
        """Whether it is that of the reports as they are sent: where there is no padding, and parts say so."""
        return not self.circle.padding and super().information_is_exact

    @property
    def inputs(self) -> Values:
        """All items."""
        return np.arange(self.k, dtype=np.int64)

    def encode(self, branch: int, values: Values) -> Values:
        """Return the items: they are the first places of the circle."""
        return values

    @property
    def time_class(self) -> str:
        """How time grows, client and server: as at single items."""
        return self.parts[0].time_class

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return super().server_bytes + 64 * self.circle.size

    def own_constants(self) -> Constants:
        """State the places of the circle, and how often each level is drawn, with its oracle."""
        levels = zip(self.branch_weights, self.parts, strict=True)
        return {"places": self.circle.size, "levels": [{"weight": w, **kind.constants_as_part} for w, kind in levels]}

    def without_reports(self, branch: int, users: float) -> NoAnswerError:
        """Make the error for a level without any of so many users."""
        return NoAnswerError(
            f"each level must have a report, got none of level {branch + 1} of {self.branches} from {users:.0f} "
            f"user{'' if users == 1 else 's'}; collect more reports"
        )

    @cached_property
    def told(self) -> Floats:
        """`A(j)` at the frequencies 0 .. K//2, with infinity at 0, where all is known."""
        frequencies = np.arange(1, self.circle.size // 2 + 1)
        told = np.full(len(frequencies) + 1, np.inf)
        powers = (part.facts.powers(frequencies) for part in self.parts)
        told[1:] = sum(float(w) * power for w, power in zip(self.branch_chances, powers, strict=True))
        return told

    def solved(self, vectors: Floats) -> Floats:
        """Return `A^-1` times vectors on the circle, along the last axis, less their means."""
        found: Floats = np.fft.irfft(np.fft.rfft(vectors) / self.told, self.circle.size)
        return found

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
        return self.items_of(
            [part.estimate(own) for part, own in zip(self.parts, self.part_states(state), strict=True)]
        )

    def items_of(self, estimates: Sequence[Floats]) -> Floats:
        """Estimate the share of each item from the shares of the reports of all levels that hold each place."""
        mean = sum((factor * held for factor, held in zip(self.factors, estimates, strict=True)), np.zeros(1))
        return self.circle.folded(self.solved(mean) + 1 / self.circle.size)

    def answers_of(self, estimates: Sequence[Floats], queries: Queries) -> Floats:
        """Answer queries from the same."""
        return queries.apply(self.items_of(estimates))

    def answer_parts(self, queries: Queries) -> Sequence[AnswerPart]:
        """Return what each level adds to answers, but for a constant."""
        solved = self.solved(self.circle.extended(queries.weights()))
        return [
            AnswerPart(chance, part, factor * solved, part.mean_scores(factor * solved)[:, : self.k])
            for chance, part, factor in zip(self.branch_chances, self.parts, self.factors, strict=True)
        ]

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest score of a report of any level, over the level's chance."""
        solved = self.solved(self.circle.extended(weights))
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
        return self._of_queries(queries, np.asarray(frequencies, dtype=np.float64), users, 0.0)

    def unbounded_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Compute the formula at estimates of the shares."""
        return self._of_queries(queries, estimates, users, -np.inf)

    def estimated_answer_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each answer, at the estimates brought to shares: none below 0, of sum 1."""
        return self.answer_variance(queries, _as_shares(estimates), users)

    def _of_queries(self, queries: Queries, shares: Floats, users: Users, least: float) -> Floats:
        self.require_own(queries)
        if isinstance(queries, Intervals):
            return self._of_intervals(queries, shares, users, least)
        return self._by_weights(queries, shares, users, least)

    def _by_weights(self, queries: Queries, shares: Floats, users: Users, least: float) -> Floats:
        found, places = [np.zeros(0)], self.circle.padded(shares)
        step = max(1, PART_WEIGHTS // self.circle.size)
        for start in range(0, len(queries), step):
            part = queries[start : start + step]
            whole = part.apply_squares(shares) - part.apply(shares) ** 2
            solved = self.solved(self.circle.extended(part.weights()))
            found.append(self._variance(solved, places, np.matmul, whole, users, least))
        return np.concatenate(found)

    def _of_intervals(self, queries: Intervals, shares: Floats, users: Users, least: float) -> Floats:
        """Compute the variance of ranges: of many with one end in common at once, as differences of cuts."""
        first, end, places = queries.first, queries.last + 1, self.circle.padded(shares)
        cuts, others = (first, end) if len(np.unique(first)) <= len(np.unique(end)) else (end, first)
        sums = queries.apply(shares)
        whole, counts, found = sums * (1 - sums), self.users_by_branch(users), np.zeros(len(queries))
        levels, alone = list(self.cut_moments()), np.ones(len(queries), dtype=bool)
        for cut in np.flatnonzero(np.bincount(cuts) >= MANY_OF_A_CUT):
            at = np.flatnonzero(cuts == cut)
            pairs = (CutPairs(self.circle, level, int(cut)).noise_and_spread(places, others[at]) for level in levels)
            noises, spreads = zip(*pairs, strict=True)
            found[at], alone[at] = total_variance(noises, spreads, whole[at], counts, least), False
        rest = Intervals(self.k, first[alone], queries.last[alone])
        found[alone] = self._by_weights(rest, shares, users, least)
        return np.maximum(found, least)

    def _variance(
        self, solved: Floats, places: Floats, pair: Pairing, whole: Floats, users: Users, least: float
    ) -> Floats:
        """Put the variance together of answers with these weights `A^-1 q`, at shares of the places (`level_sums`)."""
        noises, spreads = [], []
        for factor, part in zip(self.factors, self.parts, strict=True):
            facts, sums = part.facts, part.pattern.gathered(factor * solved)
            squares, own = sums**2, facts.means(sums)
            mean_square = pair(own**2, places)
            spreads.append(mean_square - pair(own, places) ** 2)
            held = pair(squares, part.pattern.gathered(places))
            noises.append(float(facts.plain) * squares.sum(axis=-1) + float(facts.own) * held - mean_square)
        return total_variance(noises, spreads, whole, self.users_by_branch(users), least)

    def variance(self, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each item's estimate: those of all turns of one place by transforms.

        The first and the last item have padding beside them, and are looked at by themselves.
        """
        shares = np.asarray(frequencies, dtype=np.float64)
        places = self.circle.padded(shares)
        one = self.solved(np.eye(1, self.circle.size))[0]

        def turned(values: Floats, shares: Floats) -> Floats:
            both = np.conj(np.fft.rfft(values)) * np.fft.rfft(shares)
            return np.fft.irfft(both, self.circle.size)

        found = self._variance(one, places, turned, places - places**2, users, 0.0)[: self.k]
        if self.circle.padding:
            ends = np.array([0, self.k - 1])
            found[ends] = self.answer_variance(Intervals(self.k, ends, ends), shares, users)
        return np.maximum(found, 0.0)

    def estimated_variance(self, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each item's estimate."""
        return self.variance(_as_shares(estimates), users)

    def approximate_variance(self, users: int) -> float:
        """Compute the mean variance of an item where all are as frequent."""
        return float(self.variance(np.full(self.k, 1 / self.k), users).mean())

    def cut_moments(self) -> Iterator[CutMoments]:
        """Yield for each level how the weights of single cuts act, of which each range or arc is a difference."""
        size = self.circle.size
        until = np.cumsum(self.solved(np.eye(1, size))[0])
        until -= until.mean()
        for factor, part in zip(self.factors, self.parts, strict=True):
            facts, sums = part.facts, part.pattern.gathered(factor * until)
            yield CutMoments(facts, sums, facts.means(sums))

    def average_variance(self, workload: Workload, users: int) -> float:
        """Average the variance over all queries of a workload, where the items have equal shares.

        In closed form for ranges, prefixes and arcs; else query by query.

        Raises:
            InputError: for a workload on other items, or too many weights of other queries.
        """
        self._require(workload)
        if isinstance(workload, Histogram):
            return self.approximate_variance(users)
        if isinstance(workload, tuple(PAIRS)):
            return mean_over_pairs(self.circle, workload, list(self.cut_moments()), self.users_by_branch(users))
        return float(self._of_all(workload, users).mean())

    def largest_variance(self, workload: Workload, users: int) -> tuple[float, float | None]:
        """Return a value that the largest variance over a workload has at least, and a bound of it, at equal shares.

        Without padding the variance of a range or an arc hangs on its length alone, and all lengths are looked at: both
        are the same, and exact. With padding some ranges are looked at, and there is no bound.

        Raises:
            InputError: as `average_variance`.
        """
        self._require(workload)
        if isinstance(workload, Histogram):
            found = float(self.variance(np.full(self.k, 1 / self.k), users).max())
            return found, found
        if isinstance(workload, tuple(PAIRS)):
            return self._largest_of_lengths(workload, users)
        found = float(self._of_all(workload, users).max())
        return found, found

    def variance_by_length(self, users: int) -> Floats:
        """Compute the variance of an arc of 1 .. K-1 places where all places of the circle have equal shares."""
        counts, size = self.users_by_branch(users), self.circle.size
        part = np.arange(1, size) / size
        levels = [moments.by_length() for moments in self.cut_moments()]
        whole = part * (1 - part)
        return total_variance([one for one, _ in levels], [spread for _, spread in levels], whole, counts)

    def _largest_of_lengths(self, workload: Workload, users: int) -> tuple[float, float | None]:
        by_length = self.variance_by_length(users)[: self.k - 1]
        if not self.circle.padding:
            found = float(by_length.max()) if len(by_length) else 0.0
            return found, found
        lengths = np.argsort(-by_length)[:LENGTHS_LOOKED_AT] + 1
        starts = 1 if isinstance(workload, Prefixes) else STARTS_LOOKED_AT
        first = np.array([at * (self.k - length) // starts for length in lengths for at in range(starts)])
        ranges = Intervals(self.k, first, first + np.repeat(lengths, starts) - 1)
        return float(self.answer_variance(ranges, np.full(self.k, 1 / self.k), users).max()), None

    def _of_all(self, workload: Workload, users: int) -> Floats:
        if workload.count * self.k > MOST_WEIGHTS:
            raise InputError(
                f"a workload for blocks must be ranges, prefixes or circular, or have at most {MOST_WEIGHTS} weights, "
                f"got {workload.count} queries on {self.k} items"
            )
        return self.answer_variance(workload.queries(), np.full(self.k, 1 / self.k), users)

    def _require(self, workload: Workload) -> None:
        if workload.k != self.k:
            raise InputError(f"workload must be on the {self.k} items of the oracle, got {workload.k}")


def _as_shares(estimates: Floats) -> Floats:
    """Bring estimates to shares: none below 0, of sum 1."""
    above = np.maximum(estimates, 0.0)
    return np.asarray(above / above.sum(), dtype=np.float64)
