"""The search for the outputs that are used, one after another, and its exact answer: for lopsided priors."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from mechdesign.certificate.multipliers import over_one_denominator
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.active_outputs.program import ActiveProgram, active_program
from mechdesign.methods.active_outputs.table import KeptTable, Wholes
from mechdesign.methods.answer import Answer, is_readable
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.clock import Clock
from mechdesign.program.exact.exact_lp import ExactPoint, ExactProgram
from mechdesign.program.exact.numbers import Exact, to_float, whole_values
from mechdesign.program.exact.optimum import find_optimum
from mechdesign.program.exact.scaling import Scaling, numeric_program
from mechdesign.program.solvers.highs_ import solve
from mechdesign.program.solvers.numeric import Basis, Floats, Indices, Status

Price = TypeVar("Price", float, Exact)
MOST_A_ROUND = 16
TOLERANCE = 1e-9
"""Of prices, in units of the largest cost."""


def search(table: KeptTable, first: Sequence[int], exact: bool, clock: Clock) -> Iterator[Answer]:
    """Yield the exact optimum of the outputs that are used, a few first; nothing where no exact vertex was found.

    Raises:
        LimitReachedError, NotCertifiedError
    """
    problem, outputs = table.problem, sorted({0, table.n_kept - 1, *first})
    while True:
        program, start = _converged(table, outputs, clock)
        outputs = list(program.outputs)
        optimum = find_optimum(program, ExactProgram.of(program), solve, clock, start)
        if not optimum.is_exact:
            return
        clock.left()
        prices = _spread(program, optimum.point.equation_dual)
        cheap = [i for i in _exactly_cheap(problem, table.whole, prices) if i not in outputs]
        if not cheap:
            break
        outputs = sorted({*outputs, *cheap})
    mechanism = Mechanism.reduced(*_weights(program, optimum.point))
    if exact or is_readable(mechanism):
        proof = over_one_denominator([], prices, None, rounded=False)
        yield Answer(mechanism, proof, f"{optimum.how}, {len(outputs)} active outputs of {table.n_kept}", True)


def _converged(table: KeptTable, outputs: Sequence[int], clock: Clock) -> tuple[ActiveProgram, Basis | None]:
    """Let outputs join until floats find none that pays."""
    active, problem = list(outputs), table.problem
    before: tuple[ActiveProgram, Basis] | None = None
    while True:
        program = active_program(problem, active)
        scaling = Scaling(program)
        started = time.perf_counter()
        basis = None if before is None else _carried(program, *before)
        outcome = solve(replace(numeric_program(program, scaling), basis=basis), clock.left())
        clock.solving += time.perf_counter() - started
        clock.left()
        if outcome.status is not Status.OPTIMAL or outcome.basis is None:
            return program, None
        before = program, outcome.basis
        unit = scaling.cost_unit * program.cost_denominator / table.most
        prices = _spread(program, [y * to_float(unit) for y in outcome.row_dual[program.n_rows :].tolist()])
        reduced = table.costs - np.array(prices)
        values = np.where(reduced > 0, table.alpha * reduced, reduced).sum(axis=1)
        cheap = np.flatnonzero(values < -TOLERANCE)
        joining = [i for i in _lowest(values, cheap) if i not in active][:MOST_A_ROUND]
        joining = joining or [i for i in cheap[np.argsort(values[cheap])].tolist() if i not in active][:MOST_A_ROUND]
        if not joining:
            return program, outcome.basis
        active = sorted({*active, *joining})


def _carried(program: ActiveProgram, before: ActiveProgram, basis: Basis) -> Basis:
    """Return the basis of a smaller program for this one: outputs that joined are 0."""
    old = np.isin(np.array(program.outputs), np.array(before.outputs))
    of_output = np.concatenate([np.full(len(np.unique(p)) + 1, a) for a, p in enumerate(program.places)])
    columns = np.zeros(program.n_variables, dtype=bool)
    columns[old[of_output]] = basis.columns
    rows = np.ones(program.n_rows + len(program.equations), dtype=bool)
    of_row = np.where(program.upper < program.lower, of_output[program.upper], of_output[program.lower])
    kept = np.append(old[of_row], np.ones(len(program.equations), dtype=bool))
    rows[kept] = basis.rows
    return Basis(columns, rows)


def _lowest(values: Floats, places: Indices) -> list[int]:
    """Return those of the places whose value is at most that of both neighbours, the least first."""
    padded = np.concatenate([[np.inf], values, [np.inf]])
    found = places[(values[places] <= padded[places]) & (values[places] <= padded[places + 2])]
    return [int(i) for i in found[np.argsort(values[found], kind="stable")]]


def _spread(program: ActiveProgram, prices: Sequence[Price]) -> list[Price]:
    """Return the price of each input from those of the equations."""
    size = program.problem.size
    if not program.folded:
        return list(prices)
    return [prices[min(j, size - 1 - j)] / (1 if 2 * j == size - 1 else 2) for j in range(size)]


def _exactly_cheap(problem: DesignProblem, costs: Wholes, prices: Sequence[Exact]) -> list[int]:
    """Return the kept outputs that would pay, in integers."""
    _, denominator = problem.whole_cost
    whole, common = whole_values(prices)
    reduced = costs * common - np.array(whole, dtype=object) * denominator
    p, q = problem.step_alpha.numerator, problem.step_alpha.denominator
    values = np.where(reduced > 0, reduced * p, reduced * q).sum(axis=1)
    return [i for i, value in enumerate(values.tolist()) if value < 0]


def _weights(program: ActiveProgram, point: ExactPoint) -> tuple[list[list[int]], int]:
    """Return the whole matrix as integers over one denominator."""
    size = program.problem.size
    values, denominator = whole_values(point.x)
    rows = [[0] * size for _ in range(size)]
    for i, places in zip(program.outputs, program.places, strict=True):
        rows[i] = [values[v] for v in places.tolist()]
        if program.folded:
            rows[size - 1 - i] = rows[i][::-1]
    return rows, denominator
