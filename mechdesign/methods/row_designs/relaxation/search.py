"""Find a mechanism and a dual for a workload on more groups of items than whose rows can all be looked at."""

import time
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from mechdesign.errors import LimitReachedError
from mechdesign.methods.row_designs.asked import AskedRows
from mechdesign.methods.row_designs.candidates import neighbours, representatives
from mechdesign.methods.row_designs.pricing import Dual, climb
from mechdesign.methods.row_designs.programme import Bits, FoundRows, RowProgramme
from mechdesign.methods.row_designs.relaxation.bound import RelaxedBound, relax, relax_with_cuts
from mechdesign.methods.row_designs.relaxation.cuts import broken_cuts
from mechdesign.methods.row_designs.relaxation.sampling import RowSampler
from mechdesign.methods.row_designs.weighing.barrier import entries_of
from mechdesign.methods.row_designs.weighing.master import MasterPoint, solve_master
from mechdesign.methods.row_designs.weighing.support import basic_solution, listed_rows
from mechdesign.program.clock import Clock

SEED = 17

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
MOST_ROUNDS = 12
FIRST_TOLERANCE = 1e-3
MARGIN = 0.9
"""Part of the gap asked for that is aimed at: numbers are rounded afterwards."""

WORTHWHILE = 0.05
"""A round that takes less than this part off the gap is the last one."""

MOST_REDUCED = 80
"""Groups up to which the support is reduced to a basic one."""


def find_rows_of_many(programme: RowProgramme, asked: AskedRows) -> FoundRows:
    """Find rows, weights and a dual by the relaxation: its dual is the bound's, and its moments are those of the rows.

    Args:
        programme: the prior of its groups, and symmetries, which the mechanism will have.
        asked: what to reach, the worst case about; nothing is begun that is expected to take longer than the clock
            has, but the first solution is always had.
    """
    search = _Search(programme, asked)
    search.bound_prior(programme)
    search.solve(np.zeros((0, programme.size), dtype=np.uint8) if asked.start is None else asked.start)
    return search.found(search.rounds)


@dataclass(eq=False)
class _Search:
    """Hold what is known so far: a bound, a solution over rows, and how long solutions take."""

    programme: RowProgramme
    asked: AskedRows
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(SEED))
    bound: RelaxedBound = field(init=False)
    point: MasterPoint = field(init=False)
    rounds: int = 0

    def bound_prior(self, programme: RowProgramme) -> None:
        """Bound the programme under a prior: without cuts, and with all that are broken, as long as that helps."""
        tolerance = min(LOOSEST, FINER * self.asked.gap)
        self.bound = relax(programme, Clock(None), tolerance)
        self.asked.say(f"relaxation: bound {self.bound.variance:.8g}")
        for _ in range(MOST_CUT_ROUNDS):
            new = broken_cuts(self.bound.sign_moments, min(MOST_CUTS * programme.size, MOST_CELLS // programme.size**2))
            if not len(new) or self.asked.is_late:
                break
            before = self.bound.variance
            useful = self.bound.cut_multipliers > IDLE * self.bound.cut_multipliers.max(initial=0)
            cuts = np.unique(np.vstack([self.bound.cuts[useful], new]), axis=0)
            try:
                left = self.asked.clock.remaining()
                clock = Clock(None if np.isinf(left) else left / 2)
                tried = relax_with_cuts(self.bound, cuts, clock, tolerance)
            except LimitReachedError:
                break
            self.bound = max(self.bound, tried, key=lambda one: one.variance)
            self.asked.say(f"relaxation with {len(cuts)} cuts: bound {tried.variance:.8g}")
            if tried.variance - before < WORTHWHILE * self.asked.gap * abs(before):
                break

    def solve(self, start: Bits) -> None:
        """Draw rows like the relaxation's and weigh them, more of them from round to round."""
        entries = entries_of(self.programme)
        sampler = RowSampler.fitted(self.bound, self.random)
        single = np.eye(self.programme.size, dtype=np.uint8)
        rows = [sampler.draw(min(int(FIRST_ROWS * entries), MOST_ROWS), self.random), single, start]
        used = representatives(self.programme, np.vstack(rows))
        tolerance, reached, known = FIRST_TOLERANCE, np.inf, None
        for self.rounds in range(1, MOST_ROUNDS + 1):
            began = time.monotonic()
            point = solve_master(self.programme, used, tolerance, worst=self.asked.worst, start=known)
            took = time.monotonic() - began
            if known is None or point.variance < self.point.variance:
                self.point = point
            known = point
            if self.asked.worst:
                self.bound_prior(self.programme.with_prior(point.prior))
                sampler = RowSampler.fitted(self.bound, self.random)
            now = self.point.variance / self.bound.variance - 1
            self.asked.say(f"round {self.rounds}: {len(used)} rows, variance {self.point.variance:.8g}, gap {now:.1e}")
            self.asked.show(partial(self.found, self.rounds))
            sharp = tolerance <= self.asked.gap / 4
            if now <= MARGIN * self.asked.gap or (sharp and now > (1 - WORTHWHILE) * reached):
                break
            tolerance = max(self.asked.gap / 8, min(tolerance, now / 10))
            reached = now
            used = self.next_rows(point, sampler, entries)
            if 2 * took * (len(used) / len(point.rows)) ** 3 > self.asked.clock.remaining():
                break

    def next_rows(self, point: MasterPoint, sampler: RowSampler, entries: int) -> Bits:
        """Keep the rows of least slack and those of single items, and draw those that the solution misjudges most."""
        dual = Dual(self.programme.entry, point.root @ point.root.T, point.prices, point.prior)
        most = min(int((KEPT_ROWS + MORE_ROWS) * entries), MOST_ROWS)
        add = min(int(MORE_ROWS * entries), most // 4)
        drawn = representatives(self.programme, sampler.draw(DRAWN * add, self.random))
        drawn = drawn[np.argsort(-dual.excess(drawn), kind="stable")[:add]]
        order = np.argsort(point.slack, kind="stable")
        near = neighbours(point.rows[order[:entries]], self.random)
        near = near[self.random.permutation(len(near))[: 2 * add]]
        climbed = representatives(self.programme, climb(dual, near))
        climbed = climbed[np.argsort(-dual.excess(climbed), kind="stable")[: add // 2]]
        single = point.rows.sum(axis=1) == 1
        kept = point.rows[order[: most - add]]
        return representatives(self.programme, np.vstack([kept, point.rows[single], drawn, climbed]))

    def found(self, rounds: int) -> FoundRows:
        """Return the best mechanism after so many rounds, and the dual of the relaxation."""
        point, bound = self.point, self.bound
        rows, weights = point.rows, point.weights
        if self.programme.size <= MOST_REDUCED:
            rows, weights = basic_solution(self.programme, point, self.asked.worst)
        rows, weights = listed_rows(self.programme, rows, weights)
        how = f"rows drawn like the moments of the relaxation, in {rounds} round{'' if rounds == 1 else 's'}"
        how += f", with {len(bound.cuts)} cuts" if len(bound.cuts) else ""
        return FoundRows(
            rows.astype(np.uint8),
            weights,
            bound.programme.prior,
            bound.dual,
            bound.prices,
            point.variance,
            how,
            bound.diagonal,
            bound.cuts,
            bound.cut_multipliers,
        )
