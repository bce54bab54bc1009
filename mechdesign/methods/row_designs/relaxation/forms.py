"""State what every row satisfies, as quadratic forms whose multipliers make a bound."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.workloads.queries import Floats

Cuts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowForms:
    """Hold forms in (1, r) that are at least 0 for every row r of entries 1 and E, and their multipliers' sums.

    An entry of a row has `(r_u - 1)(r_u - E) = 0`, with a multiplier v_u. A vector w of K+1 integers of odd sum has
    `(w.(1, s))^2 >= 1` for every vector s of signs (odd-clique inequalities; Deza and Laurent, Geometry of Cuts and
    Metrics, 1997), with a multiplier `z >= 0`; on rows that is `(a + b'r)^2 >= 1`. For multipliers `x = (v, z)`,

        sum_u v_u (r_u - 1)(r_u - E) - sum_j z_j ((a_j + b_j'r)^2 - 1) = nu - 2 g'r + r'Dr,

    where nu, g and D are linear in x. What is left after completing the square in the constant is

        T(x) = D - g g' / nu   with   r'T r <= 0 for every row,

    and T is concave in x, in the order of semidefinite matrices, where nu > 0.

    Attributes:
        entry: E.
        cuts: the vectors w, shape (c, K+1), of which entry 0 belongs to the constant.
        size: K.
    """

    entry: float
    size: int
    cuts: Cuts

    @property
    def count(self) -> int:
        """K and the number of cuts: the number of multipliers."""
        return self.size + len(self.cuts)

    @cached_property
    def directions(self) -> Floats:
        """The vectors whose squares make D: the unit vectors, then the b_j; shape (K, count)."""
        return np.hstack([np.eye(self.size), self._slopes.T])

    @cached_property
    def signs(self) -> Floats:
        """1 for an entry and -1 for a cut: `D = sum_i sign_i x_i direction_i direction_i'`."""
        return np.concatenate([np.ones(self.size), -np.ones(len(self.cuts))])

    @cached_property
    def linear(self) -> Floats:
        """The matrix that takes x to g, shape (K, count)."""
        return np.hstack([(1 + self.entry) / 2 * np.eye(self.size), self._offsets * self._slopes.T])

    @cached_property
    def constant(self) -> Floats:
        """The vector whose product with x is nu, shape (count,)."""
        return np.concatenate([np.full(self.size, self.entry), 1 - self._offsets**2])

    def level(self, multipliers: Floats) -> float:
        """Return nu."""
        return float(self.constant @ multipliers)

    def matrix(self, multipliers: Floats) -> Floats:
        """Return T, K x K, symmetric."""
        slope = self.linear @ multipliers
        squares = (self.directions * (self.signs * multipliers)) @ self.directions.T
        whole = squares - np.outer(slope, slope) / self.level(multipliers)
        half: Floats = (whole + whole.T) / 2
        return half

    def diagonal(self, multipliers: Floats) -> Floats:
        """Return d, shape (K+1,), of sum 0: the entries' part of the forms, written in (1, s)."""
        parts = multipliers[: self.size] * (self.entry - 1) ** 2 / 4
        return np.concatenate([[parts.sum()], -parts])

    @cached_property
    def _slopes(self) -> Floats:
        found: Floats = 2.0 / (self.entry - 1) * self.cuts[:, 1:].astype(np.float64)
        return found

    @cached_property
    def _offsets(self) -> Floats:
        found: Floats = self.cuts[:, 0] - (1 + self.entry) / (self.entry - 1) * self.cuts[:, 1:].sum(axis=1)
        return found


def no_cuts(size: int) -> Cuts:
    """Return an empty list of cuts for K items."""
    return np.zeros((0, size + 1), dtype=np.int64)
