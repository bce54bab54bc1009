"""Claims about RS+FD, splitting and sampling: errors on people, variances, privacy."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from statistics import mean

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.attributes import Losses, RsFd, Smp, Spl, losses
from mechdesign_catalog.systems.attributes.formulas import derived_variance, printed_variance
from mechdesign_figures.claims.claim import SEVERAL, Claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.several_attributes import (
    METHODS,
    POWERS,
    RESCALED,
    Truth,
    Tuples,
    log_epsilon,
)

TABLES = ("adult", "nursery")
NEEDS = ("items:adult", "items:nursery")
WHERE = "on Adult and Nursery at epsilon = ln 2, ..., ln 7"
OURS, SAMPLING, SPLITTING = "RS+FD[ADP]", "SMP[ADP]", "SPL[ADP]"
SIMILAR = Fraction(5, 4)
"""How many times another's error one may have and be called similar."""

ADULT_DOMAINS = (7, 16, 7, 14, 6, 5, 2, 41, 2)
PRINTED_ROWS = 45_422
EXACT = 1e-6
"""Relative; rational probabilities are that near to those of the formulas."""

USERS = 10_000
REPETITIONS, SEED = 10, 5087

KINDS: tuple[type[Spl] | type[Smp], ...] = (Spl, Smp)
DOMAINS = ((2, 2), (2, 2, 2), (3, 4), (2, 3, 2), (2, 6))
"""Small enough for every report to be looked at; of one size, and not."""


@dataclass(frozen=True)
class Errors:
    """MSE_avg of every method on one table at epsilon = ln `power`."""

    data: str
    power: int
    errors: dict[str, float]

    def ratio(self, one: str, other: str) -> Fraction:
        """Return MSE_avg of one method divided by that of another."""
        return Fraction(self.errors[one]) / Fraction(self.errors[other])

    @property
    def where(self) -> str:
        """The setting, in words."""
        return f"{self.data.capitalize()}, epsilon = ln {self.power}"

    def numbers(self, *names: str) -> str:
        """Write the errors of some methods in words."""
        return ", ".join(f"{name} {self.errors[name]:.3g}" for name in names)


def expected_errors(cache: DesignCache, quick: bool) -> list[Errors]:
    """Compute exact expectations of MSE_avg for raw estimates."""
    found = []
    for data in TABLES:
        truth = Truth.of(cache.table(data))
        for power in powers(quick):
            oracles = {name: m.oracle(truth.table.sizes, log_epsilon(power)) for name, m in METHODS.items()}
            errors = {name: truth.expected_error(oracle) for name, oracle in oracles.items()}
            found.append(Errors(data, power, errors))
    return found


def rescaled_errors(cache: DesignCache, quick: bool) -> list[Errors]:
    """Simulate mean MSE_avg with negative estimates set to 0 and the others rescaled, for two of the methods."""
    found = []
    for data in TABLES:
        truth, tuples = Truth.of(cache.table(data)), Tuples(data, REPETITIONS, SEED)
        for power in powers(quick):
            values = {name: tuples.errors(truth, power, name)[RESCALED] for name in (OURS, SAMPLING)}
            found.append(Errors(data, power, {name: mean(own) for name, own in values.items()}))
    return found


def powers(quick: bool) -> Sequence[int]:
    """Return the powers that are tried; ln 3 is where the adaptive choice is not the best."""
    return (2, 3, 7) if quick else POWERS


def _better_than_splitting(cache: DesignCache, quick: bool) -> Finding:
    return judge(
        Case(found.where, ratio < 1, found.numbers(OURS, SPLITTING), miss=ratio)
        for found in expected_errors(cache, quick)
        for ratio in [found.ratio(OURS, SPLITTING)]
    )


def _like_sampling(errors: Callable[[DesignCache, bool], list[Errors]]) -> Callable[[DesignCache, bool], Finding]:
    def measure(cache: DesignCache, quick: bool) -> Finding:
        found = errors(cache, quick)
        cases = (
            Case(item.where, ratio <= SIMILAR, item.numbers(OURS, SAMPLING), miss=ratio)
            for item in found
            for ratio in [item.ratio(OURS, SAMPLING)]
        )
        return judge(cases, note=f"RS+FD[ADP] over SMP[ADP]: {_ratios(found, quick)}")

    return measure


