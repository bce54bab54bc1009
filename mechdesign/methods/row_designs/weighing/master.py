"""Solve the programme over given rows by a primal-dual interior point, with the prior fixed or least favourable."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError

from mechdesign.methods.row_designs.programme import Bits, RowProgramme
from mechdesign.methods.row_designs.weighing.barrier import SUM_TOLERANCE, State, System, View, dual_of, root_of
from mechdesign.methods.row_designs.weighing.newton import Newton
from mechdesign.workloads.queries import Floats

MOST_STEPS = 100
TO_BOUNDARY = 0.98
"""The part of the way to the boundary that a step goes."""

MOST_HALVINGS = 20
SPACE_TOLERANCE = 1e-8
NEARER = 0.9
PATIENCE = 10
"""Steps that may come no nearer, by a factor `NEARER`: where sums force weights to be 0 there is no way inside."""


@dataclass(frozen=True, eq=False)
class MasterPoint:
    """Hold a solution over given rows: weights, the dual, and the prior that they are for.

    Attributes:
        rows: representatives of orbits, shape (n, K); a row's weight is shared by its images under the symmetries.
        weights: theta of each orbit, shape (n,).
        prior: p, shape (K,).
        prices: y, shape (K,).
        slack: `y'a - a'Ma` for `a = r / (p'r)`, shape (n,).
        root: Z, K x q, with `M = Z Z'`; `Z = A^-1 V` for `Gc = V V'`.
        dual: B, symmetric, K x K, with `B Gc B = M`.
        variance: `tr(Gc A^-1)` under p and the programme's constant.
        scale: `tr(Gc A^-1)`, which gaps are parts of.
        trace: `tr(B Gc)`, as `scale` for the best Z.
        is_solved: whether columns sum to 1 and the workload can be answered; else these rows do not serve.
    """

    rows: Bits
    weights: Floats
    prior: Floats
    prices: Floats
    slack: Floats
    root: Floats
    dual: Floats
    variance: float
    scale: float
    trace: float
    is_solved: bool

    def bound(self, excess: float) -> float:
        """Return what no mechanism's variance is below, where no row's `a'Ma - y'a` exceeds a number."""
        return self.variance - self.scale + self.trace**2 / (float(self.prices.sum()) + max(excess, 0.0))


def solve_master(
    programme: RowProgramme, rows: Bits, tolerance: float, *, worst: bool = False, start: MasterPoint | None = None
) -> MasterPoint:
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
    state = _first(system, programme.prior if start is None or not worst else start.prior)
    view = View.of(system, state)
    nearest, waited = np.inf, 0
    for _ in range(MOST_STEPS):
        waited = 0 if view.distance(worst) < NEARER * nearest else waited + 1
        nearest = min(nearest, view.distance(worst))
        if view.is_done(tolerance, worst) or waited > PATIENCE:
            break
        moved = _stepped(system, state, view, worst)
        if moved is None:
            break
        state, view = moved
    return _solution(programme, rows, system, state, view)


def _first(system: System, prior: Floats) -> State:
    """Start from equal probabilities of the outputs, and prices that pay for them on average."""
    count = len(system.rows)
    means = system.rows @ prior
    weights = 1 / (count * means)
    sizes = system.orbits.sum(axis=0)
    blank = State(weights, np.zeros(count), np.zeros_like(system.root), np.zeros(len(prior)), prior, 0 * sizes, 0.0)
    root = View.of(system, blank).remainder
    view = View.of(system, replace(blank, root=root))
    fit = system.equations @ np.linalg.lstsq(system.equations, view.value * prior, rcond=None)[0]
    floor = 0.1 * view.value
    slack = np.maximum((system.rows / means[:, None]) @ fit - view.energies, floor) * means
    level = float((view.inputs / sizes).max()) + floor
    return State(weights, slack, root, fit, prior, level - view.inputs / sizes, level)


def _stepped(system: System, state: State, view: View, worst: bool) -> tuple[State, View] | None:
    """Take one step: towards complementarity 0 first, to see how far; then towards what that says can be had."""
    try:
        newton = Newton(system, state, view, worst)
        tried = newton.towards(0.0)
        mean = view.complementarity / len(state.weights)
        error = abs(view.dual).max()
        reached = newton.moved(tried, min(1.0, newton.length(tried)))
        aim = min(0.9, max(1e-3, (float(reached.weights @ reached.slack) / len(state.weights) / mean) ** 2))
        aim = max(aim, min(1.0, 0.1 * error / view.complementarity))
        step = newton.towards(aim * mean)
        length = min(1.0, TO_BOUNDARY * newton.length(step))
        for _ in range(MOST_HALVINGS):
            new = newton.moved(step, length)
            seen = View.of(system, new)
            if abs(seen.dual).max() <= max((1 - 0.1 * length) * error, seen.complementarity):
                return new, seen
            length /= 2
    except LinAlgError:
        return None
    return None


def _solution(programme: RowProgramme, rows: Bits, system: System, state: State, view: View) -> MasterPoint:
    """Return what was reached, all of it for the prior that was reached.

    A dual (Z, y) for a Gram matrix that is centred at another prior is one for this: with `d = V'p`, V and Z become
    `V - 1 d'` and `Z - p d'`, for `A p = 1`, and y becomes `y - 2 Z d - |d|^2 p` with the new Z; no slack changes.
    """
    prior: Floats = state.prior / state.prior.sum()
    used = programme.with_prior(prior)
    root = system.basis @ system.root
    shift = root.T @ prior
    centred = root - shift
    solved = system.basis @ state.root - np.outer(prior, shift)
    scale = float((centred * (solved + system.basis @ view.remainder)).sum())
    return MasterPoint(
        rows,
        state.weights,
        prior,
        state.prices - 2 * solved @ shift - (shift @ shift) * prior,
        state.slack / view.means,
        solved,
        dual_of(centred, solved),
        scale + used.constant,
        scale,
        float((centred * solved).sum()),
        _serves(programme, system, state),
    )


def _serves(programme: RowProgramme, system: System, state: State) -> bool:
    """Tell whether all columns sum to 1, and the queries lie in the space of the rows."""
    sums = state.weights @ system.rows
    root = root_of(programme.gram)
    outside = root - system.basis @ (system.basis.T @ root)
    return bool(abs(sums - 1).max() <= 100 * SUM_TOLERANCE and abs(outside).max() <= SPACE_TOLERANCE * abs(root).max())
