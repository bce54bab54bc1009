"""Designs and their plans, on the screen and as JSON: facts, then a matrix that fits."""

from collections.abc import Mapping, Sequence
from typing import Any

from mechdesign.designs import Design, require_feasible
from mechdesign.documents.document import design_document, exact_entry, problem_entry
from mechdesign.errors import InfeasibleError, NoAnswerError
from mechdesign.methods.closed_forms.remapped_geometric import constant_from
from mechdesign.methods.plan import Option, Plan
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import loss_text
from mechdesign.problem.properties import implied_by
from mechdesign.program.clock import Clock
from mechdesign.rational import short_text
from mechdesign.ties import Ties, has_certain_ties
from mechdesign_catalog.mechanisms.landmarks import compare_with_landmarks
from mechdesign_cli.showing.messages import entries_of
from mechdesign_cli.showing.tables import (
    exact_and_decimal,
    print_facts,
    print_fractions,
    print_matrix,
    properties_text,
)

ROUNDED = "rounded down to multiples of the unit: never less private, and optimal for the distances as rounded"

OTHERS = "other mechanisms have the same score; --then L1 takes the best of them by L1, --ties compares them"

IGNORES = "it ignores the data: every input gives the same distribution of outputs, so a release says nothing of them"


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
    size = {**entries_of(work, "variables", "rows"), "bytes": work.memory, "seconds": _two_digits(work.seconds)}
    return {
        "name": option.method.name,
        "place": plan.order.index(option.method) + 1 if option.method in plan.order else None,
        **entries_of(option, "serves", "reason", "doubt"),
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


def show_plan(plan: Plan, document: Mapping[str, Any]) -> None:
    """Print the plan and what is known before the design.

    Raises:
        NoAnswerError: where no mechanism has what is asked.
    """
    quick, sure = document["seconds"]
    if "law" in document:
        print(document["law"])
    print(plan_text(plan))
    print(f"seconds, estimated: {quick:g}" + (f" if the first serves, else {sure:g}" if sure > quick else ""))
    for name, causes in document["implied"].items():
        print(f"{name} follows from {' and '.join(causes)}")
    if document["infeasible"]:
        raise NoAnswerError(document["infeasible"])


def plan_text(plan: Plan) -> str:
    """Describe the plan: each method on a line, in which place it is tried, or why it is not."""
    lines = []
    for choice in plan.options:
        place = f"{plan.order.index(choice.method) + 1}." if choice.method in plan.order else "  "
        mark = "can" if choice.serves else "cannot"
        size = f"; {choice.estimate.describe()}" if choice.serves else ""
        doubt = f"; auto leaves it out: {choice.doubt}" if choice.doubt else ""
        lines.append(f"{place} {choice.method.name:<18} {mark}: {choice.reason}{size}{doubt}")
    order = ", ".join(method.name for method in plan.order)
    return "\n".join([*lines, f"   tried in this order: {order} ({plan.why})"])


def ties_document(result: Design, ties: Ties) -> dict[str, Any]:
    """Return the document of a design, and over which ranges all that are as good reach."""
    ranges = [{"name": one.name, "low": exact_entry(one.low), "high": exact_entry(one.high)} for one in ties.ranges]
    return {"design": design_document(result), "unique": ties.is_unique, "words": ties.words, "ranges": ranges}


def show_ties(result: Design, ties: Ties, fractions: bool = False) -> None:
    """Print a design, and over which ranges all that are as good reach."""
    show_design(result, fractions, [("ties", f"{ties.words} (proved)"), *((f"  {k}", str(v)) for k, v in ties.facts())])


def _ignoring_text(result: Design) -> str:
    start = constant_from(result.problem)
    if start is None:
        return IGNORES
    middle = (result.problem.size - 1) // 2
    return f"{IGNORES}; from alpha = {float(start):.6f} on nothing is better than to say {middle} whatever the data"


def show_solved(result: Design, fractions: bool = False) -> None:
    """Print a design, and in a line that others are as good, where that is certain."""
    has_others = not result.stages and has_certain_ties(result)
    show_design(result, fractions, [("ties", OTHERS)] if has_others else [])


def show_design(result: Design, fractions: bool = False, more: Sequence[tuple[str, str]] = ()) -> None:
    """Print facts, `more` of them, landmarks and the matrix of a design, in decimals or in exact fractions."""
    problem = result.problem
    rows = [
        ("asked", problem.describe()),
        ("epsilon", f"{loss_text(problem.alpha)} = -ln(alpha), rounded up"),
        *([("distances", ROUNDED)] if problem.model.is_rounded else []),
        *([] if problem.model.distances is None or problem.step.is_exact else [enclosed(problem)]),
        ("score", exact_and_decimal(result.score)),
        ("gap", result.optimality),
        *result.stage_facts(),
        *([("hint", _ignoring_text(result))] if result.mechanism.ignores_input else []),
        ("holds", properties_text(result.holds)),
        *((f"  {place.name}", place.text) for place in compare_with_landmarks(result)),
        *more,
        ("reached by", f"{result.how} ({result.method})"),
        ("seconds", str(result.seconds)),
    ]
    print_facts(rows)
    if fractions:
        print_fractions(result.mechanism, "Pr[output i | input j]")
    else:
        print_matrix(result.mechanism, "matrix", "Pr[output i | input j]")


def enclosed(problem: DesignProblem) -> tuple[str, str]:
    """Name the ratio over one unit of distance, and say between which rationals it lies and what is proved at which."""
    name = "alpha^unit" if problem.privacy.is_exact else "e^(-epsilon unit)"
    low, high = short_text(problem.step.low), short_text(problem.step.high)
    text = f"not rational: private at {high}, above it; no mechanism scores less than the bound even at {low}, below it"
    return name, text
