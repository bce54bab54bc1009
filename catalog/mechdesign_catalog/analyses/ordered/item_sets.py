"""Counts of users' item sets in ranges, by one item of each padded set."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign.workloads.queries import Intervals
from mechdesign_catalog.decoders.decoder import Decoder
from mechdesign_catalog.randomizers.facts.intervals import normal_intervals
from mechdesign_catalog.randomizers.kernels.draws import uniform_below
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State

MAX_LENGTH = 1 << 20


@dataclass(frozen=True)
class ItemSets:
    """A sampler of one item of a user's set, padded to a public length.

    Items are 0..items-1. A user with s items of them draws each with the chance `1/max(s, length)`, and else, where
    the set is shorter, the dummy item `items`; `k = items + 1`: one item for any oracle with this k. So a range's
    share of the drawn items, times the length, is how many items of the range a user has on average, but for users
    with more than `length` items, of whom each item counts `length / s` (see `truncation_bound`).

    `candidates` are the only items that count, in ascending order: the rest of a set is left out before it is padded.
    That is the second of two rounds (Kulkarni's thesis, section 7.1.2, after Qin et al., CCS 2016): `candidates_of` a
    first round's estimates; either both rounds with half of epsilon each, or each with other users. Answers are then
    about the candidates alone, and too small by all other items, however many these are.

    Raises:
        InputError: for no item, a length that is none, or candidates that are no ascending items.

    >>> sets = ItemSets(100, length=2)
    >>> sets.draw([[7], [], [1, 2]]).shape
    (3,)
    """

    items: int
    length: int
    candidates: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for name, most in (("items", 1 << 39), ("length", MAX_LENGTH)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise InputError(f"{name} must be a whole number from 1 to {most}, got {name}={value}")
        if self.candidates is not None:
            chosen = np.asarray(self.candidates)
            if not len(chosen) or chosen.min() < 0 or chosen.max() >= self.items or (np.diff(chosen) <= 0).any():
                raise InputError(f"candidates must be ascending items of 0..{self.items - 1}, got others")

    @property
    def k(self) -> int:
        """Number of items, and one for dummies."""
        return self.items + 1

    def draw(self, sets: Sequence[Sequence[int]], words: WordSource | None = None) -> Values:
        """Draw one item for each user's set, shape (users,), exactly. Operating-system randomness unless `words`.

        Raises:
            InputError: for a set with an item outside or one that stands twice, naming the row and not the item, which
                is private.
        """
        source = words or system_words
        sizes, flat = self._flat(sets)
        starts = np.cumsum(sizes) - sizes
        drawn = np.full(len(sizes), self.items, dtype=np.int64)
        slots = np.maximum(sizes, self.length)
        for size in np.unique(slots).tolist():
            rows = np.flatnonzero(slots == size)
            places = uniform_below(size, len(rows), source)
            real = places < sizes[rows]
            drawn[rows[real]] = flat[starts[rows[real]] + places[real]]
        return drawn

    def _flat(self, sets: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the size of each set, and all items one after the other; only candidates, where there are some."""
        sizes = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
        rows = np.repeat(np.arange(len(sets)), sizes)
        flat = np.array(list(chain.from_iterable(sets)))
        if flat.size and flat.dtype.kind not in "iu":
            raise InputError(f"items of sets must be whole numbers, got {flat.dtype}")
        flat = flat.astype(np.int64)
        if (outside := (flat < 0) | (flat >= self.items)).any():
            row = int(rows[np.argmax(outside)]) + 1
            raise InputError(f"items of sets must be in 0..{self.items - 1}, got another in row {row}")
        order = np.lexsort((flat, rows))
        twice = (np.diff(rows[order]) == 0) & (np.diff(flat[order]) == 0)
        if twice.any():
            row = int(rows[order][np.argmax(twice)]) + 1
            raise InputError(f"items of a set must be distinct, got one twice in row {row}")
        if self.candidates is None:
            return sizes, flat
        kept = np.isin(flat, np.asarray(self.candidates))
        return np.bincount(rows[kept], minlength=len(sets)), flat[kept]

    def truncation_bound(self, sizes: ArrayLike) -> float:
        """Return how much too small an answer can be if the users' sets have these sizes: the mean of what is beyond.

        A set of s items counts `length / s` of its items in a range, at most `s - length` too few. The sizes are
        private as well: take them from public data, or estimate their shares with an oracle of their own.
        """
        return float(np.maximum(np.asarray(sizes) - self.length, 0).mean())


@dataclass(frozen=True, eq=False)
class SetCounts:
    """The mean number of a user's items in each range, with standard errors; shape (q,) each."""

    counts: Floats
    standard_errors: Floats

    def intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return normal intervals, around estimates that may be below 0."""
        return normal_intervals(self.counts, self.standard_errors, level)


def estimate_set_counts(
    sets: ItemSets, oracle: FrequencyOracle, state: State, first: ArrayLike, last: ArrayLike
) -> SetCounts:
    """Estimate how many items of first..last, both included, a user has on average, for each such range.

    The answer of the oracle times the length: unbiased where no set is longer than that, else too small by at most
    `ItemSets.truncation_bound`, which intervals do not cover. The variance is that of the oracle, and at most `R
    (1-R)/n` more since items are sampled (R the share of the drawn items), both times the square of the length.

    Raises:
        InputError: for ranges of other items, or whose first is after their last.

    >>> from mechdesign.mechanism.sampling import seeded_words  # not for people, for whom it is left out
    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.systems.registry import parse_oracle
    >>> sets = ItemSets(63, length=2)
    >>> baskets = [[3, 40], [5], [3, 4], [60, 7, 50]] * 10_000
    >>> oracle = parse_oracle("hh:b=4", sets.k, Privacy(epsilon=2))
    >>> state = oracle.aggregate(oracle.privatize(sets.draw(baskets, seeded_words(1)), seeded_words(2)))
    >>> found = estimate_set_counts(sets, oracle, state, 0, 15)  # of (1 + 1 + 2 + 1)/4 = 1.25 the last set tells 2/3
    >>> [round(end.item(), 2) for end in (*found.counts, *found.intervals())]
    [1.16, 1.13, 1.19]
    >>> sets.truncation_bound([2, 1, 2, 3])
    0.25
    """
    starts, stops = np.atleast_1d(np.asarray(first)), np.atleast_1d(np.asarray(last))
    if len(stops) and stops.max() >= sets.items:
        raise InputError(f"ranges must end at item {sets.items - 1}, got one that ends at {stops.max()}")
    queries = Intervals(sets.k, starts, stops)
    decoder = Decoder(oracle)
    shares, noise = decoder.answers(state, queries), decoder.estimated_variance(state, queries)
    sampled = np.clip(shares * (1 - shares), 0, None) / state.users
    return SetCounts(sets.length * shares, sets.length * np.sqrt(noise + sampled))


def candidates_of(estimates: Floats, count: int) -> tuple[int, ...]:
    """Choose the items with the largest estimates of a first round, for `ItemSets.candidates`.

    The estimate of the dummy item must not be among them.

    Raises:
        InputError: for a count that is not in 1..len(estimates).
    """
    if not 1 <= count <= len(estimates):
        raise InputError(f"count must be in 1..{len(estimates)}, got count={count}")
    return tuple(np.sort(np.argsort(-estimates, kind="stable")[:count]).tolist())
