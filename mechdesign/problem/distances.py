"""Distances between inputs, as whole multiples of one unit.

Metric privacy asks for `P[i,j] >= alpha^d(j,l) P[i,l]` (Chatzikokolakis, Andres, Bordenabe, Palamidessi, "Broadening
the scope of differential privacy using metrics", PETS 2013). Exact arithmetic wants integer powers of one rational:
with a unit u, `d = u steps`, and a rational `beta >= alpha^u` (`mechdesign.problem.step_alpha`), every ratio is
`beta^steps`. Where distances have no common unit they are rounded down, and shortest ways restore the triangle
inequality: never less private. Rounding each `alpha^d` by itself would break the rows that the triangle inequality
implies.
"""

import itertools
import math
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np

from mechdesign.errors import InputError
from mechdesign.problem.losses.family import Matrix
from mechdesign.problem.neighbours import Lengths, Weights, shortest_paths
from mechdesign.rational import Number, as_rational, short_text, simplest_between
from mechdesign.verify.enclosures import is_at_least_power

COMFORTABLE_STEPS = 1024
"""A fractional unit that divides every distance is used as it is up to this many units in the largest."""

STEPS_IN_SMALLEST = 16
"""Otherwise the smallest distance is at least this many units: rounding costs no distance more than a sixteenth."""

MOST_STEPS = 20_000
"""alpha to a higher power has numbers too long to be of use."""

MAX_POINTS = 512

LOG_DIGITS = 60
LOG_MARGIN = Decimal(10) ** -50
"""Logarithms of that many digits are right to this: those of entries are below 1e6, those of ratios below 1e7."""


def read_distances(table: Sequence[Sequence[Number]]) -> Matrix:
    """Read a matrix of distances: square, symmetric, 0 on and positive off the diagonal, with the triangle inequality.

    Raises:
        InputError: naming the entries that are wrong.
    """
    rows = tuple(tuple(as_rational(value, "distance") for value in row) for row in table)
    size = len(rows)
    for j, row in enumerate(rows):
        if len(row) != size:
            raise InputError(f"distances must be a square matrix, got {len(row)} numbers in row {j + 1} of {size}")
    if size < 2 or size > MAX_POINTS:
        raise InputError(f"distances must be for 2 to {MAX_POINTS} inputs, got {size}")
    for j in range(size):
        if rows[j][j] != 0:
            raise InputError(f"distances must be 0 on the diagonal, got {short_text(rows[j][j])} for input {j}")
        for k in range(j + 1, size):
            if rows[j][k] < 0:
                raise InputError(f"distances must be nonnegative, got {short_text(rows[j][k])} for inputs {j} and {k}")
            if rows[j][k] != rows[k][j]:
                raise InputError(
                    f"distances must be symmetric, got {short_text(rows[j][k])} from {j} to {k} and "
                    f"{short_text(rows[k][j])} back"
                )
            if rows[j][k] == 0:
                raise InputError(
                    f"distances must be positive between different inputs, got 0 for {j} and {k}; merge the two"
                )
    _require_triangles(rows)
    return rows


def _require_triangles(rows: Matrix) -> None:
    common = math.lcm(*{value.denominator for row in rows for value in row})
    whole = np.array([[int(value * common) for value in row] for row in rows], dtype=object)
    for m in range(len(rows)):
        broken = whole > whole[:, m, None] + whole[None, m, :]
        if broken.any():
            j, k = np.argwhere(broken)[0].tolist()
            raise InputError(
                f"distances must satisfy the triangle inequality, got d({j},{k}) = {short_text(rows[j][k])} > "
                f"d({j},{m}) + d({m},{k}) = {short_text(rows[j][m] + rows[m][k])}"
            )


def choose_unit(distances: Matrix) -> Fraction:
    """Choose the unit of which distances are taken as whole multiples.

    It is their greatest common divisor, if they are whole or it is not too small; else about a sixteenth of the
    smallest.
    """
    values = {value for row in distances for value in row if value}
    common = math.lcm(*{value.denominator for value in values})
    unit = Fraction(math.gcd(*(int(value * common) for value in values)), common)
    if common == 1 or max(values) <= COMFORTABLE_STEPS * unit:
        return unit
    return simplest_between(min(values) / (STEPS_IN_SMALLEST + 4), min(values) / STEPS_IN_SMALLEST)


def in_steps(distances: Matrix, unit: Fraction) -> Lengths:
    """Round distances down to whole multiples of the unit, and restore the triangle inequality by shortest ways.

    Raises:
        InputError: if a distance is less than the unit.
    """
    smallest = min(value for row in distances for value in row if value)
    if smallest < unit:
        raise InputError(
            f"unit must be at most the smallest distance {short_text(smallest)}, got unit={short_text(unit)}"
        )
    largest = max(value for row in distances for value in row)
    if largest > MOST_STEPS * unit:
        raise InputError(
            f"distances must be at most {MOST_STEPS} units, got {short_text(largest)} with unit={short_text(unit)}; "
            f"choose a larger unit (at most the smallest distance, {short_text(smallest)}), or merge the nearest inputs"
        )
    steps = np.array([[int(value // unit) for value in row] for row in distances], dtype=np.int64)
    return shortest_paths(steps)


def distances_hold(weights: Weights, distances: Matrix, alpha: Fraction) -> bool:
    """Return whether `P[i,j] >= alpha^d(j,l) P[i,l]` holds for every output and pair of inputs.

    Logarithms to 60 digits are compared, and what they do not tell apart is compared in integers.
    """
    context = Context(prec=LOG_DIGITS)
    logarithm = context.ln(context.divide(Decimal(alpha.numerator), Decimal(alpha.denominator)))
    for row in weights:
        if min(row) <= 0 < max(row):
            return False
        logs = [context.ln(Decimal(weight)) if weight else Decimal(0) for weight in row]
        for j, k in itertools.combinations(range(len(row)), 2):
            low, high = (j, k) if row[j] <= row[k] else (k, j)
            d = distances[j][k]
            allowed = context.divide(context.multiply(logarithm, Decimal(d.numerator)), Decimal(d.denominator))
            spare = context.subtract(context.subtract(logs[low], logs[high]), allowed)
            if spare < -LOG_MARGIN:
                return False
            if spare <= LOG_MARGIN and max(row):
                ratio = Fraction(row[low], row[high]).as_integer_ratio()
                if not is_at_least_power(ratio, alpha.as_integer_ratio(), d.as_integer_ratio()):
                    return False
    return True
