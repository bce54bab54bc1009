"""Scaling of the LP for floats: probabilities of all sizes become numbers near 1.

Privacy is a ratio, a solver's tolerance is absolute. With `x_v = s_v z_v`, `s_v = alpha^d(i,j)`, and every row divided
by the scale of its left side, `x_u >= r x_v` becomes `z_u >= r (s_v / s_u) z_v`: coefficients near 1 that no longer
depend on how unlikely the entries are. (What a solver drops all the same is mended by `refinement`.)
"""

from fractions import Fraction

import numpy as np

from mechdesign.program.exact.numbers import Exact, each_once, exact_float
from mechdesign.program.pair_program import PairProgram
from mechdesign.program.solvers.numeric import Floats, NumericProgram

SMALLEST_SCALE = 1e-290
"""Scales below this are raised to it, so that they stay floating-point numbers."""


class Scaling:
    """The scales of the variables and the coefficients of the rows, made once for one LP."""

    def __init__(self, program: PairProgram, smallest: float = SMALLEST_SCALE) -> None:
        alpha = program.alpha
        powers = np.array([power_as_float(alpha, k) for k in range(int(program.exponent.max()) + 1)])
        self.scale: Floats = np.maximum(powers, smallest)[program.exponent]
        ratio = np.array([float(r) for r in program.ratios])[program.ratio_of]
        self.coefficient: Floats = ratio * (self.scale[program.lower] / self.scale[program.upper])
        most = max(map(abs, program.cost)) or 1
        scaled = np.array([value / most for value in program.cost]) * self.scale
        largest = float(np.abs(scaled).max()) or 1.0
        self.cost_unit: Exact = exact_float(largest) * Exact(most, program.cost_denominator)
        self.cost: Floats = scaled / largest
        self.floor: Floats = np.array(each_once(float, program.floor)) / self.scale
        self.equations = (
            [e.variables for e in program.equations],
            [np.array(each_once(float, e.coefficients)) * self.scale[e.variables] for e in program.equations],
        )
        """Variables and scaled coefficients of each equation."""


def power_as_float(alpha: Fraction, exponent: int) -> float:
    """Return alpha^exponent as a float, 0.0 where it underflows."""
    return float(alpha) ** exponent


def numeric_program(program: PairProgram, scaling: Scaling) -> NumericProgram:
    """Write the LP in the scaled variables, first the two-variable rows, then the equations."""
    n_rows = program.n_rows
    pair_index = np.stack([program.upper, program.lower], axis=1).ravel()
    pair_value = np.stack([np.ones(n_rows), -scaling.coefficient], axis=1).ravel()
    equation_index, equation_value = scaling.equations
    counts = np.concatenate([np.full(n_rows, 2), [len(index) for index in equation_index]]).astype(np.int64)
    rhs = np.array([float(equation.rhs) for equation in program.equations])
    return NumericProgram(
        cost=scaling.cost,
        column_lower=scaling.floor,
        start=np.concatenate([[0], np.cumsum(counts)]),
        index=np.concatenate([pair_index, *equation_index]),
        value=np.concatenate([pair_value, *equation_value]),
        row_lower=np.concatenate([np.zeros(n_rows), rhs]),
        row_upper=np.concatenate([np.full(n_rows, np.inf), rhs]),
    )
