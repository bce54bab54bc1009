"""Users with several attributes each."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign_catalog.datasets.items.counts import ItemCounts, Values

MOST_CELLS = 1 << 20
"""Cells of a joint domain at most: beyond it the labels alone are larger than any of these data."""


@dataclass(frozen=True, eq=False)
class ItemTable:
    """A row for each user and a column for each attribute.

    Args:
        name: as it is asked for: `adult`, `titanic`.
        attributes: their names, d of them.
        domains: the labels of each attribute, in their public order.
        values: the item of each user in each attribute, shape (users, d).

    Raises:
        InputError: where the four do not fit together.

    >>> table = ItemTable("two", ("coin", "die"), (("head", "tail"), ("1", "2", "3")), np.array([[0, 2], [1, 2]]))
    >>> table.attribute("die").counts.tolist(), table.joint().label(2)
    ([0, 0, 2], 'head, 3')
    """

    name: str
    attributes: tuple[str, ...]
    domains: tuple[tuple[str, ...], ...]
    values: Values

    def __post_init__(self) -> None:
        d = len(self.attributes)
        if not d or len(set(self.attributes)) != d or len(self.domains) != d:
            raise InputError(f"{self.name} must have a domain for each attribute, got {len(self.domains)} for {d}")
        if self.values.ndim != 2 or self.values.shape[1] != d or not len(self.values):
            raise InputError(f"values of {self.name} must be users x {d}, got the shape {self.values.shape}")
        outside = (self.values < 0) | (self.values >= np.array(self.sizes))
        if outside.any():
            row, column = map(int, np.argwhere(outside)[0])
            raise InputError(
                f"{self.attributes[column]} must be in 0..{self.sizes[column] - 1}, "
                f"got {self.values[row, column]} in row {row + 1} of {self.name}"
            )

    @property
    def users(self) -> int:
        """Number of users."""
        return len(self.values)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of items of each attribute."""
        return tuple(map(len, self.domains))

    def attribute(self, name: str, others: Sequence[str] = ()) -> ItemCounts:
        """Count the items of one attribute by itself; `others` are further names that an error lists.

        Raises:
            InputError: for an unknown attribute, with the nearest known one.
        """
        place = self.attributes.index(require_known(name, self.attributes, f"attribute of {self.name}", others))
        counts = np.bincount(self.values[:, place], minlength=self.sizes[place])
        return ItemCounts(f"{self.name}:{self.attributes[place]}", self.domains[place], counts)

    def taken(self, names: Sequence[str]) -> "ItemTable":
        """Return the table of these attributes, in this order.

        Raises:
            InputError: for an unknown attribute, with the nearest known one, or one that is taken twice.
        """
        places = [self.attributes.index(require_known(n, self.attributes, f"attribute of {self.name}")) for n in names]
        chosen = tuple(self.attributes[place] for place in places)
        for number, name in enumerate(chosen):
            if name in chosen[:number]:
                raise InputError(f"columns must be different attributes of {self.name}, got {name} twice")
        return ItemTable(self.name, chosen, tuple(self.domains[place] for place in places), self.values[:, places])

    def joint(self) -> ItemCounts:
        """Count the joint items of all attributes: one for each combination, the last attribute varying fastest.

        Raises:
            InputError: for more combinations than anybody would list.
        """
        cells = math.prod(self.sizes)
        if cells > MOST_CELLS:
            raise InputError(
                f"data must name one attribute of {self.name}, whose attributes have {cells:,} combinations, got none; "
                f"take {self.name}: and one of {', '.join(self.attributes)}"
            )
        items = np.ravel_multi_index(tuple(self.values.T), self.sizes)
        labels = tuple(", ".join(combination) for combination in product(*self.domains))
        return ItemCounts(self.name, labels, np.bincount(items, minlength=cells), sizes=self.sizes)
