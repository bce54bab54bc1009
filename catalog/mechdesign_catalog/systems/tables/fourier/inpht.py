"""INPHT: report one Hadamard (Walsh-Fourier) coefficient of the user's tuple."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.facts.sources import MARGINALS, THESIS, Source
from mechdesign_catalog.systems.tables.fourier.fourier_oracle import UNIFORM, FourierOracle
from mechdesign_catalog.systems.tables.fourier.functions import MOST_ITEMS, Functions, binary_places, hadamard_functions
from mechdesign_catalog.systems.tables.fourier.inversion import Inversion
from mechdesign_catalog.systems.tables.fourier.pooling import Pooling


@dataclass(frozen=True)
class Inpht(FourierOracle):
    """INPHT: one Hadamard coefficient of each user, for all tables of at most k attributes.

    Items of attribute i are written with `b_i` binary places. A user draws a set S of at most k attributes and for each
    of them a word `j_i` that is not 0, and sends the sign `(-1)^(sum_i <j_i, x_i>)` through randomised response. So
    there are `T = sum_S prod_(i in S) (2^b_i - 1)` coefficients; with two items each, those of 1 to k attributes.

    The papers (algorithms 1 and 2 and theorem 5 of the thesis) draw all coefficients alike (`draw=uniform`). The
    default draws sets in proportion to the square roots of what their noise adds to the cells of all k-way tables: for
    two items each, of how many k-way tables have the set. That makes the average noise of all cells least for tables by
    inversion.

    Where attributes have more items, section 4.5.3 of the thesis takes all coefficients of as many binary places as k
    attributes have; T of them are needed. Users of a set draw its words uniformly, and the server counts them together:
    so no word needs users of its own.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Inpht((2, 2, 2, 2), Privacy(epsilon=1))
    >>> oracle.supports.coefficients, oracle.bits, oracle.title
    (10, 5, 'inpht:k=2')
    """

    name: ClassVar[str] = "inpht"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 4.3.2"), MARGINALS)

    @property
    def is_published(self) -> bool:
        """Whether all coefficients are drawn alike."""
        return self.branch_weights == replace(self, draw=UNIFORM).branch_weights

    def functions_of(self, items: int) -> Functions:
        """Make the signs of an attribute with so many items."""
        if items > MOST_ITEMS:
            raise InputError(f"attributes must have at most {MOST_ITEMS} items for {self.name}, got {items}")
        return hadamard_functions(items)

    def traces_of(self, items: int) -> tuple[Fraction, Fraction]:
        """Return the noise that an attribute's sign, and its constant, bring to tables by inversion."""
        codes = 1 << binary_places(items)
        return Fraction((codes - 1) ** 2 * items, codes**2), Fraction(items, codes**2)

    @cached_property
    def raw(self) -> Inversion:
        """Tables from the coefficients of their own attributes, inverted."""
        return Inversion(self)

    @cached_property
    def least_squares(self) -> Inversion:
        """Tables that agree: the inverted ones, if all numbers of items are powers of two; else components, pooled."""
        if all(items & (items - 1) == 0 for items in self.domains):
            return self.raw
        return Pooling(self)
