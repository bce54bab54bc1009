"""The estimated mean of the true counts, with two intervals.

One is for these groups, the other for the population behind them.

Let c be weights with `sum_i c_i P[i,j] = j` for every j. A released count r behind which stands t has `E c_r = t`, so
the mean `m = (1/N) sum_g c_(r_g) = sum_i f_i c_i` is unbiased for the mean of the true counts. Its variance depends on
what is taken as fixed.

*These groups*: the true counts `t_g` are fixed, only the noise is random. Draws are independent, hence

    Var m = (1/N^2) sum_g v(t_g) = (1/N) sum_j h_j v(j),    v(j) = Var(c_r | t = j) = sum_i P[i,j] c_i^2 - j^2,

h the shares of the true counts, for which a distribution that fits the data (maximum likelihood) is put in.

*The population that they are a sample of*: the `t_g` are independent draws from pi, so the `r_g` are from `q = P pi`,

    Var m = (1/N) (sum_i q_i c_i^2 - (sum_i q_i c_i)^2) = (1/N) sum_j pi_j v(j) + (1/N) Var(t),

estimated by the sample variance of the `c_(r_g)` over N, `(sum_i f_i c_i^2 - m^2) / (N - 1)`, which is unbiased. The
second form shows that it is never below the first; where the estimates disagree (a small sample, all of it equal) the
larger is taken. One release has no sample variance, and this one is then unknown.

The first interval is normal, `m +- z sqrt(Var m)`. The second is Student's, `m +- t sqrt(Var m)` with the quantile t of
N - 1 degrees of freedom, as the variance is estimated from the same N numbers. Both rest on m being nearly normal,
which a sum of few terms need not be. Of a single release the first is exact instead (`count_intervals`): from the least
to the largest count that it leaves possible.

`sum_j h_j v(j)` is a function of P h exactly where weights for `j^2` exist as well as those for j. Where they do not,
the data cannot tell the noise from the spread of the groups, and the population's interval, which is no shorter,
serves both.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from mechdesign.counts.estimation.inversion import unbiased_weights
from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import Number, as_rational, nearest_float


@dataclass(frozen=True)
class Interval:
    """An interval around an estimate, its standard error times a quantile to either side."""

    standard_error: float
    low: float
    high: float


@dataclass(frozen=True)
class MeanEstimate:
    """The estimated mean count of a group.

    Neither the value nor the intervals are clipped to 0..n. `noise` is for the groups that were released, `population`
    for the one that they are a sample of, None for a single release. `noise_is_bounded`: the two cannot be told apart
    and are the same.
    """

    value: float
    noise: Interval | None
    population: Interval | None
    noise_is_bounded: bool
    confidence: float


class MeanEstimator:
    """An estimator of means: the weights c and the noise variance at each count.

    None of this depends on the data.
    """

    def __init__(self, mechanism: Mechanism, weights: Sequence[Fraction]) -> None:
        inputs = range(mechanism.n_inputs)
        squares = [c * c for c in weights]
        self.weights = tuple(weights)
        self.noise = tuple(
            sum((mechanism.fraction(i, j) * square for i, square in enumerate(squares)), Fraction(0)) - j * j
            for j in inputs
        )
        self.tells_noise = unbiased_weights(mechanism, [j * j for j in inputs]) is not None

    @classmethod
    def of(cls, mechanism: Mechanism) -> "MeanEstimator | None":
        """Make the estimator of a mechanism; None where no unbiased estimate of the mean exists."""
        weights = unbiased_weights(mechanism, range(mechanism.n_inputs))
        return None if weights is None else cls(mechanism, weights)

    def estimate(self, counts: Sequence[int], distribution: Sequence[float], confidence: Number) -> MeanEstimate:
        """Estimate the mean behind `counts[i]` releases of i; `distribution` of the true counts is one that fits them.

        Raises:
            InputError: for a confidence outside (0, 1).
        """
        level = as_confidence(confidence)
        releases = sum(counts)
        value = self.exact_value(counts)
        fitted = sum((Fraction(share) * v for share, v in zip(distribution, self.noise, strict=True)), Fraction(0))
        spread = self.exact_variance(counts)
        population = None
        if spread is not None:
            population = _interval(value, max(spread, fitted / releases), _student_quantile(releases - 1, level))
        noise = _interval(value, fitted / releases, _normal_quantile(level)) if self.tells_noise else population
        return MeanEstimate(nearest_float(value), noise, population, not self.tells_noise, level)

    def exact_value(self, counts: Sequence[int]) -> Fraction:
        """Compute the estimated mean `sum_i f_i c_i`."""
        return self._moment(counts, 1) / sum(counts)

    def exact_variance(self, counts: Sequence[int]) -> Fraction | None:
        """Compute `(sum_i f_i c_i^2 - (sum_i f_i c_i)^2) / (N - 1)`, unbiased for a population; None for one."""
        releases = sum(counts)
        if releases == 1:
            return None
        return (self._moment(counts, 2) / releases - self.exact_value(counts) ** 2) / (releases - 1)

    def _moment(self, counts: Sequence[int], power: int) -> Fraction:
        return sum((count * c**power for count, c in zip(counts, self.weights, strict=True)), Fraction(0))


def as_confidence(value: Number) -> float:
    """Parse a confidence level strictly between 0 and 1."""
    level = as_rational(value, "confidence")
    if not 0 < level < 1 or not 0.5 < (1.0 + float(level)) / 2.0 < 1.0:
        raise InputError(f"confidence must be in (0, 1), such as 0.95 for 95 %, got confidence={shorten(value)}")
    return float(level)


def _normal_quantile(confidence: float) -> float:
    return NormalDist().inv_cdf((1.0 + confidence) / 2.0)


def _student_quantile(degrees: int, confidence: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1.0 + confidence) / 2.0))


def _interval(centre: Fraction, variance: Fraction, quantile: float) -> Interval:
    error = math.sqrt(nearest_float(variance))
    reach = quantile * error
    if math.isinf(reach):
        return Interval(error, -math.inf, math.inf)
    return Interval(error, nearest_float(centre - Fraction(reach)), nearest_float(centre + Fraction(reach)))
