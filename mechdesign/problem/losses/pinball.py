"""The pinball loss `PB:TAU`: outputs too small and too large at different charges.

It is the loss of stock and of capacity.
"""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign.errors import InputError, shorten
from mechdesign.problem.losses.family import ErrorLoss
from mechdesign.rational import as_rational, fraction_text, number_text

PREFIX = "PB:"


@dataclass(frozen=True)
class PinballLoss(ErrorLoss):
    """The charge `tau` for each step below the truth, and `1 - tau` for each step above.

    Under a known distribution its best single answer is the tau-quantile: Koenker, Bassett, "Regression quantiles",
    Econometrica 46, 1978.
    """

    tau: Fraction

    @classmethod
    def parse(cls, text: str) -> "PinballLoss | None":
        """Parse `PB:TAU` with 0 < TAU < 1; None for other texts.

        Raises:
            InputError: for a TAU out of range.
        """
        if not text.upper().startswith(PREFIX):
            return None
        tau = as_rational(text[len(PREFIX) :], "loss PB:TAU")
        if not 0 < tau < 1:
            raise InputError(f"loss PB:TAU must have TAU in (0, 1), got loss={shorten(text)}")
        return cls(tau)

    @property
    def name(self) -> str:
        """The text `PB:TAU` that reads back as this loss."""
        return f"{PREFIX}{fraction_text(self.tau)}"

    @property
    def words(self) -> str:
        """What it charges, as the end of a sentence."""
        below, above = number_text(self.tau), number_text(1 - self.tau)
        return f"{below} for each step that it is below the truth, {above} for each step above"

    def charge(self, error: int) -> Fraction:
        """Return `tau |e|` for e < 0, `(1 - tau) e` for e > 0, as a rational."""
        return -error * self.tau if error < 0 else error * (1 - self.tau)
