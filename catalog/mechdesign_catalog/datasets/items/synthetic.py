"""Make up items: independent draws from a law over k of them.

`normal`, `cauchy`, `uniform` and `constant` live on the hours [0, 24], cut into k buckets of equal width (32 of 0.75
hours by default, as in the study of telemetry); item i is [24 i/k, 24 (i+1)/k). The parameters are ours: the study
does not print its own. `zipf` has no such line under it: item i is the (i+1)-th most likely.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.rational import as_rational, fraction_text
from mechdesign_catalog.datasets.counts.laws import MAX_EXPONENT
from mechdesign_catalog.datasets.counts.synthetic import DATA_STREAM, USUAL_PEOPLE
from mechdesign_catalog.datasets.items.counts import Floats, ItemCounts

BUCKETS = 32
MOST_WITH_ITEMS = 10**9
MAX_BUCKETS = 1 << 26
MOST_LISTED = 4096
"""Beyond it labels are made on demand."""

HOURS = 24.0
MEAN, DEVIATION = 12.0, 4.0
MEDIAN, SCALE = 12.0, 2.0


@dataclass(frozen=True)
class ItemLaw:
    """A law over items: `weights(k)` are the probabilities of the k items; they sum to 1."""

    name: str
    weights: Callable[[int], Floats]
    on_hours: bool = True


def normal_hours(k: int) -> Floats:
    """Make the law of a normal with mean 12 and standard deviation 4 hours, given that it is in [0, 24]."""
    from scipy.special import ndtr

    return _given_inside(ndtr((_edges(k) - MEAN) / DEVIATION))


def cauchy_hours(k: int) -> Floats:
    """Make the law of a Cauchy with median 12 and scale 2 hours, given that it is in [0, 24]."""
    return _given_inside(np.arctan((_edges(k) - MEDIAN) / SCALE))


def uniform_items(k: int) -> Floats:
    """Make the law under which every item is as likely."""
    return np.full(k, 1.0 / k)


def zipf_items(exponent: Fraction) -> ItemLaw:
    """Make the Zipf law: `1/(i+1)^S` for item i, scaled to sum to 1.

    Raises:
        InputError: for an S that is not in [0, 20].
    """
    if not 0 <= exponent <= MAX_EXPONENT:
        raise InputError(f"S of zipf:S must be in [0, {MAX_EXPONENT}], got S={fraction_text(exponent)}")

    def weights(k: int) -> Floats:
        raw = np.arange(1, k + 1, dtype=np.float64) ** -float(exponent)
        return np.asarray(raw / raw.sum())

    return ItemLaw("zipf" if exponent == 1 else f"zipf:{fraction_text(exponent)}", weights, on_hours=False)


def constant_item(item: int | None) -> ItemLaw:
    """Make the law under which everybody has one item: the given one, or the bucket that begins at noon.

    The bucket begins just before noon where k is odd.
    """

    def weights(k: int) -> Floats:
        chosen = k // 2 if item is None else item
        if chosen >= k:
            raise InputError(f"C of constant:C must be at most k - 1 = {k - 1}, got C={chosen}")
        point = np.zeros(k)
        point[chosen] = 1.0
        return point

    return ItemLaw("constant" if item is None else f"constant:{item}", weights)


ITEM_LAWS = ("normal", "uniform", "constant", "constant:C", "zipf", "zipf:S", "cauchy")
"""How the laws are written."""

PLAIN = {"normal": normal_hours, "uniform": uniform_items, "cauchy": cauchy_hours}


def parse_item_law(text: str) -> ItemLaw | None:
    """Parse the name of a law; None for a word that names none.

    Raises:
        InputError: for a parameter that is out of range, or where there is none to give.

    >>> parse_item_law("zipf:2").weights(2).tolist()
    [0.8, 0.2]
    """
    name, colon, parameter = text.strip().lower().partition(":")
    if name in PLAIN:
        if colon:
            raise InputError(f"{name} must have no parameter, got {shorten(text)}")
        return ItemLaw(name, PLAIN[name])
    if name == "zipf":
        return zipf_items(as_rational(parameter if colon else "1", "S of zipf:S"))
    if name == "constant":
        if colon and not (parameter.isascii() and parameter.isdecimal() and len(parameter) <= 9):
            raise InputError(
                f"C of constant:C must be a whole number of at least 0, got C={shorten(parameter) or 'none'}"
            )
        return constant_item(int(parameter) if colon else None)
    return None


def draw_items(law: ItemLaw, k: int = BUCKETS, people: int = USUAL_PEOPLE, seed: int | None = None) -> ItemCounts:
    """Draw an item for each of so many people by this law; the same again for the same seed, law, k and people.

    Raises:
        InputError: for a k that is not in 2..2^26, people that are not in 1..10^9, or a negative seed.
    """
    if not 2 <= k <= MAX_BUCKETS:
        raise InputError(f"k must be in 2..{MAX_BUCKETS}, got k={k}")
    if not 1 <= people <= MOST_WITH_ITEMS:
        raise InputError(f"people must be in 1..{MOST_WITH_ITEMS}, got people={people}")
    counts = generator_for(seed).multinomial(people, law.weights(k))
    label = _hours_label(k) if law.on_hours else str
    items = tuple(map(label, range(k))) if k <= MOST_LISTED else None
    return ItemCounts(law.name, items, counts, label)


def generator_for(seed: int | None, *stream: int) -> np.random.Generator:
    """Make the generator of made-up data; fresh for None.

    It is kept apart from noise that was seeded with the same number.
    """
    if seed is None:
        return np.random.default_rng()
    if seed < 0:
        raise InputError(f"seed must be a whole number of at least 0, got seed={seed}")
    return np.random.default_rng((seed, DATA_STREAM, *stream))


def _edges(k: int) -> Floats:
    return np.linspace(0.0, HOURS, k + 1)


def _given_inside(cumulative: Floats) -> Floats:
    return np.asarray(np.diff(cumulative) / (cumulative[-1] - cumulative[0]))


def _hours_label(k: int) -> Callable[[int], str]:
    def label(item: int) -> str:
        return f"{HOURS * item / k:.10g} to {HOURS * (item + 1) / k:.10g} h"

    return label
