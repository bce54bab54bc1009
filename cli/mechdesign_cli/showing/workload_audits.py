"""Checked documents of workload designs, on the screen."""

from pathlib import Path
from typing import Any

from mechdesign.documents.stored import StoredLevelDesign, StoredWorkloadDesign
from mechdesign.level_designs import LevelDesign
from mechdesign.problem.privacy import loss_above, loss_text, rounded_down, rounded_up
from mechdesign.rational import fraction_text, nearest_float, number_text
from mechdesign_cli.showing.claims import claim_entries, print_claims
from mechdesign_cli.showing.tables import print_facts
from mechdesign_figures.reports.workload_words import (
    DIGITS,
    bits_text,
    gap_text,
    level_variance_text,
    levels_text,
    proof_text,
    variance_text,
)


def report_workload(found: StoredWorkloadDesign, file: Path) -> None:
    """Print what the design is, and every claim."""
    print_facts(workload_rows(found, file))
    print_claims(found.claims)


def workload_rows(found: StoredWorkloadDesign, file: Path) -> list[tuple[str, str]]:
    """Return what the document says as labels and texts; the claims below say what of it is true."""
    outputs, inputs, stated = len(found.rows), found.inputs, found.found
    size = bits_text((outputs - 1).bit_length())
    problem = found.problem
    return [
        ("design", f"{file}: {outputs} outputs ({size}) x {problem.k} items"),
        ("asked", problem.describe()),
        ("epsilon", f"{loss_text(found.alpha)}, alpha = {number_text(found.alpha)} (any two items)"),
        ("columns", _columns_text(found)),
        ("variance", variance_text(problem, stated.upper[1])),
        ("by item", f"{rounded_down(inputs.least, DIGITS)} to {rounded_up(inputs.largest, DIGITS)}"),
        (
            "gap",
            "unknown: no bound above 0" if stated.gap is None else f"{rounded_up(stated.gap, 2)} of the bound",
        ),
        ("certificate", proof_text(stated.certificate.kind, problem)),
    ]


def report_levels(found: StoredLevelDesign, file: Path) -> None:
    """Print what a design of levels is, and every claim."""
    print_facts(stored_level_rows(found, file))
    print_claims(found.claims)


def stored_level_rows(found: StoredLevelDesign, file: Path) -> list[tuple[str, str]]:
    """Return what the document says as labels and texts; the claims below say what of it is true."""
    design, alpha = found.design, found.privacy.alpha
    return [
        ("design", f"{file}: {levels_text(design)}"),
        ("asked", design.problem.describe()),
        ("epsilon", f"{loss_text(alpha)}, alpha = {number_text(alpha)} (any two items)"),
        ("variance", level_variance_text(design)),
        ("gap", _stated_gap(design)),
        ("certificate", proof_text(design.certificate.kind, design.problem)),
    ]


def _stated_gap(design: LevelDesign) -> str:
    if design.lower_bound <= 0:
        return "unknown: no bound above 0"
    return gap_text(design) if design.gap is None else f"{rounded_up(design.gap, 2)} of the bound"


def level_audit_document(found: StoredLevelDesign, file: Path) -> dict[str, Any]:
    """Return the audit as a JSON document; `facts` are the labels and texts of the report."""
    problem, alpha = found.problem, found.privacy.alpha
    return {
        "kind": "levels",
        "passed": found.passed,
        "levels": len(found.found.levels),
        "inputs": problem.k,
        "facts": [list(row) for row in stored_level_rows(found, file)],
        "epsilon": loss_above(alpha),
        "alpha": fraction_text(alpha),
        "workload": problem.workload.name,
        "aggregate": problem.aggregate,
        "variance": nearest_float(found.found.upper),
        "lower_bound": nearest_float(found.found.lower[1]),
        "certificate": found.design.certificate.kind,
        "claims": claim_entries(found.claims),
    }


def _columns_text(found: StoredWorkloadDesign) -> str:
    if not found.column_errors:
        return "the probabilities of every item sum to exactly 1"
    item, error = max(found.column_errors, key=lambda pair: abs(pair[1]))
    wrong = f"{len(found.column_errors)} of {found.problem.k}"
    return f"{wrong} do not sum to 1; worst: item {item} by {nearest_float(error):.3g}"


def workload_audit_document(found: StoredWorkloadDesign, file: Path) -> dict[str, Any]:
    """Return the audit as a JSON document; `facts` are the labels and texts of the report."""
    problem, stated = found.problem, found.found
    return {
        "kind": "workload",
        "passed": found.passed,
        "outputs": len(found.rows),
        "inputs": problem.k,
        "facts": [list(row) for row in workload_rows(found, file)],
        "epsilon": 0.0 if found.alpha == 1 else loss_above(found.alpha),
        "alpha": fraction_text(found.alpha),
        "workload": problem.workload.name,
        "aggregate": problem.aggregate,
        "variance": nearest_float(stated.upper[1]),
        "lower_bound": nearest_float(stated.lower[1]),
        "column_sums_exact": not found.column_errors,
        "column_errors": [[item, nearest_float(error)] for item, error in found.column_errors],
        "certificate": stated.certificate.kind,
        "claims": claim_entries(found.claims),
    }
