"""Metrics of frequencies: how far estimated ones are from true ones.

Truth is `counts`, users of each item, shape (k,); estimates are shares of the users, shape (k,) or (repetitions, k),
raw or post-processed: they need not sum to 1. With `e = estimate - counts/users`:

| name | value | unit |
| --- | --- | --- |
| `mse` | mean over items of `e^2` | share squared |
| `rmse` | its square root, in each repetition by itself | share |
| `rmse-people` | rmse times users, as the commuting thesis has it | people |
| `max`, `max-people` | largest `abs(e)`, and times users | share, people |
| `tv` | half the sum of `abs(e)`: total variation where both sum to 1 | share |
| `w1` | Wasserstein-1 on the ordered domain, 1 from an item to the next | items |
| `w1-hours` | w1 times 24/k: [0, 24] in k buckets | hours |
| `topK` | share of the K most frequent items that are among the K largest estimates | share, large is good |
| `rankK` | mean over the K most frequent items of `abs(rank in the estimate - true rank)` | ranks |
| `zeroed` | items estimated as exactly 0 | items |
| `seconds`, `bits` | run time of a repetition; what one report costs to send | seconds, bits a user |

Wasserstein-1 is `sum over i < k of abs(E_i)`, where `E_i` is the sum of e over items 0..i and i = k - 1, the last, is
left out: nothing has to cross the end of the line. Nothing is rescaled, so where a raw estimate does not sum to 1 the
surplus counts as if it lay on the last item. Ranks are 1 for the largest; of equal counts, and of equal estimates, the
lower item comes first. A domain of less than K items has a top of all of them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign_catalog.randomizers.reports.probabilities import Floats

Counts = NDArray[np.int64]
Function = Callable[[Counts, Floats], Floats]
"""Counts (k,) and estimates (repetitions, k) to a value for each repetition."""

BLOCK = 1 << 22
"""Numbers of an estimate that are worked on together: 32 MiB for each temporary array."""

HOURS = 24.0
_TOP = re.compile(r"(top|rank)([1-9]\d{0,5})")


F = TypeVar("F")


@dataclass(frozen=True)
class Metric(Generic[F]):
    """The metric of error; `function` is None for what a run tells by itself."""

    name: str
    title: str
    unit: str
    function: F | None

    @property
    def of_the_run(self) -> bool:
        """Whether whoever runs the oracle measures it, not from estimates: `seconds` and `bits`."""
        return self.function is None

    @property
    def of_estimates(self) -> F:
        """The function of estimates; refused for a metric of the run."""
        if self.function is None:
            raise InputError(f"metric {self.name} must come from the run, got estimates")
        return self.function


@dataclass(frozen=True)
class FrequencyMetric(Metric[Function]):
    """The metric of error of estimated frequencies."""

    def values(self, counts: Counts, estimates: Floats) -> Floats:
        """Compute the value in each repetition, shape (repetitions,); shape (1,) for one vector of estimates.

        Raises:
            InputError: for shapes that do not fit, no user, or a metric of the run.

        >>> make_frequency_metric("tv").values(np.array([3, 1]), np.array([0.5, 0.5])).tolist()
        [0.25]
        """
        function = self.of_estimates
        rows = np.atleast_2d(estimates)
        if counts.ndim != 1 or rows.ndim != 2 or rows.shape[1] != len(counts) or counts.sum() < 1:
            raise InputError(
                f"estimates must be repetitions x {counts.size} for counts of at least one user, got {estimates.shape}"
            )
        return np.concatenate([function(counts, block) for block in _blocks(rows)])

    def value(self, counts: Counts, estimate: Floats) -> float:
        """Compute the value for one vector of estimates, shape (k,)."""
        return float(self.values(counts, estimate)[0])


def _blocks(rows: Floats) -> Iterator[Floats]:
    step = max(1, BLOCK // rows.shape[1])
    return (rows[start : start + step] for start in range(0, len(rows), step))


def _errors(counts: Counts, estimates: Floats) -> Floats:
    return np.asarray(estimates - counts / counts.sum())


def mean_square(counts: Counts, estimates: Floats) -> Floats:
    """Compute `mse`: the mean squared error of each repetition."""
    errors = _errors(counts, estimates)
    return np.asarray(np.einsum("rk,rk->r", errors, errors) / len(counts))


def root_mean_square(counts: Counts, estimates: Floats) -> Floats:
    """Compute `rmse`: the root of the mean squared error of each repetition."""
    return np.sqrt(mean_square(counts, estimates))


def largest_error(counts: Counts, estimates: Floats) -> Floats:
    """Compute `max`: the largest absolute error of each repetition."""
    return np.asarray(np.abs(_errors(counts, estimates)).max(axis=1))


def total_variation(counts: Counts, estimates: Floats) -> Floats:
    """Compute `tv`: half the sum of absolute errors of each repetition."""
    return np.asarray(np.abs(_errors(counts, estimates)).sum(axis=1) / 2)


def wasserstein(counts: Counts, estimates: Floats) -> Floats:
    """Compute `w1`: the Wasserstein-1 distance, in steps from an item to the next."""
    crossing = np.cumsum(_errors(counts, estimates), axis=1)[:, :-1]
    return np.asarray(np.abs(crossing).sum(axis=1))


def zeroed(counts: Counts, estimates: Floats) -> Floats:
    """Count the items estimated as exactly 0: `zeroed`; raw estimates have hardly any."""
    return np.asarray((estimates == 0).sum(axis=1), dtype=np.float64)


def in_people(function: Function) -> Function:
    """Turn a metric in shares into one in numbers of people."""
    return lambda counts, estimates: function(counts, estimates) * counts.sum()


def in_hours(function: Function) -> Function:
    """Turn a metric in steps into one in hours, where the items cut [0, 24] into buckets of equal width."""
    return lambda counts, estimates: function(counts, estimates) * (HOURS / len(counts))


def top_items(shares: Floats | Counts, size: int) -> Counts:
    """Find the `size` items of largest share, largest first; all items where there are fewer.

    Of equal shares the lower item comes first.

    >>> top_items(np.array([0.1, 0.4, 0.4, 0.1]), 3).tolist()
    [1, 2, 0]
    """
    size = min(size, len(shares))
    cut = np.partition(shares, len(shares) - size)[len(shares) - size]
    above = np.flatnonzero(shares > cut)
    above = above[np.argsort(-shares[above], kind="stable")]
    return np.concatenate([above, np.flatnonzero(shares == cut)[: size - len(above)]])


def top_ranks(counts: Counts, estimates: Floats, size: int = 10) -> Counts:
    """Find the rank that the estimate gives to each of the true top items, shape (repetitions, size).

    Column t has the rank of the item whose true rank is t+1.

    >>> top_ranks(np.array([5, 3, 2]), np.array([[0.2, 0.7, 0.1]]), 2).tolist()
    [[2, 1]]
    """
    top = top_items(counts, size)
    ranks = np.empty((len(estimates), len(top)), dtype=np.int64)
    for row, estimate in enumerate(estimates):
        for column, item in enumerate(top):
            larger = np.count_nonzero(estimate > estimate[item])
            ranks[row, column] = 1 + larger + np.count_nonzero(estimate[:item] == estimate[item])
    return ranks


def precision(size: int) -> Function:
    """Make the metric `topK`: the share of the true top items that are among the top of the estimate."""

    def function(counts: Counts, estimates: Floats) -> Floats:
        top = top_items(counts, size)
        return np.array([np.isin(top_items(estimate, size), top).mean() for estimate in estimates])

    return function


def displacement(size: int) -> Function:
    """Make the metric `rankK`: how far the estimate moves the true top items; `top_ranks` has the ranks themselves."""

    def function(counts: Counts, estimates: Floats) -> Floats:
        ranks = top_ranks(counts, estimates, size)
        return np.asarray(np.abs(ranks - np.arange(1, ranks.shape[1] + 1)).mean(axis=1))

    return function


FREQUENCY_METRICS: dict[str, FrequencyMetric] = {
    metric.name: metric
    for metric in (
        FrequencyMetric("mse", "mean squared error over items", "share squared", mean_square),
        FrequencyMetric("rmse", "root of the mean squared error over items", "share", root_mean_square),
        FrequencyMetric("rmse-people", "the same in people", "people", in_people(root_mean_square)),
        FrequencyMetric("max", "largest error of any item", "share", largest_error),
        FrequencyMetric("max-people", "the same in people", "people", in_people(largest_error)),
        FrequencyMetric("tv", "total variation: half the sum of all errors", "share", total_variation),
        FrequencyMetric("w1", "Wasserstein-1 on the ordered domain", "items", wasserstein),
        FrequencyMetric("w1-hours", "Wasserstein-1 on [0, 24] hours", "hours", in_hours(wasserstein)),
        FrequencyMetric("zeroed", "items estimated as exactly 0", "items", zeroed),
        FrequencyMetric("seconds", "run time of a repetition", "seconds", None),
        FrequencyMetric("bits", "cost of sending one report", "bits a user", None),
    )
}

KNOWN = (*FREQUENCY_METRICS, "topK", "rankK")
"""How they are written; K is a whole number, as in top10."""


def make_frequency_metric(name: str) -> FrequencyMetric:
    """Make one metric by name.

    Raises:
        InputError: for an unknown name, with the nearest known one.
    """
    word = name.strip().lower()
    if (found := _TOP.fullmatch(word)) is None:
        if word in FREQUENCY_METRICS:
            return FREQUENCY_METRICS[word]
        require_known(word, KNOWN, "metric", ["and with a workload heavyX, quantile-error, value-error"])
        raise InputError(f"metric {word[:-1]}K must have its K, a whole number, as in {word[:-1]}10, got {name}")
    size = int(found[2])
    if found[1] == "top":
        title = f"share of the {size} most frequent items that are among the {size} largest estimates"
        return FrequencyMetric(word, title, "share", precision(size))
    title = f"mean distance of the {size} most frequent items from their true ranks"
    return FrequencyMetric(word, title, "ranks", displacement(size))


def parse_frequency_metrics(text: str) -> tuple[FrequencyMetric, ...]:
    """Parse metrics from names between commas, each once, in their order.

    Raises:
        InputError: for an unknown name, with the nearest known one.

    >>> [metric.name for metric in parse_frequency_metrics("rmse, max,tv,rank10,rmse")]
    ['rmse', 'max', 'tv', 'rank10']
    """
    made = (make_frequency_metric(word) for word in text.split(","))
    return tuple({metric.name: metric for metric in made}.values())
