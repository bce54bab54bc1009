"""Integer repair: from any matrix to one that satisfies everything exactly.

Every row says `x_u >= r x_v` with r <= 1, so above any integer matrix there is a least one that satisfies all of them:
raise what is too small until nothing changes. Its columns have different sums S_j, and what they lack of the largest
one is filled up in one of two ways, whichever costs less. Either evenly, with a uniform share c that evens out what
privacy sees of the difference; or on the diagonal, where only privacy rows can object (with F, whose diagonal must stay
constant, on the rest of the column), with room made by L times an interior matrix: one with equal column sums that
satisfies every row strictly. c and L follow by division; the closer the start was, the smaller they are.
"""

from collections import deque
from fractions import Fraction

import numpy as np

from mechdesign.problem.properties import smoothness
from mechdesign.program.linear_program import LinearProgram
from mechdesign.rational import total

Integers = list[int]


def repair(program: LinearProgram, matrix: list[list[Fraction]], bits: int) -> tuple[list[Integers], int]:
    """Integer weights and their denominator (near 2^bits) that satisfy the problem's rows, near the given matrix.

    Args:
        program: the LP; its merged entries (F, S) come out equal.
        matrix: any square matrix of the problem's size; negative entries count as 0, columns are scaled to sum to 1.
        bits: binary places that are kept of the matrix.

    The result is a candidate like any other: the kernel decides.
    """
    size = program.problem.size
    if steepest(program) == 1:  # OS:1 leaves no other
        return [[1] * size for _ in range(size)], size
    x = _least_above(program, [int(value * (1 << bits)) for value in _merged(program, matrix)], 1 << bits)
    raised = _entries(program, x)
    sums = [sum(row[j] for row in raised) for j in range(size)]
    lack = [max(sums) - value for value in sums]
    ways = [_fill_by_interior(program, raised, max(sums), lack)]
    if _may_fill_evenly(program, raised, sums):
        ways.append(_fill_evenly(program, raised, max(sums), lack))
    return min(ways, key=lambda way: _loss(program, *way))


def _loss(program: LinearProgram, weights: list[Integers], denominator: int) -> Fraction:
    problem = program.problem
    if problem.is_worst_case:
        columns = zip(zip(*problem.loss.matrix(problem.size), strict=True), zip(*weights, strict=True), strict=True)
        return max(total([x * w for x, w in zip(*pair, strict=True)]) for pair in columns) / denominator
    rows = zip(problem.cost, weights, strict=True)
    return total([c * w for costs, row in rows for c, w in zip(costs, row, strict=True)]) / denominator


def _may_fill_evenly(program: LinearProgram, raised: list[Integers], sums: Integers) -> bool:
    """One constant for each column disturbs no property of columns, but RH, RM and F compare columns."""
    floors = not any(program.floor) or all(len(sums) * raised[j][j] >= sums[j] for j in range(len(sums)))
    return floors and not program.problem.properties & {"RH", "RM", "F"}


def _fill_evenly(
    program: LinearProgram, raised: list[Integers], full: int, lack: Integers
) -> tuple[list[Integers], int]:
    """`size raised[i][j] + lack[j] + c`, with the least c >= 1 that keeps privacy between unequal lacks."""
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
) -> tuple[list[Integers], int]:
    """Lacks to the diagonal (with F: to the rest of the column), and L times the interior matrix."""
    size = program.problem.size
    fair = "F" in program.problem.properties
    interior = interior_matrix(program)
    share = _share(program, raised, full, max(lack), interior)
    factor = size - 1 if fair else 1
    weights = [
        [factor * (raised[i][j] + share * interior[i][j]) + (lack[j] if (i == j) != fair else 0) for j in range(size)]
        for i in range(size)
    ]
    return weights, factor * (full + share * sum(row[0] for row in interior))


def _share(program: LinearProgram, raised: list[Integers], full: int, lack: int, interior: list[Integers]) -> int:
    """The least L with which every row, and the floors of WH, survive the filling up of columns."""
    size = program.problem.size
    if "F" in program.problem.properties:
        needed = [Fraction(lack, (size - 1) * min(_slacks(program, interior)))]
    else:
        # only rows of ratio r < 1 (privacy, OS) have the diagonal, which grew by `lack`, on their right
        ratio = steepest(program)
        beside = min(value for i, row in enumerate(interior) for j, value in enumerate(row) if i != j)
        needed = [ratio * lack / (beside - ratio * interior[0][0])]
    if any(program.floor):
        column = sum(row[0] for row in interior)
        needed += [
            (Fraction(full, size) - raised[i][i]) / (interior[i][i] - Fraction(column, size)) for i in range(size)
        ]
    return max(1, -int(-max(needed) // 1))


def _slacks(program: LinearProgram, matrix: list[Integers]) -> list[Fraction]:
    """What every row of the LP has to spare at an integer matrix, privacy at least what its extremes leave."""
    upper, lower = (nodes.tolist() for nodes in program.row_nodes)
    flat = [value for row in matrix for value in row]
    rows = zip(program.row_kind, upper, lower, program.ratio_of.tolist(), strict=True)
    slacks = [flat[a] - program.ratios[k] * flat[b] for kind, a, b, k in rows if kind]
    return [*slacks, min(flat) - program.problem.step_alpha * max(flat)]


def steepest(program: LinearProgram) -> Fraction:
    """The largest ratio below 1 by which one entry bounds another."""
    return max(program.problem.step_alpha, smoothness(program.problem.properties) or Fraction(0))


def _merged(program: LinearProgram, matrix: list[list[Fraction]]) -> list[Fraction]:
    """Mean of the entries that share a variable, negative entries taken as 0, columns scaled to sum to 1."""
    sums = [total([max(row[j], Fraction(0)) for row in matrix]) for j in range(program.problem.size)]
    flat = [max(value, Fraction(0)) / (sums[j] or 1) for row in matrix for j, value in enumerate(row)]
    values: list[list[Fraction]] = [[] for _ in range(program.n_variables)]
    for variable, value in zip(program.entry_variables, flat, strict=True):
        values[variable].append(value)
    return [sum(group, Fraction(0)) / (len(group) or 1) for group in values]


def _least_above(program: LinearProgram, start: Integers, full: int) -> Integers:
    """The least integer vector above `start` that satisfies all rows, and all floors as shares of `full`."""
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
    """For each variable v the rows `q x[u] >= p x[v]` by which it forces others up, as (u, p, q)."""
    forced: list[list[tuple[int, int, int]]] = [[] for _ in range(program.n_variables)]
    ratios = [(ratio.numerator, ratio.denominator) for ratio in program.ratios]
    for u, v, k in zip(program.upper.tolist(), program.lower.tolist(), program.ratio_of.tolist(), strict=True):
        forced[v].append((u, *ratios[k]))
    return forced


def interior_matrix(program: LinearProgram) -> list[Integers]:
    """A symmetric integer matrix with constant diagonal and equal column sums, every row satisfied strictly.

    Off the diagonal `K - n |i-j| + T_j` with `T_j = sum_i |i-j|`: moving one step away loses at least 1 along columns
    (n) and along rows (|T_(j+1) - T_j| <= n - 1), and T_j evens out the column sums. The diagonal is `K + n^2`; K is
    large enough that no two entries differ by more than the factor alpha allows (the largest, of privacy and OS).
    """
    alpha, size = steepest(program), program.problem.size
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
