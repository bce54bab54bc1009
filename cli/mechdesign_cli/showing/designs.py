"""Show a design: facts first, then the matrix while it fits the terminal."""

from mechdesign.designs import Design
from mechdesign.problem.privacy import loss_text, rounded_down, rounded_up
from mechdesign.problem.step_alpha import StepAlpha
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
    if fractions:
        print_fractions(result.mechanism, "Pr[output i | input j]")
    else:
        print_matrix(result.mechanism, "matrix", "Pr[output i | input j]")


def enclosed_text(step: StepAlpha) -> str:
    """Say between which rationals `alpha^unit` lies, and what is proved at which."""
    low, high = short_text(step.low), short_text(step.high)
    return f"not rational: private at {high}, above it; no mechanism scores less than the bound even at {low}, below it"


def gap_text(result: Design) -> str:
    """Describe the gap between the score and the best score."""
    if not result.gap:
        return "0 (exact: proved optimal in rational arithmetic)"
    return f"{rounded_up(result.gap, 2)} certified: no mechanism scores below {rounded_down(result.lower_bound, 12)}"
