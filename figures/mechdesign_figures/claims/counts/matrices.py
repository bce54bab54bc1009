"""Exact matrices for the claims, and measures of them."""

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.methods.closed_forms.geometric import geometric
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.prior import Prior
from mechdesign.problem.properties import properties_of
from mechdesign_figures.claims.claim import alphas
from mechdesign_figures.studies.design_cache import DesignCache

Named = tuple[str, Fraction, Mechanism]


def has(mechanism: Mechanism) -> frozenset[str]:
    """Return every property that a mechanism has."""
    return frozenset(properties_of(mechanism.weights, mechanism.denominator))


def privacy(mechanism: Mechanism) -> Fraction:
    """Return the largest alpha for which a mechanism is alpha-DP on counts; 0 where there is none."""
    found = tightest_alpha(mechanism.weights, NeighbourGraph.path(mechanism.n_inputs)).alpha
    return Fraction(0) if found is None else found


def rotated(mechanism: Mechanism) -> Mechanism:
    """Return the rotated mechanism, `P[n-i, n-j]`."""
    return Mechanism(tuple(row[::-1] for row in reversed(mechanism.weights)), mechanism.denominator)


def symmetrised(mechanism: Mechanism) -> Mechanism:
    """Return the average of a mechanism and its rotation."""
    pairs = zip(mechanism.weights, rotated(mechanism).weights, strict=True)
    sums = [[x + y for x, y in zip(row, other, strict=True)] for row, other in pairs]
    return Mechanism.from_weights(sums, 2 * mechanism.denominator)


def skewed(n: int) -> Prior:
    """Return a prior that falls from 0 to n: weights n+1, n, ..., 1."""
    total = (n + 1) * (n + 2) // 2
    return Prior.from_weights([Fraction(n + 1 - j, total) for j in range(n + 1)])


def double_above(n: int) -> Loss:
    """Return a loss: 1 for an answer that is too low, 2 for one that is too high."""
    return Loss.from_matrix([[0 if i == j else 1 + (i > j) for j in range(n + 1)] for i in range(n + 1)])


def inverse_to(prior: Prior, n: int) -> Loss:
    """Return the loss `1/w_j` for a wrong answer: weighted with the prior, each input's errors count alike."""
    weights = prior.weights(n + 1)
    return Loss.from_matrix([[Fraction(int(i != j)) / weights[j] for j in range(n + 1)] for i in range(n + 1)])


def lopsided(n: int, alpha: Fraction) -> Iterator[Mechanism]:
    """Make alpha-DP mechanisms without symmetry: always the same answer, and GM with one answer replaced."""
    for i in range(n + 1):
        yield Mechanism(tuple((int(row == i),) * (n + 1) for row in range(n + 1)), 1)
    base = geometric(n, alpha)
    for old, new in itertools.permutations(range(n + 1), 2):
        rows = [list(row) for row in base.weights]
        rows[new] = [x + y for x, y in zip(rows[new], rows[old], strict=True)]
        rows[old] = [0] * (n + 1)
        yield Mechanism.from_weights(rows, base.denominator)


def stock(cache: DesignCache, quick: bool) -> list[Named]:
    """Return mechanisms of many kinds, most of them without symmetry: (name, alpha, mechanism)."""
    found: list[Named] = []
    for n, alpha in itertools.product((1, 2, 3) if quick else (1, 2, 3, 4, 6), alphas(quick)):
        found += [(f"{name}({n})", alpha, cache.mechanism(name, n, alpha)) for name in ("GM", "EM", "UM", "WM")]
        found += [(f"mixed({n})", alpha, mechanism) for mechanism in lopsided(n, alpha)]
        for loss, asked in itertools.product(("L0", "L1", "L2"), ("none", "WH", "RH", "RM", "CH", "CM", "F")):
            problem = DesignProblem(n, alpha, properties=asked, loss=loss, prior=skewed(n))
            found.append((f"{asked} under {loss}, n = {n}, skewed prior", alpha, cache.design(problem).mechanism))
    return found


@cache
def properties_of_small_matrices() -> tuple[frozenset[str], ...]:
    """List the properties of each of thousands of small matrices.

    These are the matrices `1/(n+1) + D/(8n+8)`, where D is integer and its columns sum to 0.

    All D with entries up to 2 in size for n = 2, and for n = 3 all symmetric ones whose first column has entries up to
    1, and the second up to 2. Such matrices are alpha-DP for alpha = 3/5 and below.
    """
    asymmetric = itertools.product(_zero_sums(3, 2), repeat=3)
    halves = itertools.product(_zero_sums(4, 1), _zero_sums(4, 2))
    symmetric = ((first, second, second[::-1], first[::-1]) for first, second in halves)
    return tuple(has(_around_uniform(columns)) for columns in itertools.chain(asymmetric, symmetric))


def _zero_sums(size: int, bound: int) -> list[tuple[int, ...]]:
    """All integer columns with entries up to `bound` in size that sum to 0."""
    return [column for column in itertools.product(range(-bound, bound + 1), repeat=size) if sum(column) == 0]


def _around_uniform(columns: Sequence[tuple[int, ...]]) -> Mechanism:
    return Mechanism(tuple(tuple(8 + value for value in row) for row in zip(*columns, strict=True)), 8 * len(columns))
