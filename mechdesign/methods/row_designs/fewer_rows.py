"""Fewer rows: a basic solution, the rows of most weight, and, by local search, as few outputs as were asked for."""

from dataclasses import replace

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.optimize import nnls

from mechdesign.errors import NoAnswerError
from mechdesign.methods.row_designs.interior_point import entries_of, root_of, solve_master
from mechdesign.methods.row_designs.programme import Bits, RowProgramme, RowSolution
from mechdesign.methods.row_designs.rows import climb, neighbours, representatives
from mechdesign.program.clock import Clock
from mechdesign.workloads.queries import Floats, Integers

INDEPENDENT = 1e-12
"""Columns are independent where a pivot is more than this part of the largest."""

TOLERANCE = 1e-6
NO_SUM = 1e-9
DROPPED = 0.1
"""The part of the rows too many that is dropped at once."""

ENTERED = 0.5
"""Rows that an exchange tries, as a part of the outputs."""

CANDIDATES = 6
"""Rows that may be the last one to drop."""

ROUND = 1.5
"""Up to so many outputs for each group, cyclic designs are tried as well."""

MOST_EXCHANGES = 12
MOST_LISTED = 20
"""Groups up to which all rows are listed, to find those in the space of the queries."""

SEED = 29


def basic_solution(point: RowSolution, worst: bool) -> tuple[Bits, Floats]:
    """Return representatives and weights of no more orbits than A has entries, and the same A (Caratheodory).

    The variance under the prior hangs on A alone; in the worst case those at each input are kept as well.
    """
    features = _features(point, worst) * point.weights[:, None]
    order = np.argsort(-point.weights, kind="stable")
    held, parts = order[:0], np.zeros(0)
    for start in range(0, len(order), features.shape[1]):
        more = order[start : start + features.shape[1]]
        held, parts = np.append(held, more), np.append(parts, np.ones(len(more)))
        found = _fewest(features[held].T * parts)
        held, parts = held[found > 0], (parts * found)[found > 0]
    return point.rows[held], point.weights[held] * parts


def concentrated(point: RowSolution, gap: float) -> RowSolution:
    """Solve again over the rows of most weight, twice as many as A has entries; the old solution where that loses.

    It may lose a fifth of a relative gap. The prior stays as it is.
    """
    most = 2 * entries_of(point.dual.programme)
    if len(point.rows) <= most:
        return point
    rows = point.rows[np.sort(np.argsort(-point.weights, kind="stable")[:most])]
    fewer = solve_master(point.dual.programme, rows, gap / 10)
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


def _features(point: RowSolution, worst: bool) -> Floats:
    """Return what a unit of weight of each row adds to the entries of A, and to the variance at each input."""
    programme = point.dual.programme
    r = programme.values(point.rows)
    means = r @ programme.prior
    upper = np.triu_indices(programme.size)
    entries = np.zeros((len(r), len(upper[0])))
    inputs = np.zeros_like(r)
    root = point.dual.root
    assert root is not None  # of a solution over rows
    energies = (((r @ root) / means[:, None]) ** 2).sum(axis=1)
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


def with_few_outputs(solution: RowSolution, outputs: int, clock: Clock | None = None) -> RowSolution:
    """Return a mechanism with at most so many outputs, by local search; the dual stays that of any number.

    Rows of least probability are dropped and weights solved for again; then rows that the dual prices highest are
    tried, and again the least likely dropped, as long as the variance falls. Nothing says that no better one exists.

    Args:
        solution: a solution over any number of rows.
        outputs: at least the rank of the workload with the constant.
        clock: rows are exchanged until its time is over.

    Raises:
        NoAnswerError: where no such mechanism was found, which happens below one output for each group of items.
    """
    if len(solution.rows) <= outputs:
        return solution
    plain = replace(solution.dual.programme, symmetries=(np.arange(solution.dual.programme.size),))
    starts = [_first_rows(plain, solution, outputs)]
    if plain.size <= outputs <= ROUND * plain.size:
        starts += _rounds(plain.size)
    reached = [point for rows in starts if (point := _dropped(plain, rows, outputs)) is not None]
    best = min(reached, key=lambda point: point.variance, default=None)
    if best is None:
        raise NoAnswerError(
            f"no mechanism with outputs={outputs} was found; there is one with {plain.size} or more, one for each "
            "group of items that the workload distinguishes"
        )
    random = np.random.default_rng(SEED)
    exchanges = 0
    for _ in range(MOST_EXCHANGES):
        if clock is not None and clock.remaining() <= 0:
            break
        other = _dropped(plain, _extended(plain, best, outputs, random), outputs)
        if other is None or other.variance > best.variance - TOLERANCE * abs(best.variance):
            break
        best, exchanges = other, exchanges + 1
    how = f"{solution.how}; at most {outputs} outputs by local search, rows exchanged {exchanges} times"
    kept = best.weights > 0
    return replace(solution, rows=best.rows[kept], weights=best.weights[kept], variance=best.variance, how=how)


