"""The words on a design: what was asked, and what is proved."""

from fractions import Fraction

from mechdesign.designs import Design
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import loss_text, rounded_down, rounded_up
from mechdesign.problem.properties import ordered
from mechdesign.rational import fraction_text, integer_text, number_text
from mechdesign.verify.certificates import Certificate

LONGEST_EXACT = 80
"""Letters of an exact number in a sentence; a longer one is told by its decimals and its length."""

BOUND_DIGITS = 12
"""Of a lower bound: it is seldom further from the score than 1e-9."""

EVERY_GROUP = (
    "In a group of n people some are counted, for every n. The true count j is one of 0..n, and so is the count i that "
    "is released in its place."
)

BELIEF = (
    "What has to be believed is arithmetic with whole numbers in the folder mechdesign/verify, which uses nothing else "
    "of this package. Anybody can run it again: python -m mechdesign.verify with the design's .json file."
)


def problem_sentences(problem: DesignProblem, for_every_size: bool = False) -> list[str]:
    """Say what was asked for: inputs, privacy, loss, prior or worst case, properties.

    With `for_every_size` it is said of groups of any size, of which the problem is that of one.
    """
    inputs = [EVERY_GROUP] if for_every_size else _inputs(problem)
    rescaling = "(n + 1)/n" if for_every_size else str(problem.rescaling)
    return [*inputs, _privacy(problem), _aim(problem, rescaling), *_properties(problem)]


def _inputs(problem: DesignProblem) -> list[str]:
    model, n = problem.model, problem.n
    if model.name == "count":
        people = "1 person" if n == 1 else f"{n} people"
        return [
            f"In a group of {people} some are counted. The true count j is one of 0..{n}, and so is the count i that "
            "is released in its place."
        ]
    return [f"Each user has one of {model.size} items, 0..{n}, and reports an item i in place of the true item j."]


def _privacy(problem: DesignProblem) -> str:
    factor = f"exp(epsilon) = 1/alpha, with alpha = {number_text(problem.alpha)}, epsilon = {loss_text(problem.alpha)}"
    if problem.model.name == "metric":
        rounded = " Distances are rounded down to multiples of the unit." if problem.model.is_rounded else ""
        return (
            "Two items at the distance d give each report with probabilities that differ at most by the factor "
            f"exp(epsilon d), where {factor}.{rounded}"
        )
    return f"{_neighbours(problem.model)} by a factor of at most {factor}."


def _neighbours(model: Model) -> str:
    if model.name == "count":
        return "One person's answer moves the count by at most 1, and the probability of each released count"
    if model.radius is not None:
        return f"Two items at most {model.radius} apart give each report with probabilities that differ"
    return "Any two items give each report with probabilities that differ"


def _aim(problem: DesignProblem, rescaling: str) -> str:
    costs = "An output" if problem.loss.table is not None else "A wrong output"
    cost = f"{costs} costs {problem.loss.words} (loss {problem.loss.name})."
    scale = ""
    if problem.rescaling != 1:
        scale = f" The score is that loss times {rescaling}, so that uniform guessing scores 1 under L0."
    if problem.is_worst_case:
        return f"{cost} What is minimised is the expected loss of the worst input.{scale}"
    prior = {"uniform": "every input is equally likely", "weights": "inputs are as likely as the given weights"}
    said = prior.get(problem.prior.name, f"inputs follow the distribution {problem.prior.name}")
    return f"{cost} What is minimised is the expected loss, where {said}.{scale}"


def _properties(problem: DesignProblem) -> list[str]:
    if not problem.required:
        return ["Nothing else was asked of the probabilities P[i,j] of output i on input j."]
    listed = "; ".join(f"{prop.name} ({prop.title}): {prop.statement}" for prop in problem.required)
    return [f"The probabilities P[i,j] of output i on input j were asked to have: {listed}."]


def score_meaning(problem: DesignProblem, score: Fraction) -> str | None:
    """Say a score in people's words, as how often an output is wrong or how far it is off; None where no word fits.

    >>> score_meaning(DesignProblem(8, "9/10"), Fraction(18, 19))
    'wrong in 84.2 %'
    """
    mean = float(score / problem.rescaling)
    name, _, free = problem.loss.name.partition(":")
    match (name, free):
        case ("L0", ""):
            said = f"wrong in {_per_cent(mean)}"
        case ("L0", _):
            said = f"off by more than {free} in {_per_cent(mean)}"
        case ("L1", ""):
            said = f"off by {mean:.2f} on average"
        case ("L2", ""):
            said = f"off by {mean**0.5:.2f}, as a root mean square"
        case _:
            return None
    if problem.is_worst_case:
        return f"{said} at the worst input"
    return said if problem.prior.name == "uniform" else f"{said} under the prior"


