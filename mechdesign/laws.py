"""Design one mechanism for counts of every size: find a layer, prove it, and only then return a law."""

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from mechdesign.arguments import checked
from mechdesign.certificate.multipliers import RowMultiplier, over_one_denominator
from mechdesign.certificate.proof import DualProof
from mechdesign.designs import Design, checked_design
from mechdesign.designs import design as design_matrix
from mechdesign.errors import InputError, NotCertifiedError, RefusedError, argument
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.layered import LARGEST_MATRIX, MOST_PEOPLE, LayeredMechanism, require_matrix_size
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.misses import LayeredMisses, fair_sums
from mechdesign.mechanism.notebook import Value, facts, one_line, page, table
from mechdesign.methods.answer import GAP_LIMIT, LONGEST_VERTEX_BITS, Answer
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair, explicit_fair_score
from mechdesign.methods.layers.half_line import Geometric
from mechdesign.methods.layers.search import (
    DEEPEST,
    ExactPrices,
    HalfLine,
    first_depth,
    prices_of_remap,
    search,
    too_deep,
)
from mechdesign.methods.plan import make_plan
from mechdesign.problem.design_problem import AGGREGATES, DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy, chosen_privacy, rounded_down, rounded_up
from mechdesign.problem.properties import closure, find_property, ordered, parse_properties, without_implied
from mechdesign.program.clock import Clock, Seconds
from mechdesign.program.exact.numbers import to_exact
from mechdesign.rational import Number, fraction_text, over_common_denominator, power_bounds
from mechdesign.verify import layers as kernel
from mechdesign.verify.layers import Layer, LayerDual

POWERS = {"L0": 0, "L1": 1, "L2": 2}
"""Losses that laws minimise."""

LAYERED = frozenset({"WH", "RH", "RM", "CH", "CM", "S", "FE"})
FAIR = LAYERED | {"F"}
"""Properties that laws can have: with F under L0 alone."""

MATRIX = f"design a matrix for one n of at most {LARGEST_MATRIX} instead"

FAIR_FROM = 2
"""The fair law is stated from this n on."""

FROM_AUTO = 128
"""Up to this n a matrix is designed unless a law is asked for."""

NARROW = Fraction(1, 10**9)
"""Beyond, a law serves where its gap at its own alpha is at most this part of the score."""

AUTO_DEPTH = 64
"""Layers of so many rows at most are searched for groups of one size, whatever the machine, before their matrix is."""

FORMULAS = "formulas"
"""The family of methods that are exact by a theorem."""

PRICE_TRIES = 4

LONGEST_IN_FORMULA = 30
"""Digits of a fraction in a formula; longer ones are decimals."""

SHORT = ", with numbers short enough to check,"

FARTHEST_FAIR = 2048
"""Up to this d the errors of the fair law beyond d are told but for y; beyond, they are at most those beyond this d."""

LONGEST_POWER = 1 << 17
ENCLOSURE_BITS = 320
"""Powers of alpha with more bits than this are enclosed, to within so many bits."""

SOME_SIZES = (100, 1000, 10**6)
"""Scores of a law are shown at its least n and at these."""


