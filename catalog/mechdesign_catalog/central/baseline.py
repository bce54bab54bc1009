"""The central baseline: what a trusted server would release.

Local oracles are measured on its scale.

A server holds the counts of k items over n users, one item each, n public. Neighbours are data of n users of whom one
has another item: two counts change, by 1 each, so the L1-sensitivity of the counts is 2. Results are counts, not
rounded and not clipped; divided by n they are shares (and their variances by n^2).

Answers to linear queries are those on the released counts: `queries.apply(released)`.
"""

from abc import abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.queries import Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.randomizers.oracle import checked_privacy
from mechdesign_catalog.randomizers.reports.probabilities import Floats

Counts = NDArray[np.int64]

SENSITIVITY = 2


@dataclass(frozen=True)
class CentralBaseline:
    """A mechanism of a trusted server: noisy counts, with their mean and variance; it holds its privacy parameter.

    Noise has mean 0 and is independent from item to item, unless a mechanism says otherwise.

    Raises:
        InputError: for a privacy parameter that is none.
    """

    privacy: Privacy
    name: ClassVar[str]

    def __post_init__(self) -> None:
        checked_privacy(self.privacy)  # refuses one that is out of range

    @classmethod
    def option_names(cls) -> tuple[str, ...]:
        """List the fields besides the privacy parameter."""
        return tuple(field.name for field in fields(cls) if field.name != "privacy")

    @property
    def scale(self) -> float:
        """Scale of the noise on counts: the sensitivity over epsilon."""
        return float(SENSITIVITY / self.privacy.budget)

    @abstractmethod
    def simulate(self, counts: Counts, generator: np.random.Generator) -> Floats:
        """Draw noisy counts, shape (k,), with floats from a seeded generator: for studies only, it protects nobody."""

    @abstractmethod
    def release(self, counts: Counts) -> Floats:
        """Release noisy counts, shape (k,), through OpenDP and with the operating system's randomness.

        Raises:
            InputError: where OpenDP is not installed.
        """

    def expected(self, counts: Counts) -> Floats:
        """Return the mean of each result, where these are the true counts: the counts themselves."""
        return checked_counts(counts).astype(np.float64)

    @abstractmethod
    def variance(self, counts: Counts) -> Floats:
        """Return the variance of each result."""

    def answer_variance(self, queries: Queries, counts: Counts) -> Floats:
        """Return the variance of the answer to each query, shape (q,): that of the results times squared weights."""
        return queries.apply_squares(self.variance(counts))


class EqualBase(CentralBaseline):
    """A baseline with noise of one variance on every count, whatever the counts are."""

    @property
    @abstractmethod
    def item_variance(self) -> float:
        """Variance of each result."""

    def variance(self, counts: Counts) -> Floats:
        """Return the variance of each result."""
        return np.full(len(checked_counts(counts)), self.item_variance)

    def average_variance(self, workload: Workload) -> float:
        """Return the mean variance over all queries of a workload, of counts."""
        return self.item_variance * float(Fraction(workload.block_energy(1)) / workload.count)


def mean_squared_error(baseline: CentralBaseline, counts: Counts) -> Floats:
    """Compute the mean squared error of each result: variance and squared bias."""
    bias: Floats = baseline.expected(counts) - counts
    return baseline.variance(counts) + bias**2


def answers_squared_error(baseline: CentralBaseline, queries: Queries, counts: Counts) -> Floats:
    """Compute the mean squared error of each answer, shape (q,): variance and squared bias."""
    bias: Floats = queries.apply(baseline.expected(counts) - counts)
    return baseline.answer_variance(queries, counts) + bias**2


def checked_counts(counts: Counts) -> Counts:
    """Check a vector of counts: whole numbers of at least 0, and at least one person.

    Raises:
        InputError: for anything else.
    """
    counts = np.asarray(counts)
    if counts.ndim != 1 or counts.dtype.kind not in "iu":
        raise InputError(f"counts must be a vector of whole numbers, got {counts.dtype}, {counts.ndim} dimensions")
    if (counts < 0).any():
        item = int(np.argmax(counts < 0))
        raise InputError(f"counts must be at least 0, got {counts[item]} for item {item}")
    if not counts.any():
        raise InputError("counts must have at least one person, got none")
    return counts.astype(np.int64, copy=False)
