"""The chapter's theorem on sampled signs, and chapter 2 on its primitives, measured."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_figures.claims.marginals.telling import marginal_claim
from mechdesign_figures.claims.ranges.conclusions import conclude
from mechdesign_figures.claims.verdict import Case, Finding, judge, shown
from mechdesign_figures.studies.design_cache import DesignCache

SAMPLED = tuple(map(Fraction, ("1", "1/2", "1/10", "1/36", "1/136")))
"""Chances p_s that a sign is the one that a user reports."""

RATIOS = tuple(map(Fraction, ("3/2", "3", "9", "99")))
"""Values of x = e^epsilon."""

USERS = 2_000
DEVIATIONS = (1.0, 2.0, 3.0, 4.0)
"""Of the exact deviation: how far off the means are whose chance is bounded."""

EPSILONS = ("0.2", "0.4", "0.8", "1.1", "1.4", "2", "3", "4")
USUAL = Fraction("1.4")
"""The largest epsilon of the chapter."""

ABOUT = Fraction(15, 100)
DOMAINS = (2, 3, 10, 100)


class Sign:
    """The server's estimate of one user's sign +1: `z = s/(p_s r)` with r = 2 p_r - 1 where it was sampled, else 0."""

    def __init__(self, sampled: Fraction, x: Fraction) -> None:
        self.sampled, self.kept = sampled, x / (1 + x)
        self.size = 1 / (sampled * (2 * self.kept - 1))
        self.law = {
            self.size: sampled * self.kept,
            -self.size: sampled * (1 - self.kept),
            Fraction(0): 1 - sampled,
        }

    @property
    def variance(self) -> Fraction:
        """The variance of z, from its law."""
        return sum((chance * (z - 1) ** 2 for z, chance in self.law.items()), Fraction(0))

    @property
    def farthest(self) -> Fraction:
        """The largest error |z - 1|."""
        return max(abs(z - 1) for z in self.law)

    @property
    def printed_noise(self) -> Fraction:
        """The part of the printed variance that is of randomised response."""
        return 4 * self.kept * (1 - self.kept) * self.sampled * self.size**2

    @property
    def printed_variance(self) -> Fraction:
        """The variance as (4.4) prints it."""
        return self.printed_noise + 1 - self.sampled

    def tail(self, off: float, users: int) -> float:
        """Return the exact chance that the mean of so many users is off by more."""
        size = float(self.size)
        single = np.zeros(2 * users + 1)
        single[0], single[1], single[-1] = (float(self.law[key]) for key in (Fraction(0), self.size, -self.size))
        sums = np.maximum(np.fft.irfft(np.fft.rfft(single) ** users, n=2 * users + 1), 0.0)
        signs = np.concatenate([np.arange(users + 1), np.arange(-users, 0)])
        return float(sums[np.abs(signs * size / users - 1) > off].sum())

    def bound(self, variance: float, off: float, users: int) -> float:
        """Return Bernstein's bound on that chance."""
        most = 2 * float(self.kept) * float(self.size)
        return 2 * math.exp(-users * off**2 / (2 * variance + 2 * off * most / 3))


def _signs() -> Iterator[tuple[str, Sign]]:
    for sampled, x in itertools.product(SAMPLED, RATIOS):
        yield f"p_s = {sampled}, x = {float(x):g}", Sign(sampled, x)


def _variance(cache: DesignCache, quick: bool) -> Finding:
    def case(where: str, sign: Sign) -> Case:
        true, told = sign.variance, sign.printed_variance
        numbers = f"variance {float(true):.5g}, printed {float(told):.5g}"
        return Case(where, true == told, numbers, sign.sampled == 1, true / told)

    return judge(itertools.starmap(case, _signs()), "every user reports the sign (p_s = 1)")


def _derived_variance(cache: DesignCache, quick: bool) -> Finding:
    def case(where: str, sign: Sign) -> Case:
        derived = sign.printed_noise + 1 / sign.sampled - 1
        return Case(where, sign.variance == derived, f"{float(derived):.5g}")

    return judge(itertools.starmap(case, _signs()))


def _farthest(cache: DesignCache, quick: bool) -> Finding:
    def case(where: str, sign: Sign) -> Case:
        most = 2 * sign.kept * sign.size
        return Case(where, sign.farthest <= most, f"largest error {float(sign.farthest):.5g}, M = {float(most):.5g}")

    return judge(itertools.starmap(case, _signs()))


def _tails(right: bool) -> Iterator[Case]:
    for where, sign in _signs():
        for times in DEVIATIONS:
            off = times * math.sqrt(sign.variance / USERS)
            variance = sign.variance if right else sign.printed_noise + 1
            chance, bound = sign.tail(off, USERS), sign.bound(float(variance), off, USERS)
            numbers = f"chance {chance:.3g}, bound {bound:.3g}"
            yield Case(f"{where}, off by {off:.3g}", chance <= bound, numbers, miss=Fraction(chance / bound))


def _master(cache: DesignCache, quick: bool) -> Finding:
    return judge(_tails(right=False))


def _master_mended(cache: DesignCache, quick: bool) -> Finding:
    return judge(_tails(right=True))


