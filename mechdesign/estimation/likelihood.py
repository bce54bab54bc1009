"""Maximum likelihood of the distribution of true counts behind released ones, by EM with a proof of how near it is.

Of N released counts the share `f_i` is i. With `pi_j` the chance of the true count j, the released count is i with the
chance `(P pi)_i`, and the log-likelihood, without the constant that counts arrangements, is

    L(pi) = N sum_i f_i log (P pi)_i,     concave on the simplex.

One step of EM is `pi_j <- pi_j g_j` with `g_j = sum_i f_i P[i,j] / (P pi)_i`; it never decreases L (Dempster, Laird,
Rubin 1977). Where P is ill-conditioned EM alone needs very many steps: for alpha = 0.9 and a million counts it is still
several units below the maximum after 50,000. So each is followed by a constrained Newton step (Wang, "On fast
computation of the non-parametric maximum likelihood estimate of a mixing distribution", JRSS B 69, 2007): the quadratic
model of L is maximised over the whole simplex by nonnegative least squares, and the step there is halved until L grows
by a share of what the slope promises; else it is not made. A handful of steps is then enough.

N g_j is the slope of L towards vertex j of the simplex plus N, so by concavity

    max L - L(pi) <= N (max_j g_j - 1).

That bound ends the iteration. It is computed in floating point, so what rounding can take from it is added.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism import Mechanism

Vector = NDArray[np.float64]

TOLERANCE = 1e-6
"""Default: the likelihood is then within a millionth of its maximum."""

MOST_ITERATIONS = 1_000
MOST_HALVINGS = 30
SUFFICIENT = 1e-4
"""A Newton step must gain this share of what the slope at its start promises (Armijo)."""

UNIT_ROUNDING = 2.0**-53


@dataclass(frozen=True)
class LikelihoodEstimate:
    """A distribution over the true counts, and how far its log-likelihood can be from the largest one.

    `log_likelihood` is `sum_i counts_i log (P pi)_i`; the maximum is larger by at most `bound` (same units, whole
    sample). `converged` says that the bound is within the tolerance.
    """

    distribution: tuple[float, ...]
    log_likelihood: float
    iterations: int
    bound: float
    tolerance: float

    @property
    def converged(self) -> bool:
        return self.bound <= self.tolerance

    @property
    def mean(self) -> float:
        """`sum_j j pi_j`."""
        return math.fsum(j * share for j, share in enumerate(self.distribution))


def maximum_likelihood(
    mechanism: Mechanism,
    counts: Sequence[int],
    tolerance: float = TOLERANCE,
    most_iterations: int = MOST_ITERATIONS,
    watch: Callable[[Vector], None] = lambda distribution: None,
) -> LikelihoodEstimate:
    """The distribution that makes the released counts most likely, from a uniform start.

    Args:
        mechanism: n_outputs x n_inputs.
        counts: `counts[i]` of the released counts are i; length n_outputs.
        tolerance: of the log-likelihood of the whole sample.
        most_iterations: after as many the last distribution is returned, with its bound.
        watch: shown each iterate, the start and the last one included.

    Raises:
        InputError: for no counts, counts of outputs that the mechanism never gives, or a tolerance not above 0.
    """
    if not (tolerance > 0 and math.isfinite(tolerance)):
        raise InputError(f"tolerance must be a positive number, got tolerance={tolerance}")
    require_possible(mechanism, counts)
    sample = _Sample.of(mechanism, counts)
    distribution = np.full(mechanism.n_inputs, 1.0 / mechanism.n_inputs)
    for iterations in range(most_iterations + 1):
        watch(distribution)
        slopes = sample.slopes(distribution)
        bound = sample.bound(slopes)
        if bound <= tolerance or iterations == most_iterations:
            break
        distribution = sample.newton_step(_normalised(distribution * slopes))
    value = sample.log_likelihood(distribution)
    return LikelihoodEstimate(tuple(distribution.tolist()), value, iterations, bound, tolerance)


def require_possible(mechanism: Mechanism, counts: Sequence[int]) -> None:
    """Refuse counts that cannot come from this mechanism."""
    if len(counts) != mechanism.n_outputs:
        raise InputError(f"counts must be {mechanism.n_outputs} numbers, one for each output, got {len(counts)}")
    if min(counts) < 0 or not sum(counts):
        raise InputError("counts must have at least one release, and no negative number of them")
    for i, (count, row) in enumerate(zip(counts, mechanism.weights, strict=True)):
        if count and not any(row):
            raise InputError(f"released counts must be possible, got {i}, which this mechanism never releases")


@dataclass(frozen=True)
class _Sample:
    """The rows of P that occurred, shape (occurred, n_inputs), their shares f, and N. Other rows do not matter to L."""

    rows: Vector
    shares: Vector
    total: int

    @classmethod
    def of(cls, mechanism: Mechanism, counts: Sequence[int]) -> "_Sample":
        occurred = [i for i, count in enumerate(counts) if count]
        total = sum(counts)
        shares = np.array([counts[i] / total for i in occurred])
        return cls(mechanism.matrix()[occurred], shares, total)

    def log_likelihood(self, distribution: Vector) -> float:
        return self.total * math.fsum(self.shares * np.log(self.rows @ distribution))

    def slopes(self, distribution: Vector) -> Vector:
        """`g_j`: 1 where L is level towards j, above 1 where it rises."""
        return (self.shares / (self.rows @ distribution)) @ self.rows

    def bound(self, slopes: Vector) -> float:
        """`N (max_j g_j - 1)`, and what it can lack: each of the 2(rows + inputs) + 16 roundings takes one unit."""
        largest = float(slopes.max())
        roundings = 2 * sum(self.rows.shape) + 16
        return self.total * max(0.0, largest - 1.0 + 1.01 * roundings * UNIT_ROUNDING * largest)

    def newton_step(self, distribution: Vector) -> Vector:
        """A point of larger likelihood towards the maximum of the quadratic model, or the same point."""
        chances = self.rows @ distribution
        aim = self._model_maximum(chances)
        if aim is None:
            return distribution
        change = (self.rows @ (aim - distribution)) / chances
        promised = float(self.shares @ change)
        step = 1.0
        for _ in range(MOST_HALVINGS):
            if promised <= 0:
                break
            if step * change.min() > -1:
                gain = float(self.shares @ np.log1p(step * change))
                if gain >= SUFFICIENT * step * promised:
                    return _normalised(distribution + step * (aim - distribution))
            step /= 2
        return distribution

    def _model_maximum(self, chances: Vector) -> Vector | None:
        """Minimises `|S x - 2 sqrt(f)|^2` over the simplex, `S = diag(sqrt(f)/chances) P`; None where that fails.

        On the simplex `S x - 2 sqrt(f) = G x` with `G = S - 2 sqrt(f) 1^T`, and the minimum of `|G x|^2` there is
        `y / sum(y)`, y the nonnegative least-squares solution of `G y = 0, 1^T y = 1` (Dax 1990).
        """
        from scipy.optimize import nnls

        roots = np.sqrt(self.shares)
        system = (roots / chances)[:, None] * self.rows - 2.0 * roots[:, None]
        inputs = system.shape[1]
        try:
            solution, _ = nnls(np.vstack([system, np.ones(inputs)]), np.append(np.zeros(len(system)), 1.0))
        except RuntimeError:  # it did not finish; EM goes on alone
            return None
        total = float(solution.sum())
        return solution / total if total > 0 and math.isfinite(total) else None


def _normalised(weights: Vector) -> Vector:
    kept = np.maximum(weights, 0.0)
    scaled: Vector = kept / kept.sum()
    return scaled