@dataclass(frozen=True)
class LawProblem:
    """State what is asked of a mechanism for counts of every size: expected loss and uniform prior, or the worst case.

    Args:
        privacy: alpha or epsilon.
        properties: any of WH, RH, RM, CH, CM, S, FE, and F under L0.
        loss: L0, L1 or L2.
        aggregate: `expected`, or under L0 `worst`: the largest loss of any true count.
    """

    privacy: Privacy
    properties: frozenset[str]
    loss: Loss
    aggregate: str = AGGREGATES[0]

    def __post_init__(self) -> None:
        obstacle = no_law(self.properties, self.loss, self.aggregate)
        if obstacle:
            raise InputError(obstacle)

    @property
    def power(self) -> int:
        """The power of the loss."""
        return POWERS[self.loss.name]

    @property
    def is_fair(self) -> bool:
        """Whether the explicit fair mechanism is the best: where F is asked, or the worst case counts."""
        return "F" in self.properties or self.is_worst_case

    @property
    def is_worst_case(self) -> bool:
        """Whether the largest loss of any true count is minimised, under L0."""
        return self.aggregate == "worst"

    def of_size(self, n: int) -> DesignProblem:
        """State the same for groups of one size."""
        return DesignProblem(
            n, privacy=self.privacy, properties=self.properties, loss=self.loss, aggregate=self.aggregate
        )

    def rescaling(self, n: int) -> Fraction:
        """Return the factor from the sum of the losses of all columns to the score."""
        return self.loss.rescaling(n + 1) / (n + 1)

    def describe(self, n: int | None = None) -> str:
        """Describe the problem in one line, at one n or at any: alpha, properties, loss, prior or worst case."""
        asked = ", ".join(ordered(self.properties)) or "no properties"
        aim = "worst case" if self.is_worst_case else "prior uniform"
        asked = f"{self.privacy.asked_text()}, {asked}, loss {self.loss.name}, {aim}"
        return f"{'any n' if n is None else f'n = {n}'}, {asked}"


def no_law(properties: Iterable[str], loss: Loss, aggregate: str = AGGREGATES[0]) -> str:
    """Say why no law serves, and what does; empty where one may."""
    names = set(properties)
    its_loss, its_properties = f"{argument('loss')} of a law for every n", f"{argument('properties')} of a law"
    got = f"got {argument('loss')}={loss.name}"
    if loss.name not in POWERS:
        return f"{its_loss} must be L0, L1 or L2, {got}; {MATRIX}"
    unknown = ordered(names - FAIR)
    if unknown:
        return f"{its_properties} for every n must be among {', '.join(ordered(FAIR))}, got {unknown[0]}; {MATRIX}"
    if aggregate not in AGGREGATES:
        return f"aggregate must be {' or '.join(AGGREGATES)}, got aggregate={aggregate}"
    if aggregate == "worst" and POWERS[loss.name]:
        return f"{its_loss} must be L0 in the worst case, {got}; leave {argument('aggregate')} out, or {MATRIX}"
    if "F" in names and POWERS[loss.name]:
        return f"{its_loss} must be L0 where F is asked, {got}; leave F out, or {MATRIX}"
    return ""


@dataclass(frozen=True)
class LawOfSize:
    """State what is asked for groups of one size that only a law reaches: more than 4095 people.

    Raises:
        InputError: for a smaller n, or one beyond 10^9.
    """

    law: LawProblem
    n: int

    def __post_init__(self) -> None:
        if not LARGEST_MATRIX < self.n <= MOST_PEOPLE:
            raise InputError(f"n must be at most {MOST_PEOPLE}, got n={self.n}")

    @property
    def properties(self) -> frozenset[str]:
        """The properties that are asked."""
        return self.law.properties

    @property
    def privacy(self) -> Privacy:
        """How private it must be."""
        return self.law.privacy


@dataclass(frozen=True)
class ErrorBeyond:
    """State how often an output misses the true count by more than a distance.

    Attributes:
        mean: two ends between which the mean over all true counts lies, equal where it is exact.
        worst: the same of the true count which is missed most often.
    """

    mean: tuple[Fraction, Fraction]
    worst: tuple[Fraction, Fraction]


def _mean_and_least(runs: Sequence[tuple[int, Fraction | int]], n: int) -> tuple[Fraction, Fraction]:
    """Return mean and minimum over 0..n of what runs say of 0..floor(n/2)."""
    total = sum(2 * count * value for count, value in runs) - (n % 2 == 0) * runs[-1][1]
    return Fraction(total) / (n + 1), Fraction(min(value for _, value in runs))


def _power_enclosed(alpha: Fraction, exponent: int) -> tuple[Fraction, Fraction]:
    """Return a power of alpha twice, or, where it is long, two numbers between which it lies."""
    if exponent * alpha.denominator.bit_length() <= LONGEST_POWER:
        return (alpha**exponent,) * 2
    low, high = power_bounds(alpha, exponent, ENCLOSURE_BITS)
    return Fraction(low, 1 << ENCLOSURE_BITS), Fraction(high, 1 << ENCLOSURE_BITS)


