"""The frame of column generation: rows and columns written down, and those they stand for."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.property import Property
from mechdesign.program.linear_program import is_folded

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
SERVED_BY_PATTERNS = frozenset({"RM"})
"""Properties of a row that every pattern can be given: no step up, away from i."""


@dataclass(frozen=True)
class Frame:
    """A problem on a path, and whether rows i and n-i are mixed alike (`folded`).

    Folded, only outputs and inputs `0 .. (n+1)//2` (the kept ones) are written down: a pattern r in row i brings its
    reversal into row n-i, so it counts `r_j + r_(n-j)` in column j, and a middle row, which gets both, counts double on
    its diagonal.
    """

    problem: DesignProblem
    folded: bool

    @classmethod
    def of(cls, problem: DesignProblem) -> "Frame":
        """Make the frame of a problem, folded where that is asked or costs nothing."""
        return cls(problem, is_folded(problem, None))

    @property
    def size(self) -> int:
        """Number of inputs, and of outputs."""
        return self.problem.size

    @cached_property
    def kept(self) -> int:
        """Number of outputs, and of inputs, that are written down."""
        return (self.size + 1) // 2 if self.folded else self.size

    def is_middle(self, i: int) -> bool:
        """Return whether a row is its own mirror image where folded."""
        return self.folded and 2 * i == self.size - 1

    @cached_property
    def steps(self) -> list[int]:
        """The lengths of the edges (j, j+1)."""
        return [int(step) for step in np.diag(self.problem.graph.distances, 1)]

    @cached_property
    def is_monotone(self) -> bool:
        """Whether patterns never step up, away from i (RM is asked)."""
        return bool(SERVED_BY_PATTERNS & self.problem.properties)

    @cached_property
    def pair_properties(self) -> tuple[Property, ...]:
        """Properties of pairs within a row that patterns do not have by themselves."""
        return tuple(
            prop for prop in self.problem.needed if prop.pairs is not None and prop.name not in SERVED_BY_PATTERNS
        )

    def pairs_of(self, prop: Property) -> tuple[Integers, Integers, Integers]:
        """Return arrays i, j, k: one place for each pair `P[i,j] >= ratio P[i,k]` in a kept row."""
        assert prop.pairs is not None
        upper, lower = prop.pairs(self.size)
        kept = upper < self.kept * self.size
        return upper[kept] // self.size, upper[kept] % self.size, lower[kept] % self.size

    def kept_entry(self, entry: int) -> tuple[int, int]:
        """Return (output, input) of an entry of the full matrix, or of its rotation where that is the kept one."""
        i, j = divmod(entry, self.size)
        return min((i, j), (self.size - 1 - i, self.size - 1 - j)) if self.folded else (i, j)

    def entries_of(self, i: int, j: int) -> list[int]:
        """List the entries of the full matrix that a kept one stands for: itself, and where folded its rotation."""
        entry = i * self.size + j
        return [entry, self.size**2 - 1 - entry] if self.folded else [entry]

    def columns_of(self, i: int, j: int) -> list[int]:
        """List the inputs at which a pattern of row i counts in entry (i, j): a middle row gets its reversal too."""
        return [j, self.size - 1 - j] if self.is_middle(i) else [j]

    @cached_property
    def loss(self) -> list[list[Fraction]]:
        """The loss that is minimised in the master: in the worst case brought to [0, 1]."""
        table = self.problem.loss.matrix(self.size)
        if not self.problem.is_worst_case:
            return [list(row) for row in table]
        low, span = self.least_loss, self.loss_span
        return [[(value - low) / span for value in row] for row in table]

    @cached_property
    def least_loss(self) -> Fraction:
        """The least entry of the loss."""
        return min(value for row in self.problem.loss.matrix(self.size) for value in row)

    @cached_property
    def loss_span(self) -> Fraction:
        """The largest minus the least entry of the loss; 1 where they are equal."""
        return max(value for row in self.problem.loss.matrix(self.size) for value in row) - self.least_loss or Fraction(
            1
        )

    @cached_property
    def cost(self) -> list[list[fmpq]]:
        """The cost of a unit in each place of a kept row, both rows together where folded; 0 in the worst case."""
        size = self.size
        if self.problem.is_worst_case:
            return [[fmpq(0)] * size for _ in range(self.kept)]
        full = self.problem.cost
        rows = [
            [full[i][j] + full[size - 1 - i][size - 1 - j] for j in range(size)] if self.folded else full[i]
            for i in range(self.kept)
        ]
        return [[fmpq(value.numerator, value.denominator) for value in row] for row in rows]

    @cached_property
    def beta(self) -> fmpq:
        """The ratio over a step of length 1."""
        alpha = self.problem.step_alpha
        return fmpq(alpha.numerator, alpha.denominator)

    def spread(self, values: list[fmpq]) -> list[fmpq]:
        """Return what multipliers of the kept column sums take off each place of a row."""
        if not self.folded:
            return list(values)
        mirrored = [values[min(j, self.size - 1 - j)] for j in range(self.size)]
        if self.size % 2:
            mirrored[self.size // 2] *= 2
        return mirrored
