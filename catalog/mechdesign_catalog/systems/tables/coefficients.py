"""Coefficients of users' tuples: one each, drawn at random, as a randomised sign.

A coefficient is a function of the tuple with values in [-1, 1]. Sets of coefficients are the branches. Which set a user
drew is counted: the server divides by the number of its users. The coefficient within the set is not: it is divided by
its chance. With coefficient c of set b drawn with the chances `p_b` and `q_c`, and `w = (1 - alpha)/(1 + alpha)`,

    Pr[c, + | x] = p_b q_c (1 + w g_c(x)) / 2,    Pr[c, - | x] = p_b q_c (1 - w g_c(x)) / 2.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.branches import Branched
from mechdesign_catalog.randomizers.facts.information import of_coefficients
from mechdesign_catalog.randomizers.oracle import Leaf, Values, require_few
from mechdesign_catalog.randomizers.reports.contributions import Contribution, OneSign
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Column, ReportLaw, State, counted
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.tables.marginal_base import MarginalBase


@dataclass(frozen=True, eq=False)
class Drawn:
    """The coefficients of a set: their chances, by which they are not counted, and their values at all tuples.

    `numerators[c, x] / denominator` is coefficient c at tuple x, whole numbers of any size.
    """

    chances: tuple[Fraction, ...]
    numerators: NDArray[Any]
    denominator: int


class Coefficients(Leaf, Branched, MarginalBase):
    """One coefficient of a drawn set, as its sign at the own tuple, by randomised response.

    A state has the number of users of each set, and then for each coefficient those with plus less those with minus.
    """

    @property
    def combinator(self) -> str:
        """A counted mixture, of coefficients or of sets of coefficients."""
        return "counted mixture" + (" of uncounted mixtures" if self.set_sizes.max() > 1 else "")

    @cached_property
    def parts(self) -> tuple[Grr, ...]:
        """Randomised response of the sign."""
        return (Grr(2, self.privacy),)

    @property
    def turned(self) -> Fraction:
        """Chance that the sign is turned over."""
        return self.parts[0].support.q

    @property
    @abstractmethod
    def set_sizes(self) -> Values:
        """The numbers of coefficients of the sets; coefficients are numbered set by set."""

    @abstractmethod
    def drawn_of(self, branch: int) -> Drawn:
        """State the coefficients of a set at all tuples, the last attribute changing fastest."""

    def numbers_of(self, columns: Sequence[Column]) -> Column:
        """Return twice the number of each report's coefficient, and 1 more for minus: the column that there is."""
        return columns[0]

    def key_of(self, coefficient: int, minus: int) -> tuple[int, ...]:
        """Return the report of a coefficient's sign as a law lists it: by `numbers_of`, if the system says no other."""
        return (2 * coefficient + minus,)

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used: that of the sign, as what was drawn is no secret.

        Every attribute has a function that takes both 1 and -1.
        """
        return self.parts[0].alpha

    @cached_property
    def scale(self) -> float:
        """What a reported sign counts, `(e^eps + 1)/(e^eps - 1)`."""
        return float((1 + self.alpha) / (1 - self.alpha))

    @cached_property
    def sign_noise(self) -> float:
        """Variance of what one reported sign counts, `4 e^eps/(e^eps - 1)^2`."""
        return float(4 * self.alpha / (1 - self.alpha) ** 2)

    @cached_property
    def set_starts(self) -> Values:
        """Number of the first coefficient of each set."""
        return np.cumsum(self.set_sizes) - self.set_sizes

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 for the set, and a sign at its coefficient."""
        return OneSign(tuple(self.set_sizes.tolist()))

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Count the users of each set, and add up the signs, coefficient by coefficient."""
        counts = counted(self.numbers_of(columns), 2 * self.sums_length).reshape(-1, 2)
        users = np.add.reduceat(counts.sum(axis=1), self.set_starts)
        return np.concatenate([users, counts[:, 0] - counts[:, 1]])

    def split_state(self, state: State) -> tuple[Values, Values]:
        """Return the number of users of each set, and the sums of signs.

        Raises:
            InputError: for a state that is not this oracle's, or whose sums no reports add up to.
        """
        counts, sums = super().split_state(state)
        totals = np.add.reduceat(np.abs(sums.astype(np.float64)), self.set_starts)
        wrong = (totals > counts) | ((totals - counts) % 2 != 0)
        if wrong.any():
            place = int(np.argmax(wrong))
            raise InputError(
                f"a state must have sums of the signs of its users, got {totals[place]:.0f} from "
                f"{counts[place]} for {self.branch_name(place)}"
            )
        return counts, sums

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every tuple.

        Raises:
            InputError: where reports, or the tuples, are more than 2^16.
        """
        require_few(max(2 * self.sums_length, math.prod(self.domains)), self.name)
        kept, law = 1 - 2 * self.turned, ReportLaw()
        for branch, start in enumerate(self.set_starts.tolist()):
            own = self.drawn_of(branch)
            for number, (chance, row) in enumerate(zip(own.chances, own.numerators.tolist(), strict=True), start):
                half = self.branch_chances[branch] * chance / 2
                means = [kept * Fraction(value, own.denominator) for value in row]
                law[self.key_of(number, 0)] = tuple(half * (1 + mean) for mean in means)
                law[self.key_of(number, 1)] = tuple(half * (1 - mean) for mean in means)
        return law

    def information_at_equal_shares(self) -> Floats:
        """Add up the information of the coefficients."""
        values, chances = [], []
        for branch, chance in enumerate(self.branch_chances):
            own = self.drawn_of(branch)
            values.append((own.numerators / own.denominator).astype(np.float64))
            chances.append([float(chance * one) for one in own.chances])
        alone = np.ones(math.prod(self.domains), dtype=np.int64)
        return of_coefficients(np.concatenate(values), np.concatenate(chances), self.alpha, alone)
