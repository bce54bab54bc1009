"""Checks of an oracle against its own law: privacy, bias, variances, flags, liars, files.

`check_oracle` is for whoever writes a system: every one of this package passes it. It enumerates all reports of a small
domain, so take few items, or few attributes of few items. What it holds against each other shares no formula: closed
forms of the oracle on one side, sums over its listed reports on the other.

The judge of variances is one formula for all systems. Let n users share out over branches, n_b of them in branch b
(one branch, where they do not share out), and let a report r of branch b move an estimate by `e_b(r)`. Let
`g_b(x) = n_b E[e_b | x]` be what branch b tells of an input x. Then, for users whose inputs are fixed with shares f,

    Cov = sum_b n_b (sum_x f_x Cov[e_b | x]) + (n/(n-1)) sum_b Cov_f(g_b) / n_b - Cov_f(sum_b g_b) / (n-1).

The last two terms are there only where users are shared out over several branches at random.

An oracle with public randomness that all share is judged over all draws of it, which must be few: make it with one hash
of few places. Estimates are unbiased in the mean over the draws, and a variance is the mean of the variances given the
draw and the variance of the means given it. Its loss, its rates and its liars are the worst of all draws.

What is not judged, and why: estimated variances, which are no expectation of a formula once they are clipped to what is
possible; simulated states, whose chances are rounded; information that is stated as approximate; a worst bias that is
None or a bound, or of users who share out (that it is not exceeded is judged); reports about a column that has no
number beyond its bound.
"""

import itertools
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.workloads.ordered import Ranges
from mechdesign.workloads.queries import Queries
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.decoders.tables.subsets import JointShares, Subset, cells_of, subsets_of
from mechdesign_catalog.randomizers.facts.rates import SignRates
from mechdesign_catalog.randomizers.oracle import HasPublicSeed, LocalOracle
from mechdesign_catalog.randomizers.reports.contributions import require_sums
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.ragged import Ragged
from mechdesign_catalog.randomizers.reports.report_schema import ByteStrings, Numbers, PackedBits
from mechdesign_catalog.randomizers.reports.reports import AnyColumn, Reports, State

CLOSE = 1e-9
"""Parts of themselves by which floats may differ."""

USERS = (2, 3, 5)
"""Users of the branches that variances are judged for, in turn."""

LIARS = Fraction(1, 10)

MOST_DRAWS = 256
"""Draws of public randomness over which an oracle is judged at most."""


def check_oracle(oracle: Any) -> None:
    """Check all that is stated of an oracle against the exact law of its reports.

    Args:
        oracle: of few items, steps of a number, or attributes, with a law that `report_law` lists; if all share public
            randomness, with at most `MOST_DRAWS` draws of it.

    Raises:
        AssertionError: naming the first statement that does not hold.
        InputError: where the oracle's reports, or the draws of its public randomness, are too many to be listed.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.systems import make_oracle
    >>> check_oracle(make_oracle("grr", 4, Privacy(epsilon=1)))
    """
    judge = OracleLaw.of(oracle)
    for check in (check_names, check_privacy, check_wire, check_sums, check_rates, check_information):
        check(judge)
    if isinstance(oracle, HasPublicSeed):
        check_redrawn(judge)
    else:
        check_estimates(judge)
        check_liars(judge)


def _require(holds: object, oracle: Any, what: str) -> None:
    if not holds:
        raise AssertionError(f"{oracle.name}: {what}")


def _close(one: object, other: object, scale: float = 1.0) -> bool:
    return bool(np.allclose(np.asarray(one), np.asarray(other), rtol=CLOSE, atol=CLOSE * scale))


@dataclass(frozen=True, eq=False)
class EstimatedAnswers:
    """One thing that a server estimates: answers, what is true of each input, and the closed form of variances.

    `truth` has the shape (answers, inputs); `estimate` takes a state, `variances` shares of the inputs and users.
    """

    name: str
    truth: Floats
    estimate: Callable[[State], Floats]
    variances: Callable[[Floats, Any], Floats]


