"""Heavy hitters: items of many users, by a tree whose light nodes are left out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.rational import Number
from mechdesign_catalog.analyses.ordered.heavy_ranges import checked_share
from mechdesign_catalog.randomizers.facts.intervals import normal_intervals
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.levels.hierarchical import HierarchicalHistograms


@dataclass(frozen=True, eq=False)
class NodeShares:
    """The shares of one level's nodes by itself, with standard errors.

    The children of node v of the level above are `v fan_out, .., (v + 1) fan_out - 1`, as far as there are so many.
    """

    fan_out: int
    shares: Floats
    standard_errors: Floats

    @classmethod
    def of(cls, oracle: HierarchicalHistograms, state: State) -> "list[NodeShares]":
        """Return the levels of a tree's oracle, from the top, each estimated from its own users.

        The variance is the oracle's for these users, and at most `f (1-f) / n` more since they are some of all.
        """
        found = []
        levels = zip(oracle.parts, oracle.level_estimates(state), oracle.users_of(state).tolist(), strict=True)
        for one, shares, users in levels:
            sampled = np.clip(shares * (1 - shares), 0, None) / users
            errors = np.sqrt(one.estimated_variance(shares, int(users)) + sampled)
            found.append(cls(oracle.b, shares, errors))
        return found


@dataclass(frozen=True, eq=False)
class HeavyHitters:
    """The items that were found, the largest share first, with simultaneous intervals.

    `is_sure` tells where the interval's lower end reaches the share that was asked for. `visited` has the number of
    nodes that were looked at on each level, from the top.
    """

    items: NDArray[np.int64]
    shares: Floats
    standard_errors: Floats
    low: Floats
    high: Floats
    is_sure: NDArray[np.bool_]
    visited: tuple[int, ...]


def heavy_hitters(oracle: FrequencyOracle, state: State, share: Number, level: float = 0.95) -> HeavyHitters:
    """Find the items that at least this share of the users have, by descending the tree of an `hh` oracle.

    What is kept, and what holds, says `descend`. Estimates are those of each level by itself, so that levels are
    independent, whether or not the oracle makes them consistent; the shares of what is found are those of the last
    level, and `oracle.answers` has better ones where estimates are consistent (but not for items that were picked by
    them).

    Raises:
        InputError: for another oracle, and as `descend`.
        NoAnswerError: for a level without reports.

    >>> from mechdesign.mechanism.sampling import seeded_words  # not for people, for whom it is left out
    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.systems.registry import parse_oracle
    >>> oracle = parse_oracle("hh:b=16", 1 << 16, Privacy(epsilon=2))
    >>> values = np.random.default_rng(1).geometric(0.4, 200_000) * 777  # shares 0.4, 0.24, 0.144, ..
    >>> found = heavy_hitters(oracle, oracle.aggregate(oracle.privatize(values, seeded_words(2))), "0.1")
    >>> found.items.tolist(), found.is_sure.tolist(), found.visited
    ([777, 1554, 2331], [True, True, True], (16, 16, 64, 48))
    """
    if not isinstance(oracle, HierarchicalHistograms):
        raise InputError(f"heavy hitters must be of an hh oracle, got {oracle.name}")
    return descend(NodeShares.of(oracle, state), share, level)


def descend(levels: Sequence[NodeShares], share: Number, level: float = 0.95) -> HeavyHitters:
    """Walk down from the root, and leave out each node whose interval ends below the share, with all that is under it.

    On each level only the children of nodes that stayed are looked at. Intervals hold at once for all of these, with
    the chance `1 - (1 - level)/h` on each of the h levels (Sidak for normal errors): which nodes are looked at
    depends on the levels above alone, whose reports come from other users. So with the chance `level` **no item with
    the share is lost**, and all that are sure have it. Fewer nodes are looked at where fewer are heavy: at most
    `fan-out / share` a level, if there were no noise.

    Raises:
        InputError: for a share that is not in (0, 1], or a level that is not in (0, 1).
    """
    asked = checked_share(share)
    if not 0 < level < 1:
        raise InputError(f"level must be in (0, 1), got level={level}")
    each = 1 - (1 - level) / len(levels)
    kept, visited = np.zeros(1, dtype=np.int64), []
    for one in levels:
        nodes = (kept[:, None] * one.fan_out + np.arange(one.fan_out)).ravel()
        nodes = nodes[nodes < len(one.shares)]
        visited.append(len(nodes))
        shares, errors = one.shares[nodes], one.standard_errors[nodes]
        low, high = normal_intervals(shares, errors, each, max(1, len(nodes)))
        stays = np.flatnonzero(high >= asked)
        kept = nodes[stays]
    last = stays[np.argsort(-shares[stays], kind="stable")]
    return HeavyHitters(
        nodes[last], shares[last], errors[last], low[last], high[last], low[last] >= asked, tuple(visited)
    )
