"""Integer multipliers of the full LP, from those of the reduced one.

From them the kernel proves a bound.

A row's multiplier is split evenly over the row and its rotation where rotations were merged and neighbours allow. Rows
that use an extra variable are put together until only rows between entries are left. Entries that a property merged
into one variable may differ in reduced cost; the multipliers of their equalities make the reduced costs equal. In the
worst case the multipliers of the loss rows are the least favourable prior. On a path or a complete graph the prices of
the columns stand for all privacy rows.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from mechdesign.certificate.multipliers import RowMultiplier, over_one_denominator, rounded_prior
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.equalities import carry_multipliers, ties, trees
from mechdesign.program.exact.exact_lp import ExactPoint, ExactProgram
from mechdesign.program.exact.numbers import ONE, ZERO, Exact, to_exact, to_fraction
from mechdesign.program.linear_program import LinearProgram
from mechdesign.program.pair_program import Equation
from mechdesign.rational import total
from mechdesign.verify.certificates import Certificate


def may_be_priced(problem: DesignProblem) -> bool:
    """Return whether prices of the columns can stand for all privacy rows.

    They can on a path and on a complete graph, with one alpha; where S is asked, only if rotated rows have the same
    neighbours.
    """
    graph = problem.graph
    has_walks = (graph.is_path or graph.is_complete) and problem.step.is_exact
    return has_walks and (not problem.asks_rotation or graph.is_symmetric)


class _Term(NamedTuple):
    """Multiplier m of the row `x[upper] >= ratio x[lower]` between nodes."""

    kind: str
    upper: int
    lower: int
    ratio: Exact
    m: Exact


@dataclass(frozen=True)
class _Scale:
    """The problem with one prior, and the factor from the LP's multipliers to this problem's.

    `offset` is the least loss, which the LP of a worst case takes off.
    """

    prior: tuple[Fraction, ...] | None
    factor: Exact
    offset: Fraction


def prove(
    program: LinearProgram, exact: ExactProgram, point: ExactPoint, *, rounded: bool, priced: bool
) -> Certificate:
    """Make the proof that a point's multipliers carry, exact or rounded.

    `priced` uses prices instead of privacy rows where the graph allows. That needs exactly optimal multipliers: an
    error in a price is multiplied by how much a private row can grow.
    """
    problem = program.problem
    scale = _scale(program, point, rounded=rounded)
    rows = _row_terms(program, point, scale.factor)
    floors = _floor_terms(program, exact, point, scale.factor)
    prices = _prices(program, point, scale)
    equal = _equal_terms(problem, [*rows, *floors], prices, scale) if ties(problem) else []
    use_prices = priced and may_be_priced(problem)
    size = problem.size
    multipliers = [
        RowMultiplier(t.kind, *divmod(t.upper, size), *divmod(t.lower, size), t.m)
        for t in [*rows, *floors, *equal]
        if not (use_prices and t.kind == "DP")
    ]
    return over_one_denominator(multipliers, prices if use_prices else None, scale.prior, rounded=rounded)


def _scale(program: LinearProgram, point: ExactPoint, *, rounded: bool) -> _Scale:
    """Take, in the worst case, the multipliers of the loss rows as a probability vector."""
    problem = program.problem
    if not problem.is_worst_case:
        return _Scale(None, ONE, Fraction(0))
    size = problem.size
    shares = loss_shares(program, problem, zip(program.equations, point.equation_dual, strict=True))
    weight = total(shares)
    values = [value for row in problem.loss.matrix(size) for value in row]
    low, span = min(values), (max(values) - min(values)) or Fraction(1)
    if weight == 0:
        return _Scale((Fraction(1, size),) * size, ZERO, low)
    prior = tuple(share / weight for share in shares)
    return _Scale(rounded_prior([to_exact(w) for w in prior]) if rounded else prior, to_exact(span / weight), low)


def loss_shares(
    program: LinearProgram, problem: DesignProblem, duals: Iterable[tuple[Equation, Exact]]
) -> list[Fraction]:
    """Return the multiplier of each input's loss from those of the loss equations of a worst case."""
    shares = [Fraction(0)] * problem.size
    for equation, dual in duals:
        if equation.kind == "loss":
            mirrored = problem.loss.is_symmetric(problem.size)
            columns = program.inputs_of(equation.column) if mirrored else (equation.column,)
            for j in columns:
                shares[j] += max(-to_fraction(dual), Fraction(0)) / len(columns)
    return shares


def _prices(program: LinearProgram, point: ExactPoint, scale: _Scale) -> list[Exact]:
    """Return the multipliers of the column sums as prices."""
    prices = [ZERO] * program.problem.size
    for equation, dual in zip(program.equations, point.equation_dual, strict=True):
        if equation.kind == "sum":
            columns = program.inputs_of(equation.column)
            for j in columns:
                prices[j] = dual * scale.factor / len(columns)
    if scale.prior is not None:
        weights = scale.prior
        if program.problem.asks_rotation:  # the kernel averages what the prices are taken off
            weights = tuple((a + b) / 2 for a, b in zip(weights, reversed(weights), strict=True))
        prices = [y + to_exact(w * scale.offset) for y, w in zip(prices, weights, strict=True)]
    return prices


