"""Costs on paper: core seconds of a server for each report.

The constants are those of one machine and day.

They tell minutes from weeks. `tests/benchmarks/server_plans.py` measures them again.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Protocol

MEASURED = "November 2026, one of two cores"

NEAR_CELL, FAR_CELL = 5e-9, 12e-9
"""Seconds to add to one of the sums, where they fit the processor's cache and where they do not."""

NEAR = 1 << 17
"""Sums that fit the cache."""

BITS, WEIGHED_BITS = 0.8e-9, 1.4e-9
"""Seconds to add up a byte of packed bits; of subset selection, whose bits are counted too."""

LOOK_UP = 0.5e-9
"""Seconds to hash one item for one report, where no transform is taken."""


SHARE_OUT = 40e-9
"""Seconds to find the part of a system that a report is of, and to cut its bytes out."""

PARITY = 0.6e-9
"""Seconds to count a report to one parity of its bits."""


def cell_seconds(sums: int) -> float:
    """Estimate the seconds to add to one of so many sums."""
    return NEAR_CELL if sums <= NEAR else FAR_CELL


class Added(Protocol):
    """A part of a system, whose reports are added up."""

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper."""


def shared_out_seconds(chances: Iterable[Fraction], parts: Iterable[Added]) -> float:
    """Estimate the seconds to find the part that a report is of, and to add it up there, on average."""
    return SHARE_OUT + sum(float(chance) * part.adding_seconds for chance, part in zip(chances, parts, strict=True))