@dataclass(frozen=True, eq=False)
class OracleLaw:
    """The law of an oracle: chances of each report at each input, and the sums that it adds to a state.

    `chances` has the shape (reports, inputs), `branches` the branch of each report.
    """

    oracle: Any
    reports: list[Reports]
    law: list[tuple[Fraction, ...]]
    chances: Floats
    sums: list[Any]
    branches: list[int]

    @classmethod
    def of(cls, oracle: Any) -> "OracleLaw":
        """List the reports of an oracle."""
        listed = oracle.report_law()
        reports = [single_report(oracle, key) for key in listed]
        sums = [oracle.aggregate(report).sums for report in reports]
        first = oracle.contribution.parts[0]
        share_out = first.name == "users" and first.kind == "one-hot" and oracle.is_counted
        branches = [int(np.argmax(one[: first.length])) if share_out else 0 for one in sums]
        chances = np.array([[float(chance) for chance in row] for row in listed.values()])
        return cls(oracle, reports, list(listed.values()), chances, sums, branches)

    @property
    def inputs(self) -> int:
        """Number of inputs: items, steps of a number, or tuples."""
        return len(self.law[0])

    @cached_property
    def draws(self) -> "list[OracleLaw]":
        """The oracle at each draw of the public randomness that all share; itself alone, where there is none.

        Raises:
            InputError: for more than `MOST_DRAWS`.
        """
        if not isinstance(self.oracle, HasPublicSeed):
            return [self]
        if self.oracle.public_draws > MOST_DRAWS:
            raise InputError(f"public draws must be at most {MOST_DRAWS} to be judged, got {self.oracle.public_draws}")
        found: dict[bytes, Any] = {}
        for seed in itertools.count():
            if len(found) == self.oracle.public_draws:
                return [OracleLaw.of(oracle) for oracle in found.values()]
            oracle: Any = self.oracle.redrawn(seed)
            found.setdefault(oracle.public_draw, oracle)
        raise AssertionError

    def asked(self) -> Iterator[EstimatedAnswers]:
        """Yield what the server estimates."""
        oracle = self.oracle
        if hasattr(oracle, "domains"):
            d = len(oracle.domains)
            subsets = [subset for way in range(1, oracle.way + 1) for subset in subsets_of(d, way)]
            yield _tables(oracle, "raw", oracle.raw, subsets)
            yield _tables(oracle, "least-squares", oracle.least_squares, subsets)
        elif hasattr(oracle, "maximum"):
            numbers = float(oracle.maximum) / (oracle.k - 1) * np.arange(oracle.k)
            yield EstimatedAnswers(
                "mean", numbers[None], lambda state: np.array([oracle.estimate(state)]), _of_mean(oracle)
            )
        elif getattr(oracle, "identifies_items", True):
            yield EstimatedAnswers("items", np.eye(oracle.k), oracle.estimate, oracle.variance)
            yield _answers(oracle, "ranges", Ranges(oracle.k).queries())
        else:
            yield _answers(oracle, "its workload", oracle.workload.queries())

    def users(self) -> list[int]:
        """Return the numbers of users of the branches that variances are judged for."""
        return [USERS[branch % len(USERS)] for branch in range(max(self.branches) + 1)]


def _answers(oracle: Any, name: str, queries: Queries) -> EstimatedAnswers:
    def variances(shares: Floats, users: Any) -> Floats:
        found: Floats = oracle.answer_variance(queries, shares, users)
        return found

    return EstimatedAnswers(name, queries.weights(), lambda state: oracle.answers(state, queries), variances)


def _of_mean(oracle: Any) -> Callable[[Floats, Any], Floats]:
    def variances(shares: Floats, users: Any) -> Floats:
        of_values = [users * oracle.variance(np.full(users, value)) for value in range(oracle.k)]
        return np.array([float(shares @ np.array(of_values)) / users])

    return variances


