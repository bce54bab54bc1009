"""The workload of a matrix of weights."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.errors import InputError
from mechdesign.rational import Number, as_rational
from mechdesign.workloads.blocks import require_edges, require_size
from mechdesign.workloads.queries import LARGEST_WEIGHT, Floats, Integers, LinearQueries, fitting
from mechdesign.workloads.workload import Rows, Workload, require_items

MOST_WEIGHTS = 1 << 20
"""Numbers in the largest matrix."""

LONGEST_DENOMINATOR = 2048
"""Bits of the common denominator of all weights."""

MOST_PRODUCTS = 1 << 28
"""Products in the largest exact Gram matrix."""

DIGITS = 12
"""Hexadecimal digits of the digest in a name."""


@dataclass(frozen=True)
class MatrixWorkload(Workload):
    """The workload of the rows of a matrix of rational weights: `integers / denominator`, one column for each item.

    Two of them are equal if source and weights are.
    """

    k: int
    source: str
    digest: str
    integers: NDArray[Any] = field(repr=False, compare=False)
    denominator: int = field(repr=False, compare=False)

    @classmethod
    def of(cls, rows: Sequence[Sequence[Number]] | NDArray[Any], source: str = "matrix") -> "MatrixWorkload":
        """Make the workload from rows of numbers; floats count as their shortest decimals.

        Args:
            rows: the weights of each query, equally many.
            source: where they are from, the first part of the name.

        Raises:
            InputError: for no query, rows of different lengths, a query of zeros, too many weights, or a weight that is
                no number or too large.
        """
        plain = rows.tolist() if isinstance(rows, np.ndarray) else rows
        weights = [[as_rational(value, "weight") for value in row] for row in plain]
        _check(weights, source)
        denominator = _common_denominator(weights, source)
        integers = [[w.numerator * (denominator // w.denominator) for w in row] for row in weights]
        text = f"{denominator}\n" + "".join(",".join(map(str, row)) + "\n" for row in integers)
        digest = hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
        array = np.array(integers, dtype=object)
        array.flags.writeable = False
        return cls(len(weights[0]), source, digest, array, denominator)

    @property
    def name(self) -> str:
        """The source, `@`, and the first digits of the SHA-256 of its numbers."""
        return f"{self.source}@{self.digest}"

    @property
    def count(self) -> int:
        """One query for each row."""
        return len(self.integers)

    @cached_property
    def _floats(self) -> LinearQueries:
        return LinearQueries((self.integers / Fraction(self.denominator)).astype(np.float64))

    @cached_property
    def _exact(self) -> NDArray[Any]:
        """The integers, in 64 bits where every energy fits them."""
        largest = int(np.abs(self.integers).sum(axis=1).max())
        return self.integers.astype(np.int64) if self.count * largest**2 < 2**63 else self.integers

    def at(self, indexes: Integers) -> LinearQueries:
        """Return rows by their numbers."""
        return LinearQueries(self._floats.matrix[indexes])

    def gram_times(self, vector: Floats) -> Floats:
        """Return `W'W x`, in as many steps as the matrix has weights."""
        times: Floats = self._floats.matrix.T @ (self._floats.matrix @ fitting(vector, self.k))
        return times

    def _gram(self) -> Rows:
        if self.count * self.k**2 > MOST_PRODUCTS:
            raise InputError(f"weights must be fewer for an exact Gram matrix, got {self.count} x {self.k}")
        products = self._exact.T @ self._exact
        return [[Fraction(int(value), self.denominator**2) for value in row] for row in products]

    def block_energy(self, size: int) -> Fraction:
        """Return the energy over tiles, as a fraction."""
        return self._energy(np.arange(0, self.k, require_size(size)))

    def energy(self, edges: ArrayLike) -> Fraction:
        """Return the energy over any partition, as a fraction."""
        return self._energy(require_edges(self.k, edges)[:-1])

    def _energy(self, starts: Integers) -> Fraction:
        sums = np.add.reduceat(self._exact, starts, axis=1)
        return Fraction(int((sums * sums).sum()), self.denominator**2)


def _check(weights: list[list[Fraction]], source: str) -> None:
    if not weights or not weights[0]:
        raise InputError(f"workload must have a query, got none in {source}")
    width = len(weights[0])
    require_items(width)
    if len(weights) * width > MOST_WEIGHTS:
        raise InputError(f"workload must have at most {MOST_WEIGHTS} weights, got {len(weights)} x {width} in {source}")
    for number, row in enumerate(weights, start=1):
        if len(row) != width:
            raise InputError(
                f"queries must have {width} weights like the first, got {len(row)} in row {number} of {source}"
            )
        if not any(row):
            raise InputError(f"a query must weigh some item, got zeros alone in row {number} of {source}")
        if max(map(abs, row)) > LARGEST_WEIGHT:
            raise InputError(f"weights must be at most 1e100 in size, got a larger one in row {number} of {source}")


def _common_denominator(weights: list[list[Fraction]], source: str) -> int:
    common = 1
    for denominator in {value.denominator for row in weights for value in row}:
        common = math.lcm(common, denominator)
        if common.bit_length() > LONGEST_DENOMINATOR:
            raise InputError(
                f"weights must have a common denominator of at most {LONGEST_DENOMINATOR} bits, got more in {source}; "
                "round them"
            )
    return common
