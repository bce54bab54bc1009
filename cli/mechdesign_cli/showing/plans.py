"""Write the plan for a design as a JSON document: methods, estimates, and what is known of the properties before."""

from typing import Any

from mechdesign.designs import require_feasible
from mechdesign.documents.document import problem_entry
from mechdesign.errors import InfeasibleError
from mechdesign.methods.plan import Option, Plan
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import implied_by
from mechdesign.program.clock import Clock


def plan_document(problem: DesignProblem, plan: Plan) -> dict[str, Any]:
    """Return the methods with their estimates, the properties that follow from others, and those that clash.

    `seconds` is (if the first method serves, if all do up to the first that is sure to end).
    """
    return {
        "problem": problem_entry(problem),
        "methods": [_option_entry(option, plan) for option in plan.options],
        "order": [method.name for method in plan.order],
        "why": plan.why,
        "seconds": [_two_digits(seconds) for seconds in plan.seconds],
        "implied": {name: list(causes) for name, causes in implied_by(problem.properties).items()},
        "symmetry_is_free": problem.symmetry_is_free,
        **_clash_entries(problem),
    }


def _option_entry(option: Option, plan: Plan) -> dict[str, Any]:
    work = option.estimate
    size = {"variables": work.variables, "rows": work.rows, "bytes": work.memory, "seconds": _two_digits(work.seconds)}
    return {
        "name": option.method.name,
        "place": plan.order.index(option.method) + 1 if option.method in plan.order else None,
        "serves": option.serves,
        "reason": option.reason,
        "doubt": option.doubt,
        "estimate": size if option.serves else None,
    }


def _two_digits(seconds: float) -> float:
    """Round an estimate, which is no better."""
    return float(f"{seconds:.2g}")


def _clash_entries(problem: DesignProblem) -> dict[str, Any]:
    """Return which properties no mechanism has together, and the sentence that says so."""
    try:
        require_feasible(problem, Clock(None))
    except InfeasibleError as error:
        return {"clash": list(error.clash), "infeasible": str(error)}
    return {"clash": [], "infeasible": None}
