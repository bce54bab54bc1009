"""Pricing: the pattern of least reduced cost in a row, by one walk from each end to i.

With reduced costs R of the row, the best tail beyond a step is the same whatever came before it:

    v_j = R_j + min(alpha^d v_(j+1), alpha^-d v_(j+1))      to the right of i, and its mirror image to the left

(the second choice is `v_(j+1)` itself, a flat step, under RM). The value of the row is `R_i` plus both tails.
Exponents e give the pattern `alpha^e`, scaled to a largest entry of 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from mechdesign.methods.column_generation.frame import Floats, Frame, Integers

ZERO = fmpq(0)


@dataclass(frozen=True)
class Pattern:
    """A pattern for a kept row: `alpha^exponents`, smallest exponent 0."""

    row: int
    exponents: tuple[int, ...]


def best_patterns(frame: Frame, reduced: Floats) -> tuple[Floats, Integers]:
    """Find the patterns of least reduced cost of all kept rows, in floating point.

    Args:
        reduced: shape (kept, size), reduced costs R.

    Returns:
        (values, exponents): values of patterns scaled to a largest entry of 1; shapes (kept,) and (kept, size).
    """
    kept, size = reduced.shape
    alpha = float(frame.beta.p) / float(frame.beta.q)
    down = alpha ** np.array(frame.steps)
    up = np.ones(size - 1) if frame.is_monotone else 1 / down
    rise = np.zeros(size - 1, dtype=np.int64) if frame.is_monotone else -np.array(frame.steps)
    value = np.zeros(kept)
    change = np.zeros((kept, size), dtype=np.int64)  # of the exponent at j, coming from i
    diagonal = np.arange(kept)
    root = reduced[diagonal, diagonal].copy()
    tail = np.zeros(kept)
    for j in range(size - 1, 0, -1):
        value = reduced[:, j] + tail
        falls = value > 0
        change[:, j] = np.where(falls, frame.steps[j - 1], rise[j - 1])
        tail = np.where(falls, value * down[j - 1], value * up[j - 1])
        if j - 1 < kept:
            root[j - 1] += tail[j - 1]
    right = np.where(np.arange(size) > diagonal[:, None], change, 0).cumsum(axis=1)
    tail = np.zeros(kept)
    for j in range(size - 1):
        value = reduced[:, j] + tail
        falls = value > 0
        change[:, j] = np.where(falls, frame.steps[j], rise[j])
        tail = np.where(falls, value * down[j], value * up[j])
        if j + 1 < kept:
            root[j + 1] += tail[j + 1]
    left = np.where(np.arange(size) < diagonal[:, None], change, 0)[:, ::-1].cumsum(axis=1)[:, ::-1]
    exponents = right + left
    lowest = exponents.min(axis=1)
    return root * alpha ** (-lowest.astype(float)), exponents - lowest[:, None]


def best_pattern(frame: Frame, i: int, reduced: Sequence[fmpq]) -> tuple[fmpq, Pattern]:
    """Find the pattern of least reduced cost of one row, in rationals."""
    size = frame.size
    exponents = [0] * size
    value = reduced[i]
    for inputs in (range(size - 1, i, -1), range(i)):
        tail = ZERO
        for j in inputs:
            total = reduced[j] + tail
            step = frame.steps[j - 1] if j > i else frame.steps[j]
            if total > 0:
                exponents[j], tail = step, total * frame.beta**step
            elif frame.is_monotone:
                exponents[j], tail = 0, total
            else:
                exponents[j], tail = -step, total / frame.beta**step
        value += tail
    for j in range(i + 1, size):
        exponents[j] += exponents[j - 1]
    for j in range(i - 1, -1, -1):
        exponents[j] += exponents[j + 1]
    lowest = min(exponents)
    return value / frame.beta**lowest, Pattern(i, tuple(e - lowest for e in exponents))