def _tables(oracle: Any, name: str, estimator: Any, subsets: Sequence[Subset]) -> EstimatedAnswers:
    """Return the cells of several tables, one after the other."""

    def estimate(state: State) -> Floats:
        return np.concatenate(estimator.estimate(state, subsets))

    def variances(shares: Floats, users: Any) -> Floats:
        joint = JointShares(oracle.domains, shares)
        return np.concatenate([estimator.variances(subset, joint, users) for subset in subsets])

    cells = [np.eye(cells_of(oracle.domains, subset))[:, oracle.cells_of_tuples(subset)] for subset in subsets]
    return EstimatedAnswers(f"{name} tables", np.concatenate(cells), estimate, variances)


def single_report(oracle: Any, key: Sequence[int]) -> Reports:
    """Make the one report that a law lists under this key: the row of its columns, flattened to whole numbers."""
    rest = list(key)
    columns: list[AnyColumn] = []
    for column in oracle.report_schema.columns:
        if isinstance(column, ByteStrings):
            columns.append(Ragged(np.array([0, len(rest)]), np.array(rest, dtype=np.uint8)))
            rest = []
            continue
        width = math.prod(column.shape)
        columns.append(np.array(rest[:width]).reshape(1, *column.shape).astype(column.dtype))
        rest = rest[width:]
    found: Reports = oracle.report_schema.reports(oracle.parameters, *columns)
    return found


def check_names(judge: OracleLaw) -> None:
    """Check that an oracle can be written down, and made again from what was written."""
    oracle = judge.oracle
    _require(isinstance(oracle, LocalOracle), oracle, "it must be a LocalOracle, which says what a system states")
    _require(oracle.parameters.get("oracle") == oracle.name, oracle, "its parameters must begin with its name")
    _require(oracle.title.startswith(oracle.name.partition(":")[0]), oracle, "its title must begin with its name")
    _require(json.loads(json.dumps(oracle.constants)) == oracle.constants, oracle, "its constants must be JSON")
    _require(Fraction(oracle.constants["alpha"]) == oracle.alpha, oracle, "its constants must have its exact alpha")
    again = task_oracle(Task(oracle.parameters))
    _require(again.parameters == oracle.parameters, oracle, "its parameters must make it again")
    _require(again == oracle, oracle, "what its parameters make must be equal to it")
    for cost in ("bits", "row_bytes", "adding_seconds", "message_bytes", "transform_size"):
        _require(getattr(oracle, cost) > 0, oracle, f"its {cost} must be above 0")


def check_privacy(judge: OracleLaw) -> None:
    """Check in rationals that chances sum to 1, and that `alpha` is their smallest ratio over two inputs."""
    oracle, law = judge.oracle, judge.law
    for number, column in enumerate(zip(*law, strict=True)):
        _require(sum(column) == 1 and min(column) >= 0, oracle, f"the chances of input {number} must sum to 1")
    least = min(Fraction(min(row), max(row)) for one in judge.draws for row in one.law if max(row))
    _require(least == oracle.alpha, oracle, f"alpha must be the smallest ratio of chances, {least}, got {oracle.alpha}")


def check_wire(judge: OracleLaw) -> None:
    """Check that every report travels as bytes and comes back, and that what is no report is refused."""
    oracle = judge.oracle
    messages = [oracle.report_schema.messages(report)[0] for report in judge.reports]
    _require(len(set(messages)) == len(messages), oracle, "different reports must be different messages")
    for report, message in zip(judge.reports, messages, strict=True):
        back = oracle.report_schema.from_messages([message], oracle.parameters)
        _require(_same_sums(oracle, back, report), oracle, "a report must come back from its message")
    for column in oracle.report_schema.columns:
        for wrong in _beyond(column):
            columns: dict[str, AnyColumn] = {**judge.reports[0].columns, column.name: wrong}
            try:
                oracle.aggregate(Reports(oracle.parameters, columns))
            except InputError:
                continue
            raise AssertionError(f"{oracle.name}: {column.name} beyond the report space must be refused")
    try:
        oracle.report_schema.from_messages([messages[0] + b"\0"], oracle.parameters)
    except InputError:
        return
    raise AssertionError(f"{oracle.name}: a message that is too long must be refused")


