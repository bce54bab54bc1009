"""A certified mechanism for counts of every size: its scores, bounds, errors and matrices, size by size."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from mechdesign.arguments import checked
from mechdesign.certificate.design import CertifiedDesign
from mechdesign.certificate.multipliers import RowMultiplier, over_one_denominator
from mechdesign.certificate.stages import StageProof
from mechdesign.designs import Design, checked_design
from mechdesign.designs import design as design_matrix
from mechdesign.errors import InputError
from mechdesign.laws.problem import LawProblem
from mechdesign.laws.stage import LawStage
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.layered import LARGEST_MATRIX, MOST_PEOPLE, LayeredMechanism, require_matrix_size
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.misses import LayeredMisses, fair_sums
from mechdesign.mechanism.notebook import Bound, Value, table
from mechdesign.methods.answer import GAP_LIMIT, Answer
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair, explicit_fair_score
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import rounded_down, rounded_up
from mechdesign.problem.properties import closure
from mechdesign.program.clock import Seconds
from mechdesign.program.exact.numbers import to_exact
from mechdesign.rational import fraction_text
from mechdesign.verify import layer_duals as duals
from mechdesign.verify import layers as kernel
from mechdesign.verify.certificates import FAIR, Certificate
from mechdesign.verify.enclosures import power_bounds
from mechdesign.verify.fair import fair_sum
from mechdesign.verify.layer_duals import LayerDual
from mechdesign.verify.layers import Layer

LONGEST_IN_FORMULA = 30
"""Digits of a fraction in a formula; longer ones are decimals."""

FARTHEST_FAIR = 2048
"""Up to this d the errors of the fair law beyond d are told but for y; beyond, they are at most those beyond this d."""

LONGEST_POWER = 1 << 17

ENCLOSURE_BITS = 320
"""Powers of alpha with more bits than this are enclosed, to within so many bits."""

SOME_SIZES = (100, 1000, 10**6)
"""Scores of a law are shown at its least n and at these."""


@dataclass(frozen=True)
class ErrorBeyond:
    """The probability that an output misses the true count by more than a distance.

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


def power_enclosed(alpha: Fraction, exponent: int) -> tuple[Fraction, Fraction]:
    """Return a power of alpha twice, or, where it is long, two numbers between which it lies."""
    if exponent * alpha.denominator.bit_length() <= LONGEST_POWER:
        return (alpha**exponent,) * 2
    low, high = power_bounds(alpha, exponent, ENCLOSURE_BITS)
    return Fraction(low, 1 << ENCLOSURE_BITS), Fraction(high, 1 << ENCLOSURE_BITS)


