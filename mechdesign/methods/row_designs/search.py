"""Searches for rows: all of them looked at up to 32 groups of items, by the relaxation to moments of signs beyond.

A search weighs some rows (`interior_point`), finds others that the dual misjudges (`rows`), and weighs again. What it
has after a round is a `RowSolution`, of as few rows as are needed (`fewer_rows`).
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from mechdesign.certificate.row_designs.all_rows import MOST_GROUPS
from mechdesign.errors import InputError, LimitReachedError, NotCertifiedError
from mechdesign.methods.row_designs.cuts import broken_cuts
from mechdesign.methods.row_designs.fewer_rows import basic_solution, concentrated, listed_rows, with_few_outputs
from mechdesign.methods.row_designs.interior_point import entries_of, solve_master
from mechdesign.methods.row_designs.programme import Bits, RowProgramme, RowSolution
from mechdesign.methods.row_designs.relaxation import RelaxedPoint, relax, relax_with_cuts
from mechdesign.methods.row_designs.rows import (
    best_of_all,
    climb,
    first_rows,
    neighbours,
    representatives,
    sampled_rows,
)
from mechdesign.methods.row_designs.sampling import RowSampler
from mechdesign.problem.privacy import epsilon_bounds, rounded_up
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Clock
from mechdesign.rational import number_text
from mechdesign.workloads.queries import Floats
from mechdesign.workloads.symmetries import symmetries_of

Offer = Callable[[Callable[[], RowSolution]], None]

SEED = 17

MOST_SEARCHED = 256
"""Groups of items for which a search is begun."""

LEAST_EPSILON, MOST_EPSILON = Fraction(1, 10**4), 12
"""Between these floats tell rows apart."""

LEAST_SQUARE, MOST_SQUARE = Fraction(1, 10**200), 10**120
"""Between these the largest entry of the Gram matrix has to be, so that floats carry its products."""

SEARCHED = 0.9
"""What part of the gap a search is asked to leave; rounding needs the rest."""

FOR_GENERATION = 0.7
"""The part of the gap that generation may leave; the rest is for fewer rows, and for rounding."""

ALWAYS_ALL = 28
"""Groups up to which every round looks at all rows."""

MOST_ROUNDS = 200
FIRST_TOLERANCE = 1e-2
SHARPER = 0.1
"""A round's tolerance, as a part of the excess that the last one found."""

KEPT = 16
"""Rows of least slack that are kept, for each entry of A; with much fewer, rounds come back to where they were."""

FEWEST_KEPT = 200
NEW = 6
"""What part of the rows that are kept a round takes in at most."""

SHARPEST = 1e-11
"""Masters are solved no more sharply; a search ends whose rows are all that help and whose master is as sharp."""

FINER = 0.02
LOOSEST = 1e-6
"""The relaxation's relative error: this part of the gap asked for, and at most this."""

MOST_CUTS = 6
"""Cuts at once, for each group."""

MOST_CELLS = 1 << 23
"""Numbers that second derivatives are made of at once: K^2 for each cut."""

MOST_CUT_ROUNDS = 6
IDLE = 1e-4
"""Cuts of a multiplier below this part of the largest one are left out."""

FIRST_ROWS = 1.0
MORE_ROWS = 0.5
KEPT_ROWS = 2.0
"""Rows that are drawn first, added in a round, and kept of those before: for each different entry of A."""

DRAWN = 4
"""Rows that are drawn for one that is added: those that the last solution misjudges most."""

MOST_ROWS = 9000
MOST_DRAWINGS = 12
DRAWN_TOLERANCE = 1e-3
MARGIN = 0.9
"""Part of the gap asked for that is aimed at: numbers are rounded afterwards."""

WORTHWHILE = 0.05
"""A round that takes less than this part off the gap is the last one."""

MOST_REDUCED = 80
"""Groups up to which the support is reduced to a basic one."""


