"""The verdict on a plain matrix in a few sentences: what is wrong, what rounding explains of it, and what is right."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from mechdesign.audits.audit import SUM_ROUNDING, Audit
from mechdesign.audits.matrices import integer_matrix, open_matrix
from mechdesign.audits.within import Box
from mechdesign.documents.storage import StoredMatrix
from mechdesign.problem.privacy import rounded_up
from mechdesign.rational import number_text
from mechdesign.verify.proving import Claim
from mechdesign_cli.showing.cells import box_of, halves_in

Message = tuple[Literal["failed", "warn", "good"], str]
Extent = Literal["beyond", "within", "forgiven"]
"""Whether a fault vanishes within the rounding, or the tolerance that was given; sums so close to 1 are forgiven."""

Fault = tuple[str, Extent]
MOST_NAMED = 3
UNCLAIMED = "Nothing is claimed of it; state a claim to test it."


@dataclass(frozen=True)
class _Reading:
    """A matrix that was audited, with the box of those so near that rounding, or the tolerance, explains them."""

    found: Audit
    weights: list[list[int]]
    box: Box | None

    @property
    def tolerance(self) -> Fraction | None:
        return None if self.found.within is None else self.found.within.tolerance

    def faults(self) -> list[Fault]:
        """List all that is wrong with the matrix as it is written."""
        return [*self._negative(), *self._columns(), *self._infinite(), *self._claims()]

    def _negative(self) -> Iterator[Fault]:
        certain = {(i, j) for i, j in self.found.negative if self.box is None or self.box.high[i][j] < 0}
        rounded = [place for place in self.found.negative if place not in certain]
        by_extent: dict[Extent, list[tuple[int, int]]] = {"beyond": sorted(certain), "within": rounded}
        for extent, places in by_extent.items():
            for i, j in places[:1]:
                more = "" if len(places) == 1 else f" ({len(places):,} entries are negative)"
                yield f"output {i} has a negative number for input {j}, which is no probability{more}", extent

    def _columns(self) -> Iterator[Fault]:
        improbable = {j for j, _ in self.found.column_errors} if self.box is None else {*self.box.improbable_columns}
        forgiven = SUM_ROUNDING if self.tolerance is None else 0
        errors: dict[Extent, dict[int, Fraction]] = {"beyond": {}, "within": {}, "forgiven": {}}
        for j, error in self.found.column_errors:
            errors["within" if j not in improbable else "forgiven" if abs(error) <= forgiven else "beyond"][j] = error
        if wrong := errors.pop("beyond"):
            j = max(wrong, key=lambda j: abs(wrong[j]))
            start = "" if len(wrong) == 1 else f"{len(wrong)} columns do not sum to 1, the furthest: "
            yield f"{start}column {j} sums to {number_text(1 + wrong[j])}", "beyond"
        for extent, rest in errors.items():
            if rest:
                which = f"{len(rest)} of {self.found.n_inputs} columns miss" if len(rest) > 1 else "1 column misses"
                yield f"{which} a sum of 1 by at most {rounded_up(max(map(abs, rest.values())), 2)}", extent

    def _infinite(self) -> Iterator[Fault]:
        own, within = self.found.own, self.found.within
        if own.alpha is not None or own.output is None or own.low is None:
            return
        extent: Extent = "beyond" if within is None or math.isinf(within.epsilon) else "within"
        if self.weights[own.output][own.low] < 0:
            yield "epsilon is infinite", extent
            return
        what = "count" if self.found.model is None or self.found.model.name == "count" else "input"
        proof = f"output {own.output} proves that the {what} is not {own.low}"
        yield f"{proof}, so epsilon is infinite: this matrix is not private", extent

    def _claims(self) -> Iterator[Fault]:
        """Yield the claims that are false, but that of the columns, which is the first and has faults of its own."""
        found = self.found
        near = found.claims if found.within is None else found.within.claims
        wrong = [(one, other.true) for one, other in zip(found.claims[1:], near[1:], strict=True) if not one.true]
        if named := [claim for claim, vanishes in wrong if not vanishes]:
            yield _false(named, has_detail=found.own.alpha is not None), "beyond"
        if named := [claim for claim, vanishes in wrong if vanishes]:
            yield _false(named, has_detail=False), "within"

    def right(self, has_faults: bool) -> str:
        """Say what holds of the matrix as it is written."""
        found = self.found
        true = [claim.claim for claim in found.claims if claim.true]
        if found.claims:
            every = len(true) == len(found.claims)
            return (
                f"All {len(true)} claims are true." if every else f"True as written: {'; '.join(true)}." if true else ""
            )
        if not has_faults:
            return f"A matrix of exact distributions with a finite epsilon. {UNCLAIMED}"
        parts = ["every column sums to exactly 1"] if found.column_sums_exact else []
        parts += [] if found.negative else ["no entry is negative"]
        is_mechanism = all(extent != "beyond" for _, extent in (*self._negative(), *self._columns()))
        if is_mechanism and found.own.alpha is not None:
            parts.append(f"epsilon is at most {rounded_up(Fraction(found.epsilon))}")
        return f"As written, {_listed(parts)}. {UNCLAIMED}" if parts else ""


def headline(found: Audit, stored: StoredMatrix) -> list[Message]:
    """Return the faults that no rounding explains, those that vanish within it, and what holds, as far as there are."""
    weights, denominator = integer_matrix(open_matrix(stored))
    halves = halves_in(found, stored)
    reading = _Reading(found, weights, None if halves is None else box_of(weights, denominator, halves))
    faults = reading.faults()
    texts = {extent: [text for text, own in faults if own == extent] for extent in ("beyond", "within", "forgiven")}
    near = "the rounding of the file" if reading.tolerance is None else "the tolerance"
    said: list[Message] = []
    if beyond := texts["beyond"]:
        by_none = f" {_capital(near)} does not explain {'any of this' if len(beyond) > 1 else 'it'}."
        said.append(("failed", _sentences(beyond) + ("" if reading.box is None else by_none)))
    rest = []
    if (within := texts["within"]) and found.within is not None:
        which, mend = ("it", "mend it") if len(within) == 1 else ("each of these", "mend any one of them")
        changes = f"changes of at most {rounded_up(found.within.largest, 2)} to each entry {mend}"
        rest.append(f"As written, {_listed(within)}. {_capital(near)} explains {which}: {changes}.")
    rest += [f"{_capital(text)}, below the 1e-9 that is forgiven." for text in texts["forgiven"]]
    if rest:
        is_enough = reading.tolerance is not None and found.passed and bool(found.claims)
        said.append(("good" if is_enough else "warn", " ".join(rest)))
    right = reading.right(bool(faults))
    return [*said, ("good", right)] if right else said


def _false(claims: Sequence[Claim], has_detail: bool) -> str:
    """Say that claims are false, and how a single one fails."""
    named = [claim.claim for claim in claims[:MOST_NAMED]]
    if len(claims) > MOST_NAMED:
        named.append(f"{len(claims) - MOST_NAMED} more")
    if len(claims) > 1:
        return f"{_listed(named)} are false"
    detail = claims[0].detail
    return f"{named[0]} is false{f': {detail}' if has_detail and detail else ''}"


def _listed(parts: Sequence[str]) -> str:
    return ", and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _sentences(texts: Sequence[str]) -> str:
    return " ".join(f"{_capital(text)}." for text in texts)


def _capital(text: str) -> str:
    return text if text.startswith("alpha-") else text[:1].upper() + text[1:]
