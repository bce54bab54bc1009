"""What the study says of mechanisms on Adult and on binomial data; exact expectations, nothing is simulated."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign import Mechanism, Prior
from mechdesign.accuracy import error_law
from mechdesign.metrics import make_metric
from mechdesign.rational import over_common_denominator
from mechdesign_figures.claims.claim import EXPERIMENTS, Claim
from mechdesign_figures.claims.verdict import Case, Finding, judge, setting, shown
from mechdesign_figures.studies.bench import Bench

TARGETS = ("income", "sex", "age")
ADULT_ALPHA = Fraction(9, 10)
STEEP = Fraction(91, 100)
RMSE_DESIGNS = ("UCM", "WM", "FM", "AM", "UM")

Data = tuple[str, int, Fraction, Sequence[int]]
"""Where, n, alpha, and how many groups have each true count."""


@dataclass(frozen=True)
class Rates:
    """Error rates on data by mechanism."""

    where: str
    rates: dict[str, Fraction]

    def apart(self, one: str, other: str) -> Fraction:
        """How far two rates are from each other."""
        return abs(self.rates[one] - self.rates[other])

    @property
    def numbers(self) -> str:
        return ", ".join(f"{name} {shown(rate)}" for name, rate in self.rates.items())


def binomial(n: int, chance: Fraction) -> list[int]:
    """Groups by true count, in the proportions of the binomial distribution itself."""
    return over_common_denominator(Prior.parse(f"binomial:{chance}").weights(n + 1))[0]


def measured(mechanism: Mechanism, histogram: Sequence[int], metric: str) -> Fraction:
    """The exact expectation of a metric (of its square for rmse)."""
    return make_metric(metric, mechanism.n_inputs - 1).before_root(error_law(mechanism, histogram))


def _adult(bench: Bench, quick: bool) -> Iterator[Data]:
    for target in TARGETS:
        people = bench.adult(target)
        for n in (4, 8) if quick else (1, 2, 3, 4, 6, 8, 10, 12, 16):
            yield f"{target}, {setting(n, ADULT_ALPHA)}", n, ADULT_ALPHA, people.grouped(n).histogram


def _binomials(quick: bool) -> Iterator[Data]:
    for n in (8, 12) if quick else (4, 8, 12):
        for alpha in (Fraction(2, 3), Fraction(10, 11)):
            for tenths in (1, 5, 7) if quick else range(1, 10):
                yield f"p = 0.{tenths}, {setting(n, alpha)}", n, alpha, binomial(n, Fraction(tenths, 10))


def _adult_rates(bench: Bench, quick: bool) -> list[Rates]:
    return [
        Rates(
            where,
            {
                name: measured(bench.mechanism(name, n, alpha), histogram, "error-rate")
                for name in ("GM", "WM", "EM", "UM")
            },
        )
        for where, n, alpha, histogram in _adult(bench, quick)
    ]


def _reference(found: Sequence[Rates]) -> str:
    """The published setting that is always shown."""
    return next(f"{rates.where}: {rates.numbers}" for rates in found if rates.where.startswith("income, n = 8,"))


def _explicit_is_best(bench: Bench, quick: bool) -> Finding:
    found = _adult_rates(bench, quick)
    cases = (
        Case(item.where, lead <= 0, item.numbers, miss=lead)
        for item in found
        for lead in [item.rates["EM"] - min(item.rates.values())]
    )
    return judge(cases, note=_reference(found))


def _weak_tracks_uniform(bench: Bench, quick: bool) -> Finding:
    found = _adult_rates(bench, quick)
    cases = (
        Case(item.where, lead < 0, item.numbers, miss=lead)
        for item in found
        for lead in [item.apart("WM", "UM") - item.apart("WM", "EM")]
    )
    return judge(cases, note=_reference(found))


def _worse_than_guessing(data: Callable[[Bench, bool], Iterator[Data]]) -> Callable[[Bench, bool], Finding]:
    """GM is right with `((1-a) + a s)/(1+a)`, s the share of groups at 0 or n; guessing with `1/(n+1)`."""

    def case(bench: Bench, where: str, n: int, alpha: Fraction, histogram: Sequence[int]) -> Case:
        ends = Fraction(histogram[0] + histogram[n], sum(histogram))
        edge = ((1 + alpha) / (n + 1) - (1 - alpha)) / alpha
        gm, guess = (measured(bench.mechanism(name, n, alpha), histogram, "error-rate") for name in ("GM", "UM"))
        numbers = f"GM {shown(gm)}, UM {shown(guess)}, {shown(ends)} at the ends against {shown(edge)}"
        return Case(where, gm > guess, numbers, ends < edge, guess - gm)

    condition = "the share of groups at 0 or n is below ((1+alpha)/(n+1) - (1-alpha))/alpha"

    def measure(bench: Bench, quick: bool) -> Finding:
        tried = [(item, case(bench, *item)) for item in data(bench, quick)]
        return judge(
            [found for _, found in tried], condition, _where_worse(item for item, found in tried if found.true)
        )

    return measure


def _where_worse(found: Iterable[Data]) -> str:
    """The settings, group sizes of the same data drawn together."""
    sizes: dict[str, list[str]] = {}
    for where, n, alpha, _ in found:
        sizes.setdefault(f"{where.partition(',')[0]}, alpha = {alpha}", []).append(str(n))
    return "GM is worse at " + ("; ".join(f"{data}, n = {', '.join(ns)}" for data, ns in sizes.items()) or "none")


def _bimodal(bench: Bench, quick: bool) -> Finding:
    def peaks_of(chance: Fraction, alpha: Fraction) -> list[int]:
        return peaks(error_law(bench.mechanism("GM", 8, alpha), binomial(8, chance)))

    chances = (Fraction(1, 10), Fraction(7, 10))
    cases = (
        Case(f"p = {float(p):g}", len(found) == 2, f"peaks at errors {', '.join(map(str, found))}")
        for p in chances
        for found in [peaks_of(p, STEEP)]
    )
    tried = [Fraction(hundredths, 100) for hundredths in range(5, 100, 10 if quick else 1)]
    first = [next((alpha for alpha in tried if len(peaks_of(p, alpha)) > 1), None) for p in chances]
    texts = (
        f"p = {float(p):g} from alpha = {'none tried' if alpha is None else f'{float(alpha):g}'} on"
        for p, alpha in zip(chances, first, strict=True)
    )
    return judge(cases, note=f"more than one peak first at {', '.join(texts)}")


def peaks(law: Sequence[Fraction]) -> list[int]:
    """Errors that are strictly likelier than both neighbours."""
    n = len(law) // 2
    padded = [Fraction(0), *law, Fraction(0)]
    return [k - n for k in range(len(law)) if padded[k] < padded[k + 1] > padded[k + 2]]


def _unconstrained_among_best(loss: str) -> Callable[[Bench, bool], Finding]:
    """At most one of the five has a lower expected mean square error."""

    def measure(bench: Bench, quick: bool) -> Finding:
        cases = list(_rmse_cases(bench, quick, loss))
        first = sum(case.numbers.startswith("UCM ranks 1") for case in cases)
        return judge(cases, note=f"lowest of all in {first} of {len(cases)}")

    return measure


def _rmse_cases(bench: Bench, quick: bool, loss: str) -> Iterator[Case]:
    for where, n, alpha, histogram in _binomials(quick):
        squares = {name: measured(bench.mechanism(name, n, alpha, loss), histogram, "rmse") for name in RMSE_DESIGNS}
        ordered = sorted(squares.values())
        own = squares["UCM"]
        rank = 1 + sum(other < own for other in ordered)
        numbers = f"UCM ranks {rank}, RMSE " + ", ".join(f"{k} {float(v) ** 0.5:.4f}" for k, v in squares.items())
        yield Case(where, rank <= 2, numbers, miss=own - ordered[1])


CLAIMS = (
    Claim(
        "EM on Adult",
        EXPERIMENTS,
        "Figure 6.9: EM has the lowest error rate of GM, WM, EM and UM on every Adult target",
        _explicit_is_best,
        needs_adult=True,
    ),
    Claim(
        "WM on Adult",
        EXPERIMENTS,
        "Figure 6.9: WM tracks UM on Adult: its error rate is nearer to UM's than to EM's",
        _weak_tracks_uniform,
        needs_adult=True,
    ),
    Claim(
        "GM on Adult",
        EXPERIMENTS,
        "Figure 6.9: GM is wrong more often than uniform guessing on Adult",
        _worse_than_guessing(_adult),
        needs_adult=True,
    ),
    Claim(
        "GM on binomial data",
        EXPERIMENTS,
        "GM is wrong more often than uniform guessing on binomial data",
        _worse_than_guessing(lambda bench, quick: _binomials(quick)),
    ),
    Claim(
        "GM becomes bimodal",
        EXPERIMENTS,
        "Figure 6.13: at alpha = 0.91 and n = 8 GM's errors have two peaks",
        _bimodal,
    ),
    *(
        Claim(
            f"UCM's RMSE, {loss}",
            EXPERIMENTS,
            f"Figures 6.14 and 6.15: among the {loss} designs UCM has one of the two lowest RMSEs on binomial data",
            _unconstrained_among_best(loss),
        )
        for loss in ("L1", "L2")
    ),
)
