"""The exact vertex of a basis and its multipliers, by whole arrays of integers.

With alpha = p/q every entry is `p^e q^(E-e) / q^E` times the unknown of its tree, so the equations for the unknowns are
sums of such integers. The transposed equations give the prices; multipliers of tight cuts follow by taking runs off the
trees, from the outside in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any, TypeVar

import numpy as np
from flint import fmpq_mat
from numpy.typing import NDArray

from mechdesign.methods.split_and_cut.runs import Forest
from mechdesign.methods.split_and_cut.splits import Splits
from mechdesign.program.exact.numbers import ZERO, Exact, to_exact, whole_values
from mechdesign.program.solvers.numeric import Indices

Wholes = NDArray[Any]
"""Arrays of Python's integers, or of rationals (dtype object)."""

Number = TypeVar("Number", Exact, float)


@dataclass(frozen=True)
class Duals:
    """Multipliers: prices of equations, of tight cuts by their place among all, and of floors by root."""

    prices: list[Exact]
    cuts: dict[int, Exact]
    floors: dict[int, Exact]

    @property
    def are_nonnegative(self) -> bool:
        """Whether no multiplier of an inequality is negative."""
        return all(value >= 0 for values in (self.cuts, self.floors) for value in values.values())


@dataclass(frozen=True)
class Vertex:
    """Integer weights of the variables over one denominator, and multipliers; signs are not checked."""

    weights: list[int]
    denominator: int
    duals: Duals


def exact_vertex(splits: Splits, trees: Forest) -> Vertex | None:
    """Solve for the vertex of a basis; None where it does not determine one point."""
    free, tight = trees.free, trees.tight_equations
    if len(free) != len(tight):
        return None
    powers = _powers(splits, int(trees.exponent_of.max()))
    table = _tree_sums(splits, trees, powers)
    system = _System.of(splits.program.alpha, [[table[k][t] for t in free] for k in tight])
    unknown = _grounded(splits, trees)
    one = Exact(int(powers[0]))
    left = [one - sum((table[k][t] * value for t, value in unknown.items()), ZERO) for k in tight]
    own = _sums(trees.tree_of, powers[trees.exponent_of] * _wholes(splits.program.cost), len(trees.ground))
    try:
        solved = system.solve(left)
        found = system.solve_transposed([own[t] for t in free])
    except ZeroDivisionError:
        return None
    prices = [ZERO] * len(table)
    for k, price in zip(tight, found, strict=True):
        prices[k] = price
    unknown |= dict(zip(free, solved, strict=True))
    for k in set(range(len(table))).difference(tight):
        if sum((table[k][t] * value for t, value in unknown.items()), ZERO) != one:
            return None
    wholes, common = whole_values([unknown[t] for t in range(len(trees.ground))])
    weights = powers[trees.exponent_of] * _wholes(wholes)[trees.tree_of]
    return Vertex(weights.tolist(), common * int(powers[0]), _duals(splits, trees, prices))


