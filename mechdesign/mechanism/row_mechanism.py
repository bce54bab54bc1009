"""Local mechanisms of rows, whose outputs have two probabilities each."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError, quote, shorten
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import one_line
from mechdesign.rational import nearest_float, number_text

BITS = frozenset("01")


@dataclass(frozen=True)
class RowMechanism:
    """An alpha-LDP mechanism on k items whose outputs each have two probabilities, by a ratio of alpha.

    Output r has the probability `weights[r] / denominator` for the items where the text `rows[r]` has a `0`, and
    `1/alpha` times that where it has a `1`; item 0 is the first letter. Every alpha-LDP mechanism is a coarser form of
    such a one (Kairouz, Oh, Viswanath, JMLR 17, 2016: extremal mechanisms), so it is alpha-LDP by its form.

    Args:
        alpha: in (0, 1).
        rows: different texts of k letters `0` and `1`, at least one.
        weights: a positive integer for each row.
        denominator: what the weights times their entries (1, or 1/alpha) sum to for every item.

    Raises:
        InputError: for anything else, naming the row or the item.

    >>> coin = RowMechanism(Fraction(1, 3), ("10", "01"), (1, 1), 4)
    >>> coin.mechanism()
    Mechanism(weights=((3, 1), (1, 3)), denominator=4)
    """

    alpha: Fraction
    rows: tuple[str, ...]
    weights: tuple[int, ...]
    denominator: int

    def __post_init__(self) -> None:
        if not isinstance(self.alpha, Fraction) or not 0 < self.alpha < 1:
            raise InputError(f"alpha must be in (0, 1), got alpha={shorten(self.alpha)}")
        _check_rows(self.rows)
        if len(self.weights) != len(self.rows):
            raise InputError(f"weights must be {len(self.rows)}, one for each row, got {len(self.weights)}")
        for position, weight in enumerate(self.weights):
            if type(weight) is not int or weight <= 0:
                raise InputError(f"weights must be positive integers, got {shorten(weight)} for row {position}")
        if type(self.denominator) is not int or self.denominator <= 0:
            raise InputError(f"denominator must be a positive integer, got {shorten(self.denominator)}")
        ones = self._weights_of_ones
        total = sum(self.weights)
        for item, weight in enumerate(ones):
            if (total - weight) + weight / self.alpha != self.denominator:
                raise InputError(f"item {item} must have probabilities that sum to 1, got another sum")

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return len(self.rows)

    @property
    def k(self) -> int:
        """Number of items."""
        return len(self.rows[0])

    @property
    def bits(self) -> int:
        """Bits that tell one output from the others."""
        return (self.n_outputs - 1).bit_length()

    @cached_property
    def ones(self) -> NDArray[np.uint8]:
        """The rows as zeros and ones, shape (n_outputs, k)."""
        return bit_matrix(self.rows)

    @cached_property
    def _weights_of_ones(self) -> list[int]:
        """The sum of the weights of the rows that have a `1`, for each item."""
        weights = np.array(self.weights, dtype=object)
        return [int(weights[self.ones[:, item] == 1].sum()) for item in range(self.k)]

    def fraction(self, row: int, item: int) -> Fraction:
        """Return `Pr[output row | input item]` exactly."""
        try:
            weight = Fraction(self.weights[row], self.denominator)
            return weight / self.alpha if self.rows[row][item] == "1" else weight
        except (IndexError, TypeError):
            size = f"{len(self.rows)} rows and {len(self.rows[0])} items"
            raise InputError(f"row and item must be of {size}, got {quote(row)} and {quote(item)}") from None

    def mechanism(self) -> Mechanism:
        """Return the same as a matrix, n_outputs x k."""
        p, q = self.alpha.numerator, self.alpha.denominator
        table = {"0": p, "1": q}
        weights = [[weight * table[bit] for bit in row] for row, weight in zip(self.rows, self.weights, strict=True)]
        return Mechanism.from_weights(weights, self.denominator * p)

    def matrix(self) -> NDArray[np.float64]:
        """Return the probabilities as float64, shape (n_outputs, k), each the float nearest to the exact value."""
        low = [nearest_float(Fraction(weight, self.denominator)) for weight in self.weights]
        high = [nearest_float(Fraction(weight, self.denominator) / self.alpha) for weight in self.weights]
        return np.where(self.ones == 1, np.array(high)[:, None], np.array(low)[:, None])

    def __repr__(self) -> str:
        return one_line(
            "RowMechanism", f"{self.n_outputs} outputs x {self.k} inputs, alpha = {number_text(self.alpha)}"
        )


def bit_matrix(rows: Sequence[str]) -> NDArray[np.uint8]:
    """Write texts of equally many letters `0` and `1` as a matrix of numbers, one row each."""
    letters = np.frombuffer("".join(rows).encode("ascii"), dtype=np.uint8)
    found: NDArray[np.uint8] = (letters - ord("0")).reshape(len(rows), -1)
    found.flags.writeable = False
    return found


def bit_texts(ones: NDArray[np.uint8]) -> tuple[str, ...]:
    """Write the rows of a matrix of zeros and ones as texts."""
    return tuple((row + ord("0")).astype(np.uint8).tobytes().decode("ascii") for row in ones)


def _check_rows(rows: Sequence[str]) -> None:
    if not rows or not isinstance(rows[0], str) or len(rows[0]) < 2:
        raise InputError("rows must be at least one text of at least two letters 0 and 1, got none")
    k = len(rows[0])
    for position, row in enumerate(rows):
        if not isinstance(row, str) or len(row) != k or not BITS.issuperset(row):
            raise InputError(f"rows must be texts of {k} letters 0 and 1, got {shorten(row)} for row {position}")
    if len(set(rows)) < len(rows):
        raise InputError("rows must be different, got one twice")
