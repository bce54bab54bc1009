"""Comparisons of local oracles on items: every oracle at every epsilon and metric.

Central baselines stand beside them for scale.
"""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product

import numpy as np

from mechdesign.arguments import checked
from mechdesign.counts.measuring import Measured, summarise
from mechdesign.documents.workloads import parse_workload
from mechdesign.errors import InputError
from mechdesign.machine import readable_bytes
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import Number, fraction_text
from mechdesign.sweeps.ranges import each_once, parse_privacies
from mechdesign.workloads.marginals import marginals_on
from mechdesign.workloads.queries import Intervals
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.analyses.postprocessing import find_postprocessing, square_mechanism
from mechdesign_catalog.central import Baseline, answers_squared_error, is_baseline, mean_squared_error, parse_baseline
from mechdesign_catalog.comparisons.collecting import collect
from mechdesign_catalog.comparisons.frequency_metrics import FrequencyMetric, parse_frequency_metrics
from mechdesign_catalog.comparisons.listed import listed_oracles
from mechdesign_catalog.comparisons.rows import ComparisonRows, Entry, added_up, measured_entry
from mechdesign_catalog.comparisons.workload_metrics import (
    Estimated,
    EvaluatedWorkload,
    WorkloadMetric,
    parse_workload_metrics,
)
from mechdesign_catalog.datasets.items import ItemCounts, open_items
from mechdesign_catalog.decoders.decoder import NORM, RAW, Decoder
from mechdesign_catalog.mechanisms.candidates import split_names
from mechdesign_catalog.randomizers.kernels.draws import bits_for
from mechdesign_catalog.randomizers.oracle import HasPublicSeed, require_sums_law
from mechdesign_catalog.systems import FrequencyOracle, parse_oracle
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.flat.subset import MEAN, SubsetSelection
from mechdesign_catalog.systems.memory_needs import require_fit
from mechdesign_catalog.systems.registry import with_sides

REPORTS, AGGREGATE = "reports", "aggregate"
ORACLES, METRICS, REPETITIONS = "grr,oue,olh,hrr,ss", "rmse,max,tv", 10
WORKLOAD_ORACLES, WORKLOAD_METRICS = "flat:oue,hh:b=4,haar", "rmse,max"
"""What is compared unless something else is asked for; the second where there is a workload."""

MOST_REPORTS = 10**10
MOST_BYTES = 10**12
"""Of all reports of one oracle at one epsilon: some hours."""
PUBLIC = 1


