"""Write and parse the design document: one JSON object with a mechanism, what is claimed of it, and the proof."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from mechdesign.certificate.proof import DualProof
from mechdesign.designs import Design
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.flowchart import flowchart_box
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import MODELS, Model
from mechdesign.problem.prior import Prior
from mechdesign.problem.properties import ordered
from mechdesign.problem.step_alpha import StepAlpha
from mechdesign.rational import MAX_JSON_DIGITS, fraction_from_text, fraction_text, integer_from_text, integer_text
from mechdesign.version import __version__

FORMAT = "mechdesign-design/1"
T = TypeVar("T")


class DecimalText(str):
    """Keep a JSON number with a decimal point as it is written: exact, and the same when it is written again."""


@dataclass(frozen=True)
class Document:
    """Hold what a design file claims. Reading checks its form only; the audit tells whether the claims are true."""

    problem: DesignProblem
    weights: tuple[tuple[int, ...], ...]
    denominator: int
    score: Fraction
    lower_bound: Fraction
    status: str
    holds: tuple[str, ...]
    proof: DualProof
    raw: Mapping[str, Any]

    def mechanism(self) -> Mechanism:
        """Return the matrix as a mechanism.

        Raises:
            InputError: if its weights are not one.
        """
        return Mechanism(self.weights, self.denominator)


def design_document(design: Design) -> dict[str, Any]:
    """Make the JSON object of a certified design."""
    seconds = design.seconds
    return {
        "format": FORMAT,
        "problem": problem_entry(design.problem),
        "denominator": integer_text(design.mechanism.denominator),
        "weights": [[integer_text(weight) for weight in row] for row in design.mechanism.weights],
        "score": exact_entry(design.score),
        "lower_bound": exact_entry(design.lower_bound),
        "status": design.status,
        "holds": list(design.holds),
        "seconds": {
            "solve": round(seconds.solve, 6),
            "certify": round(seconds.certify, 6),
            "verify": round(seconds.verify, 6),
        },
        "version": __version__,
        "flowchart": flowchart_box(design.problem).name,
        "how": design.how,
        "method": design.method,
        "dual": proof_entry(design.proof),
    }


def proof_entry(proof: DualProof) -> dict[str, Any]:
    """Write multipliers, prices of the columns, and the least favourable prior, as far as the proof has them."""
    entry: dict[str, Any] = {
        "denominator": integer_text(proof.denominator),
        "rows": [[*row[:5], integer_text(row[5])] for row in proof.multipliers],
    }
    if proof.prices is not None:
        entry["prices"] = [integer_text(price) for price in proof.prices]
    if proof.prior is not None:
        entry["prior"] = [fraction_text(weight) for weight in proof.prior]
    return entry


def problem_entry(problem: DesignProblem) -> dict[str, Any]:
    """Write the problem; a loss matrix, a prior or distances from a file are spelled out as rationals.

    `step_alpha` of a metric encloses `alpha^unit`: the matrix is private at `high`, the bound is proved at `low`.
    """
    entry: dict[str, Any] = {
        **model_entry(problem.model),
        "alpha": fraction_text(problem.alpha),
        "epsilon": problem.epsilon,
        "properties": list(ordered(problem.properties)),
        "loss": problem.loss.name,
        "aggregate": problem.aggregate,
        "prior": None if problem.is_worst_case else problem.prior.name,
    }
    if problem.model.name == "metric":
        step = problem.step
        entry["step_alpha"] = {"low": fraction_text(step.low), "high": fraction_text(step.high)}
    if problem.loss.table is not None:
        entry["loss_matrix"] = [[fraction_text(value) for value in row] for row in problem.loss.table]
    if problem.prior.table is not None:
        entry["prior_weights"] = [fraction_text(value) for value in problem.prior.table]
    return entry


def model_entry(model: Model) -> dict[str, Any]:
    """Write `model` and its parameters."""
    if model.name == "count":
        return {"model": "count", "n": model.size - 1}
    entry: dict[str, Any] = {"model": model.name, "k": model.size}
    if model.radius is not None:
        entry["radius"] = model.radius
    if model.distances is not None:
        entry["distances"] = [[fraction_text(value) for value in row] for row in model.distances]
        entry["unit"] = fraction_text(model.unit)
    return entry


def exact_entry(value: Fraction) -> dict[str, Any]:
    """Write an exact number as `{"exact": "p/q", "value": float}`."""
    return {"exact": fraction_text(value), "value": float(value)}


def document_text(document: Mapping[str, Any]) -> str:
    """Write JSON with one line for each key, and one for each row of a matrix."""
    lines = [f"{json.dumps(key)}: {_value_text(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _value_text(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {_value_text(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        inner = [_value_text(item) for item in value]
        nested = bool(value) and isinstance(value[0], list)
        return "[\n " + ",\n ".join(inner) + "\n]" if nested else "[" + ", ".join(inner) + "]"
    return str(value) if isinstance(value, DecimalText) else json.dumps(value)


def parse_document(data: object, source: str) -> Document:
    """Parse a document from JSON values.

    Raises:
        InputError: naming the key that is missing or malformed.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        got = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise InputError(f'file must be a design document (format "{FORMAT}"), got {str(got)[:60]!r} in {source}')
    try:
        return _parse(data)
    except KeyError as error:
        raise InputError(f"design document must have the key {error}, got none in {source}") from None
    except (TypeError, AttributeError, ValueError) as error:
        if isinstance(error, InputError):
            raise InputError(f"{error} (in {source})") from None
        raise InputError(f"design document is malformed: {str(error)[:80]} (in {source})") from None


