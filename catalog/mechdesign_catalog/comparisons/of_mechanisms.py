"""Comparisons of mechanisms: every candidate at every size, alpha and metric.

They are made on one data set.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.arguments import checked
from mechdesign.counts.error_metrics import parse_metrics
from mechdesign.counts.measuring import Measured, measure
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.loss import Loss
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import loss_above, missing_privacy
from mechdesign.rational import Number, fraction_text
from mechdesign.sweeps.ranges import each_once, parse_privacies, parse_sizes
from mechdesign_catalog.comparisons.rows import ComparisonRows, Entry, added_up, measured_entry
from mechdesign_catalog.datasets.counts.grouped import DataSet, GroupedCounts
from mechdesign_catalog.datasets.counts.opening import open_data
from mechdesign_catalog.mechanisms.candidates import Candidate, Mechanisms, as_candidates

MAX_DRAWS = 10**10
"""A comparison that would draw more often is a slip of the keyboard."""

MECHANISMS, METRICS, REPETITIONS = "GM;WM;EM;UM", "error-rate,L0:1,rmse", 50
"""What is compared unless something else is asked for."""


@dataclass(frozen=True)
class MechanismComparison:
    """A comparison: `candidates` on data grouped by each of `sizes`, made for each of `alphas`.

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
        if not self.alphas and not all(candidate.is_made for candidate in self.candidates):
            raise missing_privacy()
        if self.repetitions < 1:
            raise InputError(f"repetitions must be at least 1, got repetitions={self.repetitions}")
        if self.draws > MAX_DRAWS:
            raise InputError(
                f"a comparison must draw at most {MAX_DRAWS} counts, got {self.draws}; take fewer repetitions"
            )

    @classmethod
    def of(
        cls,
        data: DataSet,
        mechanisms: Mechanisms = MECHANISMS,
        *,
        n: int | str | Iterable[int] | None = None,
        alpha: Number | Iterable[Number] | None = None,
        epsilon: Number | Iterable[Number] | None = None,
        metrics: str = METRICS,
        loss: str | Loss = "L0",
        prior: str | Prior | None = None,
        repetitions: int = REPETITIONS,
    ) -> "MechanismComparison":
        """State a comparison in the terms of `compare_mechanisms`; nothing is released yet."""
        candidates = as_candidates(mechanisms)
        privacies = () if alpha is None and epsilon is None else parse_privacies(alpha, epsilon)
        return cls(
            candidates=candidates,
            grouped=tuple(data.grouped(size) for size in _sizes(n, data, candidates)),
            alphas=each_once(privacy.alpha for privacy in privacies),
            metrics=metrics,
            loss=Loss.parse(loss) if isinstance(loss, str) else loss,
            repetitions=repetitions,
            prior=Prior.parse(prior) if isinstance(prior, str) else prior,
        )

    @property
    def draws(self) -> int:
        """Number of counts that will be drawn."""
        files = sum(candidate.is_made for candidate in self.candidates)
        mechanisms = files + (len(self.candidates) - files) * len(self.alphas)
        return sum(data.groups for data in self.grouped) * mechanisms * self.repetitions


def _sizes(sizes: int | str | Iterable[int] | None, data: DataSet, candidates: Sequence[Candidate]) -> tuple[int, ...]:
    """Return the sizes asked for, else the only size that the data have, else that of the mechanisms that are given."""
    if sizes is not None:
        return parse_sizes(sizes, "n")
    if data.own_n is not None:
        return (data.own_n,)
    own = {candidate.own_n for candidate in candidates if candidate.is_made} - {None}
    if len(own) != 1:
        raise InputError(f"n must be given for {data.name}, got none; try n = 8")
    return tuple(n for n in own if n is not None)


@dataclass(frozen=True)
class MechanismRow:
    """One metric of one mechanism on data grouped by n; `alpha` is what the mechanism was made for."""

    mechanism: str
    n: int
    alpha: Fraction
    groups: int
    measured: Measured[float]

    def entry(self) -> Entry:
        """Return the row as JSON and CSV have it."""
        return {
            "mechanism": self.mechanism,
            "metric": self.measured.metric,
            "n": self.n,
            "alpha": fraction_text(self.alpha),
            **measured_entry(self.measured),
            "groups": self.groups,
            "epsilon": loss_above(self.alpha),
        }


