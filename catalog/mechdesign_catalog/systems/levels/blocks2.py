"""Blocks of a table: rectangles at public shifts of a torus, for the rectangles of two ordered columns."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.workloads.grid import Grid
from mechdesign.workloads.ordered import Histogram
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.circles.torus import Torus
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.levels.blocks2_plan import naming, optimal_rectangles
from mechdesign_catalog.systems.levels.masked_rectangles import MaskedRectangles
from mechdesign_catalog.systems.levels.plane_oracle import meant, parse_sides
from mechdesign_catalog.systems.levels.shifted_levels import ShiftedLevels
from mechdesign_catalog.systems.levels.weighed_levels import OPTIMAL, Naming, WeighedLevel


@dataclass(frozen=True)
class Blocks2(ShiftedLevels[MaskedRectangles]):
    """A set of rectangular blocks of a torus at a public shift, the level drawn by public chances.

    The items are those of a table of A x B, row a and column b being item `a B + b`; they lie on a torus (`Torus`). A
    level has blocks of one height and one width, of which a report holds those in some buckets of public masks.

    `levels` are `optimal`, the best ones for all rectangles; or those for other products, as `circular-prefixes` for
    arcs of rows and prefixes of columns; or heights and widths with weights, as `blocks2_plan` names them. Where a side
    has few divisors, blocks of two lengths serve (`EvenCuts`); two long sides without divisors have few levels.

    Raises:
        InputError: for no sides, sides that do not have k items, or levels that do not fit them.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign.workloads.grid import Grid
    >>> oracle = Blocks2(256, Privacy(epsilon=1), "16x16")
    >>> f"{oracle.average_variance(Grid((16, 16)), 10000):.4g}"
    '0.003323'
    """

    sides: str | tuple[int, int] = ""
    levels: str = OPTIMAL
    name: ClassVar[str] = "blocks2"
    decoder: ClassVar[str] = "inverse on the torus"
    closed: ClassVar[str] = "grid:A,B with its sides, or histogram"

    def settle_sides(self) -> None:
        """Write the sides out."""
        object.__setattr__(self, "sides", "x".join(map(str, parse_sides(self.sides, self.k, self.name))))

    @cached_property
    def ground(self) -> Torus:
        """The torus that the items lie on."""
        return Torus(self.shape)

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Numbers A of rows and B of columns."""
        return parse_sides(self.sides, self.k, self.name)

    @property
    def optimal(self) -> tuple[WeighedLevel[MaskedRectangles], ...]:
        """The best levels, single items first."""
        return optimal_rectangles(Grid(self.shape), self.privacy)

    @cached_property
    def weighed(self) -> tuple[WeighedLevel[MaskedRectangles], ...]:
        """The levels, single items first where they are the best ones for some workload."""
        workload = meant(str(self.levels), self.shape)
        return super().weighed if workload is None else optimal_rectangles(workload, self.privacy)

    @property
    def naming(self) -> Naming[MaskedRectangles]:
        """How texts name levels."""
        return naming(self.shape, self.privacy)

    def average_variance(self, workload: Workload, users: int) -> float:
        """Average the variance over all queries of a workload, where the items have equal shares.

        Of rectangles it is that of each size times how many have it; of others query by query.

        Raises:
            InputError: for a workload on other items, or too many weights of other queries.
        """
        self.require_workload(workload)
        counts = self._sizes(workload)
        if counts is None:
            return float(self.of_all(workload, users).mean())
        rows, columns = counts
        return float(rows @ self.variance_by_size(users) @ columns) / workload.count

    def largest_variance(self, workload: Workload, users: int) -> tuple[float, float]:
        """Return the largest variance over a workload twice, exactly: as a value that is reached, and as a bound.

        Raises:
            InputError: as `average_variance`.
        """
        self.require_workload(workload)
        counts = self._sizes(workload)
        if counts is None:
            found = float(self.of_all(workload, users).max())
        else:
            found = float(self.variance_by_size(users)[np.outer(*counts) > 0].max())
        return found, found

    def variance_by_size(self, users: int) -> Floats:
        """Compute the variance of rectangles of 1 .. A rows and 1 .. B columns where all items have equal shares.

        Each is the sum over all frequencies of the squared transform of the rectangle, a product over both sides, and
        of the noise and the spread that the levels have there.
        """
        counts, size, (rows, columns) = self.users_by_branch(users), self.k, self.ground.sides
        told = self.told.reshape(self.shape[0], -1)[: rows.size // 2 + 1]
        total, made, spread = float(counts.sum()), np.zeros(told.shape), np.zeros(told.shape)
        for factor, part, count in zip(self.factors, self.parts, counts, strict=True):
            scores, power, facts = factor**2 / (told**2 * size), np.zeros(told.shape), part.facts
            for times, kind in part.kinds:
                squares = times * np.outer(
                    rows.by_length[kind.rows.places - 1], columns.by_length[kind.columns.places - 1]
                )
                made += facts.mean_square(scores * squares, kind.places / size) / count
                power += squares
            owns = scores * (float(facts.pull) * power) ** 2 / size
            made -= owns / count
            spread += owns * total / count
        noise, drawn = (
            (rows.by_length * rows.times) @ of_all @ (columns.by_length * columns.times).T for of_all in (made, spread)
        )
        whole = np.outer(np.arange(1, rows.size + 1), np.arange(1, columns.size + 1)) / size
        whole *= 1 - whole
        return np.asarray(noise if len(counts) == 1 else noise + np.maximum(drawn - whole, 0.0) / (total - 1))

    def _sizes(self, workload: Workload) -> tuple[Floats, Floats] | None:
        """Return how many queries of a workload of rectangles have each number of rows, and of columns."""
        is_items = isinstance(workload, Histogram)
        sides = tuple(Histogram(side) for side in self.shape) if is_items else workload.sides
        if sides is None or tuple(side.k for side in sides) != self.shape:
            return None
        return sides[0].lengths, sides[1].lengths
