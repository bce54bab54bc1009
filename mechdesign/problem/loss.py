"""The loss, the cost of a wrong output: `Lp`, `Lp:d`, `PB:TAU`, or a matrix.

`loss[i][j]` is the cost of output i on input j. A family of losses states it once, in integers; the matrix, the linear
program, the closed forms and the comparison are made from that statement. The kernel has another one of its own, and
nothing is returned where the two differ.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.arguments import checked
from mechdesign.errors import InputError, shorten
from mechdesign.problem.losses.family import IntegerRows, LossFamily, Matrix
from mechdesign.problem.losses.matrix import MatrixLoss
from mechdesign.problem.losses.pinball import PinballLoss
from mechdesign.problem.losses.power import PowerLoss
from mechdesign.rational import Number

FAMILIES = (PowerLoss, PinballLoss)
"""Those that a text can name."""

PREFIXES = ("L", "PB")
"""What such a text begins with; in `design:PROPS:LOSS` the loss begins at the last colon before one of these."""


@dataclass(frozen=True)
class Loss:
    """A loss, `loss[i][j]` the cost of output i on input j.

    >>> Loss.parse("PB:0.75").matrix(3)[0]
    (Fraction(0, 1), Fraction(3, 4), Fraction(3, 2))
    """

    family: LossFamily

    @classmethod
    @checked
    def parse(cls, text: str) -> "Loss":
        """Read `Lp`, `Lp:d` (integers p, d >= 0) or `PB:TAU` (0 < TAU < 1).

        Raises:
            InputError: for any other text.
        """
        for family in FAMILIES:
            found = family.parse(text.strip())
            if found is not None:
                return cls(found)
        raise InputError(
            f"loss must be Lp or Lp:d with integers p, d >= 0 (L0, L1, L2, L0:1), or PB:TAU with 0 < TAU < 1, "
            f"got loss={shorten(text)}"
        )

    @classmethod
    @checked
    def from_matrix(cls, matrix: Sequence[Sequence[Number]]) -> "Loss":
        """Make a loss from a matrix, `matrix[i][j]` the cost of output i on input j."""
        return cls(MatrixLoss.of(matrix))

    @property
    def name(self) -> str:
        """The text that reads back as this loss, such as `L1:2` or `PB:3/4`; `matrix` for a matrix."""
        return self.family.name

    @property
    def words(self) -> str:
        """What a wrong output costs, as the end of a sentence."""
        return self.family.words

    @property
    def table(self) -> Matrix | None:
        """The matrix of a loss that was given as one, None for the others."""
        return self.family.table

    @property
    def counts_errors(self) -> bool:
        """Whether the loss is `L0` or `L0:d`, which count errors."""
        return self.family.counts_errors

    @property
    def is_zero_one(self) -> bool:
        """Whether the loss is `L0`, 1 for every wrong output: the loss of the closed forms."""
        return self.family.is_zero_one

    def check(self, size: int) -> None:
        """Refuse a loss that does not fit a number of inputs.

        Raises:
            InputError: for a matrix of another shape, or losses too large for a float.
        """
        self.family.check(size)

    def integers(self, size: int) -> tuple[IntegerRows, int]:
        """Return `loss[i][j]` for outputs and inputs `0 .. size-1` as integers over one denominator."""
        self.check(size)
        return self.family.integers(size)

    def matrix(self, size: int) -> Matrix:
        """Return `loss[i][j]` for outputs and inputs `0 .. size-1` as rationals."""
        rows, denominator = self.integers(size)
        shares = {value: Fraction(value, denominator) for row in rows for value in row}
        return tuple(tuple(shares[value] for value in row) for row in rows)

    def charge(self, error: int) -> Fraction:
        """Return the cost of an error `i - j`.

        Raises:
            InputError: for a matrix, where it depends on the input.
        """
        return self.family.charge(error)

    def smallest(self, size: int) -> Fraction:
        """Return the smallest size of a loss that is not 0; 1 where all are 0."""
        rows, denominator = self.integers(size)
        least = min((abs(value) for row in rows for value in row if value), default=denominator)
        return Fraction(least, denominator)

    def is_symmetric(self, size: int) -> bool:
        """Return whether `loss[i][j] = loss[n-i][n-j]` everywhere."""
        return self.family.is_symmetric(size)

    def rescaling(self, size: int) -> Fraction:
        """Return the factor from loss to score: (n+1)/n for L0 and L0:d, so that uniform guessing scores 1 under L0."""
        return Fraction(size, size - 1) if self.counts_errors else Fraction(1)
