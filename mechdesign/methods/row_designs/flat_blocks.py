"""Flat blocks: few sets of n of k items that hold every two items equally often.

They are shifts of a few base blocks.

Subset selection needs no more of its sets than that: then A is a number across the constants. In a commutative group
on the items, all shifts of a block hold the items u and u + t as often as t is a difference in the block. So base
blocks with weights serve where the weighted count of every difference but 0 is the same: a weighted difference family.
Blocks that an automorphism of the group leaves alone have equal counts along its orbits: that leaves few equations.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray
from scipy.optimize import linprog

from mechdesign.errors import NotCertifiedError
from mechdesign.methods.row_designs.programme import Bits

Places = NDArray[np.int64]

SEED = 20
TRIES = 2
"""Times that blocks are drawn for one automorphism."""

MOST_DRAWS = 6
"""Draws for each block that is wanted."""


@dataclass(frozen=True, eq=False)
class ItemGroup:
    """A commutative group on k items, of which item 0 is the neutral one.

    Attributes:
        sums: item `u + t` in row t and column u, shape (k, k).
        automorphisms: permutations of the items that respect sums, each standing for its powers; shape (k,).
    """

    sums: Places
    automorphisms: tuple[Places, ...]

    @classmethod
    def cyclic(cls, k: int) -> "ItemGroup":
        """Return the group of the remainders modulo k."""
        items = np.arange(k)
        units = [g for g in range(1, k) if gcd(g, k) == 1] or [1]
        return cls((items[:, None] + items) % k, tuple(items * g % k for g in units))

    @classmethod
    def flips(cls, d: int) -> "ItemGroup":
        """Return the group of the flips of d attributes of two items each: sums are without carry.

        Its automorphisms are multiplication in the field of 2^d elements, and squaring there.
        """
        items = np.arange(1 << d)
        powers = np.array(_powers(d))
        exponents = np.arange(len(powers))
        maps = []
        for images in [*(exponents + i for i in exponents), 2 * exponents]:
            map_ = np.zeros_like(items)
            map_[powers] = powers[images % len(powers)]
            maps.append(map_)
        return cls(items[:, None] ^ items, tuple(maps))

    @property
    def k(self) -> int:
        """Number of items."""
        return len(self.sums)

    def differences(self, blocks: Bits) -> Places:
        """Count how often each item but 0 is a difference in each block, shape (blocks, k-1)."""
        counts = [(blocks * blocks[:, shift]).sum(axis=1, dtype=np.int64) for shift in self.sums[1:]]
        return np.stack(counts, axis=1)


def flat_rows(group: ItemGroup, size: int) -> tuple[Bits, list[int]]:
    """Return different sets of so many items, with whole weights, that hold every two items equally often.

    The sets are shifts of base blocks with equal weights; automorphisms are tried from that of the longest orbits on.

    Args:
        group: of the items.
        size: n, in 1..k-1.

    Returns:
        The sets as rows of zeros and ones, shape (m, k), and the weight of each.

    Raises:
        NotCertifiedError: where chance finds none.
    """
    orbits = sorted((_orbits(map_) for map_ in group.automorphisms), key=len)
    for partition in _different(orbits):
        generator = np.random.default_rng(SEED)
        for _ in range(TRIES):
            blocks = _unions(partition, size, 4 * len(partition) + 20, group.k, generator)
            weights = _flattening(group.differences(blocks), [orbit[0] - 1 for orbit in partition[1:]])
            if weights is not None:
                return _shifted(group, blocks, weights)
    raise NotCertifiedError(f"no few sets of {size} of {group.k} items were found that hold every two equally often")


def _orbits(map_: Places) -> list[list[int]]:
    """Return the orbits of the powers of a permutation, that of item 0 first."""
    left, found = set(range(len(map_))), []
    while left:
        u = min(left)
        orbit = []
        while u in left:
            left.discard(u)
            orbit.append(u)
            u = int(map_[u])
        found.append(orbit)
    return found


def _different(partitions: list[list[list[int]]]) -> Iterator[list[list[int]]]:
    seen = set()
    for partition in partitions:
        key = tuple(sorted(tuple(sorted(orbit)) for orbit in partition))
        if key not in seen:
            seen.add(key)
            yield partition


def _unions(partition: list[list[int]], size: int, wanted: int, k: int, generator: np.random.Generator) -> Bits:
    """Draw different unions of orbits that have so many items, as rows of zeros and ones."""
    found: dict[bytes, Bits] = {}
    for _ in range(MOST_DRAWS * wanted):
        row = np.zeros(k, dtype=np.uint8)
        left = size
        for number in generator.permutation(len(partition)).tolist():
            orbit = partition[number]
            if len(orbit) <= left:
                row[orbit] = 1
                left -= len(orbit)
        if left == 0:
            found.setdefault(row.tobytes(), row)
        if len(found) == wanted:
            break
    return np.array(list(found.values()), dtype=np.uint8).reshape(-1, k)


def _flattening(counts: Places, columns: Sequence[int]) -> dict[int, int] | None:
    """Return whole weights above 0 of some blocks for which the weighted counts of all differences are equal, or None.

    A corner of the polytope of all such weights has few blocks; its weights span the kernel of their integer equations.
    """
    if not len(counts):
        return None
    uneven = counts.shape[1] * counts[:, columns] - counts.sum(axis=1, keepdims=True)
    flat = np.flatnonzero(~uneven.any(axis=1))
    if len(flat):
        return {int(flat[0]): 1}
    system = np.vstack([uneven.T / max(1, np.abs(uneven).max()), np.ones(len(uneven))])
    right = np.append(np.zeros(len(columns)), 1.0)
    corner = linprog(np.arange(len(uneven)) % 7, A_eq=system, b_eq=right, bounds=(0, None), method="highs-ds")
    if not corner.success:
        return None
    chosen = np.flatnonzero(corner.x > 1e-9).tolist()
    basis, nullity = fmpz_mat(uneven[chosen].T.tolist()).nullspace()
    vector = [int(basis[i, 0]) for i in range(len(chosen))]
    if nullity != 1 or not (min(vector) > 0 or max(vector) < 0):
        return None
    common = gcd(*vector)
    return {block: abs(value) // common for block, value in zip(chosen, vector, strict=True)}


def _shifted(group: ItemGroup, blocks: Bits, weights: dict[int, int]) -> tuple[Bits, list[int]]:
    """Return all shifts of the blocks, each set once, with the sum of its weights."""
    found: dict[bytes, int] = {}
    for block, weight in weights.items():
        for shift in group.sums:
            row = blocks[block][shift].tobytes()
            found[row] = found.get(row, 0) + weight
    rows = np.frombuffer(b"".join(found), dtype=np.uint8).reshape(len(found), group.k)
    common = gcd(*found.values())
    return rows, [weight // common for weight in found.values()]


def _powers(d: int) -> list[int]:
    """Return the powers 1, x, x^2, .. of a generator of the field of 2^d elements, 2^d - 1 of them."""
    for low in range(1, 1 << d, 2):
        found = [1]
        while len(found) == 1 or found[-1] != 1:
            doubled = found[-1] << 1
            found.append(doubled ^ (1 << d | low) if doubled >> d else doubled)
        if len(found) == 1 << d:
            return found[:-1]
    raise ValueError(f"no field has 2^{d} elements")
