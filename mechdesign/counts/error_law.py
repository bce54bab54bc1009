"""The exact law of the error of released counts on given data, and draws from it.

Groups with true counts 0..n are summed up by a histogram h, `h[j]` groups with the count j. The error of one group is
`e = released - true`, in -n..n. Everything here is about the shares of groups by their error; a metric is a function of
those shares (`mechdesign.counts.error_metrics`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import ColumnSampler, WordSource, system_words


@dataclass(frozen=True)
class ErrorLaw:
    """The law of the error of a group.

    `weights[e+n] / denominator` is the expected share of groups whose error is e = -n..n; the shares sum to 1.
    """

    weights: tuple[int, ...]
    denominator: int

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The expected shares of the errors -n..n, exact."""
        return tuple(Fraction(weight, self.denominator) for weight in self.weights)


DRAWS_AT_ONCE = 1 << 20
"""Bounds the memory of a simulation, whatever the data, to less than 100 MB."""


def error_law(mechanism: Mechanism, histogram: Sequence[int]) -> ErrorLaw:
    """Compute `shares[e+n] = sum_j h[j] P[j+e, j] / sum_j h[j]` exactly, without sampling noise; true counts are fixed.

    Args:
        mechanism: square, `n+1` inputs and outputs.
        histogram: `h[j]` groups have the true count j; length n+1.

    Raises:
        InputError: for a histogram of another length, or without groups.
    """
    n = _require_fit(mechanism, histogram)
    sums = [0] * (2 * n + 1)
    for j, groups in enumerate(histogram):
        if groups:
            for i, row in enumerate(mechanism.weights):
                sums[i - j + n] += groups * row[j]
    return ErrorLaw(tuple(sums), sum(histogram) * mechanism.denominator)


def simulate_errors(
    mechanism: Mechanism,
    histogram: Sequence[int],
    repetitions: int,
    words: WordSource | None = None,
    report: Callable[[int], None] = lambda draws: None,
) -> NDArray[np.int64]:
    """Release all groups `repetitions` times; `errors[r, e+n]` groups had the error e in repetition r.

    Each count is drawn by the exact sampler, independently. `report` is told the number of draws made since it was
    last told. Operating-system randomness unless `words` is given.

    Raises:
        InputError: as `error_law`, or for less than one repetition.
    """
    n = _require_fit(mechanism, histogram)
    if repetitions < 1:
        raise InputError(f"repetitions must be at least 1, got repetitions={repetitions}")
    source = system_words if words is None else words
    errors = np.zeros((repetitions, 2 * n + 1), dtype=np.int64)
    for j, groups in enumerate(histogram):
        if not groups:
            continue
        sampler = ColumnSampler([row[j] for row in mechanism.weights], mechanism.denominator)
        for start in range(0, groups * repetitions, DRAWS_AT_ONCE):
            stop = min(start + DRAWS_AT_ONCE, groups * repetitions)
            repetition = np.arange(start, stop) // groups
            first, last = int(repetition[0]), int(repetition[-1])
            cells = sampler.draw(source, stop - start) + (repetition - first) * (n + 1)
            times = np.bincount(cells, minlength=(last - first + 1) * (n + 1)).reshape(-1, n + 1)
            errors[first : last + 1, n - j : 2 * n - j + 1] += times
            report(stop - start)
    return errors


def _require_fit(mechanism: Mechanism, histogram: Sequence[int]) -> int:
    size = mechanism.n_inputs
    if mechanism.n_outputs != size:
        raise InputError(f"mechanism must be a square matrix, got {mechanism.n_outputs} x {size}")
    if len(histogram) != size:
        raise InputError(f"data must be groups of n = {size - 1} people, got n = {len(histogram) - 1}")
    if min(histogram) < 0 or not sum(histogram):
        raise InputError("data must have at least one group, and no negative number of them")
    return size - 1
