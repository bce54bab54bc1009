"""The floor under the variance of every local oracle, and what a design may save."""

import math
from fractions import Fraction

from mechdesign.errors import InputError
from mechdesign.methods.row_designs.floor import closed_form_floor, variance_floor
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import PRIVACY_BITS, WorkloadProblem
from mechdesign.workloads.workload import Workload

MOST_ITEMS = 1 << 7
"""Items up to which a bound is computed without a formula, in a part of a second; designs go as far."""

COARSE, FINE, NEAR = 100, 10_000, Fraction(99, 100)
"""A share is told in hundredths; from the last number on, 1 less the share would then be told far too large."""


def variance_bound(workload: Workload, privacy: Privacy, users: int) -> Fraction | None:
    """Bound from below the average variance of an answer to a workload, over all local mechanisms.

    It is the bound in closed form of the least variance for a user, over `users` times the number of queries: true of
    every mechanism that is as private, with one report a user and answers that are unbiased and linear in the counts of
    reports, on average over equally frequent items. It is loose where epsilon is large.

    Args:
        workload: the queries; prefixes, ranges, rectangles, histograms, tables of two items each have a bound at any k.
        privacy: what each report may lose.
        users: their number.

    Returns:
        That, above 0. None for others of more than 128 items, for queries whose answers are known to all, and where the
        bound says nothing.

    >>> from mechdesign.workloads.ordered import Prefixes
    >>> round(float(variance_bound(Prefixes(1 << 20), Privacy(epsilon=1), 1)), 4)
    80.5596
    """
    floor = closed_form_floor(workload, privacy.finer(PRIVACY_BITS).bound_alpha)
    if floor is None and workload.k <= MOST_ITEMS:
        try:
            floor = variance_floor(WorkloadProblem(workload, privacy=privacy))
        except InputError:  # no query tells two items apart
            return None
    return None if floor is None or floor <= 0 else floor / (users * workload.count)


def least_share(bound: Fraction | None, variance: float) -> float | None:
    """Return a bound as a part of a variance, at most 1, rounded down: to hundredths, near 1 finer.

    None without a bound, for a variance that is not above 0, and where the part is below a hundredth.

    >>> least_share(Fraction(1, 3), 0.5), least_share(Fraction(1), 1.00001)
    (0.66, 0.9999)
    """
    if bound is None or not variance > 0:
        return None
    share = bound / Fraction(variance)
    parts = FINE if share >= NEAR else COARSE
    return min(1.0, math.floor(parts * share) / parts) if share >= Fraction(1, COARSE) else None
