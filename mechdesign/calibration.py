"""Calibration: the least epsilon for a wished score of counts, proved from both sides."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from mechdesign.arguments import checked
from mechdesign.designs import Design, design, restated
from mechdesign.errors import InputError, NoAnswerError, NotCertifiedError
from mechdesign.laws.finding import FROM_AUTO, find_law, serving_law
from mechdesign.laws.geometric_losses import bulk_rest, least_mean_rest, uniform_figures
from mechdesign.laws.law import Law, LawAt
from mechdesign.laws.measured import MeasuredLaw, power_and_beyond
from mechdesign.laws.problem import LawProblem, no_law
from mechdesign.mechanism.layered import LARGEST_MATRIX, MOST_PEOPLE
from mechdesign.problem.design_problem import AGGREGATES, DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.losses.power import PowerLoss
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import Privacy, rounded_up
from mechdesign.problem.properties import parse_properties
from mechdesign.program.clock import Clock
from mechdesign.rational import Number, as_rational, number_text

APART = Fraction(1, 1000)
"""The two ends differ by at most this, and by at most this part of the upper one."""

LEAST, MOST = Fraction(1, 10**5), 64
"""Epsilons beyond which nothing is looked for."""

FINEST = 10
"""Ends are written in steps of this part of what they may differ by, or finer."""

BESIDE = Fraction(2, 5)
"""Where an end is tried beside a root that is nearly known, as a part of what the ends may differ by."""

HALVINGS = 50
"""Halvings that find where the model has a value."""

PATIENCE = 3
"""Steps in which the ends must come to half their distance, or a second end be found; else halves are taken."""

LEAP = 8
"""With one end known the next epsilon is at most so many times larger, or smaller."""


class Judged(Protocol):
    """The score of a mechanism for one epsilon, and a lower bound of every score there."""

    @property
    def score(self) -> Fraction:
        """The score, or what it does not exceed."""

    @property
    def lower_bound(self) -> Fraction:
        """What no score is below."""


J = TypeVar("J", bound=Judged)
J_co = TypeVar("J_co", bound=Judged, covariant=True)


class Wished(Protocol[J_co]):
    """A score at most, in words and as a number, of what can be made for an epsilon."""

    @property
    def words(self) -> str:
        """What is wished."""

    @property
    def score(self) -> Fraction:
        """The largest score that will do, above 0."""

    def designed(self, epsilon: Fraction, time_limit: float | None) -> J_co:
        """Make the best for an epsilon; its score only falls as epsilon grows."""

    def model(self, epsilon: float) -> float:
        """Estimate the logarithm of the score, by a formula that falls with epsilon about as the score does."""


@dataclass(frozen=True, repr=False)
class Ends(Generic[J]):
    """The least epsilon for a wish, from both sides.

    Attributes:
        upper: an epsilon at which `best` meets the wish.
        lower: a smaller one at which nothing meets it: the bound of `refuted` is above the wish.
        best: what was made for `upper`.
        refuted: what was made for `lower`.
        designs: how many were made.
    """

    upper: Fraction
    lower: Fraction
    best: J
    refuted: J
    designs: int

    @property
    def is_close(self) -> bool:
        """Whether the ends are as near to each other as they should be."""
        return self.upper - self.lower <= _apart(self.upper)


@dataclass(frozen=True)
class WishRow:
    """The answer to one wish, as a row of a table.

    Attributes:
        asked: what was wished, by its name (`error`, `half_width`, `chance`, `score`).
        enough: what suffices, by its name: the least epsilon, or the fewest users.
        too_little: what does not suffice: a smaller epsilon, or one user less.
        impossible: what suffices for no mechanism, nor does less; None where no bound says anything.
        told: what is said besides, by column.
    """

    asked: tuple[str, Fraction]
    enough: tuple[str, Fraction]
    too_little: Fraction
    impossible: Fraction | None
    told: Mapping[str, Any] = field(default_factory=dict)


class Answered(ABC):
    """The interface of a wish with its answer, which is a row of a table of several."""

    @property
    @abstractmethod
    def row(self) -> WishRow:
        """The row of a table of several."""


@dataclass(frozen=True)
class Wish:
    """A wish for a mechanism for a count over n people: a score at most.

    It is stated in words and as a number; `asked` is the chance or the score that was given.
    """

    n: int
    properties: frozenset[str]
    loss: Loss
    prior: Prior
    aggregate: str
    score: Fraction
    words: str
    asked: tuple[str, Fraction]
    is_measured: bool = False

    def designed(self, epsilon: Fraction, time_limit: float | None) -> "Calibrated":
        """Design for an epsilon: a law where one serves groups of this size best, else a matrix.

        Where `is_measured` says so it is the law for L0, of which another loss is measured.
        """
        privacy = Privacy(epsilon=epsilon)
        is_large = self.n > LARGEST_MATRIX
        if self.is_measured:
            is_worst = self.aggregate == AGGREGATES[1]
            return MeasuredLaw(privacy, self.properties, self.loss, is_worst, self.n, time_limit)
        if self.prior.name == "uniform" and (is_large or not no_law(self.properties, self.loss, self.aggregate)):
            stated = LawProblem(privacy, self.properties, self.loss, self.aggregate)
            law = find_law(stated, Clock(time_limit)) if is_large else serving_law(stated, self.n, time_limit)
            if law is not None:
                law.require_size(self.n)
                return LawAt(law, self.n)
        problem = self.problem(privacy)
        found = design(problem.at_alpha, time_limit=time_limit)
        result = restated(found, problem, found.certificate)  # ends need no narrower gap
        return result if result.status != "feasible" else design(problem, time_limit=time_limit)

    def problem(self, privacy: Privacy) -> DesignProblem:
        """State the problem of a matrix."""
        return DesignProblem(
            self.n,
            privacy=privacy,
            properties=self.properties,
            loss=self.loss,
            prior=self.prior,
            aggregate=self.aggregate,
        )

    def model(self, epsilon: float) -> float:
        """Estimate the logarithm of the score by the geometric mechanism: its worst count, or its least mean."""
        if not isinstance(self.loss.family, PowerLoss):
            return -epsilon
        (power, beyond), a = power_and_beyond(self.loss), math.exp(-epsilon)
        is_least_mean = power == 0 and self.aggregate != AGGREGATES[1] and self.n > 2 * beyond
        rest = least_mean_rest(a, 0, beyond, self.n) if is_least_mean else bulk_rest(a, power, beyond)
        return _log(self.loss.rescaling(self.n + 1)) + math.log(rest) - epsilon * (beyond + 1)

    def uniform_score(self) -> Fraction:
        """Return the score of the uniform mechanism, which has every property and does not look at the count."""
        size, is_worst = self.n + 1, self.aggregate == AGGREGATES[1]
        if isinstance(self.loss.family, PowerLoss) and (is_worst or self.prior.name == "uniform"):
            loss = uniform_figures(self.n, *power_and_beyond(self.loss))[is_worst]
        else:
            means = [sum(column, Fraction(0)) / size for column in zip(*self.loss.matrix(size), strict=True)]
            shares = map(Fraction.__mul__, self.prior.weights(size), means)
            loss = max(means) if is_worst else sum(shares, Fraction(0))
        return self.loss.rescaling(size) * loss


Calibrated = Design | LawAt | MeasuredLaw
"""What is made for an epsilon: a matrix, or a law at one n."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Calibration(Ends[Calibrated], Answered):
    """The least epsilon of a mechanism for counts that meets `wish`, proved from both sides.

    `best` and `refuted` are designs or, of a law, the law at n.
    """

    wish: Wish

    @property
    def proved(self) -> Design | Law:
        """What is exported: the design at `upper`, or the law, with its proof."""
        return self.best if isinstance(self.best, Design) else self.best.law

    @property
    def row(self) -> WishRow:
        """The row of a table of several."""
        told = {"reached": float(self.best.score)}
        return WishRow(self.wish.asked, ("epsilon", self.upper), self.lower, self.lower, told)

    def __repr__(self) -> str:
        ends = f"{number_text(self.lower)} < epsilon <= {number_text(self.upper)}"
        return f"<Calibration: {self.wish.words}: {ends}>"


