"""The base of oracles for marginal tables: attributes, privacy, size of tables, checked."""

import math
from dataclasses import dataclass

from mechdesign.errors import InputError
from mechdesign_catalog.decoders.tables.subsets import Subset, cells_of, subsets_of
from mechdesign_catalog.systems.attributes.marginal_oracle import MarginalOracle

MOST_SUBSETS = 1 << 20


@dataclass(frozen=True)
class MarginalBase(MarginalOracle):
    """The attributes, the privacy, and the most attributes of a table; a subclass adds its further options.

    Raises:
        InputError: for a way that is not in 1..d, and as `MarginalOracle`.
    """

    way: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        d = len(self.domains)
        if isinstance(self.way, bool) or not isinstance(self.way, int) or not 1 <= self.way <= d:
            count, advice = (f"are {d} attributes", "") if d > 1 else ("is 1 attribute", f"; write {self.name}:k=1")
            raise InputError(f"k must be in 1..{d}, as there {count}, got k={self.way}{advice}")

    @property
    def title(self) -> str:
        """The name with the way of the tables."""
        return f"{self.name}:k={self.way}"

    @property
    def subsets(self) -> list[Subset]:
        """The subsets of `way` attributes, in lexicographic order."""
        return subsets_of(len(self.domains), self.way)

    def cells(self, subset: Subset) -> int:
        """Return the number of cells of a table."""
        return cells_of(self.domains, subset)

    def require_binary(self) -> None:
        """Refuse attributes that have more than two items.

        Raises:
            InputError: with the first of them.
        """
        for number, items in enumerate(self.domains, start=1):
            if items != 2:
                raise InputError(f"attributes must have 2 items for {self.name}, got {items} in attribute {number}")


def require_few_subsets(d: int, way: int) -> None:
    """Refuse more sets of 1 to `way` of d attributes than sums are kept for.

    Raises:
        InputError: with k and d.
    """
    subsets = 0
    for size in range(1, way + 1):
        subsets += math.comb(d, size)
        if subsets > MOST_SUBSETS:
            raise InputError(
                f"k must leave at most 2^20 sets of up to k attributes, got k={way} of {d} attributes; take a smaller "
                "k or fewer attributes"
            )
