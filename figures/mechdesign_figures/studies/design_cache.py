"""The cache of designs for all studies, and the data that they share."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from mechdesign.canonical import canonical_design
from mechdesign.certificate.score import score
from mechdesign.designs import Design
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.prior import Prior
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workload_designs import WideGapError, WorkloadDesign, design_workload
from mechdesign_catalog.datasets.counts import DataSet, open_data
from mechdesign_catalog.datasets.items import ItemTable, open_item_table
from mechdesign_catalog.mechanisms.candidates import parse_candidate

ITEMS = "items:"
"""Before the name of a set with several attributes, where the name alone could be of counts."""


class DesignCache:
    """A cache of mechanisms by name or by problem; `solved` are designs made beforehand.

    `data_dir` is the folder of the published files, None for the usual places. `missed` lists the problems that had to
    be solved here because nobody had solved them before.
    """

    def __init__(self, solved: Mapping[DesignProblem, Design] | None = None, data_dir: Path | None = None) -> None:
        self.data_dir = data_dir
        self.missed: list[DesignProblem] = []
        self._solved = dict(solved or {})
        self._for_workloads: dict[tuple[WorkloadProblem, float], WorkloadDesign] = {}
        self._adult: dict[str, DataSet] = {}
        self._tables: dict[str, ItemTable] = {}

    def design(self, problem: DesignProblem) -> Design:
        """Return the certified design for a problem."""
        if problem not in self._solved:
            self.missed.append(problem)
            self._solved[problem] = canonical_design(problem)
        return self._solved[problem]

    def workload_design(self, problem: WorkloadProblem, gap: float) -> WorkloadDesign:
        """Return a certified design for a workload, of a gap of at most `gap` where one is found."""
        if (problem, gap) not in self._for_workloads:
            try:
                self._for_workloads[problem, gap] = design_workload(problem, gap=gap)
            except WideGapError as wide:
                self._for_workloads[problem, gap] = wide.design
        return self._for_workloads[problem, gap]

    def mechanism(self, name: str, n: int, alpha: Fraction, loss: str = "L0", prior: Prior | None = None) -> Mechanism:
        """Return a mechanism by any name that `mechdesign compare --mechanisms` takes.

        Such names are GM, EM, UM, WM, UCM and design:WH,CM:L1.
        """
        return parse_candidate(name).mechanism(
            n, alpha, Loss.parse(loss), prior, designer=lambda problem: self.design(problem).mechanism
        )

    def score(self, name: str, n: int, alpha: Fraction, loss: str = "L0") -> Fraction:
        """Return the exact score of a mechanism under a loss and the uniform prior."""
        return score(self.mechanism(name, n, alpha, loss), DesignProblem(n, alpha, loss=loss))

    def adult(self, target: str) -> DataSet:
        """Return the people of the Adult file with one target's bits, read once.

        Raises:
            InputError: where the file is missing or wrong.
        """
        if target not in self._adult:
            self._adult[target] = open_data("adult", target=target, data_dir=self.data_dir)
        return self._adult[target]

    def table(self, name: str) -> ItemTable:
        """Return the users of a set with several attributes, such as adult or nursery, read once.

        Raises:
            InputError: where a file of it is missing or wrong.
        """
        if name not in self._tables:
            self._tables[name] = open_item_table(name, data_dir=self.data_dir)
        return self._tables[name]

    def require(self, need: str) -> None:
        """Read the data of this name: `adult` (its people), or `items:` and a set with several attributes.

        Raises:
            InputError: where they cannot be had.
        """
        if need.startswith(ITEMS):
            self.table(need.removeprefix(ITEMS))
        else:
            self.adult("income")


def problems_of(names: list[str], sizes: list[int], alphas: list[Fraction], loss: str = "L0") -> list[DesignProblem]:
    """List what `DesignCache.mechanism` will have to design for every combination; closed forms need nothing."""
    candidates = [parse_candidate(name) for name in names]
    found = (c.problem(n, alpha, Loss.parse(loss)) for c in candidates for n in sizes for alpha in alphas)
    return [problem for problem in found if problem is not None]
