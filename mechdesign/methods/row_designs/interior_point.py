"""Weights for given rows by a primal-dual interior point, with the prior fixed or least favourable.

The story from the end: `solve_master` steps from point to point; `Newton` finds a step, by second derivatives held for
all pairs of rows or for the entries of A; a `BarrierPoint` is what `Variables` give in the `System` of the rows.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, qr, solve_triangular

from mechdesign.methods.row_designs.programme import RANK_TOLERANCE, Bits, RowDual, RowProgramme, RowSolution
from mechdesign.workloads.queries import Floats, Integers

SUM_TOLERANCE = 1e-10
SHARP = 1e-3
"""Above this ratio of pivots a matrix is far enough from singular to be factored as it is."""

JITTER = 1e-14
"""What is added to a matrix of rank one less than its size, as a part of its largest entry."""

MOST_STEPS = 100
TO_BOUNDARY = 0.98
"""The part of the way to the boundary that a step goes."""

MOST_HALVINGS = 20
SPACE_TOLERANCE = 1e-8
NEARER = 0.9
PATIENCE = 10
"""Steps that may come no nearer, by a factor `NEARER`: where sums force weights to be 0 there is no way inside."""


@dataclass(frozen=True, eq=False)
class System:
    """The programme over given rows: what stays the same on the way of an interior point.

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
        rows = programme.values(bits)
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
class Variables:
    """The variables of a step: theta, slacks, Z, y, p, slacks of p on orbits, a level.

    The slacks are those of `y'r - r'Mr / (p'r)`.
    """

    weights: Floats
    slack: Floats
    root: Floats
    prices: Floats
    prior: Floats
    prior_slack: Floats
    level: float

    def moved(self, step: "Variables", length: float) -> "Variables":
        """Return what is reached by a part of a step."""
        pairs = zip(vars(self).values(), vars(step).values(), strict=True)
        return Variables(*(value + length * change for value, change in pairs))


class BarrierPoint:
    """Variables, and what they give: `a = r / (p'r)`, phi = `theta p'r`, A's factor R, `A^-1 V - Z`, `a'Ma`, residuals.

    R comes of the weighted rows, by a QR where their products do not tell it.
    """

    def __init__(self, system: System, at: Variables) -> None:
        self.system, self.at = system, at
        self.means = system.rows @ at.prior
        self.phi: Floats = at.weights * self.means
        self.shaped = tuple(image / self.means[:, None] for image in system.images)
        scale = np.sqrt(self.phi / len(self.shaped))[:, None]
        self.factor, self.is_sharp = _factor(np.vstack([a * scale for a in self.shaped]))
        self.remainder = solved_by(self.factor, system.root - self.factor.T @ (self.factor @ at.root))
        self.energies: Floats = ((self.shaped[0] @ at.root) ** 2).sum(axis=1)
        self.a = system.rows / self.means[:, None]
        self.inputs: Floats = system.orbits.T @ ((self.phi * self.energies) @ self.a - system.squares)
        self.value = float((system.root * at.root).sum())
        self.primal: Floats = system.equations.T @ (1 - self.phi @ self.a)
        self.dual: Floats = self.a @ at.prices - self.energies - at.slack / self.means
        self.complementarity = float(at.weights @ at.slack)

    def distance(self, worst: bool) -> float:
        """Return how much slacks and the dual's equations are off, on the scale of the value."""
        sizes, at = self.system.orbits.sum(axis=0), self.at
        together = self.complementarity
        if worst:
            together += float((sizes * per_orbit(self.system, at.prior)) @ at.prior_slack)
        bias = abs(float((self.system.root * self.remainder).sum()))
        return float(max(together, abs(self.dual).max(), bias))

    def is_done(self, tolerance: float, worst: bool) -> bool:
        """Return whether equations hold and slacks vanish, each to the tolerance."""
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


class Curvature(Protocol):
    """The curvature `H_rs = 2 (a_r'A^-1 a_s)(a_r'M a_s)`, averaged over the symmetries.

    It is what Newton's equations take.

    It is scaled by a number for each row: `S = diag(scale) H diag(scale)`.
    """

    def times(self, columns: Floats) -> Floats:
        """Return `H X`."""

    def solved(self, columns: Floats) -> Floats:
        """Return `(1 + S)^-1 X`."""


