"""Test what a design document says, each statement on its own."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.certificate.score import problem_loss
from mechdesign.documents.document import Document
from mechdesign.documents.files import FilePath
from mechdesign.errors import RefusedError, shorten
from mechdesign.mechanism.notebook import table
from mechdesign.mechanism.tightest import Tightest, tightest_alpha
from mechdesign.methods.answer import status_of
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import Privacy, epsilon_bounds, rounded_up
from mechdesign.problem.properties import find_property, holding, ordered
from mechdesign.rational import nearest_float, number_text, short_text
from mechdesign.verify import kernel

EPSILON_ROUNDING = Fraction(1, 10**9)
"""A stated epsilon may be above the loss by this share of it, never below."""

VALUE_ROUNDING = Fraction(1, 10**9)
LEAST_VALUE = Fraction(1, 10**300)
"""Decimals beside an exact value may differ from it by this share of it, and by the least that floats can tell."""


@dataclass(frozen=True)
class Claim:
    """State a claim that was tested; `detail` says how it fails where it does."""

    claim: str
    true: bool
    detail: str = ""


def require_true(claims: Iterable[Claim], source: FilePath) -> None:
    """Refuse a file that claims what is false.

    Raises:
        RefusedError: naming the first such claim.
    """
    for claim in claims:
        if not claim.true:
            detail = f" ({claim.detail})" if claim.detail else ""
            raise RefusedError(f"refused: {source} claims what is false: {claim.claim}{detail}")


def claims_words(claims: Collection[Claim]) -> str:
    """Say how many claims are false."""
    false = sum(not claim.true for claim in claims)
    return f"{false} of {len(claims)} claims false" if false else f"{len(claims)} claims, all true"


def claims_table(claims: Iterable[Claim]) -> str:
    """Show claims, each with its verdict, as a table of a notebook."""
    rows = [(claim.claim, "true" if claim.true else "FALSE", claim.detail) for claim in claims]
    return table(("claim", "", "detail"), rows)


def document_claims(document: Document) -> Iterator[Claim]:
    """Test everything that a design document claims."""
    problem, weights, denominator = document.problem, document.weights, document.denominator
    own = tightest_alpha(weights, problem.graph)
    holds = holding(weights, denominator, problem.properties)
    yield Claim("weights are nonnegative", all(weight >= 0 for row in weights for weight in row))
    yield Claim(
        "columns sum to the denominator", all(sum(column) == denominator for column in zip(*weights, strict=True))
    )
    yield privacy_claim(own, problem.step_alpha, problem.alpha)
    yield from enclosure_claims(problem.privacy)
    for name in ordered(problem.properties):
        yield Claim(f"{name} ({find_property(name).title})", name in holds)
    yield Claim("holds lists exactly the properties that hold", set(document.holds) == set(holds))
    alpha = (problem.step_alpha.numerator, problem.step_alpha.denominator)
    found = next(kernel.defects(weights, denominator, alpha, problem.graph.edges, problem.properties), "")
    yield Claim("the trusted kernel accepts the matrix", not found, found)
    score, stated = problem.rescaling * problem_loss(weights, denominator, problem), document.score
    yield Claim(f"score is {short_text(stated)}", score == stated, f"it is {nearest_float(score):.12g}")
    yield _bound_claim(document)
    yield _status_claim(document)
    for key, exact, value in (
        ("score", document.score, document.score_value),
        ("lower_bound", document.lower_bound, document.lower_bound_value),
    ):
        near = abs(value - exact) <= VALUE_ROUNDING * abs(exact) + LEAST_VALUE
        yield Claim(f"{key} value is its exact value rounded", near, f"it is {nearest_float(exact):.17g}")
    yield epsilon_claim(problem.alpha, document.epsilon)


def privacy_words(alpha: Fraction) -> str:
    """State a claim of privacy."""
    return f"alpha-DP with alpha = {number_text(alpha)}"


def privacy_claim(own: Tightest, step_alpha: Fraction, alpha: Fraction | None = None) -> Claim:
    """Test whether a matrix with this tightest alpha is private.

    `alpha` is the parameter as stated, where it is not the ratio of one step.
    """
    text = privacy_words(alpha or step_alpha)
    needed = step_alpha**own.length
    if own.alpha is not None and own.alpha >= needed:
        return Claim(text, True)
    where = f"output {own.output}, inputs {own.low} and {own.high}"
    if own.alpha is None:
        return Claim(text, False, f"epsilon is infinite: {where}")
    excess = float((needed - own.alpha) / needed)
    least = "alpha" if own.length == 1 else f"the ratio over {own.length} units of distance"
    return Claim(text, False, f"{least} is {nearest_float(own.alpha):.12g}, a relative {excess:.2g} too small: {where}")


def _bound_claim(document: Document) -> Claim:
    bound = document.lower_bound
    scope = ", for the distances as rounded" if document.problem.model.is_rounded else ""
    below = _where_proved(document.problem)
    at = "alpha" if document.problem.privacy.is_exact else "epsilon"
    text = f"no mechanism scores below {short_text(bound)} at this {at}{scope} (re-proved from the dual values{below})"
    try:
        proved = document.problem.rescaling * document.proof.bound(document.problem)
    except ValueError as error:
        return Claim(text, False, f"the proof is invalid: {error}")
    return Claim(text, proved == bound <= document.score, f"the dual values prove {nearest_float(proved):.12g}")


def _where_proved(problem: DesignProblem) -> str:
    """Say at which ratio a bound is proved, where it is not alpha."""
    if not problem.privacy.is_exact:
        return ", at bound_alpha" if problem.model.distances is None else ", at step_alpha's low"
    return "" if problem.step.is_exact else ", at step_alpha's low, which is at most alpha^unit"


def _status_claim(document: Document) -> Claim:
    status = status_of(document.problem, document.score, document.lower_bound)
    return Claim(f"status is {shorten(document.status)}", document.status == status, f"it is {status}")


def enclosure_claims(privacy: Privacy) -> Iterator[Claim]:
    """Test, of a problem that was asked by epsilon, the two rationals on either side of `exp(-epsilon)`."""
    if not privacy.is_exact:
        yield Claim("bound_alpha <= exp(-asked_epsilon) <= alpha", privacy.encloses, "they do not enclose it")


def epsilon_claim(alpha: Fraction, epsilon: Fraction) -> Claim:
    """Test a stated epsilon, which is never below the loss."""
    low, high = epsilon_bounds(alpha)
    near = high <= epsilon <= low * (1 + EPSILON_ROUNDING)
    return Claim("epsilon is -ln(alpha), rounded up", near, f"it is {rounded_up(high, 12)}")
