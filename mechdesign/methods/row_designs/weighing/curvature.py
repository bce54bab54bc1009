"""Hold second derivatives of the programme over rows, and solve with them: for all rows, or for the entries of A."""

from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, qr, solve_triangular

from mechdesign.methods.row_designs.weighing.barrier import System, View
from mechdesign.workloads.queries import Floats

JITTER = 1e-14
"""What is added to a matrix of rank one less than its size, as a part of its largest entry."""


class Curvature(Protocol):
    """State what Newton's equations take of `H_rs = 2 (a_r'A^-1 a_s)(a_r'M a_s)`, averaged over the symmetries.

    It is scaled by a number for each row: `S = diag(scale) H diag(scale)`.
    """

    def times(self, columns: Floats) -> Floats:
        """Return `H X`."""

    def solved(self, columns: Floats) -> Floats:
        """Return `(1 + S)^-1 X`."""


def curvature_of(system: System, view: View, root: Floats, scale: Floats) -> Curvature:
    """Return whichever takes fewer steps: n^3 / 3 and 4 n^2 K for n rows, or 2 N^2 (n + K^2) for N entries of A."""
    rows, entries, size = len(scale), len(system.starts), len(system.basis)
    dense = rows**3 / 3 + 4 * rows**2 * size * len(view.shaped)
    if dense < 2 * entries**2 * (rows + size**2):
        return DenseCurvature(view, root, scale)
    return ReducedCurvature(system, view, root, scale)


class DenseCurvature:
    """Hold H as a matrix of all pairs of rows."""

    def __init__(self, view: View, root: Floats, scale: Floats) -> None:
        halves = [solve_triangular(view.factor, a.T, trans="T", check_finite=False) for a in view.shaped]
        roots = [a @ root for a in view.shaped]
        total = np.zeros((len(scale), len(scale)))
        for half, other in zip(halves, roots, strict=True):
            total += (halves[0].T @ half) * (roots[0] @ other.T)
        self.matrix: Floats = (total + total.T) / len(halves)
        scaled = self.matrix * np.outer(scale, scale)
        scaled[np.diag_indices_from(scaled)] += 1
        self.factor = cho_factor(scaled, lower=True, overwrite_a=True, check_finite=False)

    def times(self, columns: Floats) -> Floats:
        """Return `H X`."""
        return self.matrix @ columns

    def solved(self, columns: Floats) -> Floats:
        """Return `(1 + S)^-1 X`."""
        found: Floats = cho_solve(self.factor, columns, check_finite=False)
        return found


class ReducedCurvature:
    """Hold `H = U U'` by a row of U for each row and a column for each entry of A.

    `X -> sqrt(2) R^-T X Z` maps matrices to what H is the product of; `R'R = A`, `Z Z' = M`. An LQ factor of this map
    on the basis of the entries takes its place. With `C = 1 + W'W`, `W = diag(scale) U`, the inverse of `1 + W W'` is
    `1 - W C^-1 W'`; C is as hard to solve with as A is singular, so what is found is refined.
    """

    def __init__(self, system: System, view: View, root: Floats, scale: Floats) -> None:
        inverse = solve_triangular(view.factor, system.basis.T, trans="T", check_finite=False)
        products = np.einsum("iu,vj->uvij", inverse, system.basis @ root).reshape(len(system.order), -1)
        images = np.sqrt(2) * np.add.reduceat(products[system.order], system.starts, axis=0)
        triangle = _triangle(images, view.is_sharp)
        self.refinements = 1 if view.is_sharp else 2
        self.rows: Floats = (system.features / view.means[:, None] ** 2) @ triangle.T
        self.scaled: Floats = self.rows * scale[:, None]
        inner = self.scaled.T @ self.scaled
        inner[np.diag_indices_from(inner)] += 1
        self.factor = cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)

    def times(self, columns: Floats) -> Floats:
        """Return `H X`."""
        return self.rows @ (self.rows.T @ columns)

    def solved(self, columns: Floats) -> Floats:
        """Return `(1 + S)^-1 X`: what is left of X by the ridge regression on W."""
        found = np.zeros((self.scaled.shape[1], *columns.shape[1:]))
        left = columns
        for _ in range(1 + self.refinements):
            found = found + cho_solve(self.factor, self.scaled.T @ left - found, check_finite=False)
            left = columns - self.scaled @ found
        return left


def _triangle(images: Floats, is_sharp: bool) -> Floats:
    """Return the upper triangle T with `T'T = Y Y'`."""
    if is_sharp:
        products = images @ images.T
        products[np.diag_indices_from(products)] += JITTER * products.diagonal().max()
        try:
            factor: Floats = cholesky(products, check_finite=False)
            return factor
        except LinAlgError:
            pass
    sharper: Floats = qr(images.T, mode="r", check_finite=False)[0][: len(images)]
    return sharper
