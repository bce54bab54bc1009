"""The proof of a split-and-cut design: prices of the columns, and multipliers of the rows of properties.

The kernel pays for privacy by its walk along each row, so the multipliers of outward rows are never worked out. Where
entries of the diagonal are tied, what each row has left at its own is carried between them.
"""

from collections.abc import Sequence

from mechdesign.certificate.multipliers import RowMultiplier, over_one_denominator
from mechdesign.methods.split_and_cut.runs import Forest
from mechdesign.methods.split_and_cut.splits import Splits
from mechdesign.methods.split_and_cut.vertex import Duals, reduced_costs
from mechdesign.program.equalities import carry_multipliers, node_of, ties, trees
from mechdesign.program.exact.numbers import ZERO, Exact, to_exact
from mechdesign.verify.certificates import Certificate

PRIVACY = "DP"


def prove(splits: Splits, runs: Forest, duals: Duals, *, rounded: bool) -> Certificate:
    """Make the proof that multipliers carry, exact or rounded; negative ones, which are errors, are dropped."""
    problem = splits.program.problem
    prices = [ZERO] * problem.size
    for equation, price in zip(splits.program.equations, duals.prices, strict=True):
        inputs = splits.program.inputs_of(equation.column)
        for j in inputs:
            prices[j] = price / len(inputs)
    rows = [*_cut_rows(splits, duals), *_floor_rows(splits, duals)]
    if ties(problem):
        rows += _tie_rows(splits, runs, duals, prices, rows)
    return over_one_denominator([row for row in rows if row.kind != PRIVACY], prices, None, rounded=rounded)


def _cut_rows(splits: Splits, duals: Duals) -> list[RowMultiplier]:
    """Put the multipliers of cuts on the rows of the problem that they stand for."""
    program, size = splits.program, splits.size
    turned, last = program.turned_kinds, size * size - 1
    found = []
    for cut, m in duals.cuts.items():
        if m <= 0:
            continue
        row = int(splits.cuts[cut])
        kind, upper, lower = program.row_kind[row], int(program.row_nodes[0][row]), int(program.row_nodes[1][row])
        if kind not in turned:
            found.append(RowMultiplier(kind, *divmod(upper, size), *divmod(lower, size), m))
            continue
        for a, b in ((upper, lower), (last - upper, last - lower)):
            found.append(RowMultiplier(kind, *divmod(a, size), *divmod(b, size), m / 2))
    return found


def _floor_rows(splits: Splits, duals: Duals) -> list[RowMultiplier]:
    """Put the multipliers of floors on the entries of the diagonal, evenly on those that are one variable."""
    problem, size = splits.program.problem, splits.size
    if not problem.floor:
        return []
    kind = max(problem.needed, key=lambda prop: prop.floor).kind
    diagonal = splits.program.entry_variables[:: size + 1]
    return [
        RowMultiplier(kind, i, i, i, i, duals.floors[root] / diagonal.count(root))
        for i, root in enumerate(diagonal)
        if duals.floors.get(root, ZERO) > 0
    ]


def _tie_rows(
    splits: Splits, runs: Forest, duals: Duals, prices: Sequence[Exact], rows: Sequence[RowMultiplier]
) -> list[RowMultiplier]:
    """Carry what rows have left at tied entries of the diagonal from one to the other."""
    problem, size = splits.program.problem, splits.size
    left = _left_at_diagonal(splits, runs, duals, prices, rows)
    supply = {}
    for tree in trees(problem):
        for node, _, _ in tree:
            entries = {entry for entry in (node, size * size - 1 - node) if node_of(problem, entry) == node}
            supply[node] = sum((left[entry // size] for entry in entries), ZERO)
    return [
        RowMultiplier(tie.kind, *divmod(tie.first, size), *divmod(tie.second, size), m)
        for tie, m in carry_multipliers(problem, supply)
    ]


def _left_at_diagonal(
    splits: Splits, runs: Forest, duals: Duals, prices: Sequence[Exact], rows: Sequence[RowMultiplier]
) -> list[Exact]:
    """Return what the stretch of each row around its diagonal has left, as a reduced cost of the diagonal entry."""
    program, size = splits.program, splits.size
    costs, denominator = program.problem.whole_cost
    powers = [to_exact(program.alpha) ** d for d in range(size)]
    left = [Exact(costs[i][i], denominator) - prices[i] for i in range(size)]
    root_run = runs.run_of[splits.root_of]
    unit = program.cost_denominator
    reduced, common = reduced_costs(splits, [y * unit for y in duals.prices])
    for v in (root_run == runs.run_of).nonzero()[0].tolist():
        if not splits.side[v]:
            continue
        i = int(splits.row[v])
        value = powers[int(program.exponent[v])] * Exact(reduced[v], common * unit)
        if program.symmetric and i != splits.middle:
            left[i] += value / 2
            left[size - 1 - i] += value / 2
        else:
            left[i] += value
    ratios = {prop.kind: to_exact(prop.ratio) for prop in program.problem.required if prop.pairs is not None}
    ratios[PRIVACY] = to_exact(program.alpha)
    variables = program.entry_variables

    def is_near(i: int, j: int) -> bool:
        v = variables[i * size + j]
        return bool(runs.run_of[v] == root_run[v])

    for row in rows:
        if is_near(row.i, row.j):
            left[row.i] -= powers[abs(row.i - row.j)] * row.m
        if row.kind in ratios and is_near(row.k, row.h):
            left[row.k] += powers[abs(row.k - row.h)] * ratios[row.kind] * row.m
    return left
