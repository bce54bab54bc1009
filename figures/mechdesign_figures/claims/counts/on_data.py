"""Claims about mechanisms on Adult and on binomial data, as in the figures."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.counts.error_law import error_law
from mechdesign.rational import number_text
from mechdesign_figures.claims.claim import EXPERIMENTS, Claim
from mechdesign_figures.claims.counts.data import ADULT_ALPHA, adult, binomial, expected
from mechdesign_figures.claims.verdict import Case, Finding, judge, setting, shown, spans
from mechdesign_figures.studies.counts.adult_error import RELEASES
from mechdesign_figures.studies.counts.binomial_l0 import ERRORS
from mechdesign_figures.studies.counts.binomial_l1_l2 import ROOTS_L1
from mechdesign_figures.studies.design_cache import DesignCache

FIGURES = {"L1": "6.14", "L2": "6.15"}


@dataclass(frozen=True)
class Rates:
    """Error rates on the groups of one target, by mechanism."""

    target: str
    n: int
    rates: dict[str, Fraction]

    def apart(self, one: str, other: str) -> Fraction:
        """Return how far two rates are from each other."""
        return abs(self.rates[one] - self.rates[other])

    def behind(self, name: str) -> Fraction:
        """Return how far a rate is above the lowest."""
        return self.rates[name] - min(self.rates.values())

    @property
    def where(self) -> str:
        """The setting, in words."""
        return f"{self.target}, {setting(self.n, ADULT_ALPHA)}"

    @property
    def numbers(self) -> str:
        """The rates, in words."""
        return ", ".join(f"{name} {shown(rate)}" for name, rate in self.rates.items())


def _adult_rates(cache: DesignCache, quick: bool) -> list[Rates]:
    def rates(n: int, alpha: Fraction, histogram: Sequence[int]) -> dict[str, Fraction]:
        mechanisms = {name: cache.mechanism(name, n, alpha) for name in RELEASES.mechanisms}
        return {name: expected(mechanism, histogram, "error-rate") for name, mechanism in mechanisms.items()}

    return [Rates(target, n, rates(n, alpha, histogram)) for target, n, alpha, histogram in adult(cache, quick)]


def _reference(rates: Sequence[Rates]) -> str:
    """The published setting that is always shown."""
    return next(f"{item.where}: {item.numbers}" for item in rates if (item.target, item.n) == ("income", 8))


def _explicit_is_best(cache: DesignCache, quick: bool) -> Finding:
    found = _adult_rates(cache, quick)
    cases = (Case(item.where, item.behind("EM") == 0, item.numbers, miss=item.behind("EM")) for item in found)
    return judge(cases, note=f"EM has the lowest rate {best_at(found)}; {_reference(found)}")


def best_at(rates: Sequence[Rates]) -> str:
    """Return the group sizes at which EM has the lowest rate, target by target."""
    texts = []
    for target, own in itertools.groupby(rates, lambda item: item.target):
        best = {item.n: item.behind("EM") == 0 for item in own}
        sizes = ", ".join(str(n) for n, is_best in best.items() if is_best)
        texts.append(f"for {target} at " + ("every n" if all(best.values()) else f"n = {sizes}" if sizes else "no n"))
    return ", ".join(texts)


def _weak_tracks_uniform(cache: DesignCache, quick: bool) -> Finding:
    found = _adult_rates(cache, quick)
    cases = (
        Case(item.where, lead < 0, item.numbers, miss=lead)
        for item in found
        for lead in [item.apart("WM", "UM") - item.apart("WM", "EM")]
    )
    return judge(cases, note=_reference(found))


def _bimodal(cache: DesignCache, quick: bool) -> Finding:
    """Figure 6.13 shows two alphas: the errors are to have two peaks at the larger and one at the smaller."""
    (n,) = ERRORS.sizes
    low, high = sorted(ERRORS.alphas)

    def peaks_of(chance: Fraction, alpha: Fraction) -> list[int]:
        return peaks(error_law(cache.mechanism("GM", n, alpha), binomial(n, chance)).shares)

    def case(chance: Fraction) -> Case:
        found = {alpha: peaks_of(chance, alpha) for alpha in (low, high)}
        at = (f"alpha = {number_text(alpha)} at {', '.join(map(str, errors))}" for alpha, errors in found.items())
        true = [len(errors) for errors in found.values()] == [1, 2]
        return Case(f"p = {float(chance):g}", true, f"peaks for {', for '.join(at)}")

    chances = [Fraction(value) for value in ERRORS.values]
    tried = [Fraction(hundredths, 100) for hundredths in range(5, 100, 10 if quick else 1)]
    ranges = (
        f"p = {float(p):g} at alpha = {spans(tried, [alpha for alpha in tried if len(peaks_of(p, alpha)) == 2])}"
        for p in chances
    )
    grid = f"{float(tried[0]):g} to {float(tried[-1]):g} in steps of {float(tried[1] - tried[0]):g}"
    return judge(map(case, chances), note=f"of alpha = {grid} there are two peaks for {', for '.join(ranges)}")


def peaks(law: Sequence[Fraction]) -> list[int]:
    """List the errors that are strictly likelier than both neighbours."""
    n = len(law) // 2
    padded = [Fraction(0), *law, Fraction(0)]
    return [k - n for k in range(len(law)) if padded[k] < padded[k + 1] > padded[k + 2]]


@dataclass(frozen=True)
class Roots:
    """Expected mean squared errors of designs at one setting; their roots are the RMSEs."""

    where: str
    squares: dict[str, Fraction]

    @property
    def rank(self) -> int:
        """The rank of UCM: how many designs beat it, and 1."""
        return 1 + sum(other < self.squares["UCM"] for other in self.squares.values())

    @property
    def excess(self) -> Fraction:
        """The share by which UCM's mean squared error is above the lowest."""
        return self.squares["UCM"] / min(self.squares.values()) - 1

    @property
    def numbers(self) -> str:
        """The root mean squared errors, in words."""
        roots = ", ".join(f"{name} {float(square) ** 0.5:.4f}" for name, square in self.squares.items())
        return f"UCM ranks {self.rank}, RMSE {roots}"

    @property
    def margin(self) -> str:
        """How far UCM's root mean squared error is above the lowest, in words."""
        return f"{100 * (float(1 + self.excess) ** 0.5 - 1):.2g} % above the lowest at {self.where}"


