"""An interior point of the program of all outputs, by Newton steps with one equation for each input.

With `P_ij = alpha M_i + u_ij` and `u_ij + v_ij = (1 - alpha) M_i` privacy says that u and v are nonnegative. Their
multipliers are a and b, and prices y of the inputs give the reduced costs `R_ij = cost_ij - y_j = a_ij - b_ij`. A step
of Newton ties entries of a row by M_i alone, so they leave the system one after the other:

    (sum_i 1/(a/u + b/v) on the diagonal + sum_i f_i f_i' / h_i) dy = what is left,
    f_ij = alpha + (1-alpha) (b/v)/(a/u + b/v),    h_i = (1-alpha)^2 sum_j (a/u)(b/v)/(a/u + b/v)

A step costs the square of the number of inputs times that of outputs. Steps are Mehrotra's: one that only aims, then
one that is centred and corrected by it. The first point fulfils all but the equation of M.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from mechdesign.methods.active_outputs.table import KeptTable
from mechdesign.program.clock import Clock
from mechdesign.program.solvers.numeric import Floats
from mechdesign.program.threads import one_thread

MOST_STEPS = 150
TOLERANCE = 1e-15
"""Of the gap, in units of the loss, or of a thousandth of the largest cost."""

ALMOST_ONE = 0.9995
"""So far towards the nearest bound a step goes."""

LEAST_STEP = 1e-6
"""A search whose steps get shorter has reached what floats can tell."""


@dataclass(frozen=True)
class InteriorPoint:
    """Largest entries M, how far entries are above alpha M and below M, prices, multipliers of both bounds; steps."""

    top: Floats
    above: Floats
    below: Floats
    prices: Floats
    above_dual: Floats
    below_dual: Floats
    steps: int = 0

    @property
    def looseness(self) -> Floats:
        """How likely an entry is strictly between alpha M and M: its distance from the nearer, by its pull."""
        room = np.minimum(self.above, self.below) / self.top[:, None]
        loose: Floats = room / np.maximum(self.above_dual, self.below_dual)
        return loose


def interior_point(table: KeptTable, clock: Clock) -> InteriorPoint:
    """Return a point near the middle of all optima, as near as floats get.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    point = _first_point(table)
    with np.errstate(all="ignore"), one_thread():
        for _ in range(MOST_STEPS):
            clock.left()
            moved = _moved(table, point)
            if moved is None or not np.isfinite(moved.prices).all():
                break
            point = moved
    return point


def _first_point(table: KeptTable) -> InteriorPoint:
    """Return the uniform mechanism amid its bounds, at the price of a middling cost."""
    right = np.array([float(value) for value in table.right])
    total = right.sum() / table.problem.size / table.n_kept
    top = np.full(table.n_kept, 2 * total / (1 + table.alpha))
    above = np.repeat(((1 - table.alpha) * top / 2)[:, None], table.problem.size, axis=1)
    prices = np.full(len(right), float(np.median(table.costs)))
    reduced = table.costs - prices[table.place]
    above_dual = np.maximum(reduced, 0) + max(1e-3, float(np.abs(reduced).max())) / 2
    return InteriorPoint(top, above, above, prices, above_dual, above_dual - reduced)


def _moved(table: KeptTable, point: InteriorPoint) -> InteriorPoint | None:
    """Go one step; None where the point is as good as it gets."""
    gap = float((point.above * point.above_dual).sum() + (point.below * point.below_dual).sum())
    loss = float((table.costs * (table.alpha * point.top[:, None] + point.above)).sum())
    if not gap > TOLERANCE * max(abs(loss), 1e-3):
        return None
    step = _newton(table, point)
    if step is None:
        return None
    aimed = step(np.zeros_like(point.above), np.zeros_like(point.below))
    far = [_length(values, change) for values, change in aimed.pairs]
    primal, dual = min(far[:2]), min(far[2:])
    ends = [values + (primal, primal, dual, dual)[k] * change for k, (values, change) in enumerate(aimed.pairs)]
    left = float((ends[0] * ends[2]).sum() + (ends[1] * ends[3]).sum())
    centre = (left / gap) ** 3 * gap / (2 * point.above.size)
    (_, above), (_, lower), (_, above_dual), (_, below_dual) = aimed.pairs
    chosen = step(centre - above * above_dual, centre - lower * below_dual)
    far = [ALMOST_ONE * _length(values, change) for values, change in chosen.pairs]
    primal, dual = min(far[:2]), min(far[2:])
    if not min(primal, dual) > LEAST_STEP:
        return None
    return InteriorPoint(
        point.top + primal * chosen.top,
        point.above + primal * chosen.pairs[0][1],
        point.below + primal * chosen.pairs[1][1],
        point.prices + dual * chosen.prices,
        point.above_dual + dual * chosen.pairs[2][1],
        point.below_dual + dual * chosen.pairs[3][1],
        point.steps + 1,
    )


@dataclass(frozen=True)
class _Step:
    """Changes of M and of prices; u, v, a and b each with its change."""

    top: Floats
    prices: Floats
    pairs: list[tuple[Floats, Floats]]


def _newton(table: KeptTable, point: InteriorPoint) -> Callable[[Floats, Floats], _Step] | None:
    """Return the function from what the products of u with a, and of v with b, shall be, to the Newton step there."""
    above, below, a, b = point.above, point.below, point.above_dual, point.below_dual
    span = 1 - table.alpha
    pull, push = a / above, b / below
    spread = 1 / (pull + push)
    part = push * spread
    heavy = span**2 * (pull * part).sum(axis=1)
    factors = table.add_up(table.alpha + span * part)
    system = (factors / heavy[:, None]).T @ factors
    system[np.diag_indices(len(system))] += table.add_up(spread.sum(axis=0))
    try:
        solved = cho_factor(system)
    except (LinAlgError, ValueError):
        return None
    right = np.array([float(value) for value in table.right])
    lack = right - table.add_up((table.alpha * point.top[:, None] + above).sum(axis=0))
    reduced = table.costs - point.prices[table.place]
    error = span * b.sum(axis=1) - table.alpha * reduced.sum(axis=1)

    def step(above_product: Floats, below_product: Floats) -> _Step:
        wanted_a, wanted_b = above_product / above - a, below_product / below - b
        q = wanted_a - wanted_b
        own = error + span * (wanted_b + part * q).sum(axis=1)
        prices = cho_solve(solved, lack - table.add_up((q * spread).sum(axis=0)) - factors.T @ (own / heavy))
        top = (factors @ prices + own) / heavy
        change = (prices[table.place] + q) * spread + span * part * top[:, None]
        change_below = span * top[:, None] - change
        changes = [change, change_below, wanted_a - pull * change, wanted_b - push * change_below]
        return _Step(top, prices, list(zip([above, below, a, b], changes, strict=True)))

    return step


def _length(values: Floats, change: Floats) -> float:
    """Return how far a change may go, at most 1, until a value is 0."""
    fastest = float((-change / values).max())
    return 1 / fastest if fastest > 1 else 1.0
