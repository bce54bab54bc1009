"""A certified noise table, and its problem as the kernel has it."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from mechdesign.certificate.design import CertifiedDesign
from mechdesign.mechanism.notebook import Bound, Value
from mechdesign.noise_tables.problem import ENTROPY, NoiseTableProblem
from mechdesign.noise_tables.table import NoiseTable
from mechdesign.problem.privacy import rounded_down, rounded_up
from mechdesign.verify import noise_table


@dataclass(frozen=True, repr=False, kw_only=True)
class NoiseTableDesign(CertifiedDesign[NoiseTableProblem, NoiseTable]):
    """A noise table that is best for what was asked, with a certified bound.

    Attributes:
        score: its objective, where deltas are computed at rationals just below `exp(epsilon)`; of entropy minus that in
            bits, rounded up.
        lower_bound: no table that meets the demands has less, at rationals just above.
        status: `exact` where nothing is better at the lower rationals.
    """

    score: Fraction
    lower_bound: Fraction
    status: str
    title: ClassVar[str] = "Noise table"

    @cached_property
    def deltas(self) -> tuple[Fraction, ...]:
        """Delta of each guarantee, never below the truth."""
        return tuple(self.mechanism.delta(one.ratio, self.problem.start_of(one)) for one in self.problem.guarantees)

    def summary(self) -> tuple[str, ...]:
        """Say its objective."""
        return (f"{self.problem.objective} {self.objective_text}, {self.status}",)

    @property
    def objective_text(self) -> str:
        """The objective to six digits: entropy in bits, never above the truth, the others never below it."""
        if self.problem.objective == ENTROPY:
            return f"{rounded_down(-self.score)} bits"
        return rounded_up(self.score)

    def facts(self) -> list[tuple[str, Value]]:
        """List objective, bound and deltas."""
        reached = zip(self.problem.guarantees, self.deltas, strict=True)
        deltas: list[tuple[str, Value]] = [(f"delta of {one}", Bound(delta)) for one, delta in reached]
        own: list[tuple[str, Value]] = [(self.problem.objective, self.objective_text), ("status", self.status)]
        return own + deltas


def kernel_problem(problem: NoiseTableProblem) -> noise_table.Problem:
    """State a problem for the kernel."""
    guarantees = tuple(
        noise_table.Guarantee(one.epsilon, one.ratio, one.bound_ratio, one.delta, one.start or 0, one.weight)
        for one in problem.guarantees
    )
    asked = {name: getattr(problem, name) for name in problem.__dataclass_fields__}
    return noise_table.Problem(**{**asked, "guarantees": guarantees})
