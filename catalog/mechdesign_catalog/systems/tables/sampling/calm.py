"""CALM's collection: few sets of attributes that cover all tables of k attributes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import ClassVar

from mechdesign.errors import InputError, shorten
from mechdesign_catalog.decoders.tables.subsets import Subset
from mechdesign_catalog.randomizers.facts.sources import CALM, Source
from mechdesign_catalog.randomizers.reports.reports import Parameters
from mechdesign_catalog.systems.attributes.choice import TableOracle
from mechdesign_catalog.systems.tables.sampling.covering import (
    Sets,
    best_sets,
    covering_sets,
    most_precise_oracle,
    require_few_tables,
)
from mechdesign_catalog.systems.tables.sampling.sampled_tables import SampledTables


@dataclass(frozen=True)
class Calm(SampledTables):
    """The cell of one of several sets of attributes that cover all tables, by GRR or OUE.

    The tables have k attributes.

    The sets are settled before the first report, by the domains, k and the privacy parameter alone, so one round
    serves. Each has GRR or OUE, by what is left of their noise in tables by least squares (`most_precise_oracle`).

    In the paper sets need not cover everything, and tables are made nonnegative in the end, which biases them; these
    estimates are unbiased, and what is done to them afterwards is up to the server.

    Args:
        size: number of attributes of a set; 0 for that with the least variance on average (`best_sets`).
        sets: the sets, as `0.1.2+0.3.4`: numbers of attributes with points between them, sets with + between them;
            none for those of `covering_sets`. In headers of files they are written out, so that reports can be read
            however sets are chosen one day. A text is parsed.

    Raises:
        InputError: for sets that do not cover all tables of k attributes, that are of no such attributes, or not of
            this size; for too many tables; and as `MarginalBase`.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Calm((2,) * 6, Privacy(epsilon=1), way=3)
    >>> oracle.size, len(oracle.sets), oracle.title
    (4, 6, 'calm:k=3:size=4')
    """

    size: int = 0
    sets: Sequence[Subset] = ()
    name: ClassVar[str] = "calm"
    sources: ClassVar[tuple[Source, ...]] = (CALM,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.size, bool) or not isinstance(self.size, int):
            raise InputError(f"size must be a whole number, got size={shorten(self.size)}")
        sets = _checked_sets(self.sets, len(self.domains), self.way) if self.sets != () else self._chosen()
        largest = max(len(own) for own in sets)
        if self.size not in (0, largest):
            raise InputError(f"size must be that of the largest set, {largest}, got size={self.size}")
        object.__setattr__(self, "sets", sets)
        object.__setattr__(self, "size", largest)

    def _chosen(self) -> Sets:
        if not self.size:
            return best_sets(self.domains, self.way, self.privacy)
        return covering_sets(len(self.domains), self.way, self.size)

    @property
    def title(self) -> str:
        """The name with the way of the tables and the size of the sets."""
        return f"{self.name}:k={self.way}:size={self.size}"

    def __hash__(self) -> int:
        """Tell oracles apart, without all of the sets: what follows from an oracle is looked up often."""
        return hash((self.name, self.domains, self.privacy, self.way, self.size, len(self.sets)))

    @cached_property
    def _parameters(self) -> Parameters:
        """Fields by the names of their options; sets as a text."""
        return {**super()._parameters, "sets": "+".join(".".join(map(str, own)) for own in self.sets)}

    def cell_oracle(self, cells: int) -> TableOracle:
        """Make the oracle for a table of so many cells."""
        return most_precise_oracle(cells, self.privacy)

    def kind_of_table(self, subset: Subset) -> object:
        """Return the sizes of the domains of each part of a table, and of the sets that have it."""
        parts = (part for size in range(1, len(subset) + 1) for part in combinations(subset, size))
        return tuple((super(Calm, self).kind_of_table(part), self._cells_of_sets(part)) for part in parts)

    def _cells_of_sets(self, part: Subset) -> tuple[int, ...]:
        """Return the numbers of cells of the sets that have these attributes, rising."""
        return tuple(sorted(self.cells(self.sets[i]) for i in self.telling[part].tolist()))


def _checked_sets(sets: Sequence[Subset] | str | int, d: int, way: int) -> Sets:
    """Parse sets where they are a text, and check that they cover all tables of `way` of d attributes."""
    found = _parsed(str(sets)) if isinstance(sets, str | int) else tuple(tuple(own) for own in sets)
    for own in found:
        if not own or list(own) != sorted(set(own)) or not 0 <= own[0] <= own[-1] < d:
            raise InputError(f"sets must be of attributes of 0..{d - 1} in rising order, got {shorten(own)}")
    twice = [own for own, times in Counter(found).items() if times > 1]
    if twice:
        raise InputError(f"sets must be different from each other, got {twice[0]} twice")
    require_few_tables(d, way)
    covered = {part for own in found for part in combinations(own, way)}
    if len(covered) < comb(d, way):
        missing = next(part for part in combinations(range(d), way) if part not in covered)
        raise InputError(f"sets must cover all tables of k={way} attributes, got none with {missing}")
    return found


def _parsed(text: str) -> Sets:
    words = [own.split(".") for own in text.split("+")]
    if not all(word.isdecimal() and len(word) < 6 for own in words for word in own):
        raise InputError(f"sets must be numbers of attributes, as 0.1.2+0.3.4, got {shorten(text)}")
    return tuple(tuple(int(word) for word in own) for own in words)
