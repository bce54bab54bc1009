"""The AUC of a score between two groups of users, where score and group are both hidden."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.errors import InputError, NoAnswerError
from mechdesign_catalog.analyses.ordered.delta_method import consistent_estimates, delta_errors, two_halves
from mechdesign_catalog.decoders.decoder import Decoder
from mechdesign_catalog.randomizers.facts.intervals import normal_intervals
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State

MAX_BINS = 1 << 22
MOST_RANGE = 1e100


@dataclass(frozen=True)
class ScoreBins:
    """Bins of equal width for scores in [low, high], with a number for each label and bin.

    A user with the label 0 or 1 and a score in bin i has the item `label bins + i` of 0..k-1, `k = 2 bins`: one item
    for any oracle with this k. The last bin holds `high` itself.

    Raises:
        InputError: for less than two bins or more than 2^22, or ends that do not increase or are too far apart.

    >>> ScoreBins(4).items([0, 1, 1], [0.1, 0.25, 1.0]).tolist()
    [0, 5, 7]
    """

    bins: int
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.bins, bool) or not isinstance(self.bins, int) or not 2 <= self.bins <= MAX_BINS:
            raise InputError(f"bins must be a whole number from 2 to 2^22, got bins={self.bins}")
        if not (np.isfinite([self.low, self.high]).all() and self.low < self.high):
            raise InputError(f"low must be below high, both finite, got low={self.low}, high={self.high}")
        if self.high - self.low > MOST_RANGE:
            raise InputError(f"high must be at most 1e100 above low, got low={self.low}, high={self.high}")

    @property
    def k(self) -> int:
        """Number of items, two for each bin."""
        return 2 * self.bins

    def items(self, labels: ArrayLike, scores: ArrayLike) -> Values:
        """Return the item of each user, shape (users,).

        Raises:
            InputError: for a label other than 0 and 1 or a score outside, naming the row and not the value, which is
                private.
        """
        marks, numbers = np.asarray(labels), np.asarray(scores, dtype=np.float64)
        if marks.ndim != 1 or marks.shape != numbers.shape:
            raise InputError(
                f"labels and scores must be two vectors of one length, got shapes {marks.shape}, {numbers.shape}"
            )
        if not (known := (marks == 0) | (marks == 1)).all():
            raise InputError(f"labels must be 0 or 1, got another in row {int(np.argmin(known)) + 1}")
        if not (inside := (numbers >= self.low) & (numbers <= self.high)).all():
            row = int(np.argmin(inside)) + 1
            raise InputError(f"scores must be in {self.low:g}..{self.high:g}, got another in row {row}")
        edges = np.linspace(self.low, self.high, self.bins + 1)
        bins = np.searchsorted(edges, numbers, side="right") - 1
        return two_halves(marks.astype(np.int64), np.minimum(bins, self.bins - 1), self.bins)


@dataclass(frozen=True)
class AucEstimate:
    """An estimated AUC of binned scores, and the share of pairs that bins cannot tell apart.

    `value` with `standard_error` is about the binned scores. `tied` with `tied_error` is the share of all pairs (a user
    with label 1, one with label 0) whose two scores fall into one bin; these count 1/2 in `value`.
    """

    value: float
    standard_error: float
    tied: float
    tied_error: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the normal interval of the AUC of the binned scores, cut to [0, 1]."""
        low, high = normal_intervals(np.array(self.value), np.array(self.standard_error), level)
        return max(0.0, float(low)), min(1.0, float(high))

    def score_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return an interval of the AUC of the scores themselves, cut to [0, 1].

        Pairs within a bin count between 0 and 1 instead of 1/2, so that bins change the AUC by at most half their
        share. The interval of the binned AUC is widened by half of the upper limit of `tied`; each of the two misses
        with half of the chance `1 - level`.
        """
        low, high = self.interval((1 + level) / 2)
        _, most = normal_intervals(np.array(self.tied), np.array(self.tied_error), level)
        widest = max(0.0, float(most)) / 2
        return max(0.0, low - widest), min(1.0, high + widest)


def estimate_auc(oracle: FrequencyOracle, state: State) -> AucEstimate:
    """Estimate `Pr[score of a user with label 1 > score of one with label 0]`, ties counted 1/2, from one collection.

    With the shares `x1_i`, `x0_i` of the users with label 1 or 0 and a score in bin i (items of `ScoreBins`),

        AUC = sum_i x1_i (x0_0 + ... + x0_(i-1) + x0_i / 2) / (sum x1 sum x0)

    (Kulkarni's thesis (2.12), (7.1)). It is quadratic in the estimated shares, and a ratio: **not unbiased**. The sum
    is off by the covariances of the x1 with the x0, of the order 1/n. The standard error is that of the delta method,
    for these users: the exact variance of the linear answer with the gradient's weights, at the estimated shares. Where
    noise is large it comes out too large: what noise in the gradient adds on average is twice the variance of the
    quadratic term that it leaves out.

    With epsilon = 1 and two normal scores (AUC 0.83) its variance times n is 338, 1352, 5406 by `oue` at 64, 256, 1024
    bins, and 57, 71, 86 by `hh:b=2`: that of items by themselves grows with the bins, that of a tree with their
    logarithm, so that bins that are fine enough not to matter cost a tree next to nothing.

    Raises:
        InputError: for a tree whose estimates were not made consistent.
        NoAnswerError: where the estimated share of a label is not above 0.

    >>> from mechdesign.mechanism.sampling import seeded_words  # not for people, for whom it is left out
    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.systems.registry import parse_oracle
    >>> generator, bins = np.random.default_rng(1), ScoreBins(64)
    >>> labels = generator.integers(0, 2, 50_000)
    >>> scores = generator.normal(0.4 + 0.2 * labels, 0.15).clip(0, 1)  # their AUC is 0.83
    >>> oracle = parse_oracle("hh:b=4", bins.k, Privacy(epsilon=2))
    >>> state = oracle.aggregate(oracle.privatize(bins.items(labels, scores), seeded_words(2)))
    >>> found = estimate_auc(oracle, state)
    >>> round(found.value, 2), [round(end, 2) for end in found.interval()]
    (0.8, [0.77, 0.84])
    >>> [round(end, 2) for end in found.score_interval()]
    [0.75, 0.85]
    """
    decoder = Decoder(oracle)
    shares = consistent_estimates(decoder, state)
    value, tied, gradient, tied_gradient = _auc(shares, shares)
    errors = delta_errors(decoder, state, np.stack([gradient, tied_gradient]))
    return AucEstimate(value, float(errors[0]), tied, float(errors[1]))


def estimate_auc_of_halves(oracle: FrequencyOracle, first: State, second: State) -> AucEstimate:
    """Estimate the same from two collections of different users, two halves of them split at random.

    Numerator and denominator are means of products of one half's `x1` with the other's `x0`, whose errors are
    independent: both are unbiased, whatever the oracle (but for `1/n` that the split of these users costs); their ratio
    is not. The standard error is that of the delta method, for all these users: what one half has too much of the other
    has too little, so that the split adds nothing of the first order.

    Raises:
        InputError: for a tree whose estimates were not made consistent.
        NoAnswerError: where the estimated share of a label is not above 0.
    """
    variances, decoder, states = np.zeros(2), Decoder(oracle), (first, second)
    shares = tuple(consistent_estimates(decoder, state) for state in states)
    value, tied, *_ = _auc(*shares)
    for own, state in enumerate(states):
        _, _, *gradients = _auc(shares[own], shares[1 - own])
        variances += delta_errors(decoder, state, np.stack(gradients) / 2) ** 2
    return AucEstimate(value, float(np.sqrt(variances[0])), tied, float(np.sqrt(variances[1])))


def _auc(own: Floats, other: Floats) -> tuple[float, float, Floats, Floats]:
    """Compute AUC and tied share from products of two halves, and twice their gradients with respect to `own`.

    Where both are the same vector that is the gradient with respect to it.
    """
    x0, x1 = np.split(own, 2)
    y0, y1 = np.split(other, 2)
    pairs = (x1.sum() * y0.sum() + y1.sum() * x0.sum()) / 2
    if min(x0.sum() + y0.sum(), x1.sum() + y1.sum()) <= 0 or pairs <= 0:
        raise NoAnswerError("each label must have an estimated share above 0, got none of one; collect more reports")
    auc = (x1 @ _below(y0) + y1 @ _below(x0)) / 2 / pairs
    tied = (x1 @ y0 + y1 @ x0) / 2 / pairs
    gradient = np.concatenate([_above(y1) - auc * y1.sum(), _below(y0) - auc * y0.sum()]) / pairs
    tied_gradient = np.concatenate([y1 - tied * y1.sum(), y0 - tied * y0.sum()]) / pairs
    return float(auc), float(tied), gradient, tied_gradient


def _below(shares: NDArray[np.float64]) -> Floats:
    """Return for each bin the share of those below it, and half of its own."""
    return np.asarray(np.cumsum(shares) - shares / 2)


def _above(shares: NDArray[np.float64]) -> Floats:
    return np.asarray(_below(shares[::-1])[::-1])
