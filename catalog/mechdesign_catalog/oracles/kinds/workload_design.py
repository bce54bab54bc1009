"""Use a mechanism that was designed for a workload as an oracle: reports are numbers of rows."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError, quote
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.mechanism.sampling import ColumnSampler, WordSource, system_words
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import integer_text, natural_log, nearest_float
from mechdesign.workloads.queries import PART_WEIGHTS, LinearQueries, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.oracles.contributions import Contribution, Multihot
from mechdesign_catalog.oracles.costs import cell_seconds
from mechdesign_catalog.oracles.kernels.draws import bernoulli, bits_for
from mechdesign_catalog.oracles.kernels.row_scores import RowScores
from mechdesign_catalog.oracles.kinds.designed import between, require_claim
from mechdesign_catalog.oracles.kinds.workload_design_text import UsedDesign
from mechdesign_catalog.oracles.liars import WorstBias
from mechdesign_catalog.oracles.oracle import FrequencyOracle, Users, Values, all_users, require_few
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.rates import AnyRates, Rates
from mechdesign_catalog.oracles.reports import (
    Constants,
    ReportLaw,
    Reports,
    State,
    counted,
    require_counts,
    require_length,
)
from mechdesign_catalog.oracles.sources import EXTREMAL, Source
from mechdesign_catalog.oracles.wire import Numbers, Wire

TIGHT = 1e-6

CANCELLED = 1e-3
"""Part of its second moment below which a variance is not taken as a difference."""


@dataclass(frozen=True)
class WorkloadOracle(FrequencyOracle):
    """Report by a local mechanism that was designed for a workload: a row of entries 1 and 1/alpha, by its number.

    Row r is reported with the probability `theta_r r_u` by a user of item u. Kairouz, Oh, Viswanath (JMLR 17, 2016)
    show that mechanisms of such rows suffice. With scores z_q(r) of the query q, `sum_r theta_r r_u z_q(r) = w_qu`,

        answer   = mean of the scores of all reports, unbiased,
        variance = sum_u f_u v_qu / n,   v_qu = sum_r theta_r r_u z_q(r)^2 - w_qu^2   for fixed items,

    where scores are those of least variance for users who have items by the prior of the design (`RowScores`). A
    design needs no more than its workload does: queries that no combination of the rows is, have no answer, the shares
    of items among them. What is asked of items then is refused.

    Args:
        design: JSON text of the rows, weights, prior and workload; `of` makes it.

    Raises:
        InputError: for a text that is no such design, another number of items, rows that tell nothing, or a loss above
            the claim.

    >>> from mechdesign.workloads.ordered import Histogram
    >>> coin = WorkloadOracle.of(RowMechanism(Fraction(1, 3), ("10", "01"), (1, 1), 4), Histogram(2))
    >>> coin.alpha, coin.privacy, coin.estimate(State(coin.parameters, 4, np.array([3, 1]))).tolist()
    (Fraction(1, 3), Privacy(alpha='1/3'), [1.0, 0.0])
    """

    design: str
    name: ClassVar[str] = "workload-design"
    sources: ClassVar[tuple[Source, ...]] = (EXTREMAL,)
    is_published: ClassVar[bool] = False
    """It is designed here, of the rows of a paper."""

    decoder: ClassVar[str] = "weighted least squares"
    row_bytes: ClassVar[int] = 24
    time_class: ClassVar[str] = "N + m k^2"
    sums_have_law: ClassVar[bool] = True
    score_is_reached: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        used = self.used
        object.__setattr__(self, "design", used.text())
        if used.mechanism.k != self.k:
            raise InputError(f"design must have rows of {self.k} items, got {used.mechanism.k}")
        ones = used.mechanism.ones
        if not (ones != ones[:, :1]).any():
            raise InputError("design must tell at least two items apart, got rows of one entry each")
        require_claim(self.privacy, self.alpha, "design")

    @classmethod
    def of(
        cls,
        mechanism: RowMechanism,
        workload: Workload,
        prior: Sequence[int] | None = None,
        privacy: Privacy | None = None,
    ) -> "WorkloadOracle":
        """Make the oracle of these rows.

        Args:
            mechanism: the rows with their weights.
            workload: the queries that the rows were designed for.
            prior: a whole number for each item, of the shares for which estimates are best; equal ones if not given.
            privacy: what is claimed; the exact alpha of the rows if not given.
        """
        used = UsedDesign(mechanism, (1,) * mechanism.k if prior is None else tuple(prior), workload)
        return cls(mechanism.k, Privacy(alpha=mechanism.alpha) if privacy is None else privacy, used.text())

    @cached_property
    def used(self) -> UsedDesign:
        """The rows, the prior and the workload."""
        return UsedDesign.parse(self.design)

    @property
    def mechanism(self) -> RowMechanism:
        """The rows with their weights."""
        return self.used.mechanism

    @property
    def workload(self) -> Workload:
        """The queries that the rows were designed for."""
        return self.used.workload

    @property
    def title(self) -> str:
        """The name, with the workload, in one line of letters whatever a file calls it."""
        return f"{self.name} ({quote(self.workload.name)[1:-1]})"

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used: that of the rows."""
        return self.mechanism.alpha

    @property
    def claim_is_tight(self) -> bool:
        """Whether all of the claim is spent: not where more is claimed than the rows lose."""
        return self.privacy.epsilon + natural_log(self.alpha) <= TIGHT

    @property
    def outputs(self) -> int:
        """m, the number of rows."""
        return self.mechanism.n_outputs

    @cached_property
    def wire(self) -> Wire:
        """The columns of its reports: the number of a row."""
        return Wire((Numbers("row", self.outputs),))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 at the reported row."""
        return Multihot(self.outputs, name="rows")

    def own_constants(self) -> Constants:
        """State the rows with their weights, and the prior of the estimates."""
        made = self.mechanism
        return {
            "denominator": integer_text(made.denominator),
            "rows": list(made.rows),
            "weights": [integer_text(weight) for weight in made.weights],
            "prior": [integer_text(part) for part in self.used.prior],
        }

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the rows: their least and largest chance."""
        chances = self.chances
        yield Rates.of("rows", state.sums, state.users, chances.min(axis=1), chances.max(axis=1))

    @property
    def bits(self) -> float:
        """Bits that one report costs to send."""
        return bits_for(self.outputs)

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return 24 * self.outputs * self.k + 256 * min(self.outputs, self.k) ** 2

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper."""
        return cell_seconds(self.outputs)

    @property
    def tells_items(self) -> bool:
        """Whether the share of every item can be estimated, and so every answer."""
        return self.scores.tells_items

    @property
    def answers_add_up(self) -> bool:
        """Whether answers are sums of estimated shares: where there are such."""
        return self.tells_items

    @cached_property
    def scores(self) -> RowScores:
        """What each row says of the answers."""
        return RowScores.of(self.mechanism, self.used.prior)

    @cached_property
    def chances(self) -> Floats:
        """`Pr[row | item]` in the nearest floats, shape (m, k)."""
        made = self.mechanism
        low = [Fraction(weight, made.denominator) for weight in made.weights]
        pairs = np.array([[nearest_float(chance), nearest_float(chance / made.alpha)] for chance in low])
        found: Floats = np.where(made.ones == 1, pairs[:, 1:], pairs[:, :1])
        return found

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each value, shape (users,).

        A row is drawn by the weights, whatever the item; it is kept for sure where it has 1/alpha for the item, else
        with the chance alpha, and drawn anew if it is not. All items are kept as often, since columns sum to 1.
        """
        source, items = words or system_words, self.checked(values)
        ones, reported = self.mechanism.ones, np.empty(len(items), dtype=np.int64)
        left = np.arange(len(items))
        while len(left):
            rows = self._table.draw(source, len(left))
            kept = ones[rows, items[left]] == 1
            unlikely = np.flatnonzero(~kept)
            kept[unlikely] = bernoulli(self.alpha, len(unlikely), source)
            reported[left[kept]] = rows[kept]
            left = left[~kept]
        return self.reports_of(reported)

    @cached_property
    def _table(self) -> ColumnSampler:
        """The rows by their weights."""
        weights = list(self.mechanism.weights)
        return ColumnSampler(weights, sum(weights))

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports."""
        (rows,) = self.columns_of(reports)
        return State(self.parameters, len(reports), counted(rows, self.outputs))

    def estimate(self, state: State) -> Floats:
        """Estimate the share of the users for each item, unbiased; errors as `require_items`."""
        self.require_items()
        return self._told(state)

    def answers(self, state: State, queries: Queries) -> Floats:
        """Estimate the answers of linear queries, unbiased; errors as `require_told`."""
        self.require_told(queries)
        told, basis = self._told(state), self.scores.basis
        found = [np.zeros(0), *(weights[:, basis] @ told for weights in self.query_parts(queries))]
        return np.concatenate(found)

    def _told(self, state: State) -> Floats:
        """Estimate the answers that the basis stands for; the shares of all items, where they can be told."""
        found: Floats = self.scores.scores.T @ self._shares(state)
        return found

    def _shares(self, state: State) -> Floats:
        """Return the share of each row among the reports."""
        sums = require_counts(require_length(self.checked_state(state).sums, self.outputs), state.users)
        found: Floats = sums / state.users
        return found

    def query_parts(self, queries: Queries) -> Iterator[Floats]:
        """Yield the weights of queries, so many at once that neither they nor the scores of all rows take much room."""
        step = max(1, PART_WEIGHTS // max(self.k, self.outputs))
        for start in range(0, len(queries), step):
            yield queries[start : start + step].weights()

    def require_items(self) -> None:
        """Refuse to estimate shares of items where some item's cannot be told.

        Raises:
            InputError: with the number of such items.
        """
        if not self.tells_items:
            count = int(self.scores.missing(np.eye(self.k)).sum())
            raise InputError(
                f"items must have shares that the reports tell, got {count} of {self.k} items whose share no reports "
                f"of a design for {self.workload.name} tell; ask for its queries"
            )

    def require_told(self, queries: Queries) -> None:
        """Refuse queries that no report tells the answer of.

        Raises:
            InputError: for queries on another number of items, or naming the first that no combination of the rows is.
        """
        self.require_own(queries)
        if self.tells_items:
            return
        start = 0
        for weights in self.query_parts(queries):
            missing = self.scores.missing(weights)
            if missing.any():
                raise InputError(
                    f"queries must be combinations of the rows of the design for {self.workload.name}, got query "
                    f"{start + int(np.argmax(missing)) + 1} of {len(queries)}, which is none"
                )
            start += len(weights)

    def variance(self, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each item's estimate; errors as `require_items`."""
        return self._items_spread @ np.asarray(frequencies, dtype=np.float64) / all_users(users)

    def estimated_variance(self, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance from unclipped estimates, and bring it between that of the best and the worst item."""
        return between(self._items_spread, estimates) / all_users(users)

    def answer_variance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each answer, but for rounding; errors as `require_told`."""
        shares = np.asarray(frequencies, dtype=np.float64)
        found = [np.zeros(0), *(between(spread, shares) for spread in self._spreads(queries))]
        return np.concatenate(found) / all_users(users)

    def estimated_answer_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each answer from unclipped estimates of the shares, as `estimated_variance` does."""
        return self.answer_variance(queries, estimates, users)

    def told_variance(self, state: State, queries: Queries) -> tuple[Floats, Floats]:
        """Estimate the variance of each answer from the reports alone: the least and the largest that it can be.

        The second moment `sum_u f_u sum_r theta_r r_u z(r)^2` of the scores is an answer that the reports tell, and
        `sum_u f_u w_u^2` is one where the squares are a combination of the rows, as for all weights 0 and 1; both are
        the same then. Else that sum is between the least and the largest `w_u^2`. Both are brought between the
        variances of the best and the worst item.

        Raises:
            InputError: as `require_told`.
        """
        self.require_told(queries)
        told, basis = self._told(state), self.scores.basis
        found = [np.zeros((2, 0))]
        for weights in self.query_parts(queries):
            spread, squares = self.spread(weights), weights**2
            unknown = self.scores.missing(squares)
            known = spread[:, basis] @ told
            moments = (spread + squares)[:, basis] @ told
            ends = [np.where(unknown, moments - bound, known) for bound in (squares.max(axis=1), squares.min(axis=1))]
            least, most = spread.min(axis=1), spread.max(axis=1)
            found.append(np.array([np.clip(end, least, most) for end in ends]))
        low, high = np.concatenate(found, axis=1) / state.users
        return low, high

    def _spreads(self, queries: Queries) -> Iterator[Floats]:
        """Yield the variance of one report's scores for each query (rows) and item (columns), part after part."""
        self.require_told(queries)
        yield from map(self.spread, self.query_parts(queries))

    def spread(self, weights: Floats) -> Floats:
        """Compute the variance of one report's scores for each query, weights of shape (q, k), and each item.

        It is the second moment less the squared weight, both about the query's mean weight. Where these nearly cancel,
        as for large epsilon, the mean square of what a score is off is summed up by itself.
        """
        means = weights.mean(axis=1, keepdims=True)
        scores = self.scores.of_queries(weights)
        seconds = (scores - means) ** 2 @ self.chances
        found: Floats = seconds - (weights - means) ** 2
        queries, items = np.nonzero(found <= CANCELLED * seconds)
        step = max(1, PART_WEIGHTS // self.outputs)
        for start in range(0, len(queries), step):
            at = queries[start : start + step], items[start : start + step]
            found[at] = ((scores[at[0]] - weights[at][:, None]) ** 2 * self.chances[:, at[1]].T).sum(axis=1)
        return found

    @cached_property
    def _items_spread(self) -> Floats:
        self.require_items()
        return self.spread(np.eye(self.k))

    def approximate_variance(self, users: int) -> float:
        """Return the mean variance over all pairs of an item and another one that a user has."""
        spread = self._items_spread
        return float(spread.sum() - np.trace(spread)) / (self.k * (self.k - 1) * users)

    def draw_state(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the server's state: one multinomial for each item."""
        chances = (self.chances / self.chances.sum(axis=0)).T
        sums = generator.multinomial(np.asarray(counts, dtype=np.int64), chances).sum(axis=0)
        return State(self.parameters, int(counts.sum()), sums.astype(np.int64))

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every value; for few rows of few items."""
        require_few(self.outputs * self.k, self.name)
        return {(r,): tuple(self.mechanism.fraction(r, v) for v in range(self.k)) for r in range(self.outputs)}

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest score of a row; errors as `require_told`."""
        self.require_told(LinearQueries(weights))
        found: Floats = self.scores.of_queries(weights).max(axis=1)
        return found

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Compute that of the largest or the least score, which are known as floats: the next one above.

        Raises:
            InputError: where no reports tell the shares of item"""
        self.require_items()
        scores = self.scores.scores
        pull = Fraction(math.nextafter(max(scores.max(), 1 - scores.min()), math.inf))
        return WorstBias(liars * pull, is_exact=True)
