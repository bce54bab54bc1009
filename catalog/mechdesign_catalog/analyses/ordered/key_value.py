"""The mean of a second number over ranges of keys, where key and number are both hidden."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign.rational import Number, as_rational
from mechdesign.workloads.queries import Intervals
from mechdesign_catalog.analyses.ordered.delta_method import delta_errors, two_halves
from mechdesign_catalog.decoders.decoder import Decoder
from mechdesign_catalog.randomizers.facts.intervals import normal_intervals
from mechdesign_catalog.randomizers.kernels.draws import uniform_below
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State

STEPS = 10**9
LEAST_RANGE, MOST_RANGE = Fraction(1, 10**100), 10**100
AT_ONCE = 1 << 22
"""Entries of the gradients that are written down at once."""


@dataclass(frozen=True)
class KeyValues:
    """A rounding of numbers in [low, high] to one end at random, with a number for end and key.

    A user with the key j in 0..keys-1 and the number v has the item `keys + j` with the chance `(v - low)/(high -
    low)`, else the item j; `k = 2 keys`: one item for any oracle with this k. The mean of the ends is that of the
    numbers. Draws are exact, for numbers that are whole steps of a billionth of the range; others move by half a step
    at most.

    Raises:
        InputError: for no key, ends that do not increase, or a range that floats cannot be cut to steps in.

    >>> KeyValues(10, low=0, high=24).items([3, 9], [0, 24]).tolist()
    [3, 19]
    """

    keys: int
    low: Number = -1
    high: Number = 1

    def __post_init__(self) -> None:
        if isinstance(self.keys, bool) or not isinstance(self.keys, int) or not 1 <= self.keys <= 1 << 39:
            raise InputError(f"keys must be a whole number from 1 to 2^39, got keys={self.keys}")
        low, high = as_rational(self.low, "low"), as_rational(self.high, "high")
        if not low < high:
            raise InputError(f"low must be below high, got low={self.low}, high={self.high}")
        if not LEAST_RANGE <= high - low <= MOST_RANGE or high - low < max(abs(low), abs(high)) / STEPS:
            raise InputError(
                "the range must be from 1e-100 to 1e100, and a billionth of its ends at least, "
                f"got low={self.low}, high={self.high}"
            )
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def k(self) -> int:
        """Number of items, two for each key."""
        return 2 * self.keys

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest number that a user may have."""
        return float(Fraction(self.low)), float(Fraction(self.high))

    def items(self, keys: ArrayLike, numbers: ArrayLike, words: WordSource | None = None) -> Values:
        """Draw the item of each user, shape (users,). Operating-system randomness unless `words` is given.

        Raises:
            InputError: for a key or a number outside, naming the row and not the value, which is private.
        """
        known, given = np.asarray(keys), np.asarray(numbers, dtype=np.float64)
        if known.ndim != 1 or known.shape != given.shape or known.dtype.kind not in "iu":
            raise InputError("keys must be whole numbers and numbers as many, got vectors that are not")
        if not (inside := (known >= 0) & (known < self.keys)).all():
            raise InputError(f"keys must be in 0..{self.keys - 1}, got another in row {int(np.argmin(inside)) + 1}")
        low, high = self.ends
        if not (inside := (given >= low) & (given <= high)).all():
            raise InputError(f"numbers must be in {low:g}..{high:g}, got another in row {int(np.argmin(inside)) + 1}")
        steps = np.minimum(np.rint((given - low) * (STEPS / (high - low))).astype(np.int64), STEPS)
        is_high = uniform_below(STEPS, len(steps), words or system_words) < steps
        return two_halves(is_high.astype(np.int64), known.astype(np.int64), self.keys)


