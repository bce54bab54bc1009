"""Write and read the document of a law, one mechanism for counts of every size; FORMAT.md says what each key means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechdesign.documents.claims import Claim, require_true
from mechdesign.documents.document import exact_entry, privacy_entry, seconds_entry
from mechdesign.documents.entries import parse_privacy, parse_seconds
from mechdesign.documents.files import FilePath
from mechdesign.documents.json_text import DecimalText
from mechdesign.errors import InputError
from mechdesign.laws.law import Law
from mechdesign.laws.problem import LawProblem
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.layered import LayeredMechanism
from mechdesign.problem.loss import Loss
from mechdesign.problem.properties import ordered
from mechdesign.rational import fraction_text, integer_text
from mechdesign.verify.laws import FORMAT as LAW_FORMAT
from mechdesign.verify.laws import law_items, read_law
from mechdesign.verify.texts import Decimals, UnreadableError
from mechdesign.version import __version__

LONGEST_EXACT = 128
"""Up to this n every number is stated exactly; beyond, those with powers of alpha at n are enclosed."""

SIGNIFICANT = 120
"""Bounds are rounded to so many bits, and enclosed numbers are as near."""


def law_document(law: Law, n: int | None = None) -> dict[str, Any]:
    """Make the JSON object of a law: at one n, or for every n from `law.least` on."""
    at = law.least if n is None else n
    law.require_size(at)
    document = {
        "format": LAW_FORMAT,
        "problem": law_problem_entry(law.problem, {"from": law.least} if n is None else n),
        "mechanism": _mechanism_entry(law),
        "dual": _dual_entry(law),
        **_excess_entry(law),
        "score": _enclosed_entry(*law.score(at), at, law.problem.power > 0 or law.dual is None),
        "lower_bound": _bound_entry(law, at),
        "status": law.status(at),
        "holds": list(law.holds(at)),
        "seconds": seconds_entry(law.seconds),
        "version": __version__,
        "method": law.method,
        "how": law.how,
    }
    return document


def law_problem_entry(problem: LawProblem, n: int | dict[str, int]) -> dict[str, Any]:
    """Write what was asked of a law, at one n or from one on."""
    return {
        "model": "count",
        "n": n,
        **privacy_entry(problem.privacy),
        "properties": list(ordered(problem.properties)),
        "loss": problem.loss.name,
        "aggregate": problem.aggregate,
        "prior": None if problem.is_worst_case else "uniform",
    }


def _mechanism_entry(law: Law) -> dict[str, Any]:
    mechanism = law.mechanism
    if isinstance(mechanism, FairMechanism):
        return {"kind": law.method}
    if mechanism.remap is not None:  # its slopes follow from what is asked
        return {"kind": law.method, "remap": list(mechanism.remap)}
    tables = {"rows": mechanism.rows} | ({} if mechanism.slopes is None else {"slopes": mechanism.slopes})
    entries = {key: [[integer_text(x) for x in row] for row in table] for key, table in tables.items()}
    return {
        "kind": law.method,
        "depth": mechanism.depth,
        "denominator": integer_text(mechanism.denominator),
        **entries,
    }


def _dual_entry(law: Law) -> dict[str, Any]:
    dual = law.dual
    if dual is None:
        return {"kind": law.method}
    return {
        "kind": law.method,
        "depth": dual.depth,
        "denominator": integer_text(dual.denominator),
        "prices": [integer_text(price) for price in dual.prices],
        "rows": [[*row[:5], integer_text(row[5])] for row in dual.multipliers],
        **({"lowered": dual.lowered} if law.problem.power else {}),
    }


def _excess_entry(law: Law) -> dict[str, Any]:
    if law.dual is None:
        return {}
    sloping = isinstance(law.mechanism, LayeredMechanism) and law.mechanism.slopes is not None
    pairs = {"layer": law.excess, "bound": law.bound_excess}
    entry = {key: fraction_text(pair[0]) for key, pair in pairs.items()}
    if sloping:
        entry |= {f"{key}_slope": fraction_text(pair[1]) for key, pair in pairs.items()}
    return {"excess": entry}


def _enclosed_entry(low: Fraction, high: Fraction, n: int, has_powers: bool) -> dict[str, Any]:
    """Write a number exactly, or, where it has powers of alpha at an n beyond 128, its two ends rounded outward."""
    if n <= LONGEST_EXACT or not has_powers:
        return exact_entry(low)
    ends = {"low": fraction_text(_rounded(low)), "high": fraction_text(-_rounded(-high))}
    return {"exact": None, "value": float(low), **ends}


def _bound_entry(law: Law, n: int) -> dict[str, Any]:
    low, high = law.bound(n)
    if law.problem.power:
        low = high = _rounded(low)
    return _enclosed_entry(low, high, n, law.problem.power > 0 or law.dual is None)


def _rounded(value: Fraction) -> Fraction:
    """Round down to so many significant bits, to a power of two as denominator."""
    places = max(0, SIGNIFICANT + value.denominator.bit_length() - abs(value.numerator).bit_length())
    return Fraction((value.numerator << places) // value.denominator, 1 << places)


def parse_law(data: object, source: str) -> Law:
    """Parse a law from JSON values, the form alone: `law_claims` tells whether what it claims is true.

    Raises:
        InputError: saying what is not as FORMAT.md has it.
    """
    try:
        found = read_law(_as_checker_reads(data))
        assert isinstance(data, Mapping)  # it was read
        asked = data["problem"]
        properties, loss = frozenset(found.properties), Loss.parse(f"L{found.power}")
        problem = LawProblem(parse_privacy(asked), properties, loss, asked["aggregate"])
    except (UnreadableError, InputError) as error:
        raise InputError(f"{error} (in {source})") from None
    seconds, how = parse_seconds(data["seconds"]), data["how"]
    if found.layered is None:
        return Law(problem, FairMechanism(problem.privacy.alpha), None, found.n, seconds, how)
    layer = found.layered.layer
    remap = data["mechanism"].get("remap")
    mechanism = LayeredMechanism(
        layer.alpha, layer.rows, layer.denominator, layer.slopes, None if remap is None else tuple(remap)
    )
    return Law(problem, mechanism, found.layered.dual, found.n, seconds, how)


def _as_checker_reads(value: Any) -> Any:
    """Return JSON values with numbers that have a point as the checker keeps them: the text that is written."""
    if isinstance(value, Mapping):
        return {key: _as_checker_reads(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_as_checker_reads(inner) for inner in value]
    if isinstance(value, DecimalText):
        return Decimals(value)
    return Decimals(repr(value)) if isinstance(value, float) else value


def law_claims(data: Any) -> Iterator[Claim]:
    """Test everything that the document of a law claims, by the trusted checker of laws."""
    for item in law_items(read_law(_as_checker_reads(data))):
        yield Claim(item.claim, item.proved, "" if item.proved else item.detail)


@dataclass(frozen=True)
class StoredLaw:
    """Hold a law as it was read, and the JSON values that claim what is told of it; nothing is believed yet."""

    law: Law
    data: Any

    @property
    def n(self) -> int | None:
        """The one size of the document; None where it speaks of every size."""
        size = self.data["problem"]["n"]
        return size if isinstance(size, int) else None

    def proved(self, source: FilePath) -> Law:
        """Return the law once everything that its document claims is proved again.

        Raises:
            RefusedError: naming the first claim that is false.
        """
        require_true(law_claims(self.data), source)
        return self.law

    def size(self, n: int | None, source: FilePath) -> int:
        """Choose the size at which the law is written out: n, or the only one of the document.

        Raises:
            InputError: where none is given and the document speaks of every size, or where it speaks of another.
        """
        size = self.n if n is None else n
        if size is None:
            raise InputError(f"n must be given for a law for groups of every size, got none with {source}")
        if self.n not in (None, size):
            raise InputError(f"n must be {self.n} as in {source}, got n={n}")
        return size


def is_law(data: object) -> bool:
    """Tell whether JSON values say that they are a law."""
    return isinstance(data, Mapping) and data.get("format") == LAW_FORMAT
