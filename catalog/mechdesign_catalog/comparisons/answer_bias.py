"""Tell how far liars can move the answers of a workload, where users may share out over levels.

The estimated answer of a query is a constant and, for each level l, the mean over the n_l reports of that level of
`s_l(r) = sum_v u_v y_v(r)`: y are the scores of a report, u the weights that the query has on the nodes of the level.
They are set in advance and do not depend on the n_l. An oracle without levels is one level that all users are at.

Honest users draw their levels with the public chances p_l; a fraction b of all users are liars who choose both. With
b_l of all users lying at level l, and `c_l = (1 - b) p_l`, these are `b_l / (b_l + c_l)` of the users there. In the
limit of many users the mean of the estimate differs from the answer for the honest users, who all have the item x, by

    sum_l b_l / (b_l + c_l) D_l,    D_l = max_r s_l(r) - E[s_l | x],

for a shift upwards; downwards all weights change their signs. It is linear in the shares of the honest, so those who
all have one item are the worst case. Each term is concave in b_l, so liars do not best go to one level: the largest sum
is where all derivatives `D_l c_l / (b_l + c_l)^2` at levels with liars are equal, and that of no other level is larger
at 0. Taking the m levels with the largest `D_l / c_l`, as many as have liars,

    sum_l D_l - (sum_l sqrt(D_l c_l))^2 / (b + sum_l c_l).

Of few users the numbers at each level vary, and this is no bound but what is to be expected. The largest score of a
report is exact for `grr`, `sue`, `oue`, `rappor`, `ss`, `dbitflip`, designs, sign and Hadamard reports of one bit; for
others all sets of items are allowed (hashes to more buckets), or all words (`hcms`), and the figure is an upper bound.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np

from mechdesign.workloads.queries import LinearQueries, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.oracles.exchangeable import PureOracle
from mechdesign_catalog.oracles.kernels.walsh import walsh_hadamard
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip
from mechdesign_catalog.oracles.kinds.designed import Designed
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.local_hashing import HashingOracle
from mechdesign_catalog.oracles.kinds.sketch import Hcms
from mechdesign_catalog.oracles.kinds.subset import SubsetSelection
from mechdesign_catalog.oracles.kinds.unary import UnaryEncoding
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle
from mechdesign_catalog.oracles.levels.level_oracle import LevelOracle
from mechdesign_catalog.oracles.levels.signed_hadamard import SignedHrr
from mechdesign_catalog.oracles.oracle import FrequencyOracle
from mechdesign_catalog.oracles.probabilities import Floats

MOST_PAIRS = 1 << 21
"""Queries times items up to which the worst bias is computed: each query is held against honest users of each item."""

AT_ONCE = 1 << 18


@dataclass(frozen=True)
class AnswerBias:
    """Hold how far liars move some answer of a workload at most; `is_exact` where some reports move one so far."""

    value: float
    is_exact: bool

    @property
    def text(self) -> str:
        """The number as tables have it; an upper bound is marked."""
        return f"{'' if self.is_exact else '<='}{self.value:.4g}"


@dataclass(frozen=True, eq=False)
class LevelWeights:
    """Hold the weights of queries on what a level tells: of each place, and of each item an honest user may have.

    `of_places` has the shape (q, places), `of_items` (q, k).
    """

    of_places: Floats
    of_items: Floats


def worst_answer_bias(oracle: FrequencyOracle, workload: Workload, liars: Fraction) -> AnswerBias | None:
    """Compute the largest bias that a fraction of liars gives an answer of a workload, in the limit of many users.

    Over all queries, both directions, and all shares of the honest users. None beyond `MOST_PAIRS`.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign.workloads.ordered import Prefixes
    >>> from mechdesign_catalog.oracles import make_oracle
    >>> found = worst_answer_bias(make_oracle("grr", 4, Privacy(alpha="1/2")), Prefixes(4), Fraction(1, 100))
    >>> round(found.value, 12), found.is_exact
    (0.04, True)
    """
    if workload.count * workload.k > MOST_PAIRS:
        return None
    levels = oracle.level_oracles if isinstance(oracle, LevelOracle) else (oracle,)
    chances = oracle.level_chances if isinstance(oracle, LevelOracle) else (Fraction(1),)
    present = np.array([float((1 - liars) * chance) for chance in chances])
    worst, step = 0.0, max(1, AT_ONCE // workload.k)
    for start in range(0, workload.count, step):
        queries = workload.queries(start, min(start + step, workload.count))
        weights = list(_level_weights(oracle, queries))
        for sign in (1.0, -1.0):
            gains = [
                highest_scores(level, sign * of_level.of_places)[:, None] - sign * of_level.of_items
                for level, of_level in zip(levels, weights, strict=True)
            ]
            worst = max(worst, float(most_moved(np.stack(gains, axis=-1), present, float(liars)).max()))
    return AnswerBias(worst, all(score_is_reached(level) for level in levels))


def most_moved(gains: Floats, present: Floats, liars: float) -> Floats:
    """Maximise `sum_l b_l / (b_l + c_l) D_l` over the liars b_l of each level, who are `liars` together.

    Args:
        gains: `D_l`, not negative, shape (..., levels).
        present: `c_l`, above 0, shape (levels,).
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


