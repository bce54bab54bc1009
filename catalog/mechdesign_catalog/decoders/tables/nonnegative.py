"""The nearest agreeing tables without negative shares, with a proof of how near.

Each of them sums to 1.
"""

import math

import numpy as np

from mechdesign.errors import NoAnswerError
from mechdesign_catalog.decoders.tables.family import TableFamily
from mechdesign_catalog.randomizers.reports.probabilities import Floats

TOLERANCE = 1e-6
"""The most that the result may be off the nearest tables: root of the sum of squares over all cells of all tables."""

MOST_STEPS = 20_000
STEPS_BETWEEN_PROOFS = 10


def nearest_nonnegative(family: TableFamily, row: Floats) -> Floats:
    """Find the tables without negative shares that are nearest to those in `row`, and agree with total 1.

    Nearest is in the sum of squares over all cells of all tables. The true tables have no negative share either, and
    the set of such tables is convex, so the sum of squared errors over all cells never grows by it.

    With P the projection on tables that agree with total 0, y the projection of `row`, and multipliers m >= 0 of the
    cells, `x(m) = y + P m` solves the problem with the price m for negative cells. The dual problem is to maximise
    `-|P m|^2/2 - <m, y>`, whose gradient is -x(m): projected gradient steps of length 1, accelerated, and started again
    where they turn back. A mixture of x(m) with tables of equal shares, which agree too, has no negative cell. Its
    squared distance to the nearest tables is at most twice the gap between its value and that of the dual problem;
    steps end when that proves the tolerance of 1e-6, times how far the tables had to go where that is above 1.

    Raises:
        NoAnswerError: if that needs more than 20,000 steps.
    """
    start = family.projected(row, 1.0)
    even = _equal_shares(family)
    prices, point, momentum = np.zeros_like(start), np.zeros_like(start), 1.0
    for step in range(MOST_STEPS):
        moved = np.maximum(point - start - family.projected(point, 0.0), 0.0)
        if step % STEPS_BETWEEN_PROOFS == 0:
            found, gap, least = _proved(family, start, even, moved)
            if 2 * gap <= TOLERANCE**2 * max(1.0, 2 * least):
                return found
        if np.dot(point - moved, moved - prices) > 0:
            point, momentum = moved, 1.0
        else:
            following = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
            point, momentum = moved + (momentum - 1) / following * (moved - prices), following
        prices = moved
    raise NoAnswerError(
        f"tables must come within {TOLERANCE} of the nearest without negative shares in {MOST_STEPS} steps, "
        f"got {math.sqrt(2 * max(gap, 0.0)):.2g}; try norm-sub"
    )


def _equal_shares(family: TableFamily) -> Floats:
    coefficients = np.zeros(family.count)
    coefficients[0] = 1.0
    return family.composed(coefficients)


def _proved(family: TableFamily, start: Floats, even: Floats, prices: Floats) -> tuple[Floats, float, float]:
    """Return tables without negative cells from these prices, the gap, and the value that none goes below."""
    change = family.projected(prices, 0.0)
    tables = start + change
    negative = tables < 0
    mixed = float(np.max(-tables[negative] / (even - tables)[negative], initial=0.0))
    tables = np.maximum(tables + mixed * (even - tables), 0.0)
    least = -float(np.dot(change, change)) / 2 - float(np.dot(prices, start))
    return tables, float(np.sum((tables - start) ** 2)) / 2 - least, least