def _ratios(errors: Sequence[Errors], quick: bool) -> str:
    span = ", ".join(f"ln {power}" for power in powers(quick))
    rows = itertools.groupby(errors, lambda item: item.data)
    told = (
        f"{data.capitalize()} " + ", ".join(f"{float(i.ratio(OURS, SAMPLING)):.2f}" for i in own) for data, own in rows
    )
    return f"{'; '.join(told)} at {span}"


def _adaptive_is_best(cache: DesignCache, quick: bool) -> Finding:
    names = [name for name in METHODS if name.startswith("RS+FD")]

    def case(errors: Errors) -> Case:
        excess = errors.ratio(OURS, min(names, key=lambda name: errors.errors[name]))
        return Case(errors.where, excess == 1, errors.numbers(*names), miss=excess)

    return judge(
        map(case, expected_errors(cache, quick)),
        note="the choice goes by the variance of rare items, and real items are not rare",
    )


def _variance(formula: Callable[[str, int, float, int], float]) -> Callable[[DesignCache, bool], Finding]:
    def cases(quick: bool) -> Iterator[Case]:
        sizes = (2, 32) if quick else (2, 4, 8, 32, 128, 1024)
        for name, k, epsilon in itertools.product(("grr", "oue"), sizes, (0.5, 1.0, 2.0, 4.0)):
            true = make_oracle(name, k, Privacy(epsilon=epsilon)).approximate_variance(USERS)
            told = formula(name, k, epsilon, USERS)
            where = f"{name.upper()}, k = {k}, epsilon = {epsilon:g}, n = {USERS:,}"
            numbers = f"formula {told:.4g}, variance {true:.4g}, {told / true:.4g} times"
            yield Case(where, abs(told / true - 1) < EXACT, numbers, miss=Fraction(abs(told / true - 1)))

    return lambda cache, quick: judge(cases(quick))


@cache
def _losses(oracle: RsFd | Spl | Smp) -> Losses:
    """Three claims ask for the same."""
    return losses(oracle)


def _tuples(quick: bool) -> Iterator[tuple[str, RsFd]]:
    encodings = ("grr", "oue-z", "adp")
    epsilons = {"1": Fraction(1), "ln 3": log_epsilon(3)}
    if not quick:
        epsilons = {"1/4": Fraction(1, 4), **epsilons}
    for domains, encoding, (text, epsilon) in itertools.product(DOMAINS, encodings, epsilons.items()):
        where = f"k = ({', '.join(map(str, domains))}), epsilon = {text}"
        yield f"{where}, {encoding.upper().replace('-Z', '-z')}", RsFd(domains, Privacy(epsilon=epsilon), encoding)


def _private_for_tuples(cache: DesignCache, quick: bool) -> Finding:
    return judge(
        Case(where, found.whole_tuple_holds, f"loss {found.whole_tuple:.4f}", miss=Fraction(found.whole_tuple))
        for where, oracle in _tuples(quick)
        for found in [_losses(oracle)]
    )


def _amplified_for_tuples(cache: DesignCache, quick: bool) -> Finding:
    """The budget by the published formula; the oracles have theirs from alpha."""
    return judge(
        Case(where, abs(loss / published - 1) < EXACT, f"loss {loss:.4f}")
        for where, oracle in _tuples(quick)
        for loss in [_losses(oracle).whole_tuple]
        for published in [math.log(len(oracle.domains) * math.expm1(oracle.privacy.epsilon) + 1)]
    )


def _private_for_one(cache: DesignCache, quick: bool) -> Finding:
    def case(where: str, oracle: RsFd) -> Case:
        found = _losses(oracle)
        alike = set(oracle.encodings) == {"oue-z"} or len(set(oracle.domains)) == 1
        excess = found.one_attribute - oracle.privacy.epsilon
        return Case(where, found.one_attribute_holds, f"loss {found.one_attribute:.4f}", alike, Fraction(excess))

    known = (("(3, 4), epsilon = 1", (3, 4), Fraction(1)), ("(2, 3, 2), epsilon = ln 3", (2, 3, 2), log_epsilon(3)))
    told = (
        f"k = {text}: {_losses(RsFd(k, Privacy(epsilon=epsilon), 'grr')).one_attribute:.3f}"
        for text, k, epsilon in known
    )
    return judge(
        (case(*tried) for tried in _tuples(quick)),
        "every attribute goes through OUE-z, or all domains are of one size",
        f"with GRR {', '.join(told)}",
    )


