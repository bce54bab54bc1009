"""Claims about telemetry of few users: dBitFlip's errors, secrets of memoised answers."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.frequency_metrics import make_frequency_metric
from mechdesign_catalog.datasets.items.laws import BUCKETS
from mechdesign_catalog.randomizers.oracle import Values, actual_epsilon
from mechdesign_catalog.randomizers.reports.reports import Reports
from mechdesign_catalog.systems.flat.dbitflip import DBitFlip
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_figures.claims.claim import TELEMETRY, Claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.telemetry.histogram import (
    EPSILONS,
    LAWS,
    PUBLISHED_DISTANCES,
    PUBLISHED_ERRORS,
    RAW,
    REPETITIONS,
    RESCALED,
    USERS,
    estimates_of,
    telemetry_users,
)

NEAR = Fraction(1, 5)
"""By what share a number may be off and be called near a published one, whatever a series of ten shows."""

READ = "read as: the mean of many repetitions is within a fifth, or a series of ten may well show the published number"
"""What a reader is told of `NEAR`."""

SEED = 5088
DAYS = 365
WATCHED = 200
"""Users whose reports are followed over a year."""

OFTEN = 10
"""So many times as often as by chance a bucket must be found to say that users are found out."""

GRID = 2_401
STEP = (GRID - 1) // BUCKETS
"""Hundredths of an hour of a bucket."""

ONE_BIT = OneBitMean.up_to(24, Privacy(epsilon=1), GRID)
Oracle = DBitFlip | OneBitMean


@dataclass(frozen=True)
class Series:
    """The values of a metric in many collections, in series of ten: what one would have published."""

    values: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """The mean of all values."""
        return float(self.values.mean())

    @property
    def tens(self) -> NDArray[np.float64]:
        """The mean of each series."""
        return np.asarray(self.values.reshape(-1, REPETITIONS).mean(axis=1))

    def is_near(self, told: float) -> bool:
        """Return whether a published number is within `NEAR` of the mean, or between the means of two series."""
        return self.off(told) <= NEAR or bool(self.tens.min() <= told <= self.tens.max())

    def off(self, told: float) -> Fraction:
        """Return by what share the mean is off a published number."""
        return abs(Fraction(self.mean) / Fraction(told) - 1)

    @property
    def text(self) -> str:
        """The mean, and between which ends the means of ten repetitions lie."""
        ends = f"{self.tens.min():.3g} to {self.tens.max():.3g}"
        return f"{self.mean:.3g} ({ends} in {len(self.tens)} series of {REPETITIONS})"


def series(metric: str, kind: str, users: int, epsilon: Fraction, quick: bool) -> Series:
    """Simulate dBitFlip with d = 1 on normal data, and measure a metric in series."""
    data = telemetry_users("normal", users)
    repetitions = REPETITIONS * (10 if quick else 40)
    seed = (SEED, users, epsilon.numerator, epsilon.denominator)
    estimates = estimates_of(data, DBitFlip(BUCKETS, Privacy(epsilon=epsilon), 1), repetitions, seed)
    raw, scaled = map(np.array, zip(*estimates, strict=True))
    return Series(make_frequency_metric(metric).values(data.counts, raw if kind == RAW else scaled))


@dataclass(frozen=True)
class Published:
    """Two numbers of the study, by number of users; `kind` of estimates and `metric` are the reading."""

    metric: str
    kind: str
    epsilon: Fraction
    told: Mapping[int, float]

    def cases(self, quick: bool) -> Iterator[Case]:
        """Yield a case for each published number."""
        for users, told in self.told.items():
            found = series(self.metric, self.kind, users, self.epsilon, quick)
            numbers = f"published {told:g}, here {found.text}"
            yield Case(f"n = {users:,}", found.is_near(told), numbers, miss=found.off(told))

    def measure(self, cache: DesignCache, quick: bool) -> Finding:
        """Measure the claim that both numbers come out."""
        cases = list(self.cases(quick))
        failed = [case for case in cases if not case.true]
        if not failed:
            return judge(cases)
        worst = max(failed, key=lambda case: case.miss)  # shown by the verdict itself
        return judge(cases, note="; ".join(case.text for case in cases if case is not worst))


LARGEST = Published("max", RAW, Fraction(1), PUBLISHED_ERRORS)
DISTANCES = {
    f"{unit}, {words}": Published(metric, kind, Fraction(3), PUBLISHED_DISTANCES)
    for (unit, metric), (words, kind) in itertools.product(
        (("in hours", "w1-hours"), ("in buckets", "w1")),
        (("estimates as they are", RAW), ("negative estimates set to 0 and the rest rescaled", RESCALED)),
    )
}


def _decline(cache: DesignCache, quick: bool) -> Finding:
    """From 10,000 users to 100,000 a distance that goes with 1/sqrt(n) falls by sqrt(10)."""

    def case(users: int) -> Case:
        few, many = (series("w1-hours", RAW, n, Fraction(3), quick).mean for n in (users, 10 * users))
        ratio = few / many
        return Case(f"n = {users:,} to {10 * users:,}", abs(ratio / math.sqrt(10) - 1) < NEAR, f"by {ratio:.3g}")

    return judge(map(case, (1_000, 10_000)), note="the published distances fall by 2")


def _more_buckets(cache: DesignCache, quick: bool) -> Finding:
    """Exact mean squared errors over buckets."""

    def case(law: str, users: int, epsilon: Fraction) -> Case:
        shares = telemetry_users(law, users).frequencies
        drawn = (1, 2, 4, 8, 16, 32)
        errors = [float(DBitFlip(BUCKETS, Privacy(epsilon=epsilon), d).variance(shares, users).mean()) for d in drawn]
        falls = all(less < more for more, less in itertools.pairwise(errors))
        roots = ", ".join(f"{math.sqrt(error):.3g}" for error in errors)
        return Case(
            f"{law}, n = {users:,}, epsilon = {float(epsilon):g}", falls, f"RMSE {roots} for d = 1, 2, 4, ..., 32"
        )

    users, epsilons = (USERS[:1], EPSILONS[::3]) if quick else (USERS, EPSILONS)
    return judge(case(*cell) for cell in itertools.product(LAWS, users, epsilons))


def _spends_all(cache: DesignCache, quick: bool) -> Finding:
    def case(d: int, epsilon: Fraction) -> Case:
        loss = actual_epsilon(DBitFlip(BUCKETS, Privacy(epsilon=epsilon), d))
        spent = abs(loss / float(epsilon) - 1) < 1e-6
        return Case(f"d = {d}, epsilon = {float(epsilon):g}", spent, f"loss {loss:.4g}", d > 1, Fraction(1))

    return judge(itertools.starmap(case, itertools.product((1, 2, 4, BUCKETS), EPSILONS)), "d >= 2")


def redrawn(oracle: Oracle, values: Values, days: int) -> list[Reports]:
    """Make every user's reports of these days, each drawn anew."""
    words = seeded_words((SEED, days))
    return [oracle.privatize(np.full(days, value), words) for value in values.tolist()]


