"""Liars: how far users move an estimate who send whatever report serves them best.

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

Where tables that overlap are pooled, weights hang on the numbers of users, liars among them. What is told of a
component P of a table is a mean over the branches that tell it, of which branch l weighs `w_Pl n_l`. A cell adds the
components up. With `s_Pl(r)` the score that a report has in it by way of P, and `m_P(x)` the mean for honest users of
x, it moves by

    sum_P sum_l w_Pl b_l (s_Pl(r_l) - m_P(x)) / (W_P + sum_l w_Pl b_l),    W_P = sum_l w_Pl c_l.

Raw tables have one component, the table itself: a ratio of linear functions of the b_l, which is largest at a corner,
with all liars at one branch. A sum of such ratios, as least squares has it, is neither concave nor convex.
`most_moved_by_components` closes in on its maximum from both sides.

Of few users the numbers at each branch vary, and this is no bound but what is to be expected. The largest score of a
report is exact for `grr`, `sue`, `oue`, `rappor`, `ss`, `dbitflip`, designs, sign and Hadamard reports of one bit; for
others all sets of items are allowed (hashes to more buckets), or all words (`hcms`), and the figure is an upper bound.
Who lies about the value alone, and draws the report as all do, moves a share by b.

The more private, the stronger a liar (Cheu, Smith, Ullman, IEEE S&P 2021; Cao, Jia, Gong, USENIX Security 2021).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from typing import Protocol

import numpy as np

from mechdesign.errors import InputError
from mechdesign.rational import Number, as_rational, fraction_text
from mechdesign.workloads.queries import Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.randomizers.kernels.walsh import walsh_hadamard
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support

MOST_PAIRS = 1 << 21
"""Queries times items up to which the worst bias is computed: each query is held against honest users of each item."""

AT_ONCE = 1 << 18


@dataclass(frozen=True)
class WorstBias:
    """The worst bias that liars give an answer; `is_exact` where some reports move one so far."""

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
    """The part of a branch in answers: its chance, its oracle, and the weights of queries.

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


class HasAnswers(Protocol):
    """An oracle whose answers are sums of parts, one of each branch."""

    def answer_parts(self, queries: Queries) -> Sequence[AnswerPart]:
        """Return what each branch adds to the answers of queries."""


