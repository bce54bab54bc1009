"""Simulated releases of counts, and their exact law.

The true counts stand beside counts drawn by a seed.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.arguments import checked
from mechdesign.counts.error_law import error_law
from mechdesign.documents.tabular import Table
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import seeded_words


@dataclass(frozen=True, eq=False)
class SimulatedRelease:
    """The true counts of groups of n, shape (groups,), and for each one a count drawn by a seed; for no release.

    Whoever knows the seed can undo the noise, so `simulated` protects nobody.
    """

    mechanism: Mechanism
    true: NDArray[np.int64]
    simulated: NDArray[np.int64]
    seed: int

    @property
    def n(self) -> int:
        """Number of people in a group."""
        return self.mechanism.n_inputs - 1

    @property
    def true_histogram(self) -> tuple[int, ...]:
        """Number of groups by true count 0..n."""
        return tuple(np.bincount(self.true, minlength=self.n + 1).tolist())

    @property
    def histogram(self) -> tuple[int, ...]:
        """Number of groups by simulated count 0..n."""
        return tuple(np.bincount(self.simulated, minlength=self.n + 1).tolist())

    @property
    def expected_histogram(self) -> tuple[Fraction, ...]:
        """The expected number of groups by released count 0..n, `sum_j P[i,j] h[j]`, exact."""
        groups = self.true_histogram
        weights, denominator = self.mechanism.weights, self.mechanism.denominator
        return tuple(Fraction(sum(map(int.__mul__, row, groups)), denominator) for row in weights)

    @property
    def errors(self) -> tuple[int, ...]:
        """Number of groups by error, simulated - true, for the errors -n..n."""
        return tuple(np.bincount(self.simulated - self.true + self.n, minlength=2 * self.n + 1).tolist())

    @property
    def expected_errors(self) -> tuple[Fraction, ...]:
        """The expected number of groups by error -n..n, exact."""
        groups = len(self.true)
        return tuple(groups * share for share in error_law(self.mechanism, self.true_histogram).shares)

    def tabulate(self) -> Table:
        """Return the true and the simulated count of each group."""
        return Table({"true": self.true.tolist(), "simulated": self.simulated.tolist()})


@checked
def simulate_release(mechanism: Mechanism, counts: NDArray[np.int64], seed: int) -> SimulatedRelease:
    """Simulate a release: draw a count for each true one, with exactly the mechanism's probabilities, by a seed.

    Args:
        mechanism: for counts, square: `n+1` inputs and outputs.
        counts: the true count of each group, in 0..n, shape (groups,).
        seed: a whole number of at least 0. Whoever knows it can undo the noise: nothing here may be published.

    Raises:
        InputError: for a count that is not in 0..n, or a negative seed.

    >>> from mechdesign.designs import design
    >>> from mechdesign.problem.design_problem import DesignProblem
    >>> found = simulate_release(design(DesignProblem(2, "1/2")).mechanism, np.array([0, 1, 2, 2]), 1)
    >>> (found.true_histogram, sum(found.histogram))
    ((1, 1, 2), 4)
    """
    return SimulatedRelease(mechanism, counts, mechanism.sample(counts, seeded_words(seed)), seed)