@checked
def calibrate(
    n: int,
    *,
    properties: str = "none",
    within: int | None = None,
    chance: Number | None = None,
    loss: str | Loss | None = None,
    score: Number | None = None,
    prior: str | Prior | None = None,
    aggregate: str = "expected",
    time_limit: float | None = None,
) -> Calibration:
    """Find the least epsilon at which a mechanism for a count over n people meets a wish, and prove both ends.

    A wish is `within` and `chance`: the output is at most `within` from the true count with at least this chance,
    whatever the true count or, with a prior, in the mean over it. Or it is a `score` at most, as `design` states it, by
    a loss. A mechanism that is private at one epsilon is so at every larger one, so the best score only falls with
    epsilon. The least epsilon therefore lies between one with a bound above the wish and one with a design that meets
    it.

    Args:
        n: number of people.
        properties: what the mechanism must have, as for `DesignProblem`.
        within: how far from the true count the output may be, from 0 to n - 1; with `chance`.
        chance: above 0, below 1.
        loss: the loss of `score`, `"L0"` where it is left out.
        score: the largest score that will do, above 0.
        prior: as for `DesignProblem`; with `within` the worst case counts unless a prior is given.
        aggregate: `"worst"` for a score in the worst case.
        time_limit: seconds for all designs together.

    Returns:
        Both ends with their designs, at most 1e-3 apart and at most 1e-3 of the upper one. Only where a design has a
        wide gap itself they stay further apart, and `is_close` is False.

    Raises:
        InputError: for a value out of range, both wishes, or none.
        NoAnswerError: where every epsilon, or none, meets the wish.
        LimitReachedError: where the time limit ends the search.

    >>> found = calibrate(8, within=1, chance="0.8")
    >>> found.lower < found.upper, found.best.score <= found.wish.score < found.refuted.lower_bound
    (True, True)
    """
    if (within is None) == (score is None):
        raise InputError(f"exactly one of within and score must be given, got {'neither' if score is None else 'both'}")
    if not 1 <= n <= MOST_PEOPLE:
        raise InputError(f"n must be in 1..{MOST_PEOPLE}, got n={n}")
    asked = parse_properties(properties)
    if score is not None:
        if chance is not None:
            raise InputError("chance goes with within, got it with score")
        wish = _wish_for_score(n, asked, loss or "L0", as_rational(score, "score"), prior, aggregate)
    else:
        if loss is not None or aggregate != AGGREGATES[0]:
            raise InputError(f"{'aggregate goes' if loss is None else 'loss goes'} with score, got it with within")
        wish = _wish_for_chance(n, asked, within or 0, chance, prior)
    if n <= LARGEST_MATRIX or wish.prior.name != "uniform":
        wish.problem(Privacy(epsilon=1))  # says what is wrong with the wish
    if (reached := wish.uniform_score()) <= wish.score:
        if score is None:
            raise _met_by_all(wish.words)
        known = f"the uniform mechanism scores {rounded_up(reached)} or less"
        raise NoAnswerError(f"every epsilon reaches a score of {number_text(wish.score)} here: {known}")
    if wish.score == 0:
        raise NoAnswerError(f"no epsilon gives {wish.words}")
    return Calibration(**vars(_answer(wish, Clock(time_limit))), wish=wish)


