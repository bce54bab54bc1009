"""Say how much of the best oracle's variance any design for a workload needs at least."""

import math
from fractions import Fraction

from mechdesign.errors import InputError
from mechdesign.methods.row_designs.floor import variance_floor
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.workload import Workload

MOST_ITEMS = 1 << 7
"""Items up to which the bound is computed, in a part of a second; designs for any workload go as far."""

COARSE, FINE, NEAR = 100, 10_000, Fraction(99, 100)
"""A share is told in hundredths; from the last number on, 1 less the share would then be told far too large."""


def least_share(workload: Workload, privacy: Privacy, variance: float, users: int) -> float | None:
    """Compute a part of a variance that no local mechanism is below, rounded down: to hundredths, near 1 finer.

    It is the bound in closed form of the least variance over `users` times the number of queries, over this variance:
    true of every mechanism that is as private and whose answers are unbiased and linear in its reports' counts, on
    average over equally frequent items. It is loose where epsilon is large, and may then be far below what can be had.

    Args:
        workload: the queries.
        privacy: what each report may lose.
        variance: the average variance of an answer to compare with.
        users: their number.

    Returns:
        That, at most 1. None for more than 128 items, for queries whose answers are known to all, and where the bound
        says nothing.

    >>> from mechdesign.workloads.ordered import Histogram
    >>> from mechdesign_catalog.comparisons.survey import best
    >>> from mechdesign_catalog.comparisons.workload_survey import survey_workload
    >>> asked, privacy = Histogram(16), Privacy(epsilon="1/2")
    >>> least_share(asked, privacy, best(survey_workload(asked, privacy, 1000)).variance, 1000)
    0.9999
    """
    if workload.k > MOST_ITEMS or not variance > 0:
        return None
    try:
        problem = WorkloadProblem(workload, privacy=privacy)
    except InputError:  # no query tells two items apart
        return None
    share = variance_floor(problem) / (users * workload.count) / Fraction(variance)
    parts = FINE if share >= NEAR else COARSE
    return min(1.0, math.floor(parts * share) / parts) if share >= Fraction(1, COARSE) else None
