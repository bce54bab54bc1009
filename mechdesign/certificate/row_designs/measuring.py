"""Measures of an exact mechanism of rows: its variance, in all and by the user's item."""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign.certificate.by_levels import variance_by_levels
from mechdesign.certificate.row_designs.variance import RowInformation
from mechdesign.errors import NotCertifiedError
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.rational import float_above
from mechdesign.workloads.eigenspaces import levels_of

MOST_INVERTED = 256
"""Groups of items up to which A is inverted; checkers refuse the variance of more, but by symmetry."""


@dataclass(frozen=True)
class ByInput:
    """The variance for a user by the item that the user has: the least, the mean over all items, the largest."""

    least: Fraction
    mean: Fraction
    largest: Fraction


@dataclass(frozen=True)
class Spread:
    """V_g of each group of items between two rationals, and exactly what the problem asks for where it is known.

    One value stands for all groups where all have the same.
    """

    problem: WorkloadProblem
    low: tuple[Fraction, ...]
    high: tuple[Fraction, ...]
    exact: Fraction | None

    @property
    def objective(self) -> tuple[Fraction, Fraction]:
        """The variance that the problem asks for, from below and above."""
        if self.exact is not None:
            return self.exact, self.exact
        return (max(self.low), max(self.high)) if self.problem.is_worst_case else self.mean

    @property
    def mean(self) -> tuple[Fraction, Fraction]:
        """The mean over all items, from below and above."""
        if self.exact is not None and not self.problem.is_worst_case:
            return self.exact, self.exact
        return self._mean(self.low), self._mean(self.high)

    def _mean(self, values: tuple[Fraction, ...]) -> Fraction:
        if len(values) == 1:
            return values[0]
        sizes = self.problem.merged.sizes
        return sum((s * value for s, value in zip(sizes, values, strict=True)), Fraction(0)) / self.problem.k


@dataclass(frozen=True)
class Measured:
    """The variance of a mechanism: `upper` is exact, or above it by rounding alone, `by_input` near by 1e-12."""

    upper: Fraction
    is_exact: bool
    by_input: ByInput


def spread_of(
    problem: WorkloadProblem, mechanism: RowMechanism, prior: tuple[int, ...], *, at_length: bool = False
) -> Spread:
    """Find the variances of a mechanism with the linear estimates that are best under a prior.

    Args:
        problem: what the variance is of.
        mechanism: of rows on the items.
        prior: integers for the groups.
        at_length: the exact one, too, where it is longer than one is written.

    Raises:
        InputError: for rows that tell items of a group apart, or that cannot answer the workload without bias.
        NotCertifiedError: where no precision encloses the variance, or for many groups without symmetry.
    """
    levels = levels_of(problem.workload)
    if levels is not None and len(set(prior)) == 1:
        alike = variance_by_levels(levels, mechanism)
        if alike is not None:
            return Spread(problem, (alike,), (alike,), alike)
    if problem.merged.size > MOST_INVERTED:
        raise NotCertifiedError(
            f"not certified: the variance can be computed for up to {MOST_INVERTED} groups of items, or by symmetry"
        )
    information = RowInformation(problem.merged, mechanism, prior)
    return Spread(
        problem, *information.bounds(), None if problem.is_worst_case else information.exact(at_length=at_length)
    )


def measure(problem: WorkloadProblem, mechanism: RowMechanism, prior: tuple[int, ...]) -> Measured:
    """Measure a mechanism with the linear estimates that are best under a prior.

    Raises:
        InputError: as `spread_of`.
        NotCertifiedError: likewise.
    """
    spread = spread_of(problem, mechanism, prior)
    by_input = ByInput(min(spread.low), spread.mean[1], max(spread.high))
    if spread.exact is not None:
        return Measured(spread.exact, True, by_input)
    return Measured(Fraction(repr(float_above(spread.objective[1]))), False, by_input)
