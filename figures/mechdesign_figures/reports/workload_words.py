"""The words on a workload design, for screens, reports and checks: result and proofs."""

import math
from fractions import Fraction

from mechdesign.level_designs import LevelDesign
from mechdesign.problem.privacy import rounded_down, rounded_up
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.rational import number_text
from mechdesign.verify.level_design import COMPUTED
from mechdesign.workload_designs import WorkloadDesign

DIGITS = 9


def variance_text(problem: WorkloadProblem, variance: Fraction) -> str:
    """Say what a variance for each user is of: divided by the number of users, of all answers together."""
    count = problem.workload.count
    answers = f"sum of {count:,} answers" if count > 1 else "one answer"
    users = "at most, whatever their items" if problem.is_worst_case else "items equally frequent"
    return f"{rounded_up(variance, DIGITS)} / n for n users ({users}; {answers})"


def proof_text(kind: str, problem: WorkloadProblem) -> str:
    """Say how a bound is proved."""
    if kind == "rows":
        return f"all 2^{problem.merged.size} rows priced in integers"
    return {
        "relaxation": "a semidefinite matrix, in integers",
        "levels": "by symmetry, in rationals",
        "floor": "a sum of cosecants, in whole numbers",
        "recursion": "multipliers of the items, in whole numbers",
    }[kind]


def bits_text(bits: int) -> str:
    """Say how long a report is."""
    return "1 bit" if bits == 1 else f"{bits} bits"


def error_text(design: WorkloadDesign | LevelDesign) -> str:
    """Say what the variance is as the standard error of an answer."""
    count = design.problem.workload.count
    error = rounded_up(Fraction(math.sqrt(design.score / count)), 4)
    about = "about " if isinstance(design, LevelDesign) and design.measured else ""
    return f"standard error {about}{error} / sqrt(n)" + (" an answer (root mean square)" if count > 1 else "")


def gap_text(design: WorkloadDesign | LevelDesign) -> str:
    """Describe the gap."""
    if isinstance(design, LevelDesign) and design.measured:
        low, middle, high = (
            end / design.lower_bound - 1 for end in (design.measured.low, design.score, design.measured.high)
        )
        is_sure = design.measured.how == COMPUTED
        size = f"about {rounded_up(middle, 2)}" if is_sure else f"{rounded_down(low, 2)} to {rounded_up(high, 2)}"
        return f"{size} of the bound: measured, not proved"
    if design.gap is None:
        return "unknown: nothing is proved but that a variance is not negative"
    if not design.gap and design.problem.privacy.is_exact:
        return "0 (exact: proved optimal in rational arithmetic)"
    asked = design.problem.privacy.given_epsilon
    scope = "" if asked is None else f" for epsilon = {number_text(asked)}"
    return f"{rounded_up(design.gap, 2)} of the bound, certified{scope}"


def floor_rows(label: str, floor: Fraction) -> list[tuple[str, str]]:
    """Return the row of the floor; none at or below 0, where it says nothing about a variance."""
    text = f"{rounded_down(floor, DIGITS)} / n or more, found without a search (loose where epsilon is large)"
    return [(label, text)] if floor > 0 else []


def bound_rows(design: WorkloadDesign | LevelDesign) -> list[tuple[str, str]]:
    """Return the rows of the bound: what it is of, how it is proved, and what more it covers; none at or below 0."""
    if design.lower_bound <= 0:
        return []
    problem = design.problem
    is_capped = isinstance(design, WorkloadDesign) and design.outputs is not None
    uncapped = "; with any number of different reports" if is_capped else ""
    least = f"no local mechanism at this epsilon with unbiased linear answers has less {problem.frequencies}"
    how = f"{proof_text(design.certificate.kind, problem)}{uncapped}"
    return [
        ("bound", f"{rounded_down(design.lower_bound, DIGITS)}: {least} ({how})"),
        ("  covers", "every unbiased estimate if items are drawn at random, interactive protocols too"),
    ]


def levels_text(design: LevelDesign) -> str:
    """Say what the reports of a design of levels are."""
    mechanism = design.mechanism
    padding = mechanism.places - mechanism.k
    beyond = f", of which nobody has {padding}" if padding else ""
    shape = f"a circle of {mechanism.places} places{beyond}"
    if mechanism.is_line:
        shape = f"a line of {mechanism.k} items"
    return (
        f"{len(mechanism.levels)} levels on {shape}; "
        f"at most {bits_text(mechanism.bits)} beside the public level, shift and masks"
    )


def level_variance_text(design: LevelDesign) -> str:
    """Say what the variance is, what it is at most, or between which numbers it was measured."""
    mechanism, measured = design.mechanism, design.measured
    text = variance_text(design.problem, design.score)
    if measured:
        ends = f"{rounded_down(measured.low, DIGITS)} to {rounded_up(measured.high, DIGITS)}"
        how = "computed in floats" if measured.how == COMPUTED else "estimated from some of the answers"
        return f"about {text}; {how}: {ends}"
    return ("at most " if mechanism.is_line or mechanism.places > mechanism.k else "") + text