@dataclass(frozen=True)
class OracleComparison:
    """A comparison: `oracles` (texts as `parse_oracle` takes them) on `data`, made for each of `privacies`.

    The names of central baselines stand for what a trusted server would release of the same data.

    Oracles with public hashes get new ones in every repetition, as the expected values are over them.

    `simulate` is "reports" (every user's) or "aggregate" (the server's sums from their exact law). With a `workload`,
    metrics are of the answers to its queries.

    Raises:
        InputError: for an unknown oracle or metric, an oracle that does not fit the memory or has no simple law, or a
            workload of another k.
    """

    data: ItemCounts
    oracles: tuple[str, ...]
    privacies: tuple[Privacy, ...]
    metrics: str
    repetitions: int
    simulate: str = REPORTS
    post: str | None = None
    workload: Workload | None = None

    @classmethod
    def of(
        cls,
        data: ItemCounts,
        oracles: str | Iterable[str] | None = None,
        *,
        alpha: Number | Iterable[Number] | None = None,
        epsilon: Number | Iterable[Number] | None = None,
        metrics: str | None = None,
        repetitions: int = REPETITIONS,
        simulate: str = REPORTS,
        post: str | None = None,
        workload: Workload | str | None = None,
    ) -> "OracleComparison":
        """State a comparison in the terms of `compare_oracles`; nothing is simulated yet."""
        usual = (ORACLES, METRICS) if workload is None else (WORKLOAD_ORACLES, WORKLOAD_METRICS)
        privacies = parse_privacies(alpha, epsilon)
        asked = _at_best_size(usual[0], data.k, privacies) if oracles is None else oracles
        names = split_names(asked) if isinstance(asked, str) else asked
        queries = _parsed(workload, data) if isinstance(workload, str) else workload
        chosen = usual[1] if metrics is None else metrics
        return cls(data, each_once(names), privacies, chosen, repetitions, simulate, post, queries)

    def __post_init__(self) -> None:
        _ = self.made_metrics
        find_postprocessing(self.chosen_post)
        if self.simulate not in (REPORTS, AGGREGATE):
            raise InputError(f"simulate must be {REPORTS} or {AGGREGATE}, got {self.simulate}")
        if self.repetitions < 1:
            raise InputError(f"repetitions must be at least 1, got repetitions={self.repetitions}")
        if self.simulate == REPORTS and self.reports > MOST_REPORTS:
            raise InputError(
                f"a comparison must make at most {MOST_REPORTS:,} reports, got {self.reports:,}; take fewer "
                f"repetitions, or simulate {AGGREGATE}"
            )

    @property
    def chosen_post(self) -> str:
        """The post-processing: items are looked at as oracles were published, and answers know that shares add up to 1.

        Unless another one is asked for. What a trusted server releases is left as it is.
        """
        return self.post or (RAW if self.workload is None else NORM)

    @cached_property
    def questions(self) -> EvaluatedWorkload | None:
        """The workload with the true answers; None where items are looked at by themselves."""
        return None if self.workload is None else EvaluatedWorkload(self.workload, self.data.counts)

    @cached_property
    def made_metrics(self) -> tuple[FrequencyMetric, ...] | tuple[WorkloadMetric, ...]:
        """The metrics, in their order."""
        if self.questions is None:
            return parse_frequency_metrics(self.metrics)
        return parse_workload_metrics(self.metrics, self.questions)

    def value(self, metric: FrequencyMetric | WorkloadMetric, estimated: Estimated) -> float:
        """Compute a metric of one collection."""
        if isinstance(metric, FrequencyMetric):
            return metric.value(self.data.counts, estimated.items)
        assert self.questions is not None
        return metric.value(self.questions, estimated)

    @property
    def reports(self) -> int:
        """Number of reports that will be made, or that draws of the server's sums stand for."""
        return self.data.users * self.repetitions * len(self.oracles) * len(self.privacies)


@dataclass(frozen=True)
class OracleRow:
    """One metric of one oracle; `privacy` is what the oracle claims."""

    oracle: str
    privacy: Privacy
    is_published: bool
    comparison: OracleComparison = field(repr=False)
    measured: Measured[float | None]

    def entry(self) -> Entry:
        """Return the row as JSON and CSV have it."""
        data, questions = self.comparison.data, self.comparison.questions
        asked: Entry = {} if questions is None else questions.entry()
        return {
            "oracle": self.oracle,
            "published": self.is_published,
            "metric": self.measured.metric,
            "epsilon": self.privacy.epsilon,
            "alpha": fraction_text(self.privacy.alpha),
            **measured_entry(self.measured),
            "data": data.name,
            "k": data.k,
            "users": data.users,
            "post": self.comparison.chosen_post,
            "simulate": self.comparison.simulate,
            **asked,
        }


@checked
def compare_oracles(
    data: ItemCounts | str,
    oracles: str | Iterable[str] | None = None,
    *,
    alpha: Number | Iterable[Number] | None = None,
    epsilon: Number | Iterable[Number] | None = None,
    metrics: str | None = None,
    repetitions: int = REPETITIONS,
    simulate: str = REPORTS,
    post: str | None = None,
    workload: Workload | str | None = None,
    seed: int | None = None,
    report: Callable[[int], None] = lambda reports: None,
) -> ComparisonRows[OracleRow]:
    """Compare local oracles on the items of users: errors of simulated collections, and exact expectations.

    Args:
        data: how many users have each item (`count_items`), or a name as `open_items` takes it.
        oracles: names between commas or in a list, as `parse_oracle` takes them; laplace, geometric, stability,
            central-hh:b=16 and privelet are central baselines (a trusted server). Unless given, `ss` among them has
            the size of the least mean squared error (`ss:size=mean` where plain `ss` has another).
        alpha: one, several, or a text such as `0.1:0.9:0.1`.
        epsilon: instead of alpha.
        metrics: names between commas: `rmse`, `max`, `tv`, `w1`, `top10`, `rank10`, `seconds`, `bits`.
        repetitions: collections of each oracle.
        simulate: `reports`, every user's, or `aggregate`, the server's sums from their law.
        post: post-processing of the estimates; `POSTPROCESSING` has the names. Unless given, items are as oracles were
            published (`raw`), and answers to a workload use that all shares add up to one (`norm`).
        workload: queries on the items, such as `ranges`: metrics are then of their answers (`rmse`, `max`, `heavy10`,
            `quantile-error`, `value-error`).
        seed: makes made-up data and the reports reproducible.
        report: told how many reports were made so far.

    Returns:
        A row for each privacy parameter, oracle and metric, in this order.

    Raises:
        InputError: for an unknown name, with the nearest known one, or an oracle that does not fit the memory.

    >>> rows = compare_oracles("titanic:class", "grr,oue", epsilon=[1, 2], metrics="rmse", repetitions=2)
    >>> [(row.oracle, row.privacy.epsilon) for row in rows]
    [('grr', 1.0), ('oue', 1.0), ('grr', 2.0), ('oue', 2.0)]
    """
    counts = open_items(data, seed=seed) if isinstance(data, str) else data
    comparison = OracleComparison.of(
        counts,
        oracles,
        alpha=alpha,
        epsilon=epsilon,
        metrics=metrics,
        repetitions=repetitions,
        simulate=simulate,
        post=post,
        workload=workload,
    )
    return measure_oracles(comparison, seed, report)


