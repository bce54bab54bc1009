"""Hierarchical histograms in two dimensions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.rational import fraction_text
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.decoders.planes.estimators import tree_scores
from mechdesign_catalog.decoders.planes.inference import eigenvalues, inferred
from mechdesign_catalog.decoders.planes.rectangle_sums import Scores
from mechdesign_catalog.decoders.trees.plan import UNIFORM
from mechdesign_catalog.randomizers.facts.sources import THESIS, Source
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Constants
from mechdesign_catalog.systems.levels.hierarchical import (
    CHOICES,
    ShareOracle,
    checked_word,
    contrast_variance,
    node_oracle,
    unary_nodes,
)
from mechdesign_catalog.systems.levels.plane_oracle import PlaneOracle, Sides

MOST_STEPS, SETTLED = 5000, 1e-10
"""Steps towards the best chances of the levels; they end where none changes by more than this part of itself."""


@dataclass(frozen=True)
class HierarchicalHistograms2(PlaneOracle):
    """The node of a pair of levels of two trees: a block of rows times a block of columns.

    There is a tree with B children a node over the rows and one over the columns, padded with items that nobody has.
    All pairs of levels take part, those with one root too, but not that of both roots. `in` names the oracle of each
    pair's nodes as for `hh`. The server makes the estimates of all pairs consistent by weighted least squares
    (`plane.inference`), with the variance of a node of the pair l taken to be `a_l / p_l`, as for `hh`.

    Raises:
        InputError: for b below 2, or another oracle or other levels.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = HierarchicalHistograms2(256, Privacy(epsilon=1), "16x16")
    >>> oracle.height, oracle.bits
    (8, 259)
    """

    b: int = 4
    in_: str = "oue-hrr"
    levels: str | Workload = UNIFORM
    name: ClassVar[str] = "hh2"
    decoder: ClassVar[str] = "tree inference on both sides"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("chapter 7"),)

    def settle_options(self) -> None:
        """Check b and the oracle of the nodes."""
        super().settle_options()
        if isinstance(self.b, bool) or not isinstance(self.b, int) or self.b < 2:
            raise InputError(f"b must be a whole number of at least 2, got b={self.b}")
        object.__setattr__(self, "in_", checked_word("in", self.in_, CHOICES))

    @cached_property
    def trees(self) -> Sides:
        """The trees over both sides."""
        return Side.tree(self.shape[0], self.b), Side.tree(self.shape[1], self.b)

    @cached_property
    def parts(self) -> tuple[ShareOracle, ...]:
        """The oracle of the nodes of each pair."""
        one, two = self.trees
        nodes = [one.leaves // one.sizes[a] * (two.leaves // two.sizes[b]) for a, b in self.pairs]
        return tuple(node_oracle(self.in_, count, self.privacy) for count in nodes)

    def level_nodes(self) -> Iterable[Constants]:
        """State the sides of a node, how many are beside another, and the variance of a contrast."""
        one, two = self.trees
        for (a, b), kind in zip(self.pairs, self.parts, strict=True):
            columns = two.leaves // two.sizes[b]
            items = [one.sizes[a], two.sizes[b]]
            yield {"items": items, "columns": columns, "variance": fraction_text(contrast_variance(kind))}

    @cached_property
    def _variances(self) -> Floats:
        """Variance of a contrast of rare nodes for one user, for each pair of heights; 1 for the roots', unused."""
        found = np.ones((self.trees[0].rows, self.trees[1].rows))
        for pair, oracle in zip(self.pairs, self.parts, strict=True):
            found[pair] = float(contrast_variance(oracle))
        return found

    @cached_property
    def _precisions(self) -> Floats:
        """Inverse variances that inference takes estimates to have, for each pair of heights; 0 for the roots'."""
        found = np.zeros((self.trees[0].rows, self.trees[1].rows))
        for pair, chance in zip(self.pairs, self.branch_chances, strict=True):
            found[pair] = float(chance) / self._variances[pair]
        return found

    @cached_property
    def scores(self) -> Scores:
        """Constrained inference."""
        return tree_scores(self.trees, self._precisions)

    def chances_for(self, energies: Floats) -> Floats:
        """Compute the chances p with the least noise, `sum energies / lambda(p)`.

        Each step takes `p_j` times the root of its slope, which never makes it worse: by convexity `1/lambda(p')` is at
        most `sum_j s_j p_j^2 / (lambda(p)^2 p'_j)`, `s_j` what p_j adds to lambda, and this is least there.
        """
        one, two = self.trees
        each = np.outer(one.widths, two.widths) / self._variances
        energies = energies.copy()
        energies[-1, -1] = 0.0
        chances = np.full(each.shape, 1.0)
        chances[-1, -1] = 0.0
        chances /= chances.sum()
        for _ in range(MOST_STEPS):
            slopes = energies / eigenvalues(self.trees, chances / self._variances) ** 2
            slopes = each * slopes[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
            better = chances * np.sqrt(slopes)
            better /= better.sum()
            change = np.abs(better - chances).max()
            chances = better
            if change < SETTLED:
                break
        return chances

    @property
    def time_class(self) -> str:
        """How time grows, client and server."""
        return f"N {max(unary_nodes(self.parts), default=2)} + k log k"

    def encode(self, level: int, values: Values) -> Values:
        """Return the node of each item."""
        a, b = self.pairs[level]
        one, two = self.trees
        rows, columns = np.divmod(values, self.shape[1])
        nodes: Values = rows // one.sizes[a] * (two.leaves // two.sizes[b]) + columns // two.sizes[b]
        return nodes

    def items_of(self, estimates: Sequence[Floats]) -> Floats:
        """Make the estimates consistent, and return the items."""
        one, two = self.trees
        by_pair = dict(zip(self.pairs, estimates, strict=True))
        by_pair[one.rows - 1, two.rows - 1] = np.ones(1)
        tables = [
            [by_pair[a, b].reshape(one.leaves // one.sizes[a], -1) for b in range(two.rows)] for a in range(one.rows)
        ]
        return self.folded(inferred(self.trees, tables, self._precisions))
