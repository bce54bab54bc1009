"""The document of any design: one JSON object of a mechanism, its claims and its proof.

FORMAT.md says what each key means; `mechdesign.documents.stored` reads it.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from mechdesign.certificate.stages import Penalties, SingleProof, Stage
from mechdesign.designs import Design
from mechdesign.laws.law import Law
from mechdesign.laws.problem import LawProblem
from mechdesign.laws.stage import LawStage
from mechdesign.level_designs import LevelDesign
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.layered import LayeredMechanism
from mechdesign.noise_tables.design import NoiseTableDesign
from mechdesign.noise_tables.problem import ENTROPY, NoiseTableProblem
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import Privacy, loss_above
from mechdesign.problem.properties import ordered
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.rational import float_above, float_below, fraction_text, integer_text, nearest_float
from mechdesign.verify import laws, level_design, noise_table, row_design
from mechdesign.verify.certificates import certificate_entry
from mechdesign.verify.document import FORMAT, FORMAT_BY_EPSILON, FORMAT_OF_STAGES
from mechdesign.verify.enclosures import LONGEST_EXACT
from mechdesign.verify.texts import Decimals
from mechdesign.version import __version__
from mechdesign.workload_designs import WorkloadDesign
from mechdesign.workloads.matrix import MatrixWorkload

RuleDesign = WorkloadDesign | LevelDesign | Law | NoiseTableDesign
"""Designs whose mechanism is no square matrix."""

AnyDesign = Design | RuleDesign

ROWS = "rows"
"""The key of a design for a workload whose texts stand on a line each."""

SIGNIFICANT = 120
"""Bounds are rounded to so many bits, and enclosed numbers are as near."""


def design_document(design: AnyDesign, n: int | None = None) -> dict[str, Any]:
    """Make the JSON object of a certified design; of a law at one n, or for every n from its least on."""
    if isinstance(design, WorkloadDesign):
        return _workload_document(design)
    if isinstance(design, LevelDesign):
        return _level_document(design)
    if isinstance(design, NoiseTableDesign):
        return _noise_table_document(design)
    return _law_document(design, n) if isinstance(design, Law) else _square_document(design)


def _square_document(design: Design) -> dict[str, Any]:
    form = FORMAT if design.problem.privacy.is_exact else FORMAT_BY_EPSILON
    return {
        "format": FORMAT_OF_STAGES if design.stages else form,
        "problem": problem_entry(design.problem),
        "denominator": integer_text(design.mechanism.denominator),
        "weights": [[integer_text(weight) for weight in row] for row in design.mechanism.weights],
        "score": exact_entry(design.score),
        "lower_bound": exact_entry(design.lower_bound),
        "status": design.status,
        "holds": list(design.holds),
        **remarks_entry(design),
        "dual": certificate_entry(design.certificate, integer_text),
        **({"stages": [_stage_entry(stage) for stage in design.stages]} if design.stages else {}),
        **({} if design.single is None else {"single": _single_entry(design.single)}),
    }


def _single_entry(single: SingleProof) -> dict[str, Any]:
    """Write the proof that no other mechanism has these scores."""
    return {
        "rotations": single.rotations,
        "penalties": _penalty_texts(single.penalties),
        "dual": certificate_entry(single.certificate, integer_text),
    }


def _penalty_texts(penalties: Penalties) -> list[list[str]]:
    return [[fraction_text(value) for value in penalty] for penalty in penalties]


def _stage_entry(stage: Stage) -> dict[str, Any]:
    """Write a further respect in which a design is best, with its proof."""
    return {
        **_aim_entry(stage.problem),
        **_table_entry(stage.problem),
        "score": exact_entry(stage.score),
        "lower_bound": exact_entry(stage.lower_bound),
        "penalties": _penalty_texts(stage.penalties),
        "dual": certificate_entry(stage.certificate, integer_text),
    }


def _aim_entry(problem: DesignProblem) -> dict[str, Any]:
    """Write loss, aggregate and prior by their names."""
    return {
        "loss": problem.loss.name,
        "aggregate": problem.aggregate,
        "prior": None if problem.is_worst_case else problem.prior.name,
    }


def _table_entry(problem: DesignProblem) -> dict[str, Any]:
    """Spell out a loss matrix and weights of a prior as rationals."""
    entry: dict[str, Any] = {}
    if problem.loss.table is not None:
        entry["loss_matrix"] = [[fraction_text(value) for value in row] for row in problem.loss.table]
    if problem.prior.table is not None:
        entry["prior_weights"] = [fraction_text(value) for value in problem.prior.table]
    return entry


def problem_entry(problem: DesignProblem) -> dict[str, Any]:
    """Write the problem; a loss matrix, a prior or distances from a file are spelled out as rationals.

    `step_alpha` of a metric encloses `alpha^unit`: the matrix is private at `high`, the bound is proved at `low`.
    """
    entry: dict[str, Any] = {
        **model_entry(problem.model),
        **privacy_entry(problem.privacy),
        "properties": list(ordered(problem.properties)),
        **_aim_entry(problem),
    }
    if problem.model.name == "metric":
        entry["step_alpha"] = {"low": fraction_text(problem.step.low), "high": fraction_text(problem.step.high)}
    return entry | _table_entry(problem)


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


def remarks_entry(design: AnyDesign) -> dict[str, Any]:
    """Write how it was found, by which version, and the times of the three stages, in microseconds' precision."""
    seconds = design.seconds
    return {
        "seconds": {
            "solve": round(seconds.solve, 6),
            "certify": round(seconds.certify, 6),
            "verify": round(seconds.verify, 6),
        },
        "version": __version__,
        "method": design.method,
        "how": design.how,
    }


