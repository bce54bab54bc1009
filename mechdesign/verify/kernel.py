"""The trusted kernel: a mechanism and its lower bound, verified in integers.

Integers only. No solver, no floating point, and nothing imported from the rest of the package: this page is all that
has to be believed. A mechanism is `weights[i][j]` over one `denominator`, output i and input j, both 0..n;
`alpha = p/q` is passed as the pair (p, q). Neighbouring inputs are edges (j, k, d): `P[i,j] >= alpha^d P[i,k]` and
back; `edges` None stands for all pairs with d = 1. A property is one of RH, RM, CH, CM, F, FE, WH, S, `WH:a/b` or
`OS:a/b`. The loss is rebuilt here from its name (`loss_matrix`), and the engine's own is compared with it.

The bound. Let the problem be to minimise `sum c[i][j] P[i][j]` over column-stochastic P subject to rows
`P[a] - r P[b] >= 0` (privacy and properties), equalities `P[a] - P[b] = 0` (F, FE) and `P[i,i] >= beta/(n+1)` (WH,
where beta = 1, and WH:beta). For any multipliers m >= 0 (of either sign on F and FE), every feasible P satisfies

    sum c P  >=  sum c P - sum_rows m (P[a] - r P[b]) - sum_WH m (P[i,i] - beta/(n+1))
              =  sum_ij R[i][j] P[i][j] + sum_WH beta m/(n+1),

where under S the coefficients R may be averaged with their rotation. Each column of P is a probability vector, so the
first sum is at least `sum_j min_i R[i][j]`. Where the inputs form a path or all are neighbours, privacy need not be
paid for row by row: with any prices y of the columns it is

    sum_j y[j] + sum_i sum_j (R[i][j] - y[j]) P[i][j],

and the least value of row i over all private rows with largest entry (on a path: with entry i) at most 1 is found
exactly by one walk along the row (`_cheapest`). The bound is then `sum_j y[j]` plus what of those values is negative.

The worst case over inputs is at least the expectation under any prior, so a prior turns it into such a problem.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from math import lcm

Weights = Sequence[Sequence[int]]
Edge = tuple[int, int, int]
Edges = Collection[Edge] | None
Multiplier = tuple[str, int, int, int, int, int]
"""(kind, i, j, k, h, m): the multiplier m on the row `P[i,j] >= ratio P[k,h]` of that kind."""


def defects(
    weights: Weights,
    denominator: int,
    alpha: tuple[int, int],
    edges: Edges,
    properties: Collection[str],
) -> Iterator[str]:
    """Yield every way in which a matrix fails: shape, signs, sums, privacy over the edges, properties."""
    size = len(weights)
    if size < 2 or any(len(row) != size for row in weights):
        yield "the matrix is not square, or smaller than 2 x 2"
        return
    if (
        type(denominator) is not int
        or denominator <= 0
        or any(type(weight) is not int for row in weights for weight in row)
    ):
        yield "the weights are not integers over a positive denominator"
        return
    for i, row in enumerate(weights):
        if min(row) < 0:
            yield f"weight ({i},{row.index(min(row))}) is negative"
    for j, column in enumerate(zip(*weights, strict=True)):
        if sum(column) != denominator:
            yield f"column {j} does not sum to the denominator"
    yield from privacy_defects(weights, alpha, edges)
    for name in properties:
        yield from property_defects(name, weights, denominator)


def privacy_defects(weights: Weights, alpha: tuple[int, int], edges: Edges) -> Iterator[str]:
    """Yield every output that tells neighbouring inputs apart by more than alpha allows."""
    p, q = alpha
    if type(p) is not int or type(q) is not int or not 0 < p < q:
        yield "alpha is not in (0, 1)"
        return
    if edges is None:
        for i, row in enumerate(weights):
            if q * min(row) < p * max(row):
                j, k = row.index(min(row)), row.index(max(row))
                yield f"output {i} distinguishes inputs {j} and {k} by more than alpha allows"
        return
    edges = tuple(edges)
    if any(type(d) is not int or d < 1 for _, _, d in edges):
        yield "an edge does not have a positive integer length"
        return
    powers = {d: (p**d, q**d) for d in {d for _, _, d in edges}}
    for i, row in enumerate(weights):
        for j, k, d in edges:
            pd, qd = powers[d]
            if qd * row[j] < pd * row[k] or qd * row[k] < pd * row[j]:
                yield f"output {i} distinguishes inputs {j} and {k} by more than alpha allows"


def property_defects(name: str, weights: Weights, denominator: int) -> Iterator[str]:
    """Yield that a property does not hold, or that the name is none."""
    try:
        if not _HOLDS[_kind(name)](name, weights, denominator):
            yield f"property {name} does not hold"
    except ValueError as error:
        yield str(error)


def _kind(name: str) -> str:
    """Return the name of a property without its parameter; OS must have one, WH may.

    Raises:
        ValueError: for a name that is no property.
    """
    kind, colon, _ = name.partition(":")
    if kind not in _HOLDS or (kind != "WH" and bool(colon) != (kind == "OS")):
        raise ValueError(f"{name} is not a property")
    return kind


def _has_floor(name: str, weights: Weights, denominator: int) -> bool:
    a, b = floor_factor(name)
    return all(b * len(weights) * row[i] >= a * denominator for i, row in enumerate(weights))


def _is_smooth(name: str, weights: Weights, denominator: int) -> bool:
    a, b = smoothness(name)
    below = (pair for rows in pairwise(weights) for pair in zip(*rows, strict=True))
    return all(b * x >= a * y and b * y >= a * x for x, y in below)


_HOLDS: dict[str, Callable[[str, Weights, int], bool]] = {
    "RH": lambda _, w, d: all(row[i] >= max(row) for i, row in enumerate(w)),
    "CH": lambda _, w, d: _has_peaks(w, [row[i] for i, row in enumerate(w)]),
    "RM": lambda _, w, d: all(_is_unimodal(row, i) for i, row in enumerate(w)),
    "CM": lambda _, w, d: all(_rises_to_diagonal(i, *rows) for i, rows in enumerate(pairwise(w))),
    "F": lambda _, w, d: len({row[i] for i, row in enumerate(w)}) == 1,
    "FE": lambda _, w, d: w[0][0] == w[-1][-1],
    "S": lambda _, w, d: all(list(row) == list(other)[::-1] for row, other in zip(w, reversed(w), strict=True)),
    "WH": _has_floor,
    "OS": _is_smooth,
}
"""Each property by its definition, for (its name, weights, denominator); rows are looked at one after another."""


def _has_peaks(weights: Weights, peaks: Sequence[int]) -> bool:
    return all(x <= peak for row in weights for x, peak in zip(row, peaks, strict=True))


def _rises_to_diagonal(i: int, row: Sequence[int], below: Sequence[int]) -> bool:
    """Return whether no column decreases from row i to the next before its peak, nor increases after it."""
    return all(x <= y if i < j else x >= y for j, (x, y) in enumerate(zip(row, below, strict=True)))


def _is_unimodal(values: Sequence[int], peak: int) -> bool:
    """Return whether values never increase away from the peak."""
    return all(x <= y if k < peak else x >= y for k, (x, y) in enumerate(pairwise(values)))


def smoothness(name: str) -> tuple[int, int]:
    """Parse the beta of `OS:a/b` or `OS:a`, in (0, 1]."""
    a, b = _rational(name.removeprefix("OS:"))
    if a > b:
        raise ValueError(f"{name} has no beta in (0, 1]")
    return a, b


def floor_factor(name: str) -> tuple[int, int]:
    """Parse the beta of `WH:a/b`, positive; 1 for `WH`."""
    return (1, 1) if name == "WH" else _rational(name.removeprefix("WH:"))


def _rational(text: str) -> tuple[int, int]:
    """Parse a positive rational such as `3/4` or `2`, as (numerator, denominator)."""
    top, _, bottom = text.partition("/")
    a, b = _whole(top), _whole(bottom or "1")
    if a == 0 or b == 0:
        raise ValueError(f"{text} is not a positive rational")
    return a, b


def _whole(text: str) -> int:
    """Parse a whole number of at least 0, digits alone."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def loss_matrix(
    name: str, size: int, table: Sequence[Sequence[tuple[int, int]]] | None = None
) -> tuple[list[list[int]], int]:
    """Build `loss[i][j]` of output i on input j as (integers, denominator), from the loss's name.

    `Lp` is `|i-j|^p` where i != j and 0 elsewhere; `Lp:d` is that where `|i-j| > d` and 0 elsewhere. `PB:a/b` is
    `a/b (j-i)` where the output is below the input and `(1 - a/b) (i-j)` where it is above. `matrix` is the `table`, of
    (numerator, denominator).

    Raises:
        ValueError: for a name that is none of these.
    """
    if name == "matrix" and table is not None:
        common = lcm(*(q for row in table for _, q in row))
        return [[p * (common // q) for p, q in row] for row in table], common
    every = range(size)
    if name.startswith("PB:"):
        a, b = _rational(name.removeprefix("PB:"))
        if a >= b:
            raise ValueError(f"{name} has no tau in (0, 1)")
        return [[a * (j - i) if i < j else (b - a) * (i - j) for j in every] for i in every], b
    if not name.startswith("L"):
        raise ValueError(f"{name} is not a loss")
    power, colon, tolerance = name.removeprefix("L").partition(":")
    p, d = _whole(power), _whole(tolerance) if colon else 0
    charges = [distance**p if distance > d else 0 for distance in every]
    return [[charges[abs(i - j)] for j in every] for i in every], 1


def objective(weights: Weights, denominator: int, cost: Weights, cost_denominator: int) -> tuple[int, int]:
    """Compute `sum_ij c[i][j] P[i][j]` as (numerator, denominator)."""
    total = sum(c * w for costs, row in zip(cost, weights, strict=True) for c, w in zip(costs, row, strict=True))
    return total, denominator * cost_denominator


def worst_case(weights: Weights, denominator: int, loss: Weights, loss_denominator: int) -> tuple[int, int]:
    """Compute `max_j sum_i loss[i][j] P[i][j]` as (numerator, denominator)."""
    columns = zip(zip(*loss, strict=True), zip(*weights, strict=True), strict=True)
    return max(sum(x * w for x, w in zip(*pair, strict=True)) for pair in columns), denominator * loss_denominator


def expected_cost(
    loss: Weights, loss_denominator: int, prior: Sequence[int], prior_denominator: int
) -> tuple[list[list[int]], int]:
    """Compute `c[i][j] = prior[j] loss[i][j]` as (integers, denominator).

    Raises:
        ValueError: if the prior is not a probability vector.
    """
    if any(type(w) is not int or w < 0 for w in prior) or sum(prior) != prior_denominator or prior_denominator <= 0:
        raise ValueError("the prior is not a probability vector")
    return [[w * x for w, x in zip(prior, row, strict=True)] for row in loss], loss_denominator * prior_denominator


def dual_bound(
    cost: Weights,
    cost_denominator: int,
    alpha: tuple[int, int],
    edges: Edges,
    properties: Collection[str],
    multipliers: Sequence[Multiplier],
    multiplier_denominator: int,
    prices: Sequence[int] | None = None,
) -> tuple[int, int]:
    """Compute the bound above as (numerator, denominator); `prices` are over the multipliers' denominator too.

    Raises:
        ValueError: if a multiplier has the wrong sign, or stands on a row that the problem does not have.
    """
    p, q = alpha
    size = len(cost)
    if not 0 < p < q or cost_denominator <= 0 or multiplier_denominator <= 0:
        raise ValueError("alpha, or a denominator, is out of range")
    beta = next((smoothness(name) for name in properties if name.startswith("OS:")), (1, 1))
    floor = next((floor_factor(name) for name in properties if name.partition(":")[0] == "WH"), (1, 1))
    lengths = None if edges is None else {pair: d for j, k, d in edges for pair in ((j, k), (k, j))}
    ratios = {d: (p**d, q**d) for d in {1, *(lengths or {}).values()}}
    # Everything is over unit * cost_denominator. A row `P[a] >= x/y P[b]` needs y in the unit, WH its floor, S a 2.
    common = beta[1] * ratios[max(ratios)][1] if multipliers else 1
    unit = 2 * common * multiplier_denominator * size * floor[1]
    one = unit // multiplier_denominator * cost_denominator
    reduced = [[unit * value for value in row] for row in cost]
    constant = 0
    for kind, i, j, k, h, m in multipliers:
        if not all(type(x) is int for x in (i, j, k, h, m)) or not all(0 <= x < size for x in (i, j, k, h)):
            raise ValueError("a multiplier is malformed")
        length = int(j != h) if lengths is None else lengths.get((j, h), 0)
        _require_row(kind, (i, j, k, h), m, length, size - 1, properties)
        reduced[i][j] -= m * one
        if kind == "WH":
            constant += m * one // (size * floor[1]) * floor[0]
        else:
            x, y = ratios[length] if kind == "DP" else beta if kind == "OS" else (1, 1)
            reduced[k][h] += m * one // y * x
    if "S" in properties:
        mirrored = [row[::-1] for row in reversed(reduced)]
        reduced = [[(x + y) // 2 for x, y in zip(*rows, strict=True)] for rows in zip(reduced, mirrored, strict=True)]
    if prices is None:
        return sum(min(column) for column in zip(*reduced, strict=True)) + constant, unit * cost_denominator
    if len(prices) != size or any(type(y) is not int for y in prices):
        raise ValueError("the prices are malformed")
    steps = None if lengths is None else _path_lengths(size, lengths)
    scaled = [one * y for y in prices]
    top, bottom = constant + sum(scaled), 1
    for i, row in enumerate(reduced):
        after = [r - y for r, y in zip(row, scaled, strict=True)]
        value, scale = _cheapest(after, i, steps, ratios, "RM" in properties)
        if value < 0:
            top, bottom = top * scale + value * bottom, bottom * scale
    return top, bottom * unit * cost_denominator


def _path_lengths(size: int, lengths: dict[tuple[int, int], int]) -> list[int]:
    """List the lengths of the edges (j, j+1).

    Raises:
        ValueError: where the inputs are no path in their order.
    """
    if len(lengths) != 2 * (size - 1) or any((j, j + 1) not in lengths for j in range(size - 1)):
        raise ValueError("prices stand for privacy only on a path or where all inputs are neighbours")
    return [lengths[j, j + 1] for j in range(size - 1)]


def _cheapest(
    row: list[int], i: int, steps: list[int] | None, ratios: dict[int, tuple[int, int]], monotone: bool
) -> tuple[int, int]:
    """Find the least value of `sum_j row[j] x[j]` over private x >= 0, as (numerator, denominator).

    On a path `x[i] = 1` and every step away from i changes x by a factor between alpha^d and alpha^-d (1 if monotone):
    the best tail beyond a step is the same whatever came before, so one walk from each end finds it. Where all are
    neighbours the largest entry is 1 and the others are between alpha and 1 (if monotone: 1 on an interval around i is
    extreme).
    """
    if steps is None:
        p, q = ratios[1]
        if not monotone:
            return sum(value * (p if value > 0 else q) for value in row), q
        extra = row[i] + _least_prefix(row[i + 1 :]) + _least_prefix(row[:i][::-1])
        return p * sum(row) + (q - p) * extra, q
    right = _tail(row[i + 1 :][::-1], steps[i:][::-1], ratios, monotone)
    left = _tail(row[:i], steps[:i], ratios, monotone)
    return row[i] * right[1] * left[1] + right[0] * left[1] + left[0] * right[1], right[1] * left[1]


def _least_prefix(values: list[int]) -> int:
    """Return the least of 0 and all sums of leading values."""
    least = total = 0
    for value in values:
        total += value
        least = min(least, total)
    return least


def _tail(values: list[int], steps: list[int], ratios: dict[int, tuple[int, int]], monotone: bool) -> tuple[int, int]:
    """Return the least value of a tail walked from its end towards the root, the step into the root included."""
    top, bottom = 0, 1
    for value, d in zip(values, steps, strict=True):
        top += value * bottom
        p, q = ratios[d]
        if top > 0:
            top, bottom = top * p, bottom * q
        elif not monotone:
            top, bottom = top * q, bottom * p
    return top, bottom


_ROWS: dict[str, Callable[[int, int, int, int, int, int], bool]] = {
    "DP": lambda i, j, k, h, length, last: i == k and length > 0,
    "RH": lambda i, j, k, h, length, last: i == j == k,
    "CH": lambda i, j, k, h, length, last: i == j == h,
    "RM": lambda i, j, k, h, length, last: i == k and abs(j - h) == 1 and abs(j - i) < abs(h - i),
    "CM": lambda i, j, k, h, length, last: j == h and abs(i - k) == 1 and abs(i - j) < abs(k - j),
    "OS": lambda i, j, k, h, length, last: j == h and abs(i - k) == 1,
    "F": lambda i, j, k, h, length, last: i == j and k == h,
    "FE": lambda i, j, k, h, length, last: i == j and k == h and {i, k} == {0, last},
    "WH": lambda i, j, k, h, length, last: i == j == k == h,
}
"""Where a kind has a row with P[i,j] on its left and P[k,h] on its right; `length` is that of the edge (j, h), or 0."""

KINDS = frozenset(_ROWS)
"""Kinds of rows."""

EQUALITIES = ("F", "FE")
"""Kinds of rows that say `=`: their multipliers have either sign."""

FLOOR, SMOOTH, ROTATION = "WH", "OS", "S"
"""Rows with a number on their right side, rows with a factor of their own, and the property that averages."""


def has_row(kind: str, place: tuple[int, int, int, int], length: int, last: int) -> bool:
    """Return whether there is a row of a kind at (i, j, k, h), where its property is asked."""
    return kind in _ROWS and _ROWS[kind](*place, length, last)


def _require_row(
    kind: str, place: tuple[int, int, int, int], m: int, length: int, last: int, properties: Collection[str]
) -> None:
    """Refuse a row that the problem does not have, or a multiplier m of the wrong sign.

    The row has P[i,j] on its left and P[k,h] on its right.
    """
    asked = kind == "DP" or kind in {_kind(name) for name in properties}
    if not asked or not has_row(kind, place, length, last):
        i, j, k, h = place
        name = kind if kind in _ROWS else "of such a kind"  # others may hold anything, and are not repeated
        raise ValueError(f"there is no row {name} on ({i},{j}) and ({k},{h})")
    if m < 0 and kind not in EQUALITIES:
        raise ValueError("a multiplier of an inequality is negative")
