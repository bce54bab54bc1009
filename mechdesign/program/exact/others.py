"""Other optima of an LP, beside the vertex at hand: seen at once where a step along an edge costs nothing."""

from collections.abc import Sequence
from itertools import chain, islice

from flint import fmpq_mat

from mechdesign.program.exact.exact_lp import ExactPoint, ExactProgram, Residuals
from mechdesign.program.exact.forest import ForestBasis
from mechdesign.program.exact.numbers import ONE, ZERO, Exact

MOST_EDGES = 40
"""So many are looked at; each costs as much as a vertex."""


def has_other_optima(forest: ForestBasis, point: ExactPoint, residuals: Residuals) -> bool:
    """Return whether some edge from an optimal vertex leads to other optima.

    Along the edge of a tight row, or of a variable at its floor, with the multiplier 0 the cost stays the same. The
    step is positive where nothing else that is tight, though basic, becomes less. False says nothing: other edges may
    lead on.
    """
    exact = forest.exact
    rows = (row for row, basic in enumerate(forest.row_basic) if not basic and not point.row_dual[row])
    floors = (v for v, cost in enumerate(residuals.reduced) if not forest.column_basic[v] and not cost)
    tight = [row for row, slack in enumerate(residuals.slack) if forest.row_basic[row] and not slack]
    low = [v for v, above in enumerate(residuals.above_floor) if forest.column_basic[v] and not above]
    zeros = [ZERO] * len(exact.cost)

    def leads_on(offset: dict[int, Exact], ground: list[Exact]) -> bool:
        step = forest.primal(offset, ground, [ZERO] * len(exact.equations))
        return all(exact.slack(row, step) >= 0 for row in tight) and all(step[v] >= 0 for v in low)

    edges = chain(
        (({row: ONE}, zeros) for row in rows),
        (({}, [*zeros[:v], ONE, *zeros[v + 1 :]]) for v in floors),
    )
    return any(leads_on(offset, ground) for offset, ground in islice(edges, MOST_EDGES))


def is_vertex(exact: ExactProgram, x: Sequence[Exact]) -> bool:
    """Return whether what is tight at a feasible point determines it; an optimum that is no vertex is not alone.

    Variables that tight rows join have one factor, which is 0 where one of them is at its floor. The equations must
    leave 0 alone for all factors.
    """
    root = list(range(len(x)))

    def find(variable: int) -> int:
        while root[variable] != variable:
            root[variable] = variable = root[root[variable]]
        return variable

    for row, (upper, lower) in enumerate(zip(exact.upper, exact.lower, strict=True)):
        if not exact.slack(row, x):
            root[find(upper)] = find(lower)
    fixed = {find(v) for v, value in enumerate(x) if value == exact.floor[v]}
    place = {one: k for k, one in enumerate(sorted({find(v) for v in range(len(x))} - fixed))}
    system = [[ZERO] * len(place) for _ in exact.equations]
    for line, members in zip(system, exact.equations, strict=True):
        for variable, coefficient in members:
            if find(variable) in place:
                line[place[find(variable)]] += coefficient * x[variable]
    return not place or fmpq_mat(system).rank() == len(place)
