"""The exact answers: the vertex that an interior point shows, with prices beside its own; else what a search finds.

The parts of a vertex are independent and few, so `A' x = right` and the prices `y0 + A' z` that give each part the
reduced cost 0 come from one small system, `A A'`. The interior point's prices y0 leave all other outputs room, and z is
as small as its error.
"""

from collections.abc import Iterator

import numpy as np
from flint import fmpq_mat

from mechdesign.certificate.multipliers import over_one_denominator
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.active_outputs.interior_point import InteriorPoint, interior_point
from mechdesign.methods.active_outputs.patterns import Patterns, Support, vertex
from mechdesign.methods.active_outputs.search import search
from mechdesign.methods.active_outputs.table import KeptTable
from mechdesign.methods.answer import Answer, is_readable
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.clock import Clock
from mechdesign.program.exact.numbers import Exact, to_exact, whole_values

PRICE_BITS = 44
"""Prices are rounded to so many binary places, in units of the largest cost, before they are corrected."""


def active_outputs(problem: DesignProblem, exact: bool, clock: Clock) -> Iterator[Answer]:
    """Yield the exact vertex that an interior point shows, then what a search finds that begins with its outputs.

    Raises:
        LimitReachedError, NotCertifiedError
    """
    table = KeptTable(problem)
    point = interior_point(table, clock)
    patterns = Patterns.of(table, point)
    support = vertex(table, patterns, clock)
    answer = None if support is None else _answer(table, point, support)
    clock.left()
    if answer is not None and (exact or is_readable(answer.mechanism)):
        yield answer
    yield from search(table, patterns.outputs.tolist(), exact, clock)


def _answer(table: KeptTable, point: InteriorPoint, support: Support) -> Answer | None:
    """Work out the vertex and its prices; None where these parts do not make a mechanism."""
    shapes, n_parts = support.shapes, len(support.outputs)
    right = fmpq_mat([[to_exact(value)] for value in table.right])
    costs = (shapes * table.whole[support.outputs]).sum(axis=1)
    rounded = [round(y * (1 << PRICE_BITS)) * table.most for y in point.prices.tolist()]
    first = fmpq_mat([[Exact(y, 1 << PRICE_BITS)] for y in rounded])
    wide = fmpq_mat(table.add_up(shapes).tolist())
    lacking = fmpq_mat([[Exact(cost)] for cost in costs.tolist()]) - wide * first
    try:
        solved = (wide * wide.transpose()).solve(_beside(wide * right, lacking))
    except ZeroDivisionError:
        return None
    amounts = [solved[k, 0] for k in range(n_parts)]
    amounts_column = fmpq_mat([[amount] for amount in amounts])
    if min(amounts) < 0 or wide.transpose() * amounts_column != right:
        return None
    corrections = fmpq_mat([[solved[k, 1]] for k in range(n_parts)])
    prices = (first + wide.transpose() * corrections).entries()
    _, denominator = table.problem.whole_cost
    spread = [prices[k] / denominator for k in table.place.tolist()]
    mechanism = Mechanism.reduced(*_weights(table, support, amounts))
    proof = over_one_denominator([], spread, None, rounded=False)
    used = len(set(support.outputs.tolist()))
    how = f"interior point: {point.steps} steps, exact vertex, {used} active outputs of {table.n_kept}"
    return Answer(mechanism, proof, how, True)


def _beside(left: fmpq_mat, right: fmpq_mat) -> fmpq_mat:
    return fmpq_mat([[a, b] for a, b in zip(left.entries(), right.entries(), strict=True)])


def _weights(table: KeptTable, support: Support, amounts: list[Exact]) -> tuple[list[list[int]], int]:
    """Return the whole matrix as integers over one denominator."""
    whole, denominator = whole_values(amounts)
    rows = np.zeros((table.problem.size, table.problem.size), dtype=object)
    for output, shape, amount in zip(support.outputs.tolist(), support.shapes, whole, strict=True):
        rows[output] += shape * amount
        if table.folded:
            rows[table.problem.size - 1 - output] += shape[::-1] * amount
    return rows.tolist(), denominator
