"""The proof that no other mechanism has the same losses, from multipliers and from the integers of the matrix.

Let c be the losses of all respects with penalties `u[j] >= 0` on each input, as in `stages`, and let v be what P has of
them. Another mechanism Q with the same losses has `sum c Q <= v`. If multipliers prove that v is the least, then

    v  >=  sum c Q  =  constant + sum_rows m (Q[a] - r Q[b]) + sum_ij R[i][j] Q[i][j]  >=  v

with equality throughout: rows with a multiplier are tight at Q, as they are at P, and `Q[i][j] = 0` where `R[i][j]` is
above the least of its column. The difference D of Q and P has `D[a] = r D[b]` on such rows, as P has. Entries that such
rows join have one factor f, D = f P, which is 0 for a diagonal entry at its floor. What is 0 in P stays 0 where that
follows from a zero of its row (privacy), or over such rows. The columns of D sum to 0: `sum_i f P[i][j] = 0`; and in a
worst case the inputs with a penalty have the loss of P, `sum_i loss[i][j] f P[i][j] = 0`. If these equations leave
f = 0 alone, Q is P. Their rank modulo a prime is never above their rank.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from . import kernel
from .certificates import Certificate
from .stages import Aim, Demands, combined_cost

PRIME = (1 << 61) - 1

Pair = tuple[int, int]


@dataclass(frozen=True)
class Single:
    """The proof as a document has it; with `rotations` it speaks of mechanisms alone that equal their rotation (S)."""

    rotations: bool
    penalties: list[list[Fraction]]
    certificate: Certificate


def single_defects(
    demands: Demands, respects: Sequence[Aim], single: Single, weights: kernel.Weights, denominator: int
) -> Iterator[str]:
    """Yield why another mechanism might have the same losses.

    Raises:
        ValueError: for a certificate or penalties that are none.
    """
    size, rows = len(weights), single.certificate["rows"]
    if single.rotations:
        demands = replace(demands, properties={*demands.properties, kernel.ROTATION})
    if len(single.penalties) != len(respects) or single.certificate.get("prices") is not None:
        raise ValueError("there must be a penalty for each respect, and no prices")
    parts = [(aim, aim.penalty(own)) for aim, own in zip(respects, single.penalties, strict=True)]
    least = sum((aim.value(weights, denominator) * sum(penalty) for aim, penalty in parts), Fraction(0))
    cost, cost_denominator = combined_cost(parts)
    scale = single.certificate.scale
    bound = kernel.dual_bound(cost, cost_denominator, demands.alpha, demands.edges, demands.properties, rows, scale)
    if Fraction(*bound) != least:
        yield "the multipliers do not prove that the losses with penalties are least"
        return
    tight = _tight_pairs(demands, rows, size)
    known = _known_zeros(_zeros_by_costs(demands, cost, cost_denominator, single), tight, weights)
    unknown = [(i, j) for i, row in enumerate(weights) for j, weight in enumerate(row) if not weight]
    if not known.issuperset(unknown):
        yield f"the entry {next(entry for entry in unknown if entry not in known)} is 0, and might be more"
        return
    roots = _roots(tight, size)
    floors = {roots[i, j] for kind, i, j, _, _, m in rows if kind == kernel.FLOOR and m}
    factors = sorted({root for (i, j), root in roots.items() if weights[i][j]} - floors)
    place = {root: k for k, root in enumerate(factors)}
    ones = [[1] * size for _ in range(size)]
    conditions = [(ones, j) for j in range(size)]
    for aim, penalty in parts:
        conditions += [(aim.loss, j) for j, one in enumerate(penalty) if one and aim.prior is None]
    equations = [[0] * len(factors) for _ in conditions]
    for equation, (coefficients, j) in zip(equations, conditions, strict=True):
        for i in range(size):
            if roots[i, j] in place:
                equation[place[roots[i, j]]] += coefficients[i][j] * weights[i][j]
    if _rank(equations) < len(factors):
        yield "what is tight leaves room for others"


def _tight_pairs(demands: Demands, rows: Sequence[kernel.Multiplier], size: int) -> list[tuple[Pair, Pair]]:
    """List the pairs of entries with a fixed ratio: rows with a multiplier, and what is asked to be equal."""
    last = size - 1
    pairs = [((i, j), (k, h)) for kind, i, j, k, h, m in rows if m and kind != kernel.FLOOR]
    for name in demands.properties:
        if name in kernel.EQUALITIES:
            pairs += [((0, 0), (i, i)) for i in range(size) if kernel.has_row(name, (0, 0, i, i), 0, last)]
    if kernel.ROTATION in demands.properties:
        pairs += [((i, j), (last - i, last - j)) for i in range(size) for j in range(size)]
    return pairs


def _zeros_by_costs(demands: Demands, cost: kernel.Weights, denominator: int, single: Single) -> set[Pair]:
    """List the entries whose R is above the least of the column: they are 0 wherever the losses are least."""
    size, scale = len(cost), single.certificate.scale
    reduced = [[Fraction(value, denominator) for value in row] for row in cost]
    lengths = {frozenset((j, k)): d for j, k, d in demands.edges or ()}
    smooth = (name for name in demands.properties if name.partition(":")[0] == kernel.SMOOTH)
    beta = next((Fraction(*kernel.smoothness(name)) for name in smooth), Fraction(1))
    for kind, i, j, k, h, m in single.certificate["rows"]:
        reduced[i][j] -= Fraction(m, scale)
        if kind == "DP":
            length = 1 if demands.edges is None else lengths[frozenset((j, h))]
            reduced[k][h] += Fraction(m, scale) * Fraction(*demands.alpha) ** length
        elif kind != kernel.FLOOR:
            reduced[k][h] += Fraction(m, scale) * (beta if kind == kernel.SMOOTH else 1)
    if kernel.ROTATION in demands.properties:
        turned = [row[::-1] for row in reversed(reduced)]
        reduced = [[(x + y) / 2 for x, y in zip(*pair, strict=True)] for pair in zip(reduced, turned, strict=True)]
    least = [min(column) for column in zip(*reduced, strict=True)]
    return {(i, j) for i in range(size) for j in range(size) if reduced[i][j] > least[j]}


def _known_zeros(zeros: set[Pair], tight: Sequence[tuple[Pair, Pair]], weights: kernel.Weights) -> set[Pair]:
    """Add what must be 0 with them: privacy makes a row with a zero one of zeros, a fixed ratio carries it over."""
    size = len(weights)
    rows = {i for i, _ in zeros}
    while True:
        more = {b[0] for pair in tight for a, b in (pair, pair[::-1]) if a[0] in rows} - rows
        if not more:
            return {(i, j) for i in rows for j in range(size)}
        rows |= more


def _roots(tight: Sequence[tuple[Pair, Pair]], size: int) -> dict[Pair, Pair]:
    """Return for each entry the first one of those that are joined with it."""
    joined: dict[Pair, list[Pair]] = {(i, j): [] for i in range(size) for j in range(size)}
    for a, b in tight:
        joined[a].append(b)
        joined[b].append(a)
    roots: dict[Pair, Pair] = {}
    for root in joined:
        found = [root] if root not in roots else []
        for entry in found:
            if entry not in roots:
                roots[entry] = root
                found += joined[entry]
    return roots


def _rank(matrix: list[list[int]]) -> int:
    """Return the rank modulo the prime."""
    rows, rank = [[value % PRIME for value in row] for row in matrix], 0
    for column in range(len(rows[0])):
        pivot = next((k for k in range(rank, len(rows)) if rows[k][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        inverse = pow(rows[rank][column], -1, PRIME)
        for k in range(rank + 1, len(rows)):
            factor = rows[k][column] * inverse % PRIME
            if factor:
                rows[k] = [(x - factor * y) % PRIME for x, y in zip(rows[k], rows[rank], strict=True)]
        rank += 1
    return rank
