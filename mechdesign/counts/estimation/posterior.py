"""Posteriors: the chance of each true count, given one released count, by Bayes' rule.

With the prior weights w and the released count i, `Pr[j | i] = w_j P[i,j] / sum_l w_l P[i,l]`. With w the estimated
distribution of the true counts this is the empirical Bayes posterior.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.arguments import checked
from mechdesign.counts.estimation.estimate import Estimate
from mechdesign.documents.storage import AnyMechanism, as_count_mechanism
from mechdesign.errors import InputError, quote
from mechdesign.mechanism.notebook import decimal, one_line, page, table
from mechdesign.problem.prior import Prior


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
        """The mean of the true count."""
        return sum((j * chance for j, chance in enumerate(self.probabilities)), Fraction(0))

    @checked
    def credible_set(self, level: Fraction) -> tuple[int, ...]:
        """Find the smallest set of true counts of at least that probability, likeliest first taken, in ascending order.

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

    @checked
    def chance(self, counts: Sequence[int]) -> Fraction:
        """Return the probability of a set of true counts."""
        top = len(self.probabilities) - 1
        if any(not 0 <= count <= top for count in counts):
            raise InputError(f"counts must be 0 to {top}, got {quote(counts)}")
        return sum((self.probabilities[j] for j in counts), Fraction(0))

    def __repr__(self) -> str:
        likeliest = f"likeliest true count {self.mode}, mean {decimal(self.mean)}"
        return one_line("Posterior", f"released {self.released} of 0..{len(self.probabilities) - 1}", likeliest)

    def _repr_html_(self) -> str:
        title = f"Posterior of the true count behind {self.released}"
        return page(title, table(("true count", "probability"), enumerate(self.probabilities)))


@checked
def posterior(
    released: int, mechanism: AnyMechanism, prior: str | Prior | Estimate | Sequence[Fraction] = "uniform"
) -> Posterior:
    """Find how likely each true count is behind one released count.

    Args:
        released: the released count.
        mechanism: the one that released it: a `Mechanism`, a `Design` for counts, or the path of a file.
        prior: of the true counts: a text that `Prior.parse` takes, a `Prior`, weights (scaled to sum to 1), or an
            `Estimate`, whose distribution of maximum likelihood is taken (empirical Bayes).

    Raises:
        InputError: for an output outside the mechanism's range, impossible under it, or impossible under the prior.

    >>> from mechdesign.mechanism.mechanism import Mechanism
    >>> coin = Mechanism(((2, 1), (1, 2)), 3)
    >>> posterior(1, coin, "binomial:1/4").probabilities
    (Fraction(3, 5), Fraction(2, 5))
    """
    matrix = as_count_mechanism(mechanism)
    weights = _weights(prior, matrix.n_inputs)
    if not 0 <= released < matrix.n_outputs:
        raise InputError(f"released count must be in 0..{matrix.n_outputs - 1}, got {released}")
    if len(weights) != matrix.n_inputs:
        raise InputError(f"prior must have {matrix.n_inputs} weights (one for each input), got {len(weights)}")
    row = matrix.weights[released]
    if not any(row):
        raise InputError(f"released count must be possible, got {released}, which this mechanism never releases")
    joint = [weight * chance for weight, chance in zip(weights, row, strict=True)]
    evidence = sum(joint, Fraction(0))
    if not evidence:
        raise InputError(f"released count must be possible under the prior, got {released}, which it rules out")
    return Posterior(released, tuple(value / evidence for value in joint))


def _weights(prior: str | Prior | Estimate | Sequence[Fraction], size: int) -> Sequence[Fraction]:
    if isinstance(prior, Estimate):
        return [Fraction(share) for share in prior.likelihood.distribution]
    if isinstance(prior, str):
        prior = Prior.parse(prior)
    return prior.weights(size) if isinstance(prior, Prior) else prior