def _level_weights(oracle: FrequencyOracle, queries: Queries) -> Iterator[LevelWeights]:
    """Yield the weights of each level; answers are linear in what the levels tell, so each place is asked by itself."""
    if not isinstance(oracle, LevelOracle):
        yield LevelWeights(queries.weights(), queries.weights())
        return
    whole = (queries.sums == queries.k) & (queries.squares == queries.k)  # known to be 1
    items = np.arange(oracle.k, dtype=np.int64)
    empty = [np.zeros(places_of(level)) for level in oracle.level_oracles]
    constant = oracle.answers_of(empty, queries)
    for number, level in enumerate(oracle.level_oracles):
        of_places = np.empty((len(queries), places_of(level)))
        for place in range(places_of(level)):
            told = [estimates.copy() for estimates in empty]
            told[number][place] = 1.0
            of_places[:, place] = np.where(whole, 0.0, oracle.answers_of(told, queries) - constant)
        own = oracle.encode(number, items)
        signed = isinstance(level, SignedHrr)
        of_items = of_places[:, own >> 1] * (1 - 2 * (own & 1)) if signed else of_places[:, own]
        yield LevelWeights(of_places, of_items)


def places_of(level: Any) -> int:
    """Return how many numbers a level's oracle estimates."""
    return level.places if isinstance(level, SignedHrr) else int(level.k)


@singledispatch
def highest_scores(oracle: Any, weights: Floats) -> Floats:
    """Compute the largest `sum_v u_v y_v(r)` over all reports r, or an upper bound, for weights of shape (q, places).

    Raises:
        TypeError: for an oracle whose scores are not known here.
    """
    raise TypeError(f"scores of {oracle.name} are not known")


@highest_scores.register
def _pure(oracle: PureOracle, weights: Floats) -> Floats:
    p, q = float(oracle.support.p), float(oracle.support.q)
    found: Floats = (_heaviest_set(oracle, weights) - q * weights.sum(axis=1)) / (p - q)
    return found


@highest_scores.register
def _dbitflip(oracle: DBitFlip, weights: Floats) -> Floats:
    """Take the d bits with the largest scores; each is as large as its better value."""
    p, q = float(oracle.support.p), float(oracle.support.q)
    best = np.sort(np.maximum(weights * (1 - q), -weights * q), axis=1)[:, oracle.k - oracle.drawn :]
    found: Floats = oracle.k / oracle.drawn * best.sum(axis=1) / (p - q)
    return found


@highest_scores.register
def _designed(oracle: Designed, weights: Floats) -> Floats:
    inverse = np.array([[float(entry) for entry in row] for row in oracle.inverse])
    found: Floats = (weights @ inverse).max(axis=1)
    return found


@highest_scores.register
def _workload_design(oracle: WorkloadOracle, weights: Floats) -> Floats:
    oracle.require_told(LinearQueries(weights))
    found: Floats = oracle.scores.of_queries(weights).max(axis=1)
    return found


@highest_scores.register
def _signed(oracle: SignedHrr, weights: Floats) -> Floats:
    found: Floats = float(oracle.scale) * np.abs(_transformed(weights)).max(axis=1)
    return found


def _heaviest_set(oracle: PureOracle, weights: Floats) -> Floats:
    """Return the largest sum of weights of the items that one report supports."""
    found: Floats
    if isinstance(oracle, Grr):
        found = weights.max(axis=1)
    elif isinstance(oracle, SubsetSelection):
        found = np.sort(weights, axis=1)[:, oracle.k - oracle.selected :].sum(axis=1)
    elif _has_one_bit(oracle):
        found = (weights.sum(axis=1) + np.abs(_transformed(weights)).max(axis=1)) / 2
    else:
        found = np.maximum(weights, 0.0).sum(axis=1)
    return found


def _has_one_bit(oracle: PureOracle) -> bool:
    """Whether a report supports the items x with one value of a parity `<c, x>`."""
    return isinstance(oracle, Hcms) or (isinstance(oracle, HashingOracle) and oracle.hashes.buckets == 2)


def score_is_reached(oracle: Any) -> bool:
    """Tell whether a report has the score of `highest_scores`; else that is an upper bound."""
    if isinstance(oracle, HashingOracle):
        return oracle.hashes.buckets == 2 and oracle.hashes.rows == 1
    return isinstance(oracle, Grr | SubsetSelection | UnaryEncoding | DBitFlip | Designed | WorkloadOracle | SignedHrr)


def _transformed(weights: Floats) -> Floats:
    """Return the Walsh-Hadamard transform of each row, filled up with zeros to a power of two."""
    places = 1 << (weights.shape[1] - 1).bit_length()
    filled = np.zeros((len(weights), places))
    filled[:, : weights.shape[1]] = weights
    for row in filled:
        walsh_hadamard(row)
    return filled
