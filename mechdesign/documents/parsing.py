"""Parse a design document: the keys and types of FORMAT.md, and nothing else."""

from collections.abc import Mapping
from typing import Any

from mechdesign.certificate.proof import DualProof
from mechdesign.documents.document import FORMAT, FORMAT_BY_EPSILON, Document
from mechdesign.documents.entries import (
    BY_EPSILON,
    parse_different_texts,
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
from mechdesign.errors import InputError, quote
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import MODELS, Model
from mechdesign.problem.prior import Prior
from mechdesign.problem.properties import parse_properties
from mechdesign.problem.step_alpha import StepAlpha
from mechdesign.rational import fraction_from_text, integer_from_text

TOP = (
    *("format", "problem", "denominator", "weights", "score", "lower_bound", "status", "holds"),
    *("seconds", "version", "method", "how", "dual"),
)
PROBLEM = ("model", "alpha", "epsilon", "properties", "loss", "aggregate", "prior")
MODEL_KEYS = {
    "count": ("n",),
    "ldp": ("k",),
    "lldp": ("k", "radius"),
    "metric": ("k", "distances", "unit", "step_alpha"),
}


def parse_document(data: object, source: str) -> Document:
    """Parse a document from JSON values.

    Raises:
        InputError: naming the key that is missing, unknown or malformed.
    """
    entry = require_format(data, (FORMAT, FORMAT_BY_EPSILON), "design document", source)
    try:
        return _parse(entry)
    except InputError as error:
        raise InputError(f"{error} (in {source})") from None


def _parse(data: Mapping[str, Any]) -> Document:
    require_keys(data, "design document", TOP, optional=("x",))
    problem = _parse_problem(data["problem"], BY_EPSILON if data["format"] == FORMAT_BY_EPSILON else ())
    denominator = integer_from_text(data["denominator"], "denominator")
    if denominator <= 0:
        raise InputError("denominator must be positive")
    entry = data["problem"]
    score, score_value = parse_exact(data["score"], "score")
    bound, bound_value = parse_exact(data["lower_bound"], "lower_bound")
    return Document(
        problem=problem,
        epsilon=json_number(entry["epsilon"], "epsilon"),
        weights=_parse_weights(data["weights"], problem),
        denominator=denominator,
        score=score,
        score_value=score_value,
        lower_bound=bound,
        lower_bound_value=bound_value,
        status=parse_text(data["status"], "status"),
        holds=parse_different_texts(data["holds"], "holds"),
        seconds=parse_seconds(data["seconds"]),
        version=parse_text(data["version"], "version"),
        method=parse_text(data["method"], "method"),
        how=parse_text(data["how"], "how"),
        proof=_parse_proof(data["dual"], problem),
        raw=data,
    )


def _parse_weights(value: object, problem: DesignProblem) -> tuple[tuple[int, ...], ...]:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise InputError("weights must be a list of rows")
    if len(value) != problem.size or any(len(row) != problem.size for row in value):
        raise InputError(f"weights must be {problem.size} x {problem.size} for {problem.model.describe()}")
    return tuple(tuple(integer_from_text(weight, "weights") for weight in row) for row in value)


def _parse_step(entry: Any) -> StepAlpha:
    require_keys(entry, "step_alpha", ("low", "high"))
    return StepAlpha(*(fraction_from_text(entry[key], f"step_alpha {key}") for key in ("low", "high")))


def _parse_proof(entry: Any, problem: DesignProblem) -> DualProof:
    prior = ("prior",) if problem.is_worst_case else ()
    require_keys(entry, "dual", ("denominator", "rows", *prior), optional=("prices",))
    return DualProof(
        parse_list(entry["rows"], "dual rows", _parse_multiplier),
        integer_from_text(entry["denominator"], "dual denominator"),
        parse_list(entry["prices"], "dual prices", lambda text: integer_from_text(text, "dual prices"))
        if "prices" in entry
        else None,
        parse_rationals(entry["prior"], "dual prior") if prior else None,
    )


def _parse_multiplier(row: object) -> tuple[str, int, int, int, int, int]:
    if isinstance(row, list) and len(row) == 6:
        kind, i, j, k, h, m = row
        if type(kind) is str and all(type(x) is int for x in (i, j, k, h)):
            return kind, i, j, k, h, integer_from_text(m, "dual multiplier")
    raise InputError(f"dual rows must be [kind, i, j, k, h, multiplier], got {quote(row)}")


def _parse_problem(entry: Any, more: tuple[str, ...]) -> DesignProblem:
    name = entry.get("model") if isinstance(entry, dict) else None
    if isinstance(entry, dict) and (type(name) is not str or name not in MODEL_KEYS):
        raise InputError(f"model must be one of {', '.join(MODELS)}, got {quote(name)}")
    tables = [
        key
        for key, table, word in (("loss_matrix", "loss", "matrix"), ("prior_weights", "prior", "weights"))
        if isinstance(entry, dict) and entry.get(table) == word
    ]
    require_keys(entry, "problem", (*PROBLEM, *more, *MODEL_KEYS.get(str(name), ()), *tables))
    aggregate = parse_text(entry["aggregate"], "aggregate")
    if (aggregate == "worst") != (entry["prior"] is None):
        raise InputError(f"prior must be null for the worst case, and only there, got {quote(entry['prior'])}")
    return DesignProblem(
        model=_parse_model(entry),
        privacy=parse_privacy(entry),
        properties=_parse_properties(entry["properties"]),
        loss=_parse_loss(entry),
        prior=_parse_prior(entry),
        aggregate=aggregate,
        step=_parse_step(entry["step_alpha"]) if name == "metric" else None,
    )


def _parse_properties(value: object) -> frozenset[str]:
    names = parse_different_texts(value, "properties")
    parsed = parse_properties(names)
    if parsed != set(names):
        raise InputError(f"properties must be named as they are written, got {quote(value)}")
    return parsed


def _parse_loss(entry: Mapping[str, Any]) -> Loss:
    text = parse_text(entry["loss"], "loss")
    if text == "matrix":
        rows = parse_list(entry["loss_matrix"], "loss_matrix", lambda row: parse_rationals(row, "loss_matrix"))
        return Loss.from_matrix(rows)
    loss = Loss.parse(text)
    if loss.name != text:
        raise InputError(f"loss must be named as it is written, {loss.name}, got {quote(text)}")
    return loss


def _parse_prior(entry: Mapping[str, Any]) -> Prior | None:
    if entry["prior"] is None:
        return None
    text = parse_text(entry["prior"], "prior")
    if text == "weights":
        return Prior.from_weights(parse_rationals(entry["prior_weights"], "prior_weights"))
    prior = Prior.parse(text)
    if prior.name != text:
        raise InputError(f"prior must be named as it is written, {prior.name}, got {quote(text)}")
    return prior


def _parse_model(entry: Mapping[str, Any]) -> Model:
    name = entry["model"]
    if name == "count":
        return Model.count(entry["n"])
    if name == "ldp":
        return Model.ldp(entry["k"])
    if name == "lldp":
        return Model.lldp(entry["k"], entry["radius"])
    table = parse_list(entry["distances"], "distances", lambda row: parse_rationals(row, "distances"))
    if type(entry["k"]) is not int or entry["k"] != len(table):
        raise InputError(f"k must be the number of distances' rows, {len(table)}, got {quote(entry['k'])}")
    return Model.metric(table, fraction_from_text(entry["unit"], "unit"))
