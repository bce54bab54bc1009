"""Repair of a matrix in integers: one near it that satisfies everything exactly.

Every row says `x_u >= r x_v` with r <= 1, so above any integer matrix there is a least one that satisfies all of them:
raise what is too small until nothing changes. Its columns have different sums S_j, and what they lack of the largest
one is filled up in one of two ways, whichever costs less. Either evenly, with a uniform share c that evens out what
privacy sees of the difference; or on the diagonal (where entries of it are tied, on the rest of the column), with room
made by L times an interior matrix: one with equal column sums that satisfies every row strictly. c and L follow by
division; the closer the start was, the smaller they are.
"""

from collections import deque
from fractions import Fraction

import numpy as np

from mechdesign.program.equalities import ties
from mechdesign.program.linear_program import LinearProgram
from mechdesign.rational import total

Integers = list[int]


def repair(program: LinearProgram, matrix: list[list[Fraction]], bits: int) -> tuple[list[Integers], int] | None:
    """Return integer weights and their denominator (near 2^bits) that satisfy the problem's rows, near a given matrix.

    Args:
        program: the LP; its merged entries come out equal.
        matrix: any square matrix of the problem's size; negative entries count as 0, columns are scaled to sum to 1.
        bits: binary places that are kept of the matrix.

    The result is a candidate like any other: the kernel decides. Where the interior matrix does not satisfy what is
    asked, that is the uniform matrix; None where even that is below a floor.
    """
    size = program.problem.size
    x = _least_above(program, [int(value * (1 << bits)) for value in _merged(program, matrix)], 1 << bits)
    raised = _entries(program, x)
    sums = [sum(row[j] for row in raised) for j in range(size)]
    lack = [max(sums) - value for value in sums]
    ways = [_fill_by_interior(program, raised, max(sums), lack)]
    if _may_fill_evenly(program, raised, lack):
        ways.append(_fill_evenly(program, raised, max(sums), lack))
    found = [way for way in ways if way is not None]
    if not found and program.problem.floor * size <= 1:
        return [[1] * size for _ in range(size)], size
    return min(found, key=lambda way: _loss(program, *way), default=None)


def _loss(program: LinearProgram, weights: list[Integers], denominator: int) -> Fraction:
    problem = program.problem
    if problem.is_worst_case:
        columns = zip(zip(*problem.loss.matrix(problem.size), strict=True), zip(*weights, strict=True), strict=True)
        return max(total([x * w for x, w in zip(*pair, strict=True)]) for pair in columns) / denominator
    rows = zip(problem.cost, weights, strict=True)
    return total([c * w for costs, row in rows for c, w in zip(costs, row, strict=True)]) / denominator


def _may_fill_evenly(program: LinearProgram, raised: list[Integers], lack: Integers) -> bool:
    """Return whether each column can be filled by one constant for all its entries.

    That disturbs no row within a column; floors, ties and properties between columns may forbid it.
    """
    problem, size = program.problem, program.problem.size
    full = sum(row[0] for row in raised) + lack[0]
    if problem.floor * size > 1 or any(raised[j][j] < problem.floor * (full - lack[j]) for j in range(size)):
        return False
    if any(lack[tie.first % size] != lack[tie.second % size] for tie in ties(problem)):
        return False
    columns = {
        pair
        for prop in problem.needed
        if prop.pairs is not None
        for pair in zip(*((side % size).tolist() for side in prop.pairs(size)), strict=True)
    }
    return all(lack[upper] >= lack[lower] for upper, lower in columns)


