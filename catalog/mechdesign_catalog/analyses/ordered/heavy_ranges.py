"""Heavy ranges: those that hold a large share of the users."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.rational import Number, as_rational
from mechdesign.workloads.queries import Intervals
from mechdesign_catalog.analyses.ordered.prefixes import first_reaching, isotonic_prefixes
from mechdesign_catalog.decoders.decoder import Decoder
from mechdesign_catalog.randomizers.facts.intervals import normal_intervals
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State


@dataclass(frozen=True, eq=False)
class HeavyRanges:
    """Ranges with their shares and simultaneous intervals; `first`, `last` and the rest have one entry for each.

    `is_sure` tells where the interval's lower end reaches the share that was asked for.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    shares: Floats
    standard_errors: Floats
    low: Floats
    high: Floats
    is_sure: NDArray[np.bool_]

    def __len__(self) -> int:
        """Return the number of ranges."""
        return len(self.first)


def heavy_ranges(
    oracle: FrequencyOracle, state: State, share: Number, *, length: int | None = None, level: float = 0.95
) -> HeavyRanges:
    """List ranges that hold at least this share of the users, with intervals that all hold at once.

    With a length: of all `k - length + 1` ranges of that many items those whose estimate reaches the share. Without
    one: the shortest heavy ranges. For each first item the range ends where the isotonic regression of the estimated
    distribution function has risen by the share, and only ranges that hold no other such range are listed, at most k.
    Which ranges these are depends on the noise; the shares beside them are the oracle's own estimates, unbiased for
    each range that is given beforehand, and not for ranges that were picked.

    So intervals are simultaneous, over **all** ranges that could have been listed (`k (k+1)/2` without a length), by
    Sidak's inequality for normal errors: with the chance `level` all of them hold the true shares, and then each
    range with `is_sure` holds the share asked for. That the errors are normal is an approximation, which is strained
    where k is large and users are few: at k = 2^20 the tails beyond 7.5 standard errors are used.

    Raises:
        InputError: for a share that is not in (0, 1], a length that is not in 1..k, or more ranges than the oracle
            tells standard errors of (`most_told`).

    >>> from mechdesign.mechanism.sampling import seeded_words  # not for people, for whom it is left out
    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.systems.registry import parse_oracle
    >>> ages = np.random.default_rng(1).normal(40, 5, 50_000).astype(int)
    >>> oracle = parse_oracle("hh:b=4", 80, Privacy(epsilon=2))
    >>> state = oracle.aggregate(oracle.privatize(ages, seeded_words(2)))
    >>> found = heavy_ranges(oracle, state, "0.5", length=20)  # 32..51 holds 0.94 of them, 10..29 next to nothing
    >>> 32 in found.first[found.is_sure], 10 in found.first
    (True, False)
    """
    asked = checked_share(share)
    k, decoder = oracle.k, Decoder(oracle)
    if length is not None and not 1 <= length <= k:
        raise InputError(f"length must be in 1..{k}, got length={length}")
    if length is None:
        ranges, together = _shortest(decoder, state, asked), k * (k + 1) // 2
    else:
        starts = np.arange(k - length + 1)
        ranges, together = Intervals(k, starts, starts + length - 1), k - length + 1
    if length is not None:
        is_listed = decoder.answers(state, ranges) >= asked
        ranges = Intervals(k, ranges.first[is_listed], ranges.last[is_listed])
    if oracle.most_told is not None and len(ranges) > oracle.most_told:
        raise InputError(
            f"listed ranges must be at most {oracle.most_told} for {oracle.name} on {k} items, since standard errors "
            f"take long, got {len(ranges)}; ask for a larger share"
        )
    shares, errors = decoder.answers(state, ranges), np.sqrt(decoder.estimated_variance(state, ranges))
    low, high = normal_intervals(shares, errors, level, together)
    return HeavyRanges(ranges.first, ranges.last, shares, errors, low, high, low >= asked)


def checked_share(share: Number) -> float:
    """Parse a share of the users.

    Raises:
        InputError: for one that is not in (0, 1].
    """
    asked = as_rational(share, "share")
    if not 0 < asked <= 1:
        raise InputError(f"share must be in (0, 1], got share={share}")
    return float(asked)


def _shortest(decoder: Decoder, state: State, share: float) -> Intervals:
    """Find the shortest ranges over which the isotonic distribution function rises by the share."""
    k = decoder.oracle.k
    prefixes = decoder.answers(state, Intervals(k, np.zeros(k, dtype=np.int64), np.arange(k)))
    rising = isotonic_prefixes(prefixes)
    before = np.concatenate([[0.0], rising[:-1]])
    last = first_reaching(rising, before + share - ROUNDING)
    first = np.flatnonzero(last < k)
    is_shortest = np.append(np.diff(last[first]) > 0, True)[: len(first)]
    return Intervals(k, first[is_shortest], last[first][is_shortest])


ROUNDING = 1e-12
"""Sums of floats may miss a share by so much."""
