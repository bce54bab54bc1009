"""Test what the document of a local mechanism for a workload says, each statement on its own."""

from collections.abc import Iterator
from fractions import Fraction

from mechdesign.certificate.row_designs.bounds import proved_bound
from mechdesign.certificate.row_designs.measuring import spread_of
from mechdesign.documents.claims import LEAST_VALUE, VALUE_ROUNDING, Claim, enclosure_claims, epsilon_claim
from mechdesign.documents.row_designs.document import WorkloadDocument
from mechdesign.errors import InputError, NotCertifiedError
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.rational import nearest_float, number_text, short_text

GAP_ROUNDING = Fraction(1, 10**12)
"""A stated gap may be above the true one by this, besides rounding."""


def workload_claims(document: WorkloadDocument) -> Iterator[Claim]:
    """Test everything that the document of a local mechanism for a workload claims."""
    positive = all(weight > 0 for weight in document.weights)
    yield Claim("weights are positive", positive)
    yield Claim(f"alpha-LDP with alpha = {number_text(document.problem.alpha)} (two probabilities a report)", positive)
    yield from enclosure_claims(document.problem.privacy)
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
        at_length = document.upper is not None
        spread = spread_of(document.problem, mechanism, document.proof.prior, at_length=at_length)
    except (InputError, NotCertifiedError) as error:
        yield Claim(told, False, str(error))
        return
    yield Claim(told, True)
    low, high = spread.asked
    value = document.upper_value
    if document.upper is None:
        yield Claim(f"the variance for each user is at most {nearest_float(value):.12g}", high <= value, _it_is(high))
    else:
        exact = spread.exact == document.upper
        yield Claim(f"the variance for each user is {short_text(document.upper)}", exact, _it_is(high))
    near = high <= value <= low + VALUE_ROUNDING * abs(low) + LEAST_VALUE
    yield Claim("the variance's value is the variance rounded up", near, _it_is(high))
    for name, stated, sides in (
        ("least", document.inputs.least, (min(spread.low), min(spread.high))),
        ("mean", document.inputs.mean, spread.mean),
        ("largest", document.inputs.largest, (max(spread.low), max(spread.high))),
    ):
        room = VALUE_ROUNDING * abs(sides[0]) + LEAST_VALUE
        words = f"the {name} variance over the items is {nearest_float(stated):.12g}"
        yield Claim(words, sides[1] - room <= stated <= sides[0] + room, _it_is(sides[0]))


def _it_is(value: Fraction) -> str:
    return f"it is {nearest_float(value):.12g}"


def _bound_claims(document: WorkloadDocument) -> Iterator[Claim]:
    lower = document.lower
    is_exact = document.problem.privacy.is_exact
    at, below = ("alpha", "") if is_exact else ("epsilon", ", at bound_alpha")
    what = f"{document.problem.frequencies} no unbiased linear answers at this {at} have less than"
    text = f"{what} {short_text(lower)} (re-proved by {document.proof.kind}{below})"
    upper = document.upper_value if document.upper is None else document.upper
    try:
        proved = proved_bound(document.problem, document.proof)
        yield Claim(text, proved == lower <= upper, f"the certificate proves {nearest_float(proved):.12g}")
    except ValueError as error:
        yield Claim(text, False, f"the proof is invalid: {error}")
    near = lower - VALUE_ROUNDING * abs(lower) - LEAST_VALUE <= document.lower_value <= lower
    yield Claim("the bound's value is the bound rounded down", near, _it_is(lower))
    if document.floor > 0:  # no variance is below 0
        yield Claim("floor is a bound", document.floor <= lower, "it is above the bound that is proved")
    gap = upper / lower - 1 if lower > 0 else None
    if gap is None or document.gap is None:
        yield Claim("gap is stated where there is a bound above 0", gap is None and document.gap is None)
        return
    near = gap <= document.gap <= gap * (1 + VALUE_ROUNDING) + GAP_ROUNDING
    yield Claim("gap is the part by which the variance is above the bound", near, f"it is {nearest_float(gap):.3g}")
