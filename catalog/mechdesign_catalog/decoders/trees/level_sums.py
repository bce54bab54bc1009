"""Level sums: the facts of a level that the variance of an answer needs.

Let level l have `n_l` of the n users, and let the answer of a query be `sum_v u_v f_v` and a constant, where f are
unbiased estimates of the shares of the nodes v of all levels. Given the `n_l`, which the server sees, the users of a
level are a random sample of all users. So the answer is unbiased, and for users whose items are fixed

    Var = sum_l (N_l + n/(n-1) S_l) / n_l - (sum_v w_v^2 f_v - R^2) / (n-1)

with `S_l = sum_v u_v^2 F_v - (sum_v u_v F_v)^2` over the nodes of the level. `N_l` is the variance of `sum_v u_v y_v`,
y the scores of a report, as the level's oracle makes it, in the mean over all users; F are the shares of the nodes, w
the query's weights of the items, f their shares and R its answer.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True, eq=False)
class LevelSums:
    """Sums over the nodes v of a level, shape (q,) each.

    `sums` is `sum_v u_v`, `squares` is `sum_v u_v^2`, `answers` is `sum_v u_v F_v`, `square_answers` is
    `sum_v u_v^2 F_v`.
    """

    sums: Floats
    squares: Floats
    answers: Floats
    square_answers: Floats

    @classmethod
    def of(cls, weights: Floats, shares: Floats) -> "LevelSums":
        """Form the sums of weights u that are written down, shape (q, nodes)."""
        squares = weights**2
        return cls(weights.sum(axis=1), squares.sum(axis=1), weights @ shares, squares @ shares)

    def possible(self) -> "LevelSums":
        """Bring the sums with shares to values that some shares give, where they were formed with estimates.

        A user's `u^2` is at most `sum u^2`, and no mean of u is larger than the root of that of `u^2`.
        """
        square_answers = np.clip(self.square_answers, 0.0, self.squares)
        most = np.sqrt(square_answers)
        return replace(self, answers=np.clip(self.answers, -most, most), square_answers=square_answers)

    @property
    def spread(self) -> Floats:
        """Variance of a user's weight u over all users, S_l."""
        spread: Floats = self.square_answers - self.answers**2
        return spread


@dataclass(frozen=True, eq=False)
class ContrastSums:
    """The sums of several levels where the weights of each add up to 0; the queries are the last axis.

    The axes before it are the places of the levels: heights, or pairs of heights. `squares` is `sum u^2` over the
    nodes, `answers` the mean over users of their own u, with its sign, and `square_answers` the mean of its square.
    """

    squares: Floats
    answers: Floats
    square_answers: Floats

    @classmethod
    def zeros(cls, *shape: int) -> "ContrastSums":
        """Make sums that are to be filled in, all 0."""
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape))

    @classmethod
    def joined(cls, parts: Sequence["ContrastSums"]) -> "ContrastSums":
        """Put the sums of several batches of queries together."""
        names = ("squares", "answers", "square_answers")
        return cls(*(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in names))

    def at(self, places: Iterable[int | tuple[int, int]]) -> Iterator[LevelSums]:
        """Yield the sums of the levels at these places."""
        nothing = np.zeros(self.squares.shape[-1])
        for place in places:
            yield LevelSums(nothing, self.squares[place], self.answers[place], self.square_answers[place])


def noise(moments: Moments, sums: LevelSums) -> Floats:
    """Compute `N_l` for an oracle that treats all nodes alike."""
    return moments.noise(sums.sums, sums.squares, sums.answers, sums.square_answers)


def least_noise(moments: Moments, sums: LevelSums) -> Floats:
    """Compute a value that `N_l` does not go below, whatever the shares are.

    A user's variance is a quadratic function of the weight u of the own node, and u is at most the root of `sum u^2`.
    Its least value is at the end that the linear term favours, or where the slope is 0 before that.
    """
    if moments.is_uncorrelated:
        return float(min(moments.own, moments.other)) * sums.squares
    bend = float(moments.own - moments.other + 2 * (moments.others - moments.own_other)) * sums.squares
    middle = moments.noise(sums.sums, sums.squares, 0.0 * sums.sums, 0.0 * sums.sums)
    crossed = 2 * float(moments.own_other - moments.others)
    if crossed == 0.0:
        return np.maximum(middle + np.minimum(bend, 0.0), 0.0)
    slope = np.abs(crossed * sums.sums) * np.sqrt(sums.squares)
    inside = slope < 2 * bend
    dip = np.where(inside, slope**2 / np.where(inside, 4 * bend, 1.0), slope - bend)
    least: Floats = np.maximum(middle - dip, 0.0)
    return least


def total_variance(levels: Iterable[tuple[Floats, Floats]], whole: Floats, users: Floats, least: float = 0.0) -> Floats:
    """Add up the variance of answers, shape (q,).

    Args:
        levels: `N_l` and `S_l` of each level, one after the other.
        whole: `sum_v w_v^2 f_v - R^2`.
        users: `n_l` of each level.
        least: what the part of sharing users out is not below at true shares.
    """
    made, drawn, total = np.zeros_like(whole), -whole, float(users.sum())
    for (noise, spread), count in zip(levels, users, strict=True):
        made = made + noise / count
        drawn = drawn + total / count * spread
    if len(users) == 1:
        return made
    found: Floats = made + np.maximum(drawn, least) / (total - 1)
    return found
