"""Designs for workloads with levels, whose symmetries leave a few numbers, whatever k.

Rows come in whole orbits of the symmetries, with one weight each, so columns sum exactly whatever the weights are, and
the information A has an eigenvalue for each level. For a histogram that is subset selection (Ye, Barg, IEEE
Transactions on Information Theory 64, 2018; Wang et al., arXiv:1607.08025), with fewer of its sets.
"""

from fractions import Fraction
from math import gcd

import numpy as np
from scipy.optimize import linprog

from mechdesign.certificate.by_levels import best_size
from mechdesign.mechanism.row_mechanism import RowMechanism, bit_texts
from mechdesign.methods.row_designs.flat_blocks import ItemGroup, flat_rows
from mechdesign.methods.row_designs.level_kinds import Kind, kinds_of_rows
from mechdesign.methods.row_designs.programme import Bits
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.eigenspaces import Eigenspaces, levels_of
from mechdesign.workloads.queries import Floats

LARGEST_BLOCK_DESIGN = 128
"""Items of a histogram for which few sets are looked for."""

MOST_FLIPS = 10
"""Attributes of two items each for which rows are listed."""

MOST_BITS = 1 << 23
"""Entries of all rows of a design together."""

WEIGHT_BITS = 40
"""Weights of rows are rounded to so many bits."""

STEPS = 100
PRECISION = 1e-11
"""Of the sum of products of shares and slacks, relative to the value."""

NEAR = 1e-7
"""Kinds whose information is this near to the largest, relative, may be of use in an optimum."""

LEAST_SHARE = 1e-8
"""Kinds of a smaller share are left out."""


def find_symmetric(problem: WorkloadProblem) -> tuple[RowMechanism, str] | None:
    """Design a mechanism for a histogram or for marginals of attributes of two items each.

    Orbits are transitive on the items, so every item has the same variance: the worst is the mean.

    Returns:
        The exact mechanism and the way in words, for the report; a proof by levels bounds it (`level_proof`).
        None for other workloads, and for more than 128 items of a histogram or 10 attributes.
    """
    levels = levels_of(problem.workload)
    if levels is None:
        return None
    even = all(value == levels.eigenvalues[0] for value in levels.eigenvalues)
    if even and levels.k <= LARGEST_BLOCK_DESIGN:
        group = ItemGroup.flips(levels.flips) if levels.flips else ItemGroup.cyclic(levels.k)
        size = best_size(levels.k, problem.alpha)
        rows, weights = flat_rows(group, size)
        how = f"subset selection: {len(rows)} sets of {size} of {levels.k} items, shifts of few blocks"
        return _whole(problem.alpha, rows, weights), how
    if levels.flips and levels.flips <= MOST_FLIPS:
        rows, weights, how = _mixed(problem.alpha, levels)
        return _whole(problem.alpha, rows, weights), how
    return None


def _mixed(alpha: Fraction, levels: Eigenspaces) -> tuple[Bits, list[int], str]:
    """Mix kinds of rows: whole orbits under flips and permutations of the attributes."""
    most, d = MOST_BITS >> levels.flips, levels.flips
    while True:
        kinds = kinds_of_rows(d, most)
        shares = _shares(float(1 / alpha - 1), levels, kinds)
        chosen = [(kind, share) for kind, share in zip(kinds, shares.tolist(), strict=True) if share > 0]
        if sum(kind.count(d) for kind, _ in chosen) <= MOST_BITS >> d:
            break
        most = max(kind.count(d) for kind, _ in chosen) - 1
    rows, weights = [], []
    for kind, share in chosen:
        mean = 1 + float(1 / alpha - 1) * kind.share
        orbit = kind.rows(d)
        rows.append(orbit)
        weights += [max(1, round((1 << WEIGHT_BITS) * share / (mean * len(orbit))))] * len(orbit)
    words = ", ".join(
        f"{len(orbit)} of {kind.attributes} attributes" for orbit, (kind, _) in zip(rows, chosen, strict=True)
    )
    return np.concatenate(rows), weights, f"orbits under flips and permutations of {d} attributes: {words}"


def _shares(step: float, levels: Eigenspaces, kinds: list[Kind]) -> Floats:
    """Return the share of the reports that each kind has: the variance is `sum_j dimension_j^2 gamma_j / (k x_j)`."""
    asked = [j for j, value in enumerate(levels.eigenvalues) if value]
    information = np.array(
        [(step / (1 + step * kind.share)) ** 2 * kind.level_weights(levels.flips)[asked] for kind in kinds]
    )
    costs = np.array([levels.dimensions[j] ** 2 * levels.eigenvalues[j] / levels.k for j in asked])
    return fewest_rows(costs, information, np.array([kind.count(levels.flips) for kind in kinds], dtype=np.float64))


def _whole(alpha: Fraction, rows: Bits, weights: list[int]) -> RowMechanism:
    """Return a mechanism in whole numbers of rows whose columns sum up by themselves."""
    p, q = alpha.as_integer_ratio()
    common = gcd(*weights)
    whole = [weight // common * p for weight in weights]
    ones = sum(weight for weight, first in zip(whole, rows[:, 0].tolist(), strict=True) if first)
    return RowMechanism(alpha, bit_texts(rows), tuple(whole), sum(whole) - ones + ones // p * q)


def level_dual(levels: Eigenspaces, mechanism: RowMechanism) -> tuple[Floats, Floats]:
    """Return `B = A^-1` on the levels that are asked for, and even prices, in floats; for a proof by all rows."""
    k, items = levels.k, np.arange(levels.k)
    theta = np.array([weight / mechanism.denominator for weight in mechanism.weights])
    rows = 1 + float(1 / mechanism.alpha - 1) * mechanism.ones
    information = (rows.T * (theta / rows.mean(axis=1))) @ rows
    if levels.flips:
        orders = np.array([s.bit_count() for s in range(k)])
        signs = 1 - 2.0 * (orders[items[:, None] & items] % 2)
        projectors = [signs[:, orders == j] @ signs[:, orders == j].T / k for j in range(1, levels.flips + 1)]
    else:
        projectors = [np.eye(k) - 1 / k]
    dual, price = np.zeros((k, k)), 0.0
    for projector, gamma, dimension in zip(projectors, levels.eigenvalues, levels.dimensions, strict=True):
        if gamma:
            inverse = dimension / float((projector * information).sum())
            dual += inverse * projector
            price += gamma * dimension * inverse
    return dual, np.full(k, price / k)


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
