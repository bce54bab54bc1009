"""The verdict on a plain matrix in a few sentences: what is wrong, or what it fits within the rounding of its file."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from mechdesign.audits.audit import SUM_ROUNDING, Audit
from mechdesign.audits.matrices import integer_matrix, open_matrix
from mechdesign.audits.within import Box
from mechdesign.documents.storage import StoredMatrix
from mechdesign.problem.privacy import rounded_down, rounded_up
from mechdesign.rational import number_text
from mechdesign.verify.proving import Claim
from mechdesign_cli.showing.cells import box_of, halves_in

Kind = Literal["failed", "warn", "good", "note"]
Message = tuple[Kind, str]
Extent = Literal["beyond", "within", "forgiven"]
"""Whether a fault vanishes within the rounding, or the tolerance that was given; sums so close to 1 are forgiven."""

EXTENTS: tuple[Extent, ...] = ("beyond", "within", "forgiven")
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
        yield f"{proof}: this matrix is not private at any epsilon", extent

    def _claims(self) -> Iterator[Fault]:
        """Yield the claims that are false, but that of the columns, which is the first and has faults of its own."""
        found = self.found
        near = found.claims if found.within is None else found.within.claims
        wrong = [(one, other.true) for one, other in zip(found.claims[1:], near[1:], strict=False) if not one.true]
        if named := [claim for claim, vanishes in wrong if not vanishes]:
            yield _false(named, has_detail=self.found.own.alpha is not None), "beyond"
        if named := [claim for claim, vanishes in wrong if vanishes]:
            text = _listed([claim.claim for claim in named])
            yield f"{text} {'is' if len(named) == 1 else 'are'} not exactly true", "within"

    def verdict(self) -> Iterator[Message]:
        """Yield the verdict, as serious as the gravest fault of the matrix as it is written, and what is beside it."""
        faults = self.faults()
        beyond, within, forgiven = ([text for text, own in faults if own == one] for one in EXTENTS)
        decides = self.tolerance is not None and self.found.passed and bool(self.found.claims)
        infinite = [text for text, extent in self._infinite() if extent == "within"]
        small = [f"{_capital(text)}, below the 1e-9 that is forgiven." for text in forgiven]
        zero = [f"As written, {text}." for text in infinite] + self._least(bool(infinite))
        fits = self._fit()
        if beyond:
            unexplained = f"{_capital(self.near)} does not explain {'any of this' if len(beyond) > 1 else 'it'}."
            yield "failed", " ".join([_sentences(beyond), *([unexplained] if self.box else []), *zero])
        elif infinite:
            yield "warn" if decides else "failed", " ".join([*zero, *([fits] if self.found.claims else [])])
        elif within:
            together = self.found.within is not None and self.found.within.together
            kind: Kind = "good" if together else "warn" if together is None or not fits else "failed"
            if fits:
                yield kind, fits
            written = _listed([*within, *self._epsilon()], comma=",")
            yield "note" if fits else "warn", " ".join([f"As written, {written}.", *small])
        else:
            yield "good", self._right(bool(small))
            if small:
                yield "note", " ".join(small)

    @property
    def near(self) -> str:
        """What explains a fault: how far the entries may be off."""
        return "the rounding of the file" if self.tolerance is None else "the tolerance"

    @property
    def _far(self) -> str:
        within = self.found.within
        return "" if within is None else f"within {rounded_up(within.largest, 2)} of it in each entry"

    def _least(self, has_zero: bool) -> list[str]:
        """Say what epsilon some matrix so near has, where that decides."""
        found, within = self.found, self.found.within
        is_missed = within is not None and any(c.claim.startswith("alpha-DP") and not c.true for c in within.claims)
        if within is None or within.least is None or not (has_zero or is_missed):
            return []
        zero = "Even if a 0 is a small number that was rounded, " if has_zero and not found.negative else ""
        least = f"{zero}epsilon is at least {rounded_down(within.least)}"
        return [f"{_capital(least)}. No mechanism within {self.near} has less."]

    def _fit(self) -> str:
        """Say whether a matrix so near has all that is claimed; of no claims, that it is a mechanism."""
        found, within = self.found, self.found.within
        if within is None or not within.column_sums or not all(c.true for c in within.claims[: len(found.claims)]):
            return ""
        file = "To its digits the file" if self.tolerance is None else "Within the tolerance the file"
        claimed = _listed([claim.claim for claim in found.claims[1:]])
        if not claimed and within.reached is None:
            return f"{file} may be a mechanism: its columns can sum to 1. {UNCLAIMED}"
        if not claimed and within.reached is not None:
            has = f"epsilon as small as {rounded_up(within.reached)}, and columns that sum to 1"
            return f"{file} is a mechanism: some matrix {self._far} has {has}. {UNCLAIMED}"
        if within.together:
            has = "it" if len(found.claims) == 2 else "all of this at once"
            proof = f"This is proved: some matrix {self._far} has {has}, and columns that sum to 1."
            return f"{file} fits {claimed}. {proof}"
        each = f"of some matrix {self._far}"
        if within.together is False:
            never = (
                f"Each is true {each}, but none within {self.near} has all of it and columns that sum to 1, which is"
            )
            return f"{file} does not fit all this: {claimed}. {never} proved."
        apart = f"Each is true {each}. Whether one has all of it was not asked of so many entries."
        return f"{file} fits each of these alone: {claimed}. {apart}"

    def _epsilon(self) -> list[str]:
        """Say the epsilon of the matrix as it is written."""
        own = self.found.own
        return [] if own.alpha is None else [f"epsilon is at most {rounded_up(Fraction(self.found.epsilon))}"]

    def _right(self, is_forgiven: bool) -> str:
        """Say what holds of a matrix without a fault."""
        if count := len(self.found.claims):
            return "The claim is true." if count == 1 else f"All {count} claims are true."
        exact = "" if is_forgiven else "exact "
        return f"A matrix of {exact}distributions: {_listed(self._epsilon())}. {UNCLAIMED}"


def headline(found: Audit, stored: StoredMatrix) -> list[Message]:
    """Return the verdict on a plain matrix: what is wrong, or what it fits within its rounding, with what decides."""
    weights, denominator = integer_matrix(open_matrix(stored))
    halves = halves_in(found, stored)
    reading = _Reading(found, weights, None if halves is None else box_of(weights, denominator, halves))
    return list(reading.verdict())


def _false(claims: Sequence[Claim], has_detail: bool) -> str:
    """Say that claims are false, and how a single one fails."""
    named = [claim.claim for claim in claims[:MOST_NAMED]]
    if len(claims) > MOST_NAMED:
        named.append(f"{len(claims) - MOST_NAMED} more")
    if len(claims) > 1:
        return f"{_listed(named)} are false"
    detail = claims[0].detail
    return f"{named[0]} is false{f': {detail}' if has_detail and detail else ''}"


def _listed(parts: Sequence[str], comma: str = "") -> str:
    comma = "," if len(parts) > 2 else comma
    return f"{', '.join(parts[:-1])}{comma} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def _sentences(texts: Sequence[str]) -> str:
    return " ".join(f"{_capital(text)}." for text in texts)


def _capital(text: str) -> str:
    return text if text.startswith("alpha-") else text[:1].upper() + text[1:]
