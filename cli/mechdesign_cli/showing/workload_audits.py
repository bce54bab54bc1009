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


def report_workload(stored: StoredWorkloadDesign, file: Path) -> None:
    """Print what the design is, and every claim."""
    print_facts(workload_rows(stored, file))
    print_claims(stored.claims)


def workload_rows(stored: StoredWorkloadDesign, file: Path) -> list[tuple[str, str]]:
    """Return what the document says as labels and texts; the claims below say what of it is true."""
    outputs, inputs, stated = len(stored.rows), stored.inputs, stored.parsed
    size = bits_text((outputs - 1).bit_length())
    problem = stored.problem
    return [
        ("design", f"{file}: {outputs} outputs ({size}) x {problem.k} items"),
        ("asked", problem.describe()),
        ("epsilon", f"{loss_text(stored.alpha)}, alpha = {number_text(stored.alpha)} (any two items)"),
        ("columns", _columns_text(stored)),
        ("variance", variance_text(problem, stated.upper[1])),
        ("by item", f"{rounded_down(inputs.least, DIGITS)} to {rounded_up(inputs.largest, DIGITS)}"),
        (
            "gap",
            "unknown: no bound above 0" if stated.gap is None else f"{rounded_up(stated.gap, 2)} of the bound",
        ),
        ("certificate", proof_text(stated.certificate.kind, problem)),
    ]


def report_levels(stored: StoredLevelDesign, file: Path) -> None:
    """Print what a design of levels is, and every claim."""
    print_facts(stored_level_rows(stored, file))
    print_claims(stored.claims)


def stored_level_rows(stored: StoredLevelDesign, file: Path) -> list[tuple[str, str]]:
    """Return what the document says as labels and texts; the claims below say what of it is true."""
    design, alpha = stored.design, stored.privacy.alpha
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


def level_audit_document(stored: StoredLevelDesign, file: Path) -> dict[str, Any]:
    """Return the audit as a JSON document; `facts` are the labels and texts of the report."""
    problem, alpha = stored.problem, stored.privacy.alpha
    return {
        "kind": "levels",
        "passed": stored.passed,
        "levels": len(stored.parsed.levels),
        "inputs": problem.k,
        "facts": [list(row) for row in stored_level_rows(stored, file)],
        "epsilon": loss_above(alpha),
        "alpha": fraction_text(alpha),
        "workload": problem.workload.name,
        "aggregate": problem.aggregate,
        "status": stored.parsed.status,
        "variance": nearest_float(stored.parsed.upper[1]),
        "lower_bound": nearest_float(stored.parsed.lower[1]),
        "certificate": stored.design.certificate.kind,
        "claims": claim_entries(stored.claims),
    }


def _columns_text(stored: StoredWorkloadDesign) -> str:
    if not stored.column_errors:
        return "the probabilities of every item sum to exactly 1"
    item, error = max(stored.column_errors, key=lambda pair: abs(pair[1]))
    wrong = f"{len(stored.column_errors)} of {stored.problem.k}"
    return f"{wrong} do not sum to 1; worst: item {item} by {nearest_float(error):.3g}"


def workload_audit_document(stored: StoredWorkloadDesign, file: Path) -> dict[str, Any]:
    """Return the audit as a JSON document; `facts` are the labels and texts of the report."""
    problem, stated = stored.problem, stored.parsed
    return {
        "kind": "workload",
        "passed": stored.passed,
        "outputs": len(stored.rows),
        "inputs": problem.k,
        "facts": [list(row) for row in workload_rows(stored, file)],
        "epsilon": 0.0 if stored.alpha == 1 else loss_above(stored.alpha),
        "alpha": fraction_text(stored.alpha),
        "workload": problem.workload.name,
        "aggregate": problem.aggregate,
        "variance": nearest_float(stated.upper[1]),
        "lower_bound": nearest_float(stated.lower[1]),
        "column_sums_exact": not stored.column_errors,
        "column_errors": [[item, nearest_float(error)] for item, error in stored.column_errors],
        "certificate": stated.certificate.kind,
        "claims": claim_entries(stored.claims),
    }
