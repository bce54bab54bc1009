"""Show a local design for a workload: what it needs, what is proved, and where the oracles stand."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mechdesign.documents.document import design_document, workload_problem_entry
from mechdesign.level_designs import LevelDesign
from mechdesign.methods.row_designs.floor import variance_floor
from mechdesign.problem.privacy import Privacy, loss_text, rounded_down, rounded_up
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.rational import float_below, number_text
from mechdesign.workload_designs import WorkloadDesign, default_gap
from mechdesign_catalog.comparisons.baselines import MOST_ITEMS, BaselineStanding, rank_baselines
from mechdesign_catalog.decoders.circles.circle import Circle
from mechdesign_cli.showing.oracle_tables import SOURCE, source_text
from mechdesign_cli.showing.tables import Column, ResultTable, console, print_facts, seconds_text, words
from mechdesign_cli.showing.workload_audits import (
    DIGITS,
    bits_text,
    level_variance_text,
    levels_text,
    proof_text,
    variance_text,
)

MOST_SHOWN = 12


def plan_document(problem: WorkloadProblem, by_levels: bool) -> dict[str, Any]:
    """Return what is known before a design: what there is to design, and the floor, if it is above 0."""
    floor = variance_floor(problem)
    known = {"problem": workload_problem_entry(problem), "floor": float_below(floor) if floor > 0 else None}
    if by_levels:
        return {**known, "places": Circle(problem.k).size}
    merged = problem.merged
    return {
        **known,
        "groups": merged.size,
        "rank": merged.rank,
        "gap": float(default_gap(problem)),
    }


def show_plan(problem: WorkloadProblem, by_levels: bool) -> None:
    """Print the same in words."""
    if by_levels:
        floor = _floor_rows("floor", variance_floor(problem))
        print_facts(
            [("asked", problem.describe()), *floor, ("levels", f"on a circle of {Circle(problem.k).size} places")]
        )
        return
    merged = problem.merged
    alike = "no two are alike" if merged.size == merged.k else f"in {merged.size} groups that no query tells apart"
    rows = [
        ("asked", problem.describe()),
        ("items", f"{merged.k}, {alike}"),
        ("outputs", f"at least {merged.rank}"),
        *_floor_rows("floor", variance_floor(problem)),
        ("gap", f"{float(default_gap(problem)):g} unless --gap says otherwise"),
    ]
    print_facts(rows)


def show_workload_design(found: WorkloadDesign | LevelDesign) -> None:
    """Print the facts of a design, and how many times the variance of one of rows each oracle has."""
    if isinstance(found, LevelDesign):
        print_facts(level_rows(found))
        return
    screen = console()
    print_facts(design_rows(found))
    places = baselines_of(found)
    if not places:
        return
    what = "mean variance" if found.problem.is_worst_case else "variance"
    screen.print(f"\n{what} of other oracles with best linear estimates; times this design's", style="bold")
    shown = places[:MOST_SHOWN]
    columns = [
        words("oracle", [place.name for place in shown], folds=True),
        words(SOURCE, [source_text(place.is_published) for place in shown]),
        Column("variance", [f"{place.variance:.6g}" for place in shown]),
        Column("times", [times_text(place, found) for place in shown]),
        Column("bits", [f"{place.bits:,.0f}" for place in shown]),
    ]
    ResultTable(columns).print()
    if len(places) > MOST_SHOWN:
        screen.print(
            f"and {len(places) - MOST_SHOWN} more, up to {times_text(places[-1], found)} times (all: --json --summary)"
        )


def baselines_of(found: WorkloadDesign) -> Sequence[BaselineStanding]:
    """Return where the oracles stand for the workload of a design; none where that would take minutes."""
    problem = found.problem
    return rank_baselines(problem.workload, Privacy(alpha=problem.alpha)) if problem.k <= MOST_ITEMS else ()


def times_text(place: BaselineStanding, found: WorkloadDesign) -> str:
    """Say how many times the design's variance an oracle has."""
    return f"{place.variance / float(found.by_input.mean):.3f}"


