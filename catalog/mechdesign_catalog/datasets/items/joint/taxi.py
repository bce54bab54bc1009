"""Made-up taxi trips in New York, eight bits each.

Their law is ours, and has the published facts.

T. Kulkarni (*Answering queries under local differential privacy*, thesis, tables 2.1 and 2.3, section 4.4.1 and 4.5.1)
names the bits, gives the shares of trips by whether they begin and end in Manhattan as an example, says which three
pairs are strongly and positively related and which three are taken for independent, and that most others are negatively
or weakly related. Nothing else is printed: the other numbers are ours.

The law is a tree. Each bit has a share of ones, and each edge a correlation phi, with which
`Pr[child = 1 | parent = x] = c + phi sqrt(c (1-c) / (p (1-p))) (x - p)`. Two bits correlate as the product of the phi
on the way between them; so the tree is known, and so is every table.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.rational import fraction_text
from mechdesign_catalog.datasets.items.counts import Floats
from mechdesign_catalog.datasets.items.joint.law import MOST_ATTRIBUTES, TupleLaw

BITS = ("cc", "toll", "far", "night_pick", "night_drop", "m_pick", "m_drop", "tip")
"""Paid by card; toll paid; more than 10 miles; begun after 8 pm; ended before 3 am; begun, ended in Manhattan; a tip
above 25 %."""

ONES = {"cc": 0.55, "toll": 0.10, "far": 0.12, "night_pick": 0.30, "night_drop": 0.22, "tip": 0.40}
"""Shares of trips that have the bit, but for those of Manhattan; ours."""

FAR_FROM_MANHATTAN = -0.3
"""Correlation of far trips with those that end in Manhattan; ours."""

MANHATTAN = (Fraction(11, 20), Fraction(3, 20), Fraction(1, 10), Fraction(1, 5))
"""Shares of trips that begin and end in Manhattan, begin there alone, end there alone, neither."""

STRONG = Fraction(3, 5)
WEAK = Fraction(1, 500)
"""With 2^18 trips, a correlation of 0.002 adds 1 to the statistic chi-squared, whose critical value is 3.84."""


@dataclass(frozen=True)
class Edge:
    """An edge of the tree, the bit nearer to the root first, and the correlation of both."""

    parent: str
    child: str
    phi: float


def taxi_law(
    d: int = len(BITS),
    strong: Fraction = STRONG,
    weak: Fraction = WEAK,
    manhattan: tuple[Fraction, ...] = MANHATTAN,
) -> TupleLaw:
    """Make the law of taxi trips.

    Args:
        d: number of columns; the first of the eight where it is less, copies of them where it is more, as in the
            published experiments on many attributes.
        strong: correlation of (cc, tip), (toll, far) and (night_pick, night_drop).
        weak: correlation of (m_drop, cc) and (far, night_pick); that of (toll, night_pick) is strong times weak.
        manhattan: shares of trips that begin and end in Manhattan, begin there alone, end there alone, neither.

    Raises:
        InputError: for a number of columns that is not in 1..64, shares that are no law, or correlations that the
            shares of ones do not allow.
    """
    if not 1 <= d <= MOST_ATTRIBUTES:
        raise InputError(f"d must be in 1..{MOST_ATTRIBUTES}, got d={d}")
    ones, phi = _in_manhattan(manhattan)
    edges = (
        Edge("m_pick", "m_drop", phi),
        Edge("m_drop", "cc", float(weak)),
        Edge("cc", "tip", float(strong)),
        Edge("m_drop", "far", FAR_FROM_MANHATTAN),
        Edge("far", "toll", float(strong)),
        Edge("far", "night_pick", float(weak)),
        Edge("night_pick", "night_drop", float(strong)),
    )
    columns = tuple(i % len(BITS) for i in range(d))
    names = tuple(
        BITS[column] + (f"_{i // len(BITS) + 1}" if i >= len(BITS) else "") for i, column in enumerate(columns)
    )
    weights = _tree_weights("m_pick", {**ONES, **ones}, edges)
    return TupleLaw(_name(d, strong, weak, manhattan), names, ("no", "yes"), weights, columns)


def _name(d: int, strong: Fraction, weak: Fraction, manhattan: tuple[Fraction, ...]) -> str:
    """Write the options that are not the usual ones."""
    given = {
        "d": (str(d), d == len(BITS)),
        "strong": (fraction_text(strong), strong == STRONG),
        "weak": (fraction_text(weak), weak == WEAK),
        "manhattan": ("-".join(map(fraction_text, manhattan)), manhattan == MANHATTAN),
    }
    return ":".join(["taxi", *(f"{key}={text}" for key, (text, is_usual) in given.items() if not is_usual)])


def _in_manhattan(shares: tuple[Fraction, ...]) -> tuple[dict[str, float], float]:
    """Return the shares of both bits, and their correlation."""
    got = shorten("-".join(map(fraction_text, shares)))
    if len(shares) != 4 or min(shares) < 0 or sum(shares) != 1:
        raise InputError(f"manhattan must be four shares with the sum 1, such as 0.55-0.15-0.10-0.20, got {got}")
    pick, drop = shares[0] + shares[1], shares[0] + shares[2]
    spread = pick * (1 - pick) * drop * (1 - drop)
    if not spread:
        raise InputError(f"manhattan must have trips of both kinds at both ends, got {got}")
    phi = float(shares[0] - pick * drop) / math.sqrt(spread)
    return {"m_pick": float(pick), "m_drop": float(drop)}, phi


def _tree_weights(root: str, ones: dict[str, float], edges: tuple[Edge, ...]) -> Floats:
    """Multiply the probabilities of all bits, for each of the 256 tuples."""
    number = np.arange(1 << len(BITS))
    bit = {name: number >> (len(BITS) - 1 - i) & 1 for i, name in enumerate(BITS)}
    weights = np.where(bit[root], ones[root], 1 - ones[root])
    for edge in edges:
        p, c = ones[edge.parent], ones[edge.child]
        slope = edge.phi * math.sqrt(c * (1 - c) / (p * (1 - p)))
        chances = c + slope * (bit[edge.parent] - p)
        if chances.min() < -1e-12 or chances.max() > 1 + 1e-12:
            raise InputError(
                f"correlation must be one that {edge.parent} and {edge.child} can have with their shares "
                f"{p:.4g} and {c:.4g}, got {edge.phi:.4g}"
            )
        chances = np.clip(chances, 0, 1)
        weights = weights * np.where(bit[edge.child], chances, 1 - chances)
    return weights
