"""A solver by name."""

from mechdesign.errors import InputError
from mechdesign.program.solvers.numeric import NumericProgram, Outcome, Solver


def choose_solver(name: str) -> Solver:
    """`highs`, or `cvxpy:NAME`; the module behind a name is imported when it is chosen."""
    if name.lower() == "highs":
        from mechdesign.program.solvers import highs_

        return highs_.solve
    prefix, _, inner = name.partition(":")
    if prefix.lower() == "cvxpy" and inner:
        from mechdesign.program.solvers import cvxpy_

        chosen = cvxpy_.installed_solver(inner)

        def run(program: NumericProgram, time_limit: float | None) -> Outcome:
            return cvxpy_.solve(program, time_limit, chosen)

        return run
    raise InputError(f"solver must be highs or cvxpy:NAME (cvxpy:CLARABEL), got solver={name}")
