"""Sampled rows, whose first and second moments are those of the relaxation."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from mechdesign.methods.row_designs.programme import Bits
from mechdesign.methods.row_designs.relaxation import RelaxedPoint
from mechdesign.workloads.queries import Floats, Integers

Chosen = NDArray[np.bool_]

ROUNDS = 16
ROWS_A_ROUND = 8000
FIRST_STEP = 0.7
SMALLEST_EIGENVALUE = 1e-4
NEAR = 8
"""Entries on each side of a row's threshold that may be flipped."""

MOST_MOVES = 6
LEAST_MOVE = 1e-3
"""A flip must take this part off a row's slack."""


@dataclass(frozen=True, eq=False)
class RowSampler:
    """A sampler of rows: a Gaussian vector's entries below thresholds that move together.

    Rows are drawn one by one.

    At the optimum of the relaxation every row has `g'r = nu` (else it loses what completing the square gave away), so
    that a row's entries are E for those items whose Gaussian entries less their thresholds are lowest, up to where
    `g'r` is nearest to nu.

    Attributes:
        thresholds: shape (K,).
        root: a root of the Gaussian's covariance, whose diagonal is 1; K x K.
        weights: g / nu, shape (K,).
        slack: S, with `r'S r = (p'r)(y'r) - r'M r`, which is at least 0 for rows, and 0 for those of an optimum; K x K.
        step: E - 1.
    """

    thresholds: Floats
    root: Floats
    weights: Floats
    slack: Floats
    step: float

    @classmethod
    def fitted(cls, bound: RelaxedPoint, generator: np.random.Generator) -> "RowSampler":
        """Fit thresholds and covariance until samples have the moments of a relaxed solution, by simulation."""
        shares = np.clip(bound.shares, 1e-6, 1 - 1e-6)
        target = bound.together - np.outer(shares, shares)
        target[np.diag_indices(len(shares))] = shares * (1 - shares)
        deviations = np.sqrt(target.diagonal())
        weights = np.maximum(bound.slope, 0) / bound.level
        programme, prices = bound.relaxation.programme, bound.dual.prices
        slack = (np.outer(programme.prior, prices) + np.outer(prices, programme.prior)) / 2 - bound.dual.form
        step = programme.entry - 1
        thresholds = ndtri(shares)
        covariance = target / np.outer(deviations, deviations)
        densities = np.exp(-(thresholds**2) / 2) / np.sqrt(2 * np.pi)
        for number in range(ROUNDS):
            root = _root(covariance)
            sampler = cls(thresholds, root, weights, slack, step)
            chosen = _placed(*sampler._ordered(ROWS_A_ROUND, generator)).astype(np.float64)
            means, products = _symmetric(chosen, programme.own_symmetries)
            length = FIRST_STEP / (1 + number / 5)
            thresholds = thresholds + length * (shares - means) / densities
            lacks = target - products + np.outer(means, means)
            np.fill_diagonal(lacks, 0)
            covariance = root @ root.T + length * lacks / np.outer(densities, densities)
        return cls(thresholds, _root(covariance), weights, slack, step)

    def draw(self, count: int, generator: np.random.Generator) -> Bits:
        """Draw rows, and move half of them to less slack by flips near their thresholds, one or two at a time."""
        order, last = self._ordered(count, generator)
        plain = _placed(order, last).astype(np.uint8)
        half = count // 2
        rows, order, last = plain[half:], order[half:], last[half:]
        width = min(2 * NEAR, len(self.thresholds))
        begins = np.clip(last - width // 2 + 1, 0, len(self.thresholds) - width)
        items = np.take_along_axis(order, begins[:, None] + np.arange(width), axis=1)
        for _ in range(MOST_MOVES):
            if not self._moved(rows, items):
                break
        return plain

    def _moved(self, rows: Bits, items: Integers) -> bool:
        """Flip in each row the item, or the two, that lessen its slack `r'S r` most; return whether any was flipped."""
        count, width = items.shape
        first, second = np.triu_indices(width)
        r = 1 + self.step * rows
        slack = r @ self.slack
        moves = np.take_along_axis(self.step * (1.0 - 2.0 * rows), items, axis=1)
        own = 2 * moves * np.take_along_axis(slack, items, axis=1) + moves**2 * self.slack.diagonal()[items]
        together = 2 * moves[:, first] * moves[:, second] * self.slack[items[:, first], items[:, second]]
        alone = first == second
        changes = own[:, first] + np.where(alone, 0.0, own[:, second] + together)
        best = changes.argmin(axis=1)
        better = np.flatnonzero(changes[np.arange(count), best] < -LEAST_MOVE * (slack * r).sum(axis=1))
        rows[better, items[better, first[best[better]]]] ^= 1
        pairs = better[~alone[best[better]]]
        rows[pairs, items[pairs, second[best[pairs]]]] ^= 1
        return bool(len(better))

    def _ordered(self, count: int, generator: np.random.Generator) -> tuple[Integers, Integers]:
        """Return items in the order in which entries become E, and the place of the last one that does, by row."""
        normal = generator.standard_normal((count, len(self.thresholds))) @ self.root.T
        order = np.argsort(normal - self.thresholds, axis=1)
        sums = np.cumsum(self.step * self.weights[order], axis=1) + self.weights.sum()
        return order, np.abs(sums - 1).argmin(axis=1)


def _placed(order: Integers, last: Integers) -> Chosen:
    chosen = np.arange(order.shape[1]) <= last[:, None]
    placed: Chosen = np.zeros_like(chosen)
    np.put_along_axis(placed, order, chosen, axis=1)
    return placed


def _symmetric(chosen: Floats, symmetries: tuple[NDArray[np.int64], ...]) -> tuple[Floats, Floats]:
    """Return means, and means of products, over rows and their images."""
    means, products = chosen.mean(axis=0), chosen.T @ chosen / len(chosen)
    images = np.stack(symmetries)
    return means[images].mean(axis=0), products[images[:, :, None], images[:, None, :]].mean(axis=0)


def _root(covariance: Floats) -> Floats:
    """Return a root of the nearest matrix, about, that is positive definite and has a diagonal of ones."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, SMALLEST_EIGENVALUE))
    scaled: Floats = root / np.sqrt((root**2).sum(axis=1))[:, None]
    return scaled