def _per_cent(share: float) -> str:
    if 0 < share < 0.0005:
        return "less than 0.1 %"
    return "more than 99.9 %" if 0.9995 <= share < 1 else f"{100 * share:.1f} %"


def key_facts(design: Design) -> list[tuple[str, str]]:
    """List what is told of a design first, as names and texts."""
    seconds = design.seconds
    return [
        ("alpha", number_text(design.problem.alpha)),
        ("epsilon", f"{loss_text(design.problem.alpha)} = -ln(alpha), rounded up"),
        ("score", exact_words(design.score)),
        ("gap", design.optimality),
        *design.stage_facts(),
        ("properties that hold", ", ".join(ordered(design.holds)) or "none"),
        ("reached by", f"{design.how} ({design.method})"),
        ("seconds", f"{seconds.solve + seconds.certify + seconds.verify:.3f}"),
    ]


def certificate_sentences(design: Design) -> list[str]:
    """Say what is proved of a design, in which arithmetic, and how far from the best score it can be at most."""
    return [
        _whole_numbers(design),
        _comparisons(design),
        *_held(design),
        *_optimality(design),
        *_stages(design),
        BELIEF,
    ]


def _whole_numbers(design: Design) -> str:
    text = integer_text(design.mechanism.denominator)
    over = text if len(text) <= LONGEST_EXACT else f"a whole number of {len(text)} digits"
    return (
        f"Every probability is a whole number divided by {over}, none is negative, and each column sums to exactly 1."
    )


def _comparisons(design: Design) -> str:
    number = 2 * design.problem.graph.n_edges * design.mechanism.n_outputs
    return (
        f"Privacy is {number:,} inequalities between probabilities of neighbouring inputs. Each was tested in whole "
        "numbers and holds, with no tolerance."
    )


def _held(design: Design) -> list[str]:
    if not design.holds:
        return []
    return [f"These properties hold, each tested in whole numbers: {', '.join(ordered(design.holds))}."]


def _optimality(design: Design) -> list[str]:
    scope = ", for the distances as rounded" if design.problem.model.is_rounded else ""
    proof = (
        f"The proof is {_dual(design.certificate)} of the linear program (duality), added up in exact fractions and "
        "not believed from a solver."
    )
    privacy, score = design.problem.privacy, exact_words(design.score)
    at_alpha, alpha = design.at_alpha, f"alpha = {number_text(privacy.alpha)}"
    told = []
    if at_alpha is not design or privacy.is_exact:
        told.append(_best(at_alpha, f"for this {alpha}{scope}"))
    if privacy.given_epsilon is not None:
        told.append(_best(design, f"for epsilon = {number_text(privacy.given_epsilon)}{scope}"))
    return [f"The score is {score}.", *told, proof]


def _stages(design: Design) -> list[str]:
    """Say in which further respects it is best, and how each is proved."""
    return [
        f"With {stage.problem.aim} the score is {exact_words(stage.score)}. Of all mechanisms whose scores so far are "
        f"at most these, none has a lower one: {stage.optimality}. The proof is {_dual(stage.certificate)}, with the "
        "scores so far as conditions."
        for stage in design.stages
    ] + ([] if design.single is None else [f"By these multipliers {design.single.words}."])


def _best(design: Design, scope: str) -> str:
    if not design.gap:
        return f"No mechanism with what was asked has a lower one {scope}: gap 0."
    bound, gap = _bound_words(design.lower_bound), rounded_up(design.gap, 3)
    return f"No mechanism with what was asked has one below {bound} {scope}: the gap is at most {gap}."


def _bound_words(bound: Fraction) -> str:
    """Write a bound that nothing is below: exactly, or rounded down."""
    return _exactly_or(bound, rounded_down(bound, BOUND_DIGITS), "rounded down")


def _exactly_or(value: Fraction, decimals: str, rounded: str) -> str:
    """Write a number as the fraction, unless that is long, and by decimals; and how they are rounded if they are."""
    text = fraction_text(value)
    if text == decimals:
        return text
    shown = decimals if Fraction(decimals) == value else f"{decimals} ({rounded})"
    return f"{text} = {shown}" if len(text) <= LONGEST_EXACT else shown


def _dual(proof: Certificate) -> str:
    """Of what a proof is made; prices pay for privacy where no row of it has a multiplier."""
    parts, rows, prices = [], proof["rows"], proof.get("prices")
    if proof.get("prior") is not None:
        parts.append("the least favourable prior")
    if prices is not None:
        parts.append(f"{len(prices):,} prices of columns")
    if rows or not parts:
        parts.append(f"{len(rows):,} multipliers of rows")
    return " and ".join(parts)


def exact_words(value: Fraction) -> str:
    """Write a score: `114025/118098 = 0.965512 (rounded up)`, or decimals alone where the fraction is long."""
    if value.denominator == 1:
        return fraction_text(value)
    return _exactly_or(value, rounded_up(value), "rounded up")
