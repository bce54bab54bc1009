"""The survey of oracles for a workload: errors of its queries at equal shares."""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import Number
from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.design_floor import variance_bound
from mechdesign_catalog.comparisons.listed import listed_oracles
from mechdesign_catalog.comparisons.survey import SAME, Cells, RatedOracle, in_order, oracle_cells
from mechdesign_catalog.decoders.decoder import NORM, Decoder
from mechdesign_catalog.decoders.trees.plan import OPTIMAL
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.randomizers.facts.liars import WorstBias, parse_liars, worst_answer_bias
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.flat.subset import MEAN
from mechdesign_catalog.systems.levels.warped_blocks import LARGEST_K, LEAST_K, WarpedBlocks
from mechdesign_catalog.systems.levels.weighed_levels import LARGEST_EPSILON
from mechdesign_catalog.systems.memory_needs import require_items_fit
from mechdesign_catalog.systems.registry import FLAT, SYSTEMS, parse_oracle

BRANCHES = (2, 4, 8, 16)
NAMED = ("histogram", "prefixes", "ranges")
"""Workloads for which the levels of a system on items in a row can be weighed by name."""

MEANT = (Ranges, Arcs, Prefixes)
"""Workloads whose queries lie between cuts, which `blocks` answers."""

SUBSETS = "in=ss-hrr"
"""Trees whose levels use subset selection, as far as their reports of bits are not too long."""

GAIN = 0.999
"""Other levels are listed where they bring the average below this part of that of the usual ones."""

MOST_WRITTEN = 1 << 22
"""Weights of rectangles that are written down in search of the largest variance."""

MOST_WARPED = 1 << 9
"""Items up to which `warped-blocks` is listed for other queries than prefixes: a second, and `blocks` is better."""

SAMPLE_SEED = 13

TIMES = 1000
"""A variance is told in thousandths of its bound."""

SURVEY_BYTES = 40
"""What an item takes where the largest variance is looked for; measured at k = 2^24 and 2^26."""


@runtime_checkable
class RatesWorkloads(Protocol):
    """An oracle that knows the variances of a workload's answers at uniform shares in closed form."""

    def average_variance(self, workload: Workload, users: int) -> float:
        """Compute the mean of the variances of all answers."""

    def largest_variance(self, workload: Workload, users: int) -> tuple[float, float]:
        """Return a value that the largest variance has at least, and a bound of it; equal where it is exact."""


@runtime_checkable
class SamplesWorkloads(Protocol):
    """An oracle whose variances are looked at for some of a workload's queries, where its items are many."""

    @property
    def is_sampled(self) -> bool:
        """Whether they are so many."""

    def sampled_variances(self, workload: Workload, users: int) -> tuple[float, float, float]:
        """Return the estimated average variance, its standard error, and the largest that was seen."""


Largest = tuple[float, float | None]
"""A value that the largest variance over a workload has at least, and a bound of it; None where none is known."""


@dataclass(frozen=True, eq=False)
class Rating:
    """The average and the largest variance of a workload's answers.

    The largest is between `largest` and the bound; there may be none. It is looked for when it is asked for. An average
    over some queries alone has a standard error.
    """

    average: float
    find_largest: Callable[[], Largest]
    error: float = 0.0

    @cached_property
    def _ends(self) -> Largest:
        return self.find_largest()

    @property
    def largest(self) -> float:
        """A value that the largest variance has at least."""
        return self._ends[0]

    @property
    def bound(self) -> float | None:
        """A bound of the largest variance."""
        return self._ends[1]

    @property
    def is_exact(self) -> bool:
        """Whether `largest` is the largest variance of all."""
        return self.largest == self.bound

    def cells(self) -> Cells:
        """Return the numbers as JSON has them."""
        return {
            "average_variance": self.average,
            "largest_variance": self.largest,
            "largest_is_exact": self.is_exact,
            "largest_variance_bound": self.bound,
        }


@dataclass(frozen=True)
class RatedForWorkload(RatedOracle):
    """The rating of an oracle for the answers to a workload.

    `bound` is one of the average variance, from below, over all local mechanisms; None where none is known.
    """

    rating: Rating
    bound: Fraction | None = field(default=None, kw_only=True)

    @property
    def variance(self) -> float:
        """Average variance of an answer."""
        return self.rating.average

    @property
    def loses_more(self) -> bool:
        """Whether reports lose more than is claimed, by more than rounding."""
        return self.oracle.alpha < self.oracle.privacy.alpha * (1 - Fraction(SAME))

    @property
    def times_bound(self) -> float | None:
        """The average variance over its bound, rounded up.

        None without a bound, where reports lose more, or where the average is estimated.
        """
        if self.bound is None or self.loses_more or self.rating.error or not math.isfinite(self.variance):
            return None
        return math.ceil(TIMES * Fraction(self.variance) / self.bound) / TIMES

    @property
    def times_bound_interval(self) -> tuple[float, float] | None:
        """Two standard errors about an estimated average, over the bound; None where the average is exact."""
        if self.bound is None or self.loses_more or not self.rating.error:
            return None
        bound = float(self.bound)
        return (self.variance - 2 * self.rating.error) / bound, (self.variance + 2 * self.rating.error) / bound

    @property
    @abstractmethod
    def worst_bias(self) -> WorstBias | None:
        """How far liars move an answer at most; None without liars, and where it takes too long."""


