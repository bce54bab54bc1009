"""The rows of the master: column sums, floors, ties, pairs within a row, losses."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechdesign.methods.column_generation.frame import Frame, Integers
from mechdesign.program.equalities import trees


@dataclass(frozen=True)
class MasterRow:
    """An equation of the master.

    `kind` is `sum` (of column j), `floor` (of entry (i, i)), `tied` (entry (i, j) equals the variable of its class, of
    that number), `pair` (`q P[i,j] - p P[i,k]` is a slack) or `loss` (of column j); `prop` is the kind of the property
    that asks for it, `i` is -1 where it is not about one output.
    """

    kind: str
    j: int
    rhs: Fraction
    i: int = -1
    prop: str = ""
    number: int = -1
    k: int = -1
    ratio: tuple[int, int] = (1, 1)


@dataclass(frozen=True)
class ExtraColumn:
    """A column that is no pattern: `coefficients` are (row number, coefficient)."""

    name: str
    coefficients: tuple[tuple[int, int], ...]
    cost: int = 0


def first_rows(frame: Frame) -> list[MasterRow]:
    """List all rows but the pairs, which are added as they are violated."""
    problem = frame.problem
    rows = [MasterRow("sum", j, Fraction(1)) for j in range(frame.kept)]
    classes = {frozenset(frame.kept_entry(node) for node, _, _ in tree) for tree in trees(problem)}
    if problem.floor:
        highest = max(problem.needed, key=lambda prop: prop.floor)
        tied = {entry: min(members) for members in classes for entry in members}
        outputs = [i for i in range(frame.kept) if tied.get((i, i), (i, i)) == (i, i)]
        rows += [MasterRow("floor", i, problem.floor, i, highest.kind) for i in outputs]
    for number, members in enumerate(sorted(classes, key=min)):
        rows += [MasterRow("tied", j, Fraction(0), i, number=number) for i, j in sorted(members)]
    if problem.is_worst_case:
        rows += [MasterRow("loss", j, Fraction(0)) for j in range(frame.kept)]
    return rows


def first_extras(rows: list[MasterRow]) -> list[ExtraColumn]:
    """List slacks of floors and losses, the variables of classes, and the worst loss t."""
    slacks = {"floor": -1, "loss": 1}
    extras = [ExtraColumn("slack", ((k, slacks[row.kind]),)) for k, row in enumerate(rows) if row.kind in slacks]
    for number in range(1 + max((row.number for row in rows), default=-1)):
        extras.append(ExtraColumn("tied", tuple((k, -1) for k, row in enumerate(rows) if row.number == number)))
    losses = tuple((k, -1) for k, row in enumerate(rows) if row.kind == "loss")
    if losses:
        extras.append(ExtraColumn("t", losses, cost=1))
    return extras


def pattern_coefficients(frame: Frame, row: MasterRow) -> list[tuple[int, int]]:
    """List (input, factor) by which a floor, tie or pair counts a pattern of its own row."""
    p, q = row.ratio
    found = [(j, q) for j in frame.columns_of(row.i, row.j)]
    if row.kind == "pair":
        found += [(j, -p) for j in frame.columns_of(row.i, row.k)]
    return found


def broken_pairs(
    frame: Frame, excess: Callable[[Integers, Integers, Integers, int, int], list[Any]]
) -> list[MasterRow]:
    """Return the most violated pair of each kept row, as rows to be added.

    `excess(i, j, k, p, q)` lists, for arrays of pairs, how far `p P[i,k]` exceeds `q P[i,j]`; at most 0 where it does
    not.
    """
    worst: dict[int, tuple[Any, MasterRow]] = {}
    for prop in frame.pair_properties:
        p, q = prop.ratio.numerator, prop.ratio.denominator
        outputs, upper, lower = frame.pairs_of(prop)
        for place, value in enumerate(excess(outputs, upper, lower, p, q)):
            if value > 0 and (int(outputs[place]) not in worst or value > worst[int(outputs[place])][0]):
                i, j, k = int(outputs[place]), int(upper[place]), int(lower[place])
                worst[i] = (value, MasterRow("pair", j, Fraction(0), i, prop.kind, k=k, ratio=(p, q)))
    return [row for _, row in worst.values()]
