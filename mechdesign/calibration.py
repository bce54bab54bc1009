"""Calibration: the least epsilon for a wished score of counts, proved from both sides."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from mechdesign.arguments import checked
from mechdesign.designs import Design, design
from mechdesign.errors import InputError, NoAnswerError
from mechdesign.laws.finding import find_law, serving_law
from mechdesign.laws.law import Law, LawAt
from mechdesign.laws.problem import LawProblem, no_law
from mechdesign.mechanism.layered import LARGEST_MATRIX, MOST_PEOPLE
from mechdesign.problem.design_problem import AGGREGATES, DesignProblem
from mechdesign.problem.loss import Loss
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
"""Where the second end is tried beside a root that is nearly known, as a part of what the ends may differ by."""

PATIENCE = 3
"""Steps in which the ends must come to half their distance; else the middle is tried."""


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

    def designed(self, epsilon: Fraction, time_limit: float | None) -> Design | LawAt:
        """Design for an epsilon: a law where one serves groups of this size best, else a matrix."""
        privacy = Privacy(epsilon=epsilon)
        is_large = self.n > LARGEST_MATRIX
        if self.prior.name == "uniform" and (is_large or not no_law(self.properties, self.loss, self.aggregate)):
            stated = LawProblem(privacy, self.properties, self.loss, self.aggregate)
            law = find_law(stated, Clock(time_limit)) if is_large else serving_law(stated, self.n, time_limit)
            if law is not None:
                law.require_size(self.n)
                return LawAt(law, self.n)
        return design(self.problem(privacy), time_limit=time_limit)

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

    def is_met_by_uniform(self) -> bool:
        """Tell whether the uniform mechanism will do, which has every property and does not look at the count."""
        size = self.n + 1
        means = [sum(column, Fraction(0)) / size for column in zip(*self.loss.matrix(size), strict=True)]
        weights = self.prior.weights(size)
        loss = max(means) if self.aggregate == "worst" else sum(map(Fraction.__mul__, weights, means), Fraction(0))
        return self.loss.rescaling(size) * loss <= self.score


@dataclass(frozen=True, repr=False, kw_only=True)
class Calibration(Ends[Design | LawAt], Answered):
    """The least epsilon of a mechanism for counts that meets `wish`, proved from both sides.

    `best` and `refuted` are designs or, of a law, the law at n.
    """

    wish: Wish

    @property
    def proved(self) -> Design | Law:
        """What is exported: the design at `upper`, or the law, with its proof."""
        return self.best.law if isinstance(self.best, LawAt) else self.best

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
    if n <= LARGEST_MATRIX:
        wish.problem(Privacy(epsilon=1))  # says what is wrong with the wish
        if wish.is_met_by_uniform():
            raise _met_by_all(wish.words)
    if wish.score == 0:
        raise NoAnswerError(f"no epsilon gives {wish.words}")
    return Calibration(**vars(least_epsilon(wish, Clock(time_limit))), wish=wish)


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
    """Find the least epsilon for a wish: bracket it by doubling or halving 1, then narrow the bracket.

    Raises:
        NoAnswerError: where every epsilon, or none, meets the wish.
        LimitReachedError: where the time limit ends the search.
    """
    return _Search(wish, clock).run()


class _Search(Generic[J]):
    """The search for the least epsilon, by interpolation of log scores.

    Halves are taken where interpolation does not help.
    """

    def __init__(self, wish: Wished[J], clock: Clock) -> None:
        self.wish, self.clock = wish, clock
        self.best: tuple[Fraction, J] | None = None
        self.refuted: tuple[Fraction, J] | None = None
        self.excess: dict[Fraction, float] = {}

    def run(self) -> Ends[J]:
        """Bracket, then narrow."""
        epsilon = Fraction(1)
        while self._try(epsilon) and not (self.best and self.refuted):
            epsilon *= Fraction(1, 2) if self.best else 2
            self._require_in_reach(epsilon)
        if self.best is None or self.refuted is None:
            raise NoAnswerError(
                f"the gap of the design at epsilon = {number_text(epsilon)} leaves open whether it has "
                f"{self.wish.words}; ask for a slightly different one"
            )
        self._narrow(self.refuted[0], self.best[0])
        (upper, best), (lower, refuted) = self.best, self.refuted
        return Ends(upper, lower, best, refuted, len(self.excess))

    def _require_in_reach(self, epsilon: Fraction) -> None:
        if epsilon > MOST:
            raise NoAnswerError(f"no epsilon up to {MOST} gives {self.wish.words}")
        if epsilon < LEAST:
            raise NoAnswerError(
                f"every epsilon from {rounded_up(2 * epsilon, 3)} on gives {self.wish.words}; "
                "so small an epsilon reveals next to nothing"
            )

    def _try(self, epsilon: Fraction) -> bool:
        """Design at an epsilon and move an end there; False where the gap leaves open which."""
        found, wished = self.wish.designed(epsilon, self.clock.left()), self.wish.score
        self.excess[epsilon] = _log(found.score) - _log(wished)
        if found.score <= wished:
            self.best = epsilon, found
        elif found.lower_bound > wished:
            self.refuted = epsilon, found
        else:
            return False
        return True

    def _narrow(self, low: Fraction, high: Fraction) -> None:
        """Try epsilons between the ends, until these are near enough, or a gap leaves one open."""
        width, step = high - low, 0
        while high - low > _apart(high):
            step += 1
            is_stuck = step % PATIENCE == 0 and high - low > width / 2
            if step % PATIENCE == 0:
                width = high - low
            epsilon = self._next(low, high, is_stuck)
            if not self._try(epsilon):
                return
            low, high = (low, epsilon) if self.best is not None and self.best[0] == epsilon else (epsilon, high)

    def _next(self, low: Fraction, high: Fraction, is_stuck: bool) -> Fraction:
        """Choose an epsilon between the ends, of few digits: the middle, or beside where the wish is just met."""
        apart = _apart(high)
        wanted = (low + high) / 2 if is_stuck else Fraction(self._root(low, high))
        if not is_stuck:
            wanted += BESIDE * apart * (1 if high - wanted > wanted - low else -1)
        digits = math.ceil(math.log10(FINEST / apart))
        step = Fraction(1, 10**digits)
        return min(max(round(wanted, digits), low + step), high - step)

    def _root(self, low: Fraction, high: Fraction) -> float:
        """Guess where the excess is 0: by the curve through the three nearest points, else by the line of the ends."""
        nearest = sorted(self.excess.items(), key=lambda point: abs(point[1]))[:3]
        ends = [(end, self.excess[end]) for end in (low, high)]
        guesses = (_epsilon_without_excess(points) for points in (nearest, ends))
        return next((guess for guess in guesses if low < guess < high), float(low + high) / 2)


def _log(value: Fraction) -> float:
    """Return the logarithm, also where the number itself has no float, and of 0."""
    return math.log(value.numerator) - math.log(value.denominator) if value else -math.inf


def _apart(upper: Fraction) -> Fraction:
    return APART * min(Fraction(1), upper)


def _epsilon_without_excess(points: list[tuple[Fraction, float]]) -> float:
    """Interpolate epsilon at excess 0 as a polynomial of the excess (Lagrange); nan where two excesses are alike."""
    total = 0.0
    for epsilon, own in points:
        others = [excess for other, excess in points if other != epsilon]
        if own in others:
            return math.nan
        total += float(epsilon) * math.prod(excess / (excess - own) for excess in others)
    return total
