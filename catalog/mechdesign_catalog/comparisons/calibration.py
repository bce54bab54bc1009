"""Calibration of local reports: the least epsilon, or the fewest users, for a workload."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Generic

from mechdesign.arguments import checked
from mechdesign.calibration import Answered, Ends, J, WishRow, least_epsilon
from mechdesign.counts.estimation.mean import as_confidence
from mechdesign.errors import InputError, NoAnswerError
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Clock
from mechdesign.rational import Number, as_rational, number_text
from mechdesign.workload_designs import design_workload
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.choosing import BEST
from mechdesign_catalog.comparisons.contenders import contenders
from mechdesign_catalog.comparisons.design_floor import variance_bound
from mechdesign_catalog.comparisons.marginals_survey import recommendable, survey_marginals
from mechdesign_catalog.comparisons.survey import SAME
from mechdesign_catalog.comparisons.workload_survey import RatedForWorkload, WorkloadStanding, rate, require_users
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.registry import parse_oracle

DESIGN = "design"
"""In place of an oracle: reports designed for the workload at each epsilon."""

MOST_USERS = 10**15

LARGEST = 10**100
"""The largest error that may be asked for; floats hold its square."""

STEPS = 60
"""Numbers of users that are tried at most; they go with 1 over the variance, so that few are needed."""

LEAST_PART = 1e-3
"""A variance is not guessed to be below this part of what noise adds to it."""

NOTHING = Fraction(1, 10**60)
"""The score of a bound that says nothing."""


@dataclass(frozen=True)
class Variance:
    """A variance that is computed, not searched for; or a bound that none is below."""

    score: Fraction

    @property
    def lower_bound(self) -> Fraction:
        """The same."""
        return self.score


@dataclass(frozen=True)
class RatedReports(Variance):
    """Reports by an oracle at one epsilon, judged by the variance that a wish is about."""

    standing: RatedForWorkload

    @property
    def standard_error(self) -> float:
        """The root of the variance, not below it."""
        return math.nextafter(math.sqrt(self.score), math.inf)


@dataclass(frozen=True)
class ErrorWish:
    """An error at most in the answers to a workload, where items have equal shares.

    `score` is its square; `asked` is the error or half width that was given. `is_mean`: the root of the mean of the
    variances counts, not the largest error of an answer.
    """

    workload: Workload
    oracle: str
    score: Fraction
    is_mean: bool
    words: str
    asked: tuple[str, Fraction]

    def judged(self, privacy: Privacy, users: int) -> RatedReports:
        """Rate the oracle that is named, the best of all that are listed, or one designed for the workload."""
        listed: list[RatedForWorkload] = []
        if self.oracle == DESIGN:
            own = _designed(self.workload, privacy)
            listed.append(WorkloadStanding(DESIGN, own, rate(own, self.workload, users), self.workload))
        elif isinstance(self.workload, Marginals):
            listed += recommendable(survey_marginals(self.workload, privacy, users))
            if self.oracle != BEST:
                listed = [one for one in listed if one.name == self.oracle]
        elif self.oracle == BEST:
            listed += contenders(self.workload, privacy, users, self._limit)
        else:
            made = parse_oracle(self.oracle, self.workload.k, privacy)
            rating = rate(made, self.workload, users)
            listed.append(WorkloadStanding(self.oracle, made, rating, self.workload))
        told = self._told(listed)
        if not told:
            raise InputError(
                f"oracle must serve {self.workload.name} at its epsilon, with a largest variance that is known, "
                f"got oracle={self.oracle}"
            )
        least = min(variance for variance, _ in told)
        as_good = (pair for pair in told if pair[0] <= (1 + SAME) * least)
        variance, first = min(as_good, key=lambda pair: (pair[1].oracle.bits, pair[1].place))
        return RatedReports(Fraction(variance), first)

    def _told(self, listed: Sequence[RatedForWorkload]) -> list[tuple[float, RatedForWorkload]]:
        """Return the variances that count, of oracles in the order of their averages, as far as one may be the least.

        No largest variance is below the average.
        """
        told, least = list[tuple[float, RatedForWorkload]](), math.inf
        for one in listed:
            if one.variance > least:
                break
            if (variance := self._variance(one)) is not None:
                told, least = [*told, (variance, one)], min(variance, least)
        return told

    def _limit(self, listed: Sequence[RatedForWorkload]) -> float:
        """Return a variance above which no average matters."""
        return (1 + SAME) * min((variance for variance, _ in self._told(listed)), default=math.inf)

    def _variance(self, one: RatedForWorkload) -> float | None:
        """The variance that counts; None where it is unknown or estimated, or reports lose more than is asked."""
        found = one.rating.average if self.is_mean else one.rating.bound
        is_told = found is not None and 0 < found < math.inf  # rounding may leave nothing where epsilon is very large
        return found if is_told and not one.loses_more and not one.rating.error else None


@lru_cache(maxsize=32)
def _designed(workload: Workload, privacy: Privacy) -> WorkloadOracle:
    """Make reports designed for a workload: the same for every wish and every number of users."""
    mechanism = design_workload(WorkloadProblem(workload, privacy=privacy)).mechanism
    return WorkloadOracle.of(mechanism, workload, privacy=privacy)


@dataclass(frozen=True)
class _Searched(Generic[J]):
    """A wish as the search for the least epsilon takes it: in words, the largest variance, and what is judged.

    `guess` are the two numbers of `model`.
    """

    words: str
    score: Fraction
    judged: Callable[[Privacy], J]
    guess: tuple[float, float]

    def designed(self, epsilon: Fraction, time_limit: float | None) -> J:
        """Judge what there is for an epsilon."""
        return self.judged(Privacy(epsilon=epsilon))

    def model(self, epsilon: float) -> float:
        """Guess that the variance is `noise / sinh(epsilon/2)^2 - known`, as the bound in closed form."""
        noise, known = self.guess
        square = math.sinh(epsilon / 2) ** 2
        return math.log(noise / square) + math.log(max(1 - known * square / noise, LEAST_PART))


@dataclass(frozen=True, repr=False)
class LocalCalibration(Answered):
    """The epsilon or the number of users by which local reports meet a wish for a workload.

    Attributes:
        wish: what was asked.
        privacy: the least privacy loss that suffices, or that which was given.
        users: their number, as it was given, or the fewest that suffice.
        reports: what suffices.
        missing: reports of the same kind that do not: at an epsilon a little smaller, or with one user less.
        too_little: an epsilon, or a number of users, with which no local mechanism gives what is wished, as a bound
            proves it; None where no bound says anything.
    """

    wish: ErrorWish
    privacy: Privacy
    users: int
    reports: RatedReports
    missing: RatedReports
    too_little: Fraction | None
    ends: Ends[RatedReports] | None = None

    @property
    def row(self) -> WishRow:
        """The row of a table of several."""
        standing, error = self.reports.standing, self.reports.standard_error
        told = {"standard_error": error, "oracle": standing.name, "bits": standing.oracle.bits}
        if self.ends is not None:
            return WishRow(self.wish.asked, ("epsilon", self.ends.upper), self.ends.lower, self.too_little, told)
        enough = "users", Fraction(self.users)
        return WishRow(self.wish.asked, enough, Fraction(self.users - 1), self.too_little, told)

    def __repr__(self) -> str:
        return (
            f"<LocalCalibration: {self.wish.words}: epsilon = {self.privacy.epsilon:g}, {self.users:,} users, "
            f"{self.reports.standing.name}>"
        )


@checked
def calibrate_reports(
    workload: Workload,
    *,
    error: Number | None = None,
    half_width: Number | None = None,
    confidence: Number | None = None,
    users: int | None = None,
    epsilon: Number | None = None,
    alpha: Number | None = None,
    oracle: str = BEST,
    mean: bool = False,
) -> LocalCalibration:
    """Find the least epsilon for so many users, or the fewest users for an epsilon, for an error in answers.

    Errors are standard errors where all items have equal shares, by the exact formula. The variance of reports only
    falls as epsilon grows, and goes with 1 over the number of users.

    Args:
        workload: the queries.
        error: the largest standard error that will do; or `half_width`.
        half_width: half of the width of an interval for one answer that will do; with `confidence`.
        confidence: of that interval, 0.95 where it is left out.
        users: their number; the least epsilon is found.
        epsilon: the privacy loss of a report; the fewest users are found.
        alpha: instead of epsilon.
        oracle: `"best"` of all that `survey_workload` or `survey_marginals` lists, one by name, or `"design"`: reports
            designed for the workload anew at each epsilon that is tried, which have the least mean variance.
        mean: whether the root of the mean variance counts, and not the largest error of an answer.

    Raises:
        InputError: for values out of range, or not exactly one of each pair.
        NoAnswerError: where no epsilon to 64, or no number of users to 10^15, gives this error.

    >>> from mechdesign.workloads.ordered import Ranges
    >>> found = calibrate_reports(Ranges(64), error="0.02", users=100_000, oracle="haar")
    >>> found.missing.standard_error > 0.02 >= found.reports.standard_error
    True
    """
    wish = _wish(workload, error, half_width, confidence, oracle, mean)
    is_private = epsilon is not None or alpha is not None
    if (users is None) != is_private:
        got = "both" if is_private else "neither"
        raise InputError(f"exactly one of users and epsilon must be given, got {got}")
    if users is not None:
        require_users(users)
        return _least_epsilon(wish, users)
    return _fewest_users(wish, Privacy(alpha, epsilon))


def _wish(
    workload: Workload,
    error: Number | None,
    half_width: Number | None,
    confidence: Number | None,
    oracle: str,
    mean: bool,
) -> ErrorWish:
    if (error is None) == (half_width is None):
        got = "neither" if error is None else "both"
        raise InputError(f"exactly one of error and half_width must be given, got {got}")
    if confidence is not None and half_width is None:
        raise InputError("confidence goes with half_width, got it with error")
    whose = "the root mean square error of an answer" if mean else "the largest standard error of an answer"
    if error is not None:
        asked = "error", as_rational(error, "error")
        most = asked[1]
        words = f"{whose} at most {number_text(most)}"
    else:
        assert half_width is not None
        level = as_confidence("0.95" if confidence is None else confidence)
        asked = "half_width", as_rational(half_width, "half_width")
        most = asked[1] / Fraction(NormalDist().inv_cdf((1 + level) / 2))
        words = f"an interval of {100 * level:g} % of an answer at most {number_text(asked[1])} to either side"
        words += " in the mean square" if mean else ""
    if not 0 <= most <= LARGEST:
        raise InputError(f"{asked[0]} must be at least 0 and at most 1e100, got {number_text(asked[1])}")
    if most == 0:
        raise NoAnswerError(f"no epsilon and no number of users gives {words}")
    return ErrorWish(workload, oracle, most**2, mean, words, asked)


def _least_epsilon(wish: ErrorWish, users: int) -> LocalCalibration:
    guess = _guess(wish, users)

    def searched(judged: Callable[[Privacy], J]) -> Ends[J]:
        return least_epsilon(_Searched(wish.words, wish.score, judged, guess), Clock(None))

    ends = searched(lambda privacy: wish.judged(privacy, users))
    try:
        too_little: Fraction | None = searched(
            lambda privacy: Variance(variance_bound(wish.workload, privacy, users) or NOTHING)
        ).lower
    except NoAnswerError:
        too_little = None
    privacy = Privacy(epsilon=ends.upper)
    return LocalCalibration(wish, privacy, users, ends.best, ends.refuted, too_little, ends)


def _guess(wish: ErrorWish, users: int) -> tuple[float, float]:
    """Return what noise adds to the mean variance of an answer at `sinh(epsilon/2) = 1`, and what items take off it.

    The noise is that of the bound; without one, the wish is guessed to be met at epsilon 1. Designs take long, and have
    about the noise of what is best of all that are listed.
    """
    workload, k = wish.workload, wish.workload.k
    known = (Fraction(workload.block_energy(1)) / k - Fraction(workload.block_energy(k)) / k**2) / workload.count
    epsilon, bound = 1.0, wish.score
    if wish.oracle == DESIGN:
        epsilon = _least_epsilon(replace(wish, oracle=BEST), users).privacy.epsilon
    else:
        bound = variance_bound(workload, Privacy(epsilon=1), users) or bound
    return float(bound + known / users) * math.sinh(epsilon / 2) ** 2, float(known / users)


def _fewest_users(wish: ErrorWish, privacy: Privacy) -> LocalCalibration:
    """Go to where the variance, which goes with 1 over the users, is as wished, then user by user."""
    bound = variance_bound(wish.workload, privacy, 1)
    needed = None if bound is None else math.ceil(bound / wish.score) - 1
    too_little = None if needed is None or needed < 1 else Fraction(needed)
    users, tried = 1000, dict[int, RatedReports]()

    def judged(number: int) -> RatedReports:
        if number not in tried:
            tried[number] = wish.judged(privacy, number)
        return tried[number]

    for _ in range(STEPS):
        found = judged(users)
        if found.score <= wish.score and (users == 2 or judged(users - 1).score > wish.score):
            return LocalCalibration(wish, privacy, users, found, judged(max(2, users - 1)), too_little)
        wanted = max(2, math.ceil(users * found.score / wish.score))
        users = users - 1 if wanted == users and found.score <= wish.score else users + 1 if wanted == users else wanted
        if users > MOST_USERS:
            break
    raise NoAnswerError(f"no number of users up to {MOST_USERS:,} gives {wish.words} at {privacy.describe()}")
