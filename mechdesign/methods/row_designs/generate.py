"""Generate rows: solve the programme over some, find rows that its dual misjudges, and take them in."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mechdesign.certificate.row_designs.all_rows import MOST_GROUPS
from mechdesign.methods.row_designs.asked import AskedRows
from mechdesign.methods.row_designs.candidates import first_rows, neighbours, representatives, sampled_rows
from mechdesign.methods.row_designs.pricing import Dual, best_of_all, climb
from mechdesign.methods.row_designs.programme import Bits, RowProgramme
from mechdesign.methods.row_designs.weighing.barrier import entries_of
from mechdesign.methods.row_designs.weighing.master import MasterPoint, solve_master
from mechdesign.workloads.queries import Floats

ALWAYS_ALL = 28
"""Groups up to which every round looks at all rows."""

MOST_ROUNDS = 200
FIRST_TOLERANCE = 1e-2
SHARPER = 0.1
"""A round's tolerance, as a part of the excess that the last one found."""

KEPT = 16
"""Rows of least slack that are kept, for each entry of A; with much fewer, rounds come back to where they were."""

FEWEST_KEPT = 200
NEW = 6
"""What part of the rows that are kept a round takes in at most."""

SHARPEST = 1e-11
"""Masters are solved no more sharply; a search ends whose rows are all that help and whose master is as sharp."""

SEED = 17


@dataclass(frozen=True, eq=False)
class Generated:
    """Hold where generation ended.

    Attributes:
        point: the last solution over rows; its representatives are one of each orbit.
        excess: the largest excess over the dual that was found, at least 0, on the scale of the variance.
        is_complete: whether all 2^K rows were looked at for it (in floating point).
        rounds: how many masters were solved.
    """

    point: MasterPoint
    excess: float
    is_complete: bool
    rounds: int

    @property
    def gap(self) -> float:
        """What the variance exceeds its bound by, as a part of it; where not all rows were looked at, a guess."""
        return (self.point.variance - self.point.bound(self.excess)) / abs(self.point.variance)


def generate(programme: RowProgramme, asked: AskedRows, show: Callable[[Generated], None] | None = None) -> Generated:
    """Find rows and weights whose variance is within a relative gap of the least, as far as searches tell.

    Args:
        programme: with its symmetries.
        asked: what to reach; it is told a line after each round, and the last one is that in which the time is over.
        show: is given where each round ended.
    """
    random = np.random.default_rng(SEED)
    dimension = entries_of(programme)
    rows = first_rows(programme, 2 * dimension, random)
    if asked.start is not None:
        rows = representatives(programme, np.vstack([rows, asked.start]))
    point, tolerance = None, FIRST_TOLERANCE
    for rounds in range(1, MOST_ROUNDS + 1):
        point = solve_master(programme, rows, tolerance, worst=asked.worst, start=point)
        dual = Dual(programme.entry, point.root @ point.root.T, point.prices, point.prior)
        found, excess, complete = _priced(programme, point, dual, asked.gap, random)
        reached = Generated(point, max(excess, 0.0), complete, rounds)
        asked.say(f"round {rounds}: {len(rows)} rows, variance {point.variance:.8g}, gap about {reached.gap:.1e}")
        if show is not None:
            show(reached)
        if asked.is_late or reached.gap <= asked.gap:
            break
        if excess <= 0 and tolerance <= SHARPEST:
            break
        is_sharp = excess <= 0 and tolerance <= asked.gap / 4
        sharper = SHARPER * tolerance if is_sharp else max(asked.gap / 4, SHARPER * excess / point.scale)
        tolerance = min(FIRST_TOLERANCE, max(SHARPEST, sharper))
        rows = _next_rows(programme, point, dual, found)
    return reached


def information_of(programme: RowProgramme, point: MasterPoint) -> Floats:
    """Return A, the information matrix of a solution over representatives, averaged over the symmetries."""
    r = 1 + (programme.entry - 1) * point.rows.astype(np.float64)
    weights = point.weights / (r @ point.prior) / len(programme.own_symmetries)
    total = np.zeros((programme.size, programme.size))
    for symmetry in programme.own_symmetries:
        total += (r[:, symmetry].T * weights) @ r[:, symmetry]
    return total


def _priced(
    programme: RowProgramme, point: MasterPoint, dual: Dual, gap: float, random: np.random.Generator
) -> tuple[Bits, float, bool]:
    """Find rows of large excess; look at all rows where that is cheap, or where climbing finds nothing any more."""
    wanted = 2 * entries_of(programme)
    if programme.size > ALWAYS_ALL:
        best = point.rows[np.argsort(point.slack, kind="stable")[:wanted]]
        covariance = information_of(programme, point) - 1
        starts = [neighbours(best, random), sampled_rows(covariance, programme.entry, wanted, random)]
        found = climb(dual, representatives(programme, np.vstack(starts)))
        excess = max(float(dual.excess(found).max()), 0.0)
        if programme.size > MOST_GROUPS or Generated(point, excess, False, 0).gap > gap:
            return found, excess, False
    found, excess = best_of_all(dual, 2 * wanted, _is_mirrored(programme))
    return climb(dual, found), excess, True


def _next_rows(programme: RowProgramme, point: MasterPoint, dual: Dual, found: Bits) -> Bits:
    """Keep rows of little slack and those of single items, with which sums of 1 can always be had; add the best."""
    most = max(KEPT * entries_of(programme), FEWEST_KEPT)
    kept = np.argsort(point.slack, kind="stable")[:most]
    single = point.rows.sum(axis=1) == 1
    new = representatives(programme, found)
    excess = dual.excess(new)
    best = np.argsort(-excess, kind="stable")[: most // NEW]
    return representatives(programme, np.vstack([point.rows[kept], point.rows[single], new[best[excess[best] > 0]]]))


def _is_mirrored(programme: RowProgramme) -> bool:
    backwards = np.arange(programme.size)[::-1]
    return any((symmetry == backwards).all() for symmetry in programme.own_symmetries)
