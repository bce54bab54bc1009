"""The oracles among which the best one for a workload is chosen: one by a law, or all that may matter.

A law says which system wins without rating any. It is measured, not proved: `tests/benchmarks/chosen.py --check`
compares it with the choice among all. Elsewhere all are rated but `warped-blocks` for queries other than prefixes,
which takes longest. It is left out where it is shown that it does not matter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.survey import in_order
from mechdesign_catalog.comparisons.workload_survey import (
    MOST_WARPED,
    WorkloadStanding,
    rate,
    require_users_and_memory,
    standings,
    standings_of_system,
    systems,
)
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.systems.levels.blocks import Blocks
from mechdesign_catalog.systems.levels.warped_blocks import LARGEST_K, WarpedBlocks
from mechdesign_catalog.systems.levels.warped_levels import varies_more

ROUNDING = 1e-6
"""A variance is shown to be larger than another where it is so by more than this part."""

LEAD = 1.1
"""By a law, every other system has more than so many times the winner's variance."""


@dataclass(frozen=True)
class Law:
    """The system that wins for a kind of workload, from some number of items to another, up to an epsilon."""

    kinds: tuple[type[Workload], ...]
    least_items: int
    most_items: int
    most_epsilon: int
    system: str

    def rules(self, workload: Workload, privacy: Privacy) -> bool:
        """Tell whether it says which system wins for a workload."""
        is_within = self.least_items <= workload.k <= self.most_items and privacy.epsilon <= self.most_epsilon
        return is_within and isinstance(workload, self.kinds)


LAWS = (
    Law((Prefixes,), 64, LARGEST_K, 4, WarpedBlocks.name),
    Law((Prefixes,), 256, 1 << 11, 6, WarpedBlocks.name),
    Law((Ranges, Arcs), MOST_WARPED + 1, 1 << 24, 5, Blocks.name),
)
"""What was measured: the next system has at least 1.16, 1.3 and 1.44 times the variance."""


def winner_by_law(workload: Workload, privacy: Privacy) -> str | None:
    """Name the system that wins by a law, if enough users report; None where no law says which."""
    return next((law.system for law in LAWS if law.rules(workload, privacy)), None)


def contenders(
    workload: Workload,
    privacy: Privacy,
    users: int,
    limit: Callable[[Sequence[WorkloadStanding]], float],
    without: str | None = None,
) -> list[WorkloadStanding]:
    """List the oracles that `survey_workload` lists, without `warped-blocks` if it varies more than a limit.

    Args:
        workload: its k is the number of items.
        privacy: what each report may lose.
        users: their number.
        limit: tells from the others the variance above which another does not matter; 0 where none does.
        without: a system that cannot be chosen.

    Raises:
        InputError: as `survey_workload`.
    """
    require_users_and_memory(workload, users)

    def standing(name: str, oracle: FrequencyOracle) -> WorkloadStanding:
        return WorkloadStanding(name, oracle, rate(oracle, workload, users), workload)

    late = None if isinstance(workload, Prefixes) else WarpedBlocks.name
    names = [name for name in systems(workload, privacy) if name != without]
    found = list(standings([name for name in names if name != late], workload, privacy, standing))
    if late in names:
        most = users * limit(in_order(found)) * (1 + ROUNDING)
        if most and not varies_more(workload, privacy, most):
            found += standings_of_system(late, workload, privacy, standing)
    return in_order(found)
