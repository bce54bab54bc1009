"""Metrics of workload answers: how far estimated ones are from true ones.

Truth is the shares f of the k items; a query w has the true answer `R = w f` and an estimated one, `R'`.

| name | value | unit |
| --- | --- | --- |
| `mse` | mean over the queries of `(R' - R)^2` | share squared |
| `rmse` | its square root, in each repetition by itself | share |
| `max` | largest `abs(R' - R)` | share |
| `heavyX` | mean of `abs(R' - R) / R` over the queries with R of at least X % | share of the answer |
| `quantile-error` | mean over the deciles of the distance to the shares whose quantile the estimated item is | share |
| `value-error` | mean over the deciles of the distance from the estimated item to the true one | items |
| `seconds`, `bits` | run time of a repetition; what one report costs to send | seconds, bits a user |

Item j is the quantile of every share from that of the items before j to that of the items up to j; for a share q the
lowest such item is taken. `mse` and `max` are of all queries wherever answers are sums of estimated shares of items;
else, and for `heavyX`, workloads of more than `MOST_QUERIES` queries are measured on `SAMPLED` of them, drawn once. Of
rectangles and weighed queries there are as many as some oracles can write down, 2^24 weights.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.names import require_known
from mechdesign.workloads.ordered import Ranges
from mechdesign.workloads.queries import MOST_WEIGHTS, Floats, Intervals, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.analyses.ordered.prefixes import first_reaching, isotonic_prefixes
from mechdesign_catalog.comparisons.frequency_metrics import Metric
from mechdesign_catalog.comparisons.rows import Entry
from mechdesign_catalog.datasets.items.counts import Values

MOST_QUERIES, SAMPLED, LEAST_SAMPLED = 1 << 20, 1 << 16, 1 << 4
SAMPLE_SEED = 13
"""The queries of a sample are the same for all oracles and in every run."""

DECILES = range(1, 10)
"""Tenths whose quantiles are told."""

MOST_SUMS = 1 << 31
"""Running sums that are compared for the largest error of a rectangle: some seconds."""

_HEAVY = re.compile(r"heavy([1-9]\d?)")


@dataclass(frozen=True, eq=False)
class EvaluatedWorkload:
    """A workload, how many users have each of its items, and the queries that are looked at one by one.

    Raises:
        InputError: for a workload on another number of items.
    """

    workload: Workload
    counts: Values

    def __post_init__(self) -> None:
        if self.workload.k != len(self.counts):
            raise InputError(
                f"workload must be on the k = {len(self.counts)} items of the data, got {self.workload.name} "
                f"on {self.workload.k}"
            )

    @cached_property
    def shares(self) -> Floats:
        """The true shares of the items, shape (k,)."""
        shares: Floats = self.counts / self.counts.sum()
        return shares

    @cached_property
    def queries(self) -> Queries:
        """All queries of a workload that has few, else a sample: smaller where weights may have to be written down."""
        most, sampled = MOST_QUERIES, SAMPLED
        if not isinstance(self.workload.queries(0, 1), Intervals):
            most = sampled = max(LEAST_SAMPLED, MOST_WEIGHTS // self.workload.k)
        if self.workload.count <= most:
            return self.workload.queries()
        return self.workload.sample(sampled, np.random.default_rng(SAMPLE_SEED))

    @property
    def is_sampled(self) -> bool:
        """Whether `queries` is a sample."""
        return len(self.queries) < self.workload.count

    @cached_property
    def answers(self) -> Floats:
        """The true answers to `queries`, in shares."""
        answers: Floats = self._people / self.counts.sum()
        return answers

    @cached_property
    def _people(self) -> Floats:
        """The true answers in numbers of users, whole for ranges."""
        return self.queries.apply(self.counts.astype(np.float64))

    def entry(self) -> Entry:
        """Return what rows tell of the queries, and how many of them are looked at one by one."""
        return {
            "workload": self.workload.name,
            "queries": self.workload.count,
            "queries_looked_at": len(self.queries),
        }

    @cached_property
    def below(self) -> Values:
        """Ten times the number of users before each item, shape (k + 1,), the last of all of them: whole numbers."""
        below = np.zeros(len(self.counts) + 1, dtype=np.int64)
        np.cumsum(10 * self.counts, out=below[1:])
        return below

    def heavy(self, percent: int) -> np.ndarray:
        """Return which of `queries` have at least so many percent of the users.

        Raises:
            InputError: where none has.
        """
        found: np.ndarray = 100 * self._people >= percent * float(self.counts.sum())
        if not found.any():
            raise InputError(
                f"heavy{percent} must have a query with at least {percent} % of the users, got none of "
                f"{len(self.queries):,} queries of {self.workload.name}"
            )
        return found


@dataclass(frozen=True, eq=False)
class Estimated:
    """Estimated shares of items, shape (k,), and how queries are answered: by sums of them unless it is said."""

    items: Floats
    answer: Callable[[Queries], Floats] | None = None

    def answers(self, queries: Queries) -> Floats:
        """Answer queries."""
        return queries.apply(self.items) if self.answer is None else self.answer(queries)

    def prefixes(self) -> Floats:
        """Estimate the share of the items up to each one."""
        if self.answer is None:
            return np.cumsum(self.items)
        last = np.arange(len(self.items))
        return self.answer(Intervals(len(self.items), np.zeros_like(last), last))


Function = Callable[[EvaluatedWorkload, Estimated], float]


@dataclass(frozen=True)
class WorkloadMetric(Metric[Function]):
    """The metric of error of estimated answers."""

    def value(self, questions: EvaluatedWorkload, estimated: Estimated) -> float:
        """Compute the value for one collection.

        Raises:
            InputError: for a metric of the run.
        """
        return self.of_estimates(questions, estimated)


def mean_square(questions: EvaluatedWorkload, estimated: Estimated) -> float:
    """Compute `mse`: over all queries as `e W'W e`, e the errors of the items, where answers are sums of items."""
    if estimated.answer is not None:
        return float(np.square(estimated.answer(questions.queries) - questions.answers).mean())
    errors = estimated.items - questions.shares
    return float(errors @ questions.workload.gram_times(errors)) / questions.workload.count


def root_mean_square(questions: EvaluatedWorkload, estimated: Estimated) -> float:
    """Compute `rmse`: the root of the mean squared error of a collection."""
    return math.sqrt(mean_square(questions, estimated))


def largest_error(questions: EvaluatedWorkload, estimated: Estimated) -> float:
    """Compute `max`: the largest absolute error of any query."""
    if estimated.answer is not None:
        return float(np.abs(estimated.answer(questions.queries) - questions.answers).max())
    return largest_answer(questions.workload, estimated.items - questions.shares)


def largest_answer(workload: Workload, vector: Floats) -> float:
    """Compute the largest absolute answer of any query of a workload on a vector.

    A range is a difference of two running sums, so the largest answer is the span of the running sums, 0 among them:
    O(k). Rectangles are ranges of columns for each range of rows.

    Raises:
        InputError: for more queries of another workload, or more rectangles, than are worked out.

    >>> largest_answer(Ranges(4), np.array([1.0, -3.0, -1.0, 2.0]))
    4.0
    """
    if isinstance(workload, Ranges):
        return _span(vector)
    if workload.sides is not None and all(isinstance(side, Ranges) for side in workload.sides):
        return _largest_rectangle(vector.reshape([side.k for side in workload.sides]))
    step = MOST_QUERIES
    starts = range(0, workload.count, step)
    parts = (workload.queries(start, min(start + step, workload.count)) for start in starts)
    return max(float(np.abs(part.apply(vector)).max()) for part in parts)


def _span(vector: Floats) -> float:
    running = np.cumsum(vector)
    return float(max(running.max(), 0.0) - min(running.min(), 0.0))


def _largest_rectangle(table: Floats) -> float:
    table = table if table.shape[0] <= table.shape[1] else table.T
    rows, columns = table.shape
    if rows * rows * columns > MOST_SUMS:
        raise InputError(f"max must be of at most 2^31 sums of rows and columns, got a grid of {rows} x {columns}")
    running = np.zeros((rows + 1, columns + 1))
    running[1:, 1:] = table.cumsum(axis=0).cumsum(axis=1)
    bands = (running[row + 1 :] - running[row] for row in range(rows))
    return max(float(np.ptp(band, axis=1).max()) for band in bands)


def relative_error(percent: int) -> Function:
    """Make the metric `heavyX`: the mean relative error of queries with at least so many percent of the users."""

    def function(questions: EvaluatedWorkload, estimated: Estimated) -> float:
        heavy, true = questions.heavy(percent), questions.answers
        errors = np.abs(estimated.answers(questions.queries) - true)
        return float((errors[heavy] / true[heavy]).mean())

    return function


def estimated_deciles(estimated: Estimated) -> Values:
    """Find the item of each decile: the lowest up to which the share is estimated to reach it, else the last.

    Prefixes are made monotone first, by least squares.
    """
    return first_reaching(isotonic_prefixes(estimated.prefixes()), np.array(DECILES) / 10)


def quantile_error(questions: EvaluatedWorkload, estimated: Estimated) -> float:
    """Compute `quantile-error`: 0 where all estimated deciles are right."""
    items, below = estimated_deciles(estimated), questions.below
    targets = np.array(DECILES) * (below[-1] // 10)
    missed = np.maximum(np.maximum(below[items] - targets, targets - below[items + 1]), 0)
    return float((missed / below[-1]).mean())


def value_error(questions: EvaluatedWorkload, estimated: Estimated) -> float:
    """Compute `value-error`: the mean distance of estimated deciles from the true ones."""
    targets = np.array(DECILES) * (questions.below[-1] // 10)
    right = np.searchsorted(questions.below[1:], targets)
    return float(np.abs(estimated_deciles(estimated) - right).mean())


def _registered(*metrics: WorkloadMetric) -> dict[str, WorkloadMetric]:
    return {metric.name: metric for metric in metrics}


WORKLOAD_METRICS = _registered(
    WorkloadMetric("mse", "mean squared error over queries", "share squared", mean_square),
    WorkloadMetric("rmse", "root of the mean squared error over queries", "share", root_mean_square),
    WorkloadMetric("max", "largest error of any query", "share", largest_error),
    WorkloadMetric("quantile-error", "mean error of estimated deciles, in shares", "share", quantile_error),
    WorkloadMetric("value-error", "mean error of estimated deciles, in items", "items", value_error),
    WorkloadMetric("seconds", "run time of a repetition", "seconds", None),
    WorkloadMetric("bits", "cost of sending one report", "bits a user", None),
)

KNOWN_OF_WORKLOADS = (*WORKLOAD_METRICS, "heavyX")
"""How they are written; X is a whole number from 1 to 99, as in heavy10."""


def make_workload_metric(name: str) -> WorkloadMetric:
    """Make one metric by name.

    Raises:
        InputError: for an unknown name, with the nearest known one.
    """
    word = name.strip().lower()
    if (found := _HEAVY.fullmatch(word)) is not None:
        percent = int(found[1])
        title = f"mean relative error of queries with at least {percent} % of the users"
        return WorkloadMetric(word, title, "share of the answer", relative_error(percent))
    if word.startswith("heavy"):
        raise InputError(f"metric heavyX must have its X, a whole number in 1..99, as in heavy10, got {shorten(name)}")
    return WORKLOAD_METRICS[require_known(word, KNOWN_OF_WORKLOADS, "metric of a workload")]


def parse_workload_metrics(text: str, questions: EvaluatedWorkload) -> tuple[WorkloadMetric, ...]:
    """Parse metrics from names between commas, each once, in their order.

    Raises:
        InputError: for an unknown name, with the nearest known one, or a heavyX that no query reaches.
    """
    made = (make_workload_metric(word) for word in text.split(","))
    metrics = tuple({metric.name: metric for metric in made}.values())
    for metric in metrics:
        if (heavy := _HEAVY.fullmatch(metric.name)) is not None:
            questions.heavy(int(heavy[1]))
    return metrics
