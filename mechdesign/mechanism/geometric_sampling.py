"""Exact geometric variables: `Pr[G >= k] = alpha^k`, from uniform 64-bit words.

Each draw is one search.

Let U be uniform on [0, 1) and G the number of k >= 1 with `U < alpha^k`. The first 64 bits of U are a word w, so U lies
in `[w, w+1) / 2^64`. Whole thresholds `T_k = floor(2^64 alpha^k)` tell G: `U < alpha^k` where `w < T_k`, and not where
`w > T_k`. Where w is one of the thresholds more bits are drawn. No power of alpha is ever formed: thresholds are
enclosed by rounding in whole numbers, so the draws are the same on every machine.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WORD_BITS, Words, WordSource
from mechdesign.rational import number_text

GUARD_BITS = 128
"""Powers are enclosed to so many bits below those of a word; each step loses less than one unit of the last."""

MOST_THRESHOLDS = 1 << 22
"""Words are looked up in at most so many thresholds: an alpha up to 1 - 1e-5."""


@dataclass(frozen=True)
class GeometricSampler:
    """A sampler of geometric variables of one alpha."""

    alpha: Fraction

    @cached_property
    def thresholds(self) -> Words:
        """The thresholds `floor(2^64 alpha^k)` down to 0, rising; of one that is not decided the lower end."""
        p, q = self.alpha.numerator, self.alpha.denominator
        unit = GUARD_BITS + WORD_BITS
        low = high = 1 << unit
        found = []
        while high >> GUARD_BITS:
            low, high = low * p // q, -(-high * p // q)
            found.append(low >> GUARD_BITS)
            if len(found) > MOST_THRESHOLDS:
                raise InputError(f"alpha must be at most 1 - 1e-5 to draw from, got alpha={number_text(self.alpha)}")
        return np.array(found[::-1], dtype=np.uint64)

    def draw(self, source: WordSource, count: int) -> NDArray[np.int64]:
        """Draw `count` independent variables."""
        words = source(count)
        rising = self.thresholds
        above = len(rising) - np.searchsorted(rising, words, side="right")
        near = np.minimum(np.searchsorted(rising, words, side="left"), len(rising) - 1)
        undecided = (rising[near] == words) | (words == 0)
        if len(rising) > 1:  # a threshold whose enclosure spans two words may be the next one
            before = np.maximum(near - 1, 0)
            undecided |= rising[before] + np.uint64(1) == words
        result = above.astype(np.int64)
        for k in np.flatnonzero(undecided).tolist():
            result[k] = self._by_more_bits(int(words[k]), source)
        return result

    def _by_more_bits(self, word: int, source: WordSource) -> int:
        """Read more bits of U until they tell which powers of alpha it is below."""
        p, q = self.alpha.numerator, self.alpha.denominator
        bits = WORD_BITS
        while True:
            word, bits = word << WORD_BITS | int(source(1)[0]), bits + WORD_BITS
            if not word:  # below every power so far
                continue
            unit = bits + GUARD_BITS
            low = high = 1 << unit
            below = not_above = 0
            floor, ceiling = word << GUARD_BITS, (word + 1) << GUARD_BITS
            while high > floor:
                low, high = low * p // q, -(-high * p // q)
                below += ceiling <= low
                not_above += floor < high
            if below == not_above:
                return below
