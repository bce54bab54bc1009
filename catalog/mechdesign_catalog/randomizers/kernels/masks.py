"""Masks that are linearly independent: draws of them, and a test for them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.randomizers.kernels.draws import uniform_below


def independent_masks(bits: int, count: int, users: int, words: WordSource) -> NDArray[np.int64]:
    """Draw for each user `count` linearly independent words of so many bits, all such rows as likely; (users, count).

    Words are drawn again, all together, until they are independent.
    """
    masks = np.empty((users, count), dtype=np.int64)
    left = np.arange(users)
    while len(left):
        drawn = uniform_below(1 << bits, len(left) * count, words).reshape(len(left), count)
        masks[left] = drawn
        left = left[~are_independent(drawn)]
    return masks


def are_independent(masks: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell of each row of words whether they are linearly independent: no exclusive or of some of them is 0.

    >>> are_independent(np.array([[1, 2, 3], [1, 2, 4]])).tolist()
    [False, True]
    """
    rest = [masks[:, place].astype(np.int64) for place in range(masks.shape[1])]
    found: NDArray[np.bool_] = rest[0] != 0
    for place, word in enumerate(rest[:-1]):
        lowest = word & -word
        for later in rest[place + 1 :]:
            later ^= np.where(later & lowest, word, 0)
        found &= rest[place + 1] != 0
    return found


def spans(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the exclusive or of each set of the masks of each user, by the sets' binary numbers: (2^count, users)."""
    sums = np.zeros((1 << masks.shape[1], len(masks)), dtype=np.int64)
    for place, mask in enumerate(masks.T):
        half = 1 << place
        np.bitwise_xor(sums[:half], mask, out=sums[half : 2 * half])
    return sums
