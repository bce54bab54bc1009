"""The verdict on a matrix of floats: properties of some matrix within their precision.

The matrices near `P` are those with `|Q[i,j] - P[i,j]| <= half[i,j]` and `Q >= 0`: a box of entries `[low, high]`. Each
question is asked by itself, and answered exactly; of small matrices all claims are then asked of one and the same.
A column can be a probability vector iff `sum low <= 1 <= sum high`.
Privacy and properties are rows `Q[u] >= r Q[v]`, r <= 1, and floors: above the box's low corner there is a least matrix
that satisfies them, and some matrix of the box does iff that one lies in it.
"""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from mechdesign.audits.together import LARGEST, Demands, can_meet_together
from mechdesign.certificate.score import weights_score
from mechdesign.documents.precision import Halves
from mechdesign.problem.loss import Loss
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import loss_above, rounded_down, rounded_up
from mechdesign.problem.properties import LATTICE, find_property, ordered
from mechdesign.problem.property import Property
from mechdesign.rational import natural_log, over_common_denominator
from mechdesign.verify.proving import Claim

Rows = Sequence[Sequence[Fraction]]
Row = tuple[int, int, Fraction]
"""(u, v, r): entry u is at least r times entry v."""

FIRST_SHARE = 1e-13
"""A loss is tried with this share on top of its estimate, then with ten times as much, and so on."""

LARGE = 1e6
"""Stands for the logarithm of 1/0."""


ROUNDING = Fraction(1, 10**12)
"""More than a float's exponential and logarithm are off."""

CLOSE, FIRST = Fraction(1, 10**4), Fraction(1, 10**9)
"""The least loss of a mechanism is found up to this share, and sought from this one on."""


@dataclass(frozen=True)
class NearbyProperties:
    """Properties that some matrix near a given one has, each by itself, and whether one has all that is claimed.

    `largest` is how far the furthest entry may be, `tolerance` the distance asked for (None: the precision in which
    the matrix is written). `epsilon` is a loss that some matrix so near does not exceed (infinite where none is
    private), `column_sums` and `row_sums` tell whether all columns, or all rows, can be probabilities, `holds` which
    properties can hold. A matrix so near has scores in the ranges of `scores`. `together` tells whether one mechanism
    so near has all that is claimed; no mechanism so near has a loss below `least`, and some has one of `reached`,
    which is nearly as small. None where it is not decided.
    """

    largest: Fraction
    tolerance: Fraction | None
    epsilon: float
    column_sums: bool
    row_sums: bool
    holds: tuple[str, ...]
    scores: Mapping[str, tuple[Fraction, Fraction]]
    claims: tuple[Claim, ...]
    together: bool | None
    least: Fraction | None
    reached: Fraction | None

    @property
    def passed(self) -> bool:
        """Whether the claims hold for some matrix so near: for one and the same, where that is decided."""
        return all(claim.true for claim in self.claims)