def _fill_evenly(
    program: LinearProgram, raised: list[Integers], full: int, lack: Integers
) -> tuple[list[Integers], int]:
    """Return `size raised[i][j] + lack[j] + c`, with the least c >= 1 that keeps privacy between unequal lacks."""
    alpha, size = program.problem.step_alpha, program.problem.size
    if program.problem.graph.edges is None:
        needed = (alpha * max(lack) - min(lack)) / (1 - alpha)
    else:
        powers = {d: alpha**d for *_, d in program.problem.graph.edges}
        needed = max(
            (powers[d] * max(lack[j], lack[k]) - min(lack[j], lack[k])) / (1 - powers[d])
            for j, k, d in program.problem.graph.edges
        )
    share = max(1, -int(-needed // 1))
    weights = [[size * raised[i][j] + lack[j] + share for j in range(size)] for i in range(size)]
    return weights, size * (full + share)


def _fill_by_interior(
    program: LinearProgram, raised: list[Integers], full: int, lack: Integers
) -> tuple[list[Integers], int] | None:
    """Add each column's lack on its diagonal (where that is tied: on the rest), and L times the interior matrix."""
    size = program.problem.size
    tied = {entry for tie in ties(program.problem) for entry in (tie.first, tie.second)}
    interior = interior_matrix(program)
    share = _share(program, raised, full, max(lack), interior, bool(tied))
    if share is None or any(entry % (size + 1) for entry in tied):
        return None
    factor = size - 1 if tied else 1
    weights = [
        [
            factor * (raised[i][j] + share * interior[i][j]) + (lack[j] if (i == j) != bool(tied) else 0)
            for j in range(size)
        ]
        for i in range(size)
    ]
    return weights, factor * (full + share * sum(row[0] for row in interior))


def _share(
    program: LinearProgram, raised: list[Integers], full: int, lack: int, interior: list[Integers], tied: bool
) -> int | None:
    """Find the least L with which every row and every floor still holds after columns are filled; None without one."""
    problem, size = program.problem, program.problem.size
    alpha = problem.step_alpha
    flat = [value for row in interior for value in row]
    beside = min(value for place, value in enumerate(flat) if place % (size + 1))
    least = beside - alpha * flat[0]  # what privacy has to spare
    needed = [Fraction(0)] if tied else [alpha * lack / least]
    for prop in problem.needed:
        if prop.pairs is None:
            continue
        p, q = prop.ratio.numerator, prop.ratio.denominator
        for a, b in zip(*(side.tolist() for side in prop.pairs(size)), strict=True):
            spare = q * flat[a] - p * flat[b]
            if spare <= 0:
                return None
            if tied:
                least = min(least, Fraction(spare, q))
            elif b % (size + 1) == 0:  # the diagonal grows by `lack`
                needed.append(Fraction(p * lack, spare))
    if tied:
        needed.append(lack / ((size - 1) * least))
    column = sum(row[0] for row in interior)
    for i in range(size if problem.floor else 0):
        spare_floor = interior[i][i] - problem.floor * column
        if spare_floor <= 0:
            return None
        needed.append((problem.floor * full - raised[i][i]) / spare_floor)
    return max(1, -int(-max(needed) // 1))


def _merged(program: LinearProgram, matrix: list[list[Fraction]]) -> list[Fraction]:
    """Average the entries that share a variable, negative entries taken as 0, columns scaled to sum to 1."""
    sums = [total([max(row[j], Fraction(0)) for row in matrix]) for j in range(program.problem.size)]
    flat = [max(value, Fraction(0)) / (sums[j] or 1) for row in matrix for j, value in enumerate(row)]
    values: list[list[Fraction]] = [[] for _ in range(program.n_variables)]
    for variable, value in zip(program.entry_variables, flat, strict=True):
        values[variable].append(value)
    return [sum(group, Fraction(0)) / (len(group) or 1) for group in values]


def _least_above(program: LinearProgram, start: Integers, full: int) -> Integers:
    """Find the least integer vector above `start` that satisfies all rows, and all floors as shares of `full`."""
    forced_by = _forced_by(program)
    x = [
        max(value, -(-full * floor.numerator // floor.denominator))
        for value, floor in zip(start, program.floor, strict=True)
    ]
    queue = deque(sorted(range(len(x)), key=x.__getitem__, reverse=True))
    queued = [True] * len(x)
    while queue:
        v = queue.popleft()
        queued[v] = False
        for u, p, q in forced_by[v]:
            least = -(-p * x[v] // q)
            if x[u] < least:
                x[u] = least
                if not queued[u]:
                    queued[u] = True
                    queue.append(u)
    return x


def _forced_by(program: LinearProgram) -> list[list[tuple[int, int, int]]]:
    """List for each variable v the rows `q x[u] >= p x[v]` by which it forces others up, as (u, p, q)."""
    forced: list[list[tuple[int, int, int]]] = [[] for _ in range(program.n_variables)]
    ratios = [(ratio.numerator, ratio.denominator) for ratio in program.ratios]
    for u, v, k in zip(program.upper.tolist(), program.lower.tolist(), program.ratio_of.tolist(), strict=True):
        forced[v].append((u, *ratios[k]))
    return forced


def interior_matrix(program: LinearProgram) -> list[Integers]:
    """Build an integer matrix in the interior: symmetric, with constant diagonal and equal column sums.

    It satisfies most rows strictly.

    Off the diagonal `K - n |i-j| + T_j` with `T_j = sum_i |i-j|`: moving one step away loses at least 1 along columns
    (n) and along rows (|T_(j+1) - T_j| <= n - 1), and T_j evens out the column sums. The diagonal is `K + n^2`; K is
    large enough that no two entries differ by more than the largest ratio below 1 allows.
    """
    problem, size = program.problem, program.problem.size
    alpha = max(problem.step_alpha, *(prop.ratio for prop in problem.needed if prop.ratio < 1), Fraction(0))
    n = size - 1
    base = int((n * n * (1 + alpha) + 1) / (1 - alpha)) + 1
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    matrix = base - n * distance.astype(object) + distance.sum(axis=0).astype(object)[None, :]
    matrix[np.diag_indices(size)] = base + n * n
    return [[int(value) for value in row] for row in matrix.tolist()]


def _entries(program: LinearProgram, x: Integers) -> list[Integers]:
    size = program.problem.size
    flat = [x[variable] for variable in program.entry_variables]
    return [flat[i * size : (i + 1) * size] for i in range(size)]
