"""The loop of split-and-cut: solve, add cuts that are broken and steps that pay, until there are none."""

import time
from dataclasses import dataclass

from mechdesign.methods.split_and_cut.small_program import SmallBasis, SmallPoint, SmallProgram
from mechdesign.methods.split_and_cut.splits import Splits
from mechdesign.program.clock import Clock
from mechdesign.program.exact.scaling import Scaling

TOLERANCE = 1e-9
"""Of cuts in z, and of reduced costs for a unit of probability, in units of the largest cost."""

MOST_A_ROUND = 3
"""So many cuts, and so many steps, for each input are added in one round."""

MAX_ROUNDS = 1000
UNIFORM_COST = 10.0
"""In units of the largest cost, where the uniform mechanism would stay in the basis."""


@dataclass(frozen=True)
class Generated:
    """The result of the loop: the last point and its basis, and how much of the program it took."""

    point: SmallPoint
    basis: SmallBasis
    how: str


def generate(splits: Splits, scaling: Scaling, clock: Clock) -> Generated | None:
    """Solve a program by split-and-cut in floating point; None where HiGHS gave no optimum.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    small = SmallProgram(splits, scaling)
    most, charged = MOST_A_ROUND * splits.size, False
    for rounds in range(1, MAX_ROUNDS + 1):
        started = time.perf_counter()
        status = small.solve(clock.left())
        clock.solving += time.perf_counter() - started
        clock.left()
        if status != "Optimal":
            return None
        point = small.point()
        broken, cheap = small.broken(point, TOLERANCE)[:most], small.cheap(point, TOLERANCE)[:most]
        if len(broken):
            small.add_cuts(broken)
        if len(cheap):
            small.add_columns(cheap)
        if len(broken) or len(cheap):
            continue
        basis = small.basis()
        if not basis.has_uniform or charged:
            how = f"split-and-cut: {len(small.columns)} steps and {len(small.cuts)} cuts in {rounds} rounds"
            return Generated(point, basis, how)
        small.charge_uniform(UNIFORM_COST)
        charged = True
    return None
