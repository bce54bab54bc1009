"""Scores of a row mechanism's outputs: one report's say on every estimable answer.

An answer is estimable if users' reports can tell it.

For rows r of entries 1 and E = 1/alpha, row r reported with the probability `theta_r r_u` by users of item u, and a
prior p, `A = sum_r theta_r r r' / (p'r)`. An answer `w'f` can be told where w is a combination of the rows, `w = A c`;
then the score `c'r / (p'r)` of a report has the mean `w_u` whatever u is, and of all such scores the least variance
where users have items by p (Gauss-Markov; McKenna, Maity, Mazumdar, Miklau, VLDB 2020, for uniform p).

With a basis J of the columns of the rows, `r = R' r_J` for every row and `w = R' w_J` for every query that can be told.
So `w_J' A_J^-1 r_J / (p'r)` is the score, A_J being the part of A on J, which is invertible.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpz, fmpz_mat, nmod_mat
from numpy.typing import NDArray

from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.workloads.queries import Floats

NEAR = 1e-9
"""Weights of a query that are off by this part of the largest one at most are taken for rounded ones."""

FIRST_PRECISION, ACCURACY = 192, 70
"""Bits that are computed with, doubled until scores are known to so many bits of the largest one."""


FIRST_PRIME = (1 << 61) - 1
AT_ONCE = 1 << 17
"""Entries of rows that are written in balls at once."""


@dataclass(frozen=True, eq=False)
class RowScores:
    """The scores of m outputs on a basis of d items.

    Attributes:
        basis: the items J, shape (d,), rising.
        whole: R, shape (d, k): all weights of a query that can be told from those on the basis.
        scores: what a report says of the answer that each item of the basis stands for, shape (m, d).
    """

    basis: NDArray[np.int64]
    whole: Floats
    scores: Floats

    @classmethod
    def of(cls, mechanism: RowMechanism, prior: Sequence[int]) -> "RowScores":
        """Compute them in balls of any precision, to the nearest floats but for a hair.

        Args:
            mechanism: the rows with their weights.
            prior: a whole number for each item, none below 0, not all 0; divided by their sum they are p.

        >>> coin = RowMechanism(Fraction(1, 3), ("10", "01"), (1, 1), 4)
        >>> RowScores.of(coin, (1, 1)).scores.tolist()
        [[1.5, -0.5], [-0.5, 1.5]]
        """
        basis, whole = _basis(mechanism.ones)
        ones = np.ascontiguousarray(mechanism.ones[:, basis])
        return cls(basis, whole, _scores(mechanism, ones, _means(mechanism, prior)))

    @property
    def identifies_items(self) -> bool:
        """Whether the share of every item can be told, and so every answer."""
        size: int = self.whole.shape[1]
        return len(self.basis) == size

    def missing(self, weights: Floats) -> NDArray[np.bool_]:
        """Return which queries, weights of shape (q, k), are no combination of the rows: reports do not tell them."""
        rest = weights - weights[:, self.basis] @ self.whole
        scale = np.abs(weights).max(axis=1, initial=0.0)
        found: NDArray[np.bool_] = np.abs(rest).max(axis=1, initial=0.0) > NEAR * scale
        return found

    def of_queries(self, weights: Floats) -> Floats:
        """Return what each report says of the answers to queries, shape (q, m); of those that can be told."""
        found: Floats = weights[:, self.basis] @ self.scores.T
        return found


def _basis(ones: NDArray[np.uint8]) -> tuple[NDArray[np.int64], Floats]:
    """Return the items of the first independent columns of the rows, and all columns in terms of them, exactly.

    Weighed, the bits of all rows add up to a constant, since probabilities do. So rows of entries 1 and E span what
    their bits span. Columns and rows that are independent modulo a prime are so; that the others hang on them is seen
    in whole numbers, or another prime is taken.
    """
    bits, prime = ones.astype(np.int64), FIRST_PRIME
    while True:
        basis = _pivots(bits, prime)
        if len(basis) == bits.shape[1]:
            return np.array(basis), np.eye(len(basis))
        rows = bits[_pivots(bits[:, basis].T, prime)]
        top, divisor = fmpq_mat(rows[:, basis].tolist()).solve(fmpq_mat(rows.tolist())).numer_denom()
        if fmpz_mat(bits[:, basis].tolist()) * top == fmpz_mat(bits.tolist()) * divisor:
            floats = np.array([float(fmpq(entry, divisor)) for entry in top.entries()])
            return np.array(basis), floats.reshape(len(basis), -1)
        prime = next(number for number in count(prime + 2, 2) if fmpz(number).is_prime())


def _pivots(bits: NDArray[np.int64], prime: int) -> list[int]:
    """Return the first columns that are independent modulo a prime."""
    reduced, rank = nmod_mat(bits.tolist(), prime).rref()
    found: list[int] = []
    for row in range(rank):
        column = found[-1] + 1 if found else 0
        while not reduced[row, column]:
            column += 1
        found.append(column)
    return found


def _means(mechanism: RowMechanism, prior: Sequence[int]) -> list[Fraction]:
    """Return `p'r` for every row."""
    total, ratio = sum(prior), 1 / mechanism.alpha
    weights = np.array(prior, dtype=object)
    ones = [int(weights[row == 1].sum()) for row in mechanism.ones]
    return [Fraction(total - one, total) + ratio * Fraction(one, total) for one in ones]


def _scores(mechanism: RowMechanism, ones: NDArray[np.uint8], means: Sequence[Fraction]) -> Floats:
    """Compute `A_J^-1 r_J / (p'r)` for every row, shape (m, d)."""
    precision = FIRST_PRECISION
    while True:
        with ctx.workprec(precision):
            try:
                found = _solved(mechanism, ones, means)
            except ZeroDivisionError:
                found = None
            if found is not None:
                return found
        precision *= 2


def _solved(mechanism: RowMechanism, ones: NDArray[np.uint8], means: Sequence[Fraction]) -> Floats | None:
    """Return the scores, or None where the precision is too low.

    Raises:
        ZeroDivisionError: where it is too low to tell that A_J is invertible.
    """
    rows, size = ones.shape
    step = max(1, AT_ONCE // size)
    parts = [slice(start, min(start + step, rows)) for start in range(0, rows, step)]
    chances = [Fraction(weight, mechanism.denominator) for weight in mechanism.weights]
    high, matrix, found = 1 / mechanism.alpha, arb_mat(size, size), []
    for part in parts:
        weights = [chance / mean for chance, mean in zip(chances[part], means[part], strict=True)]
        plain = _two_valued([Fraction(1)] * len(weights), high, ones[part])
        matrix += plain.transpose() * _two_valued(weights, high, ones[part])
    inverse = matrix.inv()
    for part in parts:
        balls = _two_valued([Fraction(1)] * len(means[part]), high, ones[part]) * inverse
        floats = np.array([float(ball.mid()) for ball in balls.entries()]).reshape(-1, size)
        found.append(floats / np.array([float(mean) for mean in means[part]])[:, None])
    scores = np.concatenate(found)
    entries = inverse.entries()
    doubt = max(ball.rad() for ball in entries) + max(abs(ball).upper() for ball in entries) * arb(2) ** -ctx.prec
    return scores if doubt * size * _ball(high) * 2**ACCURACY <= arb(float(np.abs(scores).max())) else None


def _two_valued(weights: Sequence[Fraction], high: Fraction, ones: NDArray[np.uint8]) -> arb_mat:
    """Write each row with its weight where it has a zero, and `high` times that where it has a one."""
    pairs = [(_ball(weight), _ball(weight * high)) for weight in weights]
    entries = [pair[bit] for pair, row in zip(pairs, ones.tolist(), strict=True) for bit in row]
    return arb_mat(len(pairs), ones.shape[1], entries)


def _ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))
