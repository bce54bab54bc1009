"""What one released count says about its group: Bayes' rule, exactly.

With the prior weights w and the released count i, `Pr[j | i] = w_j P[i,j] / sum_l w_l P[i,l]`. With w the estimated
distribution of the true counts this is the empirical Bayes posterior.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism


@dataclass(frozen=True)
class Posterior:
    """The exact chance of each true count 0..n, given one released count."""

    released: int
    probabilities: tuple[Fraction, ...]

    @property
    def mode(self) -> int:
        """The likeliest true count, the smallest of several."""
        return self.probabilities.index(max(self.probabilities))

    @property
    def mean(self) -> Fraction:
        return sum((j * chance for j, chance in enumerate(self.probabilities)), Fraction(0))

    def credible_set(self, level: Fraction) -> tuple[int, ...]:
        """The smallest set of true counts of at least that probability, likeliest first taken, in ascending order.

        Of equally likely counts the smaller are taken first. It need not be a run.
        """
        likeliest = sorted(range(len(self.probabilities)), key=lambda j: (-self.probabilities[j], j))
        taken, chance = [], Fraction(0)
        for j in likeliest:
            if chance >= level:
                break
            taken.append(j)
            chance += self.probabilities[j]
        return tuple(sorted(taken))

    def chance(self, counts: Sequence[int]) -> Fraction:
        """The probability of a set of true counts."""
        return sum((self.probabilities[j] for j in counts), Fraction(0))


def posterior(mechanism: Mechanism, released: int, weights: Sequence[Fraction]) -> Posterior:
    """The posterior of the true count behind `released`, under prior weights (scaled to sum to 1).

    Raises:
        InputError: for an output outside the mechanism's range, impossible under it, or impossible under the prior.
    """
    if not 0 <= released < mechanism.n_outputs:
        raise InputError(f"released count must be in 0..{mechanism.n_outputs - 1}, got {released}")
    if len(weights) != mechanism.n_inputs:
        raise InputError(f"prior must have {mechanism.n_inputs} weights (one for each input), got {len(weights)}")
    row = mechanism.weights[released]
    if not any(row):
        raise InputError(f"released count must be possible, got {released}, which this mechanism never releases")
    joint = [weight * chance for weight, chance in zip(weights, row, strict=True)]
    evidence = sum(joint, Fraction(0))
    if not evidence:
        raise InputError(f"released count must be possible under the prior, got {released}, which it rules out")
    return Posterior(released, tuple(value / evidence for value in joint))
