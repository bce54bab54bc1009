"""The family of losses: its interface, and consequences for losses of the error alone."""

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

from mechdesign.errors import InputError
from mechdesign.rational import over_common_denominator

IntegerRows = list[list[int]]
Matrix = tuple[tuple[Fraction, ...], ...]

LARGEST_LOSS = Fraction(10**300)
"""Scores must fit a float for those who read the decimals."""


class LossFamily(Protocol):
    """The interface of a loss: `loss[i][j]` for output i and input j, in integers."""

    @property
    def name(self) -> str:
        """The text that reads back as this loss."""

    @property
    def words(self) -> str:
        """What it charges for output i on input j, as the end of a sentence: `a wrong output costs ...`."""

    @property
    def counts_errors(self) -> bool:
        """Whether it charges 1 for every error that it charges at all; scores are then rescaled."""

    @property
    def is_zero_one(self) -> bool:
        """Whether it is `L0`, 1 for every wrong output."""

    @property
    def table(self) -> Matrix | None:
        """The matrix of a loss that was given as one, None for the others."""

    def check(self, size: int) -> None:
        """Refuse a number of inputs that this loss does not fit."""

    def integers(self, size: int) -> tuple[IntegerRows, int]:
        """Return `loss[i][j]` for outputs and inputs `0 .. size-1` as integers over one denominator."""

    def is_symmetric(self, size: int) -> bool:
        """Return whether `loss[i][j] = loss[n-i][n-j]` everywhere."""

    def charge(self, error: int) -> Fraction:
        """Return the cost of an error `i - j`, for a loss of the error alone."""


class ErrorLoss(ABC):
    """A whole loss, derived from the charge of an error `e = i - j`, output less truth.

    A subclass states `name`, `words` and `charge`.
    """

    table = None

    @property
    @abstractmethod
    def name(self) -> str:
        """The text that reads back as this loss."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What it charges, as the end of a sentence."""

    @property
    def counts_errors(self) -> bool:
        """Whether it charges 1 for every error that it charges at all."""
        return False

    @property
    def is_zero_one(self) -> bool:
        """Whether it is `L0`."""
        return False

    @abstractmethod
    def charge(self, error: int) -> Fraction:
        """Return the cost of an error, at least 0."""

    def check(self, size: int) -> None:
        """Refuse losses too large for a float; the largest errors cost most."""
        if max(self.charge(1 - size), self.charge(size - 1)) > LARGEST_LOSS:
            raise InputError(f"loss must be at most 1e300 in size, got {self.name} for n = {size - 1}")

    def integers(self, size: int) -> tuple[IntegerRows, int]:
        """Return the matrix: row i holds the charges of the errors `i, i-1, .., i-n`."""
        charges, denominator = _charges(self, size)
        return [list(charges[size - 1 - i : 2 * size - 1 - i]) for i in range(size)], denominator

    def is_symmetric(self, size: int) -> bool:
        """Return whether `charge(-e) = charge(e)` for all errors."""
        charges, _ = _charges(self, size)
        return charges == charges[::-1]


@lru_cache(maxsize=32)
def _charges(loss: ErrorLoss, size: int) -> tuple[tuple[int, ...], int]:
    """Return the charges of the errors from the largest down, over one denominator; a design asks several times."""
    charges, denominator = over_common_denominator(loss.charge(error) for error in range(size - 1, -size, -1))
    return tuple(charges), denominator
