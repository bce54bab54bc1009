"""Solve Newton's equations of the interior point over rows."""

from dataclasses import dataclass

import numpy as np

from mechdesign.methods.row_designs.weighing.barrier import State, System, View, per_orbit, solved_by
from mechdesign.methods.row_designs.weighing.curvature import curvature_of
from mechdesign.workloads.queries import Floats


@dataclass(frozen=True, eq=False)
class Step:
    """Hold a step of everything that a `State` holds."""

    weights: Floats
    slack: Floats
    root: Floats
    prices: Floats
    prior: Floats
    prior_slack: Floats
    level: float


class Newton:
    """Solve Newton's equations at a state for several aims.

    Unknown are `m dtheta` for the weights, the prices' coordinates, and in the worst case p on orbits and the level t
    that no input's variance exceeds. With H the second derivatives in `s = theta / (p'r)`, scaled by a, and `e = a'Ma`:

        (H + z/phi) d + C dp + a dy = ..,   C = -H diag(phi) a + diag(e) a
        C' d + (a' diag(phi) H diag(phi) a - 2 a' diag(phi e) a - w/p) dp - dt = ..,   1'dp = 1 - 1'p
    """

    def __init__(self, system: System, state: State, view: View, worst: bool) -> None:
        self.system, self.state, self.view, self.worst = system, state, view, worst
        self.slack = state.slack / view.means
        self.drift = 2 * ((view.shaped[0] @ view.remainder) * (view.shaped[0] @ state.root)).sum(axis=1)
        self.scale = np.sqrt(view.phi / self.slack)
        a = system.rows / view.means[:, None]
        self.curvature = curvature_of(system, view, state.root, self.scale)
        self.sizes = system.orbits.sum(axis=0)
        self.per_orbit = per_orbit(system, state.prior)
        self.prices_in = a @ system.equations
        columns = [self.prices_in]
        if worst:
            on_orbits = a @ system.orbits
            bent = self.curvature.times(view.phi[:, None] * on_orbits)
            energy = view.energies[:, None] * on_orbits
            self.cross = energy - bent
            weighted = view.phi[:, None] * on_orbits
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
        whole[first:-1, first:-1] -= np.diag(self.sizes * self.state.prior_slack / self.per_orbit)
        whole[first:-1, -1] = whole[-1, first:-1] = -self.sizes
        return whole

    def towards(self, aim: float) -> Step:
        """Return the step whose complementarities would all be `aim`, up to second order."""
        state, view = self.state, self.view
        wanted = -view.dual + self.drift + aim / view.phi - self.slack
        alone = self.curvature.solved(wanted * self.scale)
        right = [view.primal]
        if self.worst:
            rates = (view.phi * self.drift) @ (self.system.rows / view.means[:, None]) @ self.system.orbits
            drift = view.inputs + rates - state.level * self.sizes + self.sizes * state.prior_slack
            right.append(-drift - self.sizes * (aim / self.per_orbit - state.prior_slack))
        side = np.concatenate(right) - self.sides.T @ alone
        if self.worst:
            side = np.append(side, -(1 - state.prior.sum()))
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
        energy = 2 * ((view.shaped[0] @ root) * (view.shaped[0] @ state.root)).sum(axis=1)
        slack = self.prices_in @ prices + view.dual - energy + view.energies * self.relative(prior)
        return Step(
            phi / view.means,
            slack * view.means,
            root,
            self.system.equations @ prices,
            self.system.orbits @ prior,
            aim / self.per_orbit - state.prior_slack - state.prior_slack / self.per_orbit * prior,
            level,
        )

    def relative(self, prior: Floats) -> Floats:
        """Return how a step of the prior on orbits changes `p'r`, as a part of it."""
        change: Floats = (self.system.rows @ (self.system.orbits @ prior)) / self.view.means
        return change

    def _root_after(self, phi: Floats, prior: Floats) -> Floats:
        """Return the step of Z: `A dZ = (V - A Z) - dA Z`."""
        view, moves = self.view, phi - self.view.phi * self.relative(prior)
        change = np.zeros_like(self.state.root)
        for a in view.shaped:
            change += a.T @ (moves[:, None] * (a @ self.state.root))
        change /= len(view.shaped)
        found: Floats = view.remainder - solved_by(view.factor, change)
        return found

    def length(self, step: Step) -> float:
        """Return how far a step goes until a weight, a slack or a part of the prior is 0."""
        state = self.state
        pairs = [(state.weights, step.weights), (state.slack, step.slack)]
        if self.worst:
            pairs += [(state.prior, step.prior), (state.prior_slack, step.prior_slack)]
        return min(_until_zero(values, moves) for values, moves in pairs)

    def moved(self, step: Step, length: float) -> State:
        """Return the state after a part of a step."""
        state = self.state
        return State(
            state.weights + length * step.weights,
            state.slack + length * step.slack,
            state.root + length * step.root,
            state.prices + length * step.prices,
            state.prior + length * step.prior,
            state.prior_slack + length * step.prior_slack,
            state.level + length * step.level,
        )


def _until_zero(values: Floats, moves: Floats) -> float:
    falling = moves < 0
    return float((values[falling] / -moves[falling]).min()) if falling.any() else np.inf
