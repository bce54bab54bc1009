"""The workload of all cells of all marginal tables of so many attributes."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import comb, isqrt, prod

import numpy as np
from numpy.typing import ArrayLike

from mechdesign.errors import InputError, shorten
from mechdesign.workloads.agreements import agreements_in_blocks, expanded, times
from mechdesign.workloads.blocks import require_edges, require_size
from mechdesign.workloads.cells import Cells, Domains
from mechdesign.workloads.queries import Floats, Integers, fitting
from mechdesign.workloads.workload import Rows, Workload

MOST_ATTRIBUTES = 1000
MOST_CELLS = 1 << 62
MOST_TILES = 1 << 22
"""Tiles that are gone through one by one, where they do not cut the attributes evenly."""

ROOT_BITS = 60
"""Binary places of a root."""

FORM = "marginals:K:R1,R2,.."
"""How the workload is asked for: K attributes at a time, and the number of items of each attribute."""


@dataclass(frozen=True)
class Marginals(Workload):
    """The workload of all cells of the marginal tables of any `way` of d attributes.

    Items are the tuples of the attributes, the last one changing fastest; k is the product of `domains`, and may be too
    large for any vector. Queries are ordered by tables, these lexicographically by their attributes, then by cells.

    Two tuples that agree in a attributes are together in `C(a, way)` cells: that is the entry of `W'W`.

    Raises:
        InputError: for an attribute with less than two items, a way that is not in 1..d, or too many cells to number.
    """

    domains: Domains
    way: int
    k: int = field(init=False)

    def __post_init__(self) -> None:
        """Check the attributes and the way."""
        for number, items in enumerate(self.domains, start=1):
            if isinstance(items, bool) or not isinstance(items, int) or items < 2:
                raise InputError(f"an attribute must have at least 2 items, got {items} for attribute {number}")
        d = len(self.domains)
        if isinstance(self.way, bool) or not isinstance(self.way, int) or not 1 <= self.way <= d:
            raise InputError(f"marginals:K must have K from 1 to the number of attributes, {d}, got K={self.way}")
        object.__setattr__(self, "k", prod(self.domains))
        if max(map(max, self._cells_from)) > MOST_CELLS:
            raise InputError(f"marginals must have at most 2^62 cells, got {self.way} of {d} attributes at a time")

    @property
    def name(self) -> str:
        """The text `marginals:K:R1,R2,..`."""
        return f"marginals:{self.way}:{','.join(map(str, self.domains))}"

    @cached_property
    def _cells_from(self) -> list[list[int]]:
        """Count the cells of tables of m of the attributes i, i+1, .., d-1, by m = 0..way and i = 0..d.

        These are elementary symmetric polynomials of the domains.
        """
        d = len(self.domains)
        counts = [[1] * (d + 1)]
        for below in range(self.way):
            row = [0] * (d + 1)
            for i in reversed(range(d)):
                row[i] = row[i + 1] + self.domains[i] * counts[below][i + 1]
            counts.append(row)
        return counts

    @property
    def count(self) -> int:
        """One query for each cell."""
        return self._cells_from[self.way][0]

    @property
    def table_sizes(self) -> list[int]:
        """The numbers of cells that tables have, each once, rising."""
        sizes: list[set[int]] = [{1}, *(set() for _ in range(self.way))]
        for items in self.domains:
            for more in range(self.way, 0, -1):
                sizes[more] |= {items * size for size in sizes[more - 1]}
        return sorted(sizes[self.way])

    def at(self, indexes: Integers) -> Cells:
        """Return cells by their numbers: a table's attributes are found one after the other.

        Of the tables that begin alike and go on with one of the attributes from i on, the cells are `_cells_from[m][i]`
        for each of the cells that the attributes before have together.
        """
        domains = np.array(self.domains, dtype=np.int64)
        rest = np.array(indexes, dtype=np.int64)
        together, next_, attributes = np.ones_like(rest), np.zeros_like(rest), []
        for m in range(self.way, 0, -1):
            before = self.count_of(m) - np.array(self._cells_from[m], dtype=np.int64)
            attribute = np.searchsorted(before, rest // together + before[next_], side="right") - 1
            rest -= together * (before[attribute] - before[next_])
            together, next_ = together * domains[attribute], attribute + 1
            attributes.append(attribute)
        return Cells(self.domains, np.stack(attributes, axis=1), rest)

    def count_of(self, m: int) -> int:
        """Count the cells of all tables of m attributes, m up to `way`."""
        return self._cells_from[m][0]

    def gram_times(self, vector: Floats) -> Floats:
        """Return `W'W x` in about `2 d way k` steps.

        `W'W` is the sum over tables of Kronecker products: the identity for each attribute of the table, ones for each
        other. Attribute by attribute, `sums[m]` adds up those that have m of the attributes so far in the table.
        """
        values = fitting(vector, self.k)
        sums: dict[int, Floats] = {0: values}
        for i, items in enumerate(self.domains):
            left = len(self.domains) - i - 1
            wanted = range(max(0, self.way - left), min(self.way, i + 1) + 1)
            sums = {m: self._with_attribute(sums, m, (-1, items, prod(self.domains[i + 1 :]))) for m in wanted}
        return sums[self.way]

    def _with_attribute(self, sums: dict[int, Floats], m: int, shape: tuple[int, int, int]) -> Floats:
        if m not in sums:
            return sums[m - 1]
        table = sums[m].reshape(shape)
        added = np.broadcast_to(table.sum(axis=1, keepdims=True), table.shape).reshape(-1)
        return added + sums[m - 1] if m - 1 in sums else added

    def _gram(self) -> Rows:
        tuples = np.indices(self.domains).reshape(len(self.domains), -1)
        agreeing = (tuples[:, :, None] == tuples[:, None, :]).sum(axis=0)
        entries: Rows = np.array([comb(a, self.way) for a in range(len(self.domains) + 1)])[agreeing].tolist()
        return entries

    def singular_sum_square(self) -> Fraction | None:
        """Return it for attributes of two items each: `C(d, j)` times the root of `k 2^-way C(d-j, way-j)`, j = 1..way.

        These are the products of j attributes' signs.
        """
        if set(self.domains) != {2}:
            return None
        d, way = len(self.domains), self.way
        squares = ((self.k >> way) * comb(d - j, way - j) for j in range(1, way + 1))
        roots = sum(comb(d, j) * isqrt(square << 2 * ROOT_BITS) for j, square in enumerate(squares, start=1))
        return Fraction(roots * roots, 1 << 2 * ROOT_BITS)

    def block_energy(self, size: int) -> int:
        """Return the energy over tiles, in a number of steps that does not grow with k where they are even.

        Even tiles hold all items of the last attributes, and for the attribute before them an even part of its items.

        Raises:
            InputError: for a size that is no whole number of at least 1, or that needs more than `MOST_TILES` uneven
                tiles.
        """
        size = min(require_size(size), self.k)
        cut, tuples = len(self.domains), 1
        while cut and size % (tuples * self.domains[cut - 1]) == 0:
            cut -= 1
            tuples *= self.domains[cut]
        front, back = self.domains[:cut], self.domains[cut:]
        energy = expanded(self.way, [(items * items, items) for items in back])
        width = size // tuples
        if not front:
            return energy[self.way]
        if front[-1] % width == 0:
            pieces = front[-1] // width
            for factor in [(pieces * width * width, pieces * width), *((items, items) for items in front[:-1])]:
                energy = times(energy, *factor)
            return energy[self.way]
        starts = range(0, prod(front), width)
        if len(starts) > MOST_TILES:
            raise InputError(
                f"size must cut the items into at most {MOST_TILES} tiles, or attributes evenly, got size={size}"
            )
        uneven = agreements_in_blocks(front, self.way, [*starts, prod(front)])
        return sum(uneven[m] * energy[self.way - m] for m in range(self.way + 1))

    def energy(self, edges: ArrayLike) -> int:
        """Return the energy over any partition, block by block."""
        at = require_edges(self.k, edges)
        return agreements_in_blocks(self.domains, self.way, at.tolist())[self.way]


def parse_attributes(text: str) -> Domains:
    """Parse how many items each attribute has, `3,4,2`; a single number is that of attributes with two items each.

    Raises:
        InputError: for another text, or more attributes than 1000.

    >>> parse_attributes("3"), parse_attributes("3,4,2")
    ((2, 2, 2), (3, 4, 2))
    """
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and word.isascii() and len(word) <= 13 for word in words):
        raise InputError(f"attributes must be whole numbers with commas between them, got {shorten(text) or 'none'}")
    sizes = tuple(map(int, words))
    count = len(sizes) if len(sizes) > 1 else sizes[0]
    if not 1 <= count <= MOST_ATTRIBUTES:
        raise InputError(f"attributes must be 1 to {MOST_ATTRIBUTES}, got {count}")
    return sizes if len(sizes) > 1 else (2,) * count


def marginals_on(domains: Domains, text: str) -> Marginals:
    """Make the workload `marginals:K` on these attributes; the text may name them again.

    Raises:
        InputError: for another workload, or other attributes.
    """
    word, _, rest = text.strip().lower().partition(":")
    if word.strip() != "marginals":
        raise InputError(f"attributes go with the workload marginals:K, got workload={shorten(text)}")
    way, colon, _ = rest.partition(":")
    if colon:
        named = parse_marginals(rest, prod(domains))
        if named.domains != domains:
            raise InputError(
                f"attributes must be those of the workload, {named.name}, got {','.join(map(str, domains))}"
            )
    return Marginals(domains, _whole(way, rest))


def parse_marginals(text: str, k: int) -> Marginals:
    """Parse `K:R1,R2,..`, or `K` for attributes with two items each.

    Raises:
        InputError: for another text, or attributes that do not have k tuples.
    """
    way, colon, listed = text.partition(":")
    if not colon:
        if k < 2 or k & (k - 1):
            raise InputError(f"{FORM} must say how many items each attribute has unless all have 2, got k={k}")
        return Marginals((2,) * (k.bit_length() - 1), _whole(way, text))
    domains = tuple(_whole(part, text) for part in listed.split(","))
    if prod(domains) != k:
        raise InputError(f"{FORM} must have attributes with k = {k} tuples, got {prod(domains)} of {shorten(listed)}")
    return Marginals(domains, _whole(way, text))


def _whole(word: str, text: str) -> int:
    digits = word.strip()
    if not (digits.isdecimal() and digits.isascii() and len(digits) <= 18):
        raise InputError(f"{FORM} must have whole numbers, got workload=marginals:{shorten(text)}")
    return int(digits)
