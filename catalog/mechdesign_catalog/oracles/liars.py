"""Tell how far liars can move an estimate: users who send whatever report serves them best.

The estimated answer of a query is a constant and, for each branch l that users share out over, the mean over the n_l
reports of that branch of `s_l(r) = sum_v u_v y_v(r)`: y are the *scores* of a report, u the weights that the query has
on the places of the branch. They are set in advance and do not depend on the n_l. An oracle without branches is one
that all users are at. An honest user's score has the mean 1 for the own place and 0 for another one.

Honest users draw their branches with the public chances p_l; a fraction b of all users are liars who choose both. With
b_l of all users lying at branch l, and `c_l = (1 - b) p_l`, these are `b_l / (b_l + c_l)` of the users there. In the
limit of many users the mean of the estimate differs from the answer for the honest users, who all have the item x, by

    sum_l b_l / (b_l + c_l) D_l,    D_l = max_r s_l(r) - E[s_l | x],

for a shift upwards; downwards all weights change their signs. It is linear in the shares of the honest, so those who
all have one item are the worst case. Each term is concave in b_l, so liars do not best go to one branch: the largest
sum is where all derivatives `D_l c_l / (b_l + c_l)^2` at branches with liars are equal, and that of no other branch is
larger at 0. Taking the m branches with the largest `D_l / c_l`, as many as have liars,

    sum_l D_l - (sum_l sqrt(D_l c_l))^2 / (b + sum_l c_l).

Where tables that overlap are pooled, a branch weighs `w_l n_l`, its own users and liars among them, so that the answer
moves by `sum_l w_l b_l D_l / sum_l w_l (b_l + c_l)`. That is a ratio of linear functions of the b_l, which is largest
at a corner: all liars at one branch.

Of few users the numbers at each branch vary, and this is no bound but what is to be expected. The largest score of a
report is exact for `grr`, `sue`, `oue`, `rappor`, `ss`, `dbitflip`, designs, sign and Hadamard reports of one bit; for
others all sets of items are allowed (hashes to more buckets), or all words (`hcms`), and the figure is an upper bound.
Who lies about the value alone, and draws the report as all do, moves a share by b.

The more private, the stronger a liar (Cheu, Smith, Ullman, IEEE S&P 2021; Cao, Jia, Gong, USENIX Security 2021).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from mechdesign.errors import InputError
from mechdesign.rational import Number, as_rational, fraction_text
from mechdesign.workloads.queries import Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.oracles.kernels.walsh import walsh_hadamard
from mechdesign_catalog.oracles.probabilities import Floats, Support

MOST_PAIRS = 1 << 21
"""Queries times items up to which the worst bias is computed: each query is held against honest users of each item."""

AT_ONCE = 1 << 18


@dataclass(frozen=True)
class WorstBias:
    """Hold how far liars move some answer at most; `is_exact` where some reports move one so far."""

    value: Fraction
    is_exact: bool

    @property
    def text(self) -> str:
        """The number as tables have it; an upper bound is marked."""
        return f"{'' if self.is_exact else '<='}{float(self.value):.4g}"


class Scored(Protocol):
    """An oracle whose reports have scores."""

    @property
    def score_is_reached(self) -> bool:
        """Whether a report has the score of `highest_scores`; else that is an upper bound."""

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest `sum_v u_v y_v(r)` over all reports r, or an upper bound, for weights (q, places)."""


@dataclass(frozen=True, eq=False)
class AnswerPart:
    """Hold what a branch adds to answers: its chance and its oracle, and the weights of the queries there.

    `of_places` has the weight of each place, shape (q, places); `of_items` that which an honest user of each item adds
    on average, shape (q, k).
    """

    chance: Fraction
    oracle: Scored
    of_places: Floats
    of_items: Floats

    def gains(self, sign: float) -> Floats:
        """Compute how much more a liar adds than an honest user of each item, upwards or downwards; shape (q, k)."""
        found: Floats = self.oracle.highest_scores(sign * self.of_places)[:, None] - sign * self.of_items
        return found


class Answering(Protocol):
    """An oracle whose answers are sums of parts, one of each branch."""

    def answer_parts(self, queries: Queries) -> Sequence[AnswerPart]:
        """Return what each branch adds to the answers of queries."""


