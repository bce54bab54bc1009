"""Exact composition: the sum of what a data set has spent.

Basic composition: what a unit gets from several draws is the product of their alphas, a rational, and its epsilon the
sum of theirs. Parts of a data set are stated to have no unit in common, so a unit pays for one part only: of all parts
the one that has spent most counts (parallel composition). Nothing is rounded but what is shown, and that outwards.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.ledgers.entry import Charge, Entry
from mechdesign.problem.privacy import epsilon_bounds


@dataclass(frozen=True)
class Balance:
    """The balance of a data set: what is spent of its budget.

    Attributes:
        dataset: its name.
        budget: the most that epsilon may come to.
        alpha: of the unit that has spent most, `exp(-epsilon)`, exact.
        entries: how many were paid.
        undelivered: how many of them are lost, or not delivered yet.
    """

    dataset: str
    budget: Fraction
    alpha: Fraction
    entries: int
    undelivered: int

    @property
    def epsilon(self) -> tuple[Fraction, Fraction]:
        """Rationals below and above what is spent, `-ln alpha`."""
        return epsilon_bounds(self.alpha)

    @property
    def left(self) -> Fraction:
        """What is left, from below."""
        return self.budget - self.epsilon[1]


def composed_alpha(entries: Iterable[Entry], part: str | None = None) -> Fraction:
    """Return the alpha that a unit has got from all these entries: one of that part, or the unit that has spent most.

    Args:
        entries: of one data set.
        part: the name of a part; "" or None for the unit that has spent most.
    """
    every, parts = Fraction(1), dict[str, Fraction]()
    for entry in entries:
        if entry.counts and entry.part:
            parts[entry.part] = parts.get(entry.part, Fraction(1)) * entry.alpha
        elif entry.counts:
            every *= entry.alpha
    return every * (parts.get(part, Fraction(1)) if part else min(parts.values(), default=Fraction(1)))


def fits_budget(alpha: Fraction, budget: Fraction) -> bool:
    """Return whether `-ln alpha` is proved to be at most the budget.

    >>> fits_budget(Fraction(1, 3), Fraction("1.0986122886681099")), fits_budget(Fraction(1, 3), Fraction("1.098612"))
    (True, False)
    """
    return epsilon_bounds(alpha)[1] <= budget


def cost_of(charge: Charge, part: str, hint: str, entries: Iterable[Entry]) -> Fraction:
    """Return the alpha that a charge costs beside these entries of its data set.

    Answers of a memory are drawn once. The same file again gets the same reports, and pays nothing more. A user who has
    `answers` permanent answers tells no more than so many draws do, in however many rounds: whoever has paid for all of
    them pays nothing more.
    """
    if not charge.memory:
        return charge.alpha
    paid = [entry for entry in entries if entry.counts and entry.memory == charge.memory and entry.part in ("", part)]
    is_same = hint != "" and any(entry.hint == hint for entry in paid)
    draws = sum(entry.alpha < 1 for entry in paid)
    return Fraction(1) if is_same or draws >= charge.answers else charge.alpha
