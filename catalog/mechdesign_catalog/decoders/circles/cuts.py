"""Mean variances over all ranges between cuts of a circle, at equal shares, closed form.

A range is the difference of two cuts. So what a level does with it is `F_a - F_b`, F those of its cuts, and over all
pairs of n cuts `sum (F_a - F_b)^2 = n sum F_a^2 - (sum F_a)^2`, place by place.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.circles.circle import Circle
from mechdesign_catalog.decoders.circles.levels import LevelFacts
from mechdesign_catalog.decoders.circles.pattern import Pattern, Places, Waves
from mechdesign_catalog.decoders.trees.level_sums import total_variance
from mechdesign_catalog.randomizers.reports.probabilities import Floats

PAIRS: dict[type[Workload], tuple[int, int]] = {Arcs: (2, 0), Prefixes: (0, 1), Ranges: (1, 1)}
"""How often a workload has all pairs of cuts, and how often those with the end."""


MANY_OF_A_CUT = 24
"""Ranges with an end in common from which their variances together take less than one by one."""


@dataclass(frozen=True, eq=False)
class CutMoments:
    """The weights of a cut at place 0 in a level.

    `sums` are over rows of each kind by their starts, `own` is for users of places.

    A cut at c has the same, c places further round the circle.
    """

    facts: LevelFacts
    sums: list[Floats]
    own: Floats

    def mean_squares(self, squares: Callable[[Floats], Floats], held: Callable[[Pattern], Floats | float]) -> Floats:
        """Add up squares of all kinds, those of `sums`, where a start holds so much of the shares."""
        found = np.zeros(1)
        for (times, pattern), sums in zip(self.facts.kinds, self.sums, strict=True):
            assert isinstance(pattern, Pattern)
            found = found + times * self.facts.mean_square(squares(sums), held(pattern))
        return found

    def by_length(self, missing: int, k: int) -> tuple[Floats, Floats]:
        """Return noise and spread of ranges of 1 .. K-1 places, where each has the share 1/k, but so many of a row."""
        made = self.mean_squares(_apart, lambda pattern: max(pattern.places - missing, 0) / k)
        owns = _apart(self.own) / k
        return made - owns, owns


@dataclass(frozen=True, eq=False)
class PlaceShares:
    """The shares of the users that the places of a circle have."""

    circle: Circle
    shares: Floats

    @cached_property
    def waves(self) -> Waves:
        """Their transform."""
        return self.circle.waves(self.shares)


@dataclass(frozen=True, eq=False)
class CutPairs:
    """The ranges between two cuts in a level, at any shares of the places.

    With F the sums of one cut and G those of another, `sum h (F - G)^2` has a part of each and one of both. For all
    places of the second cut they come from one transform. Cuts are 0 .. k, where 0 and k are the end.
    """

    level: CutMoments
    of_places: PlaceShares

    @property
    def circle(self) -> Circle:
        """The circle."""
        return self.of_places.circle

    @property
    def places(self) -> Floats:
        """The shares of the places."""
        return self.of_places.shares

    @cached_property
    def _held(self) -> list[Floats]:
        """What the squares of the sums of each kind count at each start."""
        facts, ones = self.level.facts, np.ones(self.circle.size)
        held = zip(facts.kinds, facts.gathered(self.places), strict=True)
        return [times * facts.mean_square(ones, of_kind) for (times, _), of_kind in held]

    def noise_and_spread(self, cut: int, others: Places) -> Floats:
        """Return noise and spread of the ranges between one cut and each of the others, shape (2, others)."""
        if len(others) < MANY_OF_A_CUT:
            return self._one_by_one(cut, others)
        own, held, circle = self.level.own, self.of_places.waves, self.circle
        squares = self._squares([self.places], [held], [own], cut)
        noise = self._squares(self._held, map(circle.waves, self._held), self.level.sums, cut) - squares
        means = circle.of_waves(np.conj(circle.waves(own)) * held) - float(self._of_cut(own, cut) @ self.places)
        found: Floats = np.stack([noise, squares - means**2])[:, others % circle.size]
        is_end = others % self.circle.k == 0
        found[:, is_end] = self._one_by_one(cut, others[is_end][:1])
        return found

    def _one_by_one(self, cut: int, others: Places) -> Floats:
        found, every = np.empty((2, len(others))), [*self.level.sums, self.level.own]
        first = [self._of_cut(one, cut) for one in every]
        for column, other in enumerate(others.tolist()):
            *sums, own = (one - self._of_cut(values, other) for one, values in zip(first, every, strict=True))
            squares = sum(held @ of_kind**2 for held, of_kind in zip(self._held, sums, strict=True))
            mean_square = self.places @ own**2
            found[:, column] = squares - mean_square, mean_square - (self.places @ own) ** 2
        return found

    def _squares(self, masses: Sequence[Floats], waves: Iterable[Waves], values: Sequence[Floats], cut: int) -> Floats:
        """Add up `sum_s masses_s (F_s - G_s)^2` for all places of the second cut, over kinds of masses and values."""
        found, known, circle = np.zeros(1, dtype=np.complex128), 0.0, self.circle
        for mass, of_mass, value in zip(masses, waves, values, strict=True):
            one = self._of_cut(value, cut)
            found = found + np.conj(circle.waves(value**2)) * of_mass
            found -= 2 * np.conj(circle.waves(value)) * circle.waves(mass * one)
            known += float(mass @ one**2)
        return circle.of_waves(found) + known

    def _of_cut(self, values: Floats, cut: int) -> Floats:
        """Return F, from the values of a cut at place 0."""
        return self._end(values) if cut % self.circle.k == 0 else np.roll(values, cut)

    def _end(self, values: Floats) -> Floats:
        if not self.circle.padding:
            return values
        end = _Cuts.of(self.circle).end
        spread: Floats = end.scattered(values) / end.places
        return spread


def mean_over_pairs(circle: Circle, workload: Workload, levels: Iterable[CutMoments], users: Floats) -> float:
    """Average the variance over arcs, ranges or prefixes of equally frequent items.

    The cuts are before the items 1 .. k-1, and the one at the end, which the padding spreads over its places. All arcs
    are all pairs of cuts, either way round. Ranges are these pairs, those with the end once more, and the whole, which
    has no variance. Prefixes are the pairs with the end, and the whole.
    """
    k, cuts = circle.k, _Cuts.of(circle)
    pairs, ends = next(counts for kind, counts in PAIRS.items() if isinstance(workload, kind))
    shares = circle.padded(np.full(k, 1 / k))

    def summed(values: Floats) -> Floats:
        of_all, of_end = cuts.squares_of_pairs(values)
        return pairs * of_all + ends * of_end

    def noise_and_spread(level: CutMoments) -> tuple[Floats, Floats]:
        mean_square = summed(level.own) @ shares
        answers = cuts.answers(level.own)
        squared = pairs * (k * (answers @ answers) - answers.sum() ** 2)
        squared += ends * float(((answers - answers[0]) ** 2).sum())
        squares = level.mean_squares(summed, lambda pattern: pattern.gathered(shares))
        return np.array([squares.sum() - mean_square]), np.array([mean_square - squared])

    part = np.arange(1, k) / k
    whole = np.array([((pairs * (k - np.arange(1, k)) + ends) * part * (1 - part)).sum()])
    return float(total_variance(map(noise_and_spread, levels), whole, users)[0]) / workload.count


@dataclass(frozen=True)
class _Cuts:
    """The places of the cuts as patterns: those before items, and those that the one at the end is spread over."""

    k: int
    inner: Pattern
    end: Pattern
    items: Pattern

    @classmethod
    def of(cls, circle: Circle) -> "_Cuts":
        inner, end, items = (1, circle.k - 1), (circle.k, circle.padding + 1), (0, circle.k)
        return cls(circle.k, *(Pattern(circle.size, (run,)) for run in (inner, end, items)))

    def squares_of_pairs(self, values: Floats) -> tuple[Floats, Floats]:
        """Return `sum (F_a - F_b)^2` over all pairs of cuts, and over those with the end, at each place."""
        end = self.end.scattered(values) / self.end.places
        total, squares = self.inner.scattered(values) + end, self.inner.scattered(values**2) + end**2
        of_end = squares - 2 * end * total + self.k * end**2
        return self.k * squares - total**2, of_end

    def answers(self, values: Floats) -> Floats:
        """Return the mean of F over all items for the cut at the end and then the others, shape (k,)."""
        every = self.items.gathered(values)[-np.arange(self.k, self.items.size + self.k) % self.items.size] / self.k
        return np.concatenate([[every[: self.end.places].mean()], every[-self.k + 1 :]])


def _apart(values: Floats) -> Floats:
    """Return `sum (F_a - F_b)^2` over the places for cuts that are 1 .. K-1 apart."""
    products = np.fft.irfft(np.abs(np.fft.rfft(values)) ** 2, len(values))
    found: Floats = 2 * (products[0] - products[1:])
    return found
