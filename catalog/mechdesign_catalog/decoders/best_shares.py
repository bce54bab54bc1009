"""Shares of users over the levels of a system that make answers vary least.

The variance f(p) of linear unbiased answers is convex in the shares p, and goes with 1 over all of them together. So
with its falls g at any p it is nowhere below `f^2 / max g'q`, the maximum over all shares q that are allowed.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mechdesign_catalog.randomizers.reports.probabilities import Floats

Variance = Callable[[Floats], tuple[float, Floats]]
"""Computes the variance at some shares, and by how much it falls with each of them."""

MOST_TRIED = 100
"""Shares that are tried at most."""

ENOUGH, LEAST_STEP = 1e-4, 1e-3
"""A step brings this part of what its slope promises, or is halved; a smaller part of a whole step is none."""

CURVED = 0.2
"""The curvature along a step is taken to be at least this part of what it was thought to be (Powell, 1978)."""

SIGN = 1e-12
"""A price is below 0 where it is so by this part of what all shares together cost."""


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares with the variance there, its falls, and a bound that no shares have less than."""

    shares: Floats
    variance: float
    falls: Floats
    bound: float


def best_shares(
    variance: Variance,
    start: Floats,
    least: float,
    is_enough: Callable[[Shares], bool],
    curved: Callable[[Floats], Floats] | None = None,
) -> Shares:
    """Find shares with nearly the least variance, none below `least`, by sequential quadratic programming.

    Args:
        variance: convex in the shares; it goes with 1 over all of them together.
        start: what is tried first, above 0; brought to the sum 1, and to shares of at least the least one.
        least: a share has at least this.
        is_enough: tells of each variance with its bound whether the search ends; it ends where nothing helps, too.
        curved: the matrix of the second derivatives at some shares, where it is known; else it is learnt from slopes.

    >>> costs = np.array([1.0, 4.0])  # the least of 1/p + 4/(1 - p) is 9
    >>> found = best_shares(lambda p: ((costs / p).sum(), costs / p**2), costs, 0.01, lambda at: at.variance < 9.0001)
    >>> found.shares.round(2), found.bound <= 9
    (array([0.33, 0.67]), True)
    """

    count = len(start)

    def at(shares: Floats) -> Shares:
        value, falls = variance(shares)
        most = least * falls.sum() + (1 - count * least) * falls.max()
        return Shares(shares, value, falls, float(value**2 / most))

    here = at(least + (1 - count * least) * start / start.sum())
    curvature, tried = np.diag(here.falls / here.shares) if curved is None else curved(here.shares), 1
    while tried < MOST_TRIED and not is_enough(here):
        step, part = _step(curvature, here.falls, here.shares - least), 1.0
        promised = float(here.falls @ step)
        there = at(here.shares + step)
        while there.variance > here.variance - ENOUGH * part * promised and part > LEAST_STEP and not is_enough(there):
            part, tried = part / 2, tried + 1
            there = at(here.shares + part * step)
        if there.variance >= here.variance and not is_enough(there):
            break
        if curved is None:
            curvature += _correction(curvature, part * step, here.falls - there.falls)
        else:
            curvature = curved(there.shares)
        here, tried = there, tried + 1
    return here


def _step(curvature: Floats, falls: Floats, room: Floats) -> Floats:
    """Return the step d of sum 0 that minimizes `d'Bd/2 - g'd`, none further down than there is room.

    Where B is so nearly singular that the ends are not found, all room goes to the share whose growth promises most.
    """
    count, at_end = len(room), np.zeros(len(room), dtype=bool)
    for _ in range(4 * count):
        step, free = np.where(at_end, -room, 0.0), np.flatnonzero(~at_end)
        system = np.ones((len(free) + 1,) * 2)
        system[:-1, :-1], system[-1, -1] = curvature[np.ix_(free, free)], 0.0
        solved = np.linalg.solve(system, np.append((falls - curvature @ step)[free], -step.sum()))
        step[free] = solved[:-1]
        if (step < -room).any():
            at_end |= step < -room
            continue
        prices = np.where(at_end, curvature @ step - falls + solved[-1], 0.0)
        if prices.min() >= -SIGN * abs(solved[-1]):
            return step
        at_end[prices.argmin()] = False
    step = -room
    step[falls.argmax()] += room.sum()
    return step


def _correction(curvature: Floats, step: Floats, change: Floats) -> Floats:
    """Return what brings the curvature to the change of the slopes along a step, kept positive (BFGS, damped)."""
    thought = curvature @ step
    known, seen = float(step @ thought), float(step @ change)
    trust = 1.0 if seen >= CURVED * known else (1 - CURVED) * known / (known - seen)
    change = trust * change + (1 - trust) * thought
    found: Floats = np.outer(change, change) / float(step @ change) - np.outer(thought, thought) / known
    return found
