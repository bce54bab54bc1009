"""Verdicts on a design document: each claim proved or refuted by the kernel."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from . import kernel
from .certificates import Certificate
from .document import LISTED_PROPERTIES, Document, Privacy, Problem, Stage
from .enclosures import loss_bounds
from .singles import Single, single_defects
from .stages import Aim, Demands, Penalties, stage_bound
from .texts import shown

ROUNDING = Fraction(1, 10**9)
"""Decimals beside an exact number may differ from it by this share of it; epsilon may be above the loss by it."""

LEAST = Fraction(1, 10**300)
"""They may also differ by this, the least that doubles can tell."""

NARROW = Fraction(1, 10**6)
VANISHING = Fraction(1, 1 << 128)
"""A gap is narrow up to the first share of the loss, or the second of the smallest entry of the loss matrix."""

STATUSES = {"exact": "score and bound are equal", "certified": "the gap is narrow", "feasible": "the gap is wide"}

LONGEST_SHOWN = 40

MEANING = {
    "WH": "every diagonal entry is at least 1/size",
    "RH": "no entry of a row exceeds its diagonal entry",
    "RM": "no row increases away from the diagonal",
    "CH": "no entry of a column exceeds its diagonal entry",
    "CM": "no column increases away from the diagonal",
    "F": "the diagonal is constant",
    "FE": "the two ends of the diagonal are equal",
    "S": "the matrix equals its rotation by a half turn",
    "WH:": "every diagonal entry is at least beta/size",
    "OS:": "neighbouring outputs differ by at most the factor beta",
}


@dataclass(frozen=True)
class Claim:
    """A claim and whether it is true, that is, proved; `detail` says how it fails where it does."""

    claim: str
    true: bool
    detail: str = ""


def document_claims(document: Document) -> Iterator[Claim]:
    """Yield every claim of a document, with the kernel's verdict."""
    problem, weights, denominator = document.problem, document.weights, document.denominator
    alpha = problem.high.as_integer_ratio()
    negative = next(((i, j) for i, row in enumerate(weights) for j, weight in enumerate(row) if weight < 0), None)
    yield Claim("no weight is negative", negative is None, f"that of (output, input) {negative} is")
    unequal = next((j for j, column in enumerate(zip(*weights, strict=True)) if sum(column) != denominator), None)
    yield Claim("every column sums to the denominator", unequal is None, f"column {unequal} does not")
    yield _without(_privacy_words(problem), kernel.privacy_defects(weights, alpha, problem.edges))
    yield from enclosure_claims(problem.privacy)
    for name in problem.properties:
        kind, colon, _ = name.partition(":")
        words = f"{name}: {MEANING[kind + colon]}"
        yield _without(words, kernel.property_defects(name, weights, denominator))
    yield _holds(document)
    yield _score(document, document)
    yield _bound(document)
    for place, stage in enumerate(document.stages):
        yield _score(document, stage)
        yield _stage_bound(document, place)
    if document.single is not None:
        yield _single(document, document.single)
    yield _status(document)
    for place, stated in enumerate(document.respects):
        of_stage = f" of stage {place + 1}" if place else ""
        for name, (exact, written) in (("score", stated.score), ("lower bound", stated.lower_bound)):
            near = abs(written - exact) <= ROUNDING * abs(exact) + LEAST
            words = f"the value of the {name}{of_stage} is its exact number rounded"
            yield Claim(words, near, f"it is {short_text(exact)}")
    yield epsilon_claim(problem.privacy.alpha, document.epsilon)


def enclosure_claims(privacy: Privacy) -> Iterator[Claim]:
    """Test, where epsilon was asked for, the rationals on either side of `exp(-epsilon)`."""
    if privacy.epsilon is not None:
        above = loss_bounds(privacy.alpha)[1] <= privacy.epsilon
        below = privacy.epsilon <= loss_bounds(privacy.bound_alpha)[0]
        yield Claim("alpha is at least exp(-asked_epsilon)", above, "that is not shown")
        yield Claim("bound_alpha is at most exp(-asked_epsilon)", below, "that is not shown")


def epsilon_claim(alpha: Fraction, epsilon: Fraction) -> Claim:
    """Test a stated epsilon, which is never below the loss."""
    low, high = loss_bounds(alpha)
    return Claim(
        "epsilon is -ln(alpha), rounded up", high <= epsilon <= low * (1 + ROUNDING), f"it is {short_text(high)}"
    )


def _without(claim: str, defects: Iterator[str]) -> Claim:
    found = next(defects, "")
    return Claim(claim, not found, found)


def _privacy_words(problem: Problem) -> str:
    if not problem.is_metric:
        words = "every output is at least alpha times as likely for an input as for its neighbour"
        return f"alpha-DP with alpha = {short_text(problem.high)}: {words}"
    ratio = "alpha^unit" if problem.low == problem.high else f"{short_text(problem.high)} (at least alpha^unit)"
    return f"every output is at least {ratio} to the power d as likely for an input as for one that is d units away"