def _answer(wish: Wish, clock: Clock) -> Ends[Calibrated]:
    """Search by laws that are measured where groups are large and no law is the best; else by the best there is."""
    is_large = wish.n > FROM_AUTO and wish.prior.name == "uniform"
    if is_large and no_law(wish.properties, wish.loss, wish.aggregate):
        try:
            return least_epsilon(replace(wish, is_measured=True), clock)
        except (InputError, NotCertifiedError):  # a matrix may do
            if wish.n > LARGEST_MATRIX:
                raise
    return least_epsilon(wish, clock)


def _wish_for_chance(
    n: int, properties: frozenset[str], within: int, chance: Number | None, prior: str | Prior | None
) -> Wish:
    if chance is None:
        raise InputError("chance must be given with within, got none")
    share = as_rational(chance, "chance")
    if not 0 < share <= 1:
        raise InputError(f"chance must be in (0, 1], got chance={number_text(share)}")
    if not 0 <= within <= n:
        raise InputError(f"within must be in 0..n, got within={within} for n={n}")
    if within == n:
        raise _met_by_all(f"an output within {n} of the true count")
    loss, known = Loss.parse(f"L0:{within}" if within else "L0"), _read_prior(prior)
    near = f"within {within} of the true count" if within else "equal to the true count"
    whom = "whatever the count" if prior is None else f"in the mean over the prior {known.name}"
    words = f"an output {near} with probability at least {number_text(share)}, {whom}"
    most = loss.rescaling(n + 1) * (1 - share)
    return Wish(n, properties, loss, known, AGGREGATES[prior is None], most, words, ("chance", share))


