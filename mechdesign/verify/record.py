"""Proofs of the designs of a release record, and of its numbers and digests."""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import pairwise
from typing import Any

from . import kernel
from .document import FORMAT_OF_STAGES, Document, read_document
from .fair import fair_sum
from .laws import LawDocument, law_claims, read_law
from .layer_duals import bound_sum
from .layers import LARGEST_N, score_sum
from .proving import Claim, document_claims, epsilon_claim
from .texts import (
    Decimals,
    UnreadableError,
    different_texts,
    entries,
    items,
    name_of_column,
    number,
    rational,
    shown,
    text,
    whole,
)

FORMATS = ("mechdesign-release/1", "mechdesign-release/2", "mechdesign-release/3", "mechdesign-release/4")
DESIGN_FORMAT = "mechdesign-design/1"
INTERVALS = ("low", "high", "low_all", "high_all")
TOP = (
    *("format", "version", "date", "column", "group", "unit", "privacy", "groups", "units", "sizes", "output"),
    *("input", "simulation", "designs_sha256", "statement", "designs"),
)
OF_ALL_KINDS = ("intervals", "values", "law_sizes", "law")
MORE = {FORMATS[0]: (), FORMATS[1]: ("intervals",), FORMATS[2]: OF_ALL_KINDS, FORMATS[3]: OF_ALL_KINDS}
WIDEST_GAP = Fraction(1, 10**6)
"""The part of the score by which a law may miss the best, at its smallest and its largest size."""

NOT_LOOKED_AT = "not looked at: the statement in words, the input, who was counted, and an output that is not named"
MOST_GROUPS = 10**300
MOST_VALUES = 20
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class SizeOfGroups:
    """The groups of n units in a record: their number, the stated digest, their design."""

    n: int
    groups: int
    stated: str
    digest: str
    design: Document | None

    @property
    def document(self) -> Document:
        """The design; a matrix without a proof, as a draw keeps it before it is published, has none."""
        if self.design is None:
            raise UnreadableError(f"design for n = {self.n} must be a design document, got a matrix alone")
        return self.design


@dataclass(frozen=True)
class LawOfGroups:
    """The groups that one law released: (n, how many), the stated digest, and the law."""

    groups: list[tuple[int, int]]
    stated: str
    digest: str
    document: LawDocument


@dataclass(frozen=True)
class Record:
    """The parts of a record that are tested."""

    alpha: Fraction
    epsilon: Fraction
    groups: int
    units: int
    sizes: list[SizeOfGroups]
    designs_digest: str
    column: str
    names: list[str]
    columns: list[str]
    size_column: str | None
    output_digest: str
    confidence: Fraction | None
    law: LawOfGroups | None
    values: list[str]

    @property
    def groups_by_size(self) -> dict[int, int]:
        """How many groups of each size there are, whatever released them."""
        found = {size.n: size.groups for size in self.sizes}
        return found | dict(self.law.groups if self.law else [])


def read_record(data: Any, plain: bool = False) -> Record:
    """Read a record from JSON values; `plain` takes matrices without a proof too, which are never published so.

    Raises:
        UnreadableError: saying what is none.
    """
    form = data.get("format") if isinstance(data, dict) else None
    if type(form) is not str or form not in FORMATS:
        got = f"the format {shown(form)}" if isinstance(data, dict) else shown(data)
        raise UnreadableError(f"file must be a release record (format {', '.join(FORMATS)}), got {got}")
    entries(data, "release record", (*TOP, *MORE[form]), ("x",))
    _require_remarks(data)
    output = data["output"]
    privacy = entries(data["privacy"], "privacy", ("alpha", "epsilon"))
    alpha = rational(privacy["alpha"], "alpha")
    if not 0 < alpha <= 1:
        raise UnreadableError(f"alpha must be in (0, 1], got {shown(privacy['alpha'])}")
    stated = items(data["sizes"], "sizes", lambda entry, name: entries(entry, name, ("n", "groups", "design")))
    designs = items(data["designs"], "designs", lambda entry, _: entry, len(stated))
    sizes = [_size(entry, design, plain) for entry, design in zip(stated, designs, strict=True)]
    law = _law(data["law_sizes"], data["law"]) if form in FORMATS[2:] and _has_law(data) else None
    formats = {one["format"] for one in designs if isinstance(one, dict) and "format" in one}
    if form == FORMATS[0] and formats - {DESIGN_FORMAT}:
        raise UnreadableError(f"designs of {FORMATS[0]} must be {DESIGN_FORMAT}, got another version")
    if (FORMAT_OF_STAGES in formats) != (form == FORMATS[3]):
        raise UnreadableError(f"designs must be of several respects in {FORMATS[3]} alone, one at least, got {form}")
    if not (sizes or law) or any(one.n >= other.n for one, other in pairwise(sizes)):
        raise UnreadableError("sizes must rise, and be at least one")
    if law and {size.n for size in sizes} & {n for n, _ in law.groups}:
        raise UnreadableError("a size must have a design of its own or the law, got one with both")
    return Record(
        alpha,
        number(privacy["epsilon"], "epsilon"),
        whole(data["groups"], "groups", -MOST_GROUPS, MOST_GROUPS),
        whole(data["units"], "units", -MOST_GROUPS, MOST_GROUPS),
        sizes,
        _digest(data["designs_sha256"], "designs_sha256"),
        data["column"],
        _names(data["group"], form in FORMATS[2:]),
        output["columns"],
        output["size_column"],
        output["sha256"],
        _confidence(data.get("intervals")),
        law,
        _values(data.get("values"), data["group"] is not None),
    )


