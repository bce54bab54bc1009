"""Reduce a solution to few rows: as many as the information matrix has entries, and list the rows of its orbits."""

import numpy as np
from scipy.linalg import qr, solve_triangular

from mechdesign.methods.row_designs.programme import Bits, RowProgramme
from mechdesign.methods.row_designs.weighing.barrier import entries_of
from mechdesign.methods.row_designs.weighing.master import MasterPoint, solve_master
from mechdesign.workloads.queries import Floats

INDEPENDENT = 1e-12
"""Columns are independent where a pivot is more than this part of the largest."""


def basic_solution(programme: RowProgramme, point: MasterPoint, worst: bool) -> tuple[Bits, Floats]:
    """Return representatives and weights of no more orbits than A has entries, and the same A (Caratheodory).

    The variance under the prior hangs on A alone; in the worst case those at each input are kept as well.
    """
    features = _features(programme, point, worst) * point.weights[:, None]
    order = np.argsort(-point.weights, kind="stable")
    held, parts = order[:0], np.zeros(0)
    for start in range(0, len(order), features.shape[1]):
        more = order[start : start + features.shape[1]]
        held, parts = np.append(held, more), np.append(parts, np.ones(len(more)))
        found = _fewest(features[held].T * parts)
        held, parts = held[found > 0], (parts * found)[found > 0]
    return point.rows[held], point.weights[held] * parts


def concentrated(programme: RowProgramme, point: MasterPoint, gap: float) -> MasterPoint:
    """Solve again over the rows of most weight, twice as many as A has entries; the old solution where that loses.

    It may lose a fifth of a relative gap. The prior stays as it is.
    """
    most = 2 * entries_of(programme)
    if len(point.rows) <= most:
        return point
    rows = point.rows[np.sort(np.argsort(-point.weights, kind="stable")[:most])]
    fewer = solve_master(programme.with_prior(point.prior), rows, gap / 10)
    lost = fewer.variance - point.variance
    return fewer if fewer.is_solved and lost < gap / 5 * abs(point.variance) else point


def listed_rows(programme: RowProgramme, rows: Bits, weights: Floats) -> tuple[Bits, Floats]:
    """List all rows of the orbits of some representatives, each with its share of the orbit's weight."""
    symmetries = programme.own_symmetries
    images = np.vstack([rows[:, symmetry] for symmetry in symmetries])
    shares = np.tile(weights / len(symmetries), len(symmetries))
    different, place = np.unique(images, axis=0, return_inverse=True)
    sums = np.bincount(place.ravel(), weights=shares, minlength=len(different)).astype(np.float64)
    return different, sums


def _features(programme: RowProgramme, point: MasterPoint, worst: bool) -> Floats:
    """Return what a unit of weight of each row adds to the entries of A, and to the variance at each input."""
    size = programme.size
    r = 1 + (programme.entry - 1) * point.rows.astype(np.float64)
    means = r @ point.prior
    upper = np.triu_indices(size)
    entries = np.zeros((len(r), len(upper[0])))
    inputs = np.zeros_like(r)
    energies = (((r @ point.root) / means[:, None]) ** 2).sum(axis=1)
    for symmetry in programme.own_symmetries:
        moved = r[:, symmetry]
        entries += moved[:, upper[0]] * moved[:, upper[1]] / means[:, None]
        inputs += moved * energies[:, None]
    return np.hstack([entries, inputs]) if worst else entries


def _fewest(columns: Floats) -> Floats:
    """Return x >= 0 with `C x = C 1` and as few positive parts as C has independent rows, about."""
    triangle, order = qr(columns, mode="r", pivoting=True, check_finite=False)
    pivots = abs(triangle.diagonal())
    rank = int((pivots > INDEPENDENT * pivots[0]).sum())
    count = columns.shape[1]
    directions = np.zeros((count, count - rank))
    directions[:rank] = -solve_triangular(triangle[:rank, :rank], triangle[:rank, rank:], check_finite=False)
    directions[rank:] = np.eye(count - rank)
    parts = np.ones(count)
    for number in range(count - rank):
        direction, parts = directions[:, number], _to_boundary(parts, directions[:, number])
        gone = int(abs(np.where(parts > 0, 0, direction)).argmax())
        rest = directions[:, number + 1 :]
        rest -= np.outer(direction, rest[gone] / direction[gone])
        rest[gone] = 0
    found = np.zeros(count)
    found[order] = parts
    return found


def _to_boundary(parts: Floats, direction: Floats) -> Floats:
    """Move along a direction, whichever way is nearer, until the first part is 0."""
    inside = (parts > 0) & (direction != 0)
    ratios = np.where(inside, parts / np.where(inside, direction, 1), np.inf)
    step = ratios[abs(ratios).argmin()]
    moved: Floats = np.where(parts > 0, np.maximum(parts - step * direction, 0), 0)
    moved[abs(ratios).argmin()] = 0
    return moved