def memoised(oracle: Oracle, values_by_day: Sequence[Values]) -> list[Reports]:
    """Make every user's reports of these days, looked up in a memory."""
    users = range(len(values_by_day[0]))
    memory = oracle.remember(len(users), seeded_words((SEED,)))
    days = [oracle.recall(memory, values) for values in values_by_day]
    columns = {name: np.stack([day.arrays()[name] for day in days], axis=1) for name in days[0].columns}
    return [Reports(oracle.parameters, {name: column[user] for name, column in columns.items()}) for user in users]


def identified_share(oracle: DBitFlip, reports: Sequence[Reports], values: Values) -> float:
    """Return the share of users whose own reports, added up over days, give their bucket away.

    They do where the estimate, made as if a crowd had sent them, is highest at the user's bucket; of equally high
    buckets each is guessed as often.
    """
    estimates = np.array([oracle.estimate(oracle.aggregate(own)) for own in reports])
    best = estimates == estimates.max(axis=1, keepdims=True)
    return float((best[np.arange(len(values)), values] / best.sum(axis=1)).mean())


def reports_differ(reports: Reports) -> bool:
    """Return whether some report is another than the first."""
    return any((column != column[:1]).any() for column in reports.arrays().values())


def _memory_keeps(cache: DesignCache, quick: bool) -> Finding:
    days = 30 if quick else DAYS
    buckets = telemetry_users("uniform", WATCHED).values()
    moving = [np.roll(buckets, day) for day in range(days)]
    oracles = [DBitFlip(BUCKETS, Privacy(epsilon=1), d) for d in (1, 4, BUCKETS)]

    def case(oracle: Oracle, told: str, by_day: Sequence[Values], stays: bool) -> Case:
        reports = memoised(oracle, by_day)
        changed = sum(map(reports_differ, reports))
        numbers = f"{changed} of {WATCHED} users ever send another report"
        if isinstance(oracle, DBitFlip) and stays:
            shares = [identified_share(oracle, own, buckets) for own in ([r[:1] for r in reports], reports)]
            numbers += f", {shares[0]:.1%} found out after a day and {shares[1]:.1%} after {days}"
        return Case(told, changed == 0, numbers, stays, Fraction(changed))

    cases = [case(o, f"dBitFlip, d = {o.drawn}, values stay", [buckets] * days, True) for o in oracles]
    cases += [case(ONE_BIT, "1BitMean, values stay", [buckets * STEP] * days, True)]
    cases += [case(o, f"dBitFlip, d = {o.drawn}, values change daily", moving, False) for o in oracles]
    return judge(cases, "values do not change", "; ".join(case.text for case in cases[:4]))


