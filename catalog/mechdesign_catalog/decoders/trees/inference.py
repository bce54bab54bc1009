"""Consistent estimates of a tree's levels: constrained weighted least squares in O(k).

A node's share is the sum of its children's, and the root's is 1. Let an estimate of a node of level l have the variance
`s_l^2`, in proportion, and let estimates be uncorrelated. The best linear unbiased estimate goes twice through the
tree. Upwards, a node's own estimate f is averaged with the sum of its children's by inverse variances,

    z = a f + (1 - a) sum_c z_c,    a = e / (e + s^2),    e = sum_c E_c,    E = a s^2,

where E is the variance of z, and `z = f`, `E = s^2` for a leaf. Downwards, what the final estimate x of a node differs
from the sum of its children is divided among them by their variances, `x_c = z_c + (E_c / e) (x - sum_c z_c)`.

Hay, Rastogi, Miklau, Suciu, *Boosting the accuracy of differentially private histograms through consistency*, VLDB
2010, for equal variances and full trees; for local reports Kulkarni's thesis, section 5.3.3, and Cormode, Kulkarni,
Srivastava, VLDB 2019. The step down must take the parent's final estimate, as Hay et al. do: with its average of the
step up, as the thesis words it, the result is not consistent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign_catalog.decoders.trees.tree import Tree
from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True)
class Averaging:
    """The averaging of a tree's nodes, where level l has the variance `variances[l-1]`.

    All full nodes of a level are alike, so each number is there once for these, and once for the level's last node.
    Lists have an entry for each of the levels 0 (the root) to h.
    """

    tree: Tree
    variances: tuple[float, ...]

    @cached_property
    def _steps(self) -> tuple[list[float], ...]:
        """Variances E of z, of full nodes and of the last; sums e of the children's; both from the leaves up."""
        full, last = [self.variances[-1]], [self.variances[-1]]
        full_sums, last_sums = [0.0], [0.0]
        own = [0.0, *self.variances]
        for level in range(self.tree.height - 1, -1, -1):
            full_sums.append(self.tree.b * full[-1])
            last_sums.append((self.tree.last_children[level] - 1) * full[-1] + last[-1])
            full.append(full_sums[-1] * own[level] / (full_sums[-1] + own[level]))
            last.append(last_sums[-1] * own[level] / (last_sums[-1] + own[level]))
        return full[::-1], last[::-1], full_sums[::-1], last_sums[::-1]

    @property
    def full_variances(self) -> list[float]:
        """Variance E of a full node's average."""
        return self._steps[0]

    @property
    def last_variances(self) -> list[float]:
        """Variance E of the last node's average."""
        return self._steps[1]

    @property
    def last_sums(self) -> list[float]:
        """Sum e of the variances of the children of the last node."""
        return self._steps[3]

    @cached_property
    def full_own(self) -> list[float]:
        """Weight a of a full node's own estimate; 1 for leaves and for the root, which is known."""
        return [1.0, *(self._own(self._steps[2], level) for level in range(1, self.tree.height)), 1.0]

    @cached_property
    def last_own(self) -> list[float]:
        """Weight a of the last node's own estimate."""
        return [1.0, *(self._own(self._steps[3], level) for level in range(1, self.tree.height)), 1.0]

    def _own(self, sums: list[float], level: int) -> float:
        return sums[level] / (sums[level] + self.variances[level - 1])

    def consistent(self, estimates: Sequence[Floats]) -> list[Floats]:
        """Return the consistent estimates of levels 1 to h, from the unbiased ones of each level by itself.

        Args:
            estimates: for each level the shares of its nodes, shape (nodes,).
        """
        averages, sums = self._upwards(estimates)
        found: list[Floats] = []
        above = np.ones(1)
        for level in range(1, self.tree.height + 1):
            above = self._downwards(level, above - sums[level - 1], averages[level - 1])
            found.append(above)
        return found

    def _upwards(self, estimates: Sequence[Floats]) -> tuple[list[Floats], list[Floats]]:
        """Averages z of levels 1 to h, and the sums of the children's averages of levels 0 to h-1."""
        averages, sums = [np.asarray(estimates[-1], dtype=np.float64)], []
        for level in range(self.tree.height - 1, 0, -1):
            below = self.tree.within_parents(averages[-1])
            own = self.full_own[level]
            average = own * estimates[level - 1] + (1 - own) * below
            own = self.last_own[level]
            average[-1] = own * estimates[level - 1][-1] + (1 - own) * below[-1]
            averages.append(average)
            sums.append(below)
        sums.append(averages[-1].sum(keepdims=True))
        return averages[::-1], sums[::-1]

    def _downwards(self, level: int, missing: Floats, averages: Floats) -> Floats:
        """Divide what each parent is `missing` among its children, by their variances."""
        children = self.tree.b if level > 1 else len(averages)
        last = missing[-1] / self.last_sums[level - 1]
        portions = missing / children
        portions[-1] = last * self.full_variances[level]
        found: Floats = np.repeat(portions, children)[: len(averages)]
        found[-1] = last * self.last_variances[level]
        found += averages
        return found