def _holds(document: Document) -> Claim:
    names = {*LISTED_PROPERTIES, *document.problem.properties}
    having = {n for n in names if not list(kernel.property_defects(n, document.weights, document.denominator))}
    return Claim(
        f"the properties listed are exactly those that hold ({', '.join(sorted(having)) or 'none'})",
        set(document.holds) == having,
        f"it lists {shown(', '.join(sorted(document.holds)))}",
    )


def _aim(problem: Problem) -> Aim:
    return Aim(problem.loss, problem.loss_denominator, problem.prior)


def _score(document: Document, stated: Document | Stage) -> Claim:
    """Test the score of the matrix in one respect."""
    own = stated.problem
    score = own.rescaling * _aim(own).value(document.weights, document.denominator)
    respect = f" with {own.aim}" if isinstance(stated, Stage) else ""
    words = f"the score{respect} is {short_text(stated.score[0])}"
    return Claim(words, score == stated.score[0], f"it is {short_text(score)}")


def _bound(document: Document) -> Claim:
    problem, bound = document.problem, document.lower_bound[0]
    scope = ", for the distances as rounded" if problem.is_rounded else ""
    at = "alpha" if problem.privacy.epsilon is None else "epsilon"
    claim = f"no mechanism that meets these demands at this {at} scores below {short_text(bound)}{scope}"
    return _tested(claim, document, partial(_proved_bound, document))


def _stage_bound(document: Document, place: int) -> Claim:
    """Test the bound of a stage: that of all mechanisms whose scores before it are at most those of this one."""
    stage = document.stages[place]
    at = "alpha" if document.privacy.epsilon is None else "epsilon"
    claim = (
        f"of those at this {at} whose scores so far are at most these, none scores below "
        f"{short_text(stage.lower_bound[0])} with {stage.problem.aim}"
    )
    return _tested(claim, stage, partial(_proved_stage, document, place))


def _single(document: Document, single: Single) -> Claim:
    """Test that no other mechanism has these scores."""
    problem, respects = document.problem, [_aim(stated.problem) for stated in document.respects]
    of_those = " that equals its rotation" if single.rotations else ""
    claim = f"no other mechanism{of_those} meets these demands with these scores"
    demands = Demands(problem.high.as_integer_ratio(), problem.edges, problem.properties)
    try:
        return _without(claim, single_defects(demands, respects, single, document.weights, document.denominator))
    except ValueError as error:
        return Claim(claim, False, f"the proof is invalid: {error}")


def _tested(claim: str, stated: Document | Stage, prove: Callable[[], Fraction]) -> Claim:
    """Test that a bound is what its dual proves of the loss, and not above the score."""
    try:
        proved = stated.problem.rescaling * prove()
    except ValueError as error:
        return Claim(claim, False, f"the proof is invalid: {error}")
    if proved != stated.lower_bound[0]:
        return Claim(claim, False, f"the dual proves {short_text(proved)}")
    return Claim(claim, proved <= stated.score[0], "that is above the score")


def _proved_bound(document: Document) -> Fraction:
    """Compute what the dual proves of the loss.

    Raises:
        ValueError: for a dual that is none.
    """
    return _proved(document.problem, [], [], document.certificate)


def _proved_stage(document: Document, place: int) -> Fraction:
    """Compute what the dual of a stage proves of its loss; its ValueError as above."""
    stage = document.stages[place]
    earlier = [_aim(stated.problem) for stated in document.respects[: place + 1]]
    losses = [(aim, aim.value(document.weights, document.denominator)) for aim in earlier]
    return _proved(stage.problem, losses, stage.penalties, stage.certificate)


def _proved(
    problem: Problem, earlier: Sequence[tuple[Aim, Fraction]], penalties: Penalties, proof: Certificate
) -> Fraction:
    if proof.get("prices") is not None and problem.is_metric and problem.low != problem.high:
        raise ValueError("prices stand for one alpha, and step_alpha has two")
    demands = Demands(problem.low.as_integer_ratio(), problem.edges, problem.properties)
    return stage_bound(demands, earlier, penalties, _aim(problem), proof)


def _status(document: Document) -> Claim:
    """Test the status, which is that of the stage that is settled least."""
    found = [_status_of(stated) for stated in document.respects]
    status = max(found, key=list(STATUSES).index)
    return Claim(
        f"the status is {shown(document.status)}: {STATUSES.get(document.status, 'which is none')}",
        status == document.status,
        f"it is {status}",
    )


def _status_of(stated: Document | Stage) -> str:
    problem = stated.problem
    score, bound = (pair[0] / problem.rescaling for pair in (stated.score, stated.lower_bound))
    smallest = min((abs(x) for row in problem.loss for x in row if x), default=problem.loss_denominator)
    wide = score - bound > max(NARROW * abs(score), VANISHING * Fraction(smallest, problem.loss_denominator))
    return "exact" if score == bound and problem.privacy.epsilon is None else "feasible" if wide else "certified"


def short_text(value: Fraction) -> str:
    """Write a rational where it is short, else its decimals."""
    if max(abs(value.numerator), value.denominator) < 10 ** (LONGEST_SHOWN // 2):
        return str(value)
    try:
        return f"about {float(value):.12g}"
    except OverflowError:
        return "beyond 1e308"