def _met_by_all(words: str) -> NoAnswerError:
    return NoAnswerError(f"every epsilon gives {words}: the uniform mechanism does, which does not look at the count")


def _wish_for_score(
    n: int,
    properties: frozenset[str],
    loss: str | Loss,
    most: Fraction,
    prior: str | Prior | None,
    aggregate: str,
) -> Wish:
    if most < 0:
        raise InputError(f"score must be at least 0, got score={number_text(most)}")
    stated, known = Loss.parse(loss) if isinstance(loss, str) else loss, _read_prior(prior)
    whom = "in the worst case" if aggregate == AGGREGATES[1] else f"in the mean over the prior {known.name}"
    words = f"a score of at most {number_text(most)} by {stated.name}, {whom}"
    return Wish(n, properties, stated, known, aggregate, most, words, ("score", most))


def _read_prior(prior: str | Prior | None) -> Prior:
    return prior if isinstance(prior, Prior) else Prior.parse("uniform" if prior is None else prior)


def least_epsilon(wish: Wished[J], clock: Clock) -> Ends[J]:
    """Find the least epsilon for a wish: begin where its model meets it, bracket it, then narrow the bracket.

    Raises:
        NoAnswerError: where every epsilon, or none, meets the wish.
        LimitReachedError: where the time limit ends the search.
    """
    return _Search(wish, clock).run()


