"""The oracles among which the best one for a workload is chosen, rated as far as the choice hangs on them.

Of all variances within 1 % of the least the fewest bits win, then the registry's order. Rating some systems takes long.
One is left unrated where what is known of it and of the others decides already, so the choice is as if all were rated:

- its variance is shown to be more than 1 % above that of another, or
- it has more bits than a sure winner: one whose variance is within 1 % of what any oracle has at least, while all that
  have fewer bits are shown to be no winners.

Of more than `MOST_EXACT` items a few queries of `warped-blocks` are looked at first, and bounds of the variance of
`blocks`. They are rated as the others are if the best of these comes near.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from mechdesign.methods.row_designs.floor import closed_form_floor
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import PRIVACY_BITS
from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.ordered import Prefixes
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.listed import listed_oracles
from mechdesign_catalog.comparisons.survey import AS_GOOD, in_order
from mechdesign_catalog.comparisons.workload_survey import (
    MOST_WARPED,
    SUBSETS,
    BoundsWorkloads,
    Rating,
    WorkloadStanding,
    rate,
    require_users_and_memory,
    standings_of_system,
    systems,
    weighed,
)
from mechdesign_catalog.decoders.circles.circle import Circle
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.systems.flat.subset import MEAN
from mechdesign_catalog.systems.levels.blocks import Blocks
from mechdesign_catalog.systems.levels.haar import Haar
from mechdesign_catalog.systems.levels.warped_blocks import WarpedBlocks
from mechdesign_catalog.systems.levels.warped_levels import varies_more
from mechdesign_catalog.systems.memory_needs import fits
from mechdesign_catalog.systems.registry import FLAT, parse_oracle

ROUNDING = 1e-6
"""A variance is shown to be larger than another where it is so by more than this part."""

MOST_EXACT = 1 << 10
"""Items beyond which oracles are looked at first that say what their variance is between."""


def contenders(
    workload: Workload, privacy: Privacy, users: int, may_win: Callable[[WorkloadStanding], bool]
) -> list[WorkloadStanding]:
    """List the oracles that `survey_workload` lists, without those that are shown not to change the choice.

    Args:
        workload: its k is the number of items.
        privacy: what each report may lose.
        users: their number.
        may_win: whether an oracle is among those of which one is chosen.

    Raises:
        InputError: as `survey_workload`.
    """
    require_users_and_memory(workload, users)
    return _Frugal(workload, privacy, users, may_win).all_that_matter()


def contenders_below(
    workload: Workload, privacy: Privacy, users: int, limit: Callable[[list[WorkloadStanding]], float]
) -> list[WorkloadStanding]:
    """List the same, without those that are shown to have a variance above a limit, which those listed so far say.

    Raises:
        InputError: as `survey_workload`.
    """
    require_users_and_memory(workload, users)
    return _Below(workload, privacy, users, limit).all_that_matter()


@dataclass(eq=False)
class _Rated(ABC):
    """The oracles that were rated so far, by systems; those on all items stand under `FLAT`."""

    workload: Workload
    privacy: Privacy
    users: int
    standings: dict[str, list[WorkloadStanding]] = field(default_factory=dict, init=False)

    def all_that_matter(self) -> list[WorkloadStanding]:
        """Rate the oracles on all items, and systems until no other changes the choice."""
        if FLAT not in self.standings:
            flat = listed_oracles(self.workload.k, self.privacy, MEAN)
            self.standings[FLAT] = [self._standing(f"{FLAT}{name}", oracle) for name, oracle in flat]
        waiting = sorted((name for name in self.systems if name not in self.standings), key=self._is_late)
        while (name := next((one for one in waiting if not self.is_settled(one)), None)) is not None:
            waiting.remove(name)
            self.standings[name] = list(standings_of_system(name, self.workload, self.privacy, self._standing))
        return self.listed

    @abstractmethod
    def is_settled(self, name: str) -> bool:
        """Tell whether a system is shown not to change the choice."""

    @property
    def listed(self) -> list[WorkloadStanding]:
        """What was rated, the smallest variance first."""
        return in_order(one for name in (FLAT, *self.systems) for one in self.standings.get(name, []))

    @cached_property
    def systems(self) -> list[str]:
        """The systems, in the registry's order."""
        return list(systems(self.workload, self.privacy))

    def _standing(self, name: str, oracle: FrequencyOracle) -> WorkloadStanding:
        return WorkloadStanding(name, oracle, rate(oracle, self.workload, self.users), self.workload)

    def _is_late(self, name: str) -> bool:
        """Tell whether a system is rated after others, of which one is likely to settle it."""
        good = WarpedBlocks.name if isinstance(self.workload, Prefixes) else Blocks.name
        return not name.startswith((Haar.name, good))

    def floor_of(self, workload: Workload) -> float:
        """Return what no oracle's variance for a workload is below; 0 where nothing is known in closed form."""
        found = closed_form_floor(workload, self.privacy.finer(PRIVACY_BITS).bound_alpha)
        return 0.0 if found is None else float(found) / (self.users * workload.count)

    def exceeds(self, name: str, variance: float) -> bool:
        """Tell whether a system is shown to have a larger variance, before it is made.

        On a circle without padding `blocks` answers all arcs of one length alike. So of prefixes, one of each length,
        it has the variance that it has of all arcs, and that has a floor.
        """
        k = self.workload.k
        if name == Blocks.name and isinstance(self.workload, Prefixes):
            arcs = Arcs(k)
            return not Circle(k).padding and self.floor_of(arcs) * arcs.count / k > variance * k
        if name == WarpedBlocks.name and k <= MOST_WARPED and self.workload.name != WarpedBlocks.levels:
            return varies_more(k, self.privacy, self.workload, self.users * variance)
        return False


