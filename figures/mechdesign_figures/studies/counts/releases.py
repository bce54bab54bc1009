"""Releases of the same groups by several mechanisms, with errors, for studies on data."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from mechdesign.counts.error_metrics import parse_metrics
from mechdesign.counts.measuring import Measured, measure
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.rational import fraction_text
from mechdesign_catalog.datasets.counts import DataSet, open_data
from mechdesign_figures.studies.design_cache import DesignCache, problems_of
from mechdesign_figures.studies.repeated import NOISE_STREAM
from mechdesign_figures.studies.study import Row

MEASURED = ("expected", "mean", "deviation", "standard_error", "repetitions", "groups")
SETTINGS = ("mechanism", "loss", "n", "alpha", "metric")

PEOPLE = 10_000
DATA_SEED = 6000
"""Made-up people with the same chance are the same people in every study."""

BINOMIAL = "10,000 people, binomial, drawn once for each p and n (bars show noise alone)"
"""How the settings of studies tell of `binomial_people`."""

QUICK_REPETITIONS = 3

Opener = Callable[[DesignCache, str], DataSet]
"""`opener(cache, value)` gives the people for a value of the data column."""


def adult_people(cache: DesignCache, target: str) -> DataSet:
    """Read the people of the Adult file."""
    return cache.adult(target)


def binomial_people(cache: DesignCache, chance: str) -> DataSet:
    """Make 10,000 people, each 1 with the given chance (whole hundredths), independently."""
    return open_data(f"binomial:{chance}", people=PEOPLE, seed=DATA_SEED + int(100 * Fraction(chance)))


@dataclass(frozen=True)
class Releases:
    """A study that measures every mechanism on every data set, at every group size and alpha, by every metric.

    Args:
        mechanisms: names as `compare` takes them; `loss` is what named designs are optimal for.
        data: the name of the data column, `target` or `p`; `values` are its cells, `opener` turns them into people.
        metrics: as `parse_metrics` takes them; `part` names a column for what stands after the colon of a metric,
            the d of `L0:d` or the e of `error:e`; empty for no such column.
        seed: of the noise; each cell of the table has a stream of its own. The groups of a data set and size are the
            same for all mechanisms, alphas and repetitions.
    """

    mechanisms: tuple[str, ...]
    sizes: tuple[int, ...]
    alphas: tuple[Fraction, ...]
    data: str
    values: tuple[str, ...]
    opener: Opener
    metrics: str
    repetitions: int
    seed: int
    loss: str = "L0"
    part: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table."""
        return (self.data, *SETTINGS, *((self.part,) if self.part else ()), *MEASURED)

    def form(self, quick: bool) -> "Releases":
        """Return the study itself, or its reduced form.

        The reduced form has the first alpha, the first and last data set and group size, and three repetitions.
        """
        if not quick:
            return self
        return replace(
            self,
            alphas=self.alphas[:1],
            sizes=self.sizes[:: max(1, len(self.sizes) - 1)],
            values=self.values[:: max(1, len(self.values) - 1)],
            repetitions=QUICK_REPETITIONS,
        )

    def problems(self, quick: bool) -> Iterable[DesignProblem]:
        """List the problems that the study designs."""
        form = self.form(quick)
        return problems_of(list(form.mechanisms), list(form.sizes), list(form.alphas), form.loss)

    def rows(self, cache: DesignCache, quick: bool) -> list[Row]:
        """Compute the table: data sets vary slowest, then sizes, alphas, mechanisms; metrics fastest."""
        return list(self.form(quick)._measured(cache))

    def _measured(self, cache: DesignCache) -> Iterator[Row]:
        cell = 0
        for value in self.values:
            people = self.opener(cache, value)
            for n in self.sizes:
                grouped = people.grouped(n)
                metrics = parse_metrics(self.metrics, n)
                for alpha in self.alphas:
                    for name in self.mechanisms:
                        mechanism = cache.mechanism(name, n, alpha, self.loss)
                        words = seeded_words((self.seed, cell, NOISE_STREAM))
                        cell += 1
                        common: Row = {
                            self.data: value,
                            "mechanism": name,
                            "loss": self.loss,
                            "n": n,
                            "alpha": fraction_text(alpha),
                            "groups": grouped.groups,
                        }
                        for found in measure(mechanism, grouped.histogram, metrics, self.repetitions, words):
                            yield {**common, **self._cells(found)}

    def _cells(self, measured: Measured[float]) -> Row:
        part: Row = {self.part: int(measured.metric.partition(":")[2])} if self.part else {}
        return {
            **part,
            "metric": measured.metric,
            "expected": measured.expected,
            "mean": measured.mean,
            "deviation": measured.deviation,
            "standard_error": measured.standard_error,
            "repetitions": measured.repetitions,
        }
