"""Covariances of the scores of exchangeable cells, and their inverse."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from mechdesign.errors import InputError
from mechdesign.workloads.queries import Floats
from mechdesign_catalog.randomizers.facts.moments import Moments


@dataclass(frozen=True, eq=False)
class ScoreLaw:
    """The covariance of the scores of m cells, where these have the shares c, for each of several rows.

    A report gives scores y, which add up to 1, the mean of y is c. With `e = own_other - others` their covariance is

        Sigma = diag(d) + others 11' + e (c1' + 1c') - cc',    d = base + slope c,

    `base = other - others`, `slope = own - other + 1 - 2 e`. Since `Sigma 1 = 0`, it is
    `diag(d) - dd' / sum d + a vv'` with `v = c - 1/m` and `a = slope^2 / sum d - 1`. So

        G = diag(1/d) - g hh',    h = v / d,    g = a / (1 + a v'h)

    is an inverse of it on vectors that add up to 0.

    Args:
        shares: of the cells, which add up to 1 in each row; shape (rows, m).
        moments: of the oracle's scores.

    Raises:
        InputError: for an oracle whose scores do not always add up to 1.
    """

    shares: Floats
    moments: Moments

    def __post_init__(self) -> None:
        """Check the scores."""
        if self.moments.of_total(self.cells) != 0:
            raise InputError("scores must add up to 1 in each report, got those of an oracle whose total varies")

    @property
    def cells(self) -> int:
        """Number m of cells of a row."""
        return int(self.shares.shape[1])

    @property
    def base(self) -> Fraction:
        """What d is for an empty cell."""
        return self.moments.other - self.moments.others

    @property
    def slope(self) -> Fraction:
        """How much d grows with the share of the cell."""
        moments = self.moments
        return moments.own - moments.other + 1 - 2 * (moments.own_other - moments.others)

    @property
    def others(self) -> float:
        """Covariance of the scores of two cells that the user is in none of."""
        return float(self.moments.others)

    @property
    def own(self) -> float:
        """What the own cell adds to the mean square of weighted scores, in proportion to its squared weight."""
        moments = self.moments
        return 1.0 + float(moments.own - moments.other + 2 * (moments.others - moments.own_other))

    @property
    def crossed(self) -> float:
        """The number e."""
        return float(self.moments.own_other - self.moments.others)

    @property
    def diagonal(self) -> Floats:
        """The numbers d, shape (rows, m)."""
        found: Floats = float(self.base) + float(self.slope) * self.shares
        return found

    @cached_property
    def precisions(self) -> Floats:
        """The numbers 1/d, shape (rows, m)."""
        return 1 / self.diagonal

    @property
    def leans(self) -> Floats:
        """The vectors h, shape (rows, m)."""
        found: Floats = self._moved * self.precisions
        return found

    @cached_property
    def corrections(self) -> Floats:
        """The numbers g, shape (rows,)."""
        found: Floats = self._excess / (1 + self._excess * (self._moved * self.leans).sum(axis=1))
        return found

    @property
    def _moved(self) -> Floats:
        return self.shares - 1 / self.cells

    @property
    def _excess(self) -> float:
        """The number a."""
        return float(self.slope**2 / (self.cells * self.base + self.slope) - 1)

    def weighed(self, values: Floats) -> Floats:
        """Return G times values of the cells, shape (rows, m)."""
        leans = self.leans
        projected = self.corrections * (leans * values).sum(axis=1)
        leans *= projected[:, None]
        found: Floats = self.precisions * values
        found -= leans
        return found

    @cached_property
    def least_information(self) -> float:
        """A lower bound of the smallest eigenvalue of G."""
        pulls = np.maximum(self.corrections, 0.0) * (self.leans**2).sum(axis=1)
        return float((self.precisions.min(axis=1) - pulls).min())

    @property
    def greatest_variance(self) -> float:
        """An upper bound of the largest eigenvalue of Sigma in any row."""
        return float((self.diagonal.max(axis=1) + max(self._excess, 0.0) * (self._moved**2).sum(axis=1)).max())

    @property
    def greatest_lean(self) -> float:
        """A bound of the part that the vectors h take of `x'G x` in any row."""
        bounds = np.abs(self.corrections) * (self.leans**2).sum(axis=1) * self.diagonal.max(axis=1)
        return float(bounds.max())

    @property
    def greatest_excess(self) -> float:
        """A bound of what a user's cell changes of the mean square of `w'(y - c)`, w = G v, as a part of it.

        It is `(|own| + 4 (|e| sqrt(m) + 1)) |w|^2` at most, and `|w|^2` is at most the largest eigenvalue of G times
        the mean square.
        """
        eigenvalues = self.precisions.max(axis=1) + np.maximum(-self.corrections, 0.0) * (self.leans**2).sum(axis=1)
        own = abs(self.own) + 4 * (abs(self.crossed) * math.sqrt(self.cells) + 1)
        return own * float(eigenvalues.max())

    def covariance(self, weights: Floats, heard: Floats) -> Floats:
        """Compute how `sum_j w_j (y_j - c_j)` of several w vary together, added up over the rows.

        Args:
            weights: w of each query for each row, shape (q, rows, m).
            heard: how often each cell is a user's own, shape (rows, m).

        Returns:
            The sum of the mean products about 0, shape (q, q).
        """
        found = np.zeros((len(weights),) * 2)
        for row, shares in enumerate(self.shares):
            of_row, of_cells = weights[:, row], heard[row]
            total, sums, means = of_cells.sum(), of_row.sum(axis=1), of_row @ shares
            both = np.outer(self.crossed * sums - means, of_row @ of_cells)
            found += total * (float(self.base) * of_row @ of_row.T + self.others * np.outer(sums, sums))
            found += self.own * (of_row * of_cells) @ of_row.T + total * np.outer(means, means) + both + both.T
        return found
