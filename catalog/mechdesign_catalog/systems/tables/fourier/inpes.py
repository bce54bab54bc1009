"""INPES: report one coefficient of the user's tuple in a basis of Efron and Stein."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign_catalog.randomizers.facts.sources import THESIS, Source
from mechdesign_catalog.systems.tables.fourier.fourier_oracle import UNIFORM, FourierOracle
from mechdesign_catalog.systems.tables.fourier.functions import MOST_ITEMS, Functions, orthogonal_functions
from mechdesign_catalog.systems.tables.fourier.inversion import Inversion

BASES = ("helmert", "trigonometric", "walsh")


@dataclass(frozen=True)
class Inpes(FourierOracle):
    """INPES: one Efron-Stein coefficient of each user, for all tables of at most k attributes.

    Attribute i has `r_i - 1` functions, orthogonal to each other and to the constant, each with the largest absolute
    value 1: Helmert contrasts, cosines and sines, or Walsh functions, which are signs and ask for powers of two. A user
    draws a set S of at most k attributes and a function of each, and sends a sign whose mean is the product of the
    functions at the own items times `(e^eps - 1)/(e^eps + 1)`: one fair coin a function, made from its value in parts
    of 2^20, and then randomised response. There are `T = sum_S prod_(i in S) (r_i - 1)` coefficients.

    The functions are those rounded values, and tables are made with the inverse of the matrix that they form. So
    estimates are unbiased, and all tables agree.

    The thesis names the decomposition (Efron, Stein, Annals of Statistics 1981) and expects it to be among the best.
    `draw=uniform` draws all coefficients alike; the default draws sets and functions in proportion to the square roots
    of what their noise adds to the cells of all k-way tables.

    >>> from mechdesign.problem.privacy import Privacy
    >>> Inpes((3, 4), Privacy(epsilon=1)).supports.coefficients
    11
    """

    basis: str = "trigonometric"
    name: ClassVar[str] = "inpes"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 7.1.1"),)
    is_published: ClassVar[bool] = False
    """A thesis names the decomposition, and works no oracle out."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "basis", require_known(str(self.basis), BASES, "basis"))
        super().__post_init__()

    @property
    def title(self) -> str:
        """The name with the way of the tables, the basis, and draws that are not the usual ones."""
        return f"{super().title}:basis={self.basis}"

    def functions_of(self, items: int) -> Functions:
        """Make the functions of an attribute with so many items."""
        if items > MOST_ITEMS:
            raise InputError(f"attributes must have at most {MOST_ITEMS} items for {self.name}, got {items}")
        return orthogonal_functions(self.basis, items, uniform=self.draw == UNIFORM)

    def traces_of(self, items: int) -> tuple[Fraction, Fraction]:
        """Return the noise that an attribute's drawn function, and its constant, bring to tables."""
        return self.functions[self.domains.index(items)].spread, Fraction(1, items)

    @cached_property
    def raw(self) -> Inversion:
        """Tables from the coefficients of their own attributes, inverted."""
        return Inversion(self)

    @property
    def least_squares(self) -> Inversion:
        """Tables that agree: the inverted ones, as the constant is one of the functions that are inverted."""
        return self.raw
