"""SPL: the budget split, and every attribute reported with its part."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mechdesign_catalog.randomizers.facts.sources import ARCOLEZI, Source
from mechdesign_catalog.randomizers.product import SideBySide
from mechdesign_catalog.systems.attributes.choice import TableOracle, better_oracle
from mechdesign_catalog.systems.attributes.one_way import TupleOracle


@dataclass(frozen=True)
class Spl(SideBySide, TupleOracle):
    """Splitting: attribute j goes through GRR or OUE with `eps/d`; sequential composition makes that eps for the tuple.

    >>> from mechdesign.problem.privacy import Privacy
    >>> Spl((3, 90), Privacy(epsilon=1)).encodings
    ('grr', 'oue')
    """

    name: ClassVar[str] = "spl"
    summary: ClassVar[str] = "splitting the budget: every attribute with epsilon/d"
    properties: ClassVar[str] = (
        "epsilon-LDP for whole tuples, epsilon/d for one attribute; GRR if k < 3 e^(epsilon/d) + 2, else OUE"
    )
    sources: ClassVar[tuple[Source, ...]] = (ARCOLEZI,)

    @cached_property
    def parts(self) -> tuple[TableOracle, ...]:
        """The oracle of each attribute, with its part of the budget."""
        share = self.privacy.split(len(self.domains))
        return tuple(better_oracle(k, share) for k in self.domains)
