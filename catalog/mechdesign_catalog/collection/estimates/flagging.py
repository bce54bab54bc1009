"""Flags on sums that no honest population gives, but with a tiny chance.

Every count of a state has two tails: at least so many where each user's chance is the largest, at most so many where
each is the least (`honest_rates`). For honest users each tail is below t with a chance of at most t, whatever the users
have and however the counts depend on each other. So if each of m tails is flagged below `level / m`, an honest
population has any flag with a chance of at most `level`: the union bound.

Counts have binomial tails, by the incomplete beta function; sums of signs have Chernoff's bound, which is above their
tail. Both are taken with a margin for rounding. Where nothing is flagged, users need not be honest: liars who are few,
or who lie about the value alone, cannot be told from others.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.facts.rates import AnyRates, Rates, SignRates
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State

LEVEL = 1e-9
"""Chance that an honest population is flagged at all, at most."""

MARGIN = 0.99
"""Part of its share of the level that a tail must be below, since it is rounded."""

Rows = NDArray[np.bool_]


@dataclass(frozen=True)
class Flag:
    """A count that honest users do not give: which place of what, the count, and how many could have added to it.

    `expected` is the mean of honest users that is nearest to it.
    """

    name: str
    place: int
    count: int
    trials: int
    expected: float

    def describe(self) -> str:
        """Say it in words.

        >>> Flag("items", 3, 900, 1000, 731.06).describe()
        'items, place 3: 900 of 1,000, where honest users give 731 on average at most'
        """
        side = "most" if self.count > self.expected else "least"
        return (
            f"{self.name}, place {self.place}: {self.count:,} of {self.trials:,}, "
            f"where honest users give {self.expected:,.0f} on average at {side}"
        )


def flag_rates(state: CollectionState, level: float = LEVEL) -> list[Flag]:
    """List the counts of a state that no honest population gives, but with a chance of at most `level` for any at all.

    Where nothing is flagged, users need not be honest: few liars, or those who lie about the value alone, are not told
    from others. Places are numbered from 0.

    >>> import mechdesign_catalog as mc
    >>> reports = mc.privatize(["yes", "no"] * 500, "grr", epsilon=1, domain=["yes", "no"])
    >>> flag_rates(CollectionState.empty(reports.header.task).add(reports))
    []
    """
    return flags_of(task_oracle(state.task), state.sums, level)


def flags_of(oracle: LocalOracle, state: State, level: float = LEVEL) -> list[Flag]:
    """List the flagged counts of the sums of an oracle, as `flag_rates` does.

    Raises:
        InputError: for a state that is not the oracle's.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.systems import make_oracle
    >>> oracle = make_oracle("oue", 3, Privacy(epsilon=1))
    >>> [flag.place for flag in flags_of(oracle, State(oracle.parameters, 1000, np.array([520, 1000, 270])))]
    [1]
    """
    rates = list(oracle.honest_rates(state))
    tails = 2 * sum(len(one.counts) for one in rates)
    each = MARGIN * level / max(tails, 1)
    return [flag for one in rates for flag in _flagged(one, each)]


def _flagged(rates: AnyRates, each: float) -> list[Flag]:
    """List the counts that have a tail below `each`."""
    if isinstance(rates, SignRates):
        most = (1 - 2 * rates.turned) * rates.chance * rates.trials
        least, wrong = -most, signs_tail(np.abs(rates.counts), rates) < each
    else:
        least, most = rates.low * rates.trials, rates.high * rates.trials
        wrong = _wrong_counts(rates, least, most, each)
    means = np.where(rates.counts > most, most, least)
    return [
        Flag(rates.name, place, int(rates.counts[place]), int(rates.trials[place]), float(means[place]))
        for place in np.flatnonzero(wrong).tolist()
    ]


def _wrong_counts(rates: Rates, least: Floats, most: Floats, each: float) -> Rows:
    """Return which counts have a tail below this; of those between both means none has."""
    wrong = np.zeros(len(rates.counts), dtype=np.bool_)
    above, below = np.flatnonzero(rates.counts > most), np.flatnonzero(rates.counts < least)
    if len(above):
        wrong[above] = upper_tail(rates.counts[above], rates.trials[above], rates.high[above]) < each
    if len(below):
        flipped = rates.trials[below] - rates.counts[below]
        wrong[below] = upper_tail(flipped, rates.trials[below], 1 - rates.low[below]) < each
    return wrong


def upper_tail(counts: NDArray[np.int64], trials: NDArray[np.int64], chance: Floats) -> Floats:
    """Compute `Pr[Bin(trials, chance) >= counts]`, counts in 0..trials, shape (places,).

    It is the incomplete beta function `I_chance(counts, trials - counts + 1)`.

    >>> upper_tail(np.array([2, 0]), np.array([2, 5]), np.array([0.5, 0.1])).tolist()
    [0.25, 1.0]
    """
    from scipy.special import betainc

    if len(counts) > 1 and (trials == trials[0]).all() and (chance == chance[0]).all():  # many places, few counts
        some, places = np.unique(counts, return_inverse=True)
        if len(some) < len(counts):
            return upper_tail(some, trials[: len(some)], chance[: len(some)])[places]
    found: Floats = np.where(counts > 0, betainc(np.maximum(counts, 1), trials - counts + 1.0, chance), 1.0)
    return found


def signs_tail(sums: NDArray[np.int64], rates: SignRates) -> Floats:
    """Bound the chance that signs of users who step up as often as they can add up to these sums, none below 0.

    `min_x x^-s (1 - c + c p x + c q / x)^N` for N users, a sign with chance c, up with p = 1 - q (Chernoff). The best x
    solves a quadratic equation; any x gives a bound.
    """
    users, c, q = rates.trials.astype(np.float64), rates.chance, rates.turned
    p, s = 1 - q, sums.astype(np.float64)
    rest = 1 - c
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt((s * rest) ** 2 + 4 * (users - s) * (users + s) * c**2 * p * q)
        x = (s * rest + root) / (2 * (users - s) * c * p)
        inner = users * np.log1p(c * (p * (x - 1) + q * (1 / x - 1)))
        bound = np.where(s < users, -s * np.log(x) + inner, users * np.log(c * p))
    ordinary = (s <= (p - q) * c * users) | (users == 0)
    found: Floats = np.where(ordinary, 1.0, np.exp(np.minimum(bound, 0.0)))
    return found
