"""The outputs that are written down, their costs, and the equation of each input.

Where loss and prior are symmetric, output k-1-i is output i read backwards: only one of the two is written down, and
inputs j and k-1-j have one equation. Each row that is written down then counts twice, as it is and backwards; the
middle one too, so that it is half of its output.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechdesign.methods.active_outputs.program import kept_outputs
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.linear_program import is_folded
from mechdesign.program.solvers.numeric import Floats, Indices

Wholes = NDArray[Any]
"""Arrays of Python's integers (dtype object)."""


@dataclass(frozen=True)
class KeptTable:
    """The written rows of a problem without properties.

    minimise    sum_ij cost_ij P_ij                             over the written outputs i
    subject to  sum_i (P_ij + P_i,k-1-j, where folded) = right_j     every equation j
                M_i >= P_ij >= alpha M_i >= 0
    """

    problem: DesignProblem

    @cached_property
    def folded(self) -> bool:
        """Whether outputs are written down with their mirror images."""
        return is_folded(self.problem, None)

    @cached_property
    def n_kept(self) -> int:
        """Number of outputs that are written down."""
        return len(kept_outputs(self.problem))

    @cached_property
    def alpha(self) -> float:
        """The least ratio of two entries of a row."""
        return float(self.problem.step_alpha)

    @cached_property
    def whole(self) -> Wholes:
        """The costs, times the problem's denominator of costs; shape (kept, size)."""
        return np.array(self.problem.whole_cost[0][: self.n_kept], dtype=object)

    @cached_property
    def most(self) -> int:
        """The largest absolute cost, 1 where all are 0."""
        return int(np.abs(self.whole).max()) or 1

    @cached_property
    def costs(self) -> Floats:
        """The costs in units of the largest."""
        return (self.whole / self.most).astype(np.float64)

    @cached_property
    def place(self) -> Indices:
        """The equation of each input."""
        inputs = np.arange(self.problem.size)
        return np.minimum(inputs, inputs[::-1]) if self.folded else inputs

    @cached_property
    def right(self) -> list[Fraction]:
        """The right side of each equation: how many inputs it stands for, half of them where folded."""
        counts = np.bincount(self.place).tolist()
        return [Fraction(count, 2 if self.folded else 1) for count in counts]

    def add_up(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up values of inputs by equation, along the last axis."""
        if not self.folded:
            return values
        half = self.problem.size // 2
        sums = values[..., :half] + values[..., ::-1][..., :half]
        return np.concatenate([sums, values[..., half : self.n_kept]], axis=-1)