def measure_oracles(
    comparison: OracleComparison, seed: int | None = None, report: Callable[[int], None] = lambda reports: None
) -> ComparisonRows[OracleRow]:
    """Measure every oracle of a comparison: rows with privacy varying slowest, metrics fastest.

    `report` is told how many reports were made so far.
    All oracles are made before the first report, so that one that cannot be made costs no waiting. Operating-system
    randomness unless there is a seed.
    """
    asked = product(comparison.privacies, comparison.oracles)
    made = [(text, _estimator(comparison, text, privacy)) for privacy, text in asked]
    count = added_up(report)
    rows = ComparisonRows[OracleRow]()
    for number, (text, oracle) in enumerate(made):
        found = measure_oracle(comparison, oracle, None if seed is None else (seed, number), count)
        published = isinstance(oracle, Baseline) or oracle.is_published
        rows += [OracleRow(text, oracle.privacy, published, comparison, measured) for measured in found]
    return rows


def _at_best_size(names: str, k: int, privacies: Iterable[Privacy]) -> list[str]:
    """Ask for subset selection at the size of the least mean squared error, where plain `ss` has another."""
    plain = SubsetSelection.name
    is_best = all(plain in dict(listed_oracles(k, privacy, MEAN)) for privacy in privacies)
    return [f"{plain}:size={MEAN}" if name == plain and not is_best else name for name in split_names(names)]


Estimator = FrequencyOracle | Baseline


def _estimator(comparison: OracleComparison, text: str, privacy: Privacy) -> Estimator:
    if is_baseline(text):
        return parse_baseline(text, privacy)
    workload = comparison.workload
    if workload is not None and workload.sides is not None:
        rows, columns = workload.sides
        text = with_sides(text, (rows.k, columns.k))
    oracle = parse_oracle(text, comparison.data.k, privacy)
    require_fit(oracle)
    if comparison.simulate == AGGREGATE:
        require_sums_law(oracle)
    else:
        _require_little(comparison, oracle)
    if find_postprocessing(comparison.chosen_post).needs_mechanism:
        square_mechanism(oracle)
    if isinstance(oracle, WorkloadOracle):
        _require_told(comparison, oracle)
    return oracle


def _require_told(comparison: OracleComparison, oracle: WorkloadOracle) -> None:
    """Refuse to ask a design for more than its reports tell: shares of items, where no queries are asked for."""
    if comparison.questions is None or comparison.chosen_post not in (RAW, NORM):
        oracle.require_items()
    else:
        oracle.require_estimable(comparison.questions.queries)


def _require_little(comparison: OracleComparison, oracle: FrequencyOracle) -> None:
    """Refuse a comparison with more reports than anybody waits for: rows of bits for many items, from many users."""
    needed = oracle.row_bytes * comparison.data.users * comparison.repetitions
    if needed > MOST_BYTES:
        raise InputError(
            f"reports must be at most {readable_bytes(MOST_BYTES)} in all, got about {readable_bytes(needed)} of "
            f"{oracle.title}; take fewer repetitions, simulate {AGGREGATE} where the oracle can, or take olh or hrr"
        )


