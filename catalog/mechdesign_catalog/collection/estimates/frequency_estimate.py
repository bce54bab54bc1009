"""The estimated share of the users for each item, from which queries are answered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from mechdesign.documents.tabular import Table
from mechdesign.workloads.queries import Intervals, Queries
from mechdesign_catalog.datasets.items.bins import ItemDomain
from mechdesign_catalog.decoders.decoder import NORM, RAW, Decoder, norm
from mechdesign_catalog.decoders.estimate import ITEM_COLUMNS, Estimate, Rows, known_cells, largest
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.memory_needs import CELL_BYTES, require_items_fit

SPREAD, NEAR, WIDTHS = 64, 32, (2.5, 7.0)
"""Standard errors of prefixes where quantiles are asked for: so many are spread, so many about each quantile.

Twice as many about each were tried: single intervals were as long, as more prefixes are near a quantile by chance.
Those for all quantiles were 3 % shorter (quartiles of 65,536 items, 8 collections).
"""

TABLED = 4 * SPREAD
"""Standard errors of prefixes in a table of the items, where each takes a solution: enough for a curve with a band."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FrequencyEstimate(Estimate):
    """The estimated share of the users for each item, shape (k,), and the sums from which queries are answered.

    Items in order, and answers to queries, use that all shares add up to one (`norm`, see `Decoder`). Items that are in
    no order are as the oracle was published (`raw`), unless `norm` is asked for. Under a post-processing with a bias
    answers are sums of the items' shares.

    Args:
        decoder: what makes the unbiased answers of queries.
        domain: the items.
        state: the sums of all reports.
        ordered: whether the order of the items means something.
    """

    decoder: Decoder
    domain: ItemDomain
    state: State
    ordered: bool = False
    columns: tuple[str, ...] = ITEM_COLUMNS

    @classmethod
    def of(
        cls, oracle: FrequencyOracle, domain: ItemDomain, state: State, *, ordered: bool = False
    ) -> "FrequencyEstimate":
        """Estimate from the server's sums; `domain` has the oracle's k items, and `ordered` says they are in order."""
        estimates = oracle.estimate(state)
        found = cls(
            shares=estimates,
            estimates=estimates,
            standard_errors=np.sqrt(oracle.estimated_variance(estimates, oracle.users_of(state))),
            covariances=partial(_item_covariances, Decoder(oracle, RAW), state),
            post=RAW,
            names={"item": domain.items},
            decoder=Decoder(oracle),
            domain=domain,
            state=state,
            ordered=ordered,
        )
        return found.normed() if found._first_post == NORM else found

    @property
    def _first_post(self) -> str:
        """What makes the unbiased estimates of the items unless another way is asked for."""
        return NORM if self.ordered and self.decoder.centres else RAW

    @property
    def oracle(self) -> FrequencyOracle:
        """The oracle of the reports."""
        return self.decoder.oracle

    @property
    def users(self) -> int:
        """Number of users."""
        return self.state.users

    @property
    def items(self) -> Sequence[str]:
        """The names of the items."""
        return self.domain.items

    def published(self) -> "FrequencyEstimate":
        """Return the same with answers as the oracle was published, of raw estimates."""
        return replace(self, post=RAW, decoder=Decoder(self.oracle, RAW))

    def normed(self) -> "FrequencyEstimate":
        """Replace raw estimates by those that add up to one, with their standard errors."""
        if not self.decoder.centres:
            return replace(self, post=NORM, shares=norm(self.estimates))
        estimates, items = self.decoder.estimate(self.state), np.arange(self.oracle.k)
        variances = self.decoder.estimated_variance(self.state, Intervals(self.oracle.k, items, items))
        return replace(
            self,
            post=NORM,
            shares=estimates,
            estimates=estimates,
            standard_errors=np.sqrt(variances),
            covariances=partial(_item_covariances, self.decoder, self.state),
        )

    @property
    def unbiased(self) -> "FrequencyEstimate":
        """The same without a post-processing that has a bias."""
        if self.is_unbiased:
            return self
        return replace(self, post=self._first_post, shares=self.estimates, is_unbiased=True)

    def answers(self, queries: Queries) -> Estimate:
        """Answer linear queries on the shares, such as ranges of items: without bias, unless `post` has one.

        Standard errors come from the exact variance at the unclipped estimates of the shares.

        Raises:
            InputError: for queries on another number of items.
        """
        found = self.decoder.answer(self.state, queries)
        return found if self.is_unbiased else found.replaced(queries.apply(self.shares), self.post)

    def cumulative(self) -> Estimate:
        """Estimate for each item the share of the users who have it or one before it, shape (k,).

        Unbiased ones need not rise. Where the oracle tells few standard errors at once, those of other items are NaN:
        half of them are of items that are evenly spread, the others of users that are (`spread_items`).
        """
        return self._prefixes if self._most_told is None else self._spread

    def cumulative_at(self, quantiles: Floats) -> Estimate:
        """Estimate the same where certain quantiles are asked for.

        Where the oracle tells few standard errors at once, most of them are about these (`near_items`), unless the
        quantiles are too many.
        """
        most = self._most_told
        if most is None or len(quantiles) * NEAR + SPREAD > most:
            return self.cumulative()
        prefixes = self._prefixes.estimates
        rising = np.maximum.accumulate(prefixes)
        at_them = np.minimum(np.searchsorted(rising, quantiles), self.oracle.k - 1)
        found = self._with_errors(self._prefixes, at_them)
        near = near_items(rising, quantiles, float(np.nanmax(found.standard_errors)))
        return self._with_errors(found, np.unique(np.append(spread_items(prefixes, SPREAD), near)))

    @property
    def _most_told(self) -> int | None:
        """How many standard errors the oracle tells at once, None for those of all items."""
        most = self.oracle.most_told
        return None if most is None or most >= self.oracle.k else most

    @cached_property
    def _prefixes(self) -> Estimate:
        return self.answers(self._up_to(np.arange(self.oracle.k)))

    @cached_property
    def _spread(self) -> Estimate:
        assert self._most_told is not None
        return self._with_errors(self._prefixes, spread_items(self._prefixes.estimates, self._most_told))

    @cached_property
    def _tabled(self) -> Estimate:
        most = self._most_told
        if most is None:
            return self._prefixes
        return self._with_errors(self._prefixes, spread_items(self._prefixes.estimates, min(most, TABLED)))

    def _with_errors(self, prefixes: Estimate, items: Rows) -> Estimate:
        """Add the standard errors of the prefixes up to these items; each is found once."""
        found, errors = self._errors_found, prefixes.standard_errors.copy()
        unknown = items[np.isnan(found[items])]
        found[unknown] = np.sqrt(self.decoder.estimated_variance(self.state, self._up_to(unknown)))
        errors[items] = found[items]
        return replace(prefixes, standard_errors=errors)

    @cached_property
    def _errors_found(self) -> Floats:
        """The standard errors of prefixes that were asked for so far; others are NaN."""
        return np.full(self.oracle.k, np.nan)

    def _up_to(self, last: Rows) -> Intervals:
        return Intervals(self.oracle.k, np.zeros_like(last), last)

    def above_noise(self, level: float = 0.95) -> list[int]:
        """Find the items whose simultaneous interval is above 0, the largest first; none where errors are not known.

        With chance `level` at least, some user has every one of them.
        """
        low, _ = self.simultaneous_intervals(level)
        return [item for item in largest(self.estimates, len(low)) if low[item] > 0]

    def tabulate(self, level: float = 0.95) -> Table:
        """Make a table of what is known of each item.

        `item`, `frequency` (post-processed as `post` says), and of the unbiased `estimate` its `standard_error`, `low`
        and `high` for the item by itself, `low_all` and `high_all` for all items together. Items in order have
        `cumulative` and `cumulative_standard_error` as well, the share of the item and all before it (`answers`). Where
        the oracle tells few standard errors at once, these are told of `TABLED` items, chosen as by `cumulative`.

        Raises:
            InputError: for more items than a table of them fits the memory.
        """
        require_items_fit(self.oracle.k, CELL_BYTES, "a table")
        table = super().tabulate(level)
        if not self.ordered:
            return table
        prefixes = self._tabled
        sums = {"cumulative": prefixes.shares, "cumulative_standard_error": prefixes.standard_errors}
        return replace(table, columns={**table.columns, **{name: known_cells(part) for name, part in sums.items()}})


