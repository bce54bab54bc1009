"""Run `mechdesign solve`: design one mechanism, exactly."""

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.designs import Design, design
from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.files import Content
from mechdesign.documents.storage import EXPORT_SUFFIXES, export_content
from mechdesign.errors import InputError, NoAnswerError
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.exports.writing import notes_on, require_short_programs
from mechdesign.mechanism.layered import LARGEST_MATRIX
from mechdesign.methods.method import OWN_SOLVER
from mechdesign.methods.plan import Plan, make_plan
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import Privacy
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.laws.asked_law import AskedLaw, law_answers, plan_of_law, read_group_size, stated_law
from mechdesign_cli.parsing import numbers, options
from mechdesign_cli.parsing.choices import ModelRequest, files_read, read_problem
from mechdesign_cli.showing.designs import show_design
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.plans import plan_document
from mechdesign_cli.showing.progress import line_a_minute
from mechdesign_cli.workloads.options_beside import refuse_with_workload, refuse_without_workload

EXACT = "--fractions, or a .json or .npz"
"""What to write instead of a rounded .csv."""


def solve(
    n: options.AnyGroupSize = None,
    alpha: options.Alpha = None,
    epsilon: options.Epsilon = None,
    props: options.Properties = "none",
    loss: options.LossOption = "L0",
    prior: options.PriorOption = None,
    aggregate: options.Aggregate = "expected",
    model: options.ModelName = None,
    k: options.DomainSize = None,
    radius: options.Radius = None,
    distances: options.Distances = None,
    unit: options.Unit = None,
    method: options.Method = "auto",
    solver: options.SolverOption = "highs",
    time_limit: options.TimeLimit = None,
    exact: options.Exact = False,
    explain: options.Explain = False,
    plan_only: Annotated[
        bool,
        typer.Option("--plan", help="Show methods, estimated work, and what follows or clashes; design nothing."),
    ] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="With --json: the report, without matrix and proof, for the document.")
    ] = False,
    workload: options.WorkloadName = None,
    attributes: options.Attributes = None,
    gap: Annotated[
        float | None,
        typer.Option("--gap", help="With --workload: stop at this relative gap.", parser=numbers.share, metavar="GAP"),
    ] = None,
    outputs: Annotated[
        int | None,
        typer.Option("--outputs", help="With --workload: at most M reports.", parser=numbers.whole_number, metavar="M"),
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--start", help="With --workload: go on from this design, a .json.", metavar="FILE")
    ] = None,
    output: options.Outputs = None,
    plot: options.Plot = None,
    fractions: options.Fractions = False,
    json: options.Json = False,
) -> None:
    """Prove privacy, properties, score and gap to the best score in integers before showing or writing anything.

    A .json file holds the proof as well; a .vipr file holds linear program and proof for a checker by others.

    With --n any: one law, a mechanism for groups of every size. An n above 128 may get a law too, if its gap is at most
    1e-9 of the score; above 4095 nothing else serves.

    With --workload: the local mechanism on k items whose reports answer all its queries, unbiased, with the least
    variance. A named .json gets the best design so far each minute, and on Ctrl-C. Exit code 1 where the gap stays
    wider than asked; --start FILE goes on from such a file.

    Example: mechdesign solve --n 12 --alpha 0.9 --props WH,CM --output wm.json --plot wm.png

    Example: mechdesign solve --n any --alpha 0.9 --props WH,CM --output law.json

    Example: mechdesign solve --k 8 --epsilon 1 --workload prefixes --output prefix8.json
    """
    if workload is not None:
        refuse_with_workload(
            {
                "n": (n, None),
                "props": (props, "none"),
                "loss": (loss, "L0"),
                "prior": (prior, None),
                "radius": (radius, None),
                "distances": (distances, None),
                "unit": (unit, None),
                "method": (method, "auto"),
                "solver": (solver, "highs"),
                "exact": (exact, False),
                "explain": (explain, False),
                "fractions": (fractions, False),
            }
        )
        from mechdesign_cli.workloads.asked_design import AskedDesign, read_workload_problem
        from mechdesign_cli.workloads.delivery import Delivery, solve_workload

        stated = read_workload_problem(workload, model, k, attributes, Privacy(alpha, epsilon), aggregate)
        solve_workload(
            AskedDesign(stated, gap, outputs, start, time_limit),
            Delivery(output or [], plot, json, summary, plan_only),
            files_read(None, workload),
        )
        return
    refuse_without_workload({"attributes": attributes, "gap": gap, "outputs": outputs, "start": start})
    if summary and not json:
        raise InputError("--summary goes with --json, got it alone; the report without --json is a summary too")
    if plan_only and (output or plot is not None or summary):
        raise InputError("--plan designs nothing, got it with --output, --plot or --summary; leave one out")
    size, privacy = read_group_size(n), Privacy(alpha, epsilon)
    width = min(size, LARGEST_MATRIX) if isinstance(size, int) else size and 1  # that of a matrix; any is 1
    chosen = ModelRequest(model, width, k, radius, distances, unit).read()
    others = {
        "prior": (prior or "uniform").strip().lower() != "uniform",
        "solver": solver.lower() != OWN_SOLVER,
        "exact": exact,
        "fractions": fractions,
    }
    asked = AskedLaw(size, props, loss, aggregate, method, time_limit, others, output or [], plot)
    law = stated_law(asked, privacy) if chosen.name == "count" else None
    if law is not None and law_answers(law, asked, plan_only, explain, json, summary):
        return
    problem = read_problem(chosen, privacy, props, loss, prior, aggregate)
    require_targets(output or [], plot, files_read(distances, loss, prior), EXPORT_SUFFIXES)
    require_short_programs(problem, output or [])
    if plan_only:
        show_plans(problem, method, solver, json, "" if law is None else plan_of_law(asked, law))
        return
    plan = make_plan(problem, method, solver)
    if explain:
        say(plan_text(plan))
    with line_a_minute("designing"):
        result = design(problem, method=method, solver=solver, time_limit=time_limit, exact=exact)
    deliver(result, output, plot, json, summary=summary, fractions=fractions)


