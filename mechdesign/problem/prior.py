"""The prior of the true counts: a vector of rationals that sums to 1."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.arguments import checked
from mechdesign.errors import InputError, shorten
from mechdesign.rational import Number, as_rational, fraction_text, nearest_float, short_text, total

PRIOR_WORDS = ("uniform", "binomial", "weights")
"""What the text of a prior begins with; any other text is the name of a file."""

MOST_DIGITS = 18
"""Longest whole weight that a text may have."""

_WHOLE = re.compile(rf"[0-9]{{1,{MOST_DIGITS}}}")


@dataclass(frozen=True)
class Prior:
    """A prior by name (`uniform`, `binomial:P`), or one probability for each input (`name` is then `weights`)."""

    name: str
    chance: Fraction | None = None
    table: tuple[Fraction, ...] | None = None

    @classmethod
    @checked
    def parse(cls, text: str) -> "Prior":
        """Parse `uniform`, `binomial:P` with P in [0, 1], or `weights:W,W,...`, a whole number for each input.

        Whole weights are divided by their sum, so that any of them, not all 0, make an exact prior.

        Raises:
            InputError: for any other text.

        >>> [str(weight) for weight in Prior.parse("weights:1,2,3").weights(3)]
        ['1/6', '1/3', '1/2']
        """
        word, colon, rest = text.strip().partition(":")
        if word.lower() == "uniform" and not colon:
            return cls("uniform")
        if word.lower() == "binomial" and rest:
            value = as_rational(rest, "prior binomial:P")
            if not 0 <= value <= 1:
                raise InputError(f"prior binomial:P must have P in [0, 1], got prior={shorten(text)}")
            return cls(f"binomial:{fraction_text(value)}", chance=value)
        if word.lower() == "weights" and rest:
            return cls._from_whole_weights(rest.split(","))
        raise InputError(
            f"prior must be uniform, binomial:P, weights:W,W,... or a file of weights, got prior={shorten(text)}"
        )

    @classmethod
    def _from_whole_weights(cls, words: Sequence[str]) -> "Prior":
        """Divide whole weights by their sum."""
        for j, word in enumerate(words):
            if not _WHOLE.fullmatch(word.strip()):
                raise InputError(
                    f"prior weights must be whole numbers of at least 0 and at most {MOST_DIGITS} digits, "
                    f"got {shorten(word) or 'nothing'} for input {j}"
                )
        whole = [int(word) for word in words]
        if not any(whole):
            raise InputError("prior weights must not all be 0, got 0 for every input")
        return cls.from_weights([Fraction(weight, sum(whole)) for weight in whole])

    @classmethod
    @checked
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

    def check(self, size: int) -> None:
        """Refuse weights for another number of inputs.

        Raises:
            InputError
        """
        if self.table is not None and len(self.table) != size:
            raise InputError(f"prior must have {size} weights (one for each input), got {len(self.table)}")

    def weights(self, size: int) -> tuple[Fraction, ...]:
        """Return the probability of each input `0 .. size-1`, exact."""
        self.check(size)
        if self.table is not None:
            return self.table
        if self.chance is None:
            return (Fraction(1, size),) * size
        n, p = size - 1, self.chance
        return tuple(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(size))