def measure_oracle(
    comparison: OracleComparison,
    oracle: Estimator,
    seed: tuple[int, ...] | None = None,
    report: Callable[[int], None] = lambda reports: None,
) -> list[Measured[float | None]]:
    """Measure one oracle by every metric, over all repetitions.

    `report` is told how many reports were made since it was last told.
    """
    data, metrics = comparison.data, comparison.made_metrics
    found: dict[str, list[float]] = {metric.name: [] for metric in metrics}
    for repetition in range(comparison.repetitions):
        started = time.perf_counter()
        estimated = collect_once(comparison, oracle, None if seed is None else (*seed, repetition), report)
        bits = bits_for(data.k) if isinstance(oracle, Baseline) else oracle.bits
        measured = {"seconds": time.perf_counter() - started, "bits": bits}
        for metric in metrics:
            value = measured[metric.name] if metric.of_the_run else comparison.value(metric, estimated)
            found[metric.name].append(value)
    known = _expectations(comparison, oracle)
    return [summarise(name, known.get(name), values) for name, values in found.items()]


def _expectations(comparison: OracleComparison, oracle: Estimator) -> dict[str, float]:
    """Compute expected errors of unprocessed estimates from exact variances; for rmse the root of the expected mse."""
    data, post = comparison.data, comparison.chosen_post
    if post not in (RAW, NORM):
        return {}
    if isinstance(oracle, Baseline):
        if comparison.post == NORM:
            return {}
        square = _baseline_error(comparison, oracle) / data.users**2
    elif comparison.questions is None and not Decoder(oracle, post).centres:
        square = float(oracle.variance(data.frequencies, data.users).mean())
    else:
        items = np.arange(data.k)
        asked = Intervals(data.k, items, items) if comparison.questions is None else comparison.questions.queries
        square = float(Decoder(oracle, post).variance(asked, data.frequencies, data.users).mean())
    return {"mse": square, "rmse": math.sqrt(square), "rmse-people": math.sqrt(square) * data.users}


def _baseline_error(comparison: OracleComparison, baseline: Baseline) -> float:
    """Mean squared error of a trusted server's counts, or of answers on them, in users squared."""
    counts = comparison.data.counts
    if comparison.questions is None:
        return float(mean_squared_error(baseline, counts).mean())
    return float(answers_squared_error(baseline, comparison.questions.queries, counts).mean())


def collect_once(
    comparison: OracleComparison,
    oracle: Estimator,
    seed: tuple[int, ...] | None = None,
    report: Callable[[int], None] = lambda reports: None,
) -> Estimated:
    """Collect once from all users, estimate and post-process.

    Public hashes are drawn anew, whatever seed the oracle has: mean and variance are over them (`hcms`).
    """
    data, post = comparison.data, find_postprocessing(comparison.chosen_post)
    if isinstance(oracle, Baseline):
        report(data.users)
        noisy = oracle.simulate(data.counts, np.random.default_rng(seed))
        return Estimated(find_postprocessing(comparison.post or RAW).apply(noisy / data.users, data.users))
    if isinstance(oracle, HasPublicSeed):
        oracle = oracle.redrawn(_public_seed(seed))
    if comparison.simulate == AGGREGATE:
        state = oracle.simulate_sums(data.counts, np.random.default_rng(seed))
        report(data.users)
    else:
        state = collect(oracle, data, None if seed is None else seeded_words(seed), report)
    if isinstance(oracle, WorkloadOracle) and not oracle.identifies_items:
        return Estimated(np.zeros(0), partial(oracle.answers, state))
    if post.name in (RAW, NORM):
        decoder = Decoder(oracle, post.name)
        answer = None if comparison.workload is None or oracle.answers_add_up else partial(decoder.answers, state)
        return Estimated(decoder.estimate(state), answer)
    mechanism = square_mechanism(oracle) if post.needs_mechanism else None
    return Estimated(post.apply(oracle.estimate(state), state.users, mechanism))


def _public_seed(seed: tuple[int, ...] | None) -> int:
    """Choose a seed for public hashes, independent of the reports drawn with the same seed."""
    return int(np.random.default_rng(None if seed is None else (*seed, PUBLIC)).integers(1 << 63))


def _parsed(workload: str, data: ItemCounts) -> Workload:
    """Parse a workload on the items; `marginals:K` is of the attributes that the data have."""
    if data.sizes is not None and workload.strip().lower().startswith("marginals"):
        return marginals_on(data.sizes, workload)
    return parse_workload(workload, data.k)