def _same_sums(oracle: Any, one: Reports, other: Reports) -> bool:
    return bool((oracle.aggregate(one).sums == oracle.aggregate(other).sums).all())


def _beyond(column: Numbers | PackedBits | ByteStrings) -> Iterator[AnyColumn]:
    """Yield what a column cannot have: the number after the last, a bit beyond the last, a report of no length."""
    if isinstance(column, Numbers) and column.bound <= np.iinfo(column.dtype).max:
        yield np.full((1, *column.shape), column.bound, dtype=column.dtype)
    if isinstance(column, PackedBits) and column.bits % 8:
        yield np.full((1, *column.shape), 0xFF, dtype=np.uint8)
    if isinstance(column, ByteStrings):
        yield Ragged(np.array([0, 0]), np.zeros(0, dtype=np.uint8))


def check_sums(judge: OracleLaw) -> None:
    """Check what a report adds to the sums, that states merge in any order, and that impossible sums are refused."""
    oracle, (first, *others) = judge.oracle, judge.sums
    for sums in judge.sums:
        require_sums(oracle.contribution, sums, 1)
    shape: Any = (8, len(oracle.domains)) if hasattr(oracle, "domains") else 8
    values = np.zeros(shape, dtype=np.int64)
    together = oracle.privatize(values, seeded_words(3))
    again = oracle.privatize(values, seeded_words(3))
    _require(_same_sums(oracle, together, again), oracle, "the same random words must make the same reports")
    state = oracle.aggregate(together)
    require_sums(oracle.contribution, state.sums, 8)
    one, two = State(oracle.parameters, 1, first), State(oracle.parameters, 1, others[0])
    both, turned = one.merge(two), two.merge(one)
    _require((both.sums == turned.sums).all() and both.users == 2, oracle, "states must merge in any order")
    _require((both.sums == first + others[0]).all(), oracle, "the sums of two states must be those of both")
    try:
        require_sums(oracle.contribution, first + 2, 1)
    except InputError:
        return
    raise AssertionError(f"{oracle.name}: sums that no report adds up to must be refused")


def check_rates(judge: OracleLaw) -> None:
    """Check that a user of any input adds to each count with a chance between the stated rates."""
    oracle = judge.oracle
    for of_draws in zip(*map(_reported_rates, judge.draws), strict=True):
        stated = of_draws[0][0]
        trials, up, down = (np.array(parts) for parts in list(zip(*of_draws, strict=True))[1:])
        near = CLOSE * np.maximum(trials, CLOSE)
        if isinstance(stated, SignRates):
            most = (1 - stated.turned) * stated.chance * trials + near
            holds = (up <= most).all() and (down <= most).all() and _close(up + down, stated.chance * trials)
        else:
            above, below = up - stated.high * trials, up - stated.low * trials
            holds = (above <= near).all() and (below >= -near).all()
            holds = holds and _close(above.max(), 0) and _close(below.min(), 0)
        _require(holds, oracle, f"{stated.name}: the stated rates must be the least and the largest of honest users")


def _reported_rates(judge: OracleLaw) -> Iterator[tuple[Any, Floats, Floats, Floats]]:
    """Yield stated rates, and of a user of each input how often it is asked about a count, adds to it, or takes off."""
    oracle = judge.oracle
    rates = [list(oracle.honest_rates(State(oracle.parameters, 1, sums))) for sums in judge.sums]
    for place, stated in enumerate(rates[0]):
        counts = np.array([one[place].counts for one in rates], dtype=np.float64)
        trials = judge.chances.T @ np.array([one[place].trials for one in rates], dtype=np.float64)
        yield stated, trials, judge.chances.T @ (counts > 0), judge.chances.T @ (counts < 0)


