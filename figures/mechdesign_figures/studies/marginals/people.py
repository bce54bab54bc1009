"""The people of the chapter's experiments: the same in every study and claim."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from mechdesign_catalog.datasets.items import ItemTable, open_item_table
from mechdesign_catalog.decoders.tables.subsets import Domains, JointShares, PeopleShares, Shares, Subset, cell_numbers
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats

SEED = 4_300
FILMS, TAXI, SKEWED = "films", "taxi", "skewed"
FEW_USERS, MOST_USERS = 1 << 14, 1 << 19
"""Sizes of populations; few users are taken from the smaller one."""

GENRES = 17
MOST_JOINT = 16
"""Attributes up to which shares of all combinations of items are kept."""


@lru_cache(maxsize=6)
def population(data: str, d: int, users: int = MOST_USERS) -> ItemTable:
    """Make up a population with d attributes, by the name of its law; of films all genres."""
    return open_item_table(data if data == FILMS else f"{data}:d={d}", people=users, seed=SEED)


def genres(d: int) -> list[int]:
    """Choose so many genres of films at random, as the chapter does; the same each time."""
    return sorted(np.random.default_rng(SEED).permutation(GENRES)[:d].tolist())


@dataclass(frozen=True, eq=False)
class RememberedShares:
    """Shares that are counted among people, each table once."""

    counted: PeopleShares

    @property
    def domains(self) -> Domains:
        """Number of items of each attribute."""
        return self.counted.domains

    @cached_property
    def _known(self) -> dict[Subset, Floats]:
        return {}

    def table(self, subset: Subset) -> Floats:
        """Return the share of each cell of a table."""
        if subset not in self._known:
            self._known[subset] = self.counted.table(subset)
        return self._known[subset]


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
            return RememberedShares(PeopleShares(self.domains, self.values))
        joint = cell_numbers(self.domains, tuple(range(len(self.domains))), self.values)
        return JointShares(self.domains, np.bincount(joint, minlength=2 ** len(self.domains)) / self.users)


@lru_cache(maxsize=32)
def people(data: str, d: int, users: int) -> People:
    """Return the first people of a population; taxi trips with more than 8 attributes repeat them, as published."""
    everybody = population(data, GENRES if data == FILMS else d, FEW_USERS if users <= FEW_USERS else MOST_USERS)
    columns = genres(d) if data == FILMS else slice(None)
    return People(everybody.values[:users, columns])
