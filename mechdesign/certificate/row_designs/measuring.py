"""Measure an exact mechanism of rows: its variance as the problem asks for it, and by the user's item."""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign.certificate.by_levels import variance_by_levels
from mechdesign.certificate.row_designs.variance import RowInformation
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.rational import float_above
from mechdesign.workloads.levels import levels_of


@dataclass(frozen=True)
class ByInput:
    """Hold the variance for a user by the item that the user has: the least, the mean over all items, the largest."""

    least: Fraction
    mean: Fraction
    largest: Fraction


@dataclass(frozen=True)
class Measured:
    """Hold the variance of a mechanism: `upper` is exact, or above it by rounding alone, `by_input` near by 1e-12."""

    upper: Fraction
    is_exact: bool
    by_input: ByInput


def measure(problem: WorkloadProblem, mechanism: RowMechanism, prior: tuple[int, ...]) -> Measured:
    """Measure a mechanism with the linear estimates that are best under a prior.

    Raises:
        InputError: for rows that tell items of a group apart, or that cannot answer the workload without bias.
        NotCertifiedError: where no precision encloses the variance.
    """
    levels = levels_of(problem.workload)
    if levels is not None and len(set(prior)) == 1:
        alike = variance_by_levels(levels, mechanism)
        if alike is not None:
            return Measured(alike, True, ByInput(alike, alike, alike))
    information = RowInformation(problem.merged, mechanism, prior)
    low, high = information.bounds()
    exact = None if problem.is_worst_case else information.exact()
    mean = sum((s * value for s, value in zip(problem.merged.sizes, high, strict=True)), Fraction(0)) / problem.k
    by_input = ByInput(min(low), mean if exact is None else exact, max(high))
    if exact is not None:
        return Measured(exact, True, by_input)
    above = float_above(by_input.largest if problem.is_worst_case else mean)
    return Measured(Fraction(repr(above)), False, by_input)
