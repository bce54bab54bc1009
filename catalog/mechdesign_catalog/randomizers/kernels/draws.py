"""Exact draws from uniform bits: rational probabilities at the cost of floats, no leaks.

Every function takes a source of random words (`mechdesign.mechanism.sampling`): the operating system's for real
reports, a seeded one for simulation.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import Words, WordSource

Bits = NDArray[np.bool_]

BLOCK = 1 << 20
"""Bytes handled at once: they stay in the processor's cache."""

WORD = 1 << 64


def random_bytes(count: int, words: WordSource) -> NDArray[np.uint8]:
    """Draw so many independent uniform bytes: those of the words, each from its lowest byte on, on every machine."""
    return words((count + 7) // 8).astype("<u8", copy=False).view(np.uint8)[:count]


def bernoulli(probability: Fraction, count: int, words: WordSource) -> Bits:
    """Draw `count` independent bits, each true with exactly this probability.

    A uniform real U has the base-256 digits that random bytes are; a bit is `U < probability`. One byte decides unless
    it equals the probability's own digit, one time in 256: then the rest of U is compared with the rest of it.

    Raises:
        InputError: for a probability that is not in [0, 1].
    """
    if not 0 <= probability <= 1:
        raise InputError(f"probability must be in [0, 1], got {probability}")
    if probability in (0, 1):
        return np.full(count, probability == 1, dtype=np.bool_)
    digit, rest = divmod(probability * 256, 1)
    result = np.empty(count, dtype=np.bool_)
    for start in range(0, count, BLOCK):
        drawn = random_bytes(min(BLOCK, count - start), words)
        block = result[start : start + len(drawn)]
        np.less(drawn, np.uint8(digit), out=block)
        if rest:
            ties = np.flatnonzero(drawn == np.uint8(digit))
            block[ties] = bernoulli(rest, len(ties), words)
    return result


def uniform_below(bound: int, count: int, words: WordSource) -> NDArray[np.int64]:
    """Draw `count` independent integers, uniform on 0..bound-1 exactly.

    The remainder of a uniform word, where words above the largest multiple of `bound` are drawn again.

    Raises:
        InputError: for a bound that is not in 1..2^63.
    """
    if not 1 <= bound <= 1 << 63:
        raise InputError(f"bound must be in 1..2^63, got {bound}")
    drawn = words(count)
    if bound & (bound - 1) == 0:
        return (drawn & np.uint64(bound - 1)).astype(np.int64)
    limit = np.uint64(WORD // bound * bound - 1)
    rejected = np.flatnonzero(drawn > limit)
    if len(rejected):
        drawn = drawn.copy()  # the operating system's are read only
    while len(rejected):
        drawn[rejected] = words(len(rejected))
        rejected = rejected[drawn[rejected] > limit]
    return (drawn % np.uint64(bound)).astype(np.int64)


def randomised_response(
    values: NDArray[np.int64], outcomes: int, kept: Fraction, words: WordSource
) -> NDArray[np.int64]:
    """Keep each value in 0..outcomes-1 with probability `kept`, else draw one of the others, each as likely."""
    keep = bernoulli(kept, len(values), words)
    if outcomes == 2:
        return np.where(keep, values, 1 - values)
    others = uniform_below(outcomes - 1, len(values), words)
    others += others >= values
    return np.where(keep, values, others)


def bits_for(outcomes: int) -> int:
    """Return the number of bits that tell so many outcomes apart."""
    return math.ceil(math.log2(outcomes)) if outcomes > 1 else 0


def words_of(generator: np.random.Generator) -> WordSource:
    """Take random words from a generator, for simulation."""

    def words(count: int) -> Words:
        return generator.integers(0, 2**64, size=count, dtype=np.uint64)

    return words
