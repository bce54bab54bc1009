"""Covers of all sets of k attributes by few larger ones, and their size: CALM's choice."""

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.decomposition import cell_precision, subsets_within
from mechdesign_catalog.decoders.tables.subsets import Domains, Subset, cells_of
from mechdesign_catalog.systems.attributes.choice import TableOracle
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.unary import Oue

Sets = tuple[Subset, ...]

MOST_LARGER = 4
"""By how many attributes more than k a set is tried."""

MOST_CELLS = 1 << 20
"""Cells of a set at most, where its size is chosen."""

MOST_TABLES = 1 << 16
"""Tables of k attributes that are covered at most."""

MOST_TUPLES = 1 << 24
"""Tuples of k attributes at most: what is not covered yet takes a byte for each."""


def covering_sets(d: int, way: int, size: int) -> Sets:
    """Find sets of so many attributes of 0..d-1 that cover all sets of `way`, always the same ones.

    Greedy: a set begins with the first `way` attributes that are not covered yet, and takes in the attribute that
    covers most, the first one where several do. Sets that the others make superfluous are left out at the end. For the
    least sizes that are known see Gordon's La Jolla Covering Repository.

    Raises:
        InputError: for sizes that do not fit, or too many sets of `way`.

    >>> covering_sets(4, 2, 3)
    ((0, 1, 2), (0, 1, 3), (0, 2, 3))
    """
    if not 1 <= way <= size <= d:
        raise InputError(f"size must be in {way}..{d}, from k to the number of attributes, got size={size}")
    require_few_tables(d, way)
    missing = np.zeros((d,) * way, dtype=np.bool_)  # by rising indices alone
    missing[tuple(np.array(list(combinations(range(d), way))).T)] = True
    found = []
    for first in combinations(range(d), way):
        if missing[first]:
            chosen = first
            while len(chosen) < size:
                chosen = tuple(sorted((*chosen, _most_covering(missing, chosen))))
            for part in combinations(chosen, way):
                missing[part] = False
            found.append(chosen)
    return tuple(_needed(found, way))


def require_few_tables(d: int, way: int) -> None:
    """Refuse more tables of `way` of d attributes than are covered one by one.

    Raises:
        InputError: with d and k.
    """
    if math.comb(d, way) > MOST_TABLES or d**way > MOST_TUPLES:
        raise InputError(f"k must leave at most 2^16 tables and 2^24 tuples for sets to be chosen, got d={d}, k={way}")


def _most_covering(missing: np.typing.NDArray[np.bool_], chosen: Subset) -> int:
    """Return the attribute that covers most together with the chosen ones."""
    d, way = missing.shape[0], missing.ndim
    gains = np.zeros(d, dtype=np.int64)
    for rest in combinations(chosen, way - 1):
        for place in range(way):  # where the new attribute stands among the rest, in rising order
            between = slice(rest[place - 1] + 1 if place else 0, rest[place] if place < way - 1 else d)
            indices: tuple[Any, ...] = (*rest[:place], between, *rest[place:])
            gains[between] += missing[indices]
    gains[list(chosen)] = -1
    return int(np.argmax(gains))


def _needed(sets: list[Subset], way: int) -> Iterator[Subset]:
    """Leave out sets all of whose parts are in others, the latest first; in order."""
    times: dict[Subset, int] = {}
    for chosen in sets:
        for part in combinations(chosen, way):
            times[part] = times.get(part, 0) + 1
    kept = []
    for chosen in reversed(sets):
        parts = list(combinations(chosen, way))
        if all(times[part] > 1 for part in parts):
            for part in parts:
                times[part] -= 1
        else:
            kept.append(chosen)
    return reversed(kept)


@lru_cache(maxsize=64)
def best_sets(domains: Domains, way: int, privacy: Privacy) -> Sets:
    """Choose the sets by which tables of `way` attributes have the least variance on average, at equal shares.

    Sizes from k on are tried. How many users there are changes nothing: all variances fall alike with their number,
    which has to be large enough for each set to have some.
    """
    d = len(domains)
    sizes = range(way, min(d, way + MOST_LARGER) + 1)
    plans = (covering_sets(d, way, size) for size in sizes)
    possible = [sets for sets in plans if max(cells_of(domains, own) for own in sets) <= MOST_CELLS]
    if not possible:
        largest = max(cells_of(domains, own) for own in combinations(range(d), way))
        raise InputError(f"tables of k={way} attributes must have at most 2^20 cells for calm, got {largest}")
    return min(possible, key=lambda sets: planned_variance(domains, way, sets, privacy))


def most_precise_oracle(cells: int, privacy: Privacy) -> TableOracle:
    """Choose GRR or OUE for a table of so many cells: whose reports weigh more in least squares (`cell_precision`).

    CALM as published compares rare cells, so it has GRR below `3 e^eps + 2` cells. Least squares knows the total of a
    table. That takes noise off OUE, and none off GRR, whose estimates total 1 anyway; so GRR is for fewer cells here.
    """
    kept, encoded = Grr(cells, privacy), Oue(cells, privacy)
    return kept if cell_precision(kept.moments, cells) >= cell_precision(encoded.moments, cells) else encoded


def planned_variance(domains: Domains, way: int, sets: Sets, privacy: Privacy) -> float:
    """Compute n times the sum of a table's variances, on average over the tables of `way` attributes, for large n.

    All tuples are as frequent, every set has `n/m` of the users, and tables are estimated by least squares. Then a
    report's covariance is `c I` and a constant, c from the moments of its oracle and the spread of the users
    themselves; the component of P from set b has the variance `m c r_b / r_P` for each of its free numbers, and so
    adds that times `r_P / r_S` to the table of S.
    """
    precisions: dict[Subset, float] = {}
    for own in sets:
        each = _precision(cells_of(domains, own), privacy) / len(sets)
        for size in range(1, way + 1):
            for part in combinations(own, size):
                precisions[part] = precisions.get(part, 0.0) + each
    needs, spread = _needs(domains, way)
    return sum(need / precisions[part] for part, need in needs.items()) - spread


@lru_cache(maxsize=1024)
def _precision(cells: int, privacy: Privacy) -> float:
    """Compute `1 / (c r_b)` for a table of so many cells, as least squares weighs its reports."""
    return float(cell_precision(most_precise_oracle(cells, privacy).moments, cells) / cells)


@lru_cache(maxsize=8)
def _needs(domains: Domains, way: int) -> tuple[dict[Subset, float], float]:
    """Compute what the tables of `way` attributes need of each part, and the users' own spread, on average.

    The need of P is the number of its free numbers times the sum of `1 / r_S` over the tables S that contain it.
    """
    tables = list(combinations(range(len(domains)), way))
    needs: dict[Subset, float] = {}
    for table in tables:
        cells = cells_of(domains, table)
        for part in subsets_within(table)[1:]:
            needs[part] = needs.get(part, 0.0) + 1 / (cells * len(tables))
    for part in needs:
        needs[part] *= math.prod(domains[i] - 1 for i in part)
    return needs, sum(1 - 1 / cells_of(domains, table) for table in tables) / len(tables)
