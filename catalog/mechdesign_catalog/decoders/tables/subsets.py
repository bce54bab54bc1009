"""Tables by their sets of attributes, and the shares of all where the truth is known.

Attributes are numbered 0..d-1, attribute i has r_i items. The marginal table of a subset of the attributes has a cell
for each combination of their items; cells are in a row, the last attribute of the subset changing fastest.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats

Domains = tuple[int, ...]
"""Number of items of each attribute."""

Subset = tuple[int, ...]
"""Numbers of some attributes, rising."""


class Shares(Protocol):
    """The shares of the users, in every table that is asked for: true ones, or estimates."""

    def __hash__(self) -> int:
        """Tell shares apart, so that what follows from them is kept: by what they are made of, or as objects."""

    @property
    def domains(self) -> Domains:
        """Number of items of each attribute."""

    def table(self, subset: Subset) -> Floats:
        """Return the share of each cell of the subset's table, shape (cells,); of no attribute, the total."""


@dataclass(frozen=True)
class UniformShares:
    """Shares of users among whom every tuple is as frequent."""

    domains: Domains

    def table(self, subset: Subset) -> Floats:
        """Return one over the number of cells, for each cell."""
        cells = cells_of(self.domains, subset)
        return np.full(cells, 1 / cells)


@dataclass(frozen=True, eq=False)
class IndependentShares:
    """Shares of users whose attributes are independent of each other; `margins` has those of each attribute's items."""

    domains: Domains
    margins: tuple[Floats, ...]

    def table(self, subset: Subset) -> Floats:
        """Multiply the shares of the items."""
        found: Floats = np.ones(1)
        for i in subset:
            found = np.multiply.outer(found, self.margins[i]).reshape(-1)
        return found


@dataclass(frozen=True, eq=False)
class JointShares:
    """Shares that follow from those of all tuples, shape (r_1 .. r_d,) in a row."""

    domains: Domains
    joint: Floats

    def table(self, subset: Subset) -> Floats:
        """Add up the other attributes."""
        others = tuple(sorted(set(range(len(self.domains))) - set(subset)))
        found: Floats = self.joint.reshape(self.domains).sum(axis=others).reshape(-1)
        return found


@dataclass(frozen=True, eq=False)
class PeopleShares:
    """Shares that are counted among users; `values` has their items, shape (users, d)."""

    domains: Domains
    values: Values

    def table(self, subset: Subset) -> Floats:
        """Count the users in each cell."""
        cells = cells_of(self.domains, subset)
        found: Floats = np.bincount(cell_numbers(self.domains, subset, self.values), minlength=cells) / len(self.values)
        return found


def cells_of(domains: Domains, subset: Subset) -> int:
    """Return the number of cells of a table."""
    return math.prod(domains[i] for i in subset)


def cell_numbers(domains: Domains, subset: Subset, values: Values) -> Values:
    """Return the cell of each user in the subset's table; `values` has shape (users, d)."""
    found = np.zeros(len(values), dtype=np.int64)
    for i in subset:
        found = found * domains[i] + values[:, i]
    return found


def subsets_of(d: int, way: int) -> list[Subset]:
    """List the subsets of so many attributes, in lexicographic order."""
    return list(combinations(range(d), way))


def checked_subset(subset: Sequence[int], d: int, way: int) -> Subset:
    """Check that a table can be told from what was collected: 1 to `way` different attributes of 0..d-1, rising.

    Raises:
        InputError: with the way of the marginals that were collected.
    """
    found = tuple(subset)
    if not found or list(found) != sorted(set(found)) or not 0 <= found[0] <= found[-1] < d:
        raise InputError(f"a marginal must be of different attributes of 0..{d - 1} in rising order, got {found}")
    if len(found) > way:
        raise InputError(
            f"a marginal must be of at most k={way} attributes, as the reports were made for, got {len(found)}; larger "
            "ones are estimated, not unbiased, by the post max-entropy"
        )
    return found