@dataclass(frozen=True)
class _System:
    """The equations of unknowns, brought to a form that is solved at once.

    A coefficient is a sum of powers of alpha that fall with the distance from an output. So alpha times a neighbour is
    taken off each equation, first the next one and then the one before, and each is divided by what its integers have
    in common: hardly more than a diagonal is left. (As they stand, 257 equations take a second in one step, in which
    no Ctrl-C acts.)
    """

    alpha: Fraction
    common: list[int]
    matrix: fmpq_mat

    @classmethod
    def of(cls, alpha: Fraction, rows: list[list[int]]) -> "_System":
        """Make it from the equations' coefficients."""
        size = len(rows)
        thin = _less_neighbours(alpha, _wholes(rows).reshape(size, size)).tolist()
        common = [gcd(*row) or 1 for row in thin]
        flat = [value // divisor for row, divisor in zip(thin, common, strict=True) for value in row]
        return cls(alpha, common, fmpq_mat(size, size, flat))

    def solve(self, right: Sequence[Exact]) -> list[Exact]:
        """Return the unknowns for a right side."""
        thin = _less_neighbours(self.alpha, _wholes(right)).tolist()
        column = [[value / divisor] for value, divisor in zip(thin, self.common, strict=True)]
        return list(self.matrix.solve(fmpq_mat(column)).entries()) if column else []

    def solve_transposed(self, right: Sequence[int]) -> list[Exact]:
        """Return the multipliers of the equations that add up to a cost of each unknown."""
        if not right:
            return []
        found = self.matrix.transpose().solve(fmpq_mat([[value] for value in right])).entries()
        shares = [value / divisor for value, divisor in zip(found, self.common, strict=True)]
        return list(_less_neighbours(self.alpha, _wholes(shares), transposed=True))


def _less_neighbours(alpha: Fraction, values: Wholes, *, transposed: bool = False) -> Wholes:
    """Take `alpha` times the next one off each but the last, then `alpha` times the one before off each but the first.

    All is multiplied by the denominator of alpha where something is taken off. Transposed, carry multipliers of the
    equations so made back to those that were given.
    """
    p, q = alpha.numerator, alpha.denominator
    if not transposed:
        less_next = np.concatenate([q * values[:-1] - p * values[1:], values[-1:]])
        return np.concatenate([less_next[:1], q * less_next[1:] - p * less_next[:-1]])
    carried = np.concatenate([values[:1], q * values[1:]])
    carried[:-1] -= p * values[1:]
    given = np.concatenate([q * carried[:-1], carried[-1:]])
    given[1:] -= p * carried[:-1]
    return given


def _powers(splits: Splits, largest: int) -> Wholes:
    """Return `p^e q^(E-e)` for e = 0 .. E."""
    p, q = splits.program.alpha.numerator, splits.program.alpha.denominator
    up, down = [1], [1]
    for _ in range(largest):
        up.append(up[-1] * p)
        down.append(down[-1] * q)
    return _wholes(up) * _wholes(down[::-1])


def _wholes(values: Sequence[int] | Sequence[list[int]] | Sequence[Exact]) -> Wholes:
    return np.array(values, dtype=object)


def _sums(groups: Indices, values: Wholes, n_groups: int) -> list[int]:
    """Add up integers by group."""
    order = np.argsort(groups, kind="stable")
    sorted_groups = groups[order]
    starts = np.flatnonzero(np.append(True, sorted_groups[1:] != sorted_groups[:-1]))
    found = [0] * n_groups
    for group, total in zip(sorted_groups[starts].tolist(), np.add.reduceat(values[order], starts), strict=True):
        found[group] = total
    return found


def _tree_sums(splits: Splits, trees: Forest, powers: Wholes) -> list[list[int]]:
    """Return what the unknown of each tree brings to each equation, over q^E."""
    equation, variable, times = splits.terms
    n_trees, n_equations = len(trees.ground), len(splits.program.equations)
    values = powers[trees.exponent_of[variable]] * times.astype(object)
    flat = _sums(equation * n_trees + trees.tree_of[variable], values, n_trees * n_equations)
    return [flat[k * n_trees : (k + 1) * n_trees] for k in range(n_equations)]


def _grounded(splits: Splits, trees: Forest) -> dict[int, Exact]:
    """Return the unknowns of trees that are settled by a root at its floor or at 0, or by a cycle, at 0."""
    alpha = to_exact(splits.program.alpha)
    return dict.fromkeys(trees.cycles, ZERO) | {
        tree: to_exact(splits.program.floor[root]) / alpha ** int(trees.exponent_of[root])
        for tree, root in enumerate(trees.ground)
        if root >= 0
    }


def reduced_costs(splits: Splits, prices: list[Exact]) -> tuple[Wholes, int]:
    """Return the costs less the prices of the equations, as integers over one denominator; cuts are not taken off."""
    whole, common = whole_values(prices)
    equation, variable, times = splits.terms
    taken = _sums(variable, times.astype(object) * _wholes(whole)[equation], splits.program.n_variables)
    return _wholes(splits.program.cost) * common - _wholes(taken), common


def take_off(splits: Splits, trees: Forest, left: list[Number], alpha: Number) -> dict[int, Number]:
    """Take runs off their trees, those farthest from the trees' roots first; return the multipliers of tight cuts.

    `left` has what each run costs beyond the prices, and keeps what is left at the trees' roots.
    """
    cuts = {}
    for tree, link in trees.cycles.items():
        ratio, (upper_run, lower_run) = alpha ** int(splits.cut_exponents[link.cut]), link.runs
        slope = {run: alpha ** trees.height[run] for run, of in enumerate(trees.tree_of_run) if of == tree}
        carried = sum((factor * left[run] for run, factor in slope.items()), 0 * alpha)
        cuts[link.cut] = carried / (slope[upper_run] - ratio * slope[lower_run])
        left[upper_run] -= cuts[link.cut]
        left[lower_run] += ratio * cuts[link.cut]
    for link in reversed(trees.links):
        ratio = alpha ** int(splits.cut_exponents[link.cut])
        have = left[link.run]
        left[link.parent] += have * ratio if link.run_is_upper else have / ratio
        cuts[link.cut] = have if link.run_is_upper else -have / ratio
    return cuts


def _duals(splits: Splits, trees: Forest, prices: list[Exact]) -> Duals:
    """Return the multipliers at these prices."""
    program = splits.program
    reduced, common = reduced_costs(splits, prices)
    powers = _powers(splits, int(program.exponent.max()))
    sums = _sums(trees.run_of, powers[program.exponent] * reduced, int(trees.run_of.max()) + 1)
    left = [Exact(value, common * int(powers[0])) for value in sums]
    alpha = to_exact(program.alpha)
    cuts = take_off(splits, trees, left, alpha)
    floors = {root: left[trees.run_of[root]] for root in trees.ground if root >= 0}
    scale = 1 / Exact(program.cost_denominator)
    upper = program.exponent[program.upper[splits.cuts]]
    return Duals(
        [y * scale for y in prices],
        {cut: value * scale / alpha ** int(upper[cut]) for cut, value in cuts.items()},
        {root: value * scale for root, value in floors.items()},
    )
