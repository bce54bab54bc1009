"""Kinds of rows on tuples of attributes of two items: functions of few attributes.

Their images by symmetry come with them.

A row is a function from k = 2^d tuples to {0, 1}. A kind is what flips and permutations of attributes make of one
function. All that the variance of a mixture of whole kinds depends on is how many tuples have a 1, and the weight of
the function on each level, `W_j = sum_{|S|=j} (Walsh sum on S)^2 / k^2`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, combinations, product
from math import comb, factorial, prod

import numpy as np
from numpy.typing import NDArray

from mechdesign.certificate.by_levels import walsh_sums
from mechdesign.methods.row_designs.programme import Bits
from mechdesign.workloads.queries import Floats

MOST_ATTRIBUTES = 4
"""Of the functions that are all looked at, 65534 of them."""

MOST_WORDS = 3
"""Parity checks of the flats that are looked at beside these."""


@dataclass(frozen=True)
class Kind:
    """A kind of rows by one of its functions, which depends on each of its q attributes.

    Attributes:
        cells: the function's values on the 2^q tuples, the last attribute changing fastest.
        weights: its weights on the levels 1..q, in units of 4^-q; numbers of tuples are in units of 2^-q.
        copies: the number of functions of the kind on the same attributes; None where they are counted by listing them.
    """

    cells: bytes
    weights: tuple[int, ...]
    copies: int | None = None

    @property
    def attributes(self) -> int:
        """q, the number of attributes that it depends on."""
        return len(self.weights)

    @property
    def share(self) -> float:
        """The part of the tuples that have a 1."""
        return sum(self.cells) / len(self.cells)

    def level_weights(self, levels: int) -> Floats:
        """Return W_1, .., W_levels as floats."""
        found = np.zeros(levels)
        some = self.weights[:levels]
        found[: len(some)] = np.array(some) / 4.0**self.attributes
        return found

    @cached_property
    def functions(self) -> tuple[bytes, ...]:
        """All functions of the kind on the same attributes, in a fixed order."""
        found = {self.cells}
        new = [self.cells]
        while new:
            last = np.frombuffer(b"".join(new), dtype=np.uint8).reshape(-1, *(2,) * self.attributes)
            moved = [np.flip(last, axis) for axis in range(1, last.ndim)]
            moved += [np.swapaxes(last, axis, axis + 1) for axis in range(1, last.ndim - 1)]
            reached = {row.tobytes() for images in moved for row in images}
            new = sorted(reached - found)
            found |= reached
        return tuple(sorted(found))

    def count(self, d: int) -> int:
        """Count the rows of this kind on d attributes."""
        return (self.copies or len(self.functions)) * comb(d, self.attributes)

    def rows(self, d: int) -> Bits:
        """Return all rows of this kind on d attributes, shape (count, 2^d)."""
        tuples = np.arange(1 << d)
        functions = np.frombuffer(b"".join(self.functions), dtype=np.uint8).reshape(len(self.functions), -1)
        found = []
        for chosen in combinations(range(d), self.attributes):
            cell = sum((tuples >> (d - 1 - a) & 1) << (self.attributes - 1 - i) for i, a in enumerate(chosen))
            found.append(functions[:, cell])
        return np.concatenate(found)


def kinds_of_rows(d: int, most: int) -> list[Kind]:
    """List kinds on d attributes, one for each set of weights: all functions of up to 4 attributes, balls and flats.

    Args:
        d: number of attributes.
        most: kinds of more rows are left out.
    """
    kinds: dict[tuple[float, ...], Kind] = {}
    for kind in chain(_functions(min(d, MOST_ATTRIBUTES)), balls(d, most), flats(d, most)):
        kinds.setdefault((kind.share, *kind.level_weights(d)), kind)
    return [kind for kind in kinds.values() if kind.count(d) <= most]


def balls(d: int, most: int) -> Iterator[Kind]:
    """List balls: the tuples that differ from one in at most t of q attributes; and such a ball with the opposite one.

    Where epsilon is large, rows of few ones tell most. A ball of radius 0 asks if q attributes are as in one tuple.
    """
    for q in range(MOST_ATTRIBUTES + 1, d + 1):
        distances = np.array([u.bit_count() for u in range(1 << q)])
        for radius in range((q + 1) // 2):
            ball = distances <= radius
            for cells, centres in ((ball, 1 << q), (ball | (distances >= q - radius), 1 << (q - 1))):
                if centres * comb(d, q) <= most and not cells.all():
                    yield _kind_of(cells.astype(np.uint8), centres)


def flats(d: int, most: int) -> Iterator[Kind]:
    """List the sets of tuples that pass up to three parity checks, up to permutations, where at most so many rows.

    The checks are independent sets of attributes; what counts is how many attributes are in the same of them. A flat of
    c checks has 2^-c of the tuples, and the weight 4^-c on each of the 2^c - 1 sums of checks.
    """
    for checks in range(1, MOST_WORDS + 1):
        patterns = range(1, 1 << checks)
        maps = _permutations_by_sums(checks)
        seen = set()
        for sizes in _sizes(len(patterns), d, ()):
            q = sum(sizes)
            lengths = [
                sum(n for n, v in zip(sizes, patterns, strict=True) if (v & w).bit_count() % 2) for w in patterns
            ]
            if not all(lengths) or tuple(sorted(lengths)) in seen:
                continue
            seen.add(tuple(sorted(lengths)))
            same = sum(all(sizes[image[i]] == sizes[i] for i in range(len(sizes))) for image in maps)
            copies = (factorial(q) // prod(map(factorial, sizes)) << checks) // same
            if copies * comb(d, q) <= most:
                yield _flat(checks, sizes, lengths, copies)


def _sizes(parts: int, most: int, before: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield how many attributes, at most so many, have each pattern 1, 2, .., up to a change of the checks.

    Checks can be changed so that pattern 1 is the commonest, pattern 2 of the others, 4 of those that are no sums of 1
    and 2, and so on: every pattern is at most as common as the last power of two before it.
    """
    if len(before) == parts:
        yield before
        return
    last = 1 << (len(before).bit_length() - 1) if before else 0
    left = most - sum(before)
    for size in range((min(left, before[last - 1]) if last else left) + 1):
        yield from _sizes(parts, most, (*before, size))


