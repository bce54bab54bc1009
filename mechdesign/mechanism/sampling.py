"""Exact sampling: one noisy output for each true count, by the integer matrix itself.

For one input let `C_i` be the cumulative weights and `D` the denominator. A uniform real U in [0, 1) gives output i
when `C_(i-1) <= U D < C_i`. The first b bits of U are one random word w, so U lies in `[w, w+1) / 2^b`, and w decides
unless a threshold `C_i / D` falls strictly inside that cell. Thresholds `floor(2^b C_i / D)` make that one binary
search for each draw; only an undecided word draws more bits. The result is exact for any D.

Random words come from the operating system. A seeded source exists for simulation and for nothing else.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError, shorten
from mechdesign.problem.neighbours import Weights

Words = NDArray[np.uint64]
WordSource = Callable[[int], Words]
"""`source(count)` gives that many independent uniform 64-bit words."""

WORD_BITS = 64
UNDECIDED = -1


LARGEST_SEED = (1 << 128) - 1
"""The largest seed that files of simulations state."""


def system_words(count: int) -> Words:
    """Draw words from the operating system's generator: the only source for releases."""
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def seeded_words(seed: int | Sequence[int]) -> WordSource:
    """Draw reproducible words for simulation; they protect nobody. Several numbers make a stream of their own."""
    if isinstance(seed, int) and not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"seed must be a whole number of at least 0, below 2^128, got seed={shorten(seed)}")
    generator = np.random.default_rng(seed)

    def words(count: int) -> Words:
        return generator.integers(0, 2**64, size=count, dtype=np.uint64)

    return words


def counts_in_groups(
    sizes: NDArray[np.int64] | Iterable[int], counts: NDArray[np.int64] | Iterable[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sizes of groups and true counts as arrays of one length.

    Raises:
        InputError: for different lengths, or a count outside its group.
    """
    n, j = (np.asarray(values, dtype=np.int64) for values in (sizes, counts))
    if n.shape != j.shape or n.ndim != 1:
        raise InputError(f"sizes and counts must be two lists of one length, got {n.shape} and {j.shape}")
    if (j < 0).any() or (j > n).any():
        raise InputError("counts must be in 0..n, got one outside its group")
    return n, j


class ColumnSampler:
    """A sampler of outputs for one input; `weights[i] / denominator` is the chance of i.

    `word_bits` is 64; a smaller word lets a test enumerate every word.
    """

    def __init__(self, weights: list[int], denominator: int, word_bits: int = WORD_BITS) -> None:
        self.denominator = denominator
        self.word_bits = word_bits
        self.outputs = np.array([i for i, weight in enumerate(weights) if weight], dtype=np.int64)
        self.cumulative = np.cumsum(np.array([w for w in weights if w], dtype=object))[:-1].tolist()
        scaled = [c << word_bits for c in self.cumulative]
        self.thresholds = np.array([value // denominator for value in scaled], dtype=np.uint64)
        self.inside_cell = np.array([value % denominator != 0 for value in scaled], dtype=bool)

    def decide(self, words: Words) -> NDArray[np.int64]:
        """Find the output for each word, `UNDECIDED` where a threshold falls strictly inside the word's cell."""
        position = np.searchsorted(self.thresholds, words, side="right")
        result = self.outputs[position]
        last = np.maximum(position - 1, 0)
        if len(self.thresholds):
            result[(position > 0) & (self.thresholds[last] == words) & self.inside_cell[last]] = UNDECIDED
        return result

    def draw(self, source: WordSource, count: int) -> NDArray[np.int64]:
        """Draw `count` independent outputs."""
        words = source(count)
        result = self.decide(words)
        for k in np.flatnonzero(result == UNDECIDED):
            result[k] = self.decide_by_more_bits(int(words[k]), source)
        return result

    def decide_by_more_bits(self, word: int, source: WordSource) -> int:
        """Read more bits of U until they tell on which side of the thresholds it lies."""
        bits = self.word_bits
        while True:
            word, bits = (word << WORD_BITS) | int(source(1)[0]), bits + WORD_BITS
            below = sum((c << bits) <= word * self.denominator for c in self.cumulative)
            not_above = sum((c << bits) < (word + 1) * self.denominator for c in self.cumulative)
            if below == not_above:
                return int(self.outputs[below])


class Sampler:
    """A sampler of outputs for arrays of inputs, by the columns of `weights / denominator`.

    Column j has the probabilities for input j.
    """

    def __init__(self, weights: Weights, denominator: int, source: WordSource | None = None) -> None:
        self.n_inputs = len(weights[0])
        self.source = source or system_words
        self._column = cache(lambda j: ColumnSampler([row[j] for row in weights], denominator))

    def sample(self, inputs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Draw one independent output for each entry of `inputs` (integers in 0 .. n_inputs-1), in the same shape."""
        if inputs.size == 0:
            return np.empty(inputs.shape, dtype=np.int64)
        if not np.issubdtype(inputs.dtype, np.integer):
            raise InputError(f"counts must be integers, got {inputs.dtype}")
        if inputs.min() < 0 or inputs.max() >= self.n_inputs:
            wrong = inputs[(inputs < 0) | (inputs >= self.n_inputs)].flat[0]
            raise InputError(f"counts must be in 0..{self.n_inputs - 1}, got {wrong}")
        flat = inputs.ravel()
        result = np.empty(flat.shape, dtype=np.int64)
        for j in np.flatnonzero(np.bincount(flat, minlength=self.n_inputs)).tolist():
            where = np.flatnonzero(flat == j)
            result[where] = self._column(j).draw(self.source, len(where))
        return result.reshape(inputs.shape)