@checked
def compare_mechanisms(
    data: DataSet | str,
    mechanisms: Mechanisms = MECHANISMS,
    *,
    n: int | str | Iterable[int] | None = None,
    alpha: Number | Iterable[Number] | None = None,
    epsilon: Number | Iterable[Number] | None = None,
    metrics: str = METRICS,
    loss: str | Loss = "L0",
    prior: str | Prior | None = None,
    repetitions: int = REPETITIONS,
    seed: int | None = None,
    report: Callable[[int], None] = lambda draws: None,
) -> ComparisonRows[MechanismRow]:
    """Compare mechanisms on a data set: the exact expectation of each metric, and simulated releases beside it.

    Args:
        data: a data set of counts, or its name as `open_data` takes it.
        mechanisms: names between commas or in a list, or by names of your own: `{"ours": design, "GM": "GM"}`.
        n: sizes of groups: a number, several, or a text of numbers and ranges `2:8:2`; by default the data's own, or
            that of mechanisms that are made already.
        alpha: one, several, or a text such as `0.5:0.9:0.1`; not needed where all mechanisms are made already.
        epsilon: instead of alpha.
        metrics: names between commas: `error-rate`, `L0:d`, `rmse`, `bias`, `error-histogram`.
        loss: of named designs.
        prior: of designs; uniform by default.
        repetitions: simulated releases of each mechanism.
        seed: makes made-up data and the noise reproducible.
        report: told how many counts were drawn so far.

    Returns:
        A row for each size, mechanism, alpha and metric, in this order.

    Raises:
        InputError: for an unknown name, with the nearest known one, or data that cannot be grouped by n.

    >>> [row.measured.expected for row in compare_mechanisms("saxony", "UM", alpha="0.9", metrics="error-rate")]
    [0.9230769230769231]
    """
    opened = open_data(data, seed=seed) if isinstance(data, str) else data
    comparison = MechanismComparison.of(
        opened,
        mechanisms,
        n=n,
        alpha=alpha,
        epsilon=epsilon,
        metrics=metrics,
        loss=loss,
        prior=prior,
        repetitions=repetitions,
    )
    return measure_mechanisms(comparison, None if seed is None else seeded_words(seed), report)


def measure_mechanisms(
    comparison: MechanismComparison,
    words: WordSource | None = None,
    report: Callable[[int], None] = lambda draws: None,
) -> ComparisonRows[MechanismRow]:
    """Measure every mechanism of a comparison: rows with sizes varying slowest, metrics fastest.

    `report` is told how many draws were made so far (0 while mechanisms are made).

    All mechanisms are made before the first draw, so that one that cannot be made costs no waiting.
    """
    made = []
    for data in comparison.grouped:
        for named in _mechanisms(comparison, data.n):
            made.append((data, *named))
            report(0)
    count = added_up(report)
    rows = ComparisonRows[MechanismRow]()
    for data, candidate, alpha, mechanism in made:
        metrics = parse_metrics(comparison.metrics, data.n)
        found = measure(mechanism, data.histogram, metrics, comparison.repetitions, words, count)
        rows += [MechanismRow(candidate.name, data.n, alpha, data.groups, measured) for measured in found]
    return rows


def _mechanisms(comparison: MechanismComparison, n: int) -> Iterator[tuple[Candidate, Fraction, Mechanism]]:
    """Make every candidate for groups of n, with the alpha it was made for; a file's is the tightest that it holds."""
    for candidate in comparison.candidates:
        if candidate.is_made:
            mechanism = candidate.read(n)
            own = tightest_alpha(mechanism.weights, NeighbourGraph.path(n + 1)).alpha
            assert own is not None  # a mechanism of infinite epsilon is not read
            yield candidate, own, mechanism
        else:
            for alpha in comparison.alphas:
                yield candidate, alpha, candidate.mechanism(n, alpha, comparison.loss, comparison.prior)