@dataclass(frozen=True, repr=False, kw_only=True)
class Law(CertifiedDesign[LawProblem, LayeredMechanism | FairMechanism]):
    """A certified mechanism for counts of every size from `least` on, with its proof.

    The mechanism is layered, or, with F and in the worst case, the fair one, which one line proves best: then the
    certificate has no arrays. The method is the certificate's kind.

    Attributes:
        least: the n from which the law is proved.
        stages: further respects in which it is best, of all that are best in those before.
        own_dual: the dual at the mechanism's own alpha, where that is another than that of bounds; it was made on the
            way, and documents do not hold it.
    """

    least: int
    own_dual: LayerDual | None = None
    stages: tuple[LawStage, ...] = ()
    title: ClassVar[str] = "Law for groups of every size"
    elsewhere: ClassVar[str] = "; law.design(n) is its design at one n, export writes the law"

    @cached_property
    def dual(self) -> LayerDual | None:
        """Prices and multipliers at the alpha of bounds; None of the fair law."""
        if self.certificate.kind == FAIR:
            return None
        return LayerDual.of(self.problem.privacy.bound_alpha, self.certificate)

    @cached_property
    def layer(self) -> Layer | None:
        """The table as the kernel takes it; None of the fair mechanism."""
        return None if isinstance(self.mechanism, FairMechanism) else layer_of(self.mechanism)

    @property
    def excess(self) -> tuple[Fraction, Fraction]:
        """E and its slope in `1/(n+1)`: the losses at one end beyond those of as many columns in the middle."""
        return (Fraction(0), Fraction(0)) if self.layer is None else kernel.layer_excess(self.layer, self.problem.power)

    @property
    def bound_excess(self) -> tuple[Fraction, Fraction]:
        """E' and its slope, those of the lower bound."""
        if self.dual is None:
            return Fraction(0), Fraction(0)
        return duals.dual_excess(self.dual, self.problem.power, self.problem.properties)

    @checked
    def at(self, n: int) -> Mechanism:
        """Write the mechanism of one n out as a matrix, for up to 4095 people.

        >>> import mechdesign as md
        >>> md.design_law(alpha="1/2", properties="WH,CM").at(3).fraction(0, 0)
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

        >>> import mechdesign as md
        >>> md.design_law(alpha="4/5", properties="WH,CM").design(20).optimality
        '0 (exact: proved optimal in rational arithmetic)'
        """
        started = time.perf_counter()
        matrix, problem = self.at(n), self.problem.of_size(n)
        if self.dual is None:
            return design_matrix(problem)
        if self.stages and self.is_only:
            return design_matrix(problem, then=[stage.problem.loss.name for stage in self.stages])
        stages = tuple(self._stage_proof(stage, n) for stage in self.stages)
        answer = Answer(matrix, self._proof(self.dual, self.problem.power, n), self.how, stages=stages)
        return checked_design(problem, answer, self.method, started, time.perf_counter(), 0.0)

    def _stage_proof(self, stage: LawStage, n: int) -> StageProof:
        """State a further respect at one n: its problem, proof and penalties."""
        assert stage.dual is not None
        penalties = tuple((Fraction(penalty),) for penalty in stage.penalties)
        return stage.problem.of_size(n), self._proof(stage.dual, stage.problem.power, n), penalties

    def _proof(self, dual: LayerDual, power: int, n: int) -> Certificate:
        """State prices and multipliers on the rows of one n: those of the law at each end, over the n + 1 inputs."""
        properties = self.problem.properties
        tails, bulk = duals.price_tails(dual, power, n + 1), duals.bulk_price(dual, power)
        prices = [bulk + x + y for x, y in zip(tails, reversed(tails), strict=True)]
        shares = [(row, Fraction(row[5], dual.denominator * (n + 1))) for row in dual.multipliers]
        floors = 2 * sum((share for row, share in shares if row[0] == "WH"), Fraction(0))
        lowering = (sum(prices) + floors - duals.bound_sum(dual, power, properties, n)) / 2
        for j in (dual.lowered, n - dual.lowered):
            prices[j] -= lowering
        rows = [RowMultiplier(*row[:5], to_exact(share)) for row, share in shares]
        mirrored = [row._replace(i=n - row.i, j=n - row.j, k=n - row.k, h=n - row.h) for row in rows]
        exact_prices = [to_exact(price / (n + 1)) for price in prices]
        rounded = power > 0 or any(dual.penalties)
        return over_one_denominator([*rows, *mirrored], exact_prices, None, rounded=rounded)

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
            low, high = fair_sum(self.problem.privacy.alpha, n)
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
            low, high = fair_sum(self.problem.privacy.bound_alpha, n)
        else:
            low = high = duals.bound_sum(self.dual, self.problem.power, self.problem.properties, n)
        scale = self.problem.rescaling(n)
        return scale * low, scale * high

    def gap(self, n: int) -> Fraction:
        """Return by how much the score may exceed the least possible, as a part of the score, at most."""
        return 1 - self.lower_bound(n) / self.score(n)[1]

    def own_gap(self, n: int) -> Fraction:
        """Return the gap at the mechanism's own alpha: that to the best of all mechanisms that are private at it."""
        if self.own_dual is None:
            return Fraction(0) if self.dual is None else self.gap(n)
        bound = duals.bound_sum(self.own_dual, self.problem.power, self.problem.properties, n)
        return 1 - self.problem.rescaling(n) * bound / self.score(n)[1]

    def stage_gap(self, stage: LawStage, n: int) -> Fraction:
        """Return by how much the score may exceed the least of a further respect, as a part of the score, at most."""
        assert self.layer is not None
        return stage.gap(self.layer, n)

    def largest_gap(self, n: int) -> Fraction:
        """Return the largest gap of all respects."""
        return max(self.gap(n), *(self.stage_gap(stage, n) for stage in self.stages), Fraction(0))

    def status(self, n: int) -> str:
        """Return the worst of all respects.

        `exact` where the gap is 0 and alpha was given, `certified` where it is narrow, else `feasible`.
        """
        if self.is_exact and all(stage.is_only for stage in self.stages):
            return "exact"
        return _narrowness(self.largest_gap(n))

    @cached_property
    def is_only(self) -> bool:
        """Whether no other mechanism is as good, at any n.

        The geometric one is the only one under L0 (docs: any-n); with F, and in the worst case, others may be.
        """
        return self.is_exact and self.layer is not None and self.layer.depth == 1

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

        >>> import mechdesign as md
        >>> md.design_law(alpha="4/5", properties="WH,CM").error_beyond(3, 10**6).worst
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
            errors = [total / (n + 1) for total in fair_sum(self.mechanism.alpha, n)]
            low, high = ([1 - (1 - error) * w / unit for w in inside] for error in errors)
            ends = [((d == reach) * max(Fraction(0), x), (d < n) * y) for x, y in zip(low, high, strict=True)]
            return ErrorBeyond(*ends)
        misses = LayeredMisses(self.mechanism, d)
        factors = power_enclosed(self.mechanism.alpha, misses.factor_power)
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
        gap = self.gap(n)
        return f"at most {rounded_up(gap, 2)} of the score, {_narrowness(gap)}: {below}"

    def stage_words(self, stage: LawStage, n: int) -> str:
        """Say how good the law is in a further respect at n, and how near to the best."""
        assert self.layer is not None
        score = f"{stage.problem.loss.name} {rounded_up(stage.score(self.layer, n)[1], 9)}"
        if stage.is_only:
            return f"{score}: no other mechanism has the least {self.problem.loss.name} (proved for every n)"
        bound = rounded_down(stage.bound(self.layer, n)[0], 9)
        gap = self.stage_gap(stage, n)
        return (
            f"{score}: above the least by at most {rounded_up(gap, 2)} of it, {_narrowness(gap)}; no less than {bound}"
        )

    def summary(self) -> tuple[str, ...]:
        """Say where the law serves."""
        return (f"every n from {self.least} on",)

    def facts(self) -> list[tuple[str, Value]]:
        """List what is proved for every size."""
        return [
            ("law", self.shape),
            ("proved for", f"every n from {self.least} on"),
            *(("then", self.stage_words(stage, self.some_sizes[-1])) for stage in self.stages),
            ("properties that hold", ", ".join(self.holds()) or "none"),
        ]

    def tables(self) -> tuple[str, ...]:
        """Return scores at some sizes."""
        heads = ("n", "score", "gap as a part of it", "status")
        at = [(n, Bound(self.score(n)[1]), rounded_up(self.gap(n), 2), self.status(n)) for n in self.some_sizes]
        return (table(heads, at),)


def _narrowness(gap: Fraction) -> str:
    """Return the status of a gap that is not known to be 0."""
    return "certified" if gap <= GAP_LIMIT else "feasible"


@dataclass(frozen=True)
class LawAt:
    """The proved facts of a law at one size, without a matrix, for tables of scores."""

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
