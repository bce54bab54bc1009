"""State a local design of levels: rows of a circle at public shifts, for ranges and arcs of any number of items."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from mechdesign.certificate.design import CertifiedDesign
from mechdesign.mechanism.notebook import Bound, Value
from mechdesign.problem.privacy import rounded_up
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.verify.level_design import BlockEntry, LevelEntry


@dataclass(frozen=True)
class LevelMechanism:
    """An alpha-LDP mechanism that draws a level and a shift in public, and reports a row of places of a circle.

    A report that holds the own item is 1/alpha times as likely as another of its level and shift (FORMAT.md, "A design
    of levels"). `mechdesign_catalog.oracle_of_design` makes the oracle that draws such reports.

    Attributes:
        alpha: in (0, 1).
        k: the number of items.
        places: of the circle, k at least; nobody has those beyond k.
        levels: with how often each is drawn, in proportion.
    """

    alpha: Fraction
    k: int
    places: int
    levels: tuple[LevelEntry, ...]

    @property
    def bits(self) -> int:
        """Bits of the longest report, beside level, shift and masks, which are public."""
        return max(
            level.bits if isinstance(level, BlockEntry) else (len(level.row) - 1).bit_length() for level in self.levels
        )


@dataclass(frozen=True, repr=False, kw_only=True)
class LevelDesign(CertifiedDesign[WorkloadProblem, LevelMechanism]):
    """A certified local mechanism of levels for all ranges, or all arcs, of any number of items.

    Attributes:
        score: a bound of the variance for each user, summed over the queries, where all items are as frequent; without
            padding it is the variance, rounded up.
        lower_bound: no alpha-LDP mechanism with linear unbiased estimates has less there.
    """

    score: Fraction
    lower_bound: Fraction
    title: ClassVar[str] = "Level design"

    @property
    def gap(self) -> Fraction:
        """The part of the bound by which the variance may exceed the optimum."""
        return self.score / self.lower_bound - 1

    def summary(self) -> tuple[str, ...]:
        """Say the variance, the gap and the number of levels."""
        count = len(self.mechanism.levels)
        return (f"variance {rounded_up(self.score, 8)}, gap {rounded_up(self.gap, 2)}, {count} levels",)

    def facts(self) -> list[tuple[str, Value]]:
        """List variance, bound and levels."""
        return [
            ("variance for each user", Bound(self.score)),
            ("lower bound", Bound(self.lower_bound, is_lower=True)),
            ("levels", len(self.mechanism.levels)),
            ("bits of a report", self.mechanism.bits),
        ]