def _permutations_by_sums(checks: int) -> list[list[int]]:
    """Return how each change of the checks to other independent sums permutes the patterns 1, .., 2^c - 1."""
    found = []
    for rows in product(range(1, 1 << checks), repeat=checks):
        image = [sum(((v & row).bit_count() % 2) << i for i, row in enumerate(rows)) for v in range(1, 1 << checks)]
        if len(set(image)) == len(image) and 0 not in image:
            found.append([value - 1 for value in image])
    return found


def _flat(checks: int, sizes: tuple[int, ...], lengths: list[int], copies: int) -> Kind:
    patterns = [v for v, n in enumerate(sizes, start=1) for _ in range(n)]
    q = len(patterns)
    tuples = np.arange(1 << q)
    sums = np.zeros(1 << q, dtype=np.int64)
    for i, pattern in enumerate(patterns):
        sums ^= (tuples >> (q - 1 - i) & 1) * pattern
    weights = tuple(lengths.count(j) * 4 ** (q - checks) for j in range(1, q + 1))
    return Kind((sums == 0).astype(np.uint8).tobytes(), weights, copies)


@cache
def _functions(attributes: int) -> tuple[Kind, ...]:
    """Return a function for each set of weights on levels, of as few attributes as serve."""
    found: dict[tuple[int, ...], Kind] = {}
    for q in range(1, attributes + 1):
        numbers = np.arange(1, (1 << (1 << q)) - 1, dtype=np.uint32)
        cells = (numbers[:, None] >> np.arange(1 << q, dtype=np.uint32) & 1).astype(np.uint8)
        squares = _level_sums(walsh_sums(cells) ** 2)
        _, first = np.unique(squares, axis=0, return_index=True)
        scale = 4 ** (attributes - q)
        for row in np.sort(first).tolist():
            weights = tuple(squares[row].tolist())
            kind = Kind(cells[row].tobytes(), weights[1:])
            found.setdefault(tuple(scale * w for w in weights) + (0,) * (attributes - q), kind)
    return tuple(found.values())


def _kind_of(cells: Bits, copies: int) -> Kind:
    """Return the kind of a function that depends on each of its attributes."""
    return Kind(cells.tobytes(), tuple(_level_sums(walsh_sums(cells[None]) ** 2)[0, 1:].tolist()), copies)


def _level_sums(squares: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add up squared Walsh sums by levels 0..q, shape (m, q+1)."""
    sizes = np.array([s.bit_count() for s in range(squares.shape[1])])
    return np.stack([squares[:, sizes == j].sum(axis=1) for j in range(int(sizes[-1]) + 1)], axis=1)
