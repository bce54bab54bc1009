"""Sparse linear systems in exact rationals: short rows are eliminated first, what is left is solved densely."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from flint import fmpq_mat

from mechdesign.program.exact.forest import SingularBasisError
from mechdesign.program.exact.numbers import ZERO, Exact

Unknown = TypeVar("Unknown", bound=Hashable)

LONGEST_PIVOT = 3
"""Rows with more unknowns wait, unless one of these stands in no other row."""


def solve_sparse(
    equations: Sequence[tuple[Mapping[Unknown, Exact], Exact]], unknowns: Iterable[Unknown]
) -> dict[Unknown, Exact]:
    """Solve `sum_u a[u] x[u] = b` for every (a, b), as many as there are unknowns.

    Raises:
        SingularBasisError: where the solution is not one point.
    """
    rows = {k: (dict(terms), rhs) for k, (terms, rhs) in enumerate(equations)}
    places: dict[Unknown, set[int]] = {u: set() for u in unknowns}
    if len(places) != len(rows):
        raise SingularBasisError("as many equations as unknowns are needed")
    for k, (terms, _) in rows.items():
        for u in terms:
            places[u].add(k)
    eliminated = _eliminate(rows, places)
    values = _solve_dense(rows)
    for u, terms, rhs in reversed(eliminated):
        values[u] = (rhs - sum((x * values[w] for w, x in terms.items() if w != u), ZERO)) / terms[u]
    if len(values) != len(places):
        raise SingularBasisError("an unknown stands in no row")
    return values


def _eliminate(
    rows: dict[int, tuple[dict[Unknown, Exact], Exact]], places: dict[Unknown, set[int]]
) -> list[tuple[Unknown, dict[Unknown, Exact], Exact]]:
    """Take short rows out of a system, one after another; return each with the unknown that it is solved for."""
    eliminated: list[tuple[Unknown, dict[Unknown, Exact], Exact]] = []
    queue = list(rows)
    while queue:
        k = queue.pop()
        if k not in rows:
            continue
        terms, rhs = rows[k]
        u = _pivot(terms, places)
        if u is None:
            continue
        del rows[k]
        for w in terms:
            places[w].discard(k)
            queue += places[w]
        for other in list(places[u]):
            _subtract(rows, places, other, u, terms, rhs)
        eliminated.append((u, terms, rhs))
    return eliminated


def _pivot(terms: Mapping[Unknown, Exact], places: Mapping[Unknown, set[int]]) -> Unknown | None:
    """Choose the unknown that a row is solved for: one that stands nowhere else, or one of a short row.

    Raises:
        SingularBasisError: for a row without any.
    """
    if not terms:
        raise SingularBasisError("a row has no unknown left")
    u = min(terms, key=lambda w: len(places[w]))
    return u if len(places[u]) == 1 or len(terms) <= LONGEST_PIVOT else None


def _subtract(
    rows: dict[int, tuple[dict[Unknown, Exact], Exact]],
    places: dict[Unknown, set[int]],
    other: int,
    u: Unknown,
    terms: Mapping[Unknown, Exact],
    rhs: Exact,
) -> None:
    """Take an unknown out of another row."""
    target, right = rows[other]
    factor = target.pop(u) / terms[u]
    places[u].discard(other)
    for w, x in terms.items():
        if w == u:
            continue
        value = target.get(w, ZERO) - factor * x
        if value:
            target[w] = value
            places[w].add(other)
        elif w in target:
            del target[w]
            places[w].discard(other)
    rows[other] = (target, right - factor * rhs)


def _solve_dense(rows: Mapping[int, tuple[Mapping[Unknown, Exact], Exact]]) -> dict[Unknown, Exact]:
    """Solve the rows that are left."""
    unknowns = list(dict.fromkeys(u for terms, _ in rows.values() for u in terms))
    if len(unknowns) != len(rows):
        raise SingularBasisError("the rest of the system is not square")
    if not rows:
        return {}
    position = {u: t for t, u in enumerate(unknowns)}
    matrix, right = fmpq_mat(len(rows), len(rows)), fmpq_mat(len(rows), 1)
    for t, (terms, rhs) in enumerate(rows.values()):
        right[t, 0] = rhs
        for u, x in terms.items():
            matrix[t, position[u]] = x
    try:
        solution = matrix.solve(right)
    except ZeroDivisionError:
        raise SingularBasisError("the rest of the system is singular") from None
    return {u: solution[t, 0] for u, t in position.items()}
