"""Write the document of a local mechanism for a workload: the mechanism, its variance, and the proof of its bound.

FORMAT.md says what each key means; `mechdesign.documents.row_designs.parsing` reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechdesign.certificate.row_designs.measuring import ByInput
from mechdesign.certificate.row_proof import RowProof
from mechdesign.documents.document import Lines, privacy_entry, seconds_entry
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Seconds
from mechdesign.rational import float_above, float_below, fraction_text, integer_text
from mechdesign.version import __version__
from mechdesign.workload_designs import WorkloadDesign
from mechdesign.workloads.matrix import MatrixWorkload

WORKLOAD_FORMAT = "mechdesign-workload/1"
WORKLOAD_FORMAT_BY_EPSILON = "mechdesign-workload/2"
"""Of a design that was asked by epsilon; its problem has `bound_alpha` and `asked_epsilon`, too."""


@dataclass(frozen=True)
class WorkloadDocument:
    """Hold what a file of a local mechanism for a workload claims. Reading checks its form only.

    The numbers called `.._value` are the decimals beside the exact ones; `upper` is None where the file has no exact
    variance. `raw` is the JSON object.
    """

    problem: WorkloadProblem
    epsilon: Fraction
    rows: tuple[str, ...]
    weights: tuple[int, ...]
    denominator: int
    upper: Fraction | None
    upper_value: Fraction
    lower: Fraction
    lower_value: Fraction
    inputs: ByInput
    floor: Fraction
    gap: Fraction | None
    seconds: Seconds
    version: str
    method: str
    how: str
    proof: RowProof
    raw: Mapping[str, Any]

    def mechanism(self) -> RowMechanism:
        """Return the mechanism.

        Raises:
            InputError: if a weight is not positive or the probabilities of an item do not sum to 1.
        """
        return RowMechanism(self.problem.alpha, self.rows, self.weights, self.denominator)


def workload_design_document(design: WorkloadDesign) -> dict[str, Any]:
    """Make the JSON object of a certified local mechanism for a workload."""
    inputs, gap = design.by_input, design.gap
    return {
        "format": WORKLOAD_FORMAT if design.problem.privacy.is_exact else WORKLOAD_FORMAT_BY_EPSILON,
        "problem": workload_problem_entry(design.problem),
        "variance": {
            "upper": {
                "exact": fraction_text(design.upper) if design.is_exact else None,
                "value": float_above(design.upper),
            },
            "lower": {"exact": fraction_text(design.lower), "value": float_below(design.lower)},
        },
        "inputs": {
            "least": float_below(inputs.least),
            "mean": float_above(inputs.mean),
            "largest": float_above(inputs.largest),
        },
        "floor": float_below(design.floor),
        "gap": None if gap is None else float_above(gap),
        "rows": Lines(design.mechanism.rows),
        "weights": [integer_text(weight) for weight in design.mechanism.weights],
        "denominator": integer_text(design.mechanism.denominator),
        "seconds": seconds_entry(design.seconds),
        "version": __version__,
        "method": design.method,
        "how": design.how,
        "certificate": _certificate_entry(design.proof),
    }


def workload_problem_entry(problem: WorkloadProblem) -> dict[str, Any]:
    """Write the problem; the queries of a matrix are spelled out as rationals."""
    entry: dict[str, Any] = {
        "model": "ldp",
        "k": problem.k,
        **privacy_entry(problem.privacy),
        "workload": problem.workload.name,
        "aggregate": problem.aggregate,
    }
    if isinstance(problem.workload, MatrixWorkload):
        unit = problem.workload.denominator
        entry["queries"] = [
            [fraction_text(Fraction(int(weight), unit)) for weight in row] for row in problem.workload.integers
        ]
    return entry


def _certificate_entry(proof: RowProof) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "kind": proof.kind,
        "scale": integer_text(proof.scale),
        "prior": _texts(proof.prior),
        "prices": _texts(proof.prices),
    }
    if proof.kind == "levels":
        entry["levels"] = _texts(proof.levels)
        return entry
    entry["dual"] = [_texts(row) for row in proof.dual]
    if proof.kind == "relaxation":
        entry["diagonal"] = _texts(proof.diagonal)
        entry["cuts"] = [[integer_text(multiplier), list(row)] for multiplier, row in proof.cuts]
    return entry


def _texts(integers: tuple[int, ...]) -> list[str]:
    return [integer_text(value) for value in integers]
