"""MARGPS and MARGRR: each k-way table sampled equally often, its cell reported as an item."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import ClassVar

from mechdesign_catalog.decoders.tables.subsets import Subset
from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.randomizers.facts.sources import MARGINALS, THESIS, Source
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.unary import Oue, Sue
from mechdesign_catalog.systems.tables.sampling.branches import require_few_branches
from mechdesign_catalog.systems.tables.sampling.sampled_tables import SampledTables


@dataclass(frozen=True)
class AllTables(SampledTables):
    """One of the tables of k attributes, drawn at random.

    In its papers attributes have two items each; here any number.

    Raises:
        InputError: for too many tables, and as `MarginalBase`.
    """

    kind: ClassVar[type[PureOracle]]
    """The oracle of the cells of a table."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_few_branches(comb(len(self.domains), self.way), f"tables of k={self.way} attributes")

    def cell_oracle(self, cells: int) -> PureOracle:
        """Make the oracle for a table of so many cells."""
        return self.kind(cells, self.privacy)

    @cached_property
    def sets(self) -> Sequence[Subset]:
        """All sets of k attributes, in lexicographic order."""
        return tuple(self.subsets)


@dataclass(frozen=True)
class Margps(AllTables):
    """The cell of a drawn table of k attributes, by GRR (preferential sampling).

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Margps((3, 2, 2), Privacy(epsilon=1), way=2)
    >>> oracle.sets, [cells.k for cells in oracle.parts], oracle.bits
    (((0, 1), (0, 2), (1, 2)), [6, 6, 4], 5)
    """

    name: ClassVar[str] = "margps"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 4.3.3"), MARGINALS)
    kind: ClassVar[type[PureOracle]] = Grr


@dataclass(frozen=True)
class Margrr(AllTables):
    """One bit for each cell of a drawn table of k attributes, by optimised unary encoding.

    The thesis proves it with symmetric bits, `margrr:sue`, and measures it with these.

    >>> from mechdesign.problem.privacy import Privacy
    >>> Margrr((2, 2, 2, 2), Privacy(epsilon=1), way=2).bits
    7
    """

    name: ClassVar[str] = "margrr"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 4.3.3"), MARGINALS)
    kind: ClassVar[type[PureOracle]] = Oue


@dataclass(frozen=True)
class MargrrSue(AllTables):
    """One bit for each cell of a drawn table of k attributes, by symmetric unary encoding.

    >>> from mechdesign.problem.privacy import Privacy
    >>> MargrrSue((2, 2, 2, 2), Privacy(epsilon=1), way=2).title
    'margrr:sue:k=2'
    """

    name: ClassVar[str] = "margrr:sue"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 4.3.3"), MARGINALS)
    kind: ClassVar[type[PureOracle]] = Sue
