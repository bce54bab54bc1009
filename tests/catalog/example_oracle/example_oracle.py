"""Keep the own item, or report a uniform one: an oracle of another package, for `mechdesign local oracles --all`."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from mechdesign_catalog.randomizers.reports.probabilities import Support
from mechdesign_catalog.systems.flat.grr import Grr


@dataclass(frozen=True)
class Keep(Grr):
    """Keep the own item with half the chance that the privacy allows, else report an item drawn evenly."""

    name: ClassVar[str] = "theirs"
    sources = ()

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q: those of GRR, mixed with even ones."""
        p = (1 / (1 + (self.k - 1) * self.privacy.alpha) + Fraction(1, self.k)) / 2
        return Support(p, (1 - p) / (self.k - 1))

    @cached_property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used."""
        return self.support.q / self.support.p

    @property
    def spends_whole_epsilon(self) -> bool:
        """Whether all of the claim is spent: no."""
        return False