@dataclass(frozen=True)
class Law:
    """Hold a certified mechanism for counts of every size from `least` on, with its proof.

    Attributes:
        mechanism: layered, or, with F and in the worst case, the fair one.
        dual: prices and multipliers, at the alpha of bounds; None of the fair one, which one line proves best.
        least: the n from which the law is proved.
        own_dual: the same at the mechanism's own alpha, where that is another; it was made on the way, and documents
            do not hold it.
    """

    problem: LawProblem
    mechanism: LayeredMechanism | FairMechanism
    dual: LayerDual | None
    least: int
    seconds: Seconds
    how: str
    own_dual: LayerDual | None = None
    elsewhere: ClassVar[str] = "; law.at(n) is its matrix at one n, export writes the law"

    @cached_property
    def layer(self) -> Layer | None:
        """The table as the kernel takes it; None of the fair mechanism."""
        return None if isinstance(self.mechanism, FairMechanism) else layer_of(self.mechanism)

    @property
    def method(self) -> str:
        """The name of the method."""
        return "fair law" if self.layer is None else "layer"

    @property
    def excess(self) -> tuple[Fraction, Fraction]:
        """E and its slope in `1/(n+1)`: the losses at one end beyond those of as many columns in the middle."""
        return (Fraction(0), Fraction(0)) if self.layer is None else kernel.layer_excess(self.layer, self.problem.power)

    @property
    def bound_excess(self) -> tuple[Fraction, Fraction]:
        """E' and its slope, those of the lower bound."""
        if self.dual is None:
            return Fraction(0), Fraction(0)
        return kernel.dual_excess(self.dual, self.problem.power, self.problem.properties)

    @checked
    def at(self, n: int) -> Mechanism:
        """Write the mechanism of one n out as a matrix, for up to 4095 people.

        >>> design_law(alpha="1/2", properties="WH,CM").at(3).fraction(0, 0)
        Fraction(2, 3)
        """
        self.require_size(n)
        require_matrix_size(n)
        if isinstance(self.mechanism, FairMechanism):
            return explicit_fair(n, self.mechanism.alpha)
        return self.mechanism.at(n)

    @checked
    def design(self, n: int) -> Design:
        """Write the law out at one n as a design: the matrix with a proof of that size, for up to 4095 people.

        Matrix and proof pass the kernel of matrices, which knows no law. Under L0 the bound is the law's own, and
        equals the score; under L1 and L2 it is so but for 2^-250 of it.

        Raises:
            InputError: for a size that the law, or a matrix, does not reach.
            NotCertifiedError: where the matrix needs numbers of more than 4300 digits.

        >>> design_law(alpha="4/5", properties="WH,CM").design(20).optimality
        '0 (exact: proved optimal in rational arithmetic)'
        """
        started = time.perf_counter()
        matrix, problem = self.at(n), self.problem.of_size(n)
        if self.dual is None:
            return design_matrix(problem)
        answer = Answer(matrix, self._proof(self.dual, n), self.how)
        return checked_design(problem, answer, self.method, started, time.perf_counter(), 0.0)

    def _proof(self, dual: LayerDual, n: int) -> DualProof:
        """State prices and multipliers on the rows of one n: those of the law at each end, over the n + 1 inputs."""
        power, properties = self.problem.power, self.problem.properties
        tails = kernel.price_tails(dual, power, n + 1)
        prices = [kernel.bulk_loss(dual.alpha, power) + x + y for x, y in zip(tails, reversed(tails), strict=True)]
        shares = [(row, Fraction(row[5], dual.denominator * (n + 1))) for row in dual.multipliers]
        floors = 2 * sum((share for row, share in shares if row[0] == "WH"), Fraction(0))
        lowering = (sum(prices) + floors - kernel.bound_sum(dual, power, properties, n)) / 2
        for j in (dual.lowered, n - dual.lowered):
            prices[j] -= lowering
        rows = [RowMultiplier(*row[:5], to_exact(share)) for row, share in shares]
        mirrored = [replace(row, i=n - row.i, j=n - row.j, k=n - row.k, h=n - row.h) for row in rows]
        exact_prices = [to_exact(price / (n + 1)) for price in prices]
        return over_one_denominator([*rows, *mirrored], exact_prices, None, rounded=power > 0)

    @property
    def shape(self) -> str:
        """What a matrix of the law looks like, in words."""
        if isinstance(self.mechanism, FairMechanism):
            return "EM, the explicit fair mechanism, by its formula"
        depth = self.mechanism.depth
        rows = "the first and the last row" if depth == 1 else f"the first and the last {depth} rows"
        return f"the geometric mechanism but for {rows}"

    @property
    def some_sizes(self) -> list[int]:
        """The least n, and a few larger ones."""
        return sorted({self.least, *(size for size in SOME_SIZES if size > self.least)})

    def score(self, n: int) -> tuple[Fraction, Fraction]:
        """Enclose the score at n; both ends are equal under L0, and up to n = 128."""
        self.require_size(n)
        if self.layer is None:
            low, high = kernel.fair_sum(self.problem.privacy.alpha, n)
        else:
            low, high = kernel.score_sum(self.layer, self.problem.power, n)
        scale = self.problem.rescaling(n)
        return scale * low, scale * high

    @property
    def formula(self) -> str:
        """The score as a formula in n, `s + (s + 2E)/n`: of a layered law under L0; else empty.

        The losses of all columns sum to `(n+1) s + 2E`, and the score is that sum over n.
        """
        if self.layer is None or self.problem.power:
            return ""
        cost = kernel.bulk_loss(self.problem.privacy.alpha, 0)
        parts = [value for value in (cost, cost + 2 * self.excess[0]) if value]
        texts = [fraction_text(value) for value in parts]
        is_exact = all(len(text) <= LONGEST_IN_FORMULA for text in texts)
        if not is_exact:
            texts = [f"{float(value):.9g}" for value in parts]
        formula = texts[0] if len(texts) == 1 else f"{texts[0]} + ({texts[1]})/n"
        return f"{'' if is_exact else 'about '}{formula} for every n from {self.least} on"

    def lower_bound(self, n: int) -> Fraction:
        """Return the proved bound at n: no mechanism that does what was asked scores below it."""
        return self.bound(n)[0]

    def bound(self, n: int) -> tuple[Fraction, Fraction]:
        """Enclose the bound that is proved at n; of a layered law both ends are the bound that is claimed."""
        self.require_size(n)
        if self.dual is None:
            low, high = kernel.fair_sum(self.problem.privacy.bound_alpha, n)
        else:
            low = high = kernel.bound_sum(self.dual, self.problem.power, self.problem.properties, n)
        scale = self.problem.rescaling(n)
        return scale * low, scale * high

    def gap(self, n: int) -> Fraction:
        """Return by how much the score may exceed the least possible, as a part of the score, at most."""
        return 1 - self.lower_bound(n) / self.score(n)[1]

    def own_gap(self, n: int) -> Fraction:
        """Return the gap at the mechanism's own alpha: that to the best of all mechanisms that are private at it."""
        if self.own_dual is None or self.dual is None:
            return Fraction(0) if self.dual is None else self.gap(n)
        return replace(self, dual=self.own_dual, own_dual=None).gap(n)

    def status(self, n: int) -> str:
        """`exact` where the gap is 0 and alpha was given, `certified` where it is narrow, else `feasible`."""
        if self.is_exact:
            return "exact"
        return "certified" if self.gap(n) <= GAP_LIMIT else "feasible"

    @cached_property
    def is_exact(self) -> bool:
        """Whether no mechanism scores below, at any n: under L0, with alpha given as a number, where E = E'."""
        known = self.problem.power == 0 and self.problem.privacy.is_exact
        return known and (self.layer is None or self.excess == self.bound_excess)

    def holds(self, n: int | None = None) -> tuple[str, ...]:
        """Return every property of the lattice that the law has at n, and of the others those asked."""
        if self.layer is None:
            found = set(closure({"F", "RM", "CM", "S"}))
        else:
            found = set(kernel.layer_holds(self.layer, self.least if n is None else n))
        return tuple(sorted(found | (self.problem.properties & {"FE"})))

    @checked
    def error_beyond(self, d: int, n: int) -> ErrorBeyond:
        """Compute how often an output misses the true count by more than d: the expected loss `L0:d`, not rescaled.

        The mean is that over all true counts of a group of n, and the worst that of the count which is missed most.
        Both are exact but for very long numbers and, with F, for n above 128; then they are enclosed.

        Raises:
            InputError: for a negative d, or a group that the law does not reach.

        >>> design_law(alpha="4/5", properties="WH,CM").error_beyond(3, 10**6).worst
        (Fraction(512, 1125), Fraction(512, 1125))
        """
        self.require_size(n)
        if d < 0:
            raise InputError(f"d must be at least 0, got d={d}")
        d = min(d, n)
        if isinstance(self.mechanism, FairMechanism):
            reach = min(d, FARTHEST_FAIR)
            unit, runs = fair_sums(self.mechanism.alpha, n, reach)
            inside = _mean_and_least(runs, n)
            errors = [total / (n + 1) for total in kernel.fair_sum(self.mechanism.alpha, n)]
            low, high = ([1 - (1 - error) * w / unit for w in inside] for error in errors)
            ends = [((d == reach) * max(Fraction(0), x), (d < n) * y) for x, y in zip(low, high, strict=True)]
            return ErrorBeyond(*ends)
        misses = LayeredMisses(self.mechanism, d)
        factors = _power_enclosed(self.mechanism.alpha, misses.factor_power)
        mean, least = _mean_and_least([(count, -chance) for count, chance in misses.runs(n)], n)
        mean, worst = -mean, -least
        return ErrorBeyond((mean * factors[0], mean * factors[1]), (worst * factors[0], worst * factors[1]))

    def distance(self, share: Fraction, n: int) -> int:
        """Return the least d beyond which no true count of a group of n is missed more often than by this share."""
        low, high, step = 0, 0, 1
        while self.error_beyond(high, n).worst[1] > share:
            low, high, step = high + 1, high + step, 2 * step
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.error_beyond(middle, n).worst[1] > share else (low, middle)
        return low

    def require_size(self, n: int) -> None:
        """Refuse a group that the law does not reach.

        Raises:
            InputError
        """
        if not self.least <= n <= MOST_PEOPLE:
            raise InputError(f"n must be from {self.least} to {MOST_PEOPLE} for this law, got n={n}")

    def optimality(self, n: int) -> str:
        """Say how near to the least score the law is proved to be at n."""
        if self.is_exact:
            return f"0 (exact: proved optimal for every n from {self.least} on)"
        below = f"no mechanism scores below {rounded_down(self.lower_bound(n), 12)}"
        return f"at most {rounded_up(self.gap(n), 2)} of the score, {self.status(n)}: {below}"

    def __repr__(self) -> str:
        return one_line("Law", self.problem.describe(), f"every n from {self.least} on")

    def _repr_html_(self) -> str:
        rows: list[tuple[str, Value]] = [
            ("asked", self.problem.describe()),
            ("law", self.shape),
            ("proved for", f"every n from {self.least} on"),
            ("properties that hold", ", ".join(self.holds()) or "none"),
            ("method", f"{self.method}: {self.how}"),
            ("seconds", self.seconds.solve + self.seconds.certify + self.seconds.verify),
        ]
        heads = ("n", "score", "gap as a part of it", "status")
        at = [(n, self.score(n)[1], rounded_up(self.gap(n), 2), self.status(n)) for n in self.some_sizes]
        return page("Law for groups of every size", facts(rows), table(heads, at))


