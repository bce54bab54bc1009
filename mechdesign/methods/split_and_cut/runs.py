"""Runs and trees of a basis: where z is equal, and where tight cuts tie runs to each other.

A run is a stretch of a row without a basic step: z is one number there. A tight cut `z[upper] = alpha^a z[lower]` ties
two runs. So the runs form trees, and every entry of a tree is a power of alpha times one unknown of it: the unknown is
known where a root of the tree stands at its floor or at 0, and the equations settle the others.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mechdesign.methods.split_and_cut.small_program import SmallBasis
from mechdesign.methods.split_and_cut.splits import Splits
from mechdesign.program.solvers.numeric import Indices


@dataclass(frozen=True)
class Link:
    """A tight cut, by its place among all, that ties a run to its parent in a tree; or that closes a cycle."""

    cut: int
    run: int
    parent: int
    run_is_upper: bool

    @property
    def runs(self) -> tuple[int, int]:
        """The upper and the lower run."""
        return (self.run, self.parent) if self.run_is_upper else (self.parent, self.run)


@dataclass(frozen=True)
class Forest:
    """The trees of a basis.

    `run_of` is the run of each variable, `tree_of` its tree, `exponent_of` the power of alpha of each variable, over
    the unknown of its tree; `height` is the power in each run's z, over the first run of its tree, `tree_of_run` its
    tree.
    `links` lead from the first runs of trees outwards. `ground` is the root variable that settles a tree, -1 where none
    does. A tree that closes a cycle is 0 throughout; `cycles` has one link of each, by tree.
    """

    run_of: Indices
    tree_of: Indices
    exponent_of: Indices
    height: list[int]
    tree_of_run: list[int]
    links: list[Link]
    ground: list[int]
    cycles: dict[int, Link]
    tight_equations: list[int]

    @property
    def free(self) -> list[int]:
        """The trees whose unknown the equations settle."""
        return [tree for tree, root in enumerate(self.ground) if root < 0 and tree not in self.cycles]


def forest(splits: Splits, basis: SmallBasis) -> Forest | None:
    """Find the trees of a basis; None where it does not determine one point."""
    run_of = _runs(splits, basis)
    n_runs = int(run_of.max()) + 1
    has_floor = bool(splits.program.problem.floor)
    if has_floor and not basis.steps[splits.roots].all():
        return None  # below the floor, but for the uniform mechanism
    grounds = splits.roots[basis.at_floor[splits.roots] if has_floor else ~basis.steps[splits.roots]].tolist()
    order = [*run_of[grounds].tolist(), *range(n_runs)]
    neighbours = _neighbours(splits, run_of, np.flatnonzero(basis.tight_cuts), n_runs)
    exponent, tree_of_run = [0] * n_runs, [-1] * n_runs
    links: list[Link] = []
    cycles: dict[int, Link] = {}
    ground: list[int] = []
    for k, start in enumerate(order):
        if tree_of_run[start] >= 0:
            if k < len(grounds):
                return None  # a tree with two grounds
            continue
        tree_of_run[start] = len(ground)
        ground.append(grounds[k] if k < len(grounds) else -1)
        used: set[int] = set()
        reached = [start]
        for run in reached:
            for cut, other, other_is_upper, power in neighbours[run]:
                if cut in used:
                    continue
                used.add(cut)
                if tree_of_run[other] >= 0:
                    tree, gain = tree_of_run[start], exponent[other] - exponent[run]
                    if tree in cycles or ground[tree] >= 0 or gain == (power if other_is_upper else -power):
                        return None  # determined twice, or a cycle that says nothing
                    cycles[tree] = Link(cut, other, run, other_is_upper)
                    continue
                tree_of_run[other] = tree_of_run[start]
                exponent[other] = exponent[run] + (power if other_is_upper else -power)
                links.append(Link(cut, other, run, other_is_upper))
                reached.append(other)
    tree_of = np.array(tree_of_run)[run_of]
    powers = np.array(exponent)[run_of] + splits.program.exponent[: len(run_of)]
    lowest = np.full(len(ground), np.iinfo(np.int64).max)
    np.minimum.at(lowest, tree_of, powers)
    return Forest(
        run_of,
        tree_of,
        powers - lowest[tree_of],
        exponent,
        tree_of_run,
        links,
        ground,
        cycles,
        np.flatnonzero(basis.tight_equations).tolist(),
    )


def _runs(splits: Splits, basis: SmallBasis) -> Indices:
    """Number the run of each variable: that of the nearest basic step towards the diagonal, or of the root."""
    places = np.arange(splits.size)
    rows = np.arange(splits.kept)
    starts = splits.placed(basis.steps.astype(np.float64)) > 0
    right, left = splits.sides
    diagonal = np.broadcast_to(rows[:, None], starts.shape)
    outer = np.maximum.accumulate(np.where(right & starts, places, diagonal), axis=1)
    inner = np.minimum.accumulate(np.where(left & starts, places, diagonal)[:, ::-1], axis=1)[:, ::-1]
    head = np.where(right, outer, inner)
    heads = splits.grid[splits.row, head.ravel()[splits.owner]]
    return np.unique(heads, return_inverse=True)[1].reshape(-1)


def _neighbours(splits: Splits, run_of: Indices, tight: Indices, n_runs: int) -> list[list[tuple[int, int, bool, int]]]:
    """List for each run its tight cuts: (cut, other run, whether the other is the upper one, power of alpha)."""
    found: list[list[tuple[int, int, bool, int]]] = [[] for _ in range(n_runs)]
    program, rows = splits.program, splits.cuts[tight]
    for cut, upper, lower, power in _zipped(
        tight, run_of[program.upper[rows]], run_of[program.lower[rows]], splits.cut_exponents[tight]
    ):
        found[lower].append((cut, upper, True, power))
        found[upper].append((cut, lower, False, power))
    return found


def _zipped(*arrays: Indices) -> Iterator[tuple[int, ...]]:
    return zip(*(array.tolist() for array in arrays), strict=True)
