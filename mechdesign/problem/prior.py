"""State how likely each true count is: a vector of rationals that sums to 1."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.errors import InputError
from mechdesign.rational import Number, as_rational, fraction_text, nearest_float, short_text, total


@dataclass(frozen=True)
class Prior:
    """Hold a prior by name (`uniform`, `binomial:P`) or by its weights (`name` is then `weights`)."""

    name: str
    chance: Fraction | None = None
    table: tuple[Fraction, ...] | None = None

    @classmethod
    def parse(cls, text: str) -> "Prior":
        """Parse `uniform`, or `binomial:P` with P in [0, 1]."""
        word, colon, chance = text.strip().partition(":")
        if word.lower() == "uniform" and not colon:
            return cls("uniform")
        if word.lower() == "binomial" and chance:
            value = as_rational(chance, "prior binomial:P")
            if not 0 <= value <= 1:
                raise InputError(f"prior binomial:P must have P in [0, 1], got prior={text}")
            return cls(f"binomial:{fraction_text(value)}", chance=value)
        raise InputError(f"prior must be uniform, binomial:P or a file of weights, got prior={text}")

    @classmethod
    def from_weights(cls, weights: Sequence[Number]) -> "Prior":
        """Make a prior from one weight for each input."""
        table = tuple(as_rational(weight, "prior weight") for weight in weights)
        for j, weight in enumerate(table):
            if weight < 0:
                raise InputError(f"prior weights must be nonnegative, got {nearest_float(weight):.6g} for input {j}")
        weight_sum = total(table)
        if weight_sum != 1:
            raise InputError(
                f"prior weights must sum to exactly 1, got {short_text(weight_sum)}; fractions such as 1/3 are accepted"
            )
        return cls("weights", table=table)

    def weights(self, size: int) -> tuple[Fraction, ...]:
        """Return the probability of each input `0 .. size-1`, exact."""
        if self.table is not None:
            if len(self.table) != size:
                raise InputError(f"prior must have {size} weights (one for each input), got {len(self.table)}")
            return self.table
        if self.chance is None:
            return (Fraction(1, size),) * size
        n, p = size - 1, self.chance
        return tuple(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(size))