class Box:
    """The matrices near one: `low[i][j] <= Q[i,j] <= high[i][j]`; empty where an entry would have to be negative."""

    def __init__(self, rows: Rows, halves: Halves) -> None:
        pairs = [list(zip(row, half, strict=True)) for row, half in zip(rows, halves, strict=True)]
        self.low = [[max(Fraction(0), value - half) for value, half in row] for row in pairs]
        self.high = [[value + half for value, half in row] for row in pairs]
        self.is_empty = any(value < 0 for row in self.high for value in row)

    @property
    def has_probabilities(self) -> bool:
        """Whether all columns of some matrix of the box are probabilities; columns do not depend on each other."""
        return not (self.is_empty or self.improbable_columns)

    @property
    def improbable_columns(self) -> list[int]:
        """The inputs whose columns sum to 1 in no matrix of the box."""
        columns = enumerate(zip(zip(*self.low, strict=True), zip(*self.high, strict=True), strict=True))
        return [j for j, (low, high) in columns if not sum(low) <= 1 <= sum(high)]

    @property
    def has_probabilities_in_rows(self) -> bool:
        """Whether all rows of some matrix of the box are probabilities."""
        rows = zip(self.low, self.high, strict=True)
        return not self.is_empty and all(sum(low) <= 1 <= sum(high) for low, high in rows)

    def can_be_private(self, alpha: Fraction, graph: NeighbourGraph) -> bool:
        """Return whether some matrix of the box satisfies alpha-DP on a graph."""
        if self.is_empty:
            return False
        pairs = zip(self.low, self.high, strict=True)
        if graph.edges is None:
            return all(alpha * max(low) <= min(high) for low, high in pairs)
        rows = _privacy_rows(alpha, graph)
        return all(_reaches(low, high, rows) for low, high in pairs)

    def can_have(self, name: str) -> bool:
        """Return whether some matrix of the box has a property."""
        if self.is_empty:
            return False
        prop, size = find_property(name), len(self.low)
        low, high = ([value for row in side for value in row] for side in (self.low, self.high))
        for i in range(size):
            low[i * (size + 1)] = max(low[i * (size + 1)], prop.floor / size)
        rows, equal = _property_rows(prop, size)
        return _reaches(low, high, [*rows, *((u, v, Fraction(1)) for a, b in equal for u, v in ((a, b), (b, a)))])

    def private_alpha(self, graph: NeighbourGraph) -> Fraction | None:
        """Find an alpha for which some matrix of the box is private, nearly the largest.

        None where every matrix of the box has a zero beside a positive entry.
        """
        if self.is_empty or any(not min(high) and max(low) for low, high in zip(self.low, self.high, strict=True)):
            return None
        loss, share = self._least_loss(graph), FIRST_SHARE
        if not loss and self.can_be_private(Fraction(1), graph):
            return Fraction(1)
        while (alpha := Fraction(math.exp(-loss * (1 + share) if loss else -share))) > 0:
            if self.can_be_private(alpha, graph):
                return alpha
            share *= 10
        return None

    def _least_loss(self, graph: NeighbourGraph) -> float:
        """Return about the least loss: the largest `ln(low_j / high_k) / d(j,k)` of a row, d the way between inputs."""
        apart = np.maximum(graph.distances, 1)
        rows = zip(self.low, self.high, strict=True)
        needed = (
            np.subtract.outer([_log(value) for value in low], [_log(value) for value in high]) / apart
            for low, high in rows
        )
        return max(0.0, *(float(losses.max()) for losses in needed))

    def score_range(self, loss: Loss) -> tuple[Fraction, Fraction]:
        """Return the least and the largest score of the matrices of the box, under the uniform prior."""
        uniform = Prior.parse("uniform")
        low, high = (_score(side, loss, uniform) for side in (self.low, self.high))
        return low, high


def _privacy_rows(alpha: Fraction, graph: NeighbourGraph) -> list[Row]:
    """Return what alpha-DP asks of the entries of one output, numbered by the input."""
    edges = graph.edges or [(j, k, 1) for j, k in combinations(range(graph.size), 2)]
    ratios = {d: alpha**d for *_, d in edges}
    return [(u, v, ratios[d]) for j, k, d in edges for u, v in ((j, k), (k, j))]


def _property_rows(prop: Property, size: int) -> tuple[list[Row], list[tuple[int, int]]]:
    """Return the pairs of a property, and its equal entries."""
    pairs, equal = (
        [] if statement is None else list(zip(*(side.tolist() for side in statement(size)), strict=True))
        for statement in (prop.pairs, prop.equal)
    )
    return [(u, v, prop.ratio) for u, v in pairs], equal


def fit_together(
    rows: Rows, halves: Halves, graph: NeighbourGraph, alpha: Fraction | None, names: Iterable[str] = ()
) -> bool | None:
    """Return whether one matrix within `halves` is a mechanism that is alpha-private and has properties, all at once.

    None where that is not decided.
    """
    height, width = len(rows), graph.size
    properties = [find_property(name) for name in names]
    if height * width > LARGEST:
        return None
    of_one = [] if alpha is None else _privacy_rows(alpha, graph)
    ratios = [(i * width + u, i * width + v, ratio) for i in range(height) for u, v, ratio in of_one]
    stated = [_property_rows(prop, width) for prop in properties]
    floors = [(i * (width + 1), prop.floor / width) for prop in properties if prop.floor for i in range(width)]
    demands = Demands(
        width,
        [*ratios, *(row for pairs, _ in stated for row in pairs)],
        [both for _, equal in stated for both in equal],
        floors,
    )
    return can_meet_together(
        [value for row in rows for value in row], [half for row in halves for half in row], demands
    )


def _score(rows: Rows, loss: Loss, prior: Prior) -> Fraction:
    flat, denominator = over_common_denominator(value for row in rows for value in row)
    size = len(rows)
    return weights_score([flat[i * size : (i + 1) * size] for i in range(size)], denominator, loss, prior)


def _log(value: Fraction) -> float:
    return natural_log(value) if value > 0 else -LARGE


