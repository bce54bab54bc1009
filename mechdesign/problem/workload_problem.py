"""The problem of the best local mechanism for a workload."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from mechdesign.arguments import checked
from mechdesign.errors import InputError
from mechdesign.problem.design_problem import AGGREGATES
from mechdesign.problem.privacy import Privacy, chosen_privacy, loss_above
from mechdesign.rational import Number
from mechdesign.workloads.merged import MergedWorkload
from mechdesign.workloads.workload import LARGEST_GRAM, Workload

PRIVACY_BITS = 50
"""An epsilon is enclosed this tightly: a variance goes with `1/epsilon^2`, and asked gaps go down to 1e-12 of it."""


@dataclass(frozen=True, init=False)
class WorkloadProblem:
    """The problem of designing a local mechanism for a set of linear queries.

    Each of many users has one of k items and sends one report; `Pr[r|u] >= alpha Pr[r|v]` for every report r and all
    items u, v. Answers to the q queries `W f` on the shares f are unbiased and linear in the counts of reports.
    Minimise the sum over the queries of the variance for each user: the mean over the items (`expected`), or that of
    the worst item (`worst`).

    Args:
        workload: the queries on k items.
        alpha: `exp(-epsilon)` in (0, 1), a decimal or fraction, taken exactly.
        epsilon: instead of alpha; designs are private at a rational alpha just above exp(-epsilon), and bounds are
            proved for one just below.
        privacy: instead of alpha and epsilon.
        aggregate: `"expected"`, the mean over items that are equally likely, or `"worst"`.

    Raises:
        InputError: for a value out of range, naming it, and a workload whose answers are known without asking.

    >>> from mechdesign.workloads.ordered import Prefixes
    >>> WorkloadProblem(Prefixes(4), alpha="1/2").describe()
    'LDP, k = 4, alpha = 0.5, workload prefixes, mean over inputs'
    """

    workload: Workload
    privacy: Privacy
    aggregate: str

    @checked
    def __init__(
        self,
        workload: Workload,
        alpha: Number | None = None,
        *,
        epsilon: Number | None = None,
        privacy: Privacy | None = None,
        aggregate: str = "expected",
    ) -> None:
        if not isinstance(workload, Workload):
            raise InputError(f"workload must be a workload, as parse_workload makes it, got {type(workload).__name__}")
        if aggregate not in AGGREGATES:
            raise InputError(f"aggregate must be expected or worst, got aggregate={aggregate}")
        object.__setattr__(self, "workload", workload)
        object.__setattr__(self, "privacy", chosen_privacy(alpha, epsilon, privacy).finer(PRIVACY_BITS))
        object.__setattr__(self, "aggregate", aggregate)
        if self.k <= LARGEST_GRAM and self.merged.size < 2:
            raise InputError(
                f"workload must distinguish at least two items, got {workload.name}, "
                "whose answers are known without any report"
            )

    @classmethod
    def stated(cls, workload: Workload, privacy: Privacy, aggregate: str) -> "WorkloadProblem":
        """State the problem of a document, which has rationals of its own around `exp(-epsilon)`; errors as above."""
        made = cls(workload, privacy=privacy, aggregate=aggregate)
        object.__setattr__(made, "privacy", privacy)
        return made

    @property
    def alpha(self) -> Fraction:
        """The privacy parameter of a design: `exp(-epsilon)`, or just above it where epsilon was asked for."""
        return self.privacy.alpha

    @property
    def bound_alpha(self) -> Fraction:
        """That at which a bound is proved: alpha, or just below `exp(-epsilon)` where epsilon was asked for."""
        return self.privacy.bound_alpha

    @property
    def k(self) -> int:
        """Number of items."""
        return self.workload.k

    @property
    def epsilon(self) -> float:
        """The privacy parameter epsilon, `-ln(alpha)`, never below it."""
        return loss_above(self.alpha)

    @property
    def is_worst_case(self) -> bool:
        """Whether the largest variance over the items is minimised, not the mean."""
        return self.aggregate == "worst"

    @property
    def frequencies(self) -> str:
        """The items whose variance a bound is of, in words."""
        return "for the worst item" if self.is_worst_case else "at equally frequent items"

    @cached_property
    def merged(self) -> MergedWorkload:
        """The workload on groups of items that it does not tell apart."""
        return MergedWorkload.of(self.workload)

    def describe(self) -> str:
        """Describe the problem in a line."""
        aim = "worst input" if self.is_worst_case else "mean over inputs"
        return f"LDP, k = {self.k}, {self.privacy.parameter_text()}, workload {self.workload.name}, {aim}"