def _unconstrained_among_best(loss: str) -> Callable[[DesignCache, bool], Finding]:
    def measure(cache: DesignCache, quick: bool) -> Finding:
        found = list(_roots(cache, quick, loss))
        worst = max(found, key=lambda roots: roots.excess)
        first = sum(roots.rank == 1 for roots in found)
        cases = (Case(roots.where, roots.rank <= 2, roots.numbers, miss=roots.excess) for roots in found)
        return judge(cases, note=f"lowest of all in {first} of {len(found)}, at worst {worst.margin}")

    return measure


def _roots(cache: DesignCache, quick: bool, loss: str) -> Iterator[Roots]:
    sizes = ROOTS_L1.sizes[3:9:5] if quick else ROOTS_L1.sizes
    for n, alpha, chance in itertools.product(sizes, ROOTS_L1.alphas, ROOTS_L1.values):
        mechanisms = {name: cache.mechanism(name, n, alpha, loss) for name in ROOTS_L1.mechanisms}
        histogram = binomial(n, Fraction(chance))
        squares = {name: expected(mechanism, histogram, "rmse") for name, mechanism in mechanisms.items()}
        yield Roots(f"p = {chance}, {setting(n, alpha)}", squares)


CLAIMS = (
    Claim(
        "EM on Adult",
        EXPERIMENTS,
        "Figure 6.9: EM has the lowest error rate of GM, WM, EM and UM on every Adult target",
        _explicit_is_best,
        needs=("adult",),
    ),
    Claim(
        "WM on Adult",
        EXPERIMENTS,
        "Figure 6.9: WM tracks UM on Adult (read as: its error rate is nearer to UM's than to EM's)",
        _weak_tracks_uniform,
        needs=("adult",),
    ),
    Claim(
        "GM becomes bimodal",
        EXPERIMENTS,
        "Figure 6.13: GM's errors become bimodal at alpha = 0.91 (read as: of the two alphas of the figure, two peaks "
        "at 0.91 and one at 0.67; n = 8)",
        _bimodal,
    ),
    *(
        Claim(
            f"UCM's RMSE, {loss}",
            EXPERIMENTS,
            f"Figure {figure}: of the {loss} designs UCM is among the best in RMSE on binomial data (read as: one of "
            "the two lowest of UCM, WM, FM, AM and UM)",
            _unconstrained_among_best(loss),
        )
        for loss, figure in FIGURES.items()
    ),
)
