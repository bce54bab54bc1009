"""What a wrong output costs: `Lp`, `Lp:d`, or a matrix.

`Lp` is `|i-j|^p` (`L0`: 1 when i != j). `Lp:d` charges it only where `|i-j| > d`. A matrix gives `loss[i][j]` for
output i and input j outright.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.errors import InputError
from mechdesign.rational import Number, as_rational

Matrix = tuple[tuple[Fraction, ...], ...]

MAX_LOSS_POWER = 256
LARGEST_LOSS = Fraction(10**300)
"""Scores must fit a float for those who read the decimals."""

_LP = re.compile(r"[lL](\d{1,6})(?::(\d{1,6}))?")


@dataclass(frozen=True)
class Loss:
    """A loss: `name` (`L0`, `L1:2`, or `matrix`), and either (power, tolerance) or the `table` of a matrix loss."""

    name: str
    power: int = 0
    tolerance: int = 0
    table: Matrix | None = None

    @classmethod
    def parse(cls, text: str) -> "Loss":
        """`Lp` or `Lp:d` with integers p >= 0, d >= 0."""
        found = _LP.fullmatch(text.strip())
        if not found:
            raise InputError(f"loss must be Lp or Lp:d with integers p, d >= 0 (L0, L1, L2, L0:1), got loss={text}")
        power, tolerance = int(found[1]), int(found[2] or 0)
        if power > MAX_LOSS_POWER:
            raise InputError(f"loss must be Lp with p <= {MAX_LOSS_POWER}, got loss={text}")
        return cls(f"L{power}:{tolerance}" if found[2] else f"L{power}", power, tolerance)

    @classmethod
    def from_matrix(cls, matrix: Sequence[Sequence[Number]]) -> "Loss":
        """A loss given outright, `matrix[i][j]` the cost of output i on input j."""
        rows = tuple(tuple(as_rational(value, "loss") for value in row) for row in matrix)
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                if abs(value) > LARGEST_LOSS:
                    raise InputError(f"loss must be at most 1e300 in size, got more for output {i}, input {j}")
        return cls("matrix", table=rows)

    def check(self, size: int) -> None:
        """Refuse a loss that does not fit a number of inputs.

        Raises:
            InputError: for a matrix of another shape, or losses too large for a float.
        """
        if self.table is None:
            if self._charge(size - 1) > LARGEST_LOSS:
                raise InputError(f"loss must be at most 1e300 in size, got {self.name} for n = {size - 1}")
        elif len(self.table) != size or any(len(row) != size for row in self.table):
            columns = sorted({len(row) for row in self.table})
            shape = f"{len(self.table)} x {columns[0] if len(columns) == 1 else columns}"
            raise InputError(f"loss matrix must be {size} x {size}, got {shape}")

    def matrix(self, size: int) -> Matrix:
        """`loss[i][j]` for outputs and inputs `0 .. size-1`, exact."""
        self.check(size)
        if self.table is not None:
            return self.table
        by_distance = self.by_distance(size)
        return tuple(tuple(by_distance[abs(i - j)] for j in range(size)) for i in range(size))

    def by_distance(self, size: int) -> tuple[Fraction, ...]:
        """The loss at `|i-j| = 0 .. size-1`, for `Lp` and `Lp:d`."""
        return tuple(self._charge(distance) for distance in range(size))

    def smallest(self, size: int) -> Fraction:
        """The smallest loss in size that is not 0; 1 without any."""
        rows = (self.by_distance(size),) if self.table is None else self.table
        return min((abs(value) for row in rows for value in row if value), default=Fraction(1))

    def is_symmetric(self, size: int) -> bool:
        """`loss[i][j] = loss[n-i][n-j]`?"""
        return self.table is None or all(
            row == mirrored[::-1] for row, mirrored in zip(self.table, reversed(self.table), strict=True)
        )

    def _charge(self, distance: int) -> Fraction:
        charged = distance > self.tolerance
        return Fraction(distance**self.power if charged else 0)

    def rescaling(self, size: int) -> Fraction:
        """Factor from expected loss to score: (n+1)/n for L0 and L0:d, so that uniform guessing scores 1 under L0."""
        counts_errors = self.table is None and self.power == 0
        return Fraction(size, size - 1) if counts_errors else Fraction(1)

    @property
    def is_zero_one(self) -> bool:
        """True for plain L0, the loss of the closed-form theory."""
        return self.table is None and self.power == 0 and self.tolerance == 0
