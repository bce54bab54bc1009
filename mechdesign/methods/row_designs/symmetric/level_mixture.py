"""Mix kinds of rows so that the variance for a workload with levels is least: a convex programme of a few numbers."""

import numpy as np
from scipy.optimize import linprog

from mechdesign.workloads.queries import Floats

STEPS = 100
PRECISION = 1e-11
"""Of the sum of products of shares and slacks, relative to the value."""

NEAR = 1e-7
"""Kinds whose information is this near to the largest, relative, may be of use in an optimum."""

LEAST_SHARE = 1e-8
"""Kinds of a smaller share are left out."""


def best_mixture(weights: Floats, information: Floats) -> tuple[Floats, Floats]:
    """Minimise `sum_j w_j / x_j`, `x = sum_i phi_i information_i`, over shares phi of sum 1.

    A primal-dual interior-point method, of O(kinds^3) steps a round.

    Args:
        weights: w, shape (levels,), above 0.
        information: of each kind on each level, shape (kinds, levels); each level has some above 0.

    Returns:
        phi, shape (kinds,), and x, shape (levels,).
    """
    count, unit = len(information), information.max(axis=0)
    weights, information = weights / unit, information / unit
    phi = np.full(count, 1 / count)
    slacks, price = _start(weights, information, phi)
    system = np.ones((count + 1, count + 1))
    system[:count, count], system[count, count] = -1, 0
    for _ in range(STEPS):
        x = phi @ information
        gap = float(phi @ slacks)
        value = float((weights / x).sum())
        gradient = -information @ (weights / x**2)
        dual = gradient - price - slacks
        if gap < PRECISION * value and np.abs(dual).max() < PRECISION * value:
            break
        target = 0.1 * gap / count
        system[:count, :count] = (information * (2 * weights / x**3)) @ information.T + np.diag(slacks / phi)
        solved = np.linalg.solve(system, np.append(target / phi - dual - slacks, 1 - phi.sum()))
        step, rise = solved[:count], float(solved[count])
        change = target / phi - slacks - slacks / phi * step
        length = min(1.0, 0.995 * _longest(phi, step), 0.995 * _longest(slacks, change))
        phi, slacks, price = phi + length * step, slacks + length * change, price + length * rise
    phi = phi / phi.sum()
    return phi, phi @ information * unit


def fewest_rows(weights: Floats, information: Floats, counts: Floats) -> Floats:
    """Return shares of a mixture that is as good as the best, of at most one kind more than there are levels.

    Among the mixtures of the best information, one with the least mean number of rows is a corner of a polytope.

    Args:
        weights: as for `best_mixture`.
        information: likewise.
        counts: rows of each kind, shape (kinds,).
    """
    phi, x = best_mixture(weights, information)
    worth = information @ (weights / x**2)
    near = np.flatnonzero(worth >= worth.max() * (1 - NEAR))
    rows = np.vstack([information[near].T / x[:, None], np.ones(len(near))])
    corner = linprog(counts[near] / counts[near].max(), A_eq=rows, b_eq=np.ones(len(rows)), bounds=(0, None))
    chosen = near[corner.x > LEAST_SHARE] if corner.success else np.flatnonzero(phi > LEAST_SHARE)
    shares = np.zeros(len(information))
    shares[chosen] = best_mixture(weights, information[chosen])[0]
    shares[shares < LEAST_SHARE] = 0
    return shares


def _start(weights: Floats, information: Floats, phi: Floats) -> tuple[Floats, float]:
    x = phi @ information
    gradient = -information @ (weights / x**2)
    price = float(gradient.min()) - float((weights / x).sum())
    return gradient - price, price


def _longest(values: Floats, step: Floats) -> float:
    falling = step < 0
    return float((values[falling] / -step[falling]).min()) if falling.any() else 1.0
