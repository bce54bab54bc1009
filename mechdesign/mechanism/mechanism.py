"""The mechanism: a column-stochastic matrix of integers over one denominator."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.arguments import LongWhole, checked
from mechdesign.errors import InputError, quote
from mechdesign.mechanism.notebook import heat_table, one_line, page
from mechdesign.mechanism.sampling import Sampler, WordSource
from mechdesign.rational import nearest_float, over_common_denominator

SMALL = 9
SMALL_BITS = 32
"""A matrix of so few entries, of so few bits, is its own repr."""


@dataclass(frozen=True)
class Mechanism:
    """A mechanism, `P[i,j] = weights[i][j] / denominator = Pr[output i | input j]`, exactly.

    Shape (n_outputs, n_inputs); weights are nonnegative integers and every column sums to the denominator.

    Raises:
        InputError: if the matrix is ragged, negative, or a column does not sum to the denominator.

    >>> coin = Mechanism(((2, 1), (1, 2)), 3)
    >>> coin.fraction(0, 0)
    Fraction(2, 3)
    """

    weights: tuple[tuple[int, ...], ...]
    denominator: int

    def __post_init__(self) -> None:
        if not isinstance(self.weights, tuple) or not all(isinstance(row, tuple) for row in self.weights):
            raise InputError(f"weights must be a tuple of tuples, got {quote(self.weights)}")
        if not self.weights or not self.weights[0]:
            raise InputError("a mechanism must have at least one output and one input, got an empty matrix")
        if type(self.denominator) is not int or self.denominator <= 0:
            raise InputError(f"denominator must be a positive integer, got {quote(self.denominator)}")
        width = len(self.weights[0])
        if any(len(row) != width for row in self.weights):
            raise InputError("a mechanism must be a rectangular matrix, got rows of different lengths")
        for i, row in enumerate(self.weights):
            for j, weight in enumerate(row):
                if type(weight) is not int or weight < 0:
                    raise InputError(
                        f"weights must be nonnegative integers, got {quote(weight)} for output {i}, input {j}"
                    )
        for j, column in enumerate(zip(*self.weights, strict=True)):
            if sum(column) != self.denominator:
                raise InputError(
                    f"column {j} must sum to the denominator, got a difference of "
                    f"{nearest_float(Fraction(sum(column) - self.denominator, self.denominator)):.3g}"
                )

    @classmethod
    @checked
    def from_fractions(cls, matrix: Iterable[Sequence[Fraction]]) -> "Mechanism":
        """Make a mechanism from rows of rationals, over their least common denominator."""
        rows = [tuple(row) for row in matrix]
        flat, denominator = over_common_denominator(value for row in rows for value in row)
        values = iter(flat)
        return cls(tuple(tuple(next(values) for _ in row) for row in rows), denominator)

    @classmethod
    @checked
    def from_weights(cls, weights: Iterable[Sequence[LongWhole]], denominator: LongWhole) -> "Mechanism":
        """Make a mechanism from integer weights, reduced to lowest terms."""
        return cls.reduced(weights, denominator)

    @classmethod
    def reduced(cls, weights: Iterable[Sequence[int]], denominator: int) -> "Mechanism":
        """Do what `from_weights` does for weights that are known to be integers."""
        rows = [tuple(row) for row in weights]
        common = math.gcd(denominator, *(weight for row in rows for weight in row))
        if common > 1:
            rows = [tuple(weight // common for weight in row) for row in rows]
        return cls(tuple(rows), denominator // common)

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return len(self.weights)

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return len(self.weights[0])

    @property
    def ignores_input(self) -> bool:
        """Whether every input gives the same distribution of outputs."""
        return all(min(row) == max(row) for row in self.weights)

    def fraction(self, i: int, j: int) -> Fraction:
        """Return `P[i,j]` exactly."""
        try:
            return Fraction(self.weights[i][j], self.denominator)
        except (IndexError, TypeError):
            size = f"{len(self.weights)} outputs and {len(self.weights[0])} inputs"
            raise InputError(f"i and j must be of {size}, got {quote(i)} and {quote(j)}") from None

    def matrix(self) -> NDArray[np.float64]:
        """Return `P` as float64, shape (n_outputs, n_inputs), each entry the float nearest to the exact value."""
        return np.array([[weight / self.denominator for weight in row] for row in self.weights])

    def __array__(self, dtype: object = None, copy: bool | None = None) -> NDArray[np.float64]:
        return self.matrix()

    @checked
    def sample(self, counts: NDArray[np.int64] | Iterable[int], words: WordSource | None = None) -> NDArray[np.int64]:
        """Draw one exact random output for each true count, shape of `counts`.

        The randomness is the operating system's unless `words` are given.
        """
        try:
            inputs = np.asarray(counts)
        except ValueError:
            raise InputError("counts must be an array of integers, got rows of different lengths") from None
        return Sampler(self.weights, self.denominator, words).sample(inputs)

    def __repr__(self) -> str:
        small = self.n_outputs * self.n_inputs <= SMALL and self.denominator.bit_length() <= SMALL_BITS
        if small:
            return f"Mechanism(weights={self.weights}, denominator={self.denominator})"
        return one_line("Mechanism", f"{self.n_outputs} outputs x {self.n_inputs} inputs, in exact integers")

    def _repr_html_(self) -> str:
        return page(f"Mechanism, {self.n_outputs} outputs x {self.n_inputs} inputs", self.heat_table())

    def heat_table(self) -> str:
        """Show the matrix as an HTML heat map, exact entries as tooltips."""
        exact = [[self.fraction(i, j) for j in range(self.n_inputs)] for i in range(self.n_outputs)]
        return heat_table(exact, "Pr[output (row) | input (column)]")
