"""Write the design document: one JSON object with a mechanism, what is claimed of it, and the proof.

FORMAT.md says what each key means; `mechdesign.documents.parsing` reads it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechdesign.certificate.proof import DualProof
from mechdesign.designs import Design
from mechdesign.documents.json_text import DecimalText
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import Privacy, loss_above
from mechdesign.problem.properties import ordered
from mechdesign.program.clock import Seconds
from mechdesign.rational import fraction_text, integer_text
from mechdesign.version import __version__

FORMAT = "mechdesign-design/1"
FORMAT_BY_EPSILON = "mechdesign-design/2"
"""Of a design that was asked by epsilon; its problem has `bound_alpha` and `asked_epsilon`, too."""


class Lines(list[Any]):
    """Hold a list whose items stand on a line each."""


@dataclass(frozen=True)
class Document:
    """Hold what a design file claims. Reading checks its form only; the audit tells whether the claims are true.

    The two values are the decimals beside the exact numbers. `raw` is the JSON object.
    """

    problem: DesignProblem
    epsilon: Fraction
    weights: tuple[tuple[int, ...], ...]
    denominator: int
    score: Fraction
    score_value: Fraction
    lower_bound: Fraction
    lower_bound_value: Fraction
    status: str
    holds: tuple[str, ...]
    seconds: Seconds
    version: str
    method: str
    how: str
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
    return {
        "format": FORMAT if design.problem.privacy.is_exact else FORMAT_BY_EPSILON,
        "problem": problem_entry(design.problem),
        "denominator": integer_text(design.mechanism.denominator),
        "weights": [[integer_text(weight) for weight in row] for row in design.mechanism.weights],
        "score": exact_entry(design.score),
        "lower_bound": exact_entry(design.lower_bound),
        "status": design.status,
        "holds": list(design.holds),
        "seconds": seconds_entry(design.seconds),
        "version": __version__,
        "method": design.method,
        "how": design.how,
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
        **privacy_entry(problem.privacy),
        "properties": list(ordered(problem.properties)),
        "loss": problem.loss.name,
        "aggregate": problem.aggregate,
        "prior": None if problem.is_worst_case else problem.prior.name,
    }
    if problem.model.name == "metric":
        entry["step_alpha"] = {"low": fraction_text(problem.step.low), "high": fraction_text(problem.step.high)}
    if problem.loss.table is not None:
        entry["loss_matrix"] = [[fraction_text(value) for value in row] for row in problem.loss.table]
    if problem.prior.table is not None:
        entry["prior_weights"] = [fraction_text(value) for value in problem.prior.table]
    return entry


def privacy_entry(privacy: Privacy) -> dict[str, Any]:
    """Write the mechanism's alpha, and what belongs to it where epsilon was asked for."""
    entry: dict[str, Any] = {"alpha": fraction_text(privacy.alpha), "epsilon": loss_above(privacy.alpha)}
    if privacy.given_epsilon is not None:
        entry["bound_alpha"] = fraction_text(privacy.bound_alpha)
        entry["asked_epsilon"] = fraction_text(privacy.given_epsilon)
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


def seconds_entry(seconds: Seconds) -> dict[str, float]:
    """Write the times of the three stages, in microseconds' precision."""
    return {
        "solve": round(seconds.solve, 6),
        "certify": round(seconds.certify, 6),
        "verify": round(seconds.verify, 6),
    }


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
        nested = isinstance(value, Lines) or (bool(value) and isinstance(value[0], list))
        return "[\n " + ",\n ".join(inner) + "\n]" if nested else "[" + ", ".join(inner) + "]"
    return str(value) if isinstance(value, DecimalText) else json.dumps(value)