def _law_document(law: Law, n: int | None) -> dict[str, Any]:
    at = law.least if n is None else n
    law.require_size(at)
    document = {
        "format": laws.FORMAT_OF_STAGES if law.stages else laws.FORMAT,
        "problem": law_problem_entry(law.problem, {"from": law.least} if n is None else n),
        "mechanism": _mechanism_entry(law),
        "dual": certificate_entry(law.certificate, integer_text),
        **_excess_entry(law),
        "score": _enclosed_entry(*law.score(at), at, law.problem.power > 0 or law.dual is None),
        "lower_bound": _bound_entry(law, at),
        "status": law.status(at),
        "holds": list(law.holds(at)),
        **remarks_entry(law),
        **({"stages": [_law_stage_entry(law, stage, at) for stage in law.stages]} if law.stages else {}),
    }
    return document


def _law_stage_entry(law: Law, stage: LawStage, n: int) -> dict[str, Any]:
    """Write a further respect in which a law is best, with its proof."""
    assert law.layer is not None
    has_powers, excess = stage.problem.power > 0, stage.excess(law.layer)
    low, high = stage.bound(law.layer, n)
    if not stage.is_only:
        low = high = _rounded(low)
    return {
        "loss": stage.problem.loss.name,
        "excess": {key: fraction_text(value) for key, value in zip(("layer", "bound"), excess, strict=True)},
        "score": _enclosed_entry(*stage.score(law.layer, n), n, has_powers),
        "lower_bound": _enclosed_entry(low, high, n, has_powers),
        "penalties": [integer_text(penalty) for penalty in stage.penalties],
        "dual": certificate_entry(stage.certificate, integer_text),
    }


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
        return {"kind": law.certificate.kind}
    if mechanism.remap is not None:  # its slopes follow from what is asked
        return {"kind": law.certificate.kind, "remap": list(mechanism.remap)}
    tables = {"rows": mechanism.rows} | ({} if mechanism.slopes is None else {"slopes": mechanism.slopes})
    entries = {key: [[integer_text(x) for x in row] for row in table] for key, table in tables.items()}
    return {
        "kind": law.certificate.kind,
        "depth": mechanism.depth,
        "denominator": integer_text(mechanism.denominator),
        **entries,
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


def _workload_document(design: WorkloadDesign) -> dict[str, Any]:
    inputs, gap = design.by_input, design.gap
    return {
        "format": row_design.FORMAT if design.problem.privacy.is_exact else row_design.FORMAT_BY_EPSILON,
        "problem": workload_problem_entry(design.problem),
        "variance": {
            "upper": {
                "exact": fraction_text(design.score) if design.has_exact_score else None,
                "value": float_above(design.score),
            },
            "lower": {"exact": fraction_text(design.lower_bound), "value": float_below(design.lower_bound)},
        },
        "inputs": {
            "least": float_below(inputs.least),
            "mean": float_above(inputs.mean),
            "largest": float_above(inputs.largest),
        },
        "floor": float_below(design.floor),
        "gap": None if gap is None else float_above(gap),
        ROWS: list(design.mechanism.rows),
        "weights": [integer_text(weight) for weight in design.mechanism.weights],
        "denominator": integer_text(design.mechanism.denominator),
        **remarks_entry(design),
        "certificate": certificate_entry(design.certificate, integer_text),
    }


def _level_document(design: LevelDesign) -> dict[str, Any]:
    mechanism, bound, measured = design.mechanism, design.lower_bound, design.measured
    upper: dict[str, Any] = {"exact": fraction_text(design.score), "value": float_above(design.score)}
    if measured:
        interval = [float_below(measured.low), float_above(measured.high)]
        upper = {"exact": None, "value": nearest_float(design.score), "interval": interval, "how": measured.how}
    return {
        "format": level_design.FORMAT,
        "problem": workload_problem_entry(design.problem),
        "variance": {
            "upper": upper,
            "lower": {"exact": fraction_text(bound), "value": float_below(bound)},
        },
        "gap": None if design.gap is None else float_above(design.gap),
        "status": design.status,
        "places": mechanism.places,
        "levels": [{**asdict(level), "weight": integer_text(level.weight)} for level in mechanism.levels],
        **remarks_entry(design),
        "certificate": certificate_entry(design.certificate, integer_text),
    }


def _noise_table_document(design: NoiseTableDesign) -> dict[str, Any]:
    problem, table = design.problem, design.mechanism
    deltas = [
        {
            "epsilon": fraction_text(one.epsilon),
            "start": one.start,
            "exact": fraction_text(delta),
            "value": float_above(delta),
        }
        for one, delta in zip(problem.guarantees, design.deltas, strict=True)
    ]
    return {
        "format": noise_table.FORMAT,
        "problem": noise_problem_entry(problem),
        ROWS: [[[noise, integer_text(weight)] for noise, weight in row] for row in table.rows],
        "denominator": integer_text(table.denominator),
        "delta": deltas,
        "objective": exact_entry(design.score)
        if problem.objective != ENTROPY
        else {"exact": None, "value": float_above(design.score)},
        "lower_bound": {"exact": fraction_text(design.lower_bound), "value": float_below(design.lower_bound)},
        "status": design.status,
        **remarks_entry(design),
        "dual": certificate_entry(design.certificate, integer_text),
    }


def noise_problem_entry(problem: NoiseTableProblem) -> dict[str, Any]:
    """Write what was asked of a noise table; a guarantee with the rationals around `exp(epsilon)`."""
    asked = {name: getattr(problem, name) for name in problem.__dataclass_fields__}
    guarantees = [
        {
            "epsilon": fraction_text(one.epsilon),
            "ratio": fraction_text(one.ratio),
            "bound_ratio": fraction_text(one.bound_ratio),
            "delta": None if one.delta is None else fraction_text(one.delta),
            "start": one.start,
            "weight": fraction_text(one.weight),
        }
        for one in problem.guarantees
    ]
    texts = {name: fraction_text(value) for name, value in asked.items() if isinstance(value, Fraction)}
    return {**asked, **texts, "guarantees": guarantees}


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


def exact_entry(value: Fraction) -> dict[str, Any]:
    """Write an exact number as `{"exact": "p/q", "value": float}`."""
    return {"exact": fraction_text(value), "value": nearest_float(value)}


def document_text(document: Mapping[str, Any]) -> str:
    """Write JSON with one line for each key, and one for each row of a matrix."""
    lines = [f"{json.dumps(key)}: {_value_text(value, key == ROWS)}" for key, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _value_text(value: Any, texts_apart: bool = False) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {_value_text(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        inner = [_on_one_line(item) if isinstance(item, list) else _value_text(item) for item in value]
        nested = bool(value) and isinstance(value[0], list | str if texts_apart else list)
        return "[\n " + ",\n ".join(inner) + "\n]" if nested else "[" + ", ".join(inner) + "]"
    return str(value) if isinstance(value, Decimals) else json.dumps(value)


def _on_one_line(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_on_one_line, value)) + "]"
    return _value_text(value)
