"""Make up the people of the chapter's experiments: the same in every study and claim."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from mechdesign_catalog.datasets.items import ItemTable, open_item_table
from mechdesign_catalog.multidimensional.tables import Domains, JointShares, PeopleShares, Shares, cell_numbers
from mechdesign_catalog.oracles.oracle import Values

SEED = 4_300
FILMS, TAXI, SKEWED = "films", "taxi", "skewed"
MOST_USERS = 1 << 19
MOST_JOINT = 16
"""Attributes up to which shares of all combinations of items are kept."""


@lru_cache(maxsize=6)
def population(data: str, d: int) -> ItemTable:
    """Make up a population with d attributes, by the name of its law."""
    return open_item_table(f"{data}:d={d}", people=MOST_USERS, seed=SEED)


@dataclass(frozen=True, eq=False)
class People:
    """People with d attributes of two items each, shape (users, d)."""

    values: Values

    @property
    def users(self) -> int:
        """Number of people."""
        return len(self.values)

    @property
    def domains(self) -> Domains:
        """Two items for each attribute."""
        return (2,) * int(self.values.shape[1])

    @cached_property
    def shares(self) -> Shares:
        """The people's shares in every table."""
        if len(self.domains) > MOST_JOINT:
            return PeopleShares(self.domains, self.values)
        joint = cell_numbers(self.domains, tuple(range(len(self.domains))), self.values)
        return JointShares(self.domains, np.bincount(joint, minlength=2 ** len(self.domains)) / self.users)


@lru_cache(maxsize=32)
def people(data: str, d: int, users: int) -> People:
    """Return the first people of a population; taxi trips with more than 8 attributes repeat them, as published."""
    return People(population(data, d).values[:users])
