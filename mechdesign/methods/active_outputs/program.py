"""The linear program of a local mechanism over some of its outputs.

    minimise    sum_ij cost_ij P_ij                     over the active outputs i
    subject to  sum_i P_ij = 1                          every input j
                P_ij >= m_i >= alpha P_ij               the least entry m_i of each row
                P, m >= 0

Where loss and prior are symmetric, output k-1-i is output i read backwards: only one of the two is written down, and
inputs j and k-1-j have one equation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.linear_program import is_folded
from mechdesign.program.pair_program import Equation, PairProgram
from mechdesign.program.privacy_rows import Indices


@dataclass(frozen=True)
class ActiveProgram(PairProgram):
    """The program over the active outputs; `places[a]` has the variables of the entries of the a-th of them."""

    problem: DesignProblem
    folded: bool
    outputs: tuple[int, ...]
    places: tuple[Indices, ...]


def kept_outputs(problem: DesignProblem) -> range:
    """Return the outputs that are written down: of each two that mirror each other the first."""
    return range((problem.size + 1) // 2 if is_folded(problem, None) else problem.size)


def active_program(problem: DesignProblem, outputs: Sequence[int]) -> ActiveProgram:
    """Build the program over these outputs, all of them kept ones."""
    size, folded = problem.size, is_folded(problem, None)
    places, minima, n = [], [], 0
    for i in outputs:
        own = np.arange(size, dtype=np.int64)
        if folded and 2 * i == size - 1:
            own = np.minimum(own, own[::-1])
        places.append(n + own)
        n += int(own.max()) + 2
        minima.append(n - 1)
    costs, denominator = problem.whole_cost
    cost, exponent = [0] * n, np.ones(n, dtype=np.int64)
    for i, variables in zip(outputs, places, strict=True):
        rows = [costs[i]] if not folded or 2 * i == size - 1 else [costs[i], costs[size - 1 - i][::-1]]
        for row in rows:
            for v, value in zip(variables.tolist(), row, strict=True):
                cost[v] += value
        exponent[variables[i]] = 0
    entries = [np.unique(variables) for variables in places]
    lowest = np.repeat(np.array(minima, dtype=np.int64), [len(own) for own in entries])
    flat = np.concatenate(entries)
    return ActiveProgram(
        alpha=problem.step_alpha,
        is_monotone=False,
        exponent=exponent,
        cost=tuple(cost),
        cost_denominator=denominator,
        floor=(Fraction(0),) * n,
        ratios=(Fraction(1), problem.step_alpha),
        ratio_of=np.repeat(np.array([0, 1], dtype=np.int64), len(flat)),
        upper=np.concatenate([flat, lowest]),
        lower=np.concatenate([lowest, flat]),
        equations=tuple(_column_sums(outputs, places, size, folded)),
        problem=problem,
        folded=folded,
        outputs=tuple(outputs),
        places=tuple(places),
    )


def _column_sums(outputs: Sequence[int], places: Sequence[Indices], size: int, folded: bool) -> list[Equation]:
    sums = []
    for j in range((size + 1) // 2 if folded else size):
        found = []
        for i, variables in zip(outputs, places, strict=True):
            found.append(int(variables[j]))
            if folded and 2 * i != size - 1:
                found.append(int(variables[size - 1 - j]))
        distinct, times = np.unique(np.array(found, dtype=np.int64), return_counts=True)
        sums.append(Equation("sum", j, distinct, tuple(Fraction(t) for t in times.tolist()), Fraction(1)))
    return sums