@dataclass(eq=False)
class _Below(_Rated):
    """Oracles that matter as far as their variance is not above a limit."""

    limit: Callable[[list[WorkloadStanding]], float]

    def is_settled(self, name: str) -> bool:
        """Tell whether a system is shown to have a larger variance."""
        return self.exceeds(name, self.limit(self.listed) * (1 + ROUNDING))


@dataclass(eq=False)
class _Frugal(_Rated):
    """Oracles of which the one with the fewest bits is chosen, of those within 1 % of the least variance."""

    may_win: Callable[[WorkloadStanding], bool]
    looked_at: dict[str, WorkloadStanding] = field(default_factory=dict, init=False)

    def all_that_matter(self) -> list[WorkloadStanding]:
        """Rate as few systems as decide, and those that were looked at again if others are near."""
        found = super().all_that_matter()
        while near := [one for one in found if self._is_looked_at(one) and self._is_near(one)]:
            for one in near:
                del self.standings[one.name]
            found = super().all_that_matter()
        return found

    def _standing(self, name: str, oracle: FrequencyOracle) -> WorkloadStanding:
        """Rate an oracle, or look at it the first time."""
        if self.workload.k <= MOST_EXACT or name in self.looked_at or (looked := self._look(name, oracle)) is None:
            return super()._standing(name, oracle)
        self.looked_at[name] = WorkloadStanding(name, oracle, looked, self.workload)
        return self.looked_at[name]

    def _look(self, name: str, oracle: FrequencyOracle) -> Rating | None:
        """Rate an oracle roughly, in the middle of its bounds; None for those that are rated soon, or in two forms."""
        if not isinstance(oracle, BoundsWorkloads) or weighed(name, self.workload):
            return None
        least, most = oracle.bounds(self.workload, self.users)
        return Rating((least + most) / 2, lambda: (least, None), (most - least) / 2)

    def _ends(self, standing: WorkloadStanding) -> tuple[float, float]:
        """Return what a variance is between."""
        width = standing.rating.error if self._is_looked_at(standing) else 0.0
        return standing.variance - width, standing.variance + width

    def _is_looked_at(self, standing: WorkloadStanding) -> bool:
        found = self.looked_at.get(standing.name)
        return found is not None and found.rating is standing.rating

    def _is_near(self, looked_at: WorkloadStanding) -> bool:
        """Tell whether the best of the others may have a variance between the ends, or within 1 % of them."""
        least, most = self._ends(looked_at)
        others = [self._ends(one) for one in self.listed if one.name != looked_at.name and self._counts(one)]
        if not others:
            return False
        low, high = (min(ends) for ends in zip(*others, strict=True))
        within = AS_GOOD * (1 + ROUNDING)
        return bool(low <= within * most and least <= within * high)

    def _counts(self, standing: WorkloadStanding) -> bool:
        return self.may_win(standing) and fits(standing.oracle)

    def is_settled(self, name: str) -> bool:
        """Tell whether a system is shown to have a larger variance than any that is chosen, or to lose to a winner."""
        known = [
            (*self._ends(standing), (standing.oracle.bits, place))
            for place, part in enumerate((FLAT, *self.systems))
            for standing in self.standings.get(part, [])
            if self._counts(standing)
        ]
        if not known:
            return False
        most = AS_GOOD * min(high for _, high, _ in known) * (1 + ROUNDING)
        near = AS_GOOD * self._floor / (1 + ROUNDING)
        sure = min((order for _, high, order in known if high <= near), default=None)
        loses = sure is not None and all(low > most for low, _, order in known if order < sure)
        if loses and sure is not None and (self._least_bits(name), 1 + self.systems.index(name)) > sure:
            return True
        return self.exceeds(name, most)

    @cached_property
    def _floor(self) -> float:
        """What no variance is below; of prefixes none comes within 1 % of what is known in closed form."""
        return 0.0 if isinstance(self.workload, Prefixes) else self.floor_of(self.workload)

    def _least_bits(self, name: str) -> float:
        """Return how many bits a report of a system has at least; they do not hang on how its levels are weighed."""
        made = []
        if name.startswith("hh:"):
            made = [name, f"{name}:{SUBSETS}"]
        elif name == WarpedBlocks.name:
            made = [f"{name}:levels=uniform"]
        return min((parse_oracle(one, self.workload.k, self.privacy).bits for one in made), default=0)
