"""The choice of an LP solver, by its name."""

from mechdesign.errors import InputError
from mechdesign.program.solvers.numeric import NumericProgram, Solver, SolverResult


def choose_solver(name: str) -> Solver:
    """Return the solver `highs` or `cvxpy:NAME`; its module is imported only when it is chosen."""
    if name.lower() == "highs":
        from mechdesign.program.solvers import highs_

        return highs_.solve
    prefix, _, inner = name.partition(":")
    if prefix.lower() == "cvxpy" and inner:
        from mechdesign.program.solvers import cvxpy_

        chosen = cvxpy_.installed_solver(inner)

        def run(program: NumericProgram, time_limit: float | None) -> SolverResult:
            return cvxpy_.solve(program, time_limit, chosen)

        return run
    raise InputError(f"solver must be highs or cvxpy:NAME (cvxpy:CLARABEL), got solver={name}")
