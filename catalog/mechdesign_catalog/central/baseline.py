"""Define central baselines: what a trusted server would release, the scale that local oracles are measured on.

A server holds the counts of k items over n users, one item each, n public. Neighbours are data of n users of whom one
has another item: two counts change, by 1 each, so the L1-sensitivity of the counts is 2. Results are counts, not
rounded and not clipped; divided by n they are shares (and their variances by n^2).
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles.oracle import checked_privacy
from mechdesign_catalog.oracles.probabilities import Floats

Counts = NDArray[np.int64]

SENSITIVITY = 2


class CentralBaseline(Protocol):
    """A mechanism of a trusted server: noisy counts, with their mean and variance."""

    @property
    def name(self) -> str:
        """The name on the command line."""

    @property
    def privacy(self) -> Privacy:
        """The privacy parameter: how much a release loses."""

    def simulate(self, counts: Counts, generator: np.random.Generator) -> Floats:
        """Draw noisy counts, shape (k,), with floats from a seeded generator: for studies only, it protects nobody."""

    def release(self, counts: Counts) -> Floats:
        """Release noisy counts, shape (k,), through OpenDP and with the operating system's randomness.

        Raises:
            InputError: where OpenDP is not installed.
        """

    def expected(self, counts: Counts) -> Floats:
        """Return the mean of each result, where these are the true counts."""

    def variance(self, counts: Counts) -> Floats:
        """Return the variance of each result."""


@dataclass(frozen=True)
class BaselineBase:
    """Hold the privacy parameter that all baselines have, checked.

    Raises:
        InputError: for a privacy parameter that is none.
    """

    privacy: Privacy
    name: ClassVar[str]

    def __post_init__(self) -> None:
        checked_privacy(self.privacy)  # refuses one that is out of range

    @property
    def scale(self) -> float:
        """Scale of the noise on counts: the sensitivity over epsilon."""
        return float(SENSITIVITY / self.privacy.budget)

    def expected(self, counts: Counts) -> Floats:
        """Return the counts themselves: the noise has mean 0."""
        return checked_counts(counts).astype(np.float64)


def mean_squared_error(baseline: CentralBaseline, counts: Counts) -> Floats:
    """Compute the mean squared error of each result: variance and squared bias."""
    bias: Floats = baseline.expected(counts) - counts
    return baseline.variance(counts) + bias**2


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