def worst_answer_bias(oracle: Answering, workload: Workload, liars: Fraction) -> WorstBias | None:
    """Compute the largest bias that a fraction of liars gives an answer of a workload, in the limit of many users.

    Over all queries, both directions, and all shares of the honest users. None beyond `MOST_PAIRS`.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign.workloads.ordered import Prefixes
    >>> from mechdesign_catalog.oracles import make_oracle
    >>> found = worst_answer_bias(make_oracle("grr", 4, Privacy(alpha="1/2")), Prefixes(4), Fraction(1, 100))
    >>> round(float(found.value), 12), found.is_exact
    (0.04, True)
    """
    if workload.count * workload.k > MOST_PAIRS:
        return None
    worst, step, exact = 0.0, max(1, AT_ONCE // workload.k), True
    for start in range(0, workload.count, step):
        parts = oracle.answer_parts(workload.queries(start, min(start + step, workload.count)))
        present = np.array([float((1 - liars) * part.chance) for part in parts])
        for sign in (1.0, -1.0):
            gains = np.stack([part.gains(sign) for part in parts], axis=-1)
            worst = max(worst, float(most_moved(gains, present, float(liars)).max()))
        exact &= all(part.oracle.score_is_reached for part in parts)
    return WorstBias(Fraction(worst), exact)


def most_moved(gains: Floats, present: Floats, liars: float) -> Floats:
    """Maximise `sum_l b_l / (b_l + c_l) D_l` over the liars b_l of each branch, who are `liars` together.

    Args:
        gains: `D_l`, not negative, shape (..., branches).
        present: `c_l`, above 0, shape (branches,).
        liars: the sum of all b_l.
    """
    gains = np.maximum(gains, 0.0)  # rounding alone brings them below
    order = np.argsort(-gains / present, axis=-1, kind="stable")
    gain, share = np.take_along_axis(gains, order, axis=-1), present[order]
    roots, users = np.cumsum(np.sqrt(gain * share), axis=-1), liars + np.cumsum(share, axis=-1)
    used = np.maximum((np.sqrt(gain / share) * users > roots).sum(axis=-1, keepdims=True) - 1, 0)
    moved = np.cumsum(gain, axis=-1) - roots**2 / users
    found: Floats = np.take_along_axis(moved, used, axis=-1)[..., 0]
    return found


def most_moved_by_pooling(gains: Sequence[float], weights: Sequence[float], present: Floats, liars: float) -> float:
    """Maximise `sum_l w_l b_l D_l / sum_l w_l (b_l + c_l)` over the liars b_l of each branch: all go to one.

    Args:
        gains: `D_l`.
        weights: `w_l`, what a user of each branch weighs.
        present: `c_l`, above 0.
        liars: the sum of all b_l.

    >>> round(most_moved_by_pooling([10.0, 10.0], [1.0, 1.0], np.array([0.95 / 3, 0.95 / 3]), 0.05), 6)
    0.731707
    """
    honest = float(np.asarray(weights) @ present)
    return max(w * liars * gain / (honest + w * liars) for w, gain in zip(weights, gains, strict=True))


def pull_of_bit(support: Support) -> Fraction:
    """Compute the bias for each liar of what a report supports with p or q, `max(1 - q, p)/(p - q)`, exactly.

    Its scores are `(1 - q)/(p - q)` where the report supports it, and `-q/(p - q)` where it does not.
    """
    return max(1 - support.q, support.p) / (support.p - support.q)


def heaviest_parity(weights: Floats) -> Floats:
    """Compute the largest sum of weights of the items x with one value of a parity `<c, x>`, over all words c."""
    found: Floats = (weights.sum(axis=1) + np.abs(transformed(weights)).max(axis=1)) / 2
    return found


def transformed(weights: Floats) -> Floats:
    """Return the Walsh-Hadamard transform of each row, filled up with zeros to a power of two."""
    places = 1 << (weights.shape[1] - 1).bit_length()
    filled = np.zeros((len(weights), places))
    filled[:, : weights.shape[1]] = weights
    for row in filled:
        walsh_hadamard(row)
    return filled


def parse_liars(value: Number) -> Fraction:
    """Parse the fraction of the users who lie.

    Raises:
        InputError: for one that is not in (0, 1).
    """
    liars = as_rational(value, "liars")
    if not 0 < liars < 1:
        raise InputError(f"liars must be in (0, 1), got liars={fraction_text(liars)}")
    return liars