def _coefficient(cache: DesignCache, quick: bool) -> Finding:
    """With T coefficients to sample from, p_s = 1/T."""

    def case(coefficients: int, x: Fraction) -> Case:
        true = Sign(Fraction(1, coefficients), x).variance
        told = 4 * coefficients * x / (x - 1) ** 2 + 1
        numbers = f"variance {float(true):.5g}, told {float(told):.5g}"
        return Case(f"T = {coefficients}, x = {float(x):g}", true <= told, numbers, coefficients <= 2, true / told)

    return judge(itertools.starmap(case, itertools.product((1, 2, 4, 36, 136, 696), RATIOS)), "T <= 2")


def _moments(name: str, k: int, privacy: Privacy) -> ExchangeableOracle:
    made = parse_oracle(name, k, privacy)
    if not isinstance(made, ExchangeableOracle):
        raise TypeError("an oracle that treats all items alike is needed")
    return made


def _symmetric_bits(cache: DesignCache, quick: bool) -> Finding:
    def case(epsilon: str) -> Case:
        privacy = Privacy(epsilon=Fraction(epsilon))
        symmetric, optimised = (_moments(name, 8, privacy).moments.other for name in ("sue", "oue"))
        more = symmetric / optimised - 1
        numbers = f"n times the variance {float(symmetric):.4g} and {float(optimised):.4g}, {float(more):.1%} more"
        return Case(f"epsilon = {epsilon}", more <= ABOUT, numbers, Fraction(epsilon) <= USUAL, more)

    return conclude(list(map(case, EPSILONS)), f"epsilon <= {float(USUAL):g}, as in the chapter")


def _preferential(cache: DesignCache, quick: bool) -> Finding:
    def case(k: int, share: Fraction) -> Case:
        x = Fraction(3)
        moments = _moments("grr", k, Privacy(alpha=1 / x)).moments
        true = moments.other * (1 - share) + moments.own * share
        told = x * (share * (k - 2) + 1) / (x - 1) ** 2
        numbers = f"n times the variance {shown(true)}, printed {shown(told)}"
        return Case(f"k = {k}, f = {share}", true == told, numbers, k == 2 or share == 1, abs(true / told - 1))

    shares = tuple(map(Fraction, ("0", "1/100", "1/2", "1")))
    return judge(itertools.starmap(case, itertools.product(DOMAINS, shares)), "k = 2 or f = 1")


def _preferential_bound(cache: DesignCache, quick: bool) -> Finding:
    def case(k: int, x: Fraction) -> Case:
        moments = _moments("grr", k, Privacy(alpha=1 / x)).moments
        most, bound = max(moments.other, moments.own), x * (k - 1) / (x - 1) ** 2
        return Case(f"k = {k}, x = {float(x):g}", most <= bound, f"at most {float(most):.4g}, bound {float(bound):.4g}")

    return judge(itertools.starmap(case, itertools.product(DOMAINS, RATIOS)))


def _truth(cache: DesignCache, quick: bool) -> Finding:
    x = math.exp(1.1)
    chance = x / (x + 99)
    return judge([Case("epsilon = 1.1, k = 100", round(chance, 2) == 0.02, f"p = {chance:.4f}, which rounds to 0.03")])


TAILS = f"{USERS:,} users with the sign +1, exact chances of errors of 1 to 4 deviations"

CLAIMS = (
    marginal_claim(
        "variance of a sampled sign",
        "a sign that is sampled with the chance p_s and kept with the chance p_r has the variance 4 p_r (1 - p_r)/(p_s "
        "(2 p_r - 1)^2) + 1 - p_s (4.4)",
        _variance,
    ),
    marginal_claim(
        "variance of a sampled sign, mended",
        "ours: it is 4 p_r (1 - p_r)/(p_s (2 p_r - 1)^2) + 1/p_s - 1",
        _derived_variance,
    ),
    marginal_claim(
        "largest error of a sampled sign",
        "its error is at most M = 2 p_r/(p_s (2 p_r - 1)) (proof of theorem 2)",
        _farthest,
    ),
    marginal_claim(
        "theorem 2",
        f"theorem 2 bounds the chance of an error (read as: by Bernstein with M and the variance of (4.4), 1 in place "
        f"of 1 - p_s as in (4.5); {TAILS})",
        _master,
    ),
    marginal_claim(
        "theorem 2, mended",
        f"ours: with the right variance it does ({TAILS})",
        _master_mended,
    ),
    marginal_claim(
        "variance of one of T coefficients",
        "a coefficient that is one of T has a variance of at most 4 T x/(x - 1)^2 + 1 (4.6)",
        _coefficient,
    ),
    marginal_claim(
        "symmetric and optimised bits",
        "the difference between symmetric and optimised unary encoding is not significant for the usual epsilon "
        f"((2.6) and (2.7); read as: at most {float(ABOUT):.0%} of the variance)",
        _symmetric_bits,
    ),
    marginal_claim(
        "variance of GRR as printed",
        "n times the variance of GRR is x (f (k - 2) + 1)/(x - 1)^2 at the share f (proof of lemma 4; exact, x = 3)",
        _preferential,
    ),
    marginal_claim(
        "bound of lemma 4",
        "n times the variance of GRR is at most x (k - 1)/(x - 1)^2 (lemma 4)",
        _preferential_bound,
    ),
    marginal_claim(
        "chance of the truth",
        "for epsilon = 1.1 and 100 items GRR tells the truth with the chance 0.02 (section 2.4.2)",
        _truth,
    ),
)