def _parse(data: Mapping[str, Any]) -> Document:
    problem = _parse_problem(data["problem"])
    rows = data["weights"]
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise InputError("weights must be a list of rows")
    if len(rows) != problem.size or any(len(row) != problem.size for row in rows):
        raise InputError(f"weights must be {problem.size} x {problem.size} for {problem.model.describe()}")
    denominator = integer_from_text(data["denominator"], "denominator")
    if denominator <= 0:
        raise InputError("denominator must be positive")
    dual = data["dual"]
    return Document(
        problem,
        tuple(tuple(integer_from_text(weight, "weights") for weight in row) for row in rows),
        denominator,
        fraction_from_text(data["score"]["exact"], "score"),
        fraction_from_text(data["lower_bound"]["exact"], "lower_bound"),
        str(data["status"]),
        tuple(str(name) for name in data["holds"]),
        DualProof(
            tuple(_parse_multiplier(row) for row in dual["rows"]),
            integer_from_text(dual["denominator"], "dual denominator"),
            _optional(dual, "prices", lambda text: integer_from_text(text, "dual price")),
            _optional(dual, "prior", lambda text: fraction_from_text(text, "dual prior")),
        ),
        data,
    )


def _optional(entry: Mapping[str, Any], key: str, parse: Callable[[object], T]) -> tuple[T, ...] | None:
    return None if entry.get(key) is None else tuple(parse(value) for value in entry[key])


def _parse_multiplier(row: Sequence[Any]) -> tuple[str, int, int, int, int, int]:
    if len(row) != 6 or not isinstance(row[0], str) or any(type(x) is not int for x in row[1:5]):
        raise InputError(f"dual rows must be [kind, i, j, k, h, multiplier], got {str(row)[:60]}")
    return (row[0], row[1], row[2], row[3], row[4], integer_from_text(row[5], "dual multiplier"))


def _parse_problem(entry: Mapping[str, Any]) -> DesignProblem:
    loss: str | Loss = entry["loss"]
    prior: str | Prior | None = entry["prior"]
    if loss == "matrix":
        table = entry["loss_matrix"]
        loss = Loss.from_matrix(tuple(tuple(fraction_from_text(x, "loss_matrix") for x in row) for row in table))
    if prior == "weights":
        prior = Prior.from_weights([fraction_from_text(x, "prior_weights") for x in entry["prior_weights"]])
    if (entry["aggregate"] == "worst") != (prior is None):
        raise InputError(f"prior must be null for the worst case, and only there, got {str(prior)[:40]!r}")
    return DesignProblem(
        model=_parse_model(entry),
        alpha=entry["alpha"],
        properties=entry["properties"],
        loss=loss,
        prior=prior,
        aggregate=entry["aggregate"],
        step=_parse_step(entry),
    )


def _parse_step(entry: Mapping[str, Any]) -> StepAlpha | None:
    """Parse what encloses `alpha^unit`, which a metric has and no other model."""
    if entry["model"] != "metric":
        return None
    given = entry["step_alpha"]
    return StepAlpha(
        fraction_from_text(given["low"], "step_alpha low"), fraction_from_text(given["high"], "step_alpha high")
    )


def _parse_model(entry: Mapping[str, Any]) -> Model:
    name = entry["model"]
    if name == "count":
        return Model.count(entry["n"])
    if name == "ldp":
        return Model.ldp(entry["k"])
    if name == "lldp":
        return Model.lldp(entry["k"], entry["radius"])
    if name == "metric":
        table = [[fraction_from_text(value, "distances") for value in row] for row in entry["distances"]]
        if entry["k"] is True or entry["k"] != len(table):
            raise InputError(f"k must be the number of distances' rows, {len(table)}, got {str(entry['k'])[:40]!r}")
        return Model.metric(table, fraction_from_text(entry["unit"], "unit"))
    raise InputError(f"model must be one of {', '.join(MODELS)}, got {str(name)[:40]!r}")


def parse_json(text: str, source: str) -> object:
    """Parse JSON, and report a truncated or broken file in one line. Decimals stay texts, so that they stay exact."""
    try:
        return json.loads(text, parse_float=DecimalText, parse_int=_whole_number, parse_constant=DecimalText)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise InputError(f"{error} in {source}") from None
        place = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else str(error)[:60]
        raise InputError(f"file must be JSON, got {source}, broken or cut off at {place}") from None


def _whole_number(text: str) -> int:
    if len(text) > MAX_JSON_DIGITS:
        raise InputError(f"JSON numbers must have at most {MAX_JSON_DIGITS} digits, got {len(text)}")
    return int(text)