def show_plans(problem: DesignProblem, method: str, solver: str, json: bool, law: str) -> None:
    """Print what would be done; `law` is what is tried before all methods, in words, empty where none is.

    Raises:
        InputError, NoAnswerError: where nothing would serve.
    """
    try:
        plan = make_plan(problem, method, solver)
    except InputError as error:
        if not law:
            raise
        print(
            json_module.dumps({"law": law, "no matrix": str(error)}, indent=1) if json else f"{law}\nno matrix: {error}"
        )
        return
    if law and not json:
        print(law)
    show_plan(problem, plan, json, {"law": law} if law else {})


def show_plan(problem: DesignProblem, plan: Plan, json: bool, before: dict[str, str]) -> None:
    """Print the methods that would be tried, and what is known before.

    Raises:
        NoAnswerError: in words alone, where no mechanism has what is asked.
    """
    document = before | plan_document(problem, plan)
    if json:
        print(json_module.dumps(document, indent=1))
        return
    quick, sure = document["seconds"]
    print(plan_text(plan))
    print(f"seconds, estimated: {quick:g}" + (f" if the first serves, else {sure:g}" if sure > quick else ""))
    for name, causes in document["implied"].items():
        print(f"{name} follows from {' and '.join(causes)}")
    if document["infeasible"]:
        raise NoAnswerError(document["infeasible"])


def plan_text(plan: Plan) -> str:
    """Describe the plan: each method on a line, in which place it is tried, or why it is not."""
    lines = []
    for option in plan.options:
        place = f"{plan.order.index(option.method) + 1}." if option.method in plan.order else "  "
        mark = "can" if option.serves else "cannot"
        size = f"; {option.estimate.describe()}" if option.serves else ""
        doubt = f"; auto leaves it out: {option.doubt}" if option.doubt else ""
        lines.append(f"{place} {option.method.name:<18} {mark}: {option.reason}{size}{doubt}")
    order = ", ".join(method.name for method in plan.order)
    return "\n".join([*lines, f"   tried in this order: {order} ({plan.why})"])


def deliver(
    result: Design,
    output: list[Path] | None,
    plot: Path | None,
    json: bool,
    *,
    title: str | None = None,
    summary: bool = False,
    fractions: bool = False,
) -> None:
    """Write the files, all or none, then print the document, its summary, or the report in words."""
    contents: dict[Path, Content] = {path: export_content(result, path, fractions) for path in output or []}
    if plot is not None:
        from mechdesign_figures.plots.design_picture import plot_design
        from mechdesign_figures.plots.parts.saving import picture_bytes

        contents[plot] = picture_bytes(plot_design(result, title=title), plot.suffix)
    write_and_say(contents)
    exact = result.mechanism if fractions else None
    for note in [*notes_on(result.problem, output or []), *exactness_notes(output or [], EXACT, exact)]:
        say(note)
    if summary:
        from mechdesign_figures.reports.report import DesignReport

        print(document_text(DesignReport(result).entries()), end="")
    elif json:
        print(document_text(design_document(result)), end="")
    else:
        show_design(result, fractions)
