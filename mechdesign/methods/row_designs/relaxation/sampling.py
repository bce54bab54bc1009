"""Draw rows whose first and second moments are those of the relaxation."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from mechdesign.methods.row_designs.programme import Bits
from mechdesign.methods.row_designs.relaxation.bound import RelaxedBound
from mechdesign.workloads.queries import Floats

Chosen = NDArray[np.bool_]

ROUNDS = 16
ROWS_A_ROUND = 8000
FIRST_STEP = 0.7
SMALLEST_EIGENVALUE = 1e-4
NEAR = 5
"""Entries on each side of a row's threshold that may be exchanged."""


@dataclass(frozen=True, eq=False)
class RowSampler:
    """Draw rows by a Gaussian vector's entries below thresholds that move together, row by row.

    At the optimum of the relaxation every row has `g'r = nu` (else it loses what completing the square gave away), so
    that a row's entries are E for those items whose Gaussian entries less their thresholds are lowest, up to where
    `g'r` is nearest to nu.

    Attributes:
        thresholds: shape (K,).
        root: a root of the Gaussian's covariance, whose diagonal is 1; K x K.
        weights: g / nu, shape (K,).
        step: E - 1.
    """

    thresholds: Floats
    root: Floats
    weights: Floats
    step: float

    @classmethod
    def fitted(cls, bound: RelaxedBound, generator: np.random.Generator) -> "RowSampler":
        """Fit thresholds and covariance until samples have the moments of a relaxed solution, by simulation."""
        shares = np.clip(bound.shares, 1e-6, 1 - 1e-6)
        target = bound.together - np.outer(shares, shares)
        target[np.diag_indices(len(shares))] = shares * (1 - shares)
        deviations = np.sqrt(target.diagonal())
        weights = np.maximum(bound.place.slope, 0) / bound.place.level
        step = bound.programme.entry - 1
        thresholds = ndtri(shares)
        covariance = target / np.outer(deviations, deviations)
        densities = np.exp(-(thresholds**2) / 2) / np.sqrt(2 * np.pi)
        for number in range(ROUNDS):
            root = _root(covariance)
            chosen = cls(thresholds, root, weights, step)._thresholded(ROWS_A_ROUND, generator).astype(np.float64)
            means, products = _symmetric(chosen, bound.programme.own_symmetries)
            length = FIRST_STEP / (1 + number / 5)
            thresholds = thresholds + length * (shares - means) / densities
            lacks = target - products + np.outer(means, means)
            np.fill_diagonal(lacks, 0)
            covariance = root @ root.T + length * lacks / np.outer(densities, densities)
        return cls(thresholds, _root(covariance), weights, step)

    def draw(self, count: int, generator: np.random.Generator) -> Bits:
        """Draw rows; each is moved to the nearest `g'r` by the best exchange of two entries near its threshold."""
        return self._thresholded(count, generator, NEAR).astype(np.uint8)

    def _thresholded(self, count: int, generator: np.random.Generator, near: int = 0) -> Chosen:
        size = len(self.thresholds)
        order = np.argsort(generator.standard_normal((count, size)) @ self.root.T - self.thresholds, axis=1)
        moved = self.step * self.weights[order]
        sums = np.cumsum(moved, axis=1) + self.weights.sum()
        last = np.abs(sums - 1).argmin(axis=1)
        rows = np.arange(count)
        chosen = np.arange(size) <= last[:, None]
        if near:
            lacks = 1 - sums[rows, last]
            inside = np.clip(last[:, None] - np.arange(near), 0, None)
            outside = np.clip(last[:, None] + 1 + np.arange(near), None, size - 1)
            change = moved[rows[:, None], outside][:, None, :] - moved[rows[:, None], inside][:, :, None]
            errors = np.abs(change - lacks[:, None, None]).reshape(count, -1)
            best = errors.argmin(axis=1)
            better = (errors[rows, best] < np.abs(lacks)) & (last >= near) & (last < size - near)
            chosen[rows[better], inside[rows, best // near][better]] = False
            chosen[rows[better], outside[rows, best % near][better]] = True
        placed: Chosen = np.zeros_like(chosen)
        placed[rows[:, None], order] = chosen
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
