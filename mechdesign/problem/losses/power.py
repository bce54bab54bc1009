"""Powers of the error: `Lp` is `|i-j|^p`, and `Lp:d` charges only where `|i-j| > d`.

`L0` is 1 when i != j.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.errors import InputError
from mechdesign.problem.losses.family import ErrorLoss

MAX_LOSS_POWER = 256
_LP = re.compile(r"[lL](\d{1,6})(?::(\d{1,6}))?")


@dataclass(frozen=True)
class PowerLoss(ErrorLoss):
    """The charge `|e|^power` for errors beyond `tolerance`.

    A tolerance of None is not written in the name.
    """

    power: int
    tolerance: int | None = None

    @classmethod
    def parse(cls, text: str) -> "PowerLoss | None":
        """Parse `Lp` or `Lp:d` with integers p, d >= 0; None for other texts.

        Raises:
            InputError: for a power above `MAX_LOSS_POWER`.
        """
        found = _LP.fullmatch(text)
        if found is None:
            return None
        if int(found[1]) > MAX_LOSS_POWER:
            raise InputError(f"loss must be Lp with p <= {MAX_LOSS_POWER}, got loss={text}")
        return cls(int(found[1]), None if found[2] is None else int(found[2]))

    @property
    def name(self) -> str:
        """The text `Lp` or `Lp:d` that reads back as this loss."""
        return f"L{self.power}" if self.tolerance is None else f"L{self.power}:{self.tolerance}"

    @property
    def words(self) -> str:
        """What it charges, as the end of a sentence.

        >>> PowerLoss(0).words, PowerLoss(2).words
        ('1, however far off it is', 'the square of its error, |i - j|^2')
        """
        beyond = f"; errors of at most {self.tolerance} cost nothing" if self.tolerance else ""
        if self.power == 0:
            return f"1, however far off it is{beyond}"
        size = {1: "its error, |i - j|", 2: "the square of its error, |i - j|^2"}
        return f"{size.get(self.power, f'its error to the power {self.power}, |i - j|^{self.power}')}{beyond}"

    @property
    def counts_errors(self) -> bool:
        """Whether the power is 0: every error beyond the tolerance costs 1."""
        return self.power == 0

    @property
    def is_zero_one(self) -> bool:
        """Whether it is `L0`, 1 for every wrong output."""
        return self.power == 0 and not self.tolerance

    def is_symmetric(self, size: int) -> bool:
        """Return True: the sign of an error does not matter."""
        return True

    def charge(self, error: int) -> Fraction:
        """Return `|e|^power` beyond the tolerance, else 0."""
        distance = abs(error)
        return Fraction(distance**self.power if distance > (self.tolerance or 0) else 0)
