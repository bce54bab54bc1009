"""The multipliers of a basis in floats, each with digits of its own.

Those that a solver gives are good to so many places after the point, and far from the diagonal they are smaller than
the last: at alpha = 9/10, n = 512 down to 1e-24. Taken off the runs of the basis, from the outside in, each is the sum
of costs of its own size.
"""

from dataclasses import replace

import numpy as np

from mechdesign.methods.split_and_cut.runs import Forest
from mechdesign.methods.split_and_cut.small_program import SmallPoint, SmallProgram
from mechdesign.methods.split_and_cut.vertex import take_off
from mechdesign.program.solvers.numeric import Floats


def sharpened(small: SmallProgram, trees: Forest, point: SmallPoint) -> SmallPoint | None:
    """Work out the multipliers of a basis anew; None where its equations do not settle them."""
    prices = _prices(small, trees)
    if prices is None:
        return None
    nothing = np.zeros(len(small.has_cut))
    left = small.reduced_costs(prices, nothing)
    runs = np.bincount(trees.run_of, weights=left, minlength=len(trees.tree_of_run)).tolist()
    found = take_off(small.splits, trees, runs, float(small.splits.program.alpha))
    cuts, floors = nothing, np.zeros(len(small.scale))
    cuts[list(found)] = list(found.values())
    grounds = np.intersect1d(trees.ground, small.floored)
    floors[grounds] = [runs[run] for run in trees.run_of[grounds].tolist()]
    return replace(point, prices=prices, cuts=cuts, floors=floors)


def _prices(small: SmallProgram, trees: Forest) -> Floats | None:
    """Solve for the prices at which no tree whose unknown is free costs or gains."""
    splits = small.splits
    free, tight = trees.free, trees.tight_equations
    if len(free) != len(tight):
        return None
    equation, variable, times = splits.terms
    power = float(splits.program.alpha) ** trees.exponent_of
    n_trees, n_equations = len(trees.ground), small.n_equations
    flat = np.bincount(
        equation * n_trees + trees.tree_of[variable], weights=times * power[variable], minlength=n_trees * n_equations
    )
    own = np.bincount(trees.tree_of, weights=power * (small.cost / small.scale), minlength=n_trees)
    prices = np.zeros(n_equations)
    try:
        prices[tight] = np.linalg.solve(flat.reshape(n_equations, n_trees)[np.ix_(tight, free)].T, own[free])
    except np.linalg.LinAlgError:
        return None
    return prices
