"""Test what the document of a local mechanism for a workload says, each statement on its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.certificate.by_levels import bound_by_levels, variance_by_levels
from mechdesign.certificate.row_designs.bounds import proved_bound, require_prior
from mechdesign.certificate.row_designs.variance import RowInformation
from mechdesign.documents.claims import LEAST_VALUE, VALUE_ROUNDING, Claim, epsilon_claim
from mechdesign.documents.row_designs.document import WorkloadDocument
from mechdesign.errors import InputError, NotCertifiedError
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.rational import nearest_float, number_text, short_text
from mechdesign.workloads.levels import levels_of

GAP_ROUNDING = Fraction(1, 10**12)
"""A stated gap may be above the true one by this, besides rounding."""

MOST_INVERTED = 256
"""Groups of items up to which the variance of any mechanism is computed; beyond only of symmetric ones."""


@dataclass(frozen=True)
class Spread:
    """Hold the variances for a user of each group between two rationals, and the asked one where it is known."""

    low: tuple[Fraction, ...]
    high: tuple[Fraction, ...]
    exact: Fraction | None


def workload_claims(document: WorkloadDocument) -> Iterator[Claim]:
    """Test everything that the document of a local mechanism for a workload claims."""
    positive = all(weight > 0 for weight in document.weights)
    yield Claim("weights are positive", positive)
    yield Claim(f"alpha-LDP with alpha = {number_text(document.problem.alpha)} (two probabilities a report)", positive)
    mechanism = None
    try:
        mechanism = document.mechanism()
        yield Claim("the probabilities of every item sum to 1", True)
    except InputError as error:
        yield Claim("the probabilities of every item sum to 1", False, str(error))
    if mechanism is not None:
        yield from _variance_claims(document, mechanism)
    yield from _bound_claims(document)
    yield epsilon_claim(document.problem.alpha, document.epsilon)


def _variance_claims(document: WorkloadDocument, mechanism: RowMechanism) -> Iterator[Claim]:
    told = "every query has an unbiased answer"
    try:
        spread = _spread(document, mechanism)
    except (InputError, NotCertifiedError) as error:
        yield Claim(told, False, str(error))
        return
    yield Claim(told, True)
    low, high = _aimed(document, spread)
    value = document.upper_value
    if document.upper is None:
        yield Claim(f"the variance for each user is at most {nearest_float(value):.12g}", high <= value, _it_is(high))
    else:
        exact = spread.exact == document.upper
        yield Claim(f"the variance for each user is {short_text(document.upper)}", exact, _it_is(high))
    near = high <= value <= low + VALUE_ROUNDING * abs(low) + LEAST_VALUE
    yield Claim("the variance's value is the variance rounded up", near, _it_is(high))
    sizes = document.problem.merged.sizes
    for name, stated, sides in (
        ("least", document.inputs.least, (min(spread.low), min(spread.high))),
        ("mean", document.inputs.mean, (_mean(spread.low, sizes), _mean(spread.high, sizes))),
        ("largest", document.inputs.largest, (max(spread.low), max(spread.high))),
    ):
        room = VALUE_ROUNDING * abs(sides[0]) + LEAST_VALUE
        words = f"the {name} variance over the items is {nearest_float(stated):.12g}"
        yield Claim(words, sides[1] - room <= stated <= sides[0] + room, _it_is(sides[0]))


def _it_is(value: Fraction) -> str:
    return f"it is {nearest_float(value):.12g}"


def _spread(document: WorkloadDocument, mechanism: RowMechanism) -> Spread:
    """Compute the variances; by symmetry where there is enough of it.

    Raises:
        InputError: where not all queries can be answered without bias.
        NotCertifiedError: where the variance is not told.
    """
    problem = document.problem
    levels = levels_of(problem.workload) if len(set(document.proof.prior)) == 1 else None
    exact = None if levels is None else variance_by_levels(levels, mechanism)
    if exact is not None:
        return Spread((exact,), (exact,), exact)
    if problem.merged.size > MOST_INVERTED:
        raise NotCertifiedError(f"not told for more than {MOST_INVERTED} groups of items without symmetry")
    information = RowInformation(problem.merged, mechanism, document.proof.prior)
    low, high = information.bounds()
    wanted = document.upper is not None and not problem.is_worst_case
    return Spread(low, high, information.exact() if wanted else None)


def _aimed(document: WorkloadDocument, spread: Spread) -> tuple[Fraction, Fraction]:
    """Return what is minimised, from below and above."""
    if spread.exact is not None:
        return spread.exact, spread.exact
    if document.problem.is_worst_case:
        return max(spread.low), max(spread.high)
    sizes = document.problem.merged.sizes
    return _mean(spread.low, sizes), _mean(spread.high, sizes)


def _mean(values: tuple[Fraction, ...], sizes: tuple[int, ...]) -> Fraction:
    """Return the mean over the items; one value stands for all."""
    if len(values) == 1:
        return values[0]
    return sum((size * value for size, value in zip(sizes, values, strict=True)), Fraction(0)) / sum(sizes)


def _bound_claims(document: WorkloadDocument) -> Iterator[Claim]:
    lower = document.lower
    text = f"no unbiased linear answers have less than {short_text(lower)} (re-proved by {document.proof.kind})"
    upper = document.upper_value if document.upper is None else document.upper
    try:
        proved = _proved(document)
        yield Claim(text, proved == lower <= upper, f"the certificate proves {nearest_float(proved):.12g}")
    except ValueError as error:
        yield Claim(text, False, f"the proof is invalid: {error}")
    near = lower - VALUE_ROUNDING * abs(lower) - LEAST_VALUE <= document.lower_value <= lower
    yield Claim("the bound's value is the bound rounded down", near, _it_is(lower))
    yield Claim("floor is a bound", document.floor <= lower, "it is above the bound that is proved")
    gap = upper / lower - 1 if lower > 0 else None
    if gap is None or document.gap is None:
        yield Claim("gap is stated where there is a bound above 0", gap is None and document.gap is None)
        return
    near = gap <= document.gap <= gap * (1 + VALUE_ROUNDING) + GAP_ROUNDING
    yield Claim("gap is the part by which the variance is above the bound", near, f"it is {nearest_float(gap):.3g}")


def _proved(document: WorkloadDocument) -> Fraction:
    """Return the bound that the certificate proves.

    Raises:
        ValueError: where it proves none.
    """
    problem, proof = document.problem, document.proof
    if proof.kind != "levels":
        return proved_bound(problem, proof)
    levels = levels_of(problem.workload)
    if levels is None:
        raise ValueError("the workload has no levels")
    require_prior(problem, proof)
    if len(set(proof.prior)) > 1:
        raise ValueError("the prior is not that of equally likely items")
    return bound_by_levels(levels, problem.alpha, proof)
