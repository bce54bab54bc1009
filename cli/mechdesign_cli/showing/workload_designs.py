"""Workload designs on the screen: their needs, their proofs, and the oracles beside them."""

from typing import Any

from mechdesign.documents.document import workload_problem_entry
from mechdesign.documents.tabular import Column, words
from mechdesign.methods.row_designs.floor import variance_floor
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.rational import float_below
from mechdesign.verify.level_design import LINE
from mechdesign.workload_designs import default_gap
from mechdesign_catalog.decoders.circles.circle import Circle
from mechdesign_cli.showing.oracle_tables import SOURCE, source_text
from mechdesign_cli.showing.tables import console, print_facts, print_table
from mechdesign_figures.reports.workload_report import WorkloadReport
from mechdesign_figures.reports.workload_words import floor_rows

MOST_SHOWN = 12


def plan_document(problem: WorkloadProblem, by_levels: bool) -> dict[str, Any]:
    """Return what is known before a design: what there is to design, and the floor, if it is above 0."""
    floor = variance_floor(problem)
    known = {"problem": workload_problem_entry(problem), "floor": float_below(floor) if floor > 0 else None}
    if by_levels:
        return {**known, "places": problem.k if problem.workload.name == LINE else Circle(problem.k).size}
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
        floor = floor_rows("floor", variance_floor(problem))
        shape = f"circle of {Circle(problem.k).size} places"
        if problem.workload.name == LINE:
            shape = f"line of {problem.k} items"
        print_facts([("asked", problem.describe()), *floor, ("levels", f"on a {shape}")])
        return
    merged = problem.merged
    alike = "no two are alike" if merged.size == merged.k else f"in {merged.size} groups that no query tells apart"
    rows = [
        ("asked", problem.describe()),
        ("items", f"{merged.k}, {alike}"),
        ("outputs", f"at least {merged.rank}"),
        *floor_rows("floor", variance_floor(problem)),
        ("gap", f"{float(default_gap(problem)):g} unless --gap says otherwise"),
    ]
    print_facts(rows)


def show_workload_report(report: WorkloadReport, all_by: str = "--json") -> None:
    """Print the facts of a design, and how many times its variance each oracle has; `all_by` prints all of them."""
    screen = console()
    print_facts(report.facts)
    if not report.standings:
        return
    screen.print(f"\n{report.variance} of other oracles with best linear estimates; times this design's", style="bold")
    shown, more = report.standings[:MOST_SHOWN], report.standings[MOST_SHOWN:]
    columns = [
        words("oracle", [one.name for one in shown], folds=True),
        words(SOURCE, [source_text(one.is_published) for one in shown]),
        Column("variance", [f"{one.variance:.6g}" for one in shown]),
        Column("times", [f"{report.times(one):.3f}" for one in shown]),
        Column("bits", [f"{one.bits:,.0f}" for one in shown]),
    ]
    print_table(columns)
    if more:
        screen.print(f"and {len(more)} more, up to {report.times(more[-1]):.3f} times (all: {all_by})")
