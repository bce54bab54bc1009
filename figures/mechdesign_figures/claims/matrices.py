"""Small tools on exact matrices that claims share."""

import itertools
from collections.abc import Iterator
from fractions import Fraction

from mechdesign import DesignProblem, Loss, Mechanism, Prior
from mechdesign.closed_forms.geometric import geometric
from mechdesign.privacy import NeighbourGraph, tightest_alpha
from mechdesign.properties import holding
from mechdesign_figures.claims.claim import alphas
from mechdesign_figures.studies.bench import Bench

Named = tuple[str, Fraction, Mechanism]

ONE_SIDED = "overestimates charged double"


def has(mechanism: Mechanism) -> frozenset[str]:
    """Every property that a mechanism has."""
    return frozenset(holding(mechanism.weights, mechanism.denominator))


def privacy(mechanism: Mechanism) -> Fraction:
    """The largest alpha for which it is alpha-DP on counts; 0 where there is none."""
    found = tightest_alpha(mechanism.weights, NeighbourGraph.path(mechanism.n_inputs)).alpha
    return Fraction(0) if found is None else found


def rotated(mechanism: Mechanism) -> Mechanism:
    """`P[n-i, n-j]`."""
    return Mechanism(tuple(row[::-1] for row in reversed(mechanism.weights)), mechanism.denominator)


def symmetrised(mechanism: Mechanism) -> Mechanism:
    """The average of a mechanism and its rotation."""
    pairs = zip(mechanism.weights, rotated(mechanism).weights, strict=True)
    sums = [[x + y for x, y in zip(row, other, strict=True)] for row, other in pairs]
    return Mechanism.from_weights(sums, 2 * mechanism.denominator)


def skewed(n: int) -> Prior:
    """A prior that falls from 0 to n: weights n+1, n, ..., 1."""
    total = (n + 1) * (n + 2) // 2
    return Prior.from_weights([Fraction(n + 1 - j, total) for j in range(n + 1)])


def double_above(n: int) -> Loss:
    """1 for an answer that is too low, 2 for one that is too high."""
    return Loss.from_matrix([[0 if i == j else 1 + (i > j) for j in range(n + 1)] for i in range(n + 1)])


def lopsided(n: int, alpha: Fraction) -> Iterator[Mechanism]:
    """alpha-DP mechanisms without symmetry: always the same answer, and GM with one answer replaced by another."""
    for i in range(n + 1):
        yield Mechanism(tuple((int(row == i),) * (n + 1) for row in range(n + 1)), 1)
    base = geometric(n, alpha)
    for old, new in itertools.permutations(range(n + 1), 2):
        rows = [list(row) for row in base.weights]
        rows[new] = [x + y for x, y in zip(rows[new], rows[old], strict=True)]
        rows[old] = [0] * (n + 1)
        yield Mechanism.from_weights(rows, base.denominator)


def stock(bench: Bench, quick: bool) -> list[Named]:
    """Mechanisms of many kinds, most of them without symmetry: (name, alpha, mechanism)."""
    found: list[Named] = []
    for n, alpha in itertools.product((2, 3) if quick else (2, 3, 4, 6), alphas(quick)):
        found += [(f"{name}({n})", alpha, bench.mechanism(name, n, alpha)) for name in ("GM", "EM", "UM", "WM")]
        found += [(f"mixed({n})", alpha, mechanism) for mechanism in lopsided(n, alpha)]
        for loss, asked in itertools.product(("L0", "L1", "L2"), ("none", "WH", "RH", "RM", "CH", "CM", "F")):
            problem = DesignProblem(n, alpha, properties=asked, loss=loss, prior=skewed(n))
            found.append((f"{asked} under {loss}, n = {n}, skewed prior", alpha, bench.design(problem).mechanism))
    return found


def small_matrices(quick: bool) -> Iterator[Mechanism]:
    """Every 3 x 3 matrix `1/3 + t D`, D integer with columns that sum to 0; alpha-DP for some alpha, t being small.

    The entries of D are at most 1 in size, in the full form 2.
    """
    bound = 1 if quick else 2
    steps = range(-bound, bound + 1)
    columns = [column for column in itertools.product(steps, repeat=3) if sum(column) == 0]
    base = 4 * bound
    for chosen in itertools.product(columns, repeat=3):
        yield Mechanism(tuple(tuple(base + column[i] for column in chosen) for i in range(3)), 3 * base)
