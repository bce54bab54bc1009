"""Laws over k items in their order, by name.

Item i is the interval [i, i+1) of [0, k]; a law on the line is taken given that it is inside [0, k].

- `normal`, `uniform`, `constant`: on the hours of a day, [0, 24], cut into k buckets of equal width; 32 of 0.75 hours
  by default, as in the study of telemetry. `normal` has the mean 12 and the standard deviation 4 hours, which are ours.
- `constant:C`: everybody has the item C.
- `zipf:S`: item i is the (i+1)-th most likely, proportional to `1/(i+1)^S`; `zipf` is S = 1.
- `cauchy:P`: a Cauchy with centre P k and scale k/10, as Cormode, Kulkarni, Srivastava (*Answering range queries under
  local differential privacy*, VLDB 2019) draw ordered items; `cauchy` is P = 0.4.
- `mixture`: three groups and a flat rest, ours: 3/10 normal with mean k/4 and standard deviation k/40, 2/5 normal with
  11k/20 and k/10, 1/5 normal with 4k/5 and k/100, and 1/10 uniform.
- `timeseries:NAME` and `checkins` are in `series`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.rational import as_rational, fraction_text
from mechdesign_catalog.datasets.counts.laws import MAX_EXPONENT
from mechdesign_catalog.datasets.counts.synthetic import USUAL_PEOPLE
from mechdesign_catalog.datasets.items.counts import Floats

BUCKETS = 32
HOURS = 24.0
CENTRE = Fraction(2, 5)
"""Centre of `cauchy`, as a share of k."""

SCALE = 0.1
"""Scale of `cauchy:P`, as a share of k."""

Labeller = Callable[[int], str]


def number_labels(k: int) -> Labeller:
    """Make the labels of items that are their numbers."""
    return str


def hour_labels(k: int) -> Labeller:
    """Make the labels of k buckets of a day: `0 to 0.75 h`."""
    return lambda item: f"{HOURS * item / k:.10g} to {HOURS * (item + 1) / k:.10g} h"


@dataclass(frozen=True)
class ItemLaw:
    """A law over items: `weights(k)` are the probabilities of the k items; they sum to 1.

    `labels(k)` makes their labels. `k` and `people` are what is taken unless another number is asked for.
    """

    name: str
    weights: Callable[[int], Floats]
    labels: Callable[[int], Labeller] = number_labels
    k: int = BUCKETS
    people: int = USUAL_PEOPLE


def given_inside(cumulative: Floats) -> Floats:
    """Return the chance of each interval, given all of them, from the distribution function at their k + 1 edges."""
    return np.asarray(np.diff(cumulative) / (cumulative[-1] - cumulative[0]))


def normal_items(k: int, mean: float, deviation: float, width: float) -> Floats:
    """Make the law of a normal on [0, width], which is cut into k items."""
    from scipy.special import ndtr

    return given_inside(ndtr((np.linspace(0.0, width, k + 1) - mean) / deviation))


def uniform_items(k: int) -> Floats:
    """Make the law under which every item is as likely."""
    return np.full(k, 1.0 / k)


def cauchy_items(centre: Fraction) -> ItemLaw:
    """Make the law of a Cauchy with centre P k and scale k/10.

    Raises:
        InputError: for a P that is not in [0, 1].
    """
    if not 0 <= centre <= 1:
        raise InputError(f"P of cauchy:P must be in [0, 1], got P={fraction_text(centre)}")

    def weights(k: int) -> Floats:
        return given_inside(np.arctan((np.linspace(0.0, 1.0, k + 1) - float(centre)) / SCALE))

    return ItemLaw("cauchy" if centre == CENTRE else f"cauchy:{fraction_text(centre)}", weights)


MIXED = ((0.3, 0.25, 0.025), (0.4, 0.55, 0.1), (0.2, 0.8, 0.01))
"""Share, mean and standard deviation of each group of `mixture`, the last two as shares of k; the rest is uniform."""


def mixture_items(k: int) -> Floats:
    """Make the law of three normal groups and a uniform rest, `MIXED`."""
    rest = 1 - sum(share for share, _, _ in MIXED)
    groups = [share * normal_items(k, mean, deviation, 1.0) for share, mean, deviation in MIXED]
    return np.asarray(np.sum(groups, axis=0) + rest * uniform_items(k))


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

    return ItemLaw("zipf" if exponent == 1 else f"zipf:{fraction_text(exponent)}", weights)


def constant_item(parameter: str | None) -> ItemLaw:
    """Make the law under which everybody has one item: C of `constant:C`, or the bucket that begins at noon for None.

    The bucket begins just before noon where k is odd.
    """
    if parameter is not None and not (parameter.isascii() and parameter.isdecimal() and len(parameter) <= 9):
        raise InputError(f"C of constant:C must be a whole number of at least 0, got C={shorten(parameter) or 'none'}")
    item = None if parameter is None else int(parameter)

    def weights(k: int) -> Floats:
        chosen = k // 2 if item is None else item
        if chosen >= k:
            raise InputError(f"C of constant:C must be at most k - 1 = {k - 1}, got C={chosen}")
        point = np.zeros(k)
        point[chosen] = 1.0
        return point

    return ItemLaw("constant" if item is None else f"constant:{item}", weights, hour_labels)


PLAIN = {
    law.name: law
    for law in (
        ItemLaw("normal", partial(normal_items, mean=12.0, deviation=4.0, width=HOURS), hour_labels),
        ItemLaw("uniform", uniform_items, hour_labels),
        ItemLaw("mixture", mixture_items),
    )
}
"""Laws without a parameter; `normal` has the mean 12 and the standard deviation 4, in hours."""


def parse_plain_law(name: str, parameter: str | None) -> ItemLaw | None:
    """Parse a law of this module from its name and what follows the colon; None for a name that is none of them.

    Raises:
        InputError: for a parameter that is out of range, or where there is none to give.
    """
    if name in PLAIN:
        if parameter is not None:
            raise InputError(f"{name} must have no parameter, got {shorten(f'{name}:{parameter}')}")
        return PLAIN[name]
    if name == "zipf":
        return zipf_items(as_rational("1" if parameter is None else parameter, "S of zipf:S"))
    if name == "cauchy":
        return cauchy_items(CENTRE if parameter is None else as_rational(parameter, "P of cauchy:P"))
    return constant_item(parameter) if name == "constant" else None