def _reaches(low: Sequence[Fraction], high: Sequence[Fraction], rows: Iterable[Row]) -> bool:
    """Return whether the least vector above `low` with all rows is at most `high`, by raising entries."""
    forced: list[list[tuple[int, Fraction]]] = [[] for _ in low]
    for u, v, ratio in rows:
        forced[v].append((u, ratio))
    least = list(low)
    if any(value > top for value, top in zip(least, high, strict=True)):
        return False
    queue = deque(sorted(range(len(least)), key=least.__getitem__, reverse=True))
    queued = [True] * len(least)
    while queue:
        v = queue.popleft()
        queued[v] = False
        for u, ratio in forced[v]:
            value = least[v] if ratio == 1 else ratio * least[v]
            if least[u] < value:
                if value > high[u]:
                    return False
                least[u] = value
                if not queued[u]:
                    queued[u] = True
                    queue.append(u)
    return True


def find_within(
    rows: Rows,
    halves: Halves,
    tolerance: Fraction | None,
    graph: NeighbourGraph,
    unit: Fraction,
    private: tuple[str, Fraction] | None,
    wanted: Iterable[str],
    losses: Iterable[str],
) -> NearbyProperties:
    """Find what holds for some matrix within `halves` of a given one.

    Args:
        rows: the matrix, shape (n_outputs, n_inputs).
        halves: how far each entry may be off.
        tolerance: what is asked for, where `halves` are that for every entry.
        graph: the neighbours.
        unit: the distance of neighbours of length 1.
        private: a claim of privacy to test, and the ratio of one step of it.
        wanted: properties that are claimed.
        losses: names of the losses to score by.
    """
    box = Box(rows, halves)
    wanted = tuple(wanted)
    square = len(rows) == len(rows[0]) > 1
    holds = {name for name in {*LATTICE, *wanted} if box.can_have(name)} if square else set()
    sums, alpha = box.has_probabilities, box.private_alpha(graph)
    claims: list[Claim] = []
    if private is not None or wanted:
        claims.append(Claim("columns are probabilities", sums))
    if private is not None:
        claims.append(Claim(private[0], box.can_be_private(private[1], graph)))
    for name in wanted:
        claims.append(Claim(f"{name} ({find_property(name).title})", name in holds))
    together: bool | None = all(claim.true for claim in claims)
    if claims and together:
        together = fit_together(rows, halves, graph, None if private is None else private[1], wanted)
        claims += [] if together is None else [Claim("one matrix has all of this at once", together)]
    epsilon = math.inf if alpha is None else loss_above(alpha, unit)
    return NearbyProperties(
        max(half for row in halves for half in row),
        tolerance,
        epsilon,
        sums,
        box.has_probabilities_in_rows,
        ordered(holds),
        {name: box.score_range(Loss.parse(name)) for name in losses} if square else {},
        tuple(claims),
        together,
        *(_loss_of_mechanisms(box, rows, halves, graph, unit, epsilon) if sums and alpha is not None else (None, None)),
    )


def _loss_of_mechanisms(
    box: Box, rows: Rows, halves: Halves, graph: NeighbourGraph, unit: Fraction, reached: float
) -> tuple[Fraction | None, Fraction | None]:
    """Return a loss that no mechanism within `halves` is below, and one that some mechanism has.

    `reached` is a loss that some matrix has, nearly the least. The second is None where it is not decided.
    """

    def alpha(loss: Fraction, error: Fraction) -> Fraction:
        return min(Fraction(1), Fraction(math.exp(-loss * unit)) * (1 + error))

    def fits(loss: Fraction, error: Fraction) -> bool | None:
        ratio = alpha(loss, error)
        return fit_together(rows, halves, graph, ratio) if ratio else None

    low = Fraction(rounded_down(Fraction(reached) * (1 - ROUNDING)))
    if low and box.can_be_private(alpha(low, -ROUNDING), graph):
        return None, None
    high = Fraction(rounded_up(Fraction(reached)))
    if (answer := fits(high, ROUNDING)) is False:
        high = max(high, FIRST)
        while (answer := fits(high, -ROUNDING)) is False:
            low, high = high, 2 * high
        while answer and high > low * (1 + CLOSE):
            middle = (low + high) / 2
            if (found := fits(middle, -ROUNDING)) is None:
                break
            low, high = (low, middle) if found else (middle, high)
        high = Fraction(rounded_up(high))
        answer = fits(high, ROUNDING)
    return low, high if answer else None
