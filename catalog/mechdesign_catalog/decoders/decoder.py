"""The decoder of sums into answers of linear queries, for users' shares that add to one.

Estimated shares x of `oue`, `sue`, `rappor`, `blh`, `olh`, `hrr`, `hcms` and `dbitflip` need not add up to one, as they
were published. With `norm` (Norm of Wang et al., NDSS 2020) the same number is added to all,

    x'_v = x_v + (1 - sum_u x_u) / k,

so that the answer of a query w is `q1/k + sum_v (w_v - q1/k) x_v`, q1 the sum of its weights. It is unbiased as well,
and its variance is that of the query with the weights `w_v - q1/k`: what all scores of a report have in common drops
out, and a range of most items is as sure as the few others. An item by itself gains nothing, and one liar moves it
further: the score of an item then hangs on all other items that the report supports.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from mechdesign.names import require_known
from mechdesign.workloads.queries import Centred, Queries, chosen_queries
from mechdesign_catalog.decoders.estimate import Estimate, Rows
from mechdesign_catalog.randomizers.facts.liars import AnswerPart
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, Users, require_few_pairs
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State

NORM, RAW = "norm", "raw"


@dataclass(frozen=True)
class Decoder:
    """The linear unbiased decoder of an oracle: `norm` uses that the shares add up to one, `raw` is as published.

    Both are the same where the oracle's own estimates add up to one, or its answers know that they do: `grr`, `ss`,
    designs, and systems of levels, which have an option of their own.

    >>> import numpy as np
    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign.workloads.queries import Intervals
    >>> from mechdesign_catalog.systems.registry import make_oracle
    >>> oue, shares = make_oracle("oue", 64, Privacy(epsilon=1)), np.full(64, 1 / 64)
    >>> most = Intervals(64, [0, 0], [31, 63])
    >>> [Decoder(oue, post).variance(most, shares, 1000).round(4).tolist() for post in ("raw", "norm")]
    [[0.1183, 0.2367], [0.0592, 0.0]]
    """

    oracle: FrequencyOracle
    post: str = NORM

    def __post_init__(self) -> None:
        require_known(self.post, (NORM, RAW), "post")

    @property
    def centres(self) -> bool:
        """Whether estimates are moved so that they add up to one."""
        return self.post == NORM and self.oracle.ignores_total

    def estimate(self, state: State) -> Floats:
        """Estimate the share of the users for each item, shape (k,), unbiased; answers are sums of these."""
        found = self.oracle.estimate(state)
        return norm(found) if self.centres else found

    def answers(self, state: State, queries: Queries) -> Floats:
        """Estimate the answers of linear queries on the shares, shape (q,), unbiased."""
        if not self.centres:
            return self.oracle.answers(state, queries)
        centred = Centred(queries)
        return self.oracle.answers(state, centred) + centred.means

    def variance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each answer at the true shares; see `FrequencyOracle.answer_variance`."""
        return self.oracle.answer_variance(self._read(queries), frequencies, users)

    def estimated_variance(self, state: State, queries: Queries) -> Floats:
        """Estimate the variance of each answer from the sums themselves."""
        shares = self.oracle.estimate(state)
        return self.oracle.estimated_answer_variance(self._read(queries), shares, self.oracle.users_of(state))

    def covariance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact covariance of the answers at the true shares; see `FrequencyOracle.answer_covariance`."""
        return self.oracle.answer_covariance(self._read(queries), frequencies, users)

    def estimated_covariance(self, state: State, queries: Queries, rows: Rows | None = None) -> Floats:
        """Estimate the covariance of some answers, of all if `rows` are not given, from the sums; shape (rows, rows).

        The exact formula at the estimated shares, as they are: unbiased where it is linear in the shares. Bounds, as
        `estimated_variance` has them, are not applied.

        Raises:
            InputError: as `FrequencyOracle.estimated_answer_covariance`.
        """
        chosen = np.arange(len(queries)) if rows is None else rows
        require_few_pairs(len(chosen), queries.k)
        shares, asked = self.oracle.estimate(state), self._read(chosen_queries(queries, chosen))
        return self.oracle.estimated_answer_covariance(asked, shares, self.oracle.users_of(state))

    def answer(self, state: State, queries: Queries) -> Estimate:
        """Estimate the answers of linear queries, unbiased, with what is known of their errors."""
        answers, errors = self.answers(state, queries), np.sqrt(self.estimated_variance(state, queries))
        return Estimate(answers, answers, errors, partial(self.estimated_covariance, state, queries), self.post)

    def answer_parts(self, queries: Queries) -> Sequence[AnswerPart]:
        """Return what each branch adds to the answers of queries."""
        return self.oracle.answer_parts(self._read(queries))

    def _read(self, queries: Queries) -> Queries:
        return Centred(queries) if self.centres else queries


def norm(estimates: Floats) -> Floats:
    """Add the same number to all estimates of shape (..., k), so that they sum to 1.

    >>> import numpy as np
    >>> norm(np.array([0.75, 0.5])).tolist()
    [0.625, 0.375]
    """
    missing = 1 - estimates.sum(axis=-1, keepdims=True)
    found: Floats = estimates + missing / estimates.shape[-1]
    return found