class _Search(Generic[J]):
    """The search for the least epsilon, by interpolation of log scores over those of the wish's model.

    Halves are taken where interpolation does not help.
    """

    def __init__(self, wish: Wished[J], clock: Clock) -> None:
        self.wish, self.clock = wish, clock
        self.found: dict[Fraction, J] = {}
        self.wanted = _log(wish.score)
        self.part = Fraction(1)

    def run(self) -> Ends[J]:
        """Find the upper end, and where a gap hides the lower one beside it, that too."""
        low, upper = self._narrowed(self._is_missed, _excess_of_score)
        if not self._is_refuted(self.found[low]):
            low, _ = self._narrowed(self._is_refuted, _excess_of_bound)
            if upper - low > _apart(upper):
                self.part = Fraction(1, FINEST // 2)
                _, upper = self._narrowed(self._is_missed, _excess_of_score)
                low, _ = self._narrowed(self._is_refuted, _excess_of_bound)
        return Ends(upper, low, self.found[upper], self.found[low], len(self.found))

    def _is_missed(self, one: J) -> bool:
        return self._is_refuted(one) or one.score > self.wish.score

    def _is_refuted(self, one: J) -> bool:
        return one.lower_bound > self.wish.score

    def _narrowed(self, misses: Callable[[J], bool], log: Callable[[J, bool], float]) -> tuple[Fraction, Fraction]:
        """Return two epsilons near each other, of which what was made for the first misses the wish."""
        step, width = 0, Fraction(0)
        while True:
            missing = [epsilon for epsilon, one in self.found.items() if misses(one)]
            enough = [epsilon for epsilon, one in self.found.items() if not misses(one)]
            low, high = max(missing, default=None), min(enough, default=None)
            excess = {epsilon: log(one, self._is_refuted(one)) - self.wanted for epsilon, one in self.found.items()}
            if low is None or high is None:
                epsilon = self._outside(low, high, excess, is_stuck=step >= PATIENCE)
            elif high - low <= self.part * _apart(high):
                return low, high
            else:
                is_stuck = step % PATIENCE == 0 and 0 < width / 2 < high - low
                width = high - low if step % PATIENCE == 0 else width
                epsilon = self._between(low, high, excess, is_stuck)
            step += 1
            self.found[epsilon] = self.wish.designed(epsilon, self.clock.left())

    def _outside(
        self, low: Fraction | None, high: Fraction | None, excess: dict[Fraction, float], is_stuck: bool
    ) -> Fraction:
        """Choose an epsilon beyond the only end, or a first one: beside where the wish should just be met.

        Raises:
            NoAnswerError: where nothing is left to try.
        """
        known = low or high
        if known is None:
            first = Fraction(self._at_model(self.wanted))
            return _short(first, _apart(first), LEAST, Fraction(MOST))
        if known == (low and MOST):
            raise NoAnswerError(f"no epsilon up to {MOST} gives {self.wish.words}")
        if known == (high and LEAST):
            if self.found[known].score > self.wish.score:
                raise NoAnswerError(f"no bound tells which epsilon is too little for {self.wish.words}")
            raise NoAnswerError(
                f"every epsilon from {rounded_up(known, 3)} on gives {self.wish.words}; "
                "so small an epsilon reveals next to nothing"
            )
        apart, guess = _apart(known), self._root(excess)
        root = known if math.isnan(guess) else Fraction(guess)
        half = apart / 2
        if low:
            wanted = max(root + BESIDE * apart, 2 * known if is_stuck else known + half)
            return _short(min(wanted, LEAP * known), apart, known, Fraction(MOST))
        wanted = min(root - BESIDE * apart, known / 2 if is_stuck else known - half)
        return _short(max(wanted, known / LEAP), apart, LEAST, known)

    def _between(self, low: Fraction, high: Fraction, excess: dict[Fraction, float], is_stuck: bool) -> Fraction:
        """Choose an epsilon between the ends, of few digits: the middle, or beside where the wish is just met."""
        apart, middle = self.part * _apart(high), (low + high) / 2
        guess = self._root(excess)
        if not low < guess < high:
            guess = self._root({end: excess[end] for end in (low, high)})
        if is_stuck or not low < guess < high:
            return _short(middle, apart, low, high)
        wanted = Fraction(guess)
        return _short(wanted + BESIDE * apart * (1 if high - wanted > wanted - low else -1), apart, low, high)

    def _root(self, excess: dict[Fraction, float]) -> float:
        """Guess where the excess is 0, by the curve through the three nearest points; nan where there is none."""
        nearest = sorted(excess.items(), key=lambda point: abs(point[1]))[:3]
        points = [(self.wish.model(float(epsilon)), own) for epsilon, own in nearest]
        model = points[0][0] - points[0][1] if len(points) == 1 else _model_without_excess(points)
        return self._at_model(model) if math.isfinite(model) else math.nan

    def _at_model(self, wanted: float) -> float:
        """Return the epsilon at which the model has a value, or the nearest to it that is looked for."""
        low, high = float(LEAST), float(MOST)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.wish.model(middle) > wanted else (low, middle)
        return high


def _excess_of_score(one: Judged, is_refuted: bool) -> float:
    """Return the logarithm of the score; of what is refuted that of the bound, which may be cheaper."""
    return _log(one.lower_bound if is_refuted else one.score)


def _excess_of_bound(one: Judged, is_refuted: bool) -> float:
    return _log(one.lower_bound)


def _log(value: Fraction) -> float:
    """Return the logarithm, also where the number itself has no float, and of 0."""
    return math.log(value.numerator) - math.log(value.denominator) if value else -math.inf


def _apart(upper: Fraction) -> Fraction:
    return APART * min(Fraction(1), upper)


def _short(wanted: Fraction, apart: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """Return an epsilon of few digits between two others, near the one that is wanted."""
    digits = math.ceil(math.log10(FINEST / apart))
    step = Fraction(1, 10**digits)
    return min(max(round(wanted, digits), low + (low > LEAST) * step), high - (high < MOST) * step)


def _model_without_excess(points: list[tuple[float, float]]) -> float:
    """Interpolate the model at excess 0 as a polynomial of the excess (Lagrange); nan where two excesses are alike."""
    total = 0.0
    for number, (model, own) in enumerate(points):
        others = [excess for other, (_, excess) in enumerate(points) if other != number]
        if own in others:
            return math.nan
        total += model * math.prod(excess / (excess - own) for excess in others)
    return total