@dataclass(frozen=True)
class LawAt:
    """Hold what is proved of a law for groups of one size, without a matrix: what tables of scores take of a design."""

    law: Law
    n: int

    @cached_property
    def problem(self) -> DesignProblem:
        """What the law solves at this n."""
        return self.law.problem.of_size(self.n)

    @cached_property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Two numbers between which the score lies: the score twice under L0 and up to n = 128; with F to 4095."""
        if self.law.layer is None and self.n <= LARGEST_MATRIX:
            return (explicit_fair_score(self.n, self.law.problem.privacy.alpha),) * 2
        return self.law.score(self.n)

    @property
    def score(self) -> Fraction:
        """The score, or what it does not exceed."""
        return self.ends[1]

    @property
    def has_exact_score(self) -> bool:
        """Whether the score is known as one number."""
        return self.ends[0] == self.ends[1]

    @property
    def lower_bound(self) -> Fraction:
        """What no mechanism scores below."""
        return self.ends[0] if self.law.is_exact else self.law.lower_bound(self.n)

    @property
    def status(self) -> str:
        """As `Law.status`."""
        return self.law.status(self.n)

    @property
    def holds(self) -> tuple[str, ...]:
        """Every property that the law has at this n."""
        return self.law.holds(self.n)

    @property
    def seconds(self) -> Seconds:
        """What the law took."""
        return self.law.seconds

    @property
    def how(self) -> str:
        """How the law was reached."""
        return self.law.how

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.law.method


def layer_of(mechanism: LayeredMechanism) -> Layer:
    """Return the table of a mechanism as the kernel takes it."""
    return Layer(mechanism.alpha, mechanism.depth, mechanism.denominator, mechanism.rows, mechanism.slopes)


@checked
def design_law(
    *,
    alpha: Number | None = None,
    epsilon: Number | None = None,
    privacy: Privacy | None = None,
    properties: str | Iterable[str] = (),
    loss: str | Loss = "L0",
    aggregate: str = AGGREGATES[0],
    time_limit: float | None = None,
) -> Law:
    """Design the best mechanism for counts over any number of people, and certify it.

    Away from its ends the mechanism is the geometric one; a layer of rows at each end does not depend on n. Under L0 it
    is optimal for every n from `least` on. Under L1 and L2 its certified gap falls like a power of alpha (docs: any-n).

    Args:
        alpha: `exp(-epsilon)` in (0, 1), a decimal or fraction.
        epsilon: instead of alpha.
        privacy: instead of alpha and epsilon.
        properties: any of WH, RH, RM, CH, CM, S, FE, and F under L0.
        loss: L0, L1 or L2.
        aggregate: `expected`, or under L0 `worst`; then the law is the explicit fair mechanism, with any properties.
        time_limit: seconds; None means none.

    Raises:
        InputError: where no law serves what is asked, saying what does.
        NotCertifiedError, LimitReachedError

    >>> law = design_law(alpha="4/5", properties="WH,CM")
    >>> law.least, law.score(10**6)[0]
    (11, Fraction(341333401, 384000000))
    """
    stated = LawProblem(
        chosen_privacy(alpha, epsilon, privacy),
        parse_properties(properties),
        Loss.parse(loss) if isinstance(loss, str) else loss,
        aggregate,
    )
    return find_law(stated, Clock(time_limit))


def find_law(problem: LawProblem, clock: Clock, deepest: int = DEEPEST) -> Law:
    """Find the law of a problem with at most `deepest` rows at each end, and check it by the kernel.

    No law is made in another way.
    """
    started = time.perf_counter()
    if problem.is_fair:
        took = time.perf_counter() - started
        how = "no mechanism has a larger least diagonal entry, by its middle column"
        return Law(problem, FairMechanism(problem.privacy.alpha), None, FAIR_FROM, Seconds(0.0, 0.0, took), how)
    mechanism, own, dual, floor = _found(problem, clock, deepest)
    own, dual = (_with_best_column(one, problem) for one in (own, dual))
    certified = time.perf_counter()
    layer = layer_of(mechanism)
    least = _least(problem, layer, dual, floor)
    for defect in kernel.layer_defects(layer, problem.properties, least):
        raise RefusedError(f"refused: {defect}")
    how = f"depth of the layers {mechanism.depth}, of the prices {dual.depth}"
    law = Law(problem, mechanism, dual, least, Seconds(0, 0, 0), how)
    if law.lower_bound(least) > law.score(least)[1]:
        raise RefusedError("the lower bound exceeds the score: the proof contradicts the mechanism")
    seconds = Seconds(clock.solving, certified - started - clock.solving, time.perf_counter() - certified)
    return Law(problem, mechanism, dual, least, seconds, how, None if own == dual else own)


def law_for(problem: DesignProblem, time_limit: float | None = None) -> Law | None:
    """Design the law that serves groups of one size as well as a matrix of their own; None where a matrix does better.

    Raises:
        LimitReachedError: where the time limit ends the search.
    """
    is_plain = problem.model.name == "count" and problem.prior.name == "uniform"
    if not is_plain or no_law(problem.properties, problem.loss, problem.aggregate):
        return None
    stated = LawProblem(problem.privacy, problem.properties, problem.loss, problem.aggregate)
    return serving_law(stated, problem.n, time_limit)


def serving_law(problem: LawProblem, n: int, time_limit: float | None = None) -> Law | None:
    """Design a law for groups of n; None where a matrix serves better.

    Up to 128 people a matrix does. So it does to 4095 where a short closed form is exact, where more than 64
    rows would differ at each end, or where its gap at n, at its own alpha, is more than 1e-9 of the score.

    Raises:
        LimitReachedError: where the time limit ends the search.
    """
    if n <= FROM_AUTO or has_formula(problem, n):
        return None
    is_free = n <= LARGEST_MATRIX
    try:
        law = find_law(problem, Clock(time_limit), AUTO_DEPTH if is_free else DEEPEST)
        law.require_size(n)
    except (InputError, NotCertifiedError):
        return None
    return law if not is_free or law.own_gap(n) <= NARROW else None


def has_formula(problem: LawProblem, n: int) -> bool:
    """Tell whether a closed form is proved optimal at this n under L1 or L2, where a law is certified alone.

    One with numbers of more than 2048 bits does not count: its matrix takes minutes, and nobody reads it.
    """
    if not problem.power or n * problem.privacy.alpha.denominator.bit_length() > LONGEST_VERTEX_BITS:
        return False
    return make_plan(problem.of_size(n)).order[0].family == FORMULAS


def _least(problem: LawProblem, layer: Layer, dual: LayerDual, floor: Fraction) -> int:
    """Return the n from which a law is proved: its ends must not meet, and it must have what is asked at every n.

    What fails at small n is the floor of WH; the layer has what is asked once 1/(n+1) is at most `floor` or c.
    """
    low = max(2 * layer.depth - 1, 2 * dual.depth - 1, kernel.proved_from(dual, problem.power))
    diagonal = [Fraction(row[i], layer.denominator) for i, row in enumerate(layer.rows)]
    weight = (1 - layer.alpha) / (1 + layer.alpha)
    highest = floor or min(weight, *diagonal)
    high = max(low, math.ceil(1 / highest) - 1 if "WH" in problem.properties and highest else low)
    while low < high:
        middle = (low + high) // 2
        fails = next(kernel.layer_defects(layer, problem.properties, middle), "")
        low, high = (middle + 1, high) if fails else (low, middle)
    return low


def _half_line(problem: LawProblem, alpha: Fraction, clock: Clock, deepest: int) -> HalfLine:
    """State what is asked at one end of a group, at the mechanism's alpha or at that of the bound."""
    needed = tuple(
        find_property(name) for name in ordered(without_implied(problem.properties)) if name not in ("S", "FE")
    )
    return HalfLine(Geometric(alpha, problem.power), needed, clock, deepest)


