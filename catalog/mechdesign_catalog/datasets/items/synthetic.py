"""Made-up items: independent draws from a law over k of them."""

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.datasets.counts.synthetic import DATA_STREAM
from mechdesign_catalog.datasets.items.counts import ItemCounts
from mechdesign_catalog.datasets.items.laws import ItemLaw, parse_plain_law
from mechdesign_catalog.datasets.items.series import SERIES, parse_series

MOST_WITH_ITEMS = 10**9
MAX_BUCKETS = 1 << 26
MOST_LISTED = 4096
"""Beyond it labels are made on demand."""

ITEM_LAWS = (
    *("normal", "uniform", "constant", "constant:C", "zipf", "zipf:S", "cauchy", "cauchy:P", "mixture"),
    *("timeseries", *(f"timeseries:{name}" for name in SERIES), "checkins"),
)
"""How the laws are written."""


def parse_item_law(text: str) -> ItemLaw | None:
    """Parse the name of a law; None for a word that names none.

    Raises:
        InputError: for a parameter that is out of range, or where there is none to give.

    >>> parse_item_law("zipf:2").weights(2).tolist()
    [0.8, 0.2]
    """
    name, colon, rest = text.strip().lower().partition(":")
    parameter = rest if colon else None
    return parse_plain_law(name, parameter) or parse_series(name, parameter)


def draw_items(law: ItemLaw, k: int | None = None, people: int | None = None, seed: int | None = None) -> ItemCounts:
    """Draw an item for each of so many people by this law; the same again for the same seed, law, k and people.

    `k` and `people` are the law's own where they are not given.

    Raises:
        InputError: for a k that is not in 2..2^26, people that are not in 1..10^9, or a negative seed.
    """
    k, people = law.k if k is None else k, law.people if people is None else people
    if not 2 <= k <= MAX_BUCKETS:
        raise InputError(f"k must be in 2..{MAX_BUCKETS}, got k={k}")
    if not 1 <= people <= MOST_WITH_ITEMS:
        raise InputError(f"people must be in 1..{MOST_WITH_ITEMS}, got people={people}")
    counts = generator_for(seed).multinomial(people, law.weights(k))
    label = law.labels(k)
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
