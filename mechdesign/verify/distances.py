"""Rebuild the neighbours of a metric: distances in whole units, the shortest ways, and the edges that they need."""

from fractions import Fraction
from math import lcm

from .kernel import Edge, Edges
from .texts import UnreadableError, items, rational

MOST_POINTS = 512
MOST_UNITS = 20_000

Table = list[list[Fraction]]
Lengths = list[list[int]]


def read_distances(value: object) -> Table:
    """Read distances: symmetric, 0 on and positive off the diagonal, with the triangle inequality.

    Raises:
        UnreadableError: for anything else.
    """
    size = len(value) if isinstance(value, list) else 0
    if not 2 <= size <= MOST_POINTS:
        raise UnreadableError(f"distances are not for 2 to {MOST_POINTS} points")
    rows = items(value, "distances", lambda row, name: items(row, name, rational, size), size)
    for j, row in enumerate(rows):
        if row[j] != 0 or any(d <= 0 for k, d in enumerate(row) if k != j):
            raise UnreadableError("distances are not 0 on the diagonal alone and positive elsewhere")
        if any(d != rows[k][j] for k, d in enumerate(row)):
            raise UnreadableError("distances are not symmetric")
    common = lcm(*{d.denominator for row in rows for d in row})
    whole = [[d.numerator * (common // d.denominator) for d in row] for row in rows]
    if shortest_ways(whole) != whole:
        raise UnreadableError("distances do not satisfy the triangle inequality")
    return rows


def in_units(distances: Table, unit: Fraction) -> Lengths:
    """Round distances down to whole units, and take the shortest ways.

    Raises:
        UnreadableError: for a unit that is not positive, above a distance, or too small.
    """
    if unit <= 0:
        raise UnreadableError("unit is not positive")
    values = [d for row in distances for d in row if d]
    if min(values) < unit or max(values) > MOST_UNITS * unit:
        raise UnreadableError(f"distances are not between 1 and {MOST_UNITS} units")
    return shortest_ways([[int(d // unit) for d in row] for row in distances])


def shortest_ways(lengths: Lengths) -> Lengths:
    """Return the lengths of the shortest ways over any inputs in between."""
    found = [list(row) for row in lengths]
    for m, middle in enumerate(found):
        for row in found:
            first = row[m]
            row[:] = [min(straight, first + rest) for straight, rest in zip(row, middle, strict=True)]
    return found


def edges_of(lengths: Lengths) -> Edges:
    """Return the edges (j, k, length) that no third input lies on; None where all pairs are left, at length 1.

    `alpha^d(j,k)` follows from `alpha^d(j,m) alpha^d(m,k)` where d(j,k) = d(j,m) + d(m,k).
    """
    size = len(lengths)
    kept: list[Edge] = []
    for j in range(size):
        for k in range(j + 1, size):
            straight, ways = lengths[j][k], zip(lengths[j], lengths[k], strict=True)
            between = (m for m, (a, b) in enumerate(ways) if a + b == straight and m not in (j, k))
            if next(between, None) is None:
                kept.append((j, k, straight))
    pairs = size * (size - 1) // 2
    return None if size > 2 and len(kept) == pairs and all(d == 1 for _, _, d in kept) else tuple(kept)
