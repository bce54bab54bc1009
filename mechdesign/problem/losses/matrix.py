"""The loss by a matrix: the cost of every output on every input."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.errors import InputError
from mechdesign.problem.losses.family import LARGEST_LOSS, IntegerRows, Matrix
from mechdesign.rational import Number, as_rational, over_common_denominator


@dataclass(frozen=True)
class MatrixLoss:
    """The charge `table[i][j]` for output i on input j; entries may have either sign."""

    table: Matrix
    name = "matrix"
    words = "what a matrix says for output i and input j"
    counts_errors = False
    is_zero_one = False

    @classmethod
    def of(cls, matrix: Sequence[Sequence[Number]]) -> "MatrixLoss":
        """Make the loss from rows of numbers.

        Raises:
            InputError: for an entry that is no number, or too large for a float.
        """
        rows = tuple(tuple(as_rational(value, "loss") for value in row) for row in matrix)
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                if abs(value) > LARGEST_LOSS:
                    raise InputError(f"loss must be at most 1e300 in size, got more for output {i}, input {j}")
        return cls(rows)

    def check(self, size: int) -> None:
        """Refuse a matrix of another shape than `size` x `size`."""
        if len(self.table) != size or any(len(row) != size for row in self.table):
            columns = sorted({len(row) for row in self.table})
            shape = f"{len(self.table)} x {columns[0] if len(columns) == 1 else columns}"
            raise InputError(f"loss matrix must be {size} x {size}, got {shape}")

    def integers(self, size: int) -> tuple[IntegerRows, int]:
        """Return the table as integers over one denominator."""
        flat, denominator = over_common_denominator(value for row in self.table for value in row)
        return [flat[i * size : (i + 1) * size] for i in range(size)], denominator

    def is_symmetric(self, size: int) -> bool:
        """Return whether the table is its own rotation."""
        return all(row == mirrored[::-1] for row, mirrored in zip(self.table, reversed(self.table), strict=True))

    def charge(self, error: int) -> Fraction:
        """Refuse: in a matrix the cost of an error depends on the input."""
        raise InputError("loss must depend on the error alone (Lp, Lp:d or PB:TAU), got a matrix")