@dataclass(frozen=True, eq=False)
class RangeMeans:
    """The estimated mean over each range of keys, with its standard error; shape (q,) each.

    `shares` are the estimated shares of the users whose key is in the range. Where a share is not above 0 the mean is
    unknown: nan, with an infinite standard error.
    """

    means: Floats
    standard_errors: Floats
    shares: Floats
    ends: tuple[float, float]

    def intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return normal intervals, cut to what numbers can be; all of that where the mean is unknown."""
        low, high = normal_intervals(np.nan_to_num(self.means), self.standard_errors, level)
        return np.clip(low, *self.ends), np.clip(high, *self.ends)


def estimate_range_means(
    pairs: KeyValues, oracle: FrequencyOracle, state: State, first: ArrayLike, last: ArrayLike
) -> RangeMeans:
    """Estimate the mean number of the users whose key is in first..last, both included, for each such range.

    With the shares U and L of the users who have a key in the range and the upper or lower end, the mean is `low +
    (high - low) U / (U + L)` (Kulkarni's thesis, section 7.1.2, for -1 and 1). U and L are answers to two ranges of
    items, unbiased; their ratio is **not unbiased**, by a term of the order of `Var(U + L) / (U + L)^2`. Its standard
    error is that of the delta method: the variance of the linear answer with the gradient's weights, at the estimated
    shares, and at most `R (1-R) / (n (U+L))` more for rounding, where R is the ratio. It can be relied on where the
    share U + L is several of its own standard errors.

    Raises:
        InputError: for ranges of other keys, or whose first is after their last.

    >>> from mechdesign.mechanism.sampling import seeded_words  # not for people, for whom it is left out
    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.systems.registry import parse_oracle
    >>> generator, pairs = np.random.default_rng(1), KeyValues(64, low=0, high=24)
    >>> keys = generator.integers(0, 64, 50_000)
    >>> hours = (keys / 4).round()  # from 4 to 8 hours for keys of 16..31, 5.9 on average
    >>> oracle = parse_oracle("hh:b=4", pairs.k, Privacy(epsilon=2))
    >>> state = oracle.aggregate(oracle.privatize(pairs.items(keys, hours, seeded_words(1)), seeded_words(2)))
    >>> found = estimate_range_means(pairs, oracle, state, 16, 31)
    >>> [round(end.item(), 1) for end in (*found.means, *found.intervals())]
    [5.3, 4.3, 6.3]
    """
    starts, stops = np.atleast_1d(np.asarray(first)), np.atleast_1d(np.asarray(last))
    ranges = Intervals(pairs.keys, starts, stops)
    decoder = Decoder(oracle)
    upper = decoder.answers(state, Intervals(pairs.k, pairs.keys + ranges.first, pairs.keys + ranges.last))
    shares = upper + decoder.answers(state, Intervals(pairs.k, ranges.first, ranges.last))
    is_known = shares > 0
    ratios = np.full(len(shares), np.nan)
    ratios[is_known] = upper[is_known] / shares[is_known]
    variances = np.full(len(shares), np.inf)
    step = max(1, AT_ONCE // pairs.k)
    known = np.flatnonzero(is_known)
    for part in (known[start : start + step] for start in range(0, len(known), step)):
        gradients = _gradients(pairs, starts[part], stops[part], ratios[part], shares[part])
        spread = np.clip(ratios[part] * (1 - ratios[part]), 0, None)
        variances[part] = delta_errors(decoder, state, gradients) ** 2 + spread / (state.users * shares[part])
    low, high = pairs.ends
    return RangeMeans(low + (high - low) * ratios, (high - low) * np.sqrt(variances), shares, pairs.ends)


def _gradients(
    pairs: KeyValues, first: NDArray[np.int64], last: NDArray[np.int64], ratios: Floats, shares: Floats
) -> Floats:
    """Write the gradients of U/(U+L), shape (ranges, 2 keys): `(1-R)/(U+L)` for upper ends, `-R/(U+L)` for lower."""
    keys = np.arange(pairs.keys)
    inside = (keys >= first[:, None]) & (keys <= last[:, None])
    return np.hstack([inside * (-ratios / shares)[:, None], inside * ((1 - ratios) / shares)[:, None]])
