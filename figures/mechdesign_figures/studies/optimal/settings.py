"""Settings of the study: workloads, numbers of items, epsilons, gaps, and its problems."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.marginals import parse_marginals
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.workload import Workload

PAIRS = "marginals:2"
WORKLOADS: dict[str, Callable[[int], Workload]] = {
    "prefixes": Prefixes,
    "ranges": Ranges,
    "histogram": Histogram,
    PAIRS: lambda k: parse_marginals("2", k),
}
"""Those that are studied; tables of two attributes are of binary ones."""

SIZES, QUICK_SIZES = (8, 16, 32, 64, 128), (4, 8)
MANY_ATTRIBUTES = (1024,)
"""More numbers of items, of tables of two attributes: ten of them."""

LONG, SHORT_EPSILONS = 128, ("0.5", "1")
"""Items from which a design of prefixes or ranges takes minutes; at larger epsilon it takes longer."""

EPSILONS, QUICK_EPSILONS = ("0.5", "1", "2"), ("1",)
"""For every number of items."""

FIXED_SIZE, QUICK_FIXED_SIZE = 16, 8
FURTHER_EPSILONS, QUICK_FURTHER = ("0.25", "1.5", "3"), ("2",)
"""For one number of items."""

CLOSE, NEAR, MANY, FAR = 1e-8, 1e-4, 5e-4, 0.25
"""Gaps that are asked for: to 16 items and for histograms, to 32, beyond, and for tables whose bound is loose."""

FEW_ITEMS = 32
"""Items up to which every row is priced, so that NEAR can be had whatever the workload is."""


@dataclass(frozen=True)
class Setting:
    """A workload by name, its number of items, and epsilon as it is written."""

    workload: str
    k: int
    epsilon: str

    @property
    def problem(self) -> WorkloadProblem:
        """The problem of the best mechanism, the mean over items that are as likely."""
        return WorkloadProblem(WORKLOADS[self.workload](self.k), epsilon=self.epsilon)

    @property
    def gap(self) -> float:
        """The gap that is asked for."""
        if self.k <= FIXED_SIZE:
            return CLOSE
        if self.workload == "histogram":
            return CLOSE
        if self.k <= FEW_ITEMS:
            return NEAR
        return FAR if self.workload == PAIRS else MANY


def settings(quick: bool) -> Iterator[Setting]:
    """List the settings, workload by workload, by number of items and epsilon."""
    sizes, epsilons = (QUICK_SIZES, QUICK_EPSILONS) if quick else (SIZES, EPSILONS)
    fixed, further = (QUICK_FIXED_SIZE, QUICK_FURTHER) if quick else (FIXED_SIZE, FURTHER_EPSILONS)
    for workload in WORKLOADS:
        for k in (*sizes, *(MANY_ATTRIBUTES if workload == PAIRS and not quick else ())):
            usual = SHORT_EPSILONS if k >= LONG and workload in ("prefixes", "ranges") else epsilons
            own = sorted({*usual, *(further if k == fixed else ())}, key=float)
            yield from (Setting(workload, k, epsilon) for epsilon in own)
