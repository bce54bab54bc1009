"""Multipliers of privacy rows, from the prices of a proof.

Prices prove a bound only with the very alpha that they were made for: an error in the ratio of one step grows with
every step along a row. Multipliers of rows prove one for every alpha, and a small change of alpha changes it a little.
So where `alpha^unit` is only enclosed by rationals, prices made at the upper one become multipliers, and those prove
the bound at the lower one.

The reduced costs of row i are paid where they stand, by the walk with which the kernel finds the row's least value: on
a path from each end towards entry i, a value v > 0 at entry j is put on `P[i,j] >= r P[i,k]`, k the next entry, and
leaves r v at k; a value v < 0 is put on `P[i,k] >= r P[i,j]` with the multiplier -v/r and leaves v/r at k (with row
monotonicity: on `P[i,k] >= P[i,j]`, and leaves v). Where all inputs are neighbours, positive entries pay for negative
ones; with row monotonicity negative ones are carried to entry i as on the path, and a positive one is put on
`P[i,j] >= r P[i,i]` at once.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from mechdesign.certificate.multipliers import RowMultiplier, over_one_denominator, rounded_prior
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.exact.numbers import ZERO, Exact, to_exact
from mechdesign.verify.certificates import Certificate


def by_rows(problem: DesignProblem, proof: Certificate) -> Certificate:
    """Return a proof without prices where `alpha^unit` is enclosed by two rationals; else the proof as it is."""
    prices = proof.get("prices")
    if prices is None or problem.step.is_exact:
        return proof
    proof = _shortened(proof, prices)
    kept = _multipliers(proof)
    reduced = _reduced_costs(problem, proof, kept)
    paid = [row for i, values in enumerate(reduced) for row in payments(problem, i, values)]
    return over_one_denominator([*kept, *paid], None, proof.get("prior"), rounded=True)


def _multipliers(proof: Certificate) -> list[RowMultiplier]:
    return [RowMultiplier(kind, i, j, k, h, Exact(m, proof.scale)) for kind, i, j, k, h, m in proof["rows"]]


def _shortened(proof: Certificate, prices: Sequence[int]) -> Certificate:
    """Round prices, multipliers and prior, before they are carried along rows of long numbers."""
    own = proof.get("prior")
    prior = None if own is None else rounded_prior([to_exact(weight) for weight in own])
    exact = [Exact(y, proof.scale) for y in prices]
    return over_one_denominator(_multipliers(proof), exact, prior, rounded=True)


def _reduced_costs(problem: DesignProblem, proof: Certificate, kept: list[RowMultiplier]) -> list[list[Exact]]:
    """Compute what is left of the costs after prices and multipliers; under S averaged with its rotation."""
    size = problem.size
    chances = proof.get("prior") or problem.prior.weights(size)
    prices = [Exact(y, proof.scale) for y in proof.get("prices") or ()]
    reduced = [
        [to_exact(w * x) - y for w, x, y in zip(chances, row, prices, strict=True)] for row in problem.loss.matrix(size)
    ]
    ratios = {prop.kind: to_exact(prop.ratio if prop.pairs or prop.equal else Fraction(0)) for prop in problem.required}
    for row in kept:
        reduced[row.i][row.j] -= row.m
        reduced[row.k][row.h] += row.m * ratios[row.kind]
    if problem.asks_rotation:
        mirrored = [row[::-1] for row in reversed(reduced)]
        reduced = [[(a + b) / 2 for a, b in zip(*rows, strict=True)] for rows in zip(reduced, mirrored, strict=True)]
    return reduced


def payments(problem: DesignProblem, i: int, values: Sequence[Exact]) -> Iterator[RowMultiplier]:
    """Yield the multipliers that pay for the values of row i, by rows of privacy and of row monotonicity.

    What they leave of each value is at least 0, but for that of entry i (a walk), or for what nothing was left to pay
    for (a match); these add up to the least value of the row that the kernel finds, where it is negative.
    """
    edges = problem.graph.edges
    monotone = next((prop.kind for prop in problem.required if prop.is_monotone and not prop.compares_rows), None)
    if edges is None and monotone is None:
        yield from _matched(i, values, to_exact(problem.step_alpha))
        return
    ratios = None if edges is None else [to_exact(problem.step_alpha**d) for _, _, d in edges]
    last = len(values) - 1
    yield from _walked(i, range(i + 1), values, ratios, monotone)
    yield from _walked(i, range(last, i - 1, -1), values, ratios and ratios[::-1], monotone)


def _walked(
    i: int, places: Sequence[int], values: Sequence[Exact], ratios: Sequence[Exact] | None, monotone: str | None
) -> Iterator[RowMultiplier]:
    """Carry the values at the places, the last of which is entry i, towards it; ratios None: all are its neighbours."""
    carried = ZERO
    for step, (j, k) in enumerate(pairwise(places)):
        carried += values[j]
        if carried > 0:
            yield RowMultiplier("DP", i, j, i, i if ratios is None else k, carried)
            carried = ZERO if ratios is None else carried * ratios[step]
        elif carried < 0 and monotone is not None:
            yield RowMultiplier(monotone, i, k, i, j, -carried)
        elif carried < 0 and ratios is not None:
            carried /= ratios[step]
            yield RowMultiplier("DP", i, k, i, j, -carried)


def _matched(i: int, values: Sequence[Exact], ratio: Exact) -> Iterator[RowMultiplier]:
    """Pay for negative entries from positive ones, as far as these go."""
    supply = [(j, value) for j, value in enumerate(values) if value > 0]
    demand = [(j, -value / ratio) for j, value in enumerate(values) if value < 0]
    while supply and demand:
        (j, have), (k, want) = supply.pop(), demand.pop()
        amount = min(have, want)
        yield RowMultiplier("DP", i, j, i, k, amount)
        if have > amount:
            supply.append((j, have - amount))
        if want > amount:
            demand.append((k, want - amount))
