"""Make the one bit of 1BitMean."""

from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.reference.byte_stream import Draws
from mechdesign_catalog.reference.rows import Row


def report_mean(oracle: OneBitMean, value: int, draws: Draws) -> Row:
    """Draw a point uniform below k - 1, and turn the bit `point < value` over with q; the value is a step of the grid.

    A number x in [0, maximum] is the step `x (k-1) / maximum`, rounded to a whole number.
    """
    above = draws.uniform_below(oracle.k - 1) < value
    return {"bit": above ^ draws.bernoulli(oracle.support.q)}