def summary_document(found: WorkloadDesign | LevelDesign) -> dict[str, Any]:
    """Return the document of a design without its rows and its proof, with the facts in words and the oracles."""
    left_out = ("rows", "weights", "denominator", "levels", "certificate")
    document = {key: value for key, value in design_document(found).items() if key not in left_out}
    if isinstance(found, LevelDesign):
        facts = [list(row) for row in level_rows(found)]
        return {
            **document,
            "levels": len(found.mechanism.levels),
            "bits": found.mechanism.bits,
            "facts": facts,
            "oracles": [],
        }
    mean = float(found.by_input.mean)
    oracles = [
        {
            "oracle": place.name,
            "published": place.is_published,
            "variance": place.variance,
            "ratio": place.variance / mean,
            "bits": place.bits,
        }
        for place in baselines_of(found)
    ]
    mechanism = found.mechanism
    return {
        **document,
        "outputs": mechanism.n_outputs,
        "bits": mechanism.bits,
        "facts": [list(row) for row in design_rows(found)],
        "oracles": oracles,
    }


def design_rows(found: WorkloadDesign) -> list[tuple[str, str]]:
    """Return the facts of a design as labels and texts."""
    problem, mechanism = found.problem, found.mechanism
    inputs = found.by_input
    return [
        ("asked", problem.describe()),
        ("epsilon", f"{loss_text(problem.alpha)} = -ln(alpha), rounded up"),
        ("variance", variance_text(problem, found.score)),
        ("  error", error_text(found)),
        (
            "  by item",
            f"{rounded_down(inputs.least, 6)} to {rounded_up(inputs.largest, 6)}, mean {rounded_up(inputs.mean, 6)}; "
            "on data their mean by the data's shares",
        ),
        *_floor_rows("  floor", found.floor),
        *_bound_rows(found),
        ("gap", gap_text(found)),
        ("reports", f"{mechanism.n_outputs:,} different ones, {bits_text(mechanism.bits)} each"),
        ("reached by", found.how),
        ("seconds", seconds_text(found.seconds)),
    ]


def level_rows(found: LevelDesign) -> list[tuple[str, str]]:
    """Return the facts of a design of levels as labels and texts."""
    problem = found.problem
    return [
        ("asked", problem.describe()),
        ("epsilon", f"{loss_text(problem.alpha)} = -ln(alpha), rounded up"),
        ("variance", level_variance_text(found)),
        ("  error", error_text(found)),
        *_bound_rows(found),
        ("gap", gap_text(found)),
        ("reports", levels_text(found)),
        ("reached by", found.how),
        ("seconds", seconds_text(found.seconds)),
    ]


def error_text(found: WorkloadDesign | LevelDesign) -> str:
    """Say what the variance is as the standard error of an answer."""
    count = found.problem.workload.count
    error = rounded_up(Fraction(math.sqrt(found.score / count)), 4)
    return f"standard error {error} / sqrt(n)" + (" an answer (root mean square)" if count > 1 else "")


def gap_text(found: WorkloadDesign | LevelDesign) -> str:
    """Describe the gap."""
    if found.gap is None:
        return "unknown: nothing is proved but that a variance is not negative"
    if not found.gap and found.problem.privacy.is_exact:
        return "0 (exact: proved optimal in rational arithmetic)"
    asked = found.problem.privacy.given_epsilon
    scope = "" if asked is None else f" for epsilon = {number_text(asked)}"
    return f"{rounded_up(found.gap, 2)} of the bound, certified{scope}"


def _floor_rows(label: str, floor: Fraction) -> list[tuple[str, str]]:
    """Return the row of the floor; none at or below 0, where it says nothing about a variance."""
    text = f"{rounded_down(floor, DIGITS)} / n or more, found without a search (loose where epsilon is large)"
    return [(label, text)] if floor > 0 else []


def _bound_rows(found: WorkloadDesign | LevelDesign) -> list[tuple[str, str]]:
    """Return the rows of the bound: what it is of, how it is proved, and what more it covers; none at or below 0."""
    if found.lower_bound <= 0:
        return []
    problem = found.problem
    is_capped = isinstance(found, WorkloadDesign) and found.outputs is not None
    uncapped = "; with any number of different reports" if is_capped else ""
    least = f"no local mechanism at this epsilon with unbiased linear answers has less {problem.frequencies}"
    how = f"{proof_text(found.certificate.kind, problem)}{uncapped}"
    return [
        ("bound", f"{rounded_down(found.lower_bound, DIGITS)}: {least} ({how})"),
        ("  covers", "every unbiased estimate if items are drawn at random, interactive protocols too"),
    ]
