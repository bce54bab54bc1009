"""Levels of rows at public shifts, frequency by frequency, and the choice of their weights.

A level's score of a report is the sum of a vector h over the places that the reported row holds. With F the sums of h
over the rows at all starts, c those of the users' shares, and h of sum 0, one report of a user has in its score

    the mean square       sum_s F_s^2 (plain + own c_s),   over all users,
    the mean              pull times the sum of F over the starts of the rows that hold the user's item.

All starts are as likely, so both are the same in every turn of the circle. In the frequency j let `|p_j|^2` be the
squared transform of a row. Where all places have equal shares, scores times `pull / (plain + own |p| / K)` are best
added up, K places and |p| of them in a row; the level then tells `P(j) = pull^2 |p_j|^2 / (plain + own |p| / K)` of the
frequency, and levels of weights w together `A(j) = sum w P(j)`. An answer of the query q has the variance
`sum_j |q_j|^2 / (K A(j))` for a user, less what it has by the item alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from mechdesign_catalog.decoders.best_shares import best_shares
from mechdesign_catalog.decoders.circles.circle import Circle
from mechdesign_catalog.decoders.circles.pattern import Pattern, Places
from mechdesign_catalog.decoders.circles.rectangle import Rectangle
from mechdesign_catalog.randomizers.reports.probabilities import Floats

Pairing = Callable[[Floats, Floats], Floats]
"""Sums the product of numbers at all places, for each query, and shares: `values @ shares`, or for all turns of one."""

NARROW = 1 << 8
"""Frequencies that are all looked at; above them one of each of `WIDE` ranges stands for the others."""

WIDE = 800

GOLDEN = 0.6180339887
"""Where in its range the one stands, from range to range a step further."""

SLACK, ROUNDS = 1e-4, 40
"""Weights are good enough when no level promises more than this; and how often levels are added at most."""

FIRST, ADDED = 20, 8
"""Levels that are weighed first, unless others are known to be good; and how many are added to them at once."""

FIRM = 1e-9
"""The part of all curvature that each level has beside its own, so that steps are one also where levels are alike."""

NEW, DROPPED, LEAST = 1e-3, 1e-6, 1e-9
"""The weight that a level begins with at least; one below the second is left out until it is added again.

While levels are weighed none goes below the third, so that every frequency is told.
"""


@dataclass(frozen=True)
class LevelFacts:
    """The patterns of a level's rows, how often each start has one of each, and the three numbers of its reports."""

    kinds: tuple[tuple[int, Pattern | Rectangle], ...]
    plain: Fraction
    own: Fraction
    pull: Fraction

    @cached_property
    def scale(self) -> Fraction:
        """What scores are multiplied by: best where all rows have as many places, as many as they have on average."""
        places = Fraction(sum(times * one.places for times, one in self.kinds), sum(times for times, _ in self.kinds))
        return self.pull / (self.plain + self.own * places / self.kinds[0][1].size)

    def mean_square(self, squares: Floats, held: Floats | float) -> Floats:
        """Return `squares (plain + own held)`, the mean square at each start, in floats."""
        found: Floats = squares * (float(self.plain) + float(self.own) * held)
        return found

    def moments(self, weights: Floats, places: Floats, pair: Pairing) -> tuple[Floats, Floats]:
        """Return the mean square of the scores of all users, for weights and shares of all places, and `means`."""
        gathered, found = self.gathered(weights), np.zeros(1)
        for (times, pattern), sums in zip(self.kinds, gathered, strict=True):
            squares = sums**2
            of_own = pair(squares, pattern.gathered(places))
            found = found + times * (float(self.plain) * squares.sum(axis=-1) + float(self.own) * of_own)
        return found, self.means(gathered)

    def gathered(self, values: Floats) -> list[Floats]:
        """Return for each kind, and each start, the sum of what the row there holds."""
        return [pattern.gathered(values) for _, pattern in self.kinds]

    def means(self, sums: Sequence[Floats]) -> Floats:
        """Return the mean score of a user of each place, from sums over rows of each kind by their starts."""
        found: Floats = np.zeros(1)
        for (times, pattern), of_rows in zip(self.kinds, sums, strict=True):
            found = found + float(self.pull) * times * pattern.scattered(of_rows)
        return found

    def powers(self, frequencies: Places) -> Floats:
        """Return what the level tells of these frequencies, above 0."""
        squares = (times * pattern.squares(frequencies) for times, pattern in self.kinds)
        return self.power_unit * sum(squares, np.zeros(1))

    @property
    def power_unit(self) -> float:
        """What the level tells of a frequency for each unit of the squared transforms of its rows there."""
        return float(self.scale * self.pull)


