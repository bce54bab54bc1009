"""The noise table of most entropy, exact, for caps on delta: a solver's point, made rational, with room mixed in.

ptable, the tool of Destatis, takes the table of most entropy for given noise and variance. Here privacy is among the
demands. A solver's point breaks them by its tolerance. So sum and mean of every row are mended exactly by the chances
of its two likeliest noises, and as little as needed is mixed in of a table that has room in every inequality: the
demands are convex. Entropy is concave, so that its most lies below the tangent at our table, whose most is an LP.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from mechdesign.errors import NotCertifiedError
from mechdesign.noise_tables.problem import NoiseTableProblem
from mechdesign.noise_tables.program import CELL, NoiseTableProgram, shape_pairs
from mechdesign.noise_tables.table import NoiseTable
from mechdesign.program.clock import Clock
from mechdesign.program.exact.numbers import to_float
from mechdesign.program.general.optimum import NoPointError, find_vertex
from mechdesign.program.solvers.cvxpy_ import maximise_entropy
from mechdesign.program.solvers.highs_ import solve
from mechdesign.program.solvers.numeric import Status
from mechdesign.rational import over_common_denominator

BITS = 60
"""Chances of a solver are rounded to so many binary places."""

SMALLEST_SCALE = 1e-4
"""Of variables, for the solver."""

SHARES = tuple(Fraction(digit, 10**places) for places in range(12, 1, -1) for digit in (1, 3))
"""Of the table with room, tried in this order."""

Chances = dict[int, Fraction]


def entropy_table(problem: NoiseTableProblem, clock: Clock) -> NoiseTable:
    """Find a table near the one of most entropy that meets all demands exactly.

    Raises:
        NoPointError: where the solver finds that no table meets the demands.
        NotCertifiedError: where none has room in every demand, or the solver has no answer.
        LimitReachedError: when the clock runs out.
    """
    program = NoiseTableProgram(problem)
    entropic = np.array([key[0] == CELL for key in program.variables])
    scaled = program.general().scaled(SMALLEST_SCALE)
    outcome = maximise_entropy(scaled.numeric, scaled.scale, entropic, clock.left())
    clock.left()
    if outcome.status is Status.INFEASIBLE:
        raise NoPointError("not certified: the solver found no table that meets the demands")
    if outcome.status is not Status.OPTIMAL:
        raise NotCertifiedError(f"not certified: no table of most entropy was found ({outcome.status_text})")
    best = _mended(program, (scaled.scale * outcome.solution).tolist())
    if _holds(problem, best):
        return _table(best)
    vertex = find_vertex(program.with_room(), solve, clock)
    if not vertex.x[-1]:
        raise NotCertifiedError("not certified: no table has room in every demand; ask for a little less")
    room = _mended(program, [to_float(value) for value in vertex.x[:-1]])
    for share in SHARES:
        mixed = [
            {noise: (1 - share) * own[noise] + share * other[noise] for noise in own}
            for own, other in zip(best, room, strict=True)
        ]
        if _holds(problem, mixed):
            return _table(mixed)
    raise NotCertifiedError("not certified: the solver's table of most entropy is too far from the demands")


def _mended(program: NoiseTableProgram, point: Sequence[float]) -> list[Chances]:
    """Make rational rows of a point, whose sums, means, and variances where they are equations, are exact."""
    problem = program.problem
    rows: list[Chances] = [{} for _ in problem.counts]
    for (kind, *index), value in zip(program.variables, point, strict=True):
        if kind == CELL:
            count, noise = (int(str(one)) for one in index)
            rows[count][noise] = Fraction(round(max(value, 0.0) * (1 << BITS)), 1 << BITS)
    if problem.symmetric:
        last = rows[-1]
        rows[-1] = {noise: (last[noise] + last[-noise]) / 2 for noise in last}
    for count, row in enumerate(rows):
        _mend(problem, count, row)
    return rows


def _mend(problem: NoiseTableProblem, count: int, row: Chances) -> None:
    """Correct sum and moments of a row by its likeliest chances; of a symmetric one by chances on both sides."""
    is_mirrored = problem.symmetric and count == problem.last
    powers = [0, *([1] if count and not is_mirrored else []), *([2] if count and problem.variance_equal else [])]
    powers = powers[: len(row)]
    free = [noise for noise in row if noise >= 0] if is_mirrored else list(row)
    chosen = sorted(sorted(free, key=lambda noise: -row[noise])[: len(powers)])
    wanted = {0: Fraction(1), 1: Fraction(0), 2: problem.variance}
    lacks = [wanted[power] - sum((row[v] * v**power for v in row), Fraction(0)) for power in powers]
    sides = {noise: 2 if is_mirrored and noise else 1 for noise in chosen}
    system = [[Fraction(sides[noise] * noise**power) for noise in chosen] for power in powers]
    for noise, change in zip(chosen, _solved(system, lacks), strict=True):
        row[noise] += change
        if sides[noise] == 2:
            row[-noise] += change


def _solved(system: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Solve at most three equations; a row of powers of different numbers is never singular."""
    rows = [[*row, value] for row, value in zip(system, right, strict=True)]
    size = len(rows)
    for k in range(size):
        pivot = next(i for i in range(k, size) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(size):
            if i != k and rows[i][k]:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [rows[k][size] / rows[k][k] for k in range(size)]


def _holds(problem: NoiseTableProblem, rows: Sequence[Chances]) -> bool:
    """Tell whether rows with positive chances meet every demand."""
    if any(share <= 0 for row in rows for share in row.values()):
        return False
    table = _table(rows)
    return all(_demands(problem, rows, table))


def _demands(problem: NoiseTableProblem, rows: Sequence[Chances], table: NoiseTable) -> Iterator[bool]:
    yield all(table.variance(count) <= problem.variance for count in problem.counts)
    yield all(row[0] >= problem.stay for row in rows if 0 in row)
    for one in problem.guarantees:
        yield one.delta is None or table.delta(one.ratio, problem.start_of(one)) <= one.delta
    for row, support in zip(rows, problem.supports, strict=True):
        yield all(row[inner] >= row[outer] for inner, outer in shape_pairs(support, problem.shape))


def _table(rows: Sequence[Chances]) -> NoiseTable:
    laws = [sorted(row.items()) for row in rows]
    weights, denominator = over_common_denominator(share for law in laws for _, share in law)
    given = iter(weights)
    return NoiseTable(tuple(tuple((noise, next(given)) for noise, _ in law) for law in laws), denominator)
