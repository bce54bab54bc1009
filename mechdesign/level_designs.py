"""Local designs of levels: rows at public shifts of a circle or a line, at any number of items."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from mechdesign.certificate.design import CertifiedDesign
from mechdesign.mechanism.notebook import Bound, Value
from mechdesign.problem.privacy import rounded_down, rounded_up
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.verify.circles import cell_unit
from mechdesign.verify.level_design import CERTIFIED, FEASIBLE, BlockEntry, LevelEntry, Measured, WarpedEntry


@dataclass(frozen=True)
class LevelMechanism:
    """An alpha-LDP mechanism that draws a level and a shift in public, and reports a row of places.

    A report that holds the own item is 1/alpha times as likely as another of its level and shift (FORMAT.md, "A design
    of levels"). `mechdesign_catalog.oracle_of_design` makes the oracle that draws such reports.

    Attributes:
        alpha: in (0, 1).
        k: the number of items.
        places: of the circle, k at least; nobody has those beyond k. Of a line they are the items.
        levels: with how often each is drawn, in proportion.
    """

    alpha: Fraction
    k: int
    places: int
    levels: tuple[LevelEntry, ...]

    @property
    def bits(self) -> int:
        """Bits of the longest report, beside level, shift and masks, which are public."""
        return max(_bits_of(level, self.places) for level in self.levels)

    @property
    def is_line(self) -> bool:
        """Whether its levels are partitions of items in a row, of which the blocks are longer at the ends."""
        return any(isinstance(level, WarpedEntry) for level in self.levels)


def _bits_of(level: LevelEntry, places: int) -> int:
    if isinstance(level, BlockEntry):
        return level.bits
    if isinstance(level, WarpedEntry):
        return level.bits or level.blocks.bit_length()
    cells = len(level.row)  # where these divide the circle, only which cell is the first one says anything of the item
    return ((places // cell_unit(places, cells) if places % cells else cells) - 1).bit_length()


@dataclass(frozen=True, repr=False, kw_only=True)
class LevelDesign(CertifiedDesign[WorkloadProblem, LevelMechanism]):
    """A local mechanism of levels for all ranges, arcs or prefixes of any number of items, with a certified bound.

    Attributes:
        score: an upper bound of the variance for each user, summed over the queries, where all items are as frequent;
            without padding, and with blocks of one length, it is the variance of ranges and arcs, rounded up; it is
            that of prefixes to 2e-4 of it.
        lower_bound: no alpha-LDP mechanism with linear unbiased estimates has less there.
        measured: of many prefixes: where the variance lies, which nobody has proved; score is the middle.
    """

    score: Fraction
    lower_bound: Fraction
    measured: Measured | None = None
    title: ClassVar[str] = "Level design"

    @property
    def status(self) -> str:
        """`certified` where variance and bound are proved, `feasible` where the variance is measured."""
        return FEASIBLE if self.measured else CERTIFIED

    @property
    def gap(self) -> Fraction | None:
        """The part of the bound by which the variance may exceed the optimum; None where it is measured alone."""
        return None if self.measured else self.score / self.lower_bound - 1

    def summary(self) -> tuple[str, ...]:
        """Say the variance, the gap and the number of levels."""
        gap = self.gap
        known = f"measured, bound {rounded_down(self.lower_bound, 8)}" if gap is None else f"gap {rounded_up(gap, 2)}"
        return (f"variance {rounded_up(self.score, 8)}, {known}, {len(self.mechanism.levels)} levels",)

    def facts(self) -> list[tuple[str, Value]]:
        """List variance, bound and levels."""
        return [
            ("variance for each user", Bound(self.score) if self.measured is None else float(self.score)),
            ("lower bound", Bound(self.lower_bound, is_lower=True)),
            ("status", self.status),
            ("levels", len(self.mechanism.levels)),
            ("bits of a report", self.mechanism.bits),
        ]
