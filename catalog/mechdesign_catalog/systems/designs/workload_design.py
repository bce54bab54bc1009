"""Workload designs as oracles: reports are numbers of rows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError, quote
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.mechanism.sampling import ColumnSampler, WordSource
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import integer_text
from mechdesign.workloads.queries import LinearQueries, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.row_scores import RowScores
from mechdesign_catalog.randomizers.choice import MatrixChoice, require_claim
from mechdesign_catalog.randomizers.facts.liars import WorstBias
from mechdesign_catalog.randomizers.facts.sources import EXTREMAL, Source
from mechdesign_catalog.randomizers.kernels.draws import bernoulli
from mechdesign_catalog.randomizers.oracle import Values, covariance_of_pairs, require_few_pairs
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, State
from mechdesign_catalog.systems.designs.workload_design_text import UsedDesign


@dataclass(frozen=True)
class WorkloadOracle(MatrixChoice):
    """The number of a row of entries 1 and 1/alpha, by a mechanism designed for a workload.

    The mechanism is local.

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
    time_class: ClassVar[str] = "N + m k^2"
    number: ClassVar[str] = "row"
    rated: ClassVar[str] = "rows"

    def __post_init__(self) -> None:
        super().__post_init__()
        used = self.used
        object.__setattr__(self, "design", used.text())
        if used.mechanism.k != self.k:
            raise InputError(f"design must have rows of {self.k} items, got {used.mechanism.k}")
        ones = used.mechanism.ones
        if not (ones != ones[:, :1]).any():
            raise InputError("design must distinguish at least two items, got rows that do not depend on the item")
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
    def outputs(self) -> int:
        """m, the number of rows."""
        return self.mechanism.n_outputs

    def own_constants(self) -> Constants:
        """State the rows with their weights, and the prior of the estimates."""
        made = self.mechanism
        return {
            "denominator": integer_text(made.denominator),
            "rows": list(made.rows),
            "weights": [integer_text(weight) for weight in made.weights],
            "prior": [integer_text(part) for part in self.used.prior],
        }

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return 24 * self.outputs * self.k + 256 * min(self.outputs, self.k) ** 2

    @property
    def identifies_items(self) -> bool:
        """Whether the share of every item can be estimated, and so every answer."""
        return self.scores.identifies_items

    @property
    def answers_add_up(self) -> bool:
        """Whether answers are sums of estimated shares: where there are such."""
        return self.identifies_items

    @cached_property
    def scores(self) -> RowScores:
        """What each row says of the answers."""
        return RowScores.of(self.mechanism, self.used.prior)

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each value.

        A row is drawn by the weights, whatever the item; it is kept for sure where it has 1/alpha for the item, else
        with the chance alpha, and drawn anew if it is not. All items are kept as often, since columns sum to 1.
        """
        ones, reported = self.mechanism.ones, np.empty(len(values), dtype=np.int64)
        left = np.arange(len(values))
        while len(left):
            rows = self._table.draw(words, len(left))
            kept = ones[rows, values[left]] == 1
            unlikely = np.flatnonzero(~kept)
            kept[unlikely] = bernoulli(self.alpha, len(unlikely), words)
            reported[left[kept]] = rows[kept]
            left = left[~kept]
        return (reported,)

    @cached_property
    def _table(self) -> ColumnSampler:
        """The rows by their weights."""
        weights = list(self.mechanism.weights)
        return ColumnSampler(weights, sum(weights))

    def estimate(self, state: State) -> Floats:
        """Estimate the share of the users for each item, unbiased; errors as `require_items`."""
        self.require_items()
        return self._told(state)

    def answers(self, state: State, queries: Queries) -> Floats:
        """Estimate the answers of linear queries, unbiased; errors as `require_estimable`."""
        self.require_estimable(queries)
        told, basis = self._told(state), self.scores.basis
        found = [np.zeros(0), *(weights[:, basis] @ told for weights in self.query_parts(queries))]
        return np.concatenate(found)

    def _told(self, state: State) -> Floats:
        """Estimate the answers that the basis stands for; the shares of all items, where they can be told."""
        found: Floats = self.scores.scores.T @ (self.counts_in(state) / state.users)
        return found

    def require_items(self) -> None:
        """Refuse to estimate shares of items where some item's cannot be told.

        Raises:
            InputError: with the number of such items.
        """
        if not self.identifies_items:
            count = int(self.scores.missing(np.eye(self.k)).sum())
            raise InputError(
                f"items must have shares that the reports identify, got {count} of {self.k} items that "
                f"reports of a design for {self.workload.name} do not; ask for its queries"
            )

    def require_estimable(self, queries: Queries) -> None:
        """Refuse queries that no report tells the answer of.

        Raises:
            InputError: for queries on another number of items, or naming the first that no combination of the rows is.
        """
        self.require_own(queries)
        if self.identifies_items:
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

    def variance_bounds(self, state: State, queries: Queries) -> tuple[Floats, Floats]:
        """Estimate the variance of each answer from the reports alone: the least and the largest that it can be.

        The second moment `sum_u f_u sum_r theta_r r_u z(r)^2` of the scores is an answer that the reports tell, and
        `sum_u f_u w_u^2` is one where the squares are a combination of the rows, as for all weights 0 and 1; both are
        the same then. Else that sum is between the least and the largest `w_u^2`. Both are brought between the
        variances of the best and the worst item.

        Raises:
            InputError: as `require_estimable`.
        """
        self.require_estimable(queries)
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

    def covariance_from_reports(self, state: State, queries: Queries) -> Floats:
        """Estimate the covariance of answers from the reports alone, shape (q, q).

        `sum_u f_u w_u w'_u` must be an answer that the reports tell, for any two of the queries.

        Raises:
            InputError: as `require_estimable` and `require_few_pairs`, or naming two queries for which it is none.
        """
        require_few_pairs(len(queries), self.k)
        self.require_estimable(queries)
        weights = queries.weights()
        for first, row in enumerate(weights):
            without_reports = self.scores.missing(row * weights)
            if without_reports.any():
                raise InputError(
                    f"covariances must be of queries whose products the reports identify, got queries {first + 1} and "
                    f"{int(np.argmax(without_reports)) + 1}"
                )
        told, basis = self._told(state), self.scores.basis

        def variance(queries: Queries) -> Floats:
            found = [self.spread(weights)[:, basis] @ told for weights in self.query_parts(queries)]
            return np.concatenate([np.zeros(0), *found]) / state.users

        return covariance_of_pairs(variance, queries)

    @cached_property
    def items_spread(self) -> Floats:
        """The variance of one report's estimates for each item; errors as `require_items`."""
        self.require_items()
        return self.spread(np.eye(self.k))

    def scores_of(self, weights: Floats) -> Floats:
        """Return the scores of least variance; errors as `require_estimable`."""
        self.require_estimable(LinearQueries(weights))
        return self.scores.of_queries(weights)

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Compute that of the largest or the least score, which are known as floats: the next one above.

        Raises:
            InputError: where no reports tell the shares of items.
        """
        self.require_items()
        scores = self.scores.scores
        pull = Fraction(math.nextafter(max(scores.max(), 1 - scores.min()), math.inf))
        return WorstBias(liars * pull, is_exact=True)
