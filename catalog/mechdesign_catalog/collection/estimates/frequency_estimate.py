"""Hold the estimated share of users for each item, with what is known of its error."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mechdesign.workloads.queries import Intervals, Queries
from mechdesign_catalog.collection.estimates.answering import AnswerEstimate
from mechdesign_catalog.datasets.items.bins import ItemDomain
from mechdesign_catalog.oracles.intervals import normal_intervals
from mechdesign_catalog.oracles.memory_needs import CELL_BYTES, require_items_fit
from mechdesign_catalog.oracles.oracle import FrequencyOracle
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.reports import State


@dataclass(frozen=True, eq=False)
class FrequencyEstimate:
    """Hold the estimated share of the users for each item, with its standard error; shape (k,) each.

    `state` are the sums of all reports, from which queries are answered. `ordered` says that the order of the items
    means something.

    `estimates` are unbiased, and standard errors and intervals are theirs; `frequencies` are what is told: the same,
    unless `post`, a post-processing, made others of them.
    """

    oracle: FrequencyOracle
    domain: ItemDomain
    state: State
    estimates: Floats
    standard_errors: Floats
    frequencies: Floats
    post: str = "base"
    ordered: bool = False

    @classmethod
    def of(
        cls, oracle: FrequencyOracle, domain: ItemDomain, state: State, *, ordered: bool = False
    ) -> "FrequencyEstimate":
        """Estimate from the server's sums; `domain` has the oracle's k items, and `ordered` says they are in order."""
        estimates = oracle.estimate(state)
        errors = np.sqrt(oracle.estimated_variance(estimates, oracle.users_of(state)))
        return cls(oracle, domain, state, estimates, errors, estimates, ordered=ordered)

    @property
    def users(self) -> int:
        """Number of users."""
        return self.state.users

    @property
    def items(self) -> Sequence[str]:
        """The names of the items."""
        return self.domain.items

    def processed(self, post: str, frequencies: Floats) -> "FrequencyEstimate":
        """Replace the frequencies by those of the post-processing of that name; estimates stay."""
        return replace(self, post=post, frequencies=frequencies)

    def intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return confidence intervals for each item by itself, around the unbiased estimates."""
        return normal_intervals(self.estimates, self.standard_errors, level)

    def simultaneous_intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return wider intervals, which hold the true shares of all items at once with chance `level`.

        Of 500 intervals for each item by itself 25 miss at 95 %: among the largest estimates are those that noise made
        large. These are for looking at all items and picking some.
        """
        return normal_intervals(self.estimates, self.standard_errors, level, together=len(self.items))

    def answers(self, queries: Queries, level: float = 0.95) -> AnswerEstimate:
        """Answer linear queries on the true shares, such as ranges of items, without bias.

        Standard errors come from the exact variance at the unclipped estimates of the shares.

        Raises:
            InputError: for queries on another number of items, or a level that is not in (0, 1).
        """
        shares = self.oracle.answers(self.state, queries)
        users = self.oracle.users_of(self.state)
        variances = self.oracle.estimated_answer_variance(queries, self.estimates, users)
        return AnswerEstimate.of(shares, np.sqrt(variances), level)

    def cumulative(self, level: float = 0.95) -> AnswerEstimate:
        """Estimate for each item the share of the users who have it or one before it, shape (k,).

        Estimates are unbiased, so they need not rise, and the last one need not be 1.
        """
        last = np.arange(self.oracle.k)
        return self.answers(Intervals(self.oracle.k, np.zeros_like(last), last), level)

    def above_noise(self, level: float = 0.95) -> list[int]:
        """Find the items whose simultaneous interval is above 0, the largest first.

        With chance `level` at least, some user has every one of them.
        """
        low, _ = self.simultaneous_intervals(level)
        return [item for item in largest(self.estimates, len(low)) if low[item] > 0]

    def columns(self, level: float = 0.95) -> dict[str, Sequence[str] | list[float]]:
        """Return what is known of each item, in columns.

        `item`, `frequency` (post-processed as `post` says), and of the unbiased `estimate` its `standard_error`, `low`
        and `high` for the item by itself, `low_all` and `high_all` for all items together. Items in order have
        `cumulative` and `cumulative_standard_error` as well, unbiased shares of the item and all before it.

        Raises:
            InputError: for more items than a table of them fits the memory.
        """
        require_items_fit(self.oracle.k, CELL_BYTES, "a table")
        numbers = {
            "frequency": self.frequencies,
            "standard_error": self.standard_errors,
            "estimate": self.estimates,
            **dict(zip(("low", "high"), self.intervals(level), strict=True)),
            **dict(zip(("low_all", "high_all"), self.simultaneous_intervals(level), strict=True)),
        }
        if self.ordered:
            prefixes = self.cumulative(level)
            numbers |= {"cumulative": prefixes.shares, "cumulative_standard_error": prefixes.standard_errors}
        return {"item": self.items, **{name: column.tolist() for name, column in numbers.items()}}

    def csv_bytes(self, level: float = 0.95) -> bytes:
        """Write `columns`, then confidence and post; floats are the shortest decimals that read back the same."""
        stream = io.StringIO()
        columns = self.columns(level)
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow((*columns, "confidence", "post"))
        writer.writerows((*row, level, self.post) for row in zip(*columns.values(), strict=True))
        return stream.getvalue().encode()


def largest(frequencies: Floats, count: int) -> list[int]:
    """Find the items with the largest frequencies, the largest first; of equal ones the first."""
    return [int(item) for item in np.argsort(-frequencies, kind="stable")[:count]]
