"""Claims on where GM is wrong more often than uniform guessing.

They are tried on Adult, on binomial data, and by rule.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.rational import number_text
from mechdesign_figures.claims.claim import EXPERIMENTS, FACTS, Claim
from mechdesign_figures.claims.counts.data import adult, binomial, expected
from mechdesign_figures.claims.verdict import Case, Finding, judge, setting, shown, spans
from mechdesign_figures.studies.counts.binomial_l0 import BEYOND_ONE, ROOTS
from mechdesign_figures.studies.design_cache import DesignCache

PINCH = Fraction(1, 1000)
"""How far beside the edge of the rule it is tried."""


@dataclass(frozen=True)
class Trial:
    """Groups by true count, `source` the data, and the error rates of GM and of guessing on them."""

    source: str
    n: int
    alpha: Fraction
    histogram: Sequence[int]
    gm: Fraction
    guess: Fraction

    @property
    def is_worse(self) -> bool:
        """Whether GM is wrong more often than guessing."""
        return self.gm > self.guess

    @property
    def at_ends(self) -> Fraction:
        """The share of groups whose count is 0 or n."""
        return Fraction(self.histogram[0] + self.histogram[self.n], sum(self.histogram))

    def case(self, true: bool, extra: str = "") -> Case:
        """Return the trial as a case of the claim."""
        where = f"{self.source}, {setting(self.n, self.alpha)}"
        return Case(where, true, f"GM {shown(self.gm)}, UM {shown(self.guess)}{extra}", miss=self.guess - self.gm)


def edge(n: int, alpha: Fraction) -> Fraction:
    """Return the share of counts 0 and n at which GM is as often wrong as guessing.

    GM is right with `((1-alpha) + alpha s)/(1+alpha)`, s the share at the ends; guessing with `1/(n+1)`.
    """
    return ((1 + alpha) / (n + 1) - (1 - alpha)) / alpha


def binomial_settings(quick: bool) -> list[tuple[int, Fraction, Fraction]]:
    """List n, alpha and p of figures 6.10 and 6.12, which are those of 6.11 and 6.13 too."""
    found = [
        (n, alpha, Fraction(chance))
        for figure in (BEYOND_ONE, ROOTS)
        for n, alpha, chance in itertools.product(figure.sizes, figure.alphas, figure.values)
    ]
    return list(dict.fromkeys(found))[:: 7 if quick else 1]


def _trial(cache: DesignCache, source: str, n: int, alpha: Fraction, histogram: Sequence[int]) -> Trial:
    gm, guess = (expected(cache.mechanism(name, n, alpha), histogram, "error-rate") for name in ("GM", "UM"))
    return Trial(source, n, alpha, histogram, gm, guess)


def _adult_trials(cache: DesignCache, quick: bool) -> Iterator[Trial]:
    for target, n, alpha, histogram in adult(cache, quick):
        yield _trial(cache, target, n, alpha, histogram)


def _binomial_trials(cache: DesignCache, quick: bool) -> Iterator[Trial]:
    for n, alpha, chance in binomial_settings(quick):
        yield _trial(cache, f"p = {float(chance):g}", n, alpha, binomial(n, chance))


def edge_trials(cache: DesignCache, quick: bool) -> Iterator[Trial]:
    """Yield trials on groups whose share at the ends is the edge of the rule, and a little less and more."""
    for n, alpha in dict.fromkeys((n, alpha) for n, alpha, _ in binomial_settings(quick)):
        for share in (edge(n, alpha) + step for step in (-PINCH, 0, PINCH)):
            if 0 <= share <= 1:
                histogram = [share.numerator, share.denominator - share.numerator, *[0] * (n - 1)]
                yield _trial(cache, f"{float(share):.4g} of the groups at 0, the others at 1", n, alpha, histogram)


def _rule(cache: DesignCache, quick: bool) -> Finding:
    trials = itertools.chain(_adult_trials(cache, quick), _binomial_trials(cache, quick), edge_trials(cache, quick))
    return judge(follows_rule(trial) for trial in trials)


def follows_rule(trial: Trial) -> Case:
    """Return the case whether GM is worse than guessing exactly where the rule says so."""
    at_edge = edge(trial.n, trial.alpha)
    extra = f", {shown(trial.at_ends)} at the ends against {shown(at_edge)}"
    return trial.case(trial.is_worse == (trial.at_ends < at_edge), extra)


def _on_adult(cache: DesignCache, quick: bool) -> Finding:
    trials = list(_adult_trials(cache, quick))
    return judge((trial.case(trial.is_worse) for trial in trials), note=_sizes_by_target(trials))


def _sizes_by_target(trials: Iterable[Trial]) -> str:
    """The group sizes at which GM is worse, target by target."""
    sizes: dict[str, list[str]] = {}
    for trial in trials:
        sizes.setdefault(trial.source, []).extend([str(trial.n)] if trial.is_worse else [])
    return "GM is worse for " + "; ".join(f"{source} at n = {', '.join(n) or 'none'}" for source, n in sizes.items())


def _on_binomial(cache: DesignCache, quick: bool) -> Finding:
    trials = list(_binomial_trials(cache, quick))
    return judge((trial.case(trial.is_worse) for trial in trials), note=_chances_by_size(cache, quick))


def _chances_by_size(cache: DesignCache, quick: bool) -> str:
    """The p at which GM is worse; n with the same answer are drawn together."""
    tried = binomial_settings(quick)
    sizes: dict[str, list[str]] = {}
    for alpha, n in sorted({(alpha, n) for n, alpha, _ in tried}):
        chances = sorted(p for size, a, p in tried if (size, a) == (n, alpha))
        worse = [p for p in chances if _trial(cache, "", n, alpha, binomial(n, p)).is_worse]
        said = f"at p = {spans(chances, worse)} ({len(worse)} of {len(chances)})" if worse else "at no p"
        sizes.setdefault(f"{said} for alpha = {number_text(alpha)}", []).append(str(n))
    return "GM is worse " + "; ".join(f"{said}, n = {', '.join(ns)}" for said, ns in sizes.items())


CLAIMS = (
    Claim(
        "GM against guessing",
        FACTS,
        "GM is wrong more often than uniform guessing if and only if the share of groups whose count is 0 or n is "
        "below ((1+alpha)/(n+1) - (1-alpha))/alpha",
        _rule,
        needs=("adult",),
    ),
    Claim(
        "GM on Adult",
        EXPERIMENTS,
        "Figure 6.9: on Adult GM is wrong more often than uniform guessing",
        _on_adult,
        needs=("adult",),
    ),
    Claim(
        "GM on binomial data",
        EXPERIMENTS,
        "on binomial data (n, alpha and p of figures 6.10 to 6.13) GM is wrong more often than uniform guessing",
        _on_binomial,
    ),
)
