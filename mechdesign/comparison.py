"""Measuring one mechanism on data, twice: the exact expectation, and repeated releases."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mechdesign.accuracy import error_law, simulate_errors
from mechdesign.mechanism import Mechanism
from mechdesign.metrics import Metric
from mechdesign.sampling import WordSource


@dataclass(frozen=True)
class Measured:
    """A metric of a mechanism on data.

    `expected` has no sampling noise. `mean` and `deviation` are those of the simulated values, one for each repetition
    (the sample standard deviation; None for a single repetition).
    """

    metric: str
    expected: float
    mean: float
    deviation: float | None
    repetitions: int

    @property
    def standard_error(self) -> float | None:
        """Of the mean."""
        return None if self.deviation is None else self.deviation / self.repetitions**0.5


def measure(
    mechanism: Mechanism,
    histogram: Sequence[int],
    metrics: Sequence[Metric],
    repetitions: int,
    words: WordSource | None = None,
    report: Callable[[int], None] = lambda draws: None,
) -> list[Measured]:
    """Every metric from one law and one set of simulated releases; arguments as `simulate_errors`."""
    law = error_law(mechanism, histogram)
    errors = simulate_errors(mechanism, histogram, repetitions, words, report)
    found = []
    for metric in metrics:
        values = metric.simulated(errors)
        deviation = float(np.std(values, ddof=1)) if repetitions > 1 else None
        found.append(Measured(metric.name, metric.expected(law), float(np.mean(values)), deviation, repetitions))
    return found