def cut_squares(circle: Circle) -> Floats:
    """Return the sum of `|q_j|^2 / K` over all arcs of the items, for the frequencies 1 .. K//2 with their mirrors.

    An arc lies between two of k cuts, either way round: all pairs of them have `k^2` less the squared transform of all.
    """
    frequencies, every = circle.frequencies, Pattern(circle.size, ((0, circle.k),))
    both = np.where(2 * frequencies == circle.size, 1.0, 2.0)
    asked = both * (circle.k**2 - every.squares(frequencies))
    squares: Floats = asked / 2 / np.sin(np.pi * frequencies / circle.size) ** 2 / circle.size
    return squares


def chosen_frequencies(squares: Floats) -> tuple[Places, Floats]:
    """Return frequencies that stand for all, rising, and what those that each stands for have together."""
    last = len(squares)
    edges = np.arange(1, min(last, NARROW) + 1)
    if last > NARROW:
        wide = np.geomspace(NARROW + 1, last + 1, min(WIDE, last - NARROW), endpoint=False).astype(np.int64)
        edges = np.unique(np.concatenate([edges, wide]))
    ends = np.append(edges[1:], last + 1)
    chosen = edges + ((ends - edges) * (np.arange(len(edges)) * GOLDEN % 1)).astype(np.int64)
    sums = np.concatenate([[0.0], np.cumsum(squares)])
    return chosen, sums[ends - 1] - sums[edges - 1]


def best_weights(powers: Floats, squares: Floats, start: Floats | None = None) -> Floats:
    """Return the weights w of levels, of sum 1, with the least `sum_j squares_j / (w'powers)_j`; it is convex.

    Few levels have a weight in the end. So a few are weighed at a time, and those that promise most are added until
    none promises more: with g the slope of a level's weight and v the value, the value is at most `max g - v` above
    the least.

    Args:
        powers: what each level tells of each frequency; the first tells all.
        squares: what queries ask of these.
        start: weights that may be good, where some are known. They change how long it takes, and not what is reached.
    """
    weights = _first_weights(powers, squares) if start is None else np.maximum(start, 0.0)
    weights[0] = max(weights[0], NEW)
    for _ in range(ROUNDS):
        kept = np.flatnonzero(weights)
        own = powers[kept]

        def value(shares: Floats, own: Floats = own) -> tuple[float, Floats]:
            gains = own @ (squares / (shares @ own) ** 2)
            return float(shares @ gains), gains

        def curved(shares: Floats, own: Floats = own) -> Floats:
            bent: Floats = (2 * squares / (shares @ own) ** 3 * own) @ own.T
            bent.flat[:: len(own) + 1] += FIRM * np.trace(bent)
            return bent

        begun = np.maximum(weights[kept], NEW)
        found = best_shares(value, begun, LEAST, lambda at: at.variance <= at.bound * (1 + SLACK / 2), curved)
        weights[kept] = np.where(found.shares > DROPPED, found.shares, 0.0)
        gains = powers @ (squares / (found.shares @ own) ** 2)
        if gains.max() <= found.variance * (1 + SLACK):
            break
        more = np.argsort(-gains)[:ADDED]
        weights[more] = np.maximum(weights[more], NEW)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _first_weights(powers: Floats, squares: Floats) -> Floats:
    """Return equal weights of all levels, or of the first few that promise most where all have equal ones."""
    gains = powers @ (squares / powers.mean(axis=0) ** 2)
    weights = np.zeros(len(powers))
    weights[np.argsort(-gains)[:FIRST]] = 1 / FIRST
    return weights
