"""What the reports of one level tell: shares of the cells of partitions, with errors that are nearly independent."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from mechdesign.errors import InputError
from mechdesign.workloads.queries import Floats, Integers, running_sums
from mechdesign_catalog.randomizers.facts.moments import Moments


@dataclass(frozen=True, eq=False)
class CutLevel:
    """S partitions of k items into m cells each, equally likely, and the moments of the oracle that reports the cell.

    Cells may be empty. A report gives scores y, which add up to 1; with the items equally frequent their mean is c, the
    shares of the cells, and with `e = own_other - others` their covariance is

        Sigma = diag(d) + others 11' + e (c1' + 1c') - cc',    d = base + slope c,

    `base = other - others`, `slope = own - other + 1 - 2 e`. Since `Sigma 1 = 0`, it is
    `diag(d) - dd' / sum d + a vv'` with `v = c - 1/m` and `a = slope^2 / sum d - 1`. So

        G = diag(1/d) - g hh',    h = v / d,    g = a / (1 + a v'h)

    is an inverse of it on vectors that add up to 0. `S G S'`, S the cells of the items, is the information of a report:
    no other linear function of the scores tells more where items are equally frequent.

    Args:
        edges: where cells begin, and k; shape (S, m + 1).
        moments: of the oracle's scores.

    Raises:
        InputError: for an oracle whose scores do not always add up to 1.
    """

    edges: Integers
    moments: Moments

    def __post_init__(self) -> None:
        """Check the scores."""
        if self.moments.of_total(self.cells) != 0:
            raise InputError("scores must add up to 1 in each report, got those of an oracle whose total varies")

    @property
    def k(self) -> int:
        """Number of items."""
        return int(self.edges[0, -1])

    @property
    def shifts(self) -> int:
        """S, the number of partitions."""
        return len(self.edges)

    @property
    def cells(self) -> int:
        """m, the number of cells of each."""
        return int(self.edges.shape[1]) - 1

    @cached_property
    def shares(self) -> Floats:
        """Shares c of the cells where items are equally frequent, shape (S, m)."""
        return np.diff(self.edges, axis=1) / self.k

    @property
    def base(self) -> Fraction:
        """What d is for an empty cell."""
        return self.moments.other - self.moments.others

    @property
    def slope(self) -> Fraction:
        """How much d grows with the share of the cell."""
        moments = self.moments
        return moments.own - moments.other + 1 - 2 * (moments.own_other - moments.others)

    @cached_property
    def _diagonal(self) -> Floats:
        """The numbers d, shape (S, m)."""
        found: Floats = float(self.base) + float(self.slope) * self.shares
        return found

    @cached_property
    def leans(self) -> Floats:
        """The vectors h, shape (S, m)."""
        found: Floats = (self.shares - 1 / self.cells) / self._diagonal
        return found

    @cached_property
    def corrections(self) -> Floats:
        """The numbers g, shape (S,)."""
        excess = float(self.slope**2 / (self.cells * self.base + self.slope) - 1)
        found: Floats = excess / (1 + excess * ((self.shares - 1 / self.cells) * self.leans).sum(axis=1))
        return found

    @cached_property
    def precisions(self) -> Floats:
        """The numbers 1/d, shape (S, m)."""
        return 1 / self._diagonal

    @cached_property
    def least_information(self) -> float:
        """A lower bound of the smallest eigenvalue of G on vectors over the cells."""
        pulls = np.maximum(self.corrections, 0.0) * (self.leans**2).sum(axis=1)
        return float((self.precisions.min(axis=1) - pulls).min())

    def weighed(self, values: Floats) -> Floats:
        """Return G times values of the cells, shape (S, m)."""
        projected = self.corrections * (self.leans * values).sum(axis=1)
        found: Floats = self.precisions * values - projected[:, None] * self.leans
        return found

    def of_cells(self, values: Floats) -> Floats:
        """Add up values of the items over each cell, shape (S, m)."""
        found: Floats = np.diff(running_sums(values)[self.edges], axis=1)
        return found

    def at_items(self, values: Floats) -> Floats:
        """Give each item the values of its cells, shape (S, m), added up over the partitions; shape (k,)."""
        steps = np.diff(values, axis=1, prepend=0.0, append=0.0)
        found: Floats = np.cumsum(np.bincount(self.edges.ravel(), weights=steps.ravel(), minlength=self.k + 1))
        return found[: self.k]

    def times(self, values: Floats) -> Floats:
        """Return the mean of `S G S' x` over the partitions, for values x of the items."""
        return self.at_items(self.weighed(self.of_cells(values))) / self.shifts

    def matrix(self) -> Floats:
        """Write the mean of `S G S'` down, shape (k, k)."""
        k = self.k
        corners = np.zeros((k + 1, k + 1))
        leans = np.empty((self.shifts, k))
        for row, (edges, precisions) in enumerate(zip(self.edges, self.precisions, strict=True)):
            sizes = np.diff(edges)
            own = np.flatnonzero(sizes)
            first, end, weights = edges[own], edges[own + 1], precisions[own] / self.shifts
            corners[first, first] += weights
            corners[end, end] += weights
            corners[first, end] -= weights
            corners[end, first] -= weights
            leans[row] = np.repeat(self.leans[row], sizes)
        blocks = np.cumsum(np.cumsum(corners, axis=0), axis=1)[:k, :k]
        found: Floats = blocks - (leans.T * (self.corrections / self.shifts)) @ leans
        return found

    def trace_with(self, matrix: Floats, sums: Floats) -> float:
        """Compute the trace of `S G S' M`, the mean over the partitions, from M and its running sums along both sides.

        Args:
            matrix: M, shape (k, k).
            sums: sums over the first rows and columns of M, shape (k + 1, k + 1).
        """
        found = 0.0
        leans = np.empty((self.shifts, self.k))
        for row, (edges, precisions) in enumerate(zip(self.edges, self.precisions, strict=True)):
            first, end = edges[:-1], edges[1:]
            inside = sums[end, end] - sums[first, end] - sums[end, first] + sums[first, first]
            found += float(precisions @ inside)
            leans[row] = np.repeat(self.leans[row], end - first)
        found -= float(self.corrections @ ((leans @ matrix) * leans).sum(axis=1))
        return found / self.shifts

    def covariance(self, weights: Floats, shares: Floats) -> Floats:
        """Compute how `sum_j w_j (y_j - c_j)` of several w vary together, where the cells have these shares.

        Args:
            weights: w of each query for each partition, shape (q, S, m).
            shares: the shares of the cells, shape (S, m).

        Returns:
            The mean over the partitions of the products about 0, shape (q, q).
        """
        moments = self.moments
        own = float(moments.own - moments.other + 2 * (moments.others - moments.own_other))
        crossed = float(moments.own_other - moments.others)
        found = np.zeros((len(weights),) * 2)
        for row in range(self.shifts):
            of_row, of_cells = weights[:, row], shares[row]
            total, sums, means = of_cells.sum(), of_row.sum(axis=1), of_row @ self.shares[row]
            answers = of_row @ of_cells
            found += float(self.base) * of_row @ of_row.T + float(moments.others) * total * np.outer(sums, sums)
            found += (own + 1) * (of_row * of_cells) @ of_row.T + total * np.outer(means, means)
            both = np.outer(crossed * sums - means, answers)
            found += both + both.T
        return found / self.shifts

    def user_variances(self, weights: Floats) -> Floats:
        """Compute for each item the mean square of `sum_j w_j (y_j - c_j)`, y the scores of a user who has it.

        Args:
            weights: w for each partition, shape (S, m).

        Returns:
            The mean over the partitions, shape (k,).
        """
        sums, squares = weights.sum(axis=1, keepdims=True), (weights**2).sum(axis=1, keepdims=True)
        means = (weights * self.shares).sum(axis=1, keepdims=True)
        noise = self.moments.noise(sums, squares, weights, weights**2)
        return self.at_items(noise + (weights - means) ** 2) / self.shifts
