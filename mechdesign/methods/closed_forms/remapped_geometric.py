"""The geometric mechanism with the best remap of its outputs: optimal without properties.

For counts, any prior and any loss that grows with |i-j|, some remap of GM's outputs is an optimal mechanism (Ghosh,
Roughgarden, Sundararajan, STOC 2009, theorem 3.2). Given GM's output k the best final output is

    i(k) = argmin_i b_k(i),   b_k(i) = sum_j cost[i,j] alpha^D(k,j),

D the distance of inputs. With `A[k,j] = alpha^D(k,j)` (whose inverse is tridiagonal on a path, edges of any length) and
`b_k = b_k(i(k))`, the prices `y = A^-1 b` make every used row worth nothing, and `sum_j y_j` is the mechanism's
expected loss. Whether they are a proof, the kernel's pricing of all rows decides: for losses outside the theorem it may
say no.
"""

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpz

from mechdesign.certificate.proof import dual_certificate
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.rational import over_common_denominator
from mechdesign.verify.certificates import Certificate

DIGITS = 10**6
"""An alpha that is stated is a multiple of one over it."""

NEAR = 1e-9
"""Outputs this close to the best in floating point are compared exactly."""


def remapped_geometric(problem: DesignProblem) -> tuple[Mechanism, Certificate]:
    """Make the best remap of GM, with the prices that prove it, for an expected loss on a path."""
    size = problem.size
    distances = problem.graph.distances
    p, q = problem.step_alpha.numerator, problem.step_alpha.denominator
    longest = int(distances.max())
    powers = {d: p**d * q ** (longest - d) for d in set(distances.ravel().tolist())}
    kernel = [[powers[d] for d in row] for row in distances.tolist()]
    cost, cost_denominator = _integer_cost(problem)
    best = _best_outputs(cost, kernel, float(problem.step_alpha), distances)
    values = [sum(map(int.__mul__, cost[i], kernel[k])) for k, i in enumerate(best)]
    steps = np.diag(distances, 1).tolist()
    shares = _solved([fmpq(1)] * size, [fmpq(p, q) ** d for d in steps])
    weights, denominator = _mixed(best, shares, kernel, powers[0])
    if problem.symmetry_is_free or problem.asks_rotation:
        weights = [
            [x + y for x, y in zip(row, mirrored[::-1], strict=True)]
            for row, mirrored in zip(weights, reversed(weights), strict=True)
        ]
        denominator *= 2
    scale = fmpz(cost_denominator * powers[0])
    prices = _solved([fmpq(fmpz(value), scale) for value in values], [fmpq(p, q) ** d for d in steps])
    common = fmpz(1)
    for price in prices:
        common = common.lcm(price.q)
    proof = dual_certificate((), int(common), tuple(int((y * common).p) for y in prices))
    return Mechanism.reduced(weights, denominator), proof


def _integer_cost(problem: DesignProblem) -> tuple[list[list[int]], int]:
    """`prior[j] loss[i][j]` over one denominator; under S, which makes the two the same, plus its rotation."""
    loss, loss_denominator = problem.loss.integers(problem.size)
    prior, prior_denominator = over_common_denominator(problem.prior.weights(problem.size))
    cost = [[w * x for w, x in zip(prior, row, strict=True)] for row in loss]
    denominator = loss_denominator * prior_denominator
    if problem.asks_rotation and not problem.symmetry_is_free:
        mirrored = [row[::-1] for row in reversed(cost)]
        cost = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(cost, mirrored, strict=True)]
        denominator *= 2
    return cost, denominator


def _best_outputs(cost: list[list[int]], kernel: list[list[int]], alpha: float, distances: np.ndarray) -> list[int]:
    """`i(k)`, by floating point where it is clear, exactly where it is close."""
    largest = max(abs(value) for row in cost for value in row) or 1
    scaled = np.array([[value / largest for value in row] for row in cost])
    values = np.einsum("ij,kj->ik", scaled, alpha**distances)  # a product through BLAS would wake idle threads
    best = []
    for k in range(len(cost)):
        column = values[:, k]
        near = np.flatnonzero(column <= column.min() + NEAR * np.abs(column).max()).tolist()
        best.append(min(near, key=lambda i: sum(map(int.__mul__, cost[i], kernel[k]))) if len(near) > 1 else near[0])
    return best


def _solved(rhs: Sequence[fmpq], ratios: Sequence[fmpq]) -> list[fmpq]:
    """`A^-1 rhs` for `A[k,j] = product of the ratios between k and j`.

    With a step of ratio a between neighbours, the inverse has `-a/(1-a^2)` beside the diagonal, and on it 1 plus
    `a^2/(1-a^2)` for each of the two steps.
    """
    solution = list(rhs)
    for j, a in enumerate(ratios):
        link = a / (1 - a * a)
        solution[j] += link * (a * rhs[j] - rhs[j + 1])
        solution[j + 1] += link * (a * rhs[j + 1] - rhs[j])
    return solution


def _mixed(best: list[int], shares: list[fmpq], kernel: list[list[int]], unit: int) -> tuple[list[list[int]], int]:
    """`P[i] = sum of shares[k] A[k] over k with i(k) = i`; columns sum to 1 because `A shares = 1`."""
    whole, denominator = over_common_denominator(Fraction(int(s.p), int(s.q)) for s in shares)
    weights = [[0] * len(best) for _ in best]
    for k, i in enumerate(best):
        weights[i] = [total + whole[k] * value for total, value in zip(weights[i], kernel[k], strict=True)]
    return weights, denominator * unit


def constant_from(problem: DesignProblem) -> Fraction | None:
    """Return an alpha of six digits from which on it is best to say n/2 whatever the data; None where none is known.

    Without properties it is best where no remap does better: the posterior median (L1) or mean (L2) of n/2 behind
    GM's outermost output. With weights alpha^j of the counts j, n even and a uniform prior, that is
    `1 - 2 alpha^(n/2) + alpha^(n+1) <= 0`, or `sum_j (2j - n + 1) alpha^j >= 0`; each has one root below 1.
    """
    n = problem.size - 1
    sums = {"L1": _median_is_middle, "L2": _mean_is_middle}
    is_usual = problem.model.name == "count" and not problem.is_worst_case and problem.prior.name == "uniform"
    is_free = all(prop.is_rotation for prop in problem.required)
    if not (is_usual and is_free) or n % 2 or problem.loss.name not in sums:
        return None
    is_middle = sums[problem.loss.name]
    found = bisect_left(range(DIGITS), True, key=lambda k: is_middle(k, DIGITS, n))
    return Fraction(found, DIGITS) if found < DIGITS else None


def _median_is_middle(p: int, q: int, n: int) -> bool:
    return bool(q ** (n + 1) - 2 * p ** (n // 2) * q ** (n // 2 + 1) + p ** (n + 1) <= 0)


def _mean_is_middle(p: int, q: int, n: int) -> bool:
    return bool(sum((2 * j - n + 1) * p**j * q ** (n - j) for j in range(n + 1)) >= 0)
