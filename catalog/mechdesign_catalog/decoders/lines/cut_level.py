"""Cut levels: shares of the cells of partitions, with nearly independent errors."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from mechdesign.errors import InputError
from mechdesign.workloads.queries import Floats, Integers, running_sums
from mechdesign_catalog.decoders.lines.cut_form import CutForm
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

    def form(self, with_leans: bool = True) -> CutForm:
        """Return the mean of `x'S G S'x` over the partitions, as a form in the running sums of x.

        Without leans G is `diag(1/d)`, which is nearly the same in fine levels (`greatest_lean`).
        """
        if not with_leans:
            return CutForm.of(self.edges, self.precisions / self.shifts)
        return CutForm.of(self.edges, self.precisions / self.shifts, [self.leans], -self.corrections / self.shifts)

    @property
    def greatest_lean(self) -> float:
        """A bound of the part that the vectors h take of `x'S G S'x` in any partition."""
        bounds = np.abs(self.corrections) * (self.leans**2).sum(axis=1) * self._diagonal.max(axis=1)
        return float(bounds.max())

    @property
    def greatest_excess(self) -> float:
        """A bound of what a user's item changes of the mean square of `z'S G (y - c)`, as a part of it.

        In the notation of `excess` it is `(|o| + 4 (|e| sqrt(m) + 1)) |w|^2` at most, and `|w|^2` is at most the
        largest eigenvalue of G times the mean square.
        """
        eigenvalues = self.precisions.max(axis=1) + np.maximum(-self.corrections, 0.0) * (self.leans**2).sum(axis=1)
        own = abs(1.0 + self._own_noise) + 4 * (abs(self._crossed) * math.sqrt(self.cells) + 1)
        return own * float(eigenvalues.max())

    def excess(self, shares: Floats, with_leans: bool) -> CutForm:
        """Return by how much the mean square of `z'S G (y - c)` is larger at other shares of the cells.

        With `w = G v`, v the sums of z over the cells, and D the shares less c, it is the mean over the partitions of

            o sum_j D_j w_j^2 + 2 (e w'1 - w'c) w'D,    o = own - other + 2 (others - own_other) + 1.

        Args:
            shares: of the cells, shape (S, m).
            with_leans: whether w has its part along h, and the second term is added up: both are small in fine levels.
        """
        own, excess = 1.0 + self._own_noise, shares - self.shares
        weights = own * excess * self.precisions**2 / self.shifts
        if not with_leans:
            return CutForm.of(self.edges, weights)
        crossed = self.weighed(self._crossed - self.shares)
        told = self.weighed(excess)
        pulls = (excess * self.leans**2).sum(axis=1)
        pull = self.corrections[:, None] * (
            (self.corrections * pulls)[:, None] * self.leans - 2 * excess * self.leans * self.precisions
        )
        pull *= own
        functions = [crossed + told, crossed - told, self.leans + pull, self.leans - pull]
        factors = np.repeat([0.5, -0.5, 0.25, -0.25], self.shifts) / self.shifts
        return CutForm.of(self.edges, weights, functions, factors)

    @property
    def _own_noise(self) -> float:
        moments = self.moments
        return float(moments.own - moments.other + 2 * (moments.others - moments.own_other))

    @property
    def _crossed(self) -> float:
        """The number e."""
        return float(self.moments.own_other - self.moments.others)

    def covariance(self, weights: Floats, shares: Floats) -> Floats:
        """Compute how `sum_j w_j (y_j - c_j)` of several w vary together, where the cells have these shares.

        Args:
            weights: w of each query for each partition, shape (q, S, m).
            shares: the shares of the cells, shape (S, m).

        Returns:
            The mean over the partitions of the products about 0, shape (q, q).
        """
        moments = self.moments
        found = np.zeros((len(weights),) * 2)
        for row in range(self.shifts):
            of_row, of_cells = weights[:, row], shares[row]
            total, sums, means = of_cells.sum(), of_row.sum(axis=1), of_row @ self.shares[row]
            answers = of_row @ of_cells
            found += float(self.base) * of_row @ of_row.T + float(moments.others) * total * np.outer(sums, sums)
            found += (self._own_noise + 1) * (of_row * of_cells) @ of_row.T + total * np.outer(means, means)
            both = np.outer(self._crossed * sums - means, answers)
            found += both + both.T
        return found / self.shifts