@dataclass(frozen=True)
class WorkloadStanding(RatedForWorkload):
    """The rating of an oracle for a workload, and what a fraction of liars moves it."""

    oracle: FrequencyOracle
    workload: Workload
    liars: Fraction | None = None
    post: str = NORM

    @cached_property
    def worst_bias(self) -> WorstBias | None:
        """Largest bias that the liars can give an answer; None without liars, and for workloads that are too large."""
        if self.liars is None:
            return None
        return worst_answer_bias(Decoder(self.oracle, self.post), self.workload, self.liars)

    def entry(self) -> Cells:
        """Return the row as JSON has it."""
        interval = self.times_bound_interval
        return {
            "oracle": self.name,
            "post": self.post if self.oracle.ignores_total else None,
            **self.rating.cells(),
            "standard_error": self.standard_error,
            "times_bound": self.times_bound,
            "times_bound_least": None if interval is None else interval[0],
            "times_bound_most": None if interval is None else interval[1],
            **({} if self.liars is None else lies_cells(self.liars, self.worst_bias)),
            **oracle_cells(self.oracle),
        }


def lies_cells(liars: Fraction, worst: WorstBias | None) -> Cells:
    """Return what JSON has of a fraction of liars and the largest bias that they give an answer."""
    return {
        "liars": float(liars),
        "worst_bias": None if worst is None else float(worst.value),
        "worst_bias_is_exact": None if worst is None else worst.is_exact,
    }


def survey_workload(
    workload: Workload,
    privacy: Privacy,
    users: int,
    *,
    liars: Number | None = None,
    others: Iterable[str] = (),
    post: str = NORM,
) -> list[WorkloadStanding]:
    """List all oracles and systems of levels for a workload side by side, the smallest average variance first.

    Args:
        workload: its k is the number of items, each of which has the share 1/k.
        privacy: what each report may lose.
        users: their number n; level l of a system has `n p_l` of them.
        liars: fraction of the users who send reports of their choice: how far they move an answer.
        others: more oracles to list, as `parse_oracle` takes them, such as the file of a design for the workload.
        post: `norm` for answers that use that all shares add up to one, `raw` for those of the papers (`Decoder`).

    Returns:
        The rows `flat:ORACLE` for every oracle on items that can be made, and the systems: `hh:b=B` and `haar`; for
        ranges, arcs and prefixes `blocks`; for prefixes, and for other queries of few items in a row, `warped-blocks`;
        for a grid `hh2:b=B`, `haar2` and `blocks2`. Trees whose levels use subset selection (`in=ss-hrr`), and systems
        with levels weighed for the workload, are listed where that helps. An oracle of `others` stands there once.

    Raises:
        InputError: for less than two items or two users, whom levels need, more items than the memory holds, a fraction
            of liars that is not in (0, 1), or another oracle that is none or does not answer the workload.
    """
    require_users_and_memory(workload, users)
    lying = None if liars is None else parse_liars(liars)
    bound = variance_bound(workload, privacy, users)

    def standing_of(name: str, oracle: FrequencyOracle) -> WorkloadStanding:
        return WorkloadStanding(name, oracle, rate(oracle, workload, users, post), workload, lying, post, bound=bound)

    found = [standing_of(name, parse_oracle(name, workload.k, privacy)) for name in others]
    asked = [standing.oracle for standing in found]
    listed = standings(systems(workload, privacy), workload, privacy, standing_of)
    found += (standing for standing in listed if standing.oracle not in asked)
    return in_order(found)


def require_users(users: int) -> None:
    """Refuse less than two users.

    Raises:
        InputError: with their number.
    """
    if users < 2:
        raise InputError(f"users must be at least 2 for a workload, got users={users}")


def require_users_and_memory(workload: Workload, users: int) -> None:
    """Refuse less than two users, and more items than the memory holds.

    Raises:
        InputError: saying which.
    """
    require_users(users)
    require_items_fit(workload.k, SURVEY_BYTES, "variances")


