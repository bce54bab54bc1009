"""Find the items that many users have, by descending a tree of nodes and leaving out what is light."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.rational import Number
from mechdesign_catalog.oracles.intervals import normal_intervals
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.ordered.heavy_ranges import checked_share


@dataclass(frozen=True, eq=False)
class NodeShares:
    """Hold what one level of a tree says by itself: the estimated share of each node, and its standard error.

    The children of node v of the level above are `v fan_out, .., (v + 1) fan_out - 1`, as far as there are so many.
    """

    fan_out: int
    shares: Floats
    standard_errors: Floats


@dataclass(frozen=True, eq=False)
class HeavyHitters:
    """Hold the items that were found, the largest share first, with simultaneous intervals.

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