def spread_items(prefixes: Floats, most: int) -> Rows:
    """Choose items by prefix estimates: half of them evenly spread, and between the others are equally many users.

    Users are taken to be where the estimates rise above all before; the last item is among those chosen. Twice as many
    have all of these among them.

    >>> spread_items(np.array([0.1, 0.2, 0.9, 0.8, 1.0]), 4).tolist()
    [0, 2, 4]
    """
    half, last = most // 2, len(prefixes) - 1
    rising = np.maximum.accumulate(prefixes)
    evenly = np.arange(1, half + 1) * last // half
    by_users = np.searchsorted(rising, np.linspace(0, rising[-1], most - half, endpoint=False))
    return np.unique(np.append(evenly, by_users))


def near_items(rising: Floats, quantiles: Floats, error: float) -> Rows:
    """Choose items about each quantile q, by rising prefix estimates and a standard error of these.

    They are evenly spread between the items whose estimates reach q less and q more some standard errors (`WIDTHS`):
    once for intervals of single quantiles, and once beyond those of a million items together.

    >>> near_items(np.linspace(0.01, 1, 100), np.array([0.5]), 0.001).tolist()
    [49, 50]
    """
    places = quantiles[:, None] + error * np.outer(WIDTHS, [-1, 1]).ravel()
    ends = np.minimum(np.searchsorted(rising, places.ravel()), len(rising) - 1).reshape(-1, 2)
    return np.unique(np.linspace(ends[:, 0], ends[:, 1], NEAR // len(WIDTHS)).astype(np.int64))


def _item_covariances(decoder: Decoder, state: State, items: Rows) -> Floats:
    return decoder.estimated_covariance(state, Intervals(decoder.oracle.k, items, items))
