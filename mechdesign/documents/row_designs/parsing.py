"""Parse the document of a local mechanism for a workload: the keys and types of FORMAT.md, and nothing else."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from mechdesign.certificate.row_designs.measuring import ByInput
from mechdesign.certificate.row_proof import KINDS, RowProof
from mechdesign.documents.document import Lines
from mechdesign.documents.entries import (
    BY_EPSILON,
    parse_exact,
    parse_list,
    parse_privacy,
    parse_rationals,
    parse_seconds,
    parse_text,
    require_format,
    require_keys,
)
from mechdesign.documents.json_text import json_number
from mechdesign.documents.row_designs.document import WORKLOAD_FORMAT, WORKLOAD_FORMAT_BY_EPSILON, WorkloadDocument
from mechdesign.errors import InputError, quote, shorten
from mechdesign.mechanism.row_mechanism import BITS
from mechdesign.problem.design_problem import AGGREGATES
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.rational import integer_from_text
from mechdesign.workloads.matrix import DIGITS, MatrixWorkload
from mechdesign.workloads.registry import parse_named_workload
from mechdesign.workloads.workload import LARGEST_GRAM, Workload

WORKLOAD_TOP = (
    *("format", "problem", "variance", "inputs", "floor", "gap", "rows", "weights", "denominator"),
    *("seconds", "version", "method", "how", "certificate"),
)
WORKLOAD_PROBLEM = ("model", "k", "alpha", "epsilon", "workload", "aggregate")
INPUTS = ("least", "mean", "largest")
PROOF_KEYS = {
    "rows": ("dual", "prices"),
    "relaxation": ("dual", "prices", "diagonal", "cuts"),
    "levels": ("levels", "prices"),
}
"""The keys of a certificate of each kind, besides `kind`, `scale` and `prior`."""

MOST_ROW_LETTERS = 1 << 25
"""Letters of all rows together."""

LARGEST_CUT = 1 << 20
MOST_CUTS = 1 << 14


def parse_workload_document(data: object, source: str) -> WorkloadDocument:
    """Parse the document of a local mechanism for a workload from JSON values.

    Raises:
        InputError: naming the key that is missing, unknown or malformed.
    """
    entry = require_format(data, (WORKLOAD_FORMAT, WORKLOAD_FORMAT_BY_EPSILON), "workload design", source)
    try:
        return _parse(entry)
    except InputError as error:
        raise InputError(f"{error} (in {source})") from None


def _parse(data: dict[str, Any]) -> WorkloadDocument:
    require_keys(data, "workload design", WORKLOAD_TOP, optional=("x",))
    problem = _parse_problem(data["problem"], BY_EPSILON if data["format"] == WORKLOAD_FORMAT_BY_EPSILON else ())
    rows = _parse_rows(data["rows"], problem)
    weights = _integers(data["weights"], "weights", len(rows))
    denominator = integer_from_text(data["denominator"], "denominator")
    if denominator <= 0:
        raise InputError("denominator must be positive")
    variance = data["variance"]
    require_keys(variance, "variance", ("upper", "lower"))
    upper, upper_value = _parse_upper(variance["upper"])
    lower, lower_value = parse_exact(variance["lower"], "lower")
    require_keys(data["inputs"], "inputs", INPUTS)
    return WorkloadDocument(
        problem=problem,
        epsilon=json_number(data["problem"]["epsilon"], "epsilon"),
        rows=rows,
        weights=weights,
        denominator=denominator,
        upper=upper,
        upper_value=upper_value,
        lower=lower,
        lower_value=lower_value,
        inputs=ByInput(*(json_number(data["inputs"][key], f"inputs {key}") for key in INPUTS)),
        floor=json_number(data["floor"], "floor"),
        gap=None if data["gap"] is None else json_number(data["gap"], "gap"),
        seconds=parse_seconds(data["seconds"]),
        version=parse_text(data["version"], "version"),
        method=parse_text(data["method"], "method"),
        how=parse_text(data["how"], "how"),
        proof=_parse_proof(data["certificate"], problem),
        raw={**data, "rows": Lines(rows)},
    )


def _parse_problem(entry: Any, more: tuple[str, ...]) -> WorkloadProblem:
    name = parse_text(entry["workload"], "workload") if isinstance(entry, dict) and "workload" in entry else ""
    is_matrix = "@" in name
    require_keys(entry, "problem", (*WORKLOAD_PROBLEM, *more, *(("queries",) if is_matrix else ())))
    if entry["model"] != "ldp":
        raise InputError(f"model of a workload design must be ldp, got {quote(entry['model'])}")
    k = entry["k"]
    if type(k) is not int or not 2 <= k <= LARGEST_GRAM:
        raise InputError(f"k must be a whole number from 2 to {LARGEST_GRAM}, got {quote(k)}")
    if entry["aggregate"] not in AGGREGATES:
        raise InputError(f"aggregate must be expected or worst, got {quote(entry['aggregate'])}")
    workload = _parse_matrix(entry["queries"], name, k) if is_matrix else parse_named_workload(name, k)
    if workload.name != name:
        raise InputError(f"workload must be named as it is written, {shorten(workload.name)}, got {quote(name)}")
    return WorkloadProblem.stated(workload, parse_privacy(entry), entry["aggregate"])


def _parse_matrix(value: object, name: str, k: int) -> Workload:
    rows = parse_list(value, "queries", lambda row: parse_rationals(row, "queries"))
    if any(len(row) != k for row in rows):
        raise InputError(f"queries must have k = {k} weights each")
    return MatrixWorkload.of(rows, name[: -DIGITS - 1])


def _parse_rows(value: object, problem: WorkloadProblem) -> tuple[str, ...]:
    rows = parse_list(value, "rows", lambda row: parse_text(row, "rows"))
    k = problem.k
    if not rows or len(rows) * k > MOST_ROW_LETTERS:
        raise InputError(f"rows must be 1 to {MOST_ROW_LETTERS // k} texts for k = {k}, got {len(rows)}")
    if any(len(row) != k or not BITS.issuperset(row) for row in rows):
        raise InputError(f"rows must be texts of {k} letters 0 and 1")
    if len(set(rows)) < len(rows):
        raise InputError("rows must be different, got one twice")
    return rows


def _parse_upper(entry: Any) -> tuple[Fraction | None, Fraction]:
    require_keys(entry, "upper", ("exact", "value"))
    if entry["exact"] is None:
        return None, json_number(entry["value"], "upper value")
    return parse_exact(entry, "upper")


def _parse_proof(entry: Any, problem: WorkloadProblem) -> RowProof:
    kind = entry.get("kind") if isinstance(entry, dict) else None
    if isinstance(entry, dict) and (type(kind) is not str or kind not in KINDS):
        raise InputError(f"kind of a certificate must be one of {', '.join(KINDS)}, got {quote(kind)}")
    require_keys(entry, "certificate", ("kind", "scale", "prior", *PROOF_KEYS[str(kind)]) if kind else ())
    size = problem.merged.size
    scale = integer_from_text(entry["scale"], "scale")
    if scale <= 0:
        raise InputError("scale must be positive")
    prior = _integers(entry["prior"], "prior", size)
    if min(prior) < 0 or not any(prior):
        raise InputError("prior must be integers of at least 0, not all 0")
    if kind == "levels":
        levels = parse_list(entry["levels"], "levels", lambda text: integer_from_text(text, "levels"))
        return RowProof("levels", scale, prior, prices=_integers(entry["prices"], "prices", 1), levels=levels)
    return RowProof(
        str(kind),
        scale,
        prior,
        dual=_parse_dual(entry["dual"], size),
        prices=_integers(entry["prices"], "prices", size),
        diagonal=_integers(entry["diagonal"], "diagonal", size + 1) if kind == "relaxation" else (),
        cuts=_parse_cuts(entry["cuts"], size) if kind == "relaxation" else (),
    )


def _parse_dual(value: object, size: int) -> tuple[tuple[int, ...], ...]:
    if not isinstance(value, list) or len(value) != size:
        raise InputError(f"dual must be the {size} rows of a lower triangle")
    return tuple(_integers(row, "dual", number) for number, row in enumerate(value, start=1))


def _parse_cuts(value: object, size: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    if isinstance(value, list) and len(value) > MOST_CUTS:
        raise InputError(f"cuts must be at most {MOST_CUTS}, got {len(value)}")
    return parse_list(value, "cuts", lambda cut: _parse_cut(cut, size))


def _parse_cut(value: object, size: int) -> tuple[int, tuple[int, ...]]:
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], list) and len(value[1]) == size + 1:
        row = value[1]
        if all(type(part) is int and abs(part) <= LARGEST_CUT for part in row) and sum(row) % 2:
            return integer_from_text(value[0], "multiplier of a cut"), tuple(row)
    raise InputError(f"cuts must be [multiplier, [{size + 1} whole numbers of odd sum]], got {quote(value)}")


def _integers(value: object, name: str, count: int) -> tuple[int, ...]:
    found = parse_list(value, name, lambda text: integer_from_text(text, name))
    if len(found) != count:
        raise InputError(f"{name} must be {count} integers, got {len(found)}")
    return found


def is_workload_document(data: object) -> bool:
    """Tell by its key `format` whether a JSON value is meant as the document of a mechanism for a workload."""
    return isinstance(data, Mapping) and str(data.get("format")).startswith("mechdesign-workload/")