def standings(
    names: Iterable[str],
    workload: Workload,
    privacy: Privacy,
    standing_of: Callable[[str, FrequencyOracle], WorkloadStanding],
) -> Iterator[WorkloadStanding]:
    """Rate all oracles on items, and these systems."""
    for name, oracle in listed_oracles(workload.k, privacy, MEAN):
        yield standing_of(f"{FLAT}{name}", oracle)
    for name in names:
        yield from standings_of_system(name, workload, privacy, standing_of)


def standings_of_system(
    name: str, workload: Workload, privacy: Privacy, standing_of: Callable[[str, FrequencyOracle], WorkloadStanding]
) -> Iterator[WorkloadStanding]:
    """Rate a system of levels, and with other levels where that helps."""

    def better(names: Iterable[str], than: WorkloadStanding) -> Iterator[WorkloadStanding]:
        others = (standing_of(name, parse_oracle(name, workload.k, privacy)) for name in names)
        return (other for other in others if other.variance < GAIN * than.variance)

    standing = standing_of(name, parse_oracle(name, workload.k, privacy))
    yield standing
    yield from better(weighed(name, workload), standing)
    if name.startswith("hh"):
        for other in better([f"{name}:{SUBSETS}"], standing):
            yield other
            yield from better(weighed(other.name, workload), other)


def weighed(name: str, workload: Workload) -> list[str]:
    """Name the system with levels weighed for the workload, if a name says this."""
    if name.startswith(("hh2:", "haar2:")):
        return [f"{name}:levels={_best_levels(workload)}"]
    if (
        name.startswith("blocks2:")
        or name == "blocks"
        or (name == WarpedBlocks.name and workload.name == WarpedBlocks.levels)
    ):
        return []
    return [f"{name}:levels={workload.name}"] if workload.name in NAMED else []


def systems(workload: Workload, privacy: Privacy) -> Iterator[str]:
    """Name the systems of levels that are listed for a workload, with their usual options."""
    has_blocks = privacy.epsilon <= LARGEST_EPSILON
    yield from (f"hh:b={b}" for b in BRANCHES if b < workload.k)
    yield "haar"
    if has_blocks and isinstance(workload, MEANT):
        yield "blocks"
    most = LARGEST_K if isinstance(workload, Prefixes) else MOST_WARPED
    if has_blocks and workload.sides is None and LEAST_K <= workload.k <= most:
        yield WarpedBlocks.name
    if workload.sides is not None and (shorter := min(side.k for side in workload.sides)) > 1:
        sides = "x".join(str(side.k) for side in workload.sides)
        yield from (f"hh2:b={b}:sides={sides}" for b in BRANCHES if b < shorter)
        yield f"haar2:sides={sides}"
        levels = _best_levels(workload)
        if has_blocks:
            yield f"blocks2:sides={sides}" + (f":levels={levels}" if levels != OPTIMAL else "")


def _best_levels(workload: Workload) -> str:
    """Say for which products of a table levels are best: all rectangles have a name of their own."""
    return OPTIMAL if not isinstance(workload, Grid) or workload == Grid(workload.shape) else workload.words


def rate(oracle: FrequencyOracle, workload: Workload, users: int, post: str = NORM) -> Rating:
    """Compute average and largest variance of a workload's answers by an oracle, at uniform shares.

    `post` is how answers are decoded: `norm` uses that all shares add up to one, `raw` is as the oracle was published.
    """
    decoder = Decoder(oracle, post)
    if isinstance(oracle, ExchangeableOracle):
        average, centred = oracle.average_variance(workload, users, centred=decoder.centres), decoder.centres
        return Rating(average, lambda: oracle.largest_variance(workload, users, centred=centred))
    if isinstance(oracle, SamplesWorkloads) and oracle.is_sampled:
        average, error, largest = oracle.sampled_variances(workload, users)
        return Rating(average, lambda: (largest, None), error)
    if isinstance(oracle, RatesWorkloads):
        average = oracle.average_variance(workload, users)
        if oracle.name in SYSTEMS and workload.sides is not None and workload.count * workload.k > MOST_WRITTEN:
            return Rating(average, lambda: (_largest_of_some(oracle, workload, users), None))
        return Rating(average, lambda: oracle.largest_variance(workload, users))
    variances = decoder.variance(workload.queries(), _uniform(workload), users)
    largest = float(variances.max())
    return Rating(float(variances.mean()), lambda: (largest, largest))


def _largest_of_some(oracle: FrequencyOracle, workload: Workload, users: int) -> float:
    """Look for the largest variance of a rectangle on items in a row, which takes the rectangle's weights."""
    some = max(1, MOST_WRITTEN // workload.k)
    queries = workload.sample(some, np.random.default_rng(SAMPLE_SEED))
    return float(oracle.answer_variance(queries, _uniform(workload), users).max())


def _uniform(workload: Workload) -> Floats:
    return np.full(workload.k, 1 / workload.k)
