"""Runs of the commuting studies: made-up commuters, and estimates of their counts.

The census behind the published study is not public here. The generator `commuting:*` of the catalog stands in: people
of the published numbers on pairs of the published numbers, spread by a gravity model whose parameters are ours.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from mechdesign.counts.measuring import Measured, summarise
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.central import BASELINES, make_baseline, mean_squared_error
from mechdesign_catalog.comparisons.frequency_metrics import make_frequency_metric
from mechdesign_catalog.datasets.items import ItemCounts
from mechdesign_catalog.datasets.items.commuting import draw_commuting
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems import FrequencyOracle, parse_oracle
from mechdesign_figures.studies.study import Row

COUNTY, DIVISIONS = "county", "ed"
LARGE, SMALL = "subset-large", "subset-small"
DATA_SEED = 5

STAND_IN = "commuters made up by our seeded generator (gravity model, published sizes, seed 5), not the census"
"""How the settings of these studies tell of the data."""

SIMULATED = (
    "grr, sue, oue, olh by the law of the server's sums (olh's under fully random hashing), hcms with every report and "
    "redrawn hashes (1024 of them, 1024 places)"
)
"""And of the noise."""

EPSILONS = tuple(Fraction(halves, 2) for halves in range(1, 11))
"""0.5, 1, ..., 5."""

NOTHING = "zero"
"""Answering 0 for every pair, without asking anybody."""

QUICK_REPETITIONS = 2

Estimates = Iterator[Floats]
"""Shares of each pair, shape (pairs,), one for each repetition."""


@lru_cache(maxsize=4)
def commuters(name: str) -> ItemCounts:
    """Return the made-up commuters of `county`, `ed`, `subset-large` or `subset-small`.

    They are the same people in every study and claim.
    """
    return draw_commuting(f"commuting:{name}", DATA_SEED)


@dataclass(frozen=True)
class Source:
    """An origin of estimates: a local oracle, a central baseline, or `zero`; `name` as on the command line."""

    name: str
    epsilon: Fraction

    @property
    def privacy(self) -> Privacy:
        """The privacy parameter."""
        return Privacy(epsilon=self.epsilon)

    @property
    def central(self) -> bool:
        """Whether the estimates come from a central baseline."""
        return self.name in BASELINES

    @property
    def local(self) -> bool:
        """Whether the estimates come from a local oracle."""
        return not self.central and self.name != NOTHING

    def oracle(self, pairs: int, hashes: int = 0) -> FrequencyOracle:
        """Return the local oracle.

        `hashes` numbers the public hashes of `hcms`, which is unbiased only over redrawn ones.
        """
        return parse_oracle(f"{self.name}:seed={hashes}" if self.name == "hcms" else self.name, pairs, self.privacy)

    def way(self, pairs: int) -> str:
        """Return how a repetition is simulated: `law` of the server's sums, `reports`, `central`, or `none`.

        With `reports` every user's report is made.
        """
        if not self.local:
            return "central" if self.central else "none"
        return "law" if self.oracle(pairs).can_simulate_sums else "reports"

    def bits(self, pairs: int) -> float | None:
        """Return how many bits one user sends; None where there is no local oracle."""
        return self.oracle(pairs).bits if self.local else None

    def mean_square(self, data: ItemCounts) -> float:
        """Return the exact expected mean squared error of shares over all pairs; for hcms over redrawn hashes."""
        if self.local:
            return float(self.oracle(data.k).variance(data.frequencies, data.users).mean())
        if self.central:
            squares = mean_squared_error(make_baseline(self.name, self.privacy), data.counts)
            return float(squares.mean()) / data.users**2
        return float((data.frequencies**2).mean())

    def estimates(self, data: ItemCounts, repetitions: int, seed: tuple[int, ...]) -> Estimates:
        """Simulate the estimates of each repetition; each has a random stream of its own."""
        for repetition in range(repetitions):
            yield self._estimate(data, (*seed, repetition))

    def _estimate(self, data: ItemCounts, seed: tuple[int, ...]) -> Floats:
        way = self.way(data.k)
        if way == "none":
            return np.zeros(data.k)
        generator = np.random.default_rng(seed)
        if way == "central":
            return make_baseline(self.name, self.privacy).simulate(data.counts, generator) / data.users
        oracle = self.oracle(data.k, hashes=int(generator.integers(1 << 32)))
        if way == "law":
            return oracle.estimate(oracle.simulate_sums(data.counts, generator))
        return oracle.estimate(oracle.aggregate(oracle.privatize(data.values(), seeded_words(seed))))


COLUMNS = (
    "data",
    "people",
    "pairs",
    "oracle",
    "epsilon",
    "metric",
    "expected",
    "mean",
    "standard_error",
    "repetitions",
    "simulated",
    "bits",
)


def reduced(epsilons: tuple[Fraction, ...], repetitions: int) -> tuple[tuple[Fraction, ...], int]:
    """Return the reduced form of all these studies: the first and the last epsilon, and at most two repetitions."""
    return epsilons[:: len(epsilons) - 1], min(QUICK_REPETITIONS, repetitions)


@dataclass(frozen=True)
class Collections:
    """A study that measures every source on every data set at every epsilon, by every metric.

    Values are shares and people.

    `quick_data` stands in for the data in the reduced form, which has the first and the last epsilon. Each cell of the
    table has a stream of its own.
    """

    data: tuple[str, ...]
    sources: tuple[str, ...]
    epsilons: tuple[Fraction, ...]
    metrics: tuple[str, ...]
    repetitions: int
    seed: int
    quick_data: tuple[str, ...] = ()

    def rows(self, quick: bool) -> list[Row]:
        """Compute the table: data vary slowest, then epsilons, sources, metrics."""
        return list(self._measured(quick))

    def _measured(self, quick: bool) -> Iterator[Row]:
        epsilons, repetitions = reduced(self.epsilons, self.repetitions) if quick else (self.epsilons, self.repetitions)
        cell = 0
        for name in (self.quick_data or self.data) if quick else self.data:
            data = commuters(name)
            for epsilon in epsilons:
                for source in (Source(word, epsilon) for word in self.sources):
                    common = common_cells(name, data, source)
                    for found in self._measure(source, data, repetitions, (self.seed, cell)):
                        yield {**common, **measured_cells(found)}
                    cell += 1

    def _measure(
        self, source: Source, data: ItemCounts, repetitions: int, seed: tuple[int, ...]
    ) -> Iterator[Measured[float | None]]:
        """Each metric as a share and in people."""
        expected = {"rmse": float(np.sqrt(source.mean_square(data)))}
        found = measured(data, source.estimates(data, repetitions, seed), self.metrics)
        for name, values in found.items():
            share = expected.get(name)
            yield summarise(name, share, values)
            in_people = None if share is None else share * data.users
            yield summarise(f"{name}-people", in_people, [value * data.users for value in values])


def measured(data: ItemCounts, estimates: Estimates, metrics: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Measure each metric, one value for each repetition."""
    made = [make_frequency_metric(name) for name in metrics]
    values = [[metric.value(data.counts, estimate) for metric in made] for estimate in estimates]
    return dict(zip(metrics, zip(*values, strict=True), strict=True))


def common_cells(name: str, data: ItemCounts, source: Source) -> Row:
    """Return the cells that all rows of one source on one data set have in common."""
    return {
        "data": f"commuting:{name}",
        "people": data.users,
        "pairs": data.k,
        "oracle": source.name,
        "epsilon": float(source.epsilon),
        "simulated": source.way(data.k),
        "bits": source.bits(data.k),
    }


def measured_cells(measured: Measured[float | None]) -> Row:
    """Return the cells of one metric; the expectation where it is known exactly."""
    return {
        "metric": measured.metric,
        "expected": measured.expected,
        "mean": measured.mean,
        "standard_error": measured.standard_error,
        "repetitions": measured.repetitions,
    }
