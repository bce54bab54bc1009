"""The loop of split-and-cut: solve, add cuts that are broken and steps that pay, until there are none."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from mechdesign.methods.split_and_cut.runs import forest
from mechdesign.methods.split_and_cut.sharp import sharpened
from mechdesign.methods.split_and_cut.small_program import SmallBasis, SmallPoint, SmallProgram
from mechdesign.methods.split_and_cut.splits import Splits
from mechdesign.program.clock import Clock
from mechdesign.program.exact.scaling import Scaling
from mechdesign.program.solvers.numeric import Indices

TOLERANCE = 1e-9
"""Of cuts in z, and of reduced costs for a unit of probability, in units of the largest cost."""

MOST_A_ROUND = 3
"""So many cuts, and so many steps, for each input are added in one round."""

SWEEPS, MOST_AT_REST = 4, 10
"""Measured: where no step pays, cuts are looked for so many sweeps ahead, and so many for each input are added."""

MAX_ROUNDS = 1000
UNIFORM_COST = 10.0
"""In units of the largest cost, where the uniform mechanism would stay in the basis."""

UNITS = (1.0, 2.0**10, 2.0**20)
"""Where the vertex of a basis has a wrong sign, costs and probabilities are measured in smaller units."""

COARSER, MOST_FOCUSES = 1e3, 20
"""So many tolerances may multipliers be off by the measure of their places; and how often they are put right."""

LEAN, LEAN_ABOVE = 0.1, 1e-13
"""Measured: where alpha to the largest distance is above the second, a loss that counts errors has so many optima that
the search wanders. At first far errors cost more, by up to the first."""


@dataclass(frozen=True)
class Generated:
    """The result of the loop: the last point and its basis, and how much of the program it took."""

    point: SmallPoint
    basis: SmallBasis
    how: str


@dataclass
class Seen:
    """The course of a search: its last point, and the last where no step paid, which bounds the optimum from below.

    There cuts are missing and no variables are, so its multipliers price all of them.
    """

    last: Generated | None = field(default=None)
    bounding: Generated | None = field(default=None)


def generate(splits: Splits, scaling: Scaling, clock: Clock, seen: Seen) -> Iterator[Generated]:
    """Solve a program by split-and-cut in floating point, then ever more sharply; nothing where HiGHS gave no optimum.

    Raises:
        LimitReachedError: when the clock runs out; `seen` has what was seen.
    """
    small, rounds = SmallProgram(splits, scaling), 0
    if splits.program.problem.loss.counts_errors and scaling.scale.min() > LEAN_ABOVE:
        small.lean(LEAN)
        rounds = _converge(small, TOLERANCE, clock, seen) or 0
        if not rounds:
            small = SmallProgram(splits, scaling)
        small.lean(0.0)
    for unit in UNITS:
        if unit > 1:
            small.magnify(unit)
        charged = False
        while True:
            more = _converge(small, TOLERANCE / unit, clock, seen)
            if more is None:
                return
            rounds, basis = rounds + more, small.basis()
            if not basis.has_uniform or charged:
                break
            small.charge_uniform(UNIFORM_COST)
            charged = True
        yield Generated(small.point(), basis, _told(small, rounds))
        focused = _focus(small, TOLERANCE / unit, clock)
        if focused is not None:
            yield replace(focused, how=_told(small, rounds))


def _focus(small: SmallProgram, tolerance: float, clock: Clock) -> Generated | None:
    """Put right what is wrong at multipliers of many digits, the largest first; None where nothing is."""
    found: Generated | None = None
    at_place = COARSER * tolerance
    for _ in range(MOST_FOCUSES):
        basis = small.basis()
        sharp = _sharp(small, basis)
        worst = 0.0 if sharp is None else _worst(small, sharp, at_place)
        if sharp is None or not worst:
            return found if sharp is None or found is None else Generated(sharp, basis, "")
        found = Generated(sharp, basis, "")
        small.focus(sharp, 1 / worst, at_place)
        paying = small.cheap(sharp, at_place)[: MOST_A_ROUND * small.splits.size]
        if len(paying):
            small.add_columns(paying)
        if not _is_mended(small, tolerance, clock):
            return None
    return found


def _is_mended(small: SmallProgram, tolerance: float, clock: Clock) -> bool:
    """Solve, and add cuts that are broken, until there are none."""
    while _is_solved(small, clock):
        broken = small.broken(small.point(), tolerance)
        if not len(broken):
            return True
        small.add_cuts(broken)
    return False


def _sharp(small: SmallProgram, basis: SmallBasis) -> SmallPoint | None:
    """Return the point with the multipliers of its basis, worked out anew; None where the basis does not have them."""
    trees = None if basis.has_uniform else forest(small.splits, basis)
    return None if trees is None else sharpened(small, trees, small.point())


def _is_solved(small: SmallProgram, clock: Clock) -> bool:
    """Solve the program as it is."""
    started = time.perf_counter()
    status = small.solve(clock.left())
    clock.solving += time.perf_counter() - started
    clock.left()
    return status == "Optimal"


def _worst(small: SmallProgram, point: SmallPoint, tolerance: float) -> float:
    """Return the largest error of multipliers that is one by the measure of its place; 0 without any."""
    return max(
        float(np.max(-values, where=values < -tolerance * place, initial=0.0))
        for values, place in small.by_place(point)
    )


def _told(small: SmallProgram, rounds: int) -> str:
    return f"split-and-cut: {len(small.columns)} steps and {len(small.cuts)} cuts in {rounds} rounds"


def _converge(small: SmallProgram, tolerance: float, clock: Clock, seen: Seen) -> int | None:
    """Solve until no cut is broken and no step pays; return the number of rounds, None on trouble."""
    for rounds in range(1, MAX_ROUNDS + 1):
        if not _is_solved(small, clock):
            return None
        point, most = small.point(), MOST_A_ROUND * small.splits.size
        paying = small.cheap(point, tolerance)[:most]
        broken = _broken(small, point, tolerance, bool(len(paying)))
        if len(paying) and not len(broken):
            point = _sharp(small, small.basis()) or point
            paying = small.cheap(point, tolerance)[:most]
        if clock.deadline is not None:
            seen.last = Generated(point, small.basis(), _told(small, rounds))
            seen.bounding = seen.bounding if len(paying) else seen.last
        if not len(broken) and not len(paying):
            return rounds
        steps = paying if len(paying) else small.partners(broken)
        if len(broken):
            small.add_cuts(broken)
        if len(steps):
            small.add_columns(steps)
    return None


def _broken(small: SmallProgram, point: SmallPoint, tolerance: float, steps_pay: bool) -> Indices:
    """Return the cuts to add.

    Where no step pays, cuts alone would leave the program without the steps that satisfy them, and its prices
    worthless. So steps come with them, and the search looks further ahead.
    """
    size = small.splits.size
    if steps_pay:
        return small.broken(point, tolerance)[: MOST_A_ROUND * size]
    return small.broken(point, tolerance, SWEEPS)[: MOST_AT_REST * size]
