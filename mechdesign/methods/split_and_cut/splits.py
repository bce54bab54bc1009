"""The layout of a program for split-and-cut: rows of the matrix, the steps along them, and the rows that are cuts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.program.linear_program import LinearProgram
from mechdesign.program.solvers.numeric import Flags, Floats, Indices


@dataclass(frozen=True)
class Splits:
    """A program on a path of counts, its variables laid out on a grid (kept outputs, inputs).

    A variable stands at its owner, the first place that has it. Away from the diagonal each has one row
    `x[v] >= alpha x[one nearer]`, its outward row; variables on the diagonal are roots. All other rows are cuts.
    """

    program: LinearProgram

    @cached_property
    def size(self) -> int:
        """Number of inputs."""
        return self.program.problem.size

    @cached_property
    def kept(self) -> int:
        """Number of outputs that are written down."""
        return (self.size + 1) // 2 if self.program.symmetric else self.size

    @cached_property
    def grid(self) -> Indices:
        """The variable of each place; shape (kept, size)."""
        return self.program.variable_of[: self.kept * self.size].reshape(self.kept, self.size)

    @cached_property
    def owner(self) -> Indices:
        """The place of each variable, `row * size + column`."""
        return np.unique(self.grid.ravel(), return_index=True)[1]

    @cached_property
    def row(self) -> Indices:
        """The output of each variable's owner."""
        return self.owner // self.size

    @cached_property
    def column(self) -> Indices:
        """The input of each variable's owner."""
        return self.owner % self.size

    @cached_property
    def side(self) -> Indices:
        """1 right of the diagonal, -1 left of it, 0 for roots."""
        side: Indices = np.sign(self.column - self.row)
        return side

    @cached_property
    def roots(self) -> Indices:
        """The variables of the diagonal."""
        return np.flatnonzero(self.side == 0)

    @cached_property
    def root_of(self) -> Indices:
        """The root of each variable's row."""
        return self.grid[self.row, self.row]

    @cached_property
    def _is_outward(self) -> Flags:
        program = self.program
        upper, lower = program.upper, program.lower
        nearer = self.grid[self.row, self.column - self.side]
        alpha = program.ratios.index(program.alpha)
        found: Flags = (self.side[upper] != 0) & (nearer[upper] == lower) & (program.ratio_of == alpha)
        return found

    @cached_property
    def cuts(self) -> Indices:
        """The numbers of all rows that are not outward."""
        return np.flatnonzero(~self._is_outward)

    @cached_property
    def cut_exponents(self) -> Indices:
        """The power a of alpha in each cut: it says `z[upper] >= alpha^a z[lower]`."""
        program, cuts = self.program, self.cuts
        steep = np.array([int(ratio == program.alpha) for ratio in program.ratios])[program.ratio_of[cuts]]
        return steep + program.exponent[program.lower[cuts]] - program.exponent[program.upper[cuts]]

    @cached_property
    def terms(self) -> tuple[Indices, Indices, Indices]:
        """The terms (equation, variable, multiplicity) of all equations."""
        equations = self.program.equations
        numbers = np.repeat(np.arange(len(equations)), [len(e.variables) for e in equations])
        variables = np.concatenate([e.variables for e in equations])
        return numbers, variables, np.array([int(m) for e in equations for m in e.coefficients], dtype=np.int64)

    @cached_property
    def middle(self) -> int:
        """The output that is its own mirror image where rows are folded; -1 without one."""
        return self.kept - 1 if self.program.symmetric and self.size % 2 else -1

    def placed(self, values: Floats) -> Floats:
        """Put values of variables at their owners; 0 elsewhere."""
        grid = np.zeros(self.kept * self.size)
        grid[self.owner] = values
        return grid.reshape(self.kept, self.size)

    @cached_property
    def sides(self) -> tuple[Flags, Flags]:
        """Masks of the places right and left of the diagonal."""
        apart = np.arange(self.size) - np.arange(self.kept)[:, None]
        return apart > 0, apart < 0

    def outer_sums(self, values: Floats) -> Floats:
        """Sum, for each variable, the values of it and of all beyond it; for a root of its whole row, or rows."""
        placed = self.placed(values)
        right, left = (np.where(side, placed, 0.0) for side in self.sides)
        sums = np.where(self.sides[0], right[:, ::-1].cumsum(axis=1)[:, ::-1], left.cumsum(axis=1))
        found: Floats = np.where(self.side == 0, values, sums.ravel()[self.owner])
        rows = np.arange(self.kept)
        beside = right.sum(axis=1) + left.sum(axis=1)
        np.add.at(found, self.grid[rows, rows], beside)
        return found

    def heights(self, steps: Floats) -> Floats:
        """Return z of each variable from its step (a root's own z): steps add up on the way out."""
        placed = self.placed(steps)
        right, left = (np.where(side, placed, 0.0) for side in self.sides)
        rows = np.arange(self.kept)
        z = right.cumsum(axis=1) + left[:, ::-1].cumsum(axis=1)[:, ::-1] + steps[self.grid[rows, rows]][:, None]
        found: Floats = z.ravel()[self.owner]
        return found

    def risen(self, z: Floats) -> Floats:
        """Raise z where it falls on the way out."""
        placed = self.placed(z)
        right, left = self.sides
        rows = np.arange(self.kept)
        roots = z[self.grid[rows, rows]][:, None]
        rightwards = np.maximum.accumulate(np.where(right, placed, roots), axis=1)
        leftwards = np.maximum.accumulate(np.where(left, placed, roots)[:, ::-1], axis=1)[:, ::-1]
        found: Floats = np.where(right, rightwards, leftwards).ravel()[self.owner]
        return found