def _others_keep_theirs(cache: DesignCache, quick: bool) -> Finding:
    return judge(
        Case(f"{kind.name.upper()}, k = {domains}, epsilon = {text}", found.whole_tuple_holds, told)
        for kind, domains in itertools.product(KINDS, DOMAINS)
        for text, epsilon in (("1", Fraction(1)), ("ln 3", log_epsilon(3)))
        for found in [_losses(kind(domains, Privacy(epsilon=epsilon)))]
        for told in [f"loss {found.whole_tuple:.4f}"]
    )


def _rows(cache: DesignCache, quick: bool) -> Finding:
    users = cache.table("adult").users
    return judge([Case("adult.data and adult.test", users == PRINTED_ROWS, f"{users:,} complete rows")])


def _domains(cache: DesignCache, quick: bool) -> Finding:
    table = cache.table("adult")
    names = ", ".join(f"{name} {size}" for name, size in zip(table.attributes, table.sizes, strict=True))
    seen = tuple(len(set(column)) for column in table.values.T.tolist())
    listed = f"{names}; items that occur: {', '.join(map(str, seen))}"
    return judge([Case("Adult", table.sizes == ADULT_DOMAINS == seen, listed)])


CLAIMS = (
    Claim(
        "RS+FD beats SPL",
        SEVERAL,
        f"{WHERE} RS+FD[ADP] has a smaller MSE_avg than SPL[ADP] (exact expectations)",
        _better_than_splitting,
        needs=NEEDS,
    ),
    Claim(
        "RS+FD is like SMP",
        SEVERAL,
        f"{WHERE} RS+FD[ADP] is similar to or better than SMP[ADP] (read as: its expected MSE_avg, for estimates as "
        "they are, is at most a quarter above)",
        _like_sampling(expected_errors),
        needs=NEEDS,
    ),
    Claim(
        "RS+FD is like SMP, rescaled",
        SEVERAL,
        f"the same where negative estimates are set to 0 and the others rescaled, as the authors' package does "
        f"(simulated, {REPETITIONS} repetitions)",
        _like_sampling(rescaled_errors),
        needs=NEEDS,
    ),
    Claim(
        "RS+FD[ADP] is the best RS+FD",
        SEVERAL,
        f"{WHERE} RS+FD[ADP] has the least expected MSE_avg of RS+FD[GRR], RS+FD[OUE-z] and RS+FD[ADP]",
        _adaptive_is_best,
        needs=NEEDS,
    ),
    Claim(
        "variances as printed",
        SEVERAL,
        "the variance of a rare item is (e^eps + k - 2) / (n (p-q)^2) for GRR and 4 e^eps / (n (p-q)^2) for OUE, as "
        "the slides print it",
        _variance(printed_variance),
    ),
    Claim(
        "variances as meant",
        SEVERAL,
        "the same with (e^eps - 1)^2 in place of (p-q)^2",
        _variance(derived_variance),
    ),
    Claim(
        "RS+FD is private",
        SEVERAL,
        "RS+FD with the budget eps' = ln(d (e^eps - 1) + 1) is eps-LDP for whole tuples (every report looked at)",
        _private_for_tuples,
    ),
    Claim(
        "RS+FD loses eps'",
        SEVERAL,
        "RS+FD's loss over arbitrary tuples is eps' (every report looked at)",
        _amplified_for_tuples,
    ),
    Claim(
        "RS+FD, one attribute",
        SEVERAL,
        "RS+FD's loss over tuples that differ in one attribute is at most eps (every report looked at)",
        _private_for_one,
    ),
    Claim(
        "SPL and SMP are private",
        SEVERAL,
        "SPL and SMP are eps-LDP for whole tuples (every report looked at)",
        _others_keep_theirs,
    ),
    Claim(
        "rows of Adult",
        SEVERAL,
        f"Adult has {PRINTED_ROWS:,} complete rows, as one source prints",
        _rows,
        needs=("items:adult",),
    ),
    Claim(
        "domains of Adult",
        SEVERAL,
        f"Adult's nine categorical attributes have {', '.join(map(str, ADULT_DOMAINS))} items",
        _domains,
        needs=("items:adult",),
    ),
)
