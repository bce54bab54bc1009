"""HiGHS through highspy: the default LP solver, which gives a basis."""

import _thread
import queue
import threading
from math import inf
from operator import methodcaller

import highspy
import numpy as np

from mechdesign.program.solvers.numeric import (
    FEASIBILITY_TOLERANCE,
    SMALLEST_COEFFICIENT,
    Basis,
    NumericProgram,
    SolverResult,
    Status,
)

POLL_SECONDS = 0.1

SMALL_ROWS = 2000
"""Measured: in an LP of so few rows a thread of its own costs as much as the pivots."""

MOMENT_SECONDS = 0.2
"""So long Ctrl-C may have to wait for a small LP."""

DEVEX = 1
"""For a start from a basis: the weights of steepest edge would first cost a solve for every row of it."""

_basic_variables = methodcaller("getBasicVariables")  # highspy has it, its type stubs do not
_ROWWISE = int(highspy.MatrixFormat.kRowwise)
_MINIMISE = int(highspy.ObjSense.kMinimize)
_STATUSES = {
    highspy.HighsModelStatus.kOptimal: Status.OPTIMAL,
    highspy.HighsModelStatus.kTimeLimit: Status.TIME_LIMIT,
    highspy.HighsModelStatus.kInfeasible: Status.INFEASIBLE,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: Status.INFEASIBLE,
}


def solve(
    program: NumericProgram, time_limit: float | None = None, method: str = "simplex", presolve: str = "choose"
) -> SolverResult:
    """Run HiGHS on one LP, warm-started where the program brings a basis; Ctrl-C stops it.

    A small one is solved in this thread, where Ctrl-C waits for it; one that takes longer than a moment begins again.
    """
    limit = inf if time_limit is None else max(time_limit, 0.0)
    if program.whole is not None or method != "simplex" or len(program.row_lower) > SMALL_ROWS:
        return _solved(program, limit, method, presolve)
    here = _solved(program, min(limit, MOMENT_SECONDS), method, presolve, in_thread=False)
    if here.status is not Status.TIME_LIMIT or limit <= MOMENT_SECONDS:
        return here
    return _solved(program, limit - MOMENT_SECONDS, method, presolve)


def _solved(
    program: NumericProgram, limit: float, method: str, presolve: str, *, in_thread: bool = True
) -> SolverResult:
    highs = new_highs(method)
    highs.setOptionValue("presolve", presolve)
    highs.setOptionValue("time_limit", limit)
    if program.most_cost is not None:
        highs.setOptionValue("objective_bound", program.most_cost)
    n_columns, n_rows = len(program.cost), len(program.row_lower)
    highs.passModel(
        n_columns,
        n_rows,
        len(program.value),
        _ROWWISE,
        _MINIMISE,
        0.0,
        program.cost,
        program.column_lower,
        np.full(n_columns, highspy.kHighsInf),
        program.row_lower,
        program.row_upper,
        program.start[:-1].astype(np.int32),
        program.index.astype(np.int32),
        program.value,
        np.zeros(n_columns, dtype=np.int32) if program.whole is None else program.whole.astype(np.int32),
    )
    if program.basis is not None:
        highs.setOptionValue("simplex_dual_edge_weight_strategy", DEVEX)
        highs.setBasis(to_highs_basis(program.basis))
    if in_thread:
        run_interruptibly(highs)
    else:
        highs.run()
    status, solution = highs.getModelStatus(), highs.getSolution()
    is_pivoted = (
        not in_thread and _STATUSES.get(status) is Status.OPTIMAL and highs.getInfo().simplex_iteration_count > 0
    )
    basis = (_basis_of_pivots if is_pivoted else _basis)(highs, n_columns, n_rows)
    return SolverResult(
        _STATUSES.get(status, Status.OTHER),
        highs.modelStatusToString(status),
        np.array(solution.col_value, dtype=np.float64),
        np.array(solution.row_dual, dtype=np.float64),
        basis,
    )


_Loud = highspy.Highs


