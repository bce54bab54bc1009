"""Weights of the levels of `warped-blocks` that a search for the best ones starts with: interpolated in a table.

The best weights are found for each number of items and epsilon anew, by a convex program. What it starts with changes
how long that takes, never what it reaches. A benchmark writes the table:
`tests/benchmarks/starts.py`.

A level has so many blocks on average. Weights of coarse levels hang on the number of blocks, those of fine ones on the
length of a block. So weights are looked up at the same number below the root of k, and above it at the same length.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import log
from pathlib import Path
from typing import cast

import numpy as np

from mechdesign_catalog.randomizers.reports.probabilities import Floats

TABLE = Path(__file__).with_name("starts.json")

UNIT = 1000
"""Weights of the table are parts of so many."""

Weights = Mapping[str, int]
"""The weight of each level, by its number of blocks."""


@lru_cache(maxsize=1)
def table() -> dict[str, dict[str, dict[str, Weights]]]:
    """Read the table: for each workload, epsilon and number of items, the weights."""
    return cast(dict[str, dict[str, dict[str, Weights]]], json.loads(TABLE.read_text()))


def start_for(workload: str, k: int, epsilon: float, blocks: Sequence[int]) -> Floats | None:
    """Interpolate the weights of levels of so many blocks of k items; None for a workload without a table.

    >>> start_for("prefixes", 256, 1.0, (2, 63, 255)).round(2)
    array([0.14, 0.12, 0.2 ])
    """
    if (known := table().get(workload)) is None:
        return None

    def at_items(of_epsilon: Mapping[str, Weights]) -> Floats:
        return _between(of_epsilon, log(k), log, lambda size, one: _at_blocks(one, float(size), k, blocks))

    return _between(known, epsilon, float, lambda _, of_epsilon: at_items(of_epsilon))


def _between(
    known: Mapping[str, Mapping[str, object]], at: float, scale: Callable[[float], float], told: Callable[..., Floats]
) -> Floats:
    """Interpolate what is told by two neighbours of a number, or of the nearest end; keys are numbers, rising."""
    keys = list(known)
    places = [scale(float(key)) for key in keys]
    high = min(max(int(np.searchsorted(places, at)), 1), len(keys) - 1)
    low = high - 1
    part = min(max((at - places[low]) / (places[high] - places[low]), 0.0), 1.0)
    found: Floats = (1 - part) * told(keys[low], known[keys[low]]) + part * told(keys[high], known[keys[high]])
    return found


def _at_blocks(weights: Weights, size: float, k: int, blocks: Sequence[int]) -> Floats:
    """Interpolate the weights for `size` items at levels of so many blocks of k items."""
    numbers = np.log(np.minimum(blocks, k))
    coarse, middle = numbers <= log(k) / 2, log(size) / 2
    places = np.where(coarse, np.minimum(numbers, middle), np.maximum(log(size) - log(k) + numbers, middle))
    known = np.log([float(number) for number in weights])
    return np.interp(places, known, np.array(list(weights.values())) / UNIT)
