"""Level frequencies that make answers vary least at equally frequent items."""

from collections.abc import Sequence

import numpy as np

from mechdesign.workloads.queries import Floats
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.best_shares import Variance, best_shares
from mechdesign_catalog.decoders.lines.cut_level import Partitions
from mechdesign_catalog.decoders.lines.information import gram_matrix, whole_inverse_of
from mechdesign_catalog.decoders.lines.mirrored import halves, is_mirrored

SLACK = 1e-3
"""Chances are good enough where none are shown to take more than this part off the variance."""

LEAST_PART = 16
"""No level gets less than this part of an equal share, so that none goes without users soon."""

REGULAR = 1 << 8
"""Items up to which chances are found. There are three levels of blocks, each with twice as many."""

ROUNDED = 0.02
"""The part of the least chance of a level by which whole weights may be below it."""


def least_variance_chances(
    levels: Sequence[Partitions], workload: Workload, start: Floats | None = None, slack: float = SLACK
) -> Floats:
    """Find the chances of levels with which the mean variance of an answer is within this part of the least.

    No level gets less than `1/LEAST_PART` of an equal share. What the search starts with, else equal chances, only
    changes how long it takes.
    """
    traces = _traces(levels, workload)[0]
    least = 1 / (LEAST_PART * len(levels))
    start = np.ones(len(levels)) if start is None else start
    found = best_shares(traces, start, least, lambda at: at.variance <= (1 + slack) * at.bound)
    return np.asarray(found.shares / found.shares.sum(), dtype=np.float64)


def exceeds_everywhere(levels: Sequence[Partitions], workload: Workload, variance: float) -> bool:
    """Tell whether the mean variance of an answer by one report is shown to be above a number at all chances."""
    traces, of_items = _traces(levels, workload)
    most, least = variance * workload.count + of_items, (1 - ROUNDED) / (LEAST_PART * len(levels))
    equal = np.ones(len(levels))
    return best_shares(traces, equal, least, lambda at: at.variance <= most or at.bound > most).bound > most


def _traces(levels: Sequence[Partitions], workload: Workload) -> tuple[Variance, float]:
    """Return what computes `tr(W A^-1 W')` by the chances of levels, in running sums, and what it has by items alone.

    With `M = A^-1 W'W A^-1` it falls with each chance by `tr(A_l M)`. Where levels are mirrored, both add up
    over halves.
    """
    gram = gram_matrix(workload)
    of_items = float(np.trace(gram)) / workload.k
    matrices, between = [level.matrix() for level in levels], np.diff(np.diff(gram, axis=0), axis=1)
    if all(map(is_mirrored, matrices)):
        of_levels = zip(*map(halves, matrices), strict=True)
        parts = [(np.array(one), asked) for one, asked in zip(of_levels, halves(between), strict=True)]
    else:
        parts = [(np.array(matrices), between)]

    def variance(chances: Floats) -> tuple[float, Floats]:
        value, falls = 0.0, np.zeros(len(levels))
        for of_level, asked in parts:
            inverse = whole_inverse_of(np.tensordot(chances, of_level, 1))
            times = inverse @ asked
            value += float(np.trace(times))
            falls += np.tensordot(of_level, times @ inverse)
        return value, falls

    return variance, of_items


def carried(chances: Floats, place: int, more: int, between: float) -> Floats:
    """Carry the chances of levels up to more items, where there are so many more levels of blocks from this place on.

    Chances of blocks of one length, or of one number, hardly hang on the number of items, and those in between are
    alike.
    """
    found = np.insert(chances, place, np.full(more, between))
    return np.asarray(found / found.sum(), dtype=np.float64)