def _redrawing_tells(cache: DesignCache, quick: bool) -> Finding:
    buckets = telemetry_users("uniform", WATCHED).values()
    epsilons = (Fraction(1),) if quick else (Fraction(1), Fraction(3))

    def case(d: int, epsilon: Fraction) -> Case:
        oracle = DBitFlip(BUCKETS, Privacy(epsilon=epsilon), d)
        day, year = (identified_share(oracle, redrawn(oracle, buckets, days), buckets) for days in (1, DAYS))
        numbers = f"{day:.1%} of the users after a day, {year:.1%} after {DAYS}"
        return Case(f"d = {d}, epsilon = {epsilon}", year >= OFTEN / BUCKETS, numbers, miss=1 - Fraction(year))

    cases = list(itertools.starmap(case, itertools.product((1, 4, BUCKETS), epsilons)))
    day, year = (_hours_off(redrawn(ONE_BIT, buckets * STEP, days), buckets * STEP) for days in (1, DAYS))
    told = f"1BitMean at epsilon = 1: hours to within {year:.2g} (RMSE) after a year, {day:.2g} after a day"
    return judge(cases, note="; ".join([*(case.text for case in cases[1:-1]), told]))


def _hours_off(reports: Sequence[Reports], values: Values) -> float:
    """The root mean squared error of users' hours, each estimated from the user's own reports."""
    estimates = [ONE_BIT.estimate(ONE_BIT.aggregate(own)) for own in reports]
    return float(np.sqrt(np.square(estimates - ONE_BIT.numbers(values)).mean()))


CLAIMS = (
    Claim(
        "largest error of few users",
        TELEMETRY,
        f"for normal data, epsilon = 1 and d = 1 the largest error is 0.3 at n = 10^4 and 0.045 at n = 3*10^5 "
        f"(simulated; {READ})",
        LARGEST.measure,
    ),
    *(
        Claim(
            f"distance {words}",
            TELEMETRY,
            f"for epsilon = 3 the Wasserstein distance is near 2 at n = 10^4 and 1 at n = 10^5 (read as: normal data, "
            f"d = 1, {words}; simulated; near as above)",
            reading.measure,
        )
        for words, reading in DISTANCES.items()
    ),
    Claim(
        "distance against n",
        TELEMETRY,
        "the distance falls with 1/sqrt(n): by sqrt(10) = 3.16 from n to 10 n (simulated, normal data, epsilon = 3, "
        "d = 1; read as: within a fifth)",
        _decline,
    ),
    Claim(
        "more buckets",
        TELEMETRY,
        "the more buckets each user answers for, the smaller the error (exact mean squared errors, d = 1, 2, 4, ..., "
        "32)",
        _more_buckets,
    ),
    Claim(
        "dBitFlip spends epsilon",
        TELEMETRY,
        "dBitFlip with p = e^(eps/2) / (1 + e^(eps/2)) loses eps",
        _spends_all,
    ),
    Claim(
        "memoised answers",
        TELEMETRY,
        "with memoised answers a year of daily reports tells no more than the first of them",
        _memory_keeps,
    ),
    Claim(
        "answers drawn anew",
        TELEMETRY,
        f"with answers drawn anew every day a year of them finds users out (read as: the mean of a user's own reports "
        f"is highest at the own bucket at least {OFTEN} times as often as by chance, 1 in {BUCKETS}; simulated, "
        f"{WATCHED} users)",
        _redrawing_tells,
    ),
)