def _values(value: object, are_microdata: bool) -> list[str]:
    """Return the values of a category; none where a bit or a table was counted."""
    if value is None:
        return []
    found = different_texts(value, "values")
    if not 2 <= len(found) <= MOST_VALUES or not are_microdata:
        raise UnreadableError(f"values must be 2 to {MOST_VALUES} texts, of groups of microdata, got {shown(value)}")
    return found


def _confidence(intervals: object) -> Fraction | None:
    if intervals is None:
        return None
    found = rational(entries(intervals, "intervals", ("confidence",))["confidence"], "confidence")
    if not 0 < found < 1:
        raise UnreadableError(f"confidence must be in (0, 1), got {shown(str(found))}")
    return found


def _require_remarks(data: dict[str, Any]) -> None:
    """Refuse a wrong form of what no claim here is about: words, names of columns, output, input."""
    for key in ("version", "statement"):
        text(data[key], key)
    _require_day(data["date"])
    name_of_column(data["column"], "column")
    unit = entries(data["unit"], "unit", ("name", "column"))
    text(unit["name"], "name of the unit")
    _name_or_null(unit["column"], "column of the unit")
    output = entries(data["output"], "output", ("columns", "size_column", "sha256"))
    columns = items(output["columns"], "columns", name_of_column)
    if not columns:
        raise UnreadableError("columns of the output must be texts, and at least one")
    if _name_or_null(output["size_column"], "size_column") not in (None, *columns[:-1]):
        raise UnreadableError(f"size_column must be a column before the last, got {shown(output['size_column'])}")
    _digest(output["sha256"], "sha256")
    if data["input"] is not None:
        _digest(entries(data["input"], "input", ("hmac_sha256",))["hmac_sha256"], "hmac_sha256")
    if type(data["simulation"]) is not bool:
        raise UnreadableError(f"simulation must be true or false, got {shown(data['simulation'])}")


def _has_law(data: dict[str, Any]) -> bool:
    nulls = [data["law_sizes"] is None, data["law"] is None]
    if nulls[0] != nulls[1]:
        raise UnreadableError("law_sizes and law must be both objects or both null, got one of each")
    return not nulls[0]


def _names(value: object, may_be_list: bool) -> list[str]:
    """Return the columns that name a group: none, its own, or that of its region before it."""
    if may_be_list and isinstance(value, list):
        found = items(value, "group", name_of_column, 2)
        if found[0] == found[1]:
            raise UnreadableError(f"a list of group must be of two different texts, got {shown(value)}")
        return found
    return [] if value is None else [name_of_column(value, "group")]


def _name_or_null(value: object, name: str) -> str | None:
    return None if value is None else name_of_column(value, name)


def _require_day(value: object) -> None:
    try:
        found = text(value, "date")
        if date.fromisoformat(found).isoformat() == found:
            return
    except ValueError:
        pass
    raise UnreadableError(f"date must be a day such as 2026-11-20, got {shown(value)}")


def _size(entry: dict[str, Any], design: object, plain: bool) -> SizeOfGroups:
    n, groups = (whole(entry[key], key, 1, MOST_GROUPS) for key in ("n", "groups"))
    is_matrix = plain and isinstance(design, dict) and "format" not in design
    document = None if is_matrix else read_document(design)
    if document and (document.problem.size != n + 1 or not document.problem.words.startswith("counts ")):
        raise UnreadableError(f"design for n = {n} must be for counts 0..{n}, got one for {document.words}")
    digest = hashlib.sha256(canonical(design).encode()).hexdigest()
    return SizeOfGroups(n, groups, _digest(entry["design"], "design"), digest, document)


def _law(sizes: object, design: object) -> LawOfGroups:
    stated = entries(sizes, "law_sizes", ("design", "groups"))
    groups = items(stated["groups"], "groups of law_sizes", _pair)
    if not groups or any(one[0] >= other[0] for one, other in pairwise(groups)):
        raise UnreadableError("sizes of law_sizes must rise, and be at least one")
    document = read_law(design)
    if document.stages:
        raise UnreadableError("law of a release must be without stages, got some")
    if not document.onward:
        raise UnreadableError("law must be for every n from one on, got a single n")
    digest = hashlib.sha256(canonical(design).encode()).hexdigest()
    return LawOfGroups(groups, _digest(stated["design"], "design"), digest, document)


