"""Nested levels: a cell by randomized response, and a set of the labels inside it."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from mechdesign.workloads.queries import Floats, Integers
from mechdesign_catalog.decoders.lines.cut_form import CutForm, CutTerm, Function
from mechdesign_catalog.decoders.lines.cut_level import CutLevel, Partitions
from mechdesign_catalog.decoders.lines.score_law import ScoreLaw
from mechdesign_catalog.randomizers.facts.moments import Moments


@dataclass(frozen=True, eq=False)
class NestedLevel(Partitions):
    """Partitions into n wide cells of L labels each, which are the cells here; each label has an interval of items.

    A report names the wide cell r, the own one `E = 1 + (1/alpha - 1) share` times as likely as each other one. If it
    is the own one, an oracle reports the own label, else a label that is drawn at random. So r has the chance
    `P_r = (1 + (E - 1) C_r) / Z`, `Z = n - 1 + E`, where the wide cells have the shares C, and given r the labels that
    the oracle hears have the shares

        b = (E c + (1 - C_r)/L) / (Z P_r).

    What r tells and what the labels tell beyond it do not vary together where items are equally frequent. For sums x of
    values over the labels, X over the wide cells, the information is that of the wide cells (`CutLevel`), and

        sum_r P_r v'G_r v,    v = (E x - X_r f) / (Z P_r),    f = 1/L + (E - 1) b,

    G_r the inverse of the covariance of the oracle's scores at the shares b (`ScoreLaw`).

    Args:
        edges: where labels begin, those of a wide cell one after the other, and k; shape (S, n L + 1).
        alpha: the least ratio of chances of a report, over items.
        share: the part of the labels of a wide cell that a set has.
        wide: moments of the scores of the wide cells.
        inside: moments of the oracle's scores.
        labels: L.
    """

    edges: Integers
    alpha: Fraction
    share: Fraction
    wide: Moments
    inside: Moments
    labels: int

    @property
    def of_wide(self) -> CutLevel:
        """The partitions into wide cells."""
        return self._wide

    @cached_property
    def _wide(self) -> CutLevel:
        return CutLevel(np.ascontiguousarray(self.edges[:, :: self.labels]), self.wide)

    @property
    def _rows(self) -> int:
        """Number of wide cells of all partitions."""
        return self.shifts * self._wide.cells

    @cached_property
    def _edges(self) -> Integers:
        """Edges of the labels of each wide cell, shape (rows, L + 1)."""
        found = np.empty((self._rows, self.labels + 1), dtype=np.int64)
        found[:, :-1] = self.edges[:, :-1].reshape(self._rows, self.labels)
        found[:, -1] = self.edges[:, self.labels :: self.labels].ravel()
        return found

    @property
    def _odds(self) -> float:
        """The number E."""
        return float(1 + (1 / self.alpha - 1) * self.share)

    @property
    def _all_odds(self) -> float:
        """The number Z."""
        return self._odds + self._wide.cells - 1

    @cached_property
    def _chances(self) -> Floats:
        """The chances P, shape (rows,)."""
        found: Floats = (1 + (self._odds - 1) * self._wide.shares.ravel()) / self._all_odds
        return found

    def heard(self, shares: Floats) -> Floats:
        """Return how often the wide cell is named and the oracle hears the label, where labels have these shares.

        Args:
            shares: shape (S, n L); those of a partition add up to 1.

        Returns:
            The chances, shape (rows, L).
        """
        own = shares.reshape(self._rows, self.labels)
        found: Floats = (self._odds * own + (1 - own.sum(axis=1, keepdims=True)) / self.labels) / self._all_odds
        return found

    @cached_property
    def law(self) -> ScoreLaw:
        """The law of the oracle's scores, a row for each wide cell of each partition."""
        return ScoreLaw(self.heard(self.shares) / self._chances[:, None], self.inside)

    @cached_property
    def _pulls(self) -> Floats:
        """The numbers f, shape (rows, L)."""
        found: Floats = 1 / self.labels + (self._odds - 1) * self.law.shares
        return found

    @cached_property
    def _scales(self) -> Floats:
        """The numbers `1/(Z P_r)`, shape (rows,)."""
        return 1 / (self._all_odds * self._chances)

    def weighed(self, values: Floats) -> Floats:
        """Return G times values of the labels, shape (S, n L)."""
        rows = values.reshape(self._rows, self.labels)
        sums = rows.sum(axis=1, keepdims=True)
        inner = self.law.weighed(self._scales[:, None] * (self._odds * rows - sums * self._pulls))
        own = (self._odds * inner - (self._pulls * inner).sum(axis=1, keepdims=True)) / self._all_odds
        own += self._wide.weighed(sums.reshape(self.shifts, -1)).reshape(-1, 1)
        return np.asarray(own.reshape(self.shifts, -1))

    @property
    def least_information(self) -> float:
        """A lower bound of the smallest eigenvalue of G: the variance of unit weights on the labels is not above this.

        The score of a label is that of its wide cell over L, and `Z/E` times the oracle's less 1/L where that cell is
        named. The deviations of both given the named cell are at most `a` and `b`, what the oracle adds is at most c.
        """
        scale = self._all_odds / self._odds
        moved = np.sqrt(self._chances) * np.linalg.norm(self.law.shares - 1 / self.labels, axis=1)
        named = math.sqrt(self._wide.law.greatest_variance / self.labels) + scale * float(moved.max())
        inside = scale**2 * float(self._chances.max()) * self.law.greatest_variance
        return 1 / (named**2 + inside)

    @property
    def greatest_lean(self) -> float:
        """A bound of the part of `x'S G S'x` that a form without leans leaves out, in any partition."""
        return max(self.law.greatest_lean, self._wide.greatest_lean)

    @property
    def greatest_excess(self) -> float:
        """A bound of what a user's item changes of the mean square of `z'S G (y - c)`, as a part of it.

        No report is more than `1/alpha` times as likely as it is where items are equally frequent.
        """
        return float(1 / self.alpha - 1)

    @property
    def _sum(self) -> Function:
        return self._edges, np.ones((self._rows, self.labels))

    def terms(self, with_leans: bool) -> list[CutTerm]:
        """Return the mean of `x'S G S'x` over the partitions: that of the wide cells, and that of the labels.

        Its functions are X, `sum_j x_j f_j / d_j`, and with leans `h'x`.
        """
        law, odds, ratios = self.law, self._odds, self._pulls * self.law.precisions
        weights = self._chances * self._scales**2 / self.shifts
        both, squares = -odds * weights, weights * (self._pulls * ratios).sum(axis=1)
        functions, products = [self._sum, (self._edges, ratios)], np.array([[squares, both], [both, 0 * both]])
        if with_leans:
            functions.append((self._edges, law.leans))
            along = np.array([-(law.leans * self._pulls).sum(axis=1), 0 * both, odds + 0 * both])
            pulled = -weights * law.corrections * along[:, None] * along
            pulled[:2, :2] += products
            products = pulled
        squares_of_labels = (weights * odds**2)[:, None] * law.precisions
        own = CutTerm(self.k, self._edges, squares_of_labels, functions, products)
        return [*self._wide.terms(with_leans), own]

    def excess(self, shares: Floats, with_leans: bool) -> CutForm:
        """Return by how much the mean square of `z'S G (y - c)` is larger where the labels have other shares, (S, n L).

        Given the cell r that is named, z'S G (y - c) is `u_r + w'(y - b)`, y the oracle's scores, w = G_r v, u what r
        tells. With D what is heard more, T its sum, the mean square is larger by the sum over the wide cells of

            T (u^2 + base w'w + others (w'1)^2 + (w'b)^2) + own sum_j D_j w_j^2
            + 2 u (w'D - T w'b) + 2 (e w'1 - w'b) w'D.

        Without leans w has no part along h.
        """
        law, scales, odds, pulls = self.law, self._scales, self._odds, self._pulls
        more = self.heard(shares) - self.heard(self.shares)
        total = more.sum(axis=1)
        weights = law.own * more + float(law.base) * total[:, None]
        corrections = law.corrections if with_leans else np.zeros(self._rows)
        inverse = law.precisions
        lists = [
            inverse,
            law.shares * inverse,
            more * inverse,
            weights * pulls * inverse**2,
            weights * law.leans * inverse,
        ]
        functions = [self._sum, *((self._edges, one) for one in lists), self._named]
        whole, plain, shared, heard, weighed, leant, named = np.eye(7)[:, :, None] * np.ones(self._rows)

        def dot(one: Floats, other: Floats) -> Floats:
            found: Floats = (one * other).sum(axis=1)
            return found

        along = shared - plain / self.labels  # h'x
        lean = scales * (odds * along - dot(law.leans, pulls) * whole)  # h'v
        sums = scales * (odds * plain - dot(pulls, inverse) * whole) - corrections * law.leans.sum(axis=1) * lean
        means = scales * (odds * shared - dot(pulls * inverse, law.shares) * whole)
        means -= corrections * dot(law.leans, law.shares) * lean
        told = scales * (odds * heard - dot(pulls * inverse, more) * whole) - corrections * dot(law.leans, more) * lean
        products = total * (_both(named, named) + law.others * _both(sums, sums) + _both(means, means))
        products += 2 * _both(named, told - total * means) + 2 * _both(law.crossed * sums - means, told)
        products += scales**2 * (
            dot(weights * pulls**2, inverse**2) * _both(whole, whole) - 2 * odds * _both(whole, weighed)
        )
        crossed = odds * leant - dot(weights * pulls, law.leans * inverse) * whole
        products -= 2 * corrections * scales * _both(lean, crossed)
        products += corrections**2 * dot(weights, law.leans**2) * _both(lean, lean)
        squares = (scales * odds)[:, None] ** 2 * weights * inverse**2
        return CutForm.of(CutTerm(self.k, self._edges, squares / self.shifts, functions, products / self.shifts))

    @property
    def _named(self) -> Function:
        """What the named cell tells, u: of the sums over all wide cells of its partition, a row for each wide cell."""
        wide, odds, cells = self._wide, self._odds, self._wide.cells
        scores = (self._all_odds * np.eye(cells) - 1) / (odds - 1) - wide.shares[:, None, :]  # shift, named, cell
        law = wide.law
        leant = law.corrections[:, None] * (scores @ law.leans[:, :, None])[:, :, 0]
        weights = scores * law.precisions[:, None, :] - leant[:, :, None] * law.leans[:, None, :]
        return np.repeat(wide.edges, cells, axis=0), weights.reshape(self._rows, cells)

    def covariance(self, weights: Floats, shares: Floats) -> Floats:
        """Compute how `sum_j w_j (y_j - c_j)` of several w vary together, where the labels have these shares."""
        cells, size, scale = self._wide.cells, self.labels, self._all_odds / self._odds
        rows = weights.reshape(len(weights), self._rows, size)
        sums = rows.sum(axis=2).reshape(len(weights), self.shifts, cells)
        every = (self._all_odds * sums - sums.sum(axis=2, keepdims=True)) / ((self._odds - 1) * size)
        known = (weights * self.shares).sum(axis=2, keepdims=True)
        inside = scale * (rows * (self.law.shares - 1 / size)).sum(axis=2)
        named = (every - known).reshape(len(weights), -1) + inside  # u of each query and wide cell
        heard = self.heard(shares)
        total = heard.sum(axis=1)
        inner = scale * rows
        told = (inner * heard).sum(axis=2) - total * (inner * self.law.shares).sum(axis=2)
        both = named @ told.T
        found = self.law.covariance(inner, heard) + (total * named) @ named.T + both + both.T
        return np.asarray(found / self.shifts)


def _both(one: Floats, other: Floats) -> Floats:
    """Return the symmetric products of two functions' coefficients in each row, shape (functions, functions, rows)."""
    products = one[:, None] * other[None]
    found: Floats = (products + products.swapaxes(0, 1)) / 2
    return found
