"""Hold what an interior point over rows is made of: the system of a programme, a state on the way, what it gives."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, cholesky, qr, solve_triangular

from mechdesign.methods.row_designs.programme import Bits, RowProgramme
from mechdesign.workloads.queries import Floats, Integers

SUM_TOLERANCE = 1e-10
RANK_TOLERANCE = 1e-11
SHARP = 1e-3
"""Above this ratio of pivots a matrix is far enough from singular to be factored as it is."""


@dataclass(frozen=True, eq=False)
class System:
    """Hold what stays the same on the way.

    `images` are the rows under each symmetry, in coordinates of the space that they span (n x d); `root` is V there;
    the columns of `orbits` tell the groups of each orbit, those of `equations` combine them to independent equations.
    `order` lists all pairs of groups so that those which the symmetries, or transposing, bring together stand together,
    from one of `starts` on.
    """

    rows: Floats
    basis: Floats
    images: tuple[Floats, ...]
    root: Floats
    orbits: Floats
    equations: Floats
    squares: Floats
    order: Integers
    starts: Integers

    @classmethod
    def of(cls, programme: RowProgramme, bits: Bits) -> "System":
        """Make the rows of their bits, and find the space that they and their images span."""
        rows = 1 + (programme.entry - 1) * bits.astype(np.float64)
        symmetries = programme.own_symmetries
        moved = [rows[:, symmetry] for symmetry in symmetries]
        basis = _row_space(np.vstack(moved))
        orbits = _orbits(symmetries)
        equations = orbits @ _row_space(rows @ orbits)
        images = tuple(image @ basis for image in moved)
        root = basis.T @ root_of(programme.gram)
        return cls(rows, basis, images, root, orbits, equations, programme.gram.diagonal(), *_entries(symmetries))

    @cached_property
    def features(self) -> Floats:
        """The entries of `r r'`, each the mean over those that the symmetries put in its place; n x N."""
        products = (self.rows[:, :, None] * self.rows[:, None, :]).reshape(len(self.rows), -1)
        sums: Floats = np.add.reduceat(products[:, self.order], self.starts, axis=1)
        return sums / np.diff(self.starts, append=len(self.order))


@dataclass(frozen=True, eq=False)
class State:
    """Hold what moves: theta, their slacks (of `y'r - r'Mr / (p'r)`), Z, y, p, and the slacks of p on orbits."""

    weights: Floats
    slack: Floats
    root: Floats
    prices: Floats
    prior: Floats
    prior_slack: Floats
    level: float


@dataclass(frozen=True, eq=False)
class View:
    """Hold what a state gives: `a = r / (p'r)`, phi = `theta p'r`, A's factor R, `A^-1 V - Z`, `a'Ma`, residuals."""

    means: Floats
    phi: Floats
    shaped: tuple[Floats, ...]
    factor: Floats
    is_sharp: bool
    remainder: Floats
    energies: Floats
    value: float
    primal: Floats
    dual: Floats
    inputs: Floats
    complementarity: float
    prior_complementarity: float
    bias: float

    @classmethod
    def of(cls, system: System, state: State) -> "View":
        """Look at a state: a QR of the weighted rows, and what follows."""
        means = system.rows @ state.prior
        phi = state.weights * means
        shaped = tuple(image / means[:, None] for image in system.images)
        scale = np.sqrt(phi / len(shaped))[:, None]
        factor, is_sharp = _factor(np.vstack([a * scale for a in shaped]))
        remainder = solved_by(factor, system.root - factor.T @ (factor @ state.root))
        energies = ((shaped[0] @ state.root) ** 2).sum(axis=1)
        a = system.rows / means[:, None]
        inputs = (phi * energies) @ a - system.squares
        return cls(
            means,
            phi,
            shaped,
            factor,
            is_sharp,
            remainder,
            energies,
            float((system.root * state.root).sum()),
            system.equations.T @ (1 - phi @ a),
            a @ state.prices - energies - state.slack / means,
            system.orbits.T @ inputs,
            float(state.weights @ state.slack),
            float((system.orbits.sum(axis=0) * per_orbit(system, state.prior)) @ state.prior_slack),
            abs(float((system.root * remainder).sum())),
        )

    def distance(self, worst: bool) -> float:
        """Return how much slacks and the dual's equations are off, on the scale of the value."""
        together = self.complementarity + (self.prior_complementarity if worst else 0.0)
        return float(max(together, abs(self.dual).max(), self.bias))

    def is_done(self, tolerance: float, worst: bool) -> bool:
        """Tell whether equations hold and slacks vanish, each to the tolerance."""
        return self.distance(worst) <= tolerance * self.value and bool(abs(self.primal).max() <= SUM_TOLERANCE)


def _factor(rows: Floats) -> tuple[Floats, bool]:
    """Return R with `R'R = X'X` and a positive diagonal, and whether X'X tells it: else a QR does."""
    product = rows.T @ rows
    try:
        factor: Floats = cholesky(product, check_finite=False)
        if factor.diagonal().min() > SHARP * factor.diagonal().max():
            return factor, True
    except LinAlgError:
        pass
    sharper: Floats = qr(rows, mode="economic", check_finite=False)[1]
    return sharper, False


def solved_by(factor: Floats, right: Floats) -> Floats:
    """Return `A^-1 X` by the triangular factor of A."""
    half = solve_triangular(factor, right, trans="T", check_finite=False)
    found: Floats = solve_triangular(factor, half, check_finite=False)
    return found


def per_orbit(system: System, values: Floats) -> Floats:
    """Return the mean over each orbit of a number for each group."""
    found: Floats = system.orbits.T @ values / system.orbits.sum(axis=0)
    return found


def root_of(gram: Floats) -> Floats:
    """Return V with `V V' = Gc` and as many columns as the rank."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > RANK_TOLERANCE * values[-1]
    root: Floats = vectors[:, kept] * np.sqrt(values[kept])
    return root


def dual_of(root: Floats, solved: Floats) -> Floats:
    """Return the smallest symmetric B with `B V = Z`, for V of full rank and symmetric `V'Z`.

    A^-1 is such a matrix as well, but a huge one where A is nearly singular.
    """
    inverse = np.linalg.pinv(root)
    product = root.T @ solved
    half = solved @ inverse
    dual: Floats = half + half.T - inverse.T @ ((product + product.T) / 2) @ inverse
    return dual


def _row_space(rows: Floats) -> Floats:
    """Return columns that span the space of some rows: the identity where that is all."""
    _, values, vectors = np.linalg.svd(rows, full_matrices=False)
    rank = int((values > RANK_TOLERANCE * values[0]).sum())
    return np.eye(rows.shape[1]) if rank == rows.shape[1] else vectors[:rank].T


def _orbits(symmetries: tuple[Integers, ...]) -> Floats:
    images = np.stack(symmetries)
    least = images.min(axis=0)
    found: Floats = (least[:, None] == np.unique(least)).astype(np.float64)
    return found


def entries_of(programme: RowProgramme) -> int:
    """Count the entries of A that may differ under the symmetries."""
    return len(_entries(programme.own_symmetries)[1])


def _entries(symmetries: tuple[Integers, ...]) -> tuple[Integers, Integers]:
    size = len(symmetries[0])
    pairs = np.arange(size * size).reshape(size, size)
    least = np.minimum(pairs, pairs.T)
    first = np.min([least[np.ix_(symmetry, symmetry)] for symmetry in symmetries], axis=0).reshape(-1)
    order = np.argsort(first, kind="stable")
    return order, np.flatnonzero(np.diff(first[order], prepend=-1))
