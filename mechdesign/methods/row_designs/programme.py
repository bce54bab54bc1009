"""State the programme over rows in floats, as searches take it; whatever they find is certified exactly afterwards."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.queries import Floats, Integers
from mechdesign.workloads.symmetries import symmetries_of

Bits = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class RowProgramme:
    """State the convex programme for the best weights of the rows in {1, E}^K, E = 1/alpha, under a prior p.

        minimise  tr(Gc A^-1),   A = sum theta_r r r' / (p'r),   sum theta_r r = 1,   theta >= 0

    The variance for a user whose item is drawn from p is that and `constant`; `A p = 1` always, which is why G may be
    centred: `Gc = P'G P`, `P = I - p 1'`, `constant = p'Gp - sum_u p_u G_uu`.

    Attributes:
        entry: E.
        plain: G, the Gram matrix on the groups, K x K.
        prior: p, shape (K,), of sum 1.
        symmetries: permutations of the groups, the identity first, that form a group and leave Gc unchanged under a
            prior that they leave unchanged; `own_symmetries` are those that leave this prior unchanged.
    """

    entry: float
    plain: Floats
    prior: Floats
    symmetries: tuple[Integers, ...]

    @classmethod
    def of(cls, problem: WorkloadProblem, symmetries: tuple[Integers, ...] | None = None) -> "RowProgramme":
        """State the programme of a problem under the prior of items that are equally likely.

        Args:
            problem: the workload and alpha.
            symmetries: those of the workload that are known (`symmetries_of`) where they are left out.
        """
        merged = problem.merged
        plain = (merged.integers / merged.denominator).astype(np.float64)
        found = symmetries_of(problem.workload, merged) if symmetries is None else symmetries
        return cls(float(1 / problem.alpha), plain, np.array(merged.sizes) / merged.k, found)

    def with_prior(self, prior: Floats) -> "RowProgramme":
        """Return the same programme under another prior."""
        return replace(self, prior=prior)

    @property
    def size(self) -> int:
        """K, the number of groups."""
        return len(self.prior)

    @cached_property
    def gram(self) -> Floats:
        """Gc, the centred Gram matrix, K x K; `Gc p = 0`."""
        centring = np.eye(self.size) - np.outer(self.prior, np.ones(self.size))
        centred = centring.T @ self.plain @ centring
        return (centred + centred.T) / 2

    @cached_property
    def constant(self) -> float:
        """What is added to `tr(Gc A^-1)` for the variance."""
        return float(self.prior @ self.plain @ self.prior - self.prior @ self.plain.diagonal())

    @cached_property
    def own_symmetries(self) -> tuple[Integers, ...]:
        """The symmetries that leave the prior unchanged, too."""
        return tuple(g for g in self.symmetries if np.allclose(self.prior[g], self.prior, rtol=1e-12, atol=0))


@dataclass(frozen=True, eq=False)
class FoundRows:
    """Hold what a search found: a mechanism and a dual in floats, on the K groups.

    Attributes:
        rows: m rows of zeros and ones, where a 1 stands for E; shape (m, K).
        weights: theta, shape (m,), with `sum theta_r r` near 1.
        prior: p, for which the mechanism's estimator is made and the dual is meant.
        dual: B, K x K.
        prices: y, shape (K,).
        diagonal: for the relaxation alone, d, shape (K+1,).
        cuts: for the relaxation alone, integer rows w of odd sums, shape (c, K+1), and their multipliers z, shape (c,).
        value: the variance of the mechanism, about.
        how: the way in words, for the report.
    """

    rows: Bits
    weights: Floats
    prior: Floats
    dual: Floats
    prices: Floats
    value: float
    how: str
    diagonal: Floats | None = None
    cuts: NDArray[np.int64] | None = None
    cut_multipliers: Floats | None = None
