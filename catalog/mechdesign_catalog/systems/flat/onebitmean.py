"""1BitMean: the mean of numbers from one randomised bit a user."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.sampling import WordSource
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import Number, as_rational, fraction_text
from mechdesign_catalog.randomizers.facts.liars import WorstBias, pull_of_bit
from mechdesign_catalog.randomizers.facts.rates import AnyRates, support_rates
from mechdesign_catalog.randomizers.facts.sources import DING, Source
from mechdesign_catalog.randomizers.kernels.draws import bernoulli, uniform_below
from mechdesign_catalog.randomizers.oracle import MAX_LAW, Leaf, OracleBase, SpendsClaim, Values
from mechdesign_catalog.randomizers.reports.contributions import BitVector, Contribution
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support, direct
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import (
    Column,
    Constants,
    ReportLaw,
    Reports,
    State,
)

GRID = 10**9 + 1
"""Values told apart unless said otherwise: a billion steps from 0 to the maximum."""


@dataclass(frozen=True)
class OneBitMean(SpendsClaim, Leaf, OracleBase):
    """A randomised bit: a number x in [0, m], rounded at random to 0 or m without bias.

    The user draws a point uniform on [0, m) (alpha-point rounding) and sends `x > point`, turned over with
    `q = 1/(1 + e^eps)`. With `p = 1 - q`

        Pr[1 | x] = t(x) = q + (x/m)(p - q),
        estimate  = m/n sum of (b - q)/(p - q),
        variance  = m^2 / (n (p-q))^2 sum of t(x)(1 - t(x))   for fixed numbers x.

    Numbers are whole steps of a grid: the value i in 0..k-1 stands for `x = m i / (k-1)`, and is sent with exactly the
    probability above. `on_grid` brings decimals there, by at most half a step; with k - 1 a multiple of `100 m` two
    decimals are exact. A collection that is repeated must keep the point and the bits: see `memory`.

    >>> oracle = OneBitMean(2401, Privacy(epsilon=1), maximum=Fraction(24))
    >>> oracle.on_grid([0, 3.14, 24]).tolist()
    [0, 314, 2400]
    """

    maximum: Fraction
    name: ClassVar[str] = "onebitmean"
    decoder: ClassVar[str] = "inverse of p and q"
    sources: ClassVar[tuple[Source, ...]] = (DING,)
    row_bytes: ClassVar[int] = 32
    time_class: ClassVar[str] = "N"
    permanent_answers: ClassVar[int] = 2
    """One bit for 0 and one for the maximum."""

    remembered_bytes: ClassVar[int] = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "maximum", as_maximum(self.maximum))

    @classmethod
    def up_to(cls, maximum: Number, privacy: Privacy, k: int = GRID) -> "OneBitMean":
        """Make the oracle for numbers from 0 to this maximum, in k - 1 steps."""
        return cls(k, privacy, as_maximum(maximum))

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q of the bit."""
        return direct(2, self.alpha)

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: the bit."""
        return ReportSchema((Numbers("bit", 2),))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sum: the bit."""
        return BitVector(1, "bit")

    def own_constants(self) -> Constants:
        """State the steps of the grid, the maximum, p and q."""
        return {"steps": self.k - 1, "maximum": fraction_text(self.maximum), **self.support.texts}

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the bit: p for the maximum, q for 0."""
        yield support_rates("ones", state.sums, state.users, self.support)

    def on_grid(self, numbers: ArrayLike, first_row: int = 1) -> Values:
        """Round numbers in [0, maximum] to the nearest grid values.

        Raises:
            InputError: naming the first row that is outside, not its number, which is private; `numbers[0]` is in row
                `first_row`.
        """
        numbers = np.asarray(numbers, dtype=np.float64)
        if numbers.ndim != 1:
            raise InputError(f"numbers must be a vector, got {numbers.ndim} dimensions")
        outside = ~((numbers >= 0) & (numbers <= float(self.maximum)))
        if outside.any():
            row = first_row + int(np.argmax(outside))
            raise InputError(f"numbers must be in 0..{float(self.maximum):g}, got another in row {row}")
        steps = np.rint(numbers * (float(self.k - 1) / float(self.maximum)))
        return np.minimum(steps.astype(np.int64), self.k - 1)

    def numbers(self, values: Values) -> Floats:
        """Return the numbers that grid values stand for."""
        return np.asarray(self.checked(values) * (float(self.maximum) / (self.k - 1)), dtype=np.float64)

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each value."""
        is_up = self._points(len(values), words) < values
        return (is_up ^ bernoulli(self.support.q, len(values), words),)

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Count the ones."""
        ones: Values = columns[0].sum(keepdims=True, dtype=np.int64)
        return ones

    def estimate(self, state: State) -> float:
        """Estimate the mean, unbiased."""
        return float(self.maximum) * float(self.support.estimate(self.counts_in(state), state.users)[0])

    def variance(self, values: Values) -> float:
        """Compute the variance, exact where these are the users' values; `m^2 / (4 n (p-q)^2)` at most."""
        ones = float(self.support.q) + self.checked(values) / (self.k - 1) * self._width
        return float((ones * (1 - ones)).sum()) * self._scale(len(values))

    def largest_variance(self, users: int) -> float:
        """Return the largest variance, whatever the values are; reached where each is half the maximum."""
        return users * self._scale(users) / 4

    def standard_error(self, state: State) -> float:
        """Estimate the standard error from the share t of ones: `m sqrt(t (1-t) / n) / (p-q)`.

        Here t is brought into [q, p], where its mean must be.

        The true one for users drawn at random; for fixed users an upper bound, since `t(1-t)` is concave.
        """
        share = float(self.counts_in(state)[0]) / state.users
        share = min(max(share, float(self.support.q)), float(self.support.p))
        return math.sqrt(state.users * share * (1 - share) * self._scale(state.users))

    def simulate_sums(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the sum of a report for each value; for simulation only."""
        ones = float(self.support.q) + self.checked(values) / (self.k - 1) * self._width
        total = int(np.count_nonzero(generator.random(len(values)) < ones))
        return State(self.parameters, len(values), np.array([total], dtype=np.int64))

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every value; for small k."""
        if self.k > MAX_LAW:
            raise InputError(f"k must be small where every report is listed, got k={self.k}")
        p, q = self.support.p, self.support.q
        ones = tuple(q + Fraction(value, self.k - 1) * (p - q) for value in range(self.k))
        return {(1,): ones, (0,): tuple(1 - one for one in ones)}

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Compute the largest bias of the mean, in its unit, exactly."""
        return WorstBias(liars * self.maximum * pull_of_bit(self.support), is_exact=True)

    def remember(self, count: int, words: WordSource) -> dict[str, Column]:
        """Draw the rounding point, and the randomised bits for 0 and for the maximum, shape (users, 2)."""
        flips = bernoulli(self.support.q, 2 * count, words).reshape(count, 2)
        truth = np.array([False, True])
        return {"point": self._points(count, words), "answers": (truth ^ flips).astype(np.uint8)}

    def recall(self, memory: Mapping[str, Column], values: Values) -> Reports:
        """Look up each user's report for the own value, as it was remembered."""
        values = self.checked(values)
        is_up = memory["point"] < values
        return self.reports_of(memory["answers"][np.arange(len(values)), is_up.astype(np.int64)])

    def require_memory(self, memory: Mapping[str, Column], users: int) -> None:
        """Refuse what `remember` cannot have made."""
        if set(memory) != {"point", "answers"} or memory["answers"].shape != (users, 2):
            raise InputError(f"a memory of {self.name} must have a point and two answers for each user, got others")
        Numbers("point", self.k - 1).checked(memory["point"])
        Numbers("answers", 2, count=2).checked(memory["answers"])
        if len(memory["point"]) != users:
            raise InputError(f"a memory must have a point for each user, got {len(memory['point'])} for {users}")

    def remembering_less(self, most: int) -> str:
        """Name no other oracle: none for a mean remembers less."""
        return ""

    def _points(self, count: int, words: WordSource) -> Values:
        """Draw `point < value` with the chance value/(k-1), exactly."""
        return uniform_below(self.k - 1, count, words)

    @property
    def _width(self) -> float:
        return float(self.support.p - self.support.q)

    def _scale(self, users: int) -> float:
        """Factor from the variance of the number of ones to that of the estimate."""
        return (float(self.maximum) / (users * self._width)) ** 2


def as_maximum(value: Number) -> Fraction:
    """Parse the largest number that users may have.

    Raises:
        InputError: for one that is not in 1e-100..1e100, as it was given.
    """
    maximum = as_rational(value, "maximum")
    if not Fraction(1, 10**100) <= maximum <= 10**100:
        given = str(value)
        shown = shorten(given)
        raise InputError(f"maximum must be in 1e-100..1e100, got maximum={shown}")
    return maximum
