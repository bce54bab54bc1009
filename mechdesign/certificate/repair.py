"""Integer repair: from any nonnegative matrix to one that satisfies everything exactly.

Every row says `x_u >= r x_v` with r <= 1, so above any integer matrix there is a least one that satisfies all of them:
raise what is too small until nothing changes. The columns then have different sums S_j. A uniform share makes room in
every privacy row, and what a column lacks of the common sum goes to its diagonal, where only privacy rows can object.
With F the diagonal must stay constant: there the shortage is spread over the rest of the column, and the room comes
from a share of a fair matrix that satisfies every row strictly.
"""

from collections import deque
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.errors import NotCertifiedError
from mechdesign.linear_program import LinearProgram

Integers = list[int]
MAX_SHRINKS = 200


@dataclass(frozen=True)
class _Rows:
    """Rows `q x[u] >= p x[v]` by the variable that forces another up, and floors as fractions of a column."""

    forced_by: list[list[tuple[int, int, int]]]
    members: list[list[tuple[int, int]]]
    floor: tuple[Fraction, ...]


def repair(program: LinearProgram, matrix: list[list[Fraction]], bits: int) -> tuple[list[Integers], int]:
    """Integer weights over a denominator near 2^bits that satisfy the problem's rows, near the given matrix.

    The result is a candidate like any other: the kernel decides.

    Raises:
        NotCertifiedError: if no amount of shrinking makes room for the column sums.
    """
    rows = _Rows(_forced_by(program), _members(program), program.floor)
    start = _merged(program, matrix)
    full = 1 << bits
    keep = Fraction(1)
    for _ in range(MAX_SHRINKS):
        raised = _least_above([int(value * keep * full) for value in start], rows, full)
        sums = [sum(m * raised[v] for v, m in column) for column in rows.members]
        room = full - max(sums)
        need = _room_needed(program, max(sums) - min(sums))
        if room >= need:
            finish = _spread_off_diagonal if "F" in program.problem.properties else _top_up_diagonal
            finished = finish(program, raised, sums, full)
            if finished is not None:
                return finished
        shrink = Fraction(max(full - 2 * need, full // 2), max(max(sums), full // 2))
        keep *= min(shrink, 1 - Fraction(1, 1 << (bits - 8)))
        keep = Fraction(int(keep * full), full)
    raise NotCertifiedError("the matrix is too far from the asked properties to be repaired")


def _forced_by(program: LinearProgram) -> list[list[tuple[int, int, int]]]:
    forced: list[list[tuple[int, int, int]]] = [[] for _ in range(program.n_variables)]
    ratios = [(ratio.numerator, ratio.denominator) for ratio in program.ratios]
    for u, v, k in zip(program.upper.tolist(), program.lower.tolist(), program.ratio_of.tolist(), strict=True):
        forced[v].append((u, *ratios[k]))
    return forced


def _members(program: LinearProgram) -> list[list[tuple[int, int]]]:
    return [list(zip(s.variables.tolist(), s.multiplicity.tolist(), strict=True)) for s in program.sums]


def _merged(program: LinearProgram, matrix: list[list[Fraction]]) -> list[Fraction]:
    """Mean of the entries that share a variable, negative entries taken as 0, columns scaled to sum to 1."""
    sums = [sum((max(row[j], Fraction(0)) for row in matrix), Fraction(0)) for j in range(program.problem.size)]
    flat = [max(value, Fraction(0)) / (sums[j] or 1) for row in matrix for j, value in enumerate(row)]
    values: list[list[Fraction]] = [[] for _ in range(program.n_variables)]
    for variable, value in zip(program.variable_of.tolist(), flat, strict=True):
        values[variable].append(value)
    return [sum(group, Fraction(0)) / len(group) for group in values]


def _least_above(start: Integers, rows: _Rows, full: int) -> Integers:
    """The least integer vector above `start` that satisfies all rows and floors."""
    x = [
        max(value, -(-full * floor.numerator // floor.denominator)) if floor else value
        for value, floor in zip(start, rows.floor, strict=True)
    ]
    queue = deque(sorted(range(len(x)), key=x.__getitem__, reverse=True))
    queued = [True] * len(x)
    while queue:
        v = queue.popleft()
        queued[v] = False
        for u, p, q in rows.forced_by[v]:
            least = -(-p * x[v] // q)
            if x[u] < least:
                x[u] = least
                if not queued[u]:
                    queued[u] = True
                    queue.append(u)
    return x


def _room_needed(program: LinearProgram, spread: int) -> int:
    """How far the largest column must stay below the full sum for the corrections to fit."""
    alpha, size = program.problem.alpha, program.problem.size
    if "F" in program.problem.properties:
        base, n = sum(row[0] for row in fair_interior(program)), size - 1
        return base * (spread + n + base) // n + 1
    return int(size * (alpha * spread + 1 - alpha + alpha * size) / (1 - alpha)) + 1


def _top_up_diagonal(
    program: LinearProgram, x: Integers, sums: Integers, full: int
) -> tuple[list[Integers], int] | None:
    alpha, size = program.problem.alpha, program.problem.size
    lacking = full - min(sums)
    share = -int(-alpha * lacking // (1 - alpha + alpha * size))
    if max(sums) + size * share > full:
        return None
    weights = _entries(program, [value + share for value in x])
    for j in range(size):
        weights[j][j] += full - sum(weights[i][j] for i in range(size))
    return weights, full


def _spread_off_diagonal(
    program: LinearProgram, x: Integers, sums: Integers, full: int
) -> tuple[list[Integers], int] | None:
    size = program.problem.size
    n = size - 1
    interior = fair_interior(program)
    base = sum(row[0] for row in interior)
    share = -((min(sums) - full) // (n + base)) if min(sums) < full else 0
    if max(sums) + share * base > full:
        return None
    weights = _entries(program, x)
    for i in range(size):
        for j in range(size):
            weights[i][j] = n * (weights[i][j] + share * interior[i][j])
    for j in range(size):
        lacking = (n * full - sum(weights[i][j] for i in range(size))) // n
        for i in range(size):
            if i != j:
                weights[i][j] += lacking
    return weights, n * full


def fair_interior(program: LinearProgram) -> list[Integers]:
    """An integer matrix with constant diagonal and equal column sums, every row satisfied with slack at least 1.

    Off the diagonal `K - n |i-j| + T_j` with `T_j = sum_i |i-j|`: moving one step away loses at least 1 along columns
    (n) and along rows (|T_(j+1) - T_j| <= n - 1), and T_j evens out the column sums. The diagonal is `K + n^2`; K is
    large enough that no two entries differ by more than the factor alpha allows.
    """
    alpha, size = program.problem.alpha, program.problem.size
    n = size - 1
    base = int((n * n * (1 + alpha) + 1) / (1 - alpha)) + 1
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    matrix = base - n * distance.astype(object) + distance.sum(axis=0).astype(object)[None, :]
    matrix[np.diag_indices(size)] = base + n * n
    return [[int(value) for value in row] for row in matrix.tolist()]


def _entries(program: LinearProgram, x: Integers) -> list[Integers]:
    size = program.problem.size
    flat = [x[variable] for variable in program.variable_of.tolist()]
    return [flat[i * size : (i + 1) * size] for i in range(size)]