def search_rows(
    problem: WorkloadProblem,
    gap: float,
    *,
    outputs: int | None,
    start: Bits | None,
    clock: Clock,
    tell: Callable[[str], None] | None,
    offer: Offer | None = None,
) -> RowSolution:
    """Search rows in floats: with all of them looked at up to 32 groups of items, by the relaxation beyond.

    Args:
        problem: what is asked.
        gap: the relative gap that is to be reached once all is exact.
        outputs: how many rows there may be, None for as many as serve.
        start: rows to begin with as well, shape (n, K).
        clock: a search has something after its first round, even if the time is over.
        tell: is told a line now and then.
        offer: is given, after each round, what makes the best rows so far, of any number.

    Raises:
        InputError: for more groups than are searched, or an epsilon or weights that floats do not carry.
        NotCertifiedError: where floats fail the search.
    """
    require_searchable(problem)
    kind = RowGeneration if problem.merged.size <= MOST_GROUPS else RelaxedSearch
    programme = RowProgramme.of(problem, symmetries_of(problem.workload, problem.merged))
    try:
        found = kind(programme, SEARCHED * gap, problem.is_worst_case, start, clock, tell, offer).run()
        return found if outputs is None else with_few_outputs(found, outputs, clock)
    except (ArithmeticError, np.linalg.LinAlgError):
        raise NotCertifiedError(f"not certified: floats failed the search for {problem.describe()}") from None


def require_searchable(problem: WorkloadProblem) -> None:
    """Refuse what no search can begin with.

    Raises:
        InputError: for more groups than are searched, or an epsilon or weights that floats do not carry.
    """
    if problem.merged.size > MOST_SEARCHED:
        raise InputError(
            f"workload must distinguish at most {MOST_SEARCHED} groups of items for a search, "
            f"got {problem.merged.size} of {problem.workload.name}"
        )
    largest = Fraction(int(problem.merged.integers.diagonal().max()), problem.merged.denominator)
    if not LEAST_SQUARE <= largest <= MOST_SQUARE:
        raise InputError(
            f"weights of queries must have squares between 1e-200 and 1e120 for a search in floats, got a sum of "
            f"squares of {number_text(largest)} for an item in {problem.workload.name}"
        )
    asked = problem.privacy.given_epsilon
    low, high = epsilon_bounds(problem.alpha) if asked is None else (asked, asked)
    if high < LEAST_EPSILON or low > MOST_EPSILON:
        raise InputError(
            f"epsilon must be from {number_text(LEAST_EPSILON)} to {MOST_EPSILON} for a search in floats, "
            f"got epsilon={rounded_up(high)}"
        )


@dataclass(eq=False)
class RowSearch(ABC):
    """One search for rows: what it is to reach, how long it may take, who listens, and how far it is.

    Attributes:
        programme: the prior of its groups, and symmetries, which the mechanism will have.
        gap: the relative gap to stop at, of variance and bound.
        worst: whether the largest variance over the inputs is to be least, under the least favourable prior.
        start: rows to begin with as well, zeros and ones, shape (n, K).
        clock: a search has something after its first round, even if the time is over.
        tell: is told a line now and then.
        offer: is given, after each round, what makes the best rows so far; None if nobody wants them before the end.
        point: the last solution over rows, or the best; its rows are one of each orbit.
        rounds: how many times rows were weighed.
    """

    programme: RowProgramme
    gap: float
    worst: bool = False
    start: Bits | None = None
    clock: Clock = field(default_factory=lambda: Clock(None))
    tell: Callable[[str], None] | None = None
    offer: Offer | None = None
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(SEED), init=False)
    point: RowSolution = field(init=False)
    rounds: int = field(default=0, init=False)

    def run(self) -> RowSolution:
        """Search until the gap is reached, the time is over, or nothing helps any more."""
        self.weigh()
        return self.found()

    @abstractmethod
    def weigh(self) -> None:
        """Weigh rows, round by round."""

    @abstractmethod
    def found(self) -> RowSolution:
        """Return the best mechanism so far, all its rows listed, and the best dual."""

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return self.clock.remaining() <= 0

    def show(self) -> None:
        """Offer what makes the best rows so far, if anyone wants them."""
        if self.offer is not None:
            self.offer(self.found)

    def say(self, line: str) -> None:
        """Tell a line, if anyone listens."""
        if self.tell is not None:
            self.tell(line)


