"""Compare mechanisms on a data set: every candidate at every group size and alpha, each measured by every metric."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.counts.error_metrics import parse_metrics
from mechdesign.counts.measuring import Measured, measure
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import WordSource
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.loss import Loss
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.prior import Prior
from mechdesign.rational import fraction_text, natural_log
from mechdesign_catalog.comparisons.rows import ComparisonRows, Entry, measured_entry
from mechdesign_catalog.datasets.counts.grouped import GroupedCounts
from mechdesign_catalog.mechanisms.candidates import Candidate

MAX_DRAWS = 10**10
"""A comparison that would draw more often is a slip of the keyboard."""


@dataclass(frozen=True)
class MechanismComparison:
    """What is compared: `candidates` on data grouped by each of `sizes`, made for each of `alphas`.

    `metrics` are names as `parse_metrics` takes them; `loss` and `prior` are those of named designs. Files have an
    alpha of their own, so `alphas` may be empty where all candidates are files.

    Raises:
        InputError: for an unknown metric, no alpha where one is needed, or more draws than anybody waits for.
    """

    candidates: tuple[Candidate, ...]
    grouped: tuple[GroupedCounts, ...]
    alphas: tuple[Fraction, ...]
    metrics: str
    loss: Loss
    repetitions: int
    prior: Prior | None = None

    def __post_init__(self) -> None:
        for data in self.grouped:
            parse_metrics(self.metrics, data.n)
        if not self.alphas and not all(candidate.is_file for candidate in self.candidates):
            raise InputError("exactly one of alpha and epsilon must be given, got neither")
        if self.repetitions < 1:
            raise InputError(f"repetitions must be at least 1, got repetitions={self.repetitions}")
        if self.draws > MAX_DRAWS:
            raise InputError(
                f"a comparison must draw at most {MAX_DRAWS} counts, got {self.draws}; take fewer repetitions"
            )

    @property
    def draws(self) -> int:
        """Counts that will be drawn."""
        files = sum(candidate.is_file for candidate in self.candidates)
        mechanisms = files + (len(self.candidates) - files) * len(self.alphas)
        return sum(data.groups for data in self.grouped) * mechanisms * self.repetitions


@dataclass(frozen=True)
class MechanismRow:
    """One metric of one mechanism on data grouped by n; `alpha` is what the mechanism was made for."""

    mechanism: str
    n: int
    alpha: Fraction
    groups: int
    measured: Measured[float]

    def entry(self) -> Entry:
        """The row as JSON and CSV have it."""
        return {
            "mechanism": self.mechanism,
            "metric": self.measured.metric,
            "n": self.n,
            "alpha": fraction_text(self.alpha),
            **measured_entry(self.measured),
            "groups": self.groups,
            "epsilon": -natural_log(self.alpha),
        }


def compare_mechanisms(
    comparison: MechanismComparison,
    words: WordSource | None = None,
    report: Callable[[int], None] = lambda draws: None,
) -> ComparisonRows[MechanismRow]:
    """Measure every mechanism: rows with sizes varying slowest, metrics fastest.

    `report` is told how many draws were made so far (0 while mechanisms are made).

    All mechanisms are made before the first draw, so that one that cannot be made costs no waiting.
    """
    made = []
    for data in comparison.grouped:
        for named in _mechanisms(comparison, data.n):
            made.append((data, *named))
            report(0)
    done = 0

    def count(draws: int) -> None:
        nonlocal done
        done += draws
        report(done)

    rows = ComparisonRows[MechanismRow]()
    for data, candidate, alpha, mechanism in made:
        metrics = parse_metrics(comparison.metrics, data.n)
        found = measure(mechanism, data.histogram, metrics, comparison.repetitions, words, count)
        rows += [MechanismRow(candidate.name, data.n, alpha, data.groups, measured) for measured in found]
    return rows


def _mechanisms(comparison: MechanismComparison, n: int) -> Iterator[tuple[Candidate, Fraction, Mechanism]]:
    """Every candidate for groups of n, with the alpha that it was made for; a file's is the tightest that it holds."""
    for candidate in comparison.candidates:
        if candidate.is_file:
            mechanism = candidate.read(n)
            own = tightest_alpha(mechanism.weights, NeighbourGraph.path(n + 1)).alpha
            assert own is not None  # a mechanism of infinite epsilon is not read
            yield candidate, own, mechanism
        else:
            for alpha in comparison.alphas:
                yield candidate, alpha, candidate.mechanism(n, alpha, comparison.loss, comparison.prior)
