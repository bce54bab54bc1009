"""Central baselines with noise on a tree's nodes or differences.

Their variances follow from contrasts.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.errors import InputError
from mechdesign.workloads.queries import Intervals, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.central.baseline import CentralBaseline, Counts, checked_counts
from mechdesign_catalog.central.opendp_ import opendp, private
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.decoders.contrasts.side_energies import exact_lengths
from mechdesign_catalog.randomizers.reports.probabilities import Floats

REPLACED, ADDED = "replaced", "added"


@dataclass(frozen=True)
class ContrastBaseline(CentralBaseline):
    """Sums over nodes with Laplace noise, made into counts that answer queries consistently.

    `neighbours` says which data must look alike. `replaced`: one of n users has another item, and n is public; so the
    counts add up to n, and a level of sums changes by 2. `added`: there is one
    user more, n is not public; a level changes by 1. Table 5.4 of Kulkarni's thesis is for `added`.

    Raises:
        InputError: for other neighbours.
    """

    neighbours: str = REPLACED

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.neighbours not in (REPLACED, ADDED):
            raise InputError(f"neighbours must be {REPLACED} or {ADDED}, got {self.neighbours}")

    @abstractmethod
    def side(self, k: int) -> Side:
        """Return the tree over k items."""

    @abstractmethod
    def sensitivity(self, k: int) -> int:
        """Return by how much all noisy sums together change between neighbours, in absolute values."""

    @abstractmethod
    def factors(self, k: int) -> list[Fraction]:
        """Return what the squared length of each contrast, and of the constant, adds to the variance for noise of 1."""

    @abstractmethod
    def sums_of(self, counts: Counts) -> Floats:
        """Compute the sums that get noise, from counts of k items."""

    @abstractmethod
    def counts_from(self, sums: Floats, k: int, users: int) -> Floats:
        """Compute consistent counts of k items from noisy sums; n is used where it is public."""

    def simulate(self, counts: Counts, generator: np.random.Generator) -> Floats:
        """Draw noisy counts with floats."""
        counts = checked_counts(counts)
        sums = self.sums_of(counts)
        noise = generator.laplace(scale=float(self.sensitivity(len(counts)) / self.privacy.budget), size=len(sums))
        return self.counts_from(sums + noise, len(counts), int(counts.sum()))

    def release(self, counts: Counts) -> Floats:
        """Release noisy counts: all sums at once through OpenDP, made consistent afterwards."""
        counts = checked_counts(counts)
        noisy = np.array(self.measurement(len(counts))(self.sums_of(counts).tolist()))
        return self.counts_from(noisy, len(counts), int(counts.sum()))

    def measurement(self, k: int) -> Any:
        """Make OpenDP's measurement of all sums; its `map` at `sensitivity(k)` says what it loses."""
        dp = opendp()
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
        far = self.sensitivity(k)
        return private(lambda scale: dp.m.make_laplace(*space, scale), float(far), self.privacy.budget, far)

    def noise(self, k: int) -> Fraction:
        """Compute the variance of the noise on one sum, exactly: `2 (sensitivity / eps)^2`."""
        return 2 * (self.sensitivity(k) / self.privacy.budget) ** 2

    def variance(self, counts: Counts) -> Floats:
        """Return the variance of each item's result."""
        k = len(checked_counts(counts))
        return self.answer_variance(Intervals(k, np.arange(k), np.arange(k)), counts)

    def answer_variance(self, queries: Queries, counts: Counts) -> Floats:
        """Return the variance of the answer to each query; it does not depend on the counts."""
        k = len(checked_counts(counts))
        factors = np.array([float(factor) for factor in self.factors(k)])
        return np.asarray(float(self.noise(k)) * (factors @ self.side(k).energies_of(queries)))

    def average_variance(self, workload: Workload) -> Fraction:
        """Return the mean variance over all queries of a workload, of counts, exactly."""
        k = workload.k
        lengths = exact_lengths(self.side(k), workload)
        total = sum((factor * length for factor, length in zip(self.factors(k), lengths, strict=True)), Fraction(0))
        return self.noise(k) * total / workload.count
