"""Define what a family of losses states, and what follows for losses that depend on the error alone."""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Protocol

from mechdesign.errors import InputError
from mechdesign.rational import over_common_denominator

IntegerRows = list[list[int]]
Matrix = tuple[tuple[Fraction, ...], ...]

LARGEST_LOSS = Fraction(10**300)
"""Scores must fit a float for those who read the decimals."""


class LossFamily(Protocol):
    """One loss of a family: `loss[i][j]` for output i and input j, stated once, in integers."""

    @property
    def name(self) -> str:
        """The text that reads back as this loss."""

    @property
    def counts_errors(self) -> bool:
        """Does it charge 1 for every error that it charges at all? Scores are then rescaled."""

    @property
    def is_zero_one(self) -> bool:
        """Is it `L0`, 1 for every wrong output?"""

    @property
    def table(self) -> Matrix | None:
        """The matrix, where the loss was given as one."""

    def check(self, size: int) -> None:
        """Refuse a number of inputs that this loss does not fit."""

    def integers(self, size: int) -> tuple[IntegerRows, int]:
        """`loss[i][j]` for outputs and inputs `0 .. size-1` as integers over one denominator."""

    def is_symmetric(self, size: int) -> bool:
        """`loss[i][j] = loss[n-i][n-j]`?"""

    def charge(self, error: int) -> Fraction:
        """What an error `i - j` costs, where that is all that the loss depends on."""


class ErrorLoss(ABC):
    """A loss of the error `e = i - j`, output less truth: a subclass states `name` and `charge`."""

    table = None

    @property
    @abstractmethod
    def name(self) -> str:
        """The text that reads back as this loss."""

    @property
    def counts_errors(self) -> bool:
        """Does it charge 1 for every error that it charges at all?"""
        return False

    @property
    def is_zero_one(self) -> bool:
        """Is it `L0`?"""
        return False

    @abstractmethod
    def charge(self, error: int) -> Fraction:
        """What an error costs, at least 0."""

    def check(self, size: int) -> None:
        """Refuse losses too large for a float; the largest errors cost most."""
        if max(self.charge(1 - size), self.charge(size - 1)) > LARGEST_LOSS:
            raise InputError(f"loss must be at most 1e300 in size, got {self.name} for n = {size - 1}")

    def integers(self, size: int) -> tuple[IntegerRows, int]:
        """Row i holds the charges of the errors `i, i-1, .., i-n`."""
        charges, denominator = over_common_denominator(self.charge(error) for error in range(size - 1, -size, -1))
        return [charges[size - 1 - i : 2 * size - 1 - i] for i in range(size)], denominator

    def is_symmetric(self, size: int) -> bool:
        """Is `charge(-e) = charge(e)` for all errors?"""
        return all(self.charge(error) == self.charge(-error) for error in range(1, size))
