"""Haar differences by Hadamard response in two dimensions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.contrasts.haar import leaves_of
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.decoders.planes.estimators import haar_scores
from mechdesign_catalog.decoders.planes.rectangle_sums import Scores
from mechdesign_catalog.decoders.trees.plan import UNIFORM
from mechdesign_catalog.randomizers.facts.sources import THESIS, Source
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants
from mechdesign_catalog.systems.levels.plane_oracle import PlaneOracle, Sides
from mechdesign_catalog.systems.levels.signed_hadamard import SignedHrr


@dataclass(frozen=True)
class Haar2(PlaneOracle):
    """The sign of the item under a pair of Haar differences, one a side, as `haar` has on one.

    On each side a level is a height of a binary tree, with the sign + in the left half of the own node, or the whole
    side, with the sign + everywhere; the pair of both wholes is known. The sign of a pair is the product, its place the
    product of the nodes. With h1 and h2 heights there are `h1 h2 + h1 + h2` pairs: those with one whole must be asked
    for as well, for the differences on one side alone. The number of items of each side is padded to a power of two.

    The noise of a rectangle of `r1 x r2` items is, but for the shares' part, `(A L / n) [(H1 + (r1/D1)^2)
    (H2 + (r2/D2)^2) - (r1 r2 / (D1 D2))^2]` with uniform levels, L their number, D1 and D2 the padded sides and
    `H = sum_v ((o_L - o_R) / 2^i)^2` on each.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Haar2(256, Privacy(epsilon=1), "16x16")
    >>> oracle.height, oracle.bits
    (24, 12)
    """

    levels: str | Workload = UNIFORM
    name: ClassVar[str] = "haar2"
    decoder: ClassVar[str] = "inverse Haar transform of both sides"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("chapter 7"),)

    @cached_property
    def trees(self) -> Sides:
        """The binary trees over both sides."""
        return Side.tree(self.shape[0], 2), Side.tree(self.shape[1], 2)

    @cached_property
    def parts(self) -> tuple[SignedHrr, ...]:
        """The oracle of the signs of each pair."""
        one, two = (self._places(side) for side in (0, 1))
        return tuple(SignedHrr(2 * one[a] * two[b], self.privacy) for a, b in self.pairs)

    def level_nodes(self) -> Iterable[Constants]:
        """State half a node's length on each side, 0 for a whole side; `columns` nodes are beside another."""
        one, two = self.trees
        for a, b in self.pairs:
            halves = [0 if row == tree.rows - 1 else 1 << row for row, tree in ((a, one), (b, two))]
            yield {"half": halves, "columns": two.leaves // (2 * halves[1]) if halves[1] else 1}

    def _places(self, side: int) -> list[int]:
        """Number of nodes of each height 1..h, and 1 for the whole."""
        tree = self.trees[side]
        return [*(tree.leaves // size for size in tree.sizes[1:]), 1]

    @cached_property
    def scores(self) -> Scores:
        """Each pair of contrasts by itself."""
        return haar_scores(self.trees)

    def chances_for(self, energies: Floats) -> Floats:
        """Compute the chances with the least noise, in proportion to the roots of `sum u^2`."""
        roots = np.sqrt(energies * self.scores.lengths * self.scores.scale)
        return np.asarray(roots / roots.sum(), dtype=np.float64)

    def encode(self, level: int, values: Values) -> Values:
        """Return the own place and the sign, as `2 place + (0 for +, 1 for -)`."""
        a, b = self.pairs[level]
        rows, columns = np.divmod(values, self.shape[1])
        (row_place, row_sign), (place, sign) = self._signed(0, a, rows), self._signed(1, b, columns)
        return 2 * (row_place * self._places(1)[b] + place) + (row_sign ^ sign)

    def _signed(self, side: int, row: int, values: Values) -> tuple[Values, Values]:
        if row == self.trees[side].rows - 1:
            return np.zeros_like(values), np.zeros_like(values)
        halves = values >> row
        return halves >> 1, halves & 1

    def items_of(self, estimates: Sequence[Floats]) -> Floats:
        """Transform the differences back, the columns first and then the rows."""
        one, two = self.trees
        by_pair = dict(zip(self.pairs, estimates, strict=True))
        by_pair[one.rows - 1, two.rows - 1] = np.ones(1)
        along = [
            leaves_of(
                [by_pair[a, b].reshape(places, -1) for b in range(two.rows - 1)],
                by_pair[a, two.rows - 1].reshape(places, 1),
            )
            for a, places in enumerate(self._places(0))
        ]
        return self.folded(leaves_of([differences.T for differences in along[:-1]], along[-1].T).T)