def _row_terms(program: LinearProgram, point: ExactPoint, factor: Exact) -> list[_Term]:
    """List the nonnegative multipliers of the rows; negative ones are errors of a solver and are dropped."""
    size = program.problem.size
    last = size**2 - 1
    upper, lower = (nodes.tolist() for nodes in program.row_nodes)
    ratios = [to_exact(ratio) for ratio in program.ratios]
    terms = [
        _Term(program.row_kind[row], upper[row], lower[row], ratios[k], dual * factor)
        for row, (dual, k) in enumerate(zip(point.row_dual, program.ratio_of.tolist(), strict=True))
        if dual > 0
    ]
    terms = _without_extras(terms, size * size)
    if turned := program.turned_kinds:
        halves = [_Term(t.kind, t.upper, t.lower, t.ratio, t.m / 2) for t in terms if t.kind in turned]
        alone = [t for t in terms if t.kind not in turned]  # no row of the problem where it is turned; S pays for both
        terms = halves + [_Term(t.kind, last - t.upper, last - t.lower, t.ratio, t.m) for t in halves] + alone
    return _added_up(terms)


def _without_extras(terms: list[_Term], n_entries: int) -> list[_Term]:
    """Put rows `u >= r w` and `w >= s v` together to `u >= r s v`, until no extra variable w is left.

    A multiplier m on the first brings `r m` of w, one on the second takes m of it; what is brought too much is
    dropped, which leaves a larger reduced cost behind, and so a bound that is true.
    """
    extras = sorted({node for t in terms for node in (t.upper, t.lower) if node >= n_entries})
    if not extras:
        return terms
    bringing: dict[int, list[_Term]] = {w: [] for w in extras}
    taking: dict[int, list[_Term]] = {w: [] for w in extras}
    done: list[_Term] = []

    def place(term: _Term) -> None:
        if term.lower >= n_entries:
            bringing[term.lower].append(term)
        if term.upper >= n_entries:
            taking[term.upper].append(term)
        if term.lower < n_entries and term.upper < n_entries and term.upper != term.lower:
            done.append(term)

    for term in terms:
        place(term)
    gone: set[int] = set()
    for w in extras:
        gone.add(w)
        supply = [t for t in bringing[w] if t.upper not in gone]
        demand = [t for t in taking[w] if t.lower not in gone]
        for term in _joined(supply, demand):
            place(term)
    return done


def _joined(bringing: list[_Term], taking: list[_Term]) -> Iterable[_Term]:
    """Match supply and demand of one extra variable, in order."""
    supply = [(t, t.ratio * t.m) for t in bringing]
    demand = [(t, t.m) for t in taking]
    while supply and demand:
        (first, have), (second, want) = supply[-1], demand[-1]
        amount = min(have, want)
        yield _Term("DP", first.upper, second.lower, first.ratio * second.ratio, amount / first.ratio)
        for stack, term, rest in ((supply, first, have - amount), (demand, second, want - amount)):
            stack.pop()
            if rest:
                stack.append((term, rest))


def _floor_terms(program: LinearProgram, exact: ExactProgram, point: ExactPoint, factor: Exact) -> list[_Term]:
    """Read multipliers of floors off: a positive reduced cost of a variable with a floor is its floor's multiplier."""
    problem = program.problem
    if not problem.floor:
        return []
    size = problem.size
    highest = max(problem.needed, key=lambda prop: prop.floor)
    reduced = exact.reduced_costs(point.row_dual, point.equation_dual)
    diagonal = program.entry_variables[:: size + 1]
    sharing = {variable: diagonal.count(variable) for variable in diagonal}
    return [
        _Term(highest.kind, i * (size + 1), i * (size + 1), ZERO, factor * reduced[variable] / sharing[variable])
        for i, variable in enumerate(diagonal)
        if reduced[variable] > 0
    ]


def _reduced_costs(problem: DesignProblem, terms: Iterable[_Term], prices: list[Exact], scale: _Scale) -> list[Exact]:
    """Compute reduced costs of all entries of the full LP, the prices taken off too."""
    size = problem.size
    if scale.prior is None:
        costs, denominator = problem.whole_cost
        reduced = [Exact(c, denominator) - y for row in costs for c, y in zip(row, prices, strict=True)]
    else:
        loss = problem.loss.matrix(size)
        reduced = [to_exact(w * x) - y for row in loss for w, x, y in zip(scale.prior, row, prices, strict=True)]
    for term in terms:
        reduced[term.upper] -= term.m
        reduced[term.lower] += term.ratio * term.m
    if problem.asks_rotation:
        reduced = [(a + b) / 2 for a, b in zip(reduced, reversed(reduced), strict=True)]
    return reduced


def _equal_terms(problem: DesignProblem, terms: Iterable[_Term], prices: list[Exact], scale: _Scale) -> list[_Term]:
    """Even out the reduced costs of entries that a property made one variable."""
    reduced = _reduced_costs(problem, terms, prices, scale)
    last = problem.size**2 - 1
    supply: dict[int, Exact] = {}
    for tree in trees(problem):
        members = {node: {node, last - node} if problem.asks_rotation else {node} for node, _, _ in tree}
        sums = {node: sum((reduced[entry] for entry in entries), ZERO) for node, entries in members.items()}
        mean = sum(sums.values(), ZERO) / sum(map(len, members.values()))
        supply |= {node: sums[node] - mean * len(entries) for node, entries in members.items()}
    return [_Term(tie.kind, tie.first, tie.second, ONE, m) for tie, m in carry_multipliers(problem, supply)]


def _added_up(terms: list[_Term]) -> list[_Term]:
    """Add up the terms of each row."""
    sums: dict[tuple[str, int, int], _Term] = {}
    for t in terms:
        key = (t.kind, t.upper, t.lower)
        sums[key] = _Term(*key, t.ratio, t.m + (sums[key].m if key in sums else ZERO))
    return list(sums.values())