def _pair(value: object, name: str) -> tuple[int, int]:
    n, groups = items(value, name, lambda x, _: x, 2)
    return whole(n, "n", 1, LARGEST_N), whole(groups, "groups", 1, MOST_GROUPS)


def _digest(value: object, name: str) -> str:
    found = text(value, name)
    if not _DIGEST.fullmatch(found):
        raise UnreadableError(f"{name} must be 64 hexadecimal digits in lower case, got {shown(value)}")
    return found


def canonical(value: object) -> str:
    """Write JSON values in the one form that digests are taken of: keys sorted, no white space, numbers as written."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(canonical, value)) + "]"
    return str(value) if isinstance(value, Decimals) else json.dumps(value)


def record_claims(record: Record) -> Iterator[Claim]:
    """Yield every claim that is tested, those of each design together where all are proved."""
    for size in record.sizes:
        found = list(document_claims(size.document))
        false = [claim for claim in found if not claim.true]
        for claim in false:
            yield Claim(f"n = {size.n}: {claim.claim}", False, claim.detail)
        if not false:
            yield Claim(f"n = {size.n}: all {len(found)} claims of the design", True)
        yield Claim(f"n = {size.n}: the digest of the design", size.stated == size.digest, f"it is {size.digest}")
        defect = _privacy_defect(size.document, record.alpha)
        if record.values:
            defect = "" if size.document.problem.privacy.alpha**2 >= record.alpha else "not twice"
        yield Claim(f"n = {size.n}: the design keeps the record's alpha", not defect, defect)
    problems = {_problem_key(size.document) for size in record.sizes}
    if record.law:
        yield from _law_claims(record.law, record.alpha, 2 if record.values else 1)
        law = record.law.document
        problems.add((law.privacy, frozenset(law.properties), law.aim, 0))
    yield Claim("all designs are for one problem, but for n", len(problems) == 1, f"they are for {len(problems)}")
    groups = sum(record.groups_by_size.values())
    units = sum(n * number for n, number in record.groups_by_size.items())
    yield Claim(f"there are {record.groups} groups", groups == record.groups, f"there are {groups}")
    yield Claim(f"there are {record.units} units", units == record.units, f"there are {units}")
    digests = [size.digest for size in record.sizes] + ([record.law.digest] if record.law else [])
    lines = "".join(f"{digest}\n" for digest in digests)
    digest = hashlib.sha256(lines.encode()).hexdigest()
    yield Claim("designs_sha256 is the digest of all designs", digest == record.designs_digest, f"it is {digest}")
    yield epsilon_claim(record.alpha, record.epsilon)


def _law_claims(law: LawOfGroups, alpha: Fraction, times: int) -> Iterator[Claim]:
    document = law.document
    found = list(law_claims(document))
    for claim in found:
        if not claim.true:
            yield Claim(f"the law: {claim.claim}", False, claim.detail)
    proved = all(claim.true for claim in found)
    if proved:
        yield Claim(f"the law: all {len(found)} claims", True)
    yield Claim("the law: the digest of its document", law.stated == law.digest, f"it is {law.digest}")
    own = document.privacy.alpha**times  # a unit that moves from one value to another changes two counts
    yield Claim("the law keeps the record's alpha", own >= alpha, f"it keeps {shown(str(own))}")
    ends = sorted({law.groups[0][0], law.groups[-1][0]})
    served = ends[0] >= document.n
    yield Claim("the law is proved for every size that it serves", served, f"it is from {document.n} on")
    if proved and served:
        where = " and ".join(f"n = {n}" for n in ends)
        wide = [n for n in ends if _gap(law, n) > WIDEST_GAP]
        yield Claim(f"at {where} the law is within 1e-6 of the best", not wide, "it is not")


def _gap(law: LawOfGroups, n: int) -> Fraction:
    """Bound the part of the score that a better mechanism could save at n."""
    document, layered = law.document, law.document.layered
    if layered is None:
        best, own = document.privacy.bound_alpha, document.privacy.alpha
        return 1 - fair_sum(best, n)[0] / fair_sum(own, n)[1]
    score = score_sum(layered.layer, document.power, n)[1]
    return 1 - bound_sum(layered.dual, document.power, frozenset(document.properties), n) / score


def _privacy_defect(document: Document, alpha: Fraction) -> str:
    """Say how a matrix fails to keep alpha, nothing where it does; alpha = 1 wants outputs that ignore the count."""
    if alpha == 1:
        return "" if all(min(row) == max(row) for row in document.weights) else "an output depends on the count"
    return next(kernel.privacy_defects(document.weights, alpha.as_integer_ratio(), document.problem.edges), "")


def _problem_key(document: Document) -> tuple[object, ...]:
    """Return what designs for several sizes share; a loss or prior of given numbers is of one size."""
    problem = document.problem
    size = problem.size if "matrix" in problem.aim or "weights" in problem.aim else 0
    return problem.privacy, frozenset(problem.properties), problem.aim, size
