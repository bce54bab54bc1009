"""Measuring mechanisms on data, twice: the exact expectation, and repeated releases."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean, stdev
from typing import Protocol

from mechdesign.counts.error_law import error_law, simulate_errors
from mechdesign.counts.error_metrics import Metric
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import WordSource
from mechdesign.rational import fraction_text, natural_log

Entry = dict[str, str | int | float | None]


class Row(Protocol):
    """A line of a table."""

    def entry(self) -> Entry:
        """Its cells by column."""


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


@dataclass(frozen=True)
class ComparisonRow:
    """One metric of one mechanism on data grouped by n; `alpha` is what the mechanism was made for."""

    mechanism: str
    n: int
    alpha: Fraction
    groups: int
    measured: Measured

    def entry(self) -> Entry:
        """The row as JSON and CSV have it."""
        return {
            "mechanism": self.mechanism,
            "metric": self.measured.metric,
            "n": self.n,
            "alpha": fraction_text(self.alpha),
            "expected": self.measured.expected,
            "mean": self.measured.mean,
            "standard_error": self.measured.standard_error,
            "standard_deviation": self.measured.deviation,
            "repetitions": self.measured.repetitions,
            "groups": self.groups,
            "epsilon": -natural_log(self.alpha),
        }


def measure(
    mechanism: Mechanism,
    histogram: Sequence[int],
    metrics: Sequence[Metric],
    repetitions: int,
    words: WordSource | None = None,
    report: Callable[[int], None] = lambda draws: None,
) -> list[Measured]:
    """Every metric from one law and one set of simulated releases; arguments as `simulate_errors`.

    Mean and deviation are worked out exactly from the floats: where every repetition gives the same value, that is the
    mean and the deviation is 0, not the dust of rounding.
    """
    law = error_law(mechanism, histogram)
    errors = simulate_errors(mechanism, histogram, repetitions, words, report)
    found = []
    for metric in metrics:
        values = metric.simulated(errors).tolist()
        deviation = stdev(values) if repetitions > 1 else None
        found.append(Measured(metric.name, metric.expected(law), mean(values), deviation, repetitions))
    return found


def comparison_csv(rows: Sequence[Row]) -> str:
    """One line for each row; floats are the shortest decimals that read back the same."""
    stream = io.StringIO()
    entries = [row.entry() for row in rows]
    writer = csv.DictWriter(stream, list(entries[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(entries)
    return stream.getvalue()
