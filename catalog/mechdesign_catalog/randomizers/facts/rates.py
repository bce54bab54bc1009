"""Rates between which the sums of honest users lie, whatever the users have.

A count of reports adds up independent coins, one for each user, and a user's coin has a chance between `low` and
`high`, whichever item the user has. So, for `trials` users, the count is at least as likely to be large as with the
chance `low` for all, and at most as likely as with the chance `high` for all: it is stochastically between
Bin(trials, low) and Bin(trials, high). Where users share out over levels, the number in each is binomial itself, and
given these numbers each level's counts are as above.

A sum of signs at one of several places adds up steps +1, -1 or 0. A user steps with a public `chance`, and then up with
a probability between `turned` and `1 - turned`: the sum is stochastically between those of users who all step up, or
all down, as often as they can.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support, flip
from mechdesign_catalog.randomizers.reports.reports import Parameters, State

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rates:
    """Counts, shape (places,), of so many `trials` each, and the chances that a trial's is between.

    `name` says what the places are numbers of.
    """

    name: str
    counts: Counts
    trials: Counts
    low: Floats
    high: Floats

    @classmethod
    def of(cls, name: str, counts: Counts, trials: ArrayLike, low: ArrayLike, high: ArrayLike) -> "Rates":
        """Make them of numbers for each place, or of one for all."""
        shape = counts.shape
        return cls(
            name,
            counts,
            np.broadcast_to(np.asarray(trials, dtype=np.int64), shape),
            np.broadcast_to(np.asarray(low, dtype=np.float64), shape),
            np.broadcast_to(np.asarray(high, dtype=np.float64), shape),
        )


@dataclass(frozen=True, eq=False)
class SignRates:
    """Sums of signs, shape (places,), of so many `trials` each; `chance` is that of a sign, turned over or not."""

    name: str
    counts: Counts
    trials: Counts
    chance: Floats
    turned: float


AnyRates = Rates | SignRates


class HasRates(Protocol):
    """Anything with rates: what a system's rates need of the oracle of a part."""

    @property
    def parameters(self) -> Parameters:
        """Parameters that make the same oracle again."""

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the counts of a state."""


def support_rates(name: str, counts: Counts, users: int, support: Support) -> Rates:
    """Return the rates of counts of reports that support a place: q for users of another one, p for its own."""
    return Rates.of(name, counts, users, float(support.q), float(support.p))


def draw_rates(name: str, counts: Counts, users: int, chances: Sequence[Fraction]) -> Rates:
    """Return the rates of how often each of several branches was drawn by its public chance."""
    each = np.array([float(chance) for chance in chances])
    return Rates.of(name, counts, users, each, each)


def sign_rates(name: str, sums: Counts, users: ArrayLike, chance: ArrayLike, alpha: Fraction) -> SignRates:
    """Return the rates of sums of signs, each through randomised response with this alpha."""
    trials = np.broadcast_to(np.asarray(users, dtype=np.int64), sums.shape)
    return SignRates(
        name, sums, trials, np.broadcast_to(np.asarray(chance, dtype=float), sums.shape), float(flip(alpha))
    )


def part_rates(place: str, kind: HasRates, state: State) -> Iterator[AnyRates]:
    """Yield the rates of a part of a system, named by its place."""
    for rates in kind.honest_rates(state):
        yield replace(rates, name=f"{rates.name} of {place}")
