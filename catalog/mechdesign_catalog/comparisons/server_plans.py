"""Plan a collection on paper: what its reports take to send, and to add up.

N reports of w bytes each take `N (row + byte w + adding)` seconds of one core: to read a row and its bytes, digest
included, and to add it to the sums, by how many of these it touches; and a transform or an estimate of all k items
`k log2 k` steps. The constants are of one machine and one day (`MEASURED`): they tell minutes from weeks.
`tests/benchmarks/server_plans.py` measures them again.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mechdesign_catalog.collection.reports.row_groups import rows_of_group
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.hadamard import Hrr
from mechdesign_catalog.oracles.kinds.local_hashing import Blh, HashingOracle, LocalHashing, Olh
from mechdesign_catalog.oracles.kinds.sketch import Hcms
from mechdesign_catalog.oracles.kinds.subset import SubsetSelection
from mechdesign_catalog.oracles.kinds.unary import Oue, Rappor, Sue
from mechdesign_catalog.oracles.oracle import FrequencyOracle

MEASURED = "November 2026, one of two cores"

ROW = 2e-9
BYTE = 1e-9
"""Seconds to read a report of a file, and each of its bytes."""

CELL, FAR_CELL = 5e-9, 12e-9
"""Seconds to add to one of the sums, where they fit the processor's cache and where they do not."""

NEAR = 1 << 17
"""Sums that fit the cache."""

BITS, WEIGHED_BITS = 0.8e-9, 1.4e-9
"""Seconds to add up a byte of packed bits; of subset selection, whose bits are counted too."""

LOOK_UP = 0.5e-9
"""Seconds to hash one item for one report, where no transform is taken."""

STEP = 0.5e-9
"""Seconds of one of the `k log2 k` steps of a transform."""

MANY = 1 << 40
"""Reports for which hashing chooses its way, as `time_class` has it."""

CORES, HOUR = 2, 3600.0
"""A plan is for machines of so many cores that are done within so many seconds."""


@dataclass(frozen=True)
class ServerPlan:
    """Hold what a collection takes: bytes that are sent, seconds of one core, machines of two cores for one hour."""

    sent_bytes: int
    seconds: float
    machines: int


def server_plan(oracle: FrequencyOracle, users: int) -> ServerPlan:
    """Estimate on paper what the reports of so many users take, for an oracle on all items.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.oracles import make_oracle
    >>> plan = server_plan(make_oracle("oue", 10**6, Privacy(epsilon=1)), 10**9)
    >>> f"{plan.sent_bytes / 1e12:.0f} TB, {plan.seconds / 3600:.0f} hours of a core, {plan.machines} machines"
    '125 TB, 63 hours of a core, 32 machines'
    """
    width = oracle.wire.width
    seconds = users * (ROW + BYTE * width + ADDING[type(oracle)](oracle)) + _transforms(oracle, users)
    return ServerPlan(users * width, seconds, max(1, math.ceil(seconds / (CORES * HOUR))))


def _transforms(oracle: FrequencyOracle, users: int) -> float:
    """Return the seconds of all transforms: one at the end, but for BLH and OLH one for each group of rows."""
    pieces = -(-users // rows_of_group(oracle.wire)) if isinstance(oracle, LocalHashing) else 1
    return pieces * STEP * oracle.k * math.log2(oracle.k)


def _cell(sums: int) -> float:
    return CELL if sums <= NEAR else FAR_CELL


def _hashed(oracle: HashingOracle) -> float:
    """Return the seconds to add a report at each of its parities, or to hash all items where that is shorter."""
    hashes = oracle.hashes
    if not hashes.by_transform(MANY):
        return LOOK_UP * oracle.k
    return ((1 << hashes.rows) - 1) * _cell(1 << hashes.item_bits)


def _packed(oracle: Sue | Oue | Rappor) -> float:
    return BITS * oracle.wire.width


ADDING: Mapping[type, Callable[[Any], float]] = {
    Grr: lambda oracle: _cell(oracle.k),
    Sue: _packed,
    Oue: _packed,
    Rappor: _packed,
    SubsetSelection: lambda oracle: WEIGHED_BITS * oracle.wire.width,
    DBitFlip: lambda oracle: BITS * oracle.wire.width if oracle.draws_all else 2 * _cell(2 * oracle.k) * oracle.drawn,
    Blh: _hashed,
    Olh: _hashed,
    Hrr: _hashed,
    Hcms: lambda oracle: _cell(oracle.hashes * oracle.width),
}
"""Seconds to add one report to the sums, by the class of its oracle."""
