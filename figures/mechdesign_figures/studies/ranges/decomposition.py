"""B-adic intervals: a range cut into the fewest nodes of a tree.

Definitions and facts are those of the chapter.
"""

from collections.abc import Iterator

import numpy as np

from mechdesign_catalog.randomizers.reports.probabilities import Floats


def parts(first: int, last: int, b: int) -> Iterator[tuple[int, int]]:
    """List the fewest intervals `[i m, (i+1) m - 1]`, m a power of b, that make up a range, left to right.

    >>> list(parts(2, 22, 2))
    [(2, 3), (4, 7), (8, 15), (16, 19), (20, 21), (22, 22)]
    """
    start, end = first, last + 1
    while start < end:
        size = 1
        while start % (size * b) == 0 and start + size * b <= end:
            size *= b
        yield start, start + size - 1
        start += size


def node_counts(k: int, b: int, length: int) -> Floats:
    """Count the nodes of every range of so many of k items, level by level; k is a power of b.

    The whole needs none, since the root is known.

    Returns:
        Shape (levels, ranges): the first row counts leaves, a column is a range in the order of its beginning.
    """
    start = np.arange(k - length + 1)
    end = start + length
    counts = []
    for _ in range(round(np.log(k) / np.log(b))):
        outer, inner = -(-start // b), end // b
        fits = outer < inner
        counts.append(np.where(fits, outer * b - start + end - inner * b, end - start))
        start, end = np.where(fits, outer, 0), np.where(fits, inner, 0)
    return np.array(counts, dtype=np.float64)
