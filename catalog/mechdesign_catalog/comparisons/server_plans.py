"""Plans of a collection on paper: the cost of sending and of adding up its reports.

N reports of w bytes each take `N (row + byte w + adding)` seconds of one core: to read a row and its bytes, digest
included, and to add it to the sums, by how many of these it touches; and a transform or an estimate of all k items
`k log2 k` steps. The constants are of one machine and one day (`costs.MEASURED`): they tell minutes from weeks.
`tests/benchmarks/server_plans.py` measures them again.
"""

import math
from dataclasses import dataclass

from mechdesign_catalog.collection.reports.row_groups import rows_of_group
from mechdesign_catalog.randomizers.oracle import LocalOracle

ROW = 2e-9
BYTE = 1e-9
"""Seconds to read a report of a file, and each of its bytes."""

STEP = 0.5e-9
"""Seconds of one of the `k log2 k` steps of a transform."""

CORES, HOUR = 2, 3600.0
"""A plan is for machines of so many cores that are done within so many seconds."""


@dataclass(frozen=True)
class ServerPlan:
    """The cost of a collection: bytes sent, core seconds, machines of two cores for an hour."""

    sent_bytes: int
    seconds: float
    machines: int


def server_plan(oracle: LocalOracle, users: int) -> ServerPlan:
    """Estimate on paper what the reports of so many users take.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.systems import make_oracle
    >>> plan = server_plan(make_oracle("oue", 10**6, Privacy(epsilon=1)), 10**9)
    >>> f"{plan.sent_bytes / 1e12:.0f} TB, {plan.seconds / 3600:.0f} hours of a core, {plan.machines} machines"
    '125 TB, 63 hours of a core, 32 machines'
    """
    width = oracle.message_bytes
    seconds = users * (ROW + BYTE * width + oracle.adding_seconds) + _transforms(oracle, users)
    return ServerPlan(math.ceil(users * width), seconds, max(1, math.ceil(seconds / (CORES * HOUR))))


def _transforms(oracle: LocalOracle, users: int) -> float:
    """Return the seconds of all transforms: one at the end, but for BLH and OLH one for each group of rows."""
    pieces = -(-users // rows_of_group(oracle.report_schema)) if oracle.transforms_each_group else 1
    return pieces * STEP * oracle.transform_size * math.log2(max(oracle.transform_size, 2))
