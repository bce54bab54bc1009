"""From multipliers of the reduced LP to integer multipliers of the full one, which the kernel turns into a bound.

Where entries share a variable the full LP has an equality (F, S) between them, or, for rotations that cost nothing,
a row and its rotation. A row's multiplier is split evenly over the row and its rotation; what is left of the
difference in reduced cost between entries of one variable is carried by the multipliers of the equalities.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpz

from mechdesign import verify
from mechdesign.certificate.exact_lp import ZERO, Exact, ExactPoint, ExactProgram, to_exact
from mechdesign.linear_program import LinearProgram
from mechdesign.problem import DesignProblem
from mechdesign.rational import over_common_denominator

DUAL_BITS = 256
"""Multipliers that need not be exact are rounded to this many binary places."""


@dataclass(frozen=True)
class DualProof:
    """Integer multipliers (kind, i, j, k, h, m) over one denominator, on rows of the full LP of a problem."""

    multipliers: tuple[verify.Multiplier, ...]
    denominator: int

    def bound(self, problem: DesignProblem) -> Fraction:
        """The lower bound of the expected loss that these multipliers prove (computed by the kernel)."""
        size = problem.size
        flat, cost_denominator = over_common_denominator(value for row in problem.cost for value in row)
        cost = [flat[i * size : (i + 1) * size] for i in range(size)]
        alpha = (problem.alpha.numerator, problem.alpha.denominator)
        edges = problem.graph.edges
        numerator, denominator = verify.dual_bound(
            cost, cost_denominator, alpha, edges, problem.properties, self.multipliers, self.denominator
        )
        return Fraction(numerator, denominator)


def prove(program: LinearProgram, exact: ExactProgram, point: ExactPoint, *, rounded: bool) -> DualProof:
    """The proof that a point's multipliers carry: exact, or rounded to `DUAL_BITS`."""
    size = program.problem.size
    rows = _row_multipliers(program, point.row_dual)
    floors = _floor_multipliers(program, exact, point)
    reduced = _reduced_costs(program, [*rows, *floors], point)
    equalities = _equality_multipliers(program, reduced)
    terms = [(kind, *divmod(a, size), *divmod(b, size), m) for kind, a, b, m in [*rows, *floors, *equalities]]
    if rounded:
        denominator = 1 << DUAL_BITS
        values = [int((m * denominator).floor()) for *_, m in terms]
    else:
        common = fmpz(1)
        for *_, m in terms:
            common = common.lcm(m.q)
        denominator = int(common)
        values = [int((m * common).p) for *_, m in terms]
    return DualProof(
        tuple((kind, i, j, k, h, value) for (kind, i, j, k, h, _), value in zip(terms, values, strict=True) if value),
        denominator,
    )


_Term = tuple[str, int, int, Exact]
"""(kind, first entry, second entry, multiplier)"""


def _row_multipliers(program: LinearProgram, row_dual: list[Exact]) -> list[_Term]:
    """Nonnegative parts only: negative ones are errors of a solver."""
    last = program.problem.size**2 - 1
    upper, lower = (entries.tolist() for entries in program.row_entries)
    terms: list[_Term] = []
    for row, dual in enumerate(row_dual):
        if dual > 0:
            a, b = upper[row], lower[row]
            if program.symmetric:
                terms.append((program.row_kind[row], a, b, dual / 2))
                terms.append((program.row_kind[row], last - a, last - b, dual / 2))
            else:
                terms.append((program.row_kind[row], a, b, dual))
    return _added_up(terms)


def _floor_multipliers(program: LinearProgram, exact: ExactProgram, point: ExactPoint) -> list[_Term]:
    """A positive reduced cost of a variable with a floor (WH) is the multiplier of that floor."""
    if "WH" not in program.problem.properties or not any(program.floor):
        return []
    size = program.problem.size
    reduced = exact.reduced_costs(point.row_dual, point.sum_dual)
    diagonal = program.variable_of[:: size + 1].tolist()
    sharing = {variable: diagonal.count(variable) for variable in diagonal}
    return [
        ("WH", i * (size + 1), i * (size + 1), reduced[variable] / sharing[variable])
        for i, variable in enumerate(diagonal)
        if reduced[variable] > 0
    ]


def _reduced_costs(program: LinearProgram, terms: Iterable[_Term], point: ExactPoint) -> list[Exact]:
    """Reduced costs of all entries of the full LP, the column sums' multipliers taken off too."""
    problem = program.problem
    size, ratio = problem.size, {"DP": to_exact(problem.alpha)}
    reduced = [to_exact(value) for row in problem.cost for value in row]
    for kind, a, b, m in terms:
        reduced[a] -= m
        if kind != "WH":
            reduced[b] += ratio.get(kind, fmpq(1)) * m
    for column, dual in zip(program.sums, point.sum_dual, strict=True):
        mirrored = size - 1 - column.column
        shares = (column.column, mirrored) if program.symmetric and mirrored != column.column else (column.column,)
        for j in shares:
            for entry in range(j, size * size, size):
                reduced[entry] -= dual / len(shares)
    return reduced


def _equality_multipliers(program: LinearProgram, reduced: list[Exact]) -> list[_Term]:
    """Even out the reduced costs of entries that share a variable: by F on the diagonal, by S elsewhere."""
    size, properties = program.problem.size, program.problem.properties
    members: list[list[int]] = [[] for _ in range(program.n_variables)]
    for entry, variable in enumerate(program.variable_of.tolist()):
        members[variable].append(entry)
    terms: list[_Term] = []
    for entries in members:
        on_diagonal = entries[0] % (size + 1) == 0
        kind = "F" if on_diagonal and "F" in properties else "S"
        if len(entries) == 1 or kind not in properties:
            continue
        mean = sum((reduced[entry] for entry in entries), ZERO) / len(entries)
        terms.extend((kind, entry, entries[0], reduced[entry] - mean) for entry in entries[1:])
    return terms


def _added_up(terms: list[_Term]) -> list[_Term]:
    """One term for each row."""
    total: dict[tuple[str, int, int], Exact] = {}
    for kind, a, b, m in terms:
        total[kind, a, b] = total.get((kind, a, b), ZERO) + m
    return [(kind, a, b, m) for (kind, a, b), m in total.items()]
