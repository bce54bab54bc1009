"""Measured errors of mechanisms on data: exact expectations, and repeated releases."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Generic, TypeVar

from mechdesign.counts.error_law import error_law, simulate_errors
from mechdesign.counts.error_metrics import Metric
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import WordSource

Expected = TypeVar("Expected", bound=float | None)
Expected_co = TypeVar("Expected_co", bound=float | None, covariant=True)
"""`float` where every metric has an exact expectation, `float | None` where some have none."""


@dataclass(frozen=True)
class Measured(Generic[Expected_co]):
    """A metric of a mechanism or of an oracle on data: its expectation, and what repeated simulations gave.

    `expected` has no sampling noise. `mean` and `deviation` are those of the simulated values, one for each repetition
    (the sample standard deviation; None for a single repetition).
    """

    metric: str
    expected: Expected_co
    mean: float
    deviation: float | None
    repetitions: int

    @property
    def standard_error(self) -> float | None:
        """The standard error of the simulated mean; None for a single repetition."""
        return None if self.deviation is None else self.deviation / self.repetitions**0.5


def summarise(metric: str, expected: Expected, values: Sequence[float]) -> Measured[Expected]:
    """Summarise simulated values of a metric, one for each repetition.

    Mean and deviation are worked out exactly from the floats: where every repetition gives the same value, that is the
    mean and the deviation is 0, not the dust of rounding.

    >>> summarise("rmse", 0.5, [0.25, 0.25]).standard_error
    0.0
    """
    return Measured(metric, expected, mean(values), stdev(values) if len(values) > 1 else None, len(values))


def measure(
    mechanism: Mechanism,
    histogram: Sequence[int],
    metrics: Sequence[Metric],
    repetitions: int,
    words: WordSource | None = None,
    report: Callable[[int], None] = lambda draws: None,
) -> list[Measured[float]]:
    """Measure every metric from one law and one set of simulated releases; arguments as `simulate_errors`."""
    law = error_law(mechanism, histogram)
    errors = simulate_errors(mechanism, histogram, repetitions, words, report)
    return [summarise(metric.name, metric.expected(law), metric.simulated(errors).tolist()) for metric in metrics]
