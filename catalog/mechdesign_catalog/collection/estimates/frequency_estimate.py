"""Hold the estimated share of users for each item, with what is known of its error."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mechdesign.documents.tabular import Table
from mechdesign.workloads.queries import Intervals, Queries
from mechdesign_catalog.collection.estimates.answering import AnswerEstimate
from mechdesign_catalog.datasets.items.bins import ItemDomain
from mechdesign_catalog.oracles.decoder import NORM, RAW, Decoder, norm
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
    unless `post`, a post-processing, made others of them, and answers of queries are sums of them. Items in order and
    answers use that all shares add up to one (`norm`, see `Decoder`). Without a `post` the items are in no order, as
    the oracle was published (`raw`), and answers are those of `norm`.
    """

    oracle: FrequencyOracle
    domain: ItemDomain
    state: State
    estimates: Floats
    standard_errors: Floats
    frequencies: Floats
    post: str | None = None
    ordered: bool = False

    @classmethod
    def of(
        cls, oracle: FrequencyOracle, domain: ItemDomain, state: State, *, ordered: bool = False
    ) -> "FrequencyEstimate":
        """Estimate from the server's sums; `domain` has the oracle's k items, and `ordered` says they are in order."""
        estimates = oracle.estimate(state)
        errors = np.sqrt(oracle.estimated_variance(estimates, oracle.users_of(state)))
        found = cls(oracle, domain, state, estimates, errors, estimates, ordered=ordered)
        return found.normed() if ordered and found.decoder.centres else found

    @property
    def decoder(self) -> Decoder:
        """What makes the unbiased answers of queries."""
        return Decoder(self.oracle, RAW if self.post == RAW else NORM)

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

    def normed(self) -> "FrequencyEstimate":
        """Replace estimates and frequencies by those that add up to one, with their standard errors."""
        if not self.decoder.centres:
            return replace(self, post=NORM, frequencies=norm(self.estimates))
        estimates, items = self.decoder.estimate(self.state), np.arange(self.oracle.k)
        errors = np.sqrt(self.decoder.estimated_variance(self.state, Intervals(self.oracle.k, items, items)))
        return replace(self, post=NORM, estimates=estimates, standard_errors=errors, frequencies=estimates)

    @property
    def is_unbiased(self) -> bool:
        """Whether frequencies are unbiased."""
        return self.post in (None, RAW, NORM)

    @property
    def unbiased(self) -> "FrequencyEstimate":
        """The same without a post-processing that has a bias."""
        return self if self.is_unbiased else replace(self, post=None, frequencies=self.estimates)

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
        """Answer linear queries on the shares, such as ranges of items: without bias, unless `post` has one.

        Standard errors come from the exact variance at the unclipped estimates of the shares. They and the intervals
        are of unbiased answers.

        Raises:
            InputError: for queries on another number of items, or a level that is not in (0, 1).
        """
        unbiased = self.decoder.answers(self.state, queries)
        found = AnswerEstimate.of(unbiased, np.sqrt(self.decoder.estimated_variance(self.state, queries)), level)
        return found if self.is_unbiased else replace(found, shares=queries.apply(self.frequencies))

    def cumulative(self, level: float = 0.95) -> AnswerEstimate:
        """Estimate for each item the share of the users who have it or one before it, shape (k,).

        Unbiased ones need not rise.
        """
        last = np.arange(self.oracle.k)
        return self.answers(Intervals(self.oracle.k, np.zeros_like(last), last), level)

    def above_noise(self, level: float = 0.95) -> list[int]:
        """Find the items whose simultaneous interval is above 0, the largest first.

        With chance `level` at least, some user has every one of them.
        """
        low, _ = self.simultaneous_intervals(level)
        return [item for item in largest(self.estimates, len(low)) if low[item] > 0]

    def tabulate(self, level: float = 0.95) -> Table:
        """Make a table of what is known of each item.

        `item`, `frequency` (post-processed as `post` says), and of the unbiased `estimate` its `standard_error`, `low`
        and `high` for the item by itself, `low_all` and `high_all` for all items together. Items in order have
        `cumulative` and `cumulative_standard_error` as well, the share of the item and all before it (`answers`).

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
        columns = {"item": self.items, **{name: column.tolist() for name, column in numbers.items()}}
        return Table(columns, {"confidence": level, "post": self.post or RAW})


def largest(frequencies: Floats, count: int) -> list[int]:
    """Find the items with the largest frequencies, the largest first; of equal ones the first."""
    return [int(item) for item in np.argsort(-frequencies, kind="stable")[:count]]