def curvature_of(point: BarrierPoint, scale: Floats) -> Curvature:
    """Return whichever takes fewer steps: n^3 / 3 and 4 n^2 K for n rows, or 2 N^2 (n + K^2) for N entries of A."""
    rows, entries, size = len(scale), len(point.system.starts), len(point.system.basis)
    dense = rows**3 / 3 + 4 * rows**2 * size * len(point.shaped)
    if dense < 2 * entries**2 * (rows + size**2):
        return DenseCurvature(point, scale)
    return ReducedCurvature(point, scale)


class DenseCurvature:
    """H as a matrix of all pairs of rows."""

    def __init__(self, point: BarrierPoint, scale: Floats) -> None:
        halves = [solve_triangular(point.factor, a.T, trans="T", check_finite=False) for a in point.shaped]
        roots = [a @ point.at.root for a in point.shaped]
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
    """`H = U U'` by a row of U for each row and a column for each entry of A.

    `X -> sqrt(2) R^-T X Z` maps matrices to what H is the product of; `R'R = A`, `Z Z' = M`. An LQ factor of this map
    on the basis of the entries takes its place. With `C = 1 + W'W`, `W = diag(scale) U`, the inverse of `1 + W W'` is
    `1 - W C^-1 W'`; C is as hard to solve with as A is singular, so what is found is refined.
    """

    def __init__(self, point: BarrierPoint, scale: Floats) -> None:
        system = point.system
        inverse = solve_triangular(point.factor, system.basis.T, trans="T", check_finite=False)
        products = np.einsum("iu,vj->uvij", inverse, system.basis @ point.at.root).reshape(len(system.order), -1)
        images = np.sqrt(2) * np.add.reduceat(products[system.order], system.starts, axis=0)
        triangle = _triangle(images, point.is_sharp)
        self.refinements = 1 if point.is_sharp else 2
        self.rows: Floats = (system.features / point.means[:, None] ** 2) @ triangle.T
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


