"""Run `mechdesign solve`: design one mechanism, exactly."""

from pathlib import Path

from mechdesign.designs import Design, design
from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.files import Content
from mechdesign.documents.storage import EXPORT_SUFFIXES, export_content
from mechdesign.exports.writing import notes_on, require_short_programs
from mechdesign.methods.plan import Plan, make_plan
from mechdesign.problem.privacy import Privacy, loss_text
from mechdesign.problem.step_alpha import StepAlpha
from mechdesign.rational import short_text
from mechdesign_catalog.mechanisms.landmarks import place_design
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import ModelRequest, files_read, read_problem
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.progress import line_a_minute
from mechdesign_cli.showing.tables import console, exact_and_decimal, facts, holds_text, print_matrix

ROUNDED = "rounded down to multiples of the unit: never less private, and optimal for the distances as rounded"

IGNORES = "it ignores the data: every input gives the same distribution of outputs, so a release says nothing of them"


def solve(
    n: options.OptionalGroupSize = None,
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
    output: options.Outputs = None,
    plot: options.Plot = None,
    json: options.Json = False,
) -> None:
    """Prove privacy, properties, score and gap to the best score in integers before showing or writing anything.

    A .json file holds the proof as well; a .vipr file holds linear program and proof for a checker by others.

    Example: mechdesign solve --n 12 --alpha 0.9 --props WH,CM --output wm.json --plot wm.png
    """
    chosen = ModelRequest(model, n, k, radius, distances, unit).read()
    problem = read_problem(chosen, Privacy(alpha, epsilon), props, loss, prior, aggregate)
    require_targets(output or [], plot, files_read(distances, loss, prior), EXPORT_SUFFIXES)
    require_short_programs(problem, output or [])
    plan = make_plan(problem, method, solver)
    if explain:
        say(plan_text(plan))
    with line_a_minute("designing"):
        result = design(problem, method=method, solver=solver, time_limit=time_limit, exact=exact)
    deliver(result, output, plot, json)


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
    result: Design, output: list[Path] | None, plot: Path | None, json: bool, *, title: str | None = None
) -> None:
    """Write the files, all or none, then print the document or the report."""
    contents: dict[Path, Content] = {path: export_content(result, path) for path in output or []}
    if plot is not None:
        from mechdesign_figures.plots.heatmap import plot_mechanism
        from mechdesign_figures.plots.parts.saving import picture_bytes

        contents[plot] = picture_bytes(plot_mechanism(result, title=title), plot.suffix)
    write_and_say(contents)
    for note in notes_on(result.problem, output or []):
        say(note)
    if json:
        print(document_text(design_document(result)), end="")
    else:
        report(result)


def report(result: Design) -> None:
    """Print the design: facts first, then the matrix while it fits."""
    screen = console()
    problem = result.problem
    rows = [
        ("asked", problem.describe()),
        ("epsilon", f"{loss_text(problem.alpha)} = -ln(alpha), rounded up"),
        *([("distances", ROUNDED)] if problem.model.is_rounded else []),
        *([] if problem.step.is_exact else [("alpha^unit", enclosed_text(problem.step))]),
        ("score", exact_and_decimal(result.score)),
        ("gap", gap_text(result)),
        *([("hint", IGNORES)] if result.mechanism.ignores_input else []),
        ("holds", holds_text(result.holds)),
        *((f"  {place.name}", place.text) for place in place_design(result)),
        ("reached by", f"{result.how} ({result.method})"),
        (
            "seconds",
            f"solve {result.seconds.solve:.3f}, certify {result.seconds.certify:.3f}, "
            f"verify {result.seconds.verify:.3f}",
        ),
    ]
    screen.print(facts(rows, screen.width))
    print_matrix(result.mechanism, "matrix", "Pr[output i | input j]")


def enclosed_text(step: StepAlpha) -> str:
    """Say between which rationals `alpha^unit` lies, and what is proved at which."""
    low, high = short_text(step.low), short_text(step.high)
    return f"not rational: private at {high}, above it; no mechanism scores less than the bound even at {low}, below it"


def gap_text(result: Design) -> str:
    """Describe the gap between the score and the best score."""
    if not result.gap:
        return "0 (exact: proved optimal in rational arithmetic)"
    return f"{float(result.gap):.2g} certified: no mechanism scores below {float(result.lower_bound):.9g}"
