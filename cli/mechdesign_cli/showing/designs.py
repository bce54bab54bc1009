"""Show a design: facts first, then the matrix while it fits the terminal."""

from mechdesign.designs import Design
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import loss_text
from mechdesign.rational import short_text
from mechdesign_catalog.mechanisms.landmarks import place_design
from mechdesign_cli.showing.tables import console, exact_and_decimal, facts, holds_text, print_fractions, print_matrix

ROUNDED = "rounded down to multiples of the unit: never less private, and optimal for the distances as rounded"

IGNORES = "it ignores the data: every input gives the same distribution of outputs, so a release says nothing of them"


def show_design(result: Design, fractions: bool = False) -> None:
    """Print facts, landmarks and the matrix of a design, in decimals or in exact fractions."""
    screen = console()
    problem = result.problem
    rows = [
        ("asked", problem.describe()),
        ("epsilon", f"{loss_text(problem.alpha)} = -ln(alpha), rounded up"),
        *([("distances", ROUNDED)] if problem.model.is_rounded else []),
        *([] if problem.model.distances is None or problem.step.is_exact else [enclosed(problem)]),
        ("score", exact_and_decimal(result.score)),
        ("gap", result.optimality),
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