@dataclass(eq=False)
class RowGeneration(RowSearch):
    """Row generation: solve over some rows, find those that the dual misjudges, take them in.

    Attributes:
        excess: the largest excess over the dual that was found, at least 0, on the scale of the variance.
        is_complete: whether all 2^K rows were looked at for it (in floating point).
    """

    excess: float = field(default=0.0, init=False)
    is_complete: bool = field(default=False, init=False)

    def weigh(self) -> None:
        """Find rows and weights whose variance is within a part of the gap of the least, as far as searches tell."""
        programme, gap = self.programme, FOR_GENERATION * self.gap
        rows = first_rows(programme, 2 * entries_of(programme), self.random)
        if self.start is not None:
            rows = representatives(programme, np.vstack([rows, self.start]))
        point, tolerance = None, FIRST_TOLERANCE
        for self.rounds in range(1, MOST_ROUNDS + 1):
            point = solve_master(programme, rows, tolerance, worst=self.worst, start=point)
            found, excess, is_complete = self._priced(point, gap)
            self.point, self.excess, self.is_complete = point, max(excess, 0.0), is_complete
            reached = _gap(point, excess)
            self.say(f"round {self.rounds}: {len(rows)} rows, variance {point.variance:.8g}, gap about {reached:.1e}")
            self.show()
            if self.is_late or reached <= gap:
                break
            if excess <= 0 and tolerance <= SHARPEST:
                break
            is_sharp = excess <= 0 and tolerance <= gap / 4
            scale = point.variance - point.dual.programme.constant
            sharper = SHARPER * tolerance if is_sharp else max(gap / 4, SHARPER * excess / scale)
            tolerance = min(FIRST_TOLERANCE, max(SHARPEST, sharper))
            rows = self._next_rows(point, found)

    def _priced(self, point: RowSolution, gap: float) -> tuple[Bits, float, bool]:
        """Find rows of large excess; look at all rows where that is cheap, or where climbing finds nothing any more."""
        programme, dual = self.programme, point.dual
        wanted = 2 * entries_of(programme)
        if programme.size > ALWAYS_ALL:
            best = point.rows[np.argsort(-dual.excess(point.rows), kind="stable")[:wanted]]
            covariance = _information(point) - 1
            starts = [neighbours(best, self.random), sampled_rows(covariance, programme.entry, wanted, self.random)]
            found = climb(dual, representatives(programme, np.vstack(starts)))
            excess = max(float(dual.excess(found).max()), 0.0)
            if programme.size > MOST_GROUPS or _gap(point, excess) > gap:
                return found, excess, False
        backwards = np.arange(programme.size)[::-1]
        is_mirrored = any((symmetry == backwards).all() for symmetry in programme.own_symmetries)
        found, excess = best_of_all(dual, 2 * wanted, is_mirrored)
        return climb(dual, found), excess, True

    def _next_rows(self, point: RowSolution, found: Bits) -> Bits:
        """Keep rows of little slack and those of single items, with which sums of 1 can always be had; add the best."""
        most = max(KEPT * entries_of(self.programme), FEWEST_KEPT)
        kept = np.argsort(-point.dual.excess(point.rows), kind="stable")[:most]
        single = point.rows.sum(axis=1) == 1
        new = representatives(self.programme, found)
        excess = point.dual.excess(new)
        best = np.argsort(-excess, kind="stable")[: most // NEW]
        rows = [point.rows[kept], point.rows[single], new[best[excess[best] > 0]]]
        return representatives(self.programme, np.vstack(rows))

    def found(self) -> RowSolution:
        """Return a basic mechanism, up to a fifth of the gap as good as the last one, and the dual that was reached."""
        point, dual = self.point, self.point.dual
        mechanism = point if self.worst else concentrated(point, self.gap)
        rows, weights = listed_rows(dual.programme, *basic_solution(mechanism, self.worst))
        how = f"rows generated in {self.rounds} rounds"
        how += ", all rows looked at" if self.is_complete else ", rows looked for by climbing"
        dual = replace(dual, prices=dual.prices + self.excess * dual.programme.prior)
        return RowSolution(rows, weights, mechanism.variance, dual, how)


def _gap(point: RowSolution, excess: float) -> float:
    """Return what the variance exceeds its bound by, as a part of it; where not all rows were looked at, a guess."""
    return (point.variance - point.dual.bound(excess)) / abs(point.variance)


def _information(point: RowSolution) -> Floats:
    """Return A, the information matrix of a solution over representatives, averaged over the symmetries."""
    programme = point.dual.programme
    r = programme.values(point.rows)
    weights = point.weights / (r @ programme.prior) / len(programme.own_symmetries)
    total = np.zeros((programme.size, programme.size))
    for symmetry in programme.own_symmetries:
        total += (r[:, symmetry].T * weights) @ r[:, symmetry]
    return total


@dataclass(eq=False)
class RelaxedSearch(RowSearch):
    """The search by the relaxation: its dual gives the bound, its moments the drawn rows.

    Nothing is begun that is expected to take longer than the clock has, but the first solution is always had.

    Attributes:
        bound: the best point of the relaxation.
    """

    bound: RelaxedPoint = field(init=False)

    def weigh(self) -> None:
        """Draw rows like the relaxation's and weigh them, more of them from round to round."""
        self._bound_prior(self.programme)
        entries = entries_of(self.programme)
        sampler = RowSampler.fitted(self.bound, self.random)
        single = np.eye(self.programme.size, dtype=np.uint8)
        rows = [sampler.draw(min(int(FIRST_ROWS * entries), MOST_ROWS), self.random), single]
        rows += [] if self.start is None else [self.start]
        used = representatives(self.programme, np.vstack(rows))
        tolerance, reached, known = DRAWN_TOLERANCE, np.inf, None
        for self.rounds in range(1, MOST_DRAWINGS + 1):
            began = time.monotonic()
            point = solve_master(self.programme, used, tolerance, worst=self.worst, start=known)
            took = time.monotonic() - began
            if known is None or point.variance < self.point.variance:
                self.point = point
            known = point
            if self.worst:
                self._bound_prior(point.dual.programme)
                sampler = RowSampler.fitted(self.bound, self.random)
            now = self.point.variance / self.bound.variance - 1
            self.say(f"round {self.rounds}: {len(used)} rows, variance {self.point.variance:.8g}, gap {now:.1e}")
            self.show()
            sharp = tolerance <= self.gap / 4
            if now <= MARGIN * self.gap or (sharp and now > (1 - WORTHWHILE) * reached):
                break
            tolerance = max(self.gap / 8, min(tolerance, now / 10))
            reached = now
            used = self._next_rows(point, sampler, entries)
            if 2 * took * (len(used) / len(point.rows)) ** 3 > self.clock.remaining():
                break

    def _bound_prior(self, programme: RowProgramme) -> None:
        """Bound the programme under a prior: without cuts, and with all that are broken, as long as that helps."""
        tolerance = min(LOOSEST, FINER * self.gap)
        self.bound = relax(programme, Clock(None), tolerance)
        self.say(f"relaxation: bound {self.bound.variance:.8g}")
        for _ in range(MOST_CUT_ROUNDS):
            new = broken_cuts(self.bound.sign_moments, min(MOST_CUTS * programme.size, MOST_CELLS // programme.size**2))
            if not len(new) or self.is_late:
                break
            before = self.bound.variance
            useful = self.bound.cut_multipliers > IDLE * self.bound.cut_multipliers.max(initial=0)
            cuts = np.unique(np.vstack([self.bound.relaxation.cuts[useful], new]), axis=0)
            try:
                left = self.clock.remaining()
                clock = Clock(None if np.isinf(left) else left / 2)
                tried = relax_with_cuts(self.bound, cuts, clock, tolerance)
            except LimitReachedError:
                break
            self.bound = max(self.bound, tried, key=lambda one: one.variance)
            self.say(f"relaxation with {len(cuts)} cuts: bound {tried.variance:.8g}")
            if tried.variance - before < WORTHWHILE * self.gap * abs(before):
                break

    def _next_rows(self, point: RowSolution, sampler: RowSampler, entries: int) -> Bits:
        """Keep the rows of least slack and those of single items, and draw those that the solution misjudges most."""
        dual = point.dual
        most = min(int((KEPT_ROWS + MORE_ROWS) * entries), MOST_ROWS)
        add = min(int(MORE_ROWS * entries), most // 4)
        drawn = representatives(self.programme, sampler.draw(DRAWN * add, self.random))
        drawn = drawn[np.argsort(-dual.excess(drawn), kind="stable")[:add]]
        order = np.argsort(-dual.excess(point.rows), kind="stable")
        near = neighbours(point.rows[order[:entries]], self.random)
        near = near[self.random.permutation(len(near))[: 2 * add]]
        climbed = representatives(self.programme, climb(dual, near))
        climbed = climbed[np.argsort(-dual.excess(climbed), kind="stable")[: add // 2]]
        single = point.rows.sum(axis=1) == 1
        kept = point.rows[order[: most - add]]
        return representatives(self.programme, np.vstack([kept, point.rows[single], drawn, climbed]))

    def found(self) -> RowSolution:
        """Return the best mechanism so far, and the dual of the relaxation."""
        point, cuts = self.point, len(self.bound.relaxation.cuts)
        reduced = self.programme.size <= MOST_REDUCED
        rows, weights = basic_solution(point, self.worst) if reduced else (point.rows, point.weights)
        rows, weights = listed_rows(self.programme, rows, weights)
        how = f"rows drawn like the moments of the relaxation, in {self.rounds} round{'' if self.rounds == 1 else 's'}"
        how += f", with {cuts} cuts" if cuts else ""
        return RowSolution(rows, weights, point.variance, self.bound.dual, how)