class Newton:
    """Newton's equations at a point, for several aims.

    Unknown are `m dtheta` for the weights, the prices' coordinates, and in the worst case p on orbits and the level t
    that no input's variance exceeds. With H the second derivatives in `s = theta / (p'r)`, scaled by a, and `e = a'Ma`:

        (H + z/phi) d + C dp + a dy = ..,   C = -H diag(phi) a + diag(e) a
        C' d + (a' diag(phi) H diag(phi) a - 2 a' diag(phi e) a - w/p) dp - dt = ..,   1'dp = 1 - 1'p
    """

    def __init__(self, point: BarrierPoint, worst: bool) -> None:
        self.point, self.worst = point, worst
        system, a = point.system, point.a
        self.slack = point.at.slack / point.means
        self.drift = 2 * ((point.shaped[0] @ point.remainder) * (point.shaped[0] @ point.at.root)).sum(axis=1)
        self.scale = np.sqrt(point.phi / self.slack)
        self.curvature = curvature_of(point, self.scale)
        self.sizes = system.orbits.sum(axis=0)
        self.per_orbit = per_orbit(system, point.at.prior)
        self.prices_in = a @ system.equations
        columns = [self.prices_in]
        if worst:
            on_orbits = a @ system.orbits
            weighted = point.phi[:, None] * on_orbits
            bent = self.curvature.times(weighted)
            energy = point.energies[:, None] * on_orbits
            self.cross = energy - bent
            self.corner = weighted.T @ (bent - 2 * energy)
            self.corner = (self.corner + self.corner.T) / 2
            columns.append(self.cross)
        self.sides = np.hstack(columns) * self.scale[:, None]
        self.solved_sides = self.curvature.solved(self.sides)
        self.schur = self._schur()

    def _schur(self) -> Floats:
        products: Floats = -self.sides.T @ self.solved_sides
        products = (products + products.T) / 2
        if not self.worst:
            return products
        first, count = self.prices_in.shape[1], len(self.sizes)
        whole = np.zeros((first + count + 1, first + count + 1))
        whole[:-1, :-1] = products
        whole[first:-1, first:-1] += self.corner
        whole[first:-1, first:-1] -= np.diag(self.sizes * self.point.at.prior_slack / self.per_orbit)
        whole[first:-1, -1] = whole[-1, first:-1] = -self.sizes
        return whole

    def towards(self, aim: float) -> Variables:
        """Return the step whose complementarities would all be `aim`, up to second order."""
        point, at, system = self.point, self.point.at, self.point.system
        wanted = -point.dual + self.drift + aim / point.phi - self.slack
        alone = self.curvature.solved(wanted * self.scale)
        right = [point.primal]
        if self.worst:
            rates = (point.phi * self.drift) @ point.a @ system.orbits
            drift = point.inputs + rates - at.level * self.sizes + self.sizes * at.prior_slack
            right.append(-drift - self.sizes * (aim / self.per_orbit - at.prior_slack))
        side = np.concatenate(right) - self.sides.T @ alone
        if self.worst:
            side = np.append(side, -(1 - at.prior.sum()))
        found = np.linalg.solve(self.schur, side).astype(np.float64)
        moved = found[:-1] if self.worst else found
        phi = self.scale * (alone - self.solved_sides @ moved)
        first = self.prices_in.shape[1]
        prices = found[:first]
        count = len(self.sizes)
        prior: Floats = np.zeros(count)
        if self.worst:
            prior = found[first : first + count]
        level = float(found[-1]) if self.worst else 0.0
        root = self._root_after(phi, prior)
        energy = 2 * ((point.shaped[0] @ root) * (point.shaped[0] @ at.root)).sum(axis=1)
        slack = self.prices_in @ prices + point.dual - energy + point.energies * self._relative(prior)
        return Variables(
            phi / point.means,
            slack * point.means,
            root,
            system.equations @ prices,
            system.orbits @ prior,
            aim / self.per_orbit - at.prior_slack - at.prior_slack / self.per_orbit * prior,
            level,
        )

    def _relative(self, prior: Floats) -> Floats:
        """Return how a step of the prior on orbits changes `p'r`, as a part of it."""
        change: Floats = (self.point.system.rows @ (self.point.system.orbits @ prior)) / self.point.means
        return change

    def _root_after(self, phi: Floats, prior: Floats) -> Floats:
        """Return the step of Z: `A dZ = (V - A Z) - dA Z`."""
        point, moves = self.point, phi - self.point.phi * self._relative(prior)
        change = np.zeros_like(point.at.root)
        for a in point.shaped:
            change += a.T @ (moves[:, None] * (a @ point.at.root))
        change /= len(point.shaped)
        found: Floats = point.remainder - solved_by(point.factor, change)
        return found

    def length(self, step: Variables) -> float:
        """Return how far a step goes until a weight, a slack or a part of the prior is 0."""
        at = self.point.at
        pairs = [(at.weights, step.weights), (at.slack, step.slack)]
        if self.worst:
            pairs += [(at.prior, step.prior), (at.prior_slack, step.prior_slack)]
        return min(_until_zero(values, moves) for values, moves in pairs)


def _until_zero(values: Floats, moves: Floats) -> float:
    falling = moves < 0
    return float((values[falling] / -moves[falling]).min()) if falling.any() else np.inf


def solve_master(
    programme: RowProgramme, rows: Bits, tolerance: float, *, worst: bool = False, start: RowSolution | None = None
) -> RowSolution:
    """Solve the programme over orbits of rows to a relative gap.

    Newton's equations of the barrier are solved in the weights, scaled by `sqrt(theta / slack)`, and A is held by the
    triangular factor of its weighted rows (QR): at the optimum A is singular where the workload's rank asks for less,
    and then this loses half as many digits as A itself would.

    Args:
        programme: its symmetries average the information of each row over the row's orbit.
        rows: representatives of orbits, shape (n, K), zeros and ones.
        tolerance: the gap to the best value over these rows, as a part of it.
        worst: find the least favourable prior, too, as symmetric as the programme's.
        start: a solution over other rows; in the worst case its prior is gone on from.
    """
    system = System.of(programme, rows)
    point = _first(system, programme.prior if start is None or not worst else start.dual.programme.prior)
    nearest, waited = np.inf, 0
    for _ in range(MOST_STEPS):
        distance = point.distance(worst)
        waited = 0 if distance < NEARER * nearest else waited + 1
        nearest = min(nearest, distance)
        if point.is_done(tolerance, worst) or waited > PATIENCE:
            break
        moved = _stepped(point, worst)
        if moved is None:
            break
        point = moved
    return _solution(programme, rows, point)


