"""Search for good mechanisms with few outputs: drop rows, and exchange some for better ones."""

from dataclasses import replace

import numpy as np
from scipy.optimize import nnls

from mechdesign.errors import NoAnswerError
from mechdesign.methods.row_designs.candidates import neighbours, representatives
from mechdesign.methods.row_designs.pricing import Dual, climb
from mechdesign.methods.row_designs.programme import Bits, FoundRows, RowProgramme
from mechdesign.methods.row_designs.weighing.barrier import root_of
from mechdesign.methods.row_designs.weighing.master import MasterPoint, solve_master
from mechdesign.program.clock import Clock
from mechdesign.workloads.queries import Floats, Integers

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


def with_few_outputs(programme: RowProgramme, found: FoundRows, outputs: int, clock: Clock | None = None) -> FoundRows:
    """Return a mechanism with at most so many outputs, by local search; the dual stays that of any number.

    Rows of least probability are dropped and weights solved for again; then rows that the dual prices highest are
    tried, and again the least likely dropped, as long as the variance falls. Nothing says that no better one exists.

    Args:
        programme: the programme that was solved.
        found: its solution.
        outputs: at least the rank of the workload with the constant.
        clock: rows are exchanged until its time is over.

    Raises:
        NoAnswerError: where no such mechanism was found, which happens below one output for each group of items.
    """
    if len(found.rows) <= outputs:
        return found
    plain = replace(programme, symmetries=(np.arange(programme.size),), prior=found.prior)
    starts = [_first_rows(plain, found, outputs)]
    if programme.size <= outputs <= ROUND * programme.size:
        starts += _rounds(programme.size)
    reached = [point for rows in starts if (point := _dropped(plain, rows, outputs)) is not None]
    best = min(reached, key=lambda point: point.variance, default=None)
    if best is None:
        raise NoAnswerError(
            f"no mechanism with outputs={outputs} was found; there is one with {programme.size} or more, one for each "
            "group of items that the workload does not tell apart"
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
    how = f"{found.how}; at most {outputs} outputs by local search, rows exchanged {exchanges} times"
    kept = best.weights > 0
    return replace(found, rows=best.rows[kept], weights=best.weights[kept], value=best.variance, how=how)


def _first_rows(plain: RowProgramme, found: FoundRows, outputs: int) -> Bits:
    """Return the rows to drop from: those found; for fewer outputs than groups, all in the space of the queries."""
    if outputs >= plain.size:
        return representatives(plain, np.vstack([found.rows, np.eye(plain.size, dtype=np.uint8)]))
    if plain.size > MOST_LISTED:
        return found.rows
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


def _extended(plain: RowProgramme, point: MasterPoint, outputs: int, random: np.random.Generator) -> Bits:
    """Return the rows of a mechanism and others that its dual says would help most."""
    dual = Dual(plain.entry, point.root @ point.root.T, point.prices, point.prior)
    near = neighbours(point.rows, random)
    new = representatives(plain, np.vstack([near, climb(dual, near)]))
    if outputs < plain.size:
        kernel = _kernel(plain)
        new = new[(abs(new @ kernel) < 1e-8).all(axis=1)]
    excess = dual.excess(new)
    order = np.argsort(-excess, kind="stable")[: max(2, int(ENTERED * outputs))]
    return representatives(plain, np.vstack([point.rows, new[order[excess[order] > 0]]]))


def _dropped(plain: RowProgramme, rows: Bits, outputs: int) -> MasterPoint | None:
    """Drop the least likely rows until few enough are left, but never those without which none would serve."""
    point = _solved(plain, rows)
    while point is not None and len(point.rows) > outputs:
        entries = 1 + (plain.entry - 1) * point.rows.astype(np.float64)
        order = np.argsort(point.weights * (entries @ point.prior), kind="stable")
        most = len(order) - outputs
        point = _without_some(plain, point, order, min(most, max(1, int(DROPPED * most))))
    return point


def _without_some(plain: RowProgramme, point: MasterPoint, order: Integers, count: int) -> MasterPoint | None:
    """Solve without the first so many rows of an order, or without the one of the first few that is missed least."""
    fewer = _solved(plain, np.delete(point.rows, order[:count], axis=0)) if count > 1 else None
    if fewer is not None:
        return fewer
    best: list[MasterPoint] = []
    for place in order:
        without = _solved(plain, np.delete(point.rows, place, axis=0))
        if without is not None:
            best.append(without)
        if len(best) == CANDIDATES:
            break
    return min(best, key=lambda other: other.variance, default=None)


def _solved(plain: RowProgramme, rows: Bits) -> MasterPoint | None:
    """Solve for weights, None where the columns of no weights sum to 1 or the rows do not span the queries.

    Sums are tried by nonnegative least squares first, for an interior point is long in finding that there are none.
    """
    r = 1 + (plain.entry - 1) * rows.astype(np.float64)
    if nnls(r.T, np.ones(plain.size))[1] > NO_SUM:
        return None
    point = solve_master(plain, rows, TOLERANCE)
    return point if point.is_solved else None