def check_information(judge: OracleLaw) -> None:
    """Check the information of a report at equally frequent inputs against a sum over all reports."""
    stated = judge.oracle.information()
    there = judge.chances[judge.chances.max(axis=1) > 0]
    found = there.T @ (there / there.mean(axis=1)[:, None])
    scale = float(np.abs(found).max())
    holds = not stated.is_exact or _close(stated.matrix, found, scale)
    _require(holds, judge.oracle, "its information must be that of its law")


def check_estimates(judge: OracleLaw) -> None:
    """Check that all estimates are unbiased, and that their variances are those of the judge."""
    weights = np.arange(1.0, judge.inputs + 1)
    for asked in judge.asked():
        judge_estimate(judge, asked, judge.users(), weights / weights.sum())


def judge_estimate(judge: OracleLaw, answers: EstimatedAnswers, users: Sequence[int], shares: Floats) -> None:
    """Check one thing that is estimated, at these users of each branch and these shares of the inputs.

    Raises:
        AssertionError: where it is biased, or its closed form of variances is not the judge's.
        NoAnswerError: where it needs a branch without users.
    """
    total, count = sum(users), np.array(users, dtype=np.float64)
    constant, effects = _effects(judge, answers, users)
    means, noise = _moments(judge, effects)
    told = count[:, None, None] * means
    expected = constant[:, None] + told.sum(axis=0)
    unbiased = _close(expected, answers.truth, float(np.abs(told).max()))
    _require(unbiased, judge.oracle, f"{answers.name}: must be unbiased")
    found = count @ (noise @ shares)
    if len(users) > 1 < total:
        spread = sum(_variance(one, shares) / number for one, number in zip(told, users, strict=True) if number)
        found = found + (total * spread - _variance(told.sum(axis=0), shares)) / (total - 1)
    stated = answers.variances(shares, total if len(users) == 1 else count)
    holds = _close(stated, found, float(np.abs(found).max()))
    _require(holds, judge.oracle, f"{answers.name}: variances must be {found}, got {stated}")


def check_redrawn(judge: OracleLaw) -> None:
    """Check estimates, variances and liars of an oracle with public randomness, over all draws of it.

    Liars know the draw: for each they send the report that serves them best.
    """
    shares, users = np.arange(1.0, judge.inputs + 1) / sum(range(1, judge.inputs + 1)), USERS[-1]
    for of_draws in zip(*(one.asked() for one in judge.draws), strict=True):
        asked = of_draws[0]
        of_reports = [_of_one_report(one, own) for one, own in zip(judge.draws, of_draws, strict=True)]
        means, noise, _ = (np.array(parts) for parts in zip(*of_reports, strict=True))
        unbiased = _close(means.mean(axis=0), asked.truth)
        _require(unbiased, judge.oracle, f"{asked.name}: must be unbiased over public draws")
        found = (noise @ shares).mean(axis=0) / users + (means @ shares).var(axis=0)
        stated = asked.variances(shares, users)
        holds = _close(stated, found, float(found.max()))
        _require(holds, judge.oracle, f"{asked.name}: variances must be {found}, got {stated}")
    lies, attacked = judge.oracle.worst_bias(LIARS), [_attacked(one) for one in judge.draws]
    if lies is not None:
        scores = [_of_one_report(one, own)[2] for one, own in zip(judge.draws, attacked, strict=True)]
        highest, lowest = (np.mean([pick(own, axis=0) for own in scores], axis=0) for pick in (np.max, np.min))
        truth = attacked[0].truth
        moved = np.maximum(highest[:, None] - truth, truth - lowest[:, None])
        _require_bias(judge, float(LIARS) * float(moved.max()), float(lies.value), not lies.is_exact)


def _of_one_report(judge: OracleLaw, answers: EstimatedAnswers) -> tuple[Floats, Floats, Floats]:
    """Return what is estimated from one report: mean and variance by its input, and the estimate from each report."""
    constant, effects = _effects(judge, answers, [1])
    means, noise = _moments(judge, effects)
    return constant[:, None] + means[0], noise[0], constant + effects