def expected_depth(problem: LawProblem, deepest: int = DEEPEST) -> int:
    """Estimate, without designing, how many rows at each end differ from the geometric mechanism; 0 of the fair one.

    Raises:
        InputError: where it is more than `deepest`.
    """
    return 0 if problem.is_fair else first_depth(_half_line(problem, problem.privacy.alpha, Clock(None), deepest))


def _found(problem: LawProblem, clock: Clock, deepest: int) -> tuple[LayeredMechanism, LayerDual, LayerDual, Fraction]:
    """Search the layer, its dual at the mechanism's alpha and at that of the bound, and the floor they serve."""
    alpha, bound_alpha = problem.privacy.alpha, problem.privacy.bound_alpha
    clock.patience = math.inf  # the same law on every machine: no call of the solver is cut short
    half = _half_line(problem, alpha, clock, deepest)

    def is_proof(prices: ExactPrices, at: Fraction = alpha) -> bool:
        try:
            kernel.dual_excess(_dual(at, prices), problem.power, problem.properties)
        except ValueError:
            return False
        return True

    if half.remap is not None:
        mechanism = LayeredMechanism.remapped(alpha, half.remap, bool(half.floor_kind))
        prices, floor = prices_of_remap(half, half.remap), _highest_floor(mechanism)
        if not is_proof(prices):
            raise too_deep(half, SHORT)
    else:
        layer, prices, slopes = search(half, is_proof)
        mechanism, floor = LayeredMechanism.of(alpha, layer.table, slopes), prices.floor if slopes else Fraction(0)
    own = _dual(alpha, prices)
    if problem.privacy.is_exact:
        return mechanism, own, own, floor
    bound_half = _half_line(problem, bound_alpha, clock, deepest)
    if bound_half.remap is not None:
        prices = prices_of_remap(bound_half, bound_half.remap)
        if not is_proof(prices, bound_alpha):
            raise too_deep(bound_half, SHORT)
        return mechanism, own, _dual(bound_alpha, prices), floor
    for depth in range(prices.depth, prices.depth + PRICE_TRIES):
        found = bound_half.prices(depth, prices.floor)
        if found is not None and is_proof(found, bound_alpha):
            return mechanism, own, _dual(bound_alpha, found), floor
    raise NotCertifiedError("not certified: no prices were found for the alpha of the bound; state alpha instead")