def _first(system: System, prior: Floats) -> BarrierPoint:
    """Start from equal probabilities of the outputs, and prices that pay for them on average."""
    count = len(system.rows)
    means = system.rows @ prior
    weights = 1 / (count * means)
    sizes = system.orbits.sum(axis=0)
    blank = Variables(weights, np.zeros(count), np.zeros_like(system.root), np.zeros(len(prior)), prior, 0 * sizes, 0.0)
    rooted = replace(blank, root=BarrierPoint(system, blank).remainder)
    point = BarrierPoint(system, rooted)
    fit = system.equations @ np.linalg.lstsq(system.equations, point.value * prior, rcond=None)[0]
    floor = 0.1 * point.value
    slack = np.maximum(point.a @ fit - point.energies, floor) * means
    level = float((point.inputs / sizes).max()) + floor
    start = replace(rooted, slack=slack, prices=fit, prior_slack=level - point.inputs / sizes, level=level)
    return BarrierPoint(system, start)


def _stepped(point: BarrierPoint, worst: bool) -> BarrierPoint | None:
    """Take one step: towards complementarity 0 first, to see how far; then towards what that says can be had."""
    try:
        newton, at = Newton(point, worst), point.at
        tried = newton.towards(0.0)
        mean = point.complementarity / len(at.weights)
        error = abs(point.dual).max()
        reached = at.moved(tried, min(1.0, newton.length(tried)))
        aim = min(0.9, max(1e-3, (float(reached.weights @ reached.slack) / len(at.weights) / mean) ** 2))
        aim = max(aim, min(1.0, 0.1 * error / point.complementarity))
        step = newton.towards(aim * mean)
        length = min(1.0, TO_BOUNDARY * newton.length(step))
        for _ in range(MOST_HALVINGS):
            seen = BarrierPoint(point.system, at.moved(step, length))
            if abs(seen.dual).max() <= max((1 - 0.1 * length) * error, seen.complementarity):
                return seen
            length /= 2
    except LinAlgError:
        return None
    return None


def _solution(programme: RowProgramme, rows: Bits, point: BarrierPoint) -> RowSolution:
    """Return what was reached, all of it for the prior that was reached.

    A dual (Z, y) for a Gram matrix that is centred at another prior is one for this: with `d = V'p`, V and Z become
    `V - 1 d'` and `Z - p d'`, for `A p = 1`, and y becomes `y - 2 Z d - |d|^2 p` with the new Z; no slack changes.
    """
    system, at = point.system, point.at
    prior: Floats = at.prior / at.prior.sum()
    used = programme.with_prior(prior)
    root = system.basis @ system.root
    shift = root.T @ prior
    centred = root - shift
    solved = system.basis @ at.root - np.outer(prior, shift)
    scale = float((centred * (solved + system.basis @ point.remainder)).sum())
    prices = at.prices - 2 * solved @ shift - (shift @ shift) * prior
    dual = RowDual(used, dual_of(centred, solved), prices, solved)
    return RowSolution(rows, at.weights, scale + used.constant, dual, is_solved=_serves(programme, point))


def _serves(programme: RowProgramme, point: BarrierPoint) -> bool:
    """Return whether all columns sum to 1, and the queries lie in the space of the rows."""
    system = point.system
    sums = point.at.weights @ system.rows
    root = root_of(programme.gram)
    outside = root - system.basis @ (system.basis.T @ root)
    return bool(abs(sums - 1).max() <= 100 * SUM_TOLERANCE and abs(outside).max() <= SPACE_TOLERANCE * abs(root).max())
