"""The trusted kernel: is this integer matrix what it claims to be, and is this bound proved?

Integers only. No solver, no floating point, and nothing imported from the rest of the package: this page is all that
has to be believed. A mechanism is `weights[i][j]` over one `denominator`, output i and input j, for counts 0..n;
`alpha = p/q` is passed as the pair (p, q); a property is one of RH, RM, CH, CM, F, WH, S.

The bound. Let the problem be to minimise `sum c[i][j] P[i][j]` over column-stochastic P subject to rows
`P[a] - r P[b] >= 0` (privacy and properties), equalities `P[a] - P[b] = 0` (F and S) and `P[i,i] >= 1/(n+1)` (WH).
For any multipliers m >= 0 (of either sign on equalities), every feasible P satisfies

    sum c P  >=  sum c P - sum_rows m (P[a] - r P[b]) - sum_WH m (P[i,i] - 1/(n+1))
              =  sum_ij R[i][j] P[i][j] + sum_WH m/(n+1)
             >=  sum_j min_i R[i][j] + sum_WH m/(n+1),

since each column of P is a probability vector. That last number is the bound.
"""

from collections.abc import Collection, Iterator, Sequence

Weights = Sequence[Sequence[int]]
Multiplier = tuple[str, int, int, int, int, int]
"""(kind, i, j, k, h, m): the multiplier m on the row `P[i,j] >= ratio P[k,h]` of that kind."""


def defects(
    weights: Weights,
    denominator: int,
    alpha: tuple[int, int],
    edges: Collection[tuple[int, int]],
    properties: Collection[str],
) -> Iterator[str]:
    """Every way in which a matrix fails: shape, signs, sums, privacy over the edges, properties."""
    size = len(weights)
    if size < 2 or any(len(row) != size for row in weights):
        yield "the matrix is not square, or smaller than 2 x 2"
        return
    edges = tuple(edges)
    if (
        type(denominator) is not int
        or denominator <= 0
        or any(type(weight) is not int for row in weights for weight in row)
    ):
        yield "the weights are not integers over a positive denominator"
        return
    for i in range(size):
        for j in range(size):
            if weights[i][j] < 0:
                yield f"weight ({i},{j}) is negative"
    for j in range(size):
        if sum(weights[i][j] for i in range(size)) != denominator:
            yield f"column {j} does not sum to the denominator"
    yield from _privacy_defects(weights, alpha, edges)
    for name in properties:
        yield from _property_defects(name, weights, denominator)


def _privacy_defects(weights: Weights, alpha: tuple[int, int], edges: Collection[tuple[int, int]]) -> Iterator[str]:
    p, q = alpha
    if type(p) is not int or type(q) is not int or not 0 < p < q:
        yield "alpha is not in (0, 1)"
        return
    for i, row in enumerate(weights):
        for j, k in edges:
            if q * row[j] < p * row[k] or q * row[k] < p * row[j]:
                yield f"output {i} tells inputs {j} and {k} apart by more than alpha allows"


def _property_defects(name: str, weights: Weights, denominator: int) -> Iterator[str]:
    n = len(weights) - 1
    every = range(n + 1)
    if name == "RH":
        holds = all(weights[i][i] >= weights[i][j] for i in every for j in every)
    elif name == "CH":
        holds = all(weights[j][j] >= weights[i][j] for i in every for j in every)
    elif name == "RM":
        holds = all(
            (weights[i][j] <= weights[i][j + 1] if j < i else weights[i][j] >= weights[i][j + 1])
            for i in every
            for j in range(n)
        )
    elif name == "CM":
        holds = all(
            (weights[i][j] <= weights[i + 1][j] if i < j else weights[i][j] >= weights[i + 1][j])
            for j in every
            for i in range(n)
        )
    elif name == "F":
        holds = all(weights[i][i] == weights[0][0] for i in every)
    elif name == "WH":
        holds = all((n + 1) * weights[i][i] >= denominator for i in every)
    elif name == "S":
        holds = all(weights[i][j] == weights[n - i][n - j] for i in every for j in every)
    else:
        yield f"{name} is not a property"
        return
    if not holds:
        yield f"property {name} does not hold"


def objective(weights: Weights, denominator: int, cost: Weights, cost_denominator: int) -> tuple[int, int]:
    """`sum_ij c[i][j] P[i][j]` as (numerator, denominator)."""
    size = range(len(weights))
    return sum(cost[i][j] * weights[i][j] for i in size for j in size), denominator * cost_denominator


def dual_bound(
    cost: Weights,
    cost_denominator: int,
    alpha: tuple[int, int],
    edges: Collection[tuple[int, int]],
    properties: Collection[str],
    multipliers: Sequence[Multiplier],
    multiplier_denominator: int,
) -> tuple[int, int]:
    """The bound above as (numerator, denominator).

    Raises:
        ValueError: if a multiplier has the wrong sign, or stands on a row that the problem does not have.
    """
    p, q = alpha
    size = len(cost)
    if not 0 < p < q or cost_denominator <= 0 or multiplier_denominator <= 0:
        raise ValueError("alpha, or a denominator, is out of range")
    neighbours = {(j, k) for j, k in edges} | {(k, j) for j, k in edges}
    # Everything is multiplied by q * cost_denominator * multiplier_denominator * size.
    unit = q * multiplier_denominator * size
    reduced = [[value * unit for value in row] for row in cost]
    constant = 0
    for kind, i, j, k, h, m in multipliers:
        if not all(type(x) is int for x in (i, j, k, h, m)) or not all(0 <= x < size for x in (i, j, k, h)):
            raise ValueError("a multiplier is malformed")
        if kind != "DP" and kind not in properties:
            raise ValueError(f"a multiplier stands on property {kind}, which was not asked")
        if m < 0 and kind not in ("F", "S"):
            raise ValueError("a multiplier of an inequality is negative")
        if not _is_row(kind, i, j, k, h, size - 1, neighbours):
            raise ValueError(f"there is no row {kind} on ({i},{j}) and ({k},{h})")
        scaled = m * cost_denominator * size
        reduced[i][j] -= q * scaled
        if kind == "WH":
            constant += q * m * cost_denominator
        else:
            reduced[k][h] += (p if kind == "DP" else q) * scaled
    total = sum(min(reduced[i][j] for i in range(size)) for j in range(size)) + constant
    return total, unit * cost_denominator


def _is_row(
    kind: str,
    i: int,
    j: int,
    k: int,
    h: int,
    n: int,
    neighbours: Collection[tuple[int, int]],
) -> bool:
    """Does the problem have a row of this kind with P[i,j] on the left and P[k,h] on the right?"""
    if kind == "DP":
        return i == k and (j, h) in neighbours
    if kind == "RH":
        return i == j == k
    if kind == "CH":
        return i == j == h
    if kind == "RM":
        return i == k and abs(j - h) == 1 and abs(j - i) < abs(h - i)
    if kind == "CM":
        return j == h and abs(i - k) == 1 and abs(i - j) < abs(k - j)
    if kind == "F":
        return i == j and k == h
    if kind == "S":
        return k == n - i and h == n - j
    return kind == "WH" and i == j == k == h