def _highest_floor(mechanism: LayeredMechanism) -> Fraction:
    """Return the largest 1/(n+1) under which a remap has its floor: by the diagonal, and what output 0 has to give."""
    if mechanism.slopes is None or mechanism.remap is None:
        return Fraction(0)
    unit, tables = mechanism.denominator, zip(mechanism.rows, mechanism.slopes, strict=True)
    pairs = [(rows[i], slopes[i]) for i, (rows, slopes) in enumerate(tables)]
    given = -mechanism.slopes[mechanism.remap[0]][0] * (1 + mechanism.alpha)
    return min(unit / given, *(Fraction(x, unit - slope) for x, slope in pairs if slope < unit))


def _with_best_column(dual: LayerDual, problem: LawProblem) -> LayerDual:
    """Choose the column whose price is lowered at finite n, among a few: that with the highest bound.

    Without multipliers the last column was best wherever that was tried, and the first where all are of WH.
    """
    if not problem.power:
        return dual
    if {row[0] for row in dual.multipliers} <= {"WH"}:
        return replace(dual, lowered=0 if dual.multipliers else dual.depth - 1)
    n = kernel.proved_from(dual, problem.power) + 2 * dual.depth
    columns = sorted({*range(min(4, dual.depth + 1)), dual.depth // 2, dual.depth - 1, dual.depth})
    return max(
        (replace(dual, lowered=column) for column in columns),
        key=lambda one: kernel.bound_sum(one, problem.power, problem.properties, n),
    )


def _dual(alpha: Fraction, prices: ExactPrices) -> LayerDual:
    """Write prices and multipliers over one denominator."""
    whole, denominator = over_common_denominator([*prices.prices, *(row[-1] for row in prices.multipliers)])
    depth = prices.depth
    rows = tuple((*row[:5], m) for row, m in zip(prices.multipliers, whole[depth:], strict=True))
    return LayerDual(alpha, depth, denominator, tuple(whole[:depth]), rows)
