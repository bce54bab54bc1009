"""Made-up rows of bits, lightly skewed: a Zipf law in the order of the tuples' numbers.

The published experiments on frequency oracles for marginals (T. Kulkarni, thesis, section 4.4.6) are on "lightly
skewed" data without its parameters; the law is ours.
"""

from fractions import Fraction

import numpy as np

from mechdesign.errors import InputError
from mechdesign.rational import fraction_text
from mechdesign_catalog.datasets.counts.laws import MAX_EXPONENT
from mechdesign_catalog.datasets.items.joint.law import TupleLaw

EXPONENT = Fraction(1, 2)
ATTRIBUTES = 8
MOST_BITS = 20


def skewed_law(exponent: Fraction = EXPONENT, d: int = ATTRIBUTES) -> TupleLaw:
    """Make the law by which tuple i of d bits, counted from 0, is proportional to `1/(i+1)^exponent`.

    Raises:
        InputError: for an exponent that is not in 0..20, or d that is not in 1..20.
    """
    if not 0 <= exponent <= MAX_EXPONENT:
        raise InputError(f"S of skewed:S must be in [0, {MAX_EXPONENT}], got S={fraction_text(exponent)}")
    if not 1 <= d <= MOST_BITS:
        raise InputError(f"d must be in 1..{MOST_BITS}, got d={d}")
    weights = np.arange(1, (1 << d) + 1, dtype=np.float64) ** -float(exponent)
    options = [*([] if exponent == EXPONENT else [fraction_text(exponent)]), *([] if d == ATTRIBUTES else [f"d={d}"])]
    names = tuple(f"bit_{i}" for i in range(1, d + 1))
    return TupleLaw(":".join(["skewed", *options]), names, ("0", "1"), weights / weights.sum(), tuple(range(d)))
