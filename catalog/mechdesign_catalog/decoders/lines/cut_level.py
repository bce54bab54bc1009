"""Cut levels: shares of the cells of partitions, with nearly independent errors."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.workloads.queries import Floats, Integers, running_sums
from mechdesign_catalog.decoders.lines.cut_form import CutForm, CutTerm, written
from mechdesign_catalog.decoders.lines.score_law import ScoreLaw
from mechdesign_catalog.randomizers.facts.moments import Moments


class Partitions(ABC):
    """S partitions of k items in a row into m cells each, equally likely, and what a report tells of the cells.

    Cells may be empty. A report scores each cell; the mean of its scores y are the shares c of the cells. With G an
    inverse of their covariance where items are equally frequent, on vectors that add up to 0, `S G S'` is the
    information of a report, S the cells of the items: no other linear function of the scores tells more there.
    """

    edges: Integers
    """Where cells begin, and k; shape (S, m + 1)."""

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

    @abstractmethod
    def weighed(self, values: Floats) -> Floats:
        """Return G times values of the cells, shape (S, m)."""

    @property
    @abstractmethod
    def least_information(self) -> float:
        """A lower bound of the smallest eigenvalue of G on vectors over the cells."""

    @property
    @abstractmethod
    def greatest_lean(self) -> float:
        """A bound of the part of `x'S G S'x` that a form without leans leaves out, in any partition."""

    @property
    @abstractmethod
    def greatest_excess(self) -> float:
        """A bound of what a user's item changes of the mean square of `z'S G (y - c)`, as a part of it."""

    @abstractmethod
    def terms(self, with_leans: bool) -> list[CutTerm]:
        """Return the mean of `x'S G S'x` over the partitions, as a sum of forms in the running sums of x."""

    def form(self, with_leans: bool = True) -> CutForm:
        """Return that sum as one form."""
        forms = [CutForm.of(term) for term in self.terms(with_leans)]
        return CutForm.pooled(forms, [1.0] * len(forms))

    def matrix(self, with_leans: bool = True) -> Floats:
        """Return the matrix of that form, shape (k - 1, k - 1)."""
        terms = self.terms(with_leans)
        return written(terms, [1.0] * len(terms))

    @abstractmethod
    def excess(self, shares: Floats, with_leans: bool) -> CutForm:
        """Return by how much the mean square of `z'S G (y - c)` is larger where the cells have other shares, (S, m)."""

    @abstractmethod
    def covariance(self, weights: Floats, shares: Floats) -> Floats:
        """Compute how `sum_j w_j (y_j - c_j)` of several w vary together, where the cells have these shares.

        Args:
            weights: w of each query for each partition, shape (q, S, m).
            shares: the shares of the cells, shape (S, m).

        Returns:
            The mean over the partitions of the products about 0, shape (q, q).
        """


@dataclass(frozen=True, eq=False)
class CutLevel(Partitions):
    """Partitions with an oracle that reports the own cell (`ScoreLaw`).

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
        _ = self.law

    @cached_property
    def law(self) -> ScoreLaw:
        """The law of the scores, a row for each partition."""
        return ScoreLaw(self.shares, self.moments)

    def weighed(self, values: Floats) -> Floats:
        """Return G times values of the cells, shape (S, m)."""
        return self.law.weighed(values)

    @property
    def least_information(self) -> float:
        """A lower bound of the smallest eigenvalue of G on vectors over the cells."""
        return self.law.least_information

    @property
    def greatest_lean(self) -> float:
        """A bound of the part that the vectors h take of `x'S G S'x` in any partition."""
        return self.law.greatest_lean

    @property
    def greatest_excess(self) -> float:
        """A bound of what a user's item changes of the mean square of `z'S G (y - c)`, as a part of it."""
        return self.law.greatest_excess

    def terms(self, with_leans: bool) -> list[CutTerm]:
        """Return the mean of `x'S G S'x` over the partitions, as one form in the running sums of x.

        Without leans G is `diag(1/d)`, which is nearly the same in fine levels (`greatest_lean`).
        """
        law, weights = self.law, self.law.precisions / self.shifts
        if not with_leans:
            return [CutTerm(self.k, self.edges, weights)]
        corrections = -law.corrections[None, None] / self.shifts
        return [CutTerm(self.k, self.edges, weights, [(self.edges, law.leans)], corrections)]

    def excess(self, shares: Floats, with_leans: bool) -> CutForm:
        """Return by how much the mean square of `z'S G (y - c)` is larger at other shares of the cells.

        With `w = G v`, v the sums of z over the cells, and D the shares less c, it is the mean over the partitions of

            own sum_j D_j w_j^2 + 2 (e w'1 - w'c) w'D.

        Args:
            shares: of the cells, shape (S, m).
            with_leans: whether w has its part along h, and the second term is added up: both are small in fine levels.
        """
        law, excess = self.law, shares - self.shares
        weights = law.own * excess * law.precisions**2 / self.shifts
        if not with_leans:
            return CutForm.of(CutTerm(self.k, self.edges, weights))
        pulls = (excess * law.leans**2).sum(axis=1)
        pull = law.corrections[:, None] * (
            (law.corrections * pulls)[:, None] * law.leans - 2 * excess * law.leans * law.precisions
        )
        functions = [law.weighed(law.crossed - self.shares), law.weighed(excess), law.leans, law.own * pull]
        factors = np.array([[0, 2, 0, 0], [2, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]) / (2 * self.shifts)
        products = np.repeat(factors[:, :, None], self.shifts, axis=2)
        return CutForm.of(CutTerm(self.k, self.edges, weights, [(self.edges, one) for one in functions], products))

    def covariance(self, weights: Floats, shares: Floats) -> Floats:
        """Compute how `sum_j w_j (y_j - c_j)` of several w vary together, where the cells have these shares."""
        return self.law.covariance(weights, shares) / self.shifts
