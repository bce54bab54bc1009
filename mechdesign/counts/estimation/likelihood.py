"""Maximum-likelihood estimates of the distribution of true counts.

They are made by EM, with a proof of how near they are.

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

That bound ends the iteration. It is computed in floating point, so what rounding can take from it is added
(`Sample.bound`). For many counts that alone exceeds a small tolerance, and no iterate can be proved to reach it: the
tolerance is then raised to the bound that the maximum itself gets (`Sample.rounding_floor`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from mechdesign.counts.estimation.sample import Sample, Vector, normalised
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism

TOLERANCE = 1e-6
"""Default: the likelihood is then within a millionth of its maximum."""

MOST_ITERATIONS = 1_000


@dataclass(frozen=True)
class LikelihoodEstimate:
    """A distribution over the true counts, and how far its log-likelihood can be from the largest one.

    `log_likelihood` is `sum_i counts_i log (P pi)_i`; the maximum is larger by at most `bound` (same units, whole
    sample). `converged` says that the bound is within `tolerance`, the larger of the one asked for and what rounding
    allows to prove for so many counts.
    """

    distribution: tuple[float, ...] = field(repr=False)
    log_likelihood: float
    iterations: int
    bound: float
    tolerance: float
    tolerance_asked: float

    @property
    def converged(self) -> bool:
        """Whether the bound is within the tolerance."""
        return self.bound <= self.tolerance

    @property
    def mean(self) -> float:
        """The mean of the distribution, `sum_j j pi_j`."""
        return math.fsum(j * share for j, share in enumerate(self.distribution))


def maximum_likelihood(
    mechanism: Mechanism,
    counts: Sequence[int],
    tolerance: float = TOLERANCE,
    most_iterations: int = MOST_ITERATIONS,
    watch: Callable[[Vector], None] = lambda distribution: None,
) -> LikelihoodEstimate:
    """Find the distribution that makes the released counts most likely, from a uniform start.

    Args:
        mechanism: n_outputs x n_inputs.
        counts: `counts[i]` of the released counts are i; length n_outputs.
        tolerance: of the log-likelihood of the whole sample, raised to what rounding allows.
        most_iterations: after as many the last distribution is returned, with its bound.
        watch: shown each iterate, the start and the last one included.

    Raises:
        InputError: for no counts, counts of outputs that the mechanism never gives, or a tolerance not above 0.
    """
    if not (tolerance > 0 and math.isfinite(tolerance)):
        raise InputError(f"tolerance must be a positive number, got tolerance={tolerance}")
    require_possible(mechanism, counts)
    sample = Sample.of(mechanism, counts)
    reachable = max(tolerance, sample.rounding_floor)
    distribution = np.full(mechanism.n_inputs, 1.0 / mechanism.n_inputs)
    for iterations in range(most_iterations + 1):
        watch(distribution)
        slopes = sample.slopes(distribution)
        bound = sample.bound(slopes)
        if bound <= reachable or iterations == most_iterations or not math.isfinite(bound):
            break
        distribution = sample.without_tiny_shares(sample.newton_step(normalised(distribution * slopes)))
    value = sample.log_likelihood(distribution)
    return LikelihoodEstimate(tuple(distribution.tolist()), value, iterations, bound, reachable, tolerance)


def require_possible(mechanism: Mechanism, counts: Sequence[int]) -> None:
    """Refuse counts that cannot come from this mechanism."""
    if len(counts) != mechanism.n_outputs:
        raise InputError(f"counts must be {mechanism.n_outputs} numbers, one for each output, got {len(counts)}")
    if min(counts) < 0 or not sum(counts):
        raise InputError("counts must have at least one release, and no negative number of them")
    for i, (count, row) in enumerate(zip(counts, mechanism.weights, strict=True)):
        if count and not any(row):
            raise InputError(f"released counts must be possible, got {i}, which this mechanism never releases")