class SilentHighs(_Loud):
    """HiGHS that prints nothing: highspy 1.16 writes a header to stdout while callbacks are enabled on construction."""

    def __init__(self) -> None:
        _Loud.__init__(self)

    def enableCallbacks(self) -> None:  # noqa: N802 - highspy's own name
        """Enable callbacks, once the output is off."""
        self.setOptionValue("output_flag", False)
        _Loud.enableCallbacks(self)

    def run(self) -> highspy.HighsStatus:
        """Run, by the threads of whoever ran HiGHS in this thread before, as cvxpy does: it takes no other number."""
        status = _Loud.run(self)
        if status == highspy.HighsStatus.kError and self.getModelStatus() == highspy.HighsModelStatus.kNotset:
            self.setOptionValue("threads", 0)
            status = _Loud.run(self)
        return status


def new_highs(method: str = "simplex") -> SilentHighs:
    """Make a silent HiGHS with the tolerances of `mechdesign.program.solvers.numeric`."""
    highs = SilentHighs()
    highs.setOptionValue("primal_feasibility_tolerance", FEASIBILITY_TOLERANCE)
    highs.setOptionValue("dual_feasibility_tolerance", FEASIBILITY_TOLERANCE)
    highs.setOptionValue("small_matrix_value", SMALLEST_COEFFICIENT)
    highs.setOptionValue("solver", method)
    highs.setOptionValue("threads", 1)  # else half the processors get a thread in each call, and none of them work
    return highs


def status_text(highs: highspy.Highs) -> str:
    """Return HiGHS's own word for how its last run ended."""
    return str(highs.modelStatusToString(highs.getModelStatus()))


def run_interruptibly(highs: highspy.Highs) -> None:
    """Solve in a thread of its own, so that Ctrl-C gets through, wherever it falls, and leaves nothing behind.

    highspy's own threads share two locks in the whole process: an interrupt between taking one and noting that it is
    taken would make every later solve wait for ever. `threading.Thread` and `Event` have such a place too.
    """
    highs.HandleUserInterrupt = True
    at_work, is_stopped, ended = threading.Lock(), threading.Event(), queue.SimpleQueue[None]()

    def run() -> None:
        try:
            with at_work:
                if not is_stopped.is_set():
                    highs.run()
        finally:
            ended.put(None)

    try:
        _thread.start_new_thread(run, ())
        while not _is_there(ended):
            pass
    except KeyboardInterrupt:
        is_stopped.set()
        highs.cancelSolve()
        with at_work:
            raise


def _is_there(ended: queue.SimpleQueue[None]) -> bool:
    """Wait a moment, short enough for Ctrl-C where no wait can be interrupted."""
    try:
        ended.get(timeout=POLL_SECONDS)
    except queue.Empty:
        return False
    return True


def to_highs_basis(basis: Basis) -> highspy.HighsBasis:
    """Convert a basis to HiGHS's."""
    basic, lower = highspy.HighsBasisStatus.kBasic, highspy.HighsBasisStatus.kLower
    given = highspy.HighsBasis()
    given.col_status = [basic if flag else lower for flag in basis.columns.tolist()]
    given.row_status = [basic if flag else lower for flag in basis.rows.tolist()]
    given.valid = True
    return given


def _basis(highs: highspy.Highs, n_columns: int, n_rows: int) -> Basis | None:
    """Return the basis at which HiGHS ended, by the status of each column and row; None where it has none."""
    basis, basic = highs.getBasis(), highspy.HighsBasisStatus.kBasic
    if not basis.valid:
        return None
    columns = np.fromiter((status == basic for status in basis.col_status), dtype=bool, count=n_columns)
    return Basis(columns, np.fromiter((status == basic for status in basis.row_status), dtype=bool, count=n_rows))


def _basis_of_pivots(highs: highspy.Highs, n_columns: int, n_rows: int) -> Basis:
    """Return the basis to which pivots led, by the numbers of what is basic: sooner than by each status.

    HiGHS 1.16 crashes where there were none, as after an interior point.
    """
    _, basic = _basic_variables(highs)
    columns, rows = np.zeros(n_columns, dtype=bool), np.zeros(n_rows, dtype=bool)
    columns[basic[basic >= 0]] = True
    rows[-1 - basic[basic < 0]] = True
    return Basis(columns, rows)
