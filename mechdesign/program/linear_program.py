"""The LP of a design problem, as named blocks; no solver is known here.

    minimise    sum_ij cost[i,j] P[i,j]               or t, for the worst case
    subject to  sum_i P[i,j] = 1                      every input j
                P[i,j] >= alpha^d P[i,l]              every output i, neighbours j, l of length d
                P[a] >= ratio P[b]                    pairs of the asked properties
                P[i,i] >= floor                       the highest floor of the asked properties
                sum_i loss[i,j] P[i,j] + s_j = t      every input j, for the worst case
                P, s, t >= 0

(Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms", STOC 2009, for the frame;
Cormode et al. 2018 for the properties; Gupte, Sundararajan, PODS 2010, for the worst case.) Properties that state
equalities merge entries into one variable, so every row left, apart from the equations, has at most two
variables: `x_u >= ratio x_v`.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, pairwise
from math import gcd

import numpy as np

from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.property import rotation
from mechdesign.program.equalities import ties
from mechdesign.program.pair_program import Equation, PairProgram
from mechdesign.program.privacy_rows import Indices, PairRows, privacy_rows
from mechdesign.program.solvers.numeric import Basis


@dataclass(frozen=True)
class LinearProgram(PairProgram):
    """The LP of a problem over merged variables.

    Nodes are the entries `i * size + j`, then extra variables; `variable_of` gives the variable of each. `row_kind`
    and `row_nodes` name, for each row, one row between nodes that it stands for (`row_kind` is empty where an extra
    variable helps to state privacy). `symmetric` says that entries were merged with their rotation, and their rows.
    """

    problem: DesignProblem
    symmetric: bool
    variable_of: Indices
    row_kind: tuple[str, ...]
    row_nodes: tuple[Indices, Indices]

    @property
    def entry_variables(self) -> list[int]:
        """The variable of each entry of the matrix, row by row."""
        variables: list[int] = self.variable_of[: self.problem.size**2].tolist()
        return variables

    def inputs_of(self, column: int) -> tuple[int, ...]:
        """List the inputs whose equation is the one of this column: itself, and where merged its mirror image."""
        mirrored = self.problem.size - 1 - column
        return (column, mirrored) if self.symmetric and mirrored != column else (column,)

    @property
    def turned_kinds(self) -> frozenset[str]:
        """The kinds of rows that stand for two of the problem: one, and its rotation; empty where none were merged."""
        if not (self.symmetric and self.problem.graph.is_symmetric):
            return frozenset()
        return frozenset({"DP", *(prop.kind for prop in self.problem.required if prop.keeps_rotation)})


def property_rows(problem: DesignProblem) -> list[PairRows]:
    """List one block of rows for each needed property that compares entries."""
    return [
        PairRows(prop.kind, prop.ratio, *prop.pairs(problem.size)) for prop in problem.needed if prop.pairs is not None
    ]


def merged_entries(problem: DesignProblem, symmetric: bool) -> Indices:
    """Number the variable of each entry: equal entries, and rotations where `symmetric`, share one."""
    size = problem.size
    entries = np.arange(size * size, dtype=np.int64)
    representative = np.minimum(entries, rotation(entries, size)) if symmetric else entries
    parent = {int(entry): int(entry) for tie in ties(problem) for entry in representative[[tie.first, tie.second]]}

    def root(entry: int) -> int:
        while parent[entry] != entry:
            entry = parent[entry] = parent[parent[entry]]
        return entry

    for tie in ties(problem):
        low, high = sorted(root(int(entry)) for entry in representative[[tie.first, tie.second]])
        parent[high] = low
    merged = entries.copy()
    merged[list(parent)] = [root(entry) for entry in parent]
    return np.unique(merged[representative], return_inverse=True)[1].astype(np.int64).reshape(-1)


def is_folded(problem: DesignProblem, symmetric: bool | None) -> bool:
    """Return whether entries are merged with their rotation.

    With `symmetric` None they are exactly where that is asked or costs nothing.
    """
    return problem.asks_rotation or (problem.symmetry_is_free if symmetric is None else symmetric)


def build(problem: DesignProblem, *, symmetric: bool | None = None, form: str | None = None) -> LinearProgram:
    """Build the LP of a problem.

    `symmetric` None merges rotations exactly where that is asked or costs nothing; `form` is that of the privacy rows.
    """
    size = problem.size
    symmetric = is_folded(problem, symmetric)
    halved = symmetric and problem.graph.is_symmetric  # else the rotation of a row has other neighbours
    privacy = privacy_rows(problem.graph, problem.step_alpha, range((size + 1) // 2 if halved else size), form)
    merged = merged_entries(problem, symmetric)
    n_entries, n_extra = int(merged.max()) + 1, len(privacy.extra_exponents)
    inputs = range((size + 1) // 2) if symmetric else range(size)
    losing = _losing(problem, symmetric)
    n_worst = len(losing) + 1 if problem.is_worst_case else 0
    variable_of = np.concatenate([merged, n_entries + np.arange(n_extra + n_worst, dtype=np.int64)])
    n_variables = n_entries + n_extra + n_worst
    exponent = np.zeros(n_variables, dtype=np.int64)
    exponent[merged] = problem.graph.distances.ravel()
    exponent[n_entries : n_entries + n_extra] = privacy.extra_exponents
    diagonal = np.zeros(n_variables, dtype=bool)
    diagonal[merged[:: size + 1]] = True
    blocks = [*privacy.blocks, *property_rows(problem)]
    ratios = tuple(dict.fromkeys(block.ratio for block in blocks))
    rows = _distinct_rows(blocks, ratios, variable_of, n_variables)
    cost, cost_denominator = _merged_cost(problem, merged, n_variables)
    nothing = Fraction(0)
    return LinearProgram(
        problem=problem,
        alpha=problem.step_alpha,
        is_monotone=any(prop.is_monotone for prop in problem.required),
        symmetric=symmetric,
        variable_of=variable_of,
        exponent=exponent,
        cost=cost,
        cost_denominator=cost_denominator,
        floor=tuple(problem.floor if on_diagonal else nothing for on_diagonal in diagonal.tolist()),
        ratios=ratios,
        ratio_of=rows[0],
        upper=variable_of[rows[2]],
        lower=variable_of[rows[3]],
        row_kind=tuple(blocks[b].kind for b in rows[1].tolist()),
        row_nodes=(rows[2], rows[3]),
        equations=(*_column_sums(merged, size, inputs), *_loss_equations(problem, merged, n_variables, losing)),
    )


def _losing(problem: DesignProblem, symmetric: bool) -> range:
    """Return the inputs whose loss is bounded in a worst case: a lopsided loss tells j from n-j."""
    halved = symmetric and problem.loss.is_symmetric(problem.size)
    return range((problem.size + 1) // 2 if halved else problem.size)


def with_loss(program: LinearProgram, problem: DesignProblem) -> LinearProgram:
    """Return an LP with the loss of another problem as its cost, and all its variables, rows and equations as before.

    For a worst case the loss equations come on top, with a slack for each of them and `t`. Here `t` costs what brings
    it back to the scale of the loss.
    """
    if not problem.is_worst_case:
        return program.with_cost(entry_cost(program, problem))
    losing, span = _losing(problem, program.symmetric), loss_range(problem)[1]
    n_more, n_variables = len(losing) + 1, program.n_variables + len(losing) + 1
    more = np.arange(program.n_variables, n_variables, dtype=np.int64)
    equations = _loss_equations(problem, program.variable_of[: problem.size**2], n_variables, losing)
    return replace(
        program,
        variable_of=np.concatenate([program.variable_of, more]),
        exponent=np.concatenate([program.exponent, np.zeros(n_more, dtype=np.int64)]),
        cost=(*[0] * (n_variables - 1), span.numerator),
        cost_denominator=span.denominator,
        floor=(*program.floor, *[Fraction(0)] * n_more),
        equations=(*program.equations, *equations),
    )


def entry_cost(program: LinearProgram, problem: DesignProblem) -> tuple[Fraction, ...]:
    """Return the expected loss of a problem as the cost of each variable of an LP."""
    costs, denominator = _merged_cost(problem, program.variable_of[: problem.size**2], program.n_variables)
    return tuple(Fraction(value, denominator) for value in costs)


def _distinct_rows(
    blocks: list[PairRows], ratios: tuple[Fraction, ...], variable_of: Indices, n_variables: int
) -> tuple[Indices, Indices, Indices, Indices]:
    """(ratio index, block index, upper node, lower node) of the rows that are needed.

    Of rows between the same two variables only the one with the largest ratio is kept: it implies the others. A row
    of a variable with itself says nothing (ratio <= 1).
    """
    upper = np.concatenate([block.upper for block in blocks])
    lower = np.concatenate([block.lower for block in blocks])
    block_of = np.repeat(np.arange(len(blocks), dtype=np.int64), [len(block.upper) for block in blocks])
    ratio_of = np.array([ratios.index(block.ratio) for block in blocks], dtype=np.int64)[block_of]
    rank = np.array([sorted(ratios, reverse=True).index(ratio) for ratio in ratios])[ratio_of]
    key = variable_of[upper] * n_variables + variable_of[lower]
    order = np.lexsort((np.arange(len(key)), rank, key))
    first = np.ones(len(key), dtype=bool)
    first[1:] = key[order][1:] != key[order][:-1]
    kept = order[first & (variable_of[upper] != variable_of[lower])[order]]
    kept.sort()
    return ratio_of[kept], block_of[kept], upper[kept], lower[kept]


def _merged_cost(problem: DesignProblem, merged: Indices, n_variables: int) -> tuple[tuple[int, ...], int]:
    """Add up the costs of entries that share a variable, as integers over their least denominator.

    The worst case pays for t alone, the last variable.
    """
    if problem.is_worst_case:
        return (0,) * (n_variables - 1) + (1,), 1
    rows, denominator = problem.whole_cost
    sums = [0] * n_variables
    for variable, value in zip(merged.tolist(), chain.from_iterable(rows), strict=True):
        sums[variable] += value
    common = gcd(denominator, *sums)
    return tuple(value // common for value in sums), denominator // common


def _column_sums(merged: Indices, size: int, inputs: range) -> list[Equation]:
    """State one sum for each input; under symmetry column n-j repeats column j and is left out."""
    n_variables, times = int(merged.max()) + 1, {m: Fraction(m) for m in (1, 2)}
    of_column = merged.reshape(size, size)[:, : len(inputs)].T + n_variables * np.arange(len(inputs))[:, None]
    keys, multiplicity = np.unique(of_column, return_counts=True)
    ends = np.searchsorted(keys, n_variables * np.arange(len(inputs) + 1)).tolist()
    variables, multiples = keys % n_variables, [times[m] for m in multiplicity.tolist()]
    parts = zip(inputs, pairwise(ends), strict=True)
    return [Equation("sum", j, variables[a:b], tuple(multiples[a:b]), times[1]) for j, (a, b) in parts]


def _loss_equations(problem: DesignProblem, merged: Indices, n_variables: int, inputs: range) -> list[Equation]:
    """State `sum_i loss'[i,j] P[i,j] + s_j - t = 0`, the loss brought to [0, 1]: that moves and scales t alone."""
    if not problem.is_worst_case:
        return []
    size = problem.size
    loss = problem.loss.matrix(size)
    low, span = loss_range(problem)
    t, first_slack = n_variables - 1, n_variables - 1 - len(inputs)
    equations = []
    for position, j in enumerate(inputs):
        terms: dict[int, Fraction] = {first_slack + position: Fraction(1), t: Fraction(-1)}
        for i, variable in enumerate(merged[j::size].tolist()):
            terms[variable] = terms.get(variable, Fraction(0)) + (loss[i][j] - low) / span
        kept = {variable: value for variable, value in sorted(terms.items()) if value}
        equations.append(Equation("loss", j, np.array(list(kept), dtype=np.int64), tuple(kept.values()), Fraction(0)))
    return equations


def loss_range(problem: DesignProblem) -> tuple[Fraction, Fraction]:
    """Return the least entry of the loss, and how far the largest is above it (1 where they are equal)."""
    values = [value for row in problem.loss.matrix(problem.size) for value in row]
    return min(values), (max(values) - min(values)) or Fraction(1)


def geometric_basis(program: LinearProgram) -> Basis | None:
    """Return the basis of the geometric mechanism: every privacy row that points away from the diagonal is tight.

    For paths only; None where entries are tied, which leaves too few free trees, and in the worst case.
    """
    problem = program.problem
    if ties(problem) or problem.is_worst_case or not problem.graph.is_path:
        return None
    size = program.problem.size
    upper, lower = program.row_nodes
    away = np.abs(upper // size - upper % size) > np.abs(lower // size - lower % size)
    privacy = np.array([kind == "DP" for kind in program.row_kind], dtype=bool)
    return Basis(
        np.ones(program.n_variables, dtype=bool),
        np.concatenate([~(away & privacy), np.zeros(len(program.equations), dtype=bool)]),
    )
