"""Probabilities of all frequency oracles, and their consequences.

A user's report *supports* a set of items. An oracle is pure (Wang, Blocki, Li, Jha, USENIX Security 2017) when a report
supports the user's own item with probability p and each other item with probability q, whatever the items are. Then,
for n users of whom the share f has an item, and S reports that support it,

    estimate = (S/n - q) / (p - q),
    variance = (f p (1-p) + (1-f) q (1-q)) / (n (p-q)^2)   for fixed items of the users.

All probabilities are rationals made from the exact `alpha` of a `Privacy`, so the true loss never exceeds the claim.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.rational import Number, as_rational, fraction_text

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Support:
    """`p = Pr[supports | own item]` and `q = Pr[supports | another item]`, `p > q`."""

    p: Fraction
    q: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.q < self.p <= 1:
            raise InputError(f"probabilities must have 0 <= q < p <= 1, got p={self.p}, q={self.q}")

    def estimate(self, supports: NDArray[np.int64], users: int) -> Floats:
        """Estimate the share of each item, unbiased, not clipped and not rescaled; shape as `supports`."""
        return (supports / users - float(self.q)) / float(self.p - self.q)

    def approximate_variance(self, users: int) -> float:
        """Compute the limit for rare items, `q (1-q) / (n (p-q)^2)`: what the literature compares oracles by."""
        return float(self.rare_variance / users)

    @property
    def rare_variance(self) -> Fraction:
        """Variance of a rare item for one user, exactly."""
        return self.q * (1 - self.q) / (self.p - self.q) ** 2

    def mean_variance(self, k: int) -> Fraction:
        """Compute the mean of the variances of k items for one user, exactly; it is the same at all shares."""
        own, another = self.p * (1 - self.p), self.q * (1 - self.q)
        return (own + (k - 1) * another) / (k * (self.p - self.q) ** 2)

    @property
    def texts(self) -> dict[str, str]:
        """Return p and q as JSON has rationals."""
        return {"p": fraction_text(self.p), "q": fraction_text(self.q)}


def direct(outcomes: int, alpha: Fraction) -> Support:
    """Return p and q of randomised response over `outcomes`: `p = 1/(1 + (outcomes-1) alpha)`, `q = alpha p`.

    Generalised randomised response (Kairouz, Bonawitz, Ramage, ICML 2016); for two outcomes Warner's of 1965.
    """
    p = 1 / (1 + (outcomes - 1) * alpha)
    return Support(p, alpha * p)


def amplified(alpha: Fraction, attributes: int) -> Fraction:
    """Compute `e^-eps'` of the budget amplified by sampling one of d attributes: `alpha / (d (1-alpha) + alpha)`.

    The amplified budget is `eps' = ln(d (e^eps - 1) + 1)`.

    Amplification by sampling (Li, Qardaji, Su, ASIACCS 2012), as RS+FD uses it (Arcolezi et al., CIKM 2021).
    """
    return alpha / (attributes * (1 - alpha) + alpha)


def mixed(real: Support, fake: Fraction, attributes: int) -> Support:
    """Return p and q of RS+FD: real with chance 1/d, else a fake, which supports every item with the chance `fake`."""
    others = (attributes - 1) * fake
    return Support((real.p + others) / attributes, (real.q + others) / attributes)


def flip(alpha: Fraction) -> Fraction:
    """Return `alpha/(1+alpha)`: how often one bit is turned over, so that the two values differ by the factor alpha."""
    return alpha / (1 + alpha)


def symmetric_unary(root: Fraction) -> Support:
    """Return p and q of SUE: each bit turned over with `root/(1+root)`.

    Two bits differ, so `root >= exp(-epsilon/2)`.

    SUE (Wang et al. 2017), the permanent step of RAPPOR (Erlingsson, Pihur, Korolova, CCS 2014).
    """
    return Support(1 - flip(root), flip(root))


def optimised_unary(alpha: Fraction) -> Support:
    """Return p and q of OUE: the true bit is kept with 1/2, every other is set with `alpha/(1+alpha)`.

    Wang et al. 2017.
    """
    return Support(Fraction(1, 2), flip(alpha))


def unary_alpha(bit: Support) -> Fraction:
    """Compute the smallest ratio of chances of a row of independent bits, one for each item: `q (1-p) / (p (1-q))`.

    Two items differ in two bits, and the ratio is least where both speak for one of them. For SUE it is the square of
    its root, for OUE its alpha.
    """
    return bit.q * (1 - bit.p) / (bit.p * (1 - bit.q))


def instantaneous_step(p: Number | None, q: Number | None) -> Support:
    """Return RAPPOR's second step: a permanent 1 is reported as 1 with q, a permanent 0 with p.

    Erlingsson et al. 2014 call q what `Support` calls p. Where neither is given, bits are reported as they are (p = 0,
    q = 1).

    Raises:
        InputError: for only one of p and q, or unless 0 <= p < q <= 1.
    """
    if p is None and q is None:
        return Support(Fraction(1), Fraction(0))
    if p is None or q is None:
        raise InputError(f"rappor must have both p and q or neither, got p={p} and q={q}")
    low, high = as_rational(p, "p"), as_rational(q, "q")
    if not 0 <= low < high <= 1:
        raise InputError(f"rappor must have 0 <= p < q <= 1 (q is for a permanent bit 1), got p={low} and q={high}")
    return Support(high, low)


def one_after_other(first: Support, second: Support) -> Support:
    """Combine two steps that a bit goes through one after the other.

    It is reported as 1 if the first step makes it 1 and the second keeps that, or if the first makes it 0 and the
    second turns it over.
    """
    chances = [one * second.p + (1 - one) * second.q for one in (first.p, first.q)]
    return Support(*chances)


def subset_size(k: int, alpha: Fraction) -> int:
    """Return the whole number nearest to `k/(1 + e^eps)`, at least 1: about the best size (Ye, Barg 2018)."""
    return max(1, round(k * flip(alpha)))


def best_subset_size(k: int, alpha: Fraction, criterion: Callable[[Support], Fraction]) -> int:
    """Return the smallest size at which a criterion of `subset` is least, in O(log k) exact steps.

    With `E = 1/alpha` and `m = k + (E-1) size`, the variance of a rare item is `(m-E) (m-1) / ((E-1)^2 size (k-size))`,
    and the sum over all items is `m^2 (k-1)^2 / (k (E-1)^2 size (k-size))` less a constant. A convex function over a
    concave one falls and then rises, so the first size that the next one does not beat is the best.

    >>> best_subset_size(4, Fraction(3, 5), lambda support: support.rare_variance)
    1
    """

    def is_low(size: int) -> bool:
        return criterion(subset(k, size, alpha)) <= criterion(subset(k, size + 1, alpha))

    return 1 + bisect_left(range(1, k - 1), True, key=is_low)


def subset(k: int, size: int, alpha: Fraction) -> Support:
    """Return p and q where `size` of k items are reported, the own one with `p = size/(size + (k-size) alpha)`.

    Subset selection (Ye, Barg, IEEE Trans. Inf. Theory 2018; Wang et al. 2016).
    """
    p = size / (size + (k - size) * alpha)
    return Support(p, p * Fraction(size - 1, k - 1) + (1 - p) * Fraction(size, k - 1))


def hashed(bucket: Support, collision: Fraction) -> Support:
    """Return p and q where an item's bucket is reported through `bucket`, and others collide with this probability."""
    return Support(bucket.p, collision * bucket.p + (1 - collision) * bucket.q)
