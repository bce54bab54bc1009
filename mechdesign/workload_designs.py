"""Hold a local mechanism for a workload with its variance, its proved bound, and the proof."""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign.certificate.row_proof import RowProof
from mechdesign.mechanism.notebook import Value, decimal, facts, one_line, page
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Seconds
from mechdesign.rational import nearest_float


@dataclass(frozen=True)
class ByInput:
    """Hold the variance for a user by the item that the user has: the least, the mean over all items, the largest."""

    least: Fraction
    mean: Fraction
    largest: Fraction


@dataclass(frozen=True)
class WorkloadDesign:
    """Hold a certified local mechanism for a workload, with its proof.

    Variances are for each user, summed over the queries: answers to n users have variances of that sum over n, and
    the estimates are the linear ones that are best under the prior of `proof`.

    Attributes:
        mechanism: exact, on the k items.
        proof: what shows `lower`.
        upper: the variance: its mean over the items, or that of the worst item, as the problem asks.
        lower: no alpha-LDP mechanism with linear unbiased estimates has less.
        by_input: the variance by item.
        floor: the bound in closed form, which needs no search; at most `lower`.
        is_exact: whether `upper` is the variance itself; else it is above it by rounding alone.
        outputs: how many outputs the search was allowed; None where as many as serve. `lower` knows no such limit.
    """

    problem: WorkloadProblem
    mechanism: RowMechanism
    proof: RowProof
    upper: Fraction
    lower: Fraction
    by_input: ByInput
    floor: Fraction
    seconds: Seconds
    how: str
    method: str
    is_exact: bool = True
    outputs: int | None = None

    @property
    def gap(self) -> Fraction | None:
        """The part of the bound by which the variance may exceed the optimum, `upper/lower - 1`; None for no bound."""
        return self.upper / self.lower - 1 if self.lower > 0 else None

    def __repr__(self) -> str:
        gap = "no bound" if self.gap is None else f"gap {nearest_float(self.gap):.1e}"
        return one_line(
            "WorkloadDesign",
            self.problem.describe(),
            f"variance {decimal(self.upper)}, {gap}, {self.mechanism.n_outputs} outputs",
        )

    def _repr_html_(self) -> str:
        rows: list[tuple[str, Value]] = [
            ("asked", self.problem.describe()),
            ("variance for each user", self.upper),
            ("lower bound", self.lower),
            ("least for an item", self.by_input.least),
            ("largest for an item", self.by_input.largest),
            ("outputs", self.mechanism.n_outputs),
            ("method", f"{self.method}: {self.how}"),
            ("seconds", self.seconds.solve + self.seconds.certify + self.seconds.verify),
        ]
        return page("Workload design", facts(rows))