def _first_rows(plain: RowProgramme, solution: RowSolution, outputs: int) -> Bits:
    """Return the rows to drop from: those found; for fewer outputs than groups, all in the space of the queries."""
    if outputs >= plain.size:
        return representatives(plain, np.vstack([solution.rows, np.eye(plain.size, dtype=np.uint8)]))
    if plain.size > MOST_LISTED:
        return solution.rows
    kernel = _kernel(plain)
    bits = ((np.arange(1, 2**plain.size - 1)[:, None] >> np.arange(plain.size)) & 1).astype(np.uint8)
    return bits[(abs(bits @ kernel) < 1e-8).all(axis=1)] if kernel.size else bits


def _rounds(size: int) -> list[Bits]:
    """Return for each length the intervals of that length around the circle of groups, one from each group on."""
    places = (np.arange(size) - np.arange(size)[:, None]) % size
    return [(places < length).astype(np.uint8) for length in range(1, size // 2 + 1)]


def _kernel(plain: RowProgramme) -> Floats:
    """Return a basis of what all queries and the constant are orthogonal to, K x c."""
    rows = np.hstack([root_of(plain.gram), np.ones((plain.size, 1))]).T
    _, values, vectors = np.linalg.svd(rows)
    kernel: Floats = vectors[int((values > 1e-9 * values[0]).sum()) :].T
    return kernel


def _extended(plain: RowProgramme, point: RowSolution, outputs: int, random: np.random.Generator) -> Bits:
    """Return the rows of a mechanism and others that its dual says would help most."""
    near = neighbours(point.rows, random)
    new = representatives(plain, np.vstack([near, climb(point.dual, near)]))
    if outputs < plain.size:
        kernel = _kernel(plain)
        new = new[(abs(new @ kernel) < 1e-8).all(axis=1)]
    excess = point.dual.excess(new)
    order = np.argsort(-excess, kind="stable")[: max(2, int(ENTERED * outputs))]
    return representatives(plain, np.vstack([point.rows, new[order[excess[order] > 0]]]))


def _dropped(plain: RowProgramme, rows: Bits, outputs: int) -> RowSolution | None:
    """Drop the least likely rows until few enough are left, but never those without which none would serve."""
    point = _solved(plain, rows)
    while point is not None and len(point.rows) > outputs:
        order = np.argsort(point.weights * (plain.values(point.rows) @ point.dual.programme.prior), kind="stable")
        most = len(order) - outputs
        point = _without_some(plain, point, order, min(most, max(1, int(DROPPED * most))))
    return point


def _without_some(plain: RowProgramme, point: RowSolution, order: Integers, count: int) -> RowSolution | None:
    """Solve without the first so many rows of an order, or without the one of the first few that is missed least."""
    fewer = _solved(plain, np.delete(point.rows, order[:count], axis=0)) if count > 1 else None
    if fewer is not None:
        return fewer
    best: list[RowSolution] = []
    for place in order:
        without = _solved(plain, np.delete(point.rows, place, axis=0))
        if without is not None:
            best.append(without)
        if len(best) == CANDIDATES:
            break
    return min(best, key=lambda other: other.variance, default=None)


def _solved(plain: RowProgramme, rows: Bits) -> RowSolution | None:
    """Solve for weights, None where the columns of no weights sum to 1 or the rows do not span the queries.

    Sums are tried by nonnegative least squares first, for an interior point is long in finding that there are none.
    """
    if nnls(plain.values(rows).T, np.ones(plain.size))[1] > NO_SUM:
        return None
    point = solve_master(plain, rows, TOLERANCE)
    return point if point.is_solved else None
