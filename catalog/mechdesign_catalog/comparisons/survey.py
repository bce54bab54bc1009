"""The survey of oracles for one domain, privacy and population: accuracy, bits and time."""

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import Number, fraction_text
from mechdesign_catalog.comparisons.listed import listed_oracles
from mechdesign_catalog.comparisons.server_plans import ServerPlan, server_plan
from mechdesign_catalog.randomizers.facts.costs import MEASURED
from mechdesign_catalog.randomizers.facts.liars import parse_liars
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, LocalOracle, actual_epsilon
from mechdesign_catalog.systems.flat.subset import RARE
from mechdesign_catalog.systems.memory_needs import fits, memory_needed

SAME = 1e-9
"""Numbers that differ by less than this part of themselves are called equal; of variances fewer bits decide then."""


Cells = dict[str, str | int | float | bool | None]


@dataclass(frozen=True)
class RatedOracle:
    """An oracle with the variance that it is judged by.

    `name` is how it is asked for, `place` its number in the order of the registry.
    """

    name: str
    oracle: LocalOracle
    place: int = field(default=0, kw_only=True)

    @property
    @abstractmethod
    def variance(self) -> float:
        """Its variance."""

    @property
    def standard_error(self) -> float:
        """Root of the variance."""
        return math.sqrt(self.variance)

    @abstractmethod
    def entry(self) -> Cells:
        """Return the row as JSON has it."""


R = TypeVar("R", bound=RatedOracle)


@dataclass(frozen=True)
class Standing(RatedOracle):
    """The rating of an oracle: a rare item's variance, a report's bits, a server's time.

    With a fraction of liars: the largest bias that they can give the share of
    an item.
    """

    oracle: FrequencyOracle
    users: int
    liars: Fraction | None = None

    @property
    def variance(self) -> float:
        """Variance of a rare item's estimated share."""
        return self.oracle.approximate_variance(self.users)

    @cached_property
    def plan(self) -> ServerPlan:
        """What the collection takes, on paper."""
        return server_plan(self.oracle, self.users)

    @cached_property
    def worst_bias(self) -> float | None:
        """Largest bias that the liars can give the share of an item; None without liars."""
        found = None if self.liars is None else self.oracle.worst_bias(self.liars)
        return None if found is None else float(found.value)

    def entry(self) -> Cells:
        """Return the row as JSON has it."""
        numbers: Cells = {"variance": self.variance, "standard_error": self.standard_error}
        lies: Cells = {} if self.liars is None else {"liars": float(self.liars), "worst_bias": self.worst_bias}
        paper: Cells = {
            "planned_bytes": self.plan.sent_bytes,
            "planned_seconds": self.plan.seconds,
            "planned_machines": self.plan.machines,
            "planned_by": f"on paper, by constants of {MEASURED}",
        }
        return {"oracle": self.name, **numbers, **lies, **oracle_cells(self.oracle), **paper}


def oracle_cells(oracle: LocalOracle) -> Cells:
    """Return what a row tells of the oracle by itself: what it reports, bits, time, losses and memory."""
    return {
        "about": (type(oracle).__doc__ or oracle.title).partition("\n")[0],
        "published": oracle.is_published,
        "bits": oracle.bits,
        "mean_bits": oracle.mean_bits,
        "time_class": oracle.time_class,
        "epsilon": oracle.privacy.epsilon,
        "alpha": fraction_text(oracle.privacy.alpha),
        "actual_alpha": fraction_text(oracle.alpha),
        "actual_epsilon": actual_epsilon(oracle),
        "memory_bytes": memory_needed(oracle),
        "fits": fits(oracle),
    }


def survey_oracles(
    k: int, privacy: Privacy, users: int, *, liars: Number | None = None, installed: bool = False
) -> list[Standing]:
    """List all oracles for a domain side by side, the most accurate first; with a fraction of users who lie, if given.

    Subset selection is listed at the size of the least variance of a rare item, as `ss:size=D` where plain `ss` has
    another. With `installed` oracles that other packages offer are among them.

    Raises:
        InputError: for less than two items or one user, or a fraction of liars that is not in (0, 1).
    """
    if users < 1:
        raise InputError(f"users must be at least 1, got users={users}")
    lying = None if liars is None else parse_liars(liars)
    standings = [Standing(name, oracle, users, lying) for name, oracle in listed_oracles(k, privacy, RARE, installed)]
    return in_order(standings)


def in_order(rated: Iterable[R]) -> list[R]:
    """Sort oracles that come in the registry's order by variance; of equal ones, those of fewest bits come first."""
    placed = sorted((replace(one, place=place) for place, one in enumerate(rated)), key=lambda one: one.variance)
    least, keys = 0.0, dict[int, tuple[float, float, int]]()
    for one in placed:
        least = one.variance if one.variance > (1 + SAME) * least else least
        keys[one.place] = least, one.oracle.bits, one.place
    return sorted(placed, key=lambda one: keys[one.place])


NEARLY = 1.25
"""A variance up to this factor above the best one is nearly as good: a standard error 12 % above."""

AS_GOOD = 1.01
"""A variance up to this factor above the best one is as good as that."""

FEWER = 2
"""An oracle has really fewer bits where so many times its own are at most another's."""


def best(standings: Sequence[R]) -> R:
    """Choose the oracle of smallest variance among those that fit the memory; of equal ones that of fewest bits.

    Where none fits, all take part.
    """
    return _with_fewest_bits(standings, 1 + SAME)


def near_best(standings: Sequence[R]) -> R:
    """Choose the oracle with the fewest bits among those that are nearly as good as the best.

    The best one itself is chosen where no other has at most half its bits.
    """
    frugal, winner = _with_fewest_bits(standings, NEARLY), best(standings)
    return frugal if FEWER * frugal.oracle.bits <= winner.oracle.bits else winner


def frugal_best(standings: Sequence[R]) -> R:
    """Choose the oracle with the fewest bits among those within 1 % of the least variance."""
    return _with_fewest_bits(standings, AS_GOOD)


def _with_fewest_bits(standings: Sequence[R], factor: float) -> R:
    """The oracle of fewest bits whose variance is up to this factor above the least; of these the first registered."""
    fitting = [s for s in standings if fits(s.oracle)] or standings
    limit = factor * min(s.variance for s in fitting)
    return min((s for s in fitting if s.variance <= limit), key=lambda s: (s.oracle.bits, s.place))