def _require_bias(judge: OracleLaw, worst: float, value: float, is_bound: bool) -> None:
    most = f"liars must move an estimate by at most {value}, got {worst}"
    _require(worst <= value * (1 + CLOSE), judge.oracle, most)
    reached = f"liars must be able to move an estimate by {value}, got {worst} at most"
    _require(is_bound or _close(worst, value), judge.oracle, reached)


def _effects(judge: OracleLaw, answers: EstimatedAnswers, users: Sequence[int]) -> tuple[Floats, Floats]:
    """Return an estimate's constant, and how much each report moves it; shapes (answers,) and (reports, answers).

    A report takes the place of another one of its branch. Those all together, at their users, are the base.
    """
    firsts = [judge.branches.index(branch) for branch in range(len(users))]
    base = np.sum([count * judge.sums[first] for count, first in zip(users, firsts, strict=True)], axis=0)
    total, parameters = sum(users), judge.oracle.parameters
    constant = answers.estimate(State(parameters, total, base))
    moved = [
        answers.estimate(State(parameters, total, base - judge.sums[firsts[branch]] + sums)) - constant
        if users[branch]
        else np.zeros(len(constant))
        for branch, sums in zip(judge.branches, judge.sums, strict=True)
    ]
    return constant, np.array(moved)


def _moments(judge: OracleLaw, effects: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of a report's effect, for each branch, answer and input."""
    means, noise = [], []
    for branch in range(max(judge.branches) + 1):
        own = [place for place, one in enumerate(judge.branches) if one == branch]
        chances = judge.chances[own] / judge.chances[own].sum(axis=0)
        mean = effects[own].T @ chances
        means.append(mean)
        noise.append(((effects[own][:, :, None] - mean) ** 2 * chances[:, None, :]).sum(axis=0))
    return np.array(means), np.array(noise)


def _variance(values: Floats, shares: Floats) -> Floats:
    found: Floats = values**2 @ shares - (values @ shares) ** 2
    return found


def check_liars(judge: OracleLaw) -> None:
    """Check that no report of liars moves an estimate further than is stated: all honest users have one input.

    All liars send one report. Where users do not share out, and the bound is said to be reached, it is.
    """
    oracle = judge.oracle
    stated = oracle.worst_bias(LIARS) if getattr(oracle, "identifies_items", True) else None
    if stated is None:
        return
    denominators = (chance.denominator for row in judge.law for chance in row)
    whole = math.lcm(LIARS.denominator, *denominators) * LIARS.denominator
    lying = int(whole * LIARS)
    if whole * max(int(np.abs(sums).max()) for sums in judge.sums) >= 1 << 62:
        return
    worst, different, attacked = 0.0, np.unique(judge.sums, axis=0), _attacked(judge)
    for number in range(judge.inputs):
        honest = np.zeros(len(judge.sums[0]), dtype=np.int64)
        for row, sums in zip(judge.law, judge.sums, strict=True):
            honest += int((whole - lying) * row[number]) * sums
        states = (State(oracle.parameters, whole, honest + lying * sums) for sums in different)
        moved = np.array([attacked.estimate(state) for state in states]) - attacked.truth[:, number]
        worst = max(worst, float(np.abs(moved).max()))
    _require_bias(judge, worst, float(stated.value), not stated.is_exact or max(judge.branches) > 0)


def _attacked(judge: OracleLaw) -> EstimatedAnswers:
    """Return what the worst bias is of: items, a mean, or raw tables of as many attributes as there may be."""
    oracle = judge.oracle
    if not hasattr(oracle, "domains"):
        return next(judge.asked())
    kinds = {oracle.kind_of_table(subset): subset for subset in subsets_of(len(oracle.domains), oracle.way)}
    return _tables(oracle, "raw", oracle.raw, list(kinds.values()))