def worst_answer_bias(oracle: HasAnswers, workload: Workload, liars: Fraction) -> WorstBias | None:
    """Compute the largest bias that a fraction of liars gives an answer of a workload, in the limit of many users.

    Over all queries, both directions, and all shares of the honest users. None beyond `MOST_PAIRS`.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign.workloads.ordered import Prefixes
    >>> from mechdesign_catalog.systems import make_oracle
    >>> found = worst_answer_bias(make_oracle("grr", 4, Privacy(alpha="1/2")), Prefixes(4), Fraction(1, 100))
    >>> round(float(found.value), 12), found.is_exact
    (0.04, True)
    """
    if workload.count * workload.k > MOST_PAIRS:
        return None
    step = max(1, AT_ONCE // workload.k)
    queries = (workload.queries(start, min(start + step, workload.count)) for start in range(0, workload.count, step))
    return worst_of(worst_bias_of_parts(oracle.answer_parts(some), liars) for some in queries)


def worst_bias_of_parts(parts: Sequence[AnswerPart], liars: Fraction) -> WorstBias:
    """Compute the largest bias of some answer, up or down, from what each branch adds to all of them."""
    present = np.array([float((1 - liars) * part.chance) for part in parts])
    gains = [np.stack([part.gains(sign) for part in parts], axis=-1) for sign in (1.0, -1.0)]
    worst = max(float(most_moved(own, present, float(liars)).max()) for own in gains)
    return WorstBias(Fraction(worst), all(part.oracle.score_is_reached for part in parts))


def worst_of(biases: Iterable[WorstBias]) -> WorstBias:
    """Return the largest of several biases; it is exact where it is one that is reached."""
    return max(biases, key=lambda bias: (bias.value, bias.is_exact))


def most_moved(gains: Floats, present: Floats, liars: float) -> Floats:
    """Maximise `sum_l b_l / (b_l + c_l) D_l` over the liars b_l of each branch, who are `liars` together.

    Args:
        gains: `D_l`, not negative, shape (..., branches).
        present: `c_l`, above 0, shape (branches,).
        liars: the sum of all b_l.
    """
    by_branch = np.ascontiguousarray(np.maximum(gains, 0.0).reshape(-1, len(present)).T)  # rounding brings them below
    order = np.argsort(-by_branch / present[:, None], axis=0, kind="stable")
    gain, share = np.take_along_axis(by_branch, order, axis=0), present[order]
    roots, users = np.cumsum(np.sqrt(gain * share), axis=0), liars + np.cumsum(share, axis=0)
    used = np.maximum((np.sqrt(gain / share) * users > roots).sum(axis=0, keepdims=True) - 1, 0)
    moved = np.cumsum(gain, axis=0) - roots**2 / users
    found: Floats = np.take_along_axis(moved, used, axis=0).reshape(gains.shape[:-1])
    return found


@dataclass(frozen=True, eq=False)
class PooledBranch:
    """The branch's part in the components of a table, of which a cell is the sum.

    `weights` has what one of its users weighs in each component, shape (components,), 0 for those that it does not
    tell; `rows` what its places count in the cell by way of each, shape (components, places). `highest` computes the
    largest score of a report for weights of the places, shape (q, places). Branches that are alike are one: `chance`
    is that of all of them together.
    """

    chance: float
    weights: Floats
    rows: Floats
    highest: Callable[[Floats], Floats]


ROUNDING = 1e-9
"""Part of a bias by which its bound may lie above it and still be called exact."""

MOST_SPLITS = 2_000
"""Simplices of ways to share out liars that are split at most."""


def most_moved_by_components(
    branches: Sequence[PooledBranch],
    honest: Floats,
    liars: float,
    known: float = 0.0,
    *,
    close: float = ROUNDING,
    most_splits: int = MOST_SPLITS,
) -> tuple[float, float]:
    """Maximise how far liars move a sum of pooled components: how far they do it, and a bound of how far they can.

    By branch and bound over simplices of ways to share the liars out. In the formula above let D_P be the denominator
    and `v_P = 1/D_P`, so that the bias is `B(b, v) = sum_l b_l max_r sum_P w_Pl v_P s_Pl(r) - ..`, linear in b and
    sublinear in v. With `b = sum_j t_j b^j` over the corners of a simplex, v is `sum_j t_j v^j` less at most
    `g_P = (lo^-1/2 - hi^-1/2)^2`, where D_P lies between lo and hi. So the bias is at most `sum_jk t_j t_k B(b^j, v^k)`
    and what -g adds: the largest bias at a corner is exceeded by terms of the second order in the simplex's size.

    Args:
        branches: those that tell of the cell.
        honest: `m_P(x)`, shape (components, kinds of honest users).
        liars: the fraction b of all users.
        known: how far liars move another cell; where none moves this one further, it is not looked into.
        close: where to stop: the bound lies above what is reached by this part of it at most.
        most_splits: where to stop at last, with whatever bound there is.

    >>> def bit(weights):
    ...     return np.abs(weights[:, 0])
    >>> one = PooledBranch(1 / 3, np.ones(1), np.array([[10.0]]), bit)
    >>> [round(value, 6) for value in most_moved_by_components([one, one], np.zeros((1, 1)), 0.05)]
    [0.731707, 0.731707]
    """
    told = _LiarBias(branches, honest, liars)
    corners = tuple(told.corner(liars * own) for own in np.eye(len(branches)))
    reached = float(np.diag(told.moved(corners)).max())
    if len(honest) == 1:
        return reached, reached
    bound, pair = told.bound(corners)
    waiting, splits = [(-bound, 0, corners, pair)], 0
    while -waiting[0][0] > max(reached, known) * (1 + close) and splits < most_splits:
        _, _, corners, pair = heappop(waiting)
        middle, splits = told.corner((corners[pair[0]].liars + corners[pair[1]].liars) / 2), splits + 1
        reached = max(reached, float(told.moved([middle])[0, 0]))
        for left in pair:
            part = (*corners[:left], middle, *corners[left + 1 :])
            bound, widest = told.bound(part)
            heappush(waiting, (-bound, 2 * splits + (left == pair[0]), part, widest))
    return reached, max(reached, -waiting[0][0])


def bounded(found: Iterable[tuple[float, float]], scores_are_reached: bool) -> WorstBias:
    """Return the largest of several biases that are known from both sides; exact where the sides meet."""
    reached, bound = (max(side) for side in zip(*found, strict=True))
    return WorstBias(Fraction(bound), scores_are_reached and bound <= reached * (1 + 2 * ROUNDING))


@dataclass(frozen=True, eq=False)
class _Corner:
    """A way to share out liars: their weight in each component, `v`, and the highest score of each branch there."""

    liars: Floats
    lying: Floats
    inverse: Floats
    scores: Floats


class _LiarBias:
    """The bias as a function of the liars of each branch, and a bound of it over simplices of them."""

    def __init__(self, branches: Sequence[PooledBranch], honest: Floats, liars: float) -> None:
        self.branches, self.honest = branches, honest
        self.weights = np.array([branch.weights for branch in branches])
        self.present = (1 - liars) * np.array([branch.chance for branch in branches]) @ self.weights
        falls = np.array([self._highest(branch, -np.eye(len(honest))) for branch in branches])
        self.falls = np.maximum(falls + self.weights * honest.max(axis=1), 0.0)

    @staticmethod
    def _highest(branch: PooledBranch, inverses: Floats) -> Floats:
        return branch.highest((inverses * branch.weights) @ branch.rows)

    def corner(self, liars: Floats) -> _Corner:
        lying = liars @ self.weights
        inverse = 1 / (self.present + lying)
        scores = np.array([float(self._highest(branch, inverse[None])[0]) for branch in self.branches])
        return _Corner(liars, lying, inverse, scores)

    def moved(self, corners: Sequence[_Corner]) -> Floats:
        """Compute `B(b^j, v^k)` for all pairs of corners, shape (corners, corners)."""
        liars, lying, inverse, scores = map(np.array, zip(*(vars(corner).values() for corner in corners), strict=True))
        honest = (lying[:, None, :] * inverse) @ self.honest
        found: Floats = liars @ scores.T - honest.min(axis=-1)
        return found

    def bound(self, corners: Sequence[_Corner]) -> tuple[float, tuple[int, int]]:
        """Bound the bias over the simplex of these corners; return the two whose middle makes it smaller as well."""
        moved = self.moved(corners)
        between = (moved + moved.T - np.diag(moved)[:, None] - np.diag(moved)) / 2
        roots = np.sqrt([corner.inverse for corner in corners])
        falls = (np.array([corner.liars for corner in corners]) @ self.falls).max(axis=0)
        gaps = (roots[:, None] - roots) ** 2
        bound = np.diag(moved).max() + (1 - 1 / len(corners)) * between.max() + gaps.max(axis=(0, 1)) @ falls
        one, other = divmod(int(np.argmax(between + gaps @ falls)), len(corners))
        return float(bound), (one, other)


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
