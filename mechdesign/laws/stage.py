"""Further respects in which a law is best, of all mechanisms that are best in those before."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.laws.problem import LawProblem
from mechdesign.verify import layer_duals as duals
from mechdesign.verify import layers as kernel
from mechdesign.verify.certificates import ONLY, Certificate
from mechdesign.verify.layer_duals import LayerDual, counted
from mechdesign.verify.layers import Layer

Ends = tuple[Fraction, Fraction]
"""Two numbers between which one lies."""


@dataclass(frozen=True)
class LawStage:
    """A further respect in which a law is best, of all mechanisms that are best in those before.

    Attributes:
        problem: the law's own, with the loss of this respect.
        before: those of the respects before it, the law's own first.
        penalties: how often the loss of each of these counts beside this one in what `certificate` bounds.
        certificate: prices at the alpha of bounds; or no arrays, where no other mechanism is best in the first respect.
    """

    problem: LawProblem
    before: tuple[LawProblem, ...]
    penalties: tuple[int, ...]
    certificate: Certificate

    @property
    def is_only(self) -> bool:
        """Whether no other mechanism is best in the first respect."""
        return self.certificate.kind == ONLY

    @property
    def dual(self) -> LayerDual | None:
        """Prices at the alpha of bounds; None where no other mechanism is best in the first respect."""
        if self.is_only:
            return None
        penalties = counted([one.power for one in self.before], self.penalties)
        return LayerDual.of(self.problem.privacy.bound_alpha, self.certificate, penalties)

    def score(self, layer: Layer, n: int) -> Ends:
        """Enclose the score of this loss at n."""
        low, high = kernel.score_sum(layer, self.problem.power, n)
        return self.problem.rescaling(n) * low, self.problem.rescaling(n) * high

    def bound(self, layer: Layer, n: int) -> Ends:
        """Enclose the bound at n: none whose scores before are at most those of the law scores below it."""
        if self.dual is None:
            return self.score(layer, n)
        bound = duals.bound_sum(self.dual, self.problem.power, self.problem.properties, n)
        paid = zip(self.penalties, self.before, strict=True)
        bound -= sum(u * kernel.score_sum(layer, one.power, n)[1] for u, one in paid)
        return (self.problem.rescaling(n) * bound,) * 2

    def gap(self, layer: Layer, n: int) -> Fraction:
        """Return by how much the score may exceed the least of this respect, as a part of the score, at most."""
        return Fraction(0) if self.dual is None else 1 - self.bound(layer, n)[0] / self.score(layer, n)[1]

    def excess(self, layer: Layer) -> Ends:
        """Return E and E' of this loss."""
        own = kernel.layer_excess(layer, self.problem.power)[0]
        if self.dual is None:
            return own, own
        bound = duals.dual_excess(self.dual, self.problem.power, self.problem.properties)[0]
        return own, bound - paid_excess(layer, self.before, self.penalties)


def paid_excess(layer: Layer, before: Sequence[LawProblem], penalties: Sequence[int]) -> Fraction:
    """Return what the losses before come to at an end, with their penalties."""
    paid = zip(penalties, before, strict=True)
    return sum((u * kernel.layer_excess(layer, one.power)[0] for u, one in paid), Fraction(0))
