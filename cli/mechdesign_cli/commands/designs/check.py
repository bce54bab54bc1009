"""Run `mechdesign check`: audit any matrix, ours or another tool's."""

import json as json_module
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from mechdesign.audits.audit import Audit, audit
from mechdesign.audits.mending import Mended, mend
from mechdesign.audits.workload_audit import audit_workload
from mechdesign.documents.document import exact_entry
from mechdesign.documents.files import require_other_files
from mechdesign.documents.row_designs.document import WorkloadDocument
from mechdesign.documents.storage import StoredMatrix, export, read_stored, require_exportable
from mechdesign.errors import InputError
from mechdesign.mechanism.tightest import Tightest
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import Privacy, loss_text, privacy_if_given, require_privacy
from mechdesign.problem.properties import parse_properties
from mechdesign.rational import fraction_text, nearest_float, number_text
from mechdesign.releases.checking import check_release
from mechdesign.releases.record_document import is_record_file, read_stored_record
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import ModelRequest, read_problem
from mechdesign_cli.showing.messages import printable, say, say_wrote
from mechdesign_cli.showing.releases import record_claims_document, report_record
from mechdesign_cli.showing.tables import console, facts, holds_text
from mechdesign_cli.showing.workload_audits import report_workload, workload_audit_document

FAILED = 1
ROUNDING = 1e-9
DIGITS = 12
"""Sums this close to 1 differ from it by rounding alone."""


def check(
    file: Annotated[Path, typer.Argument(help="A matrix (.json, .csv, .npz or .npy), or the record of a release.")],
    alpha: options.Alpha = None,
    epsilon: options.Epsilon = None,
    props: options.Properties = "none",
    loss: options.LossOption = "L0",
    model: options.ModelName = None,
    radius: options.Radius = None,
    distances: options.Distances = None,
    unit: options.Unit = None,
    repair: Annotated[Path | None, typer.Option("--repair", help="Write a certified repair to this .json.")] = None,
    row_stochastic: options.RowStochastic = False,
    record: Annotated[Path | None, typer.Option("--record", help="The record of FILE, released counts.")] = None,
    input: Annotated[Path | None, typer.Option("--input", help="Of a release: the file that was released.")] = None,
    key: Annotated[Path | None, typer.Option("--key", help="With --input: the secret key of the release.")] = None,
    json: options.Json = False,
) -> int:
    """Show the tightest epsilon, column sums, properties and scores of a matrix, or test a document's claims.

    Every claim that a design document, for a workload too, or the record of a release makes is tested, and with
    --record that released counts belong to it. Exit code 1 when a claim is false.

    Example: mechdesign check wm.json --alpha 0.9 --props WH,CM
    """
    of_matrices = (alpha, epsilon, model, radius, distances, unit, repair, row_stochastic or None)
    asks_of_matrices = any(option is not None for option in of_matrices) or (props, loss) != ("none", "L0")
    if record is not None or is_record_file(file):
        if asks_of_matrices:
            raise InputError(f"options of matrices go with a matrix, got one with the release of {record or file}")
        return _check_release(record or file, None if record is None else file, input, key, json)
    if input is not None or key is not None:
        raise InputError("--input and --key go with the record of a release, got one with a matrix")
    stated = privacy_if_given(alpha, epsilon)
    parse_properties(props)
    _require_repair(repair, stated is not None, loss)
    stored = read_stored(file)
    if isinstance(stored, WorkloadDocument):
        if asks_of_matrices:
            raise InputError(f"options of matrices go with a matrix, got one with the workload design of {file}")
        return _check_workload(stored, file, json)
    if row_stochastic:
        stored = stored.transposed()
    chosen = ModelRequest(model, radius=radius, distances=distances, unit=unit).read_for(len(stored.rows[0]))
    if chosen is not None and stored.document is not None:
        raise InputError("model goes with plain matrices, got one beside a design document, which knows its own")
    found = audit(
        stored.document or stored.rows, alpha=None if stated is None else stated.alpha, properties=props, model=chosen
    )
    mended = None
    if repair is not None:
        require_other_files([repair], [file])
        mended = _repaired(stored, chosen or found.model, require_privacy(stated), props, loss)
        export(mended.design, repair)
        say(repair_text(mended))
        say_wrote(repair)
    if json:
        print(json_module.dumps(audit_document(found, file, stored.document is not None, mended), indent=1))
    else:
        report(found, file)
    return 0 if found.passed or mended is not None else FAILED


def _check_release(record: Path, output: Path | None, input: Path | None, key: Path | None, json: bool) -> int:
    claims = check_release(record, output, input, key)
    found = read_stored_record(record).record
    if json:
        print(json_module.dumps(record_claims_document(found, claims, record), indent=1))
    else:
        report_record(found, claims, record)
    return 0 if all(claim.true for claim in claims) else FAILED


def _check_workload(document: WorkloadDocument, file: Path, json: bool) -> int:
    found = audit_workload(document)
    if json:
        print(json_module.dumps(workload_audit_document(found, file), indent=1))
    else:
        report_workload(found, file)
    return 0 if found.passed else FAILED


def _require_repair(target: Path | None, private: bool, loss: str) -> None:
    if target is None:
        if loss != "L0":
            raise InputError(f"loss goes with --repair, got loss={loss} alone; check scores L0, L0:1, L1 and L2 anyway")
        return
    if not private:
        raise InputError("repair must know the privacy to reach, got none; add --alpha or --epsilon")
    if target.suffix.lower() != ".json":
        raise InputError(f"repair must be written to a .json file, got {target}")
    require_exportable(target)


def _repaired(stored: StoredMatrix, model: Model | None, privacy: Privacy, props: str, loss: str) -> Mended:
    height, width = len(stored.rows), len(stored.rows[0])
    if height != width or width < 2:
        raise InputError(f"repair must start from a square matrix of at least 2 x 2, got {height} x {width}")
    problem = read_problem(model or Model.count(width - 1), privacy, props, loss, None)
    if stored.document is not None:
        own = stored.document.problem
        problem = replace(problem, prior=own.prior, aggregate=own.aggregate)
    return mend(problem, stored.rows)


def repair_text(mended: Mended) -> str:
    """Return one line on what the repair cost."""
    design = mended.design
    return (
        f"repaired: score {nearest_float(mended.score_before):.9g} -> {float(design.score):.9g} "
        f"(change {nearest_float(design.score - mended.score_before):.2g}), largest change of an entry "
        f"{nearest_float(mended.largest_change):.2g}, certified gap to the optimum {float(design.gap):.2g}"
    )


def report(found: Audit, file: Path) -> None:
    """Print the audit."""
    screen = console()
    screen.print(facts(audit_rows(found, file), screen.width))
    for claim in found.claims:
        mark = "true " if claim.true else "FALSE"
        detail = f" ({claim.detail})" if claim.detail and not claim.true else ""
        screen.print(printable(f"{mark}  {claim.claim}{detail}"))


def audit_rows(found: Audit, file: Path) -> list[tuple[str, str]]:
    """Return what the audit found as labels and texts; a row without a label goes on with the one above."""
    rows = [
        ("matrix", f"{file}: {found.n_outputs} outputs x {found.n_inputs} inputs"),
        *privacy_rows(found),
        ("columns", columns_text(found)),
        ("entries", negative_text(found)),
    ]
    if found.scores:
        rows.append(("holds", holds_text(found.holds)))
        rows.append(("scores", ", ".join(f"{name} {nearest_float(value):.6f}" for name, value in found.scores.items())))
    if found.derivable is not None:
        rows.append(("from GM", derivation_text(found)))
    return rows


def privacy_rows(found: Audit) -> list[tuple[str, str]]:
    """Return the tightest epsilon for the model's neighbours, then for neighbouring counts and for LDP."""
    rows = [(found.path, "neighbouring counts"), (found.complete, "any two inputs, LDP")]
    if found.model is not None and found.model.name == "ldp":
        rows.reverse()
    elif found.model is not None and found.model.name != "count":
        if found.model.name == "metric" and found.own.alpha is not None:
            length = found.own.length * found.model.unit
            where = f"set by output {found.own.output}, inputs {found.own.low} and {found.own.high}"
            loss = loss_text(found.own.alpha, DIGITS, length)
            text = f"{loss} for each 1 of distance, {where}, {fraction_text(length)} apart"
            return [("epsilon", text), *(("", f"{privacy_text(t)} ({words})") for t, words in rows)]
        rows.insert(0, (found.own, f"neighbours, {found.model.describe()}"))
    return [("" if position else "epsilon", f"{privacy_text(t)} ({words})") for position, (t, words) in enumerate(rows)]


def privacy_text(tightest: Tightest) -> str:
    """Describe a tightest epsilon, and where it is reached."""
    if tightest.alpha is None:
        return f"inf: output {tightest.output} is impossible for input {tightest.low} but not for {tightest.high}"
    shown = f"alpha = {number_text(tightest.alpha)}"
    where = f", set by output {tightest.output}, inputs {tightest.low} and {tightest.high}"
    return (
        f"{loss_text(tightest.alpha, DIGITS, tightest.length)}, {shown}{where if tightest.output is not None else ''}"
    )


def columns_text(found: Audit) -> str:
    """Tell whether the columns sum to 1, and which one is furthest off."""
    if found.column_sums_exact:
        return "every column sums to exactly 1"
    j, worst = max(found.column_errors, key=lambda item: abs(item[1]))
    wrong = f"{len(found.column_errors)} of {found.n_inputs}"
    text = f"{wrong} do not sum to 1; worst: column {j} by {nearest_float(worst):.3g}"
    if abs(worst) > ROUNDING and found.worst_row_error <= ROUNDING:
        text += "; the rows do: use --row-stochastic if the file has one row for each input"
    return text


def negative_text(found: Audit) -> str:
    """Tell how many entries are negative, and where the first is."""
    if not found.negative:
        return "none is negative"
    i, j = found.negative[0]
    return f"{len(found.negative)} negative, first: output {i}, input {j}"


def derivation_text(found: Audit) -> str:
    """Tell whether the matrix can be derived from GM."""
    at = f"GM at alpha = {number_text(found.derivation_alpha)}" if found.derivation_alpha is not None else "GM"
    if found.derivable:
        return f"yes: post-processing {at} gives it"
    if found.violation is not None:
        i, j = found.violation.output, found.violation.input
        return f"no: {at} cannot give output {i} at inputs {j - 1}, {j}, {j + 1}"
    return "no: its epsilon is infinite, or larger than stated"


def audit_document(found: Audit, file: Path, is_design: bool, mended: Mended | None) -> dict[str, Any]:
    """Return the audit as a JSON document: the contract of `check`, and more keys.

    `kind` is `design` for a design document, else `matrix`; `facts` are the labels and texts of the report.
    """
    return {
        "kind": "design" if is_design else "matrix",
        "passed": found.passed,
        "outputs": found.n_outputs,
        "inputs": found.n_inputs,
        "facts": [list(row) for row in audit_rows(found, file)],
        "epsilon": "inf" if found.own.alpha is None else found.epsilon,
        "alpha": None if found.alpha is None else fraction_text(found.alpha),
        "at": _place(found.own),
        "model": "count" if found.model is None else found.model.name,
        "complete": {
            "epsilon": "inf" if found.complete.alpha is None else found.complete.epsilon,
            "alpha": None if found.complete.alpha is None else fraction_text(found.complete.alpha),
            "at": _place(found.complete),
        },
        "column_sums_exact": found.column_sums_exact,
        "column_errors": [[j, nearest_float(error)] for j, error in found.column_errors],
        "negative": [list(place) for place in found.negative],
        "rows_sum_to_one": found.worst_row_error <= ROUNDING,
        "holds": list(found.holds),
        "scores": {
            name: {"exact": fraction_text(value), "value": nearest_float(value)} for name, value in found.scores.items()
        },
        "derivable": found.derivable,
        "claims": [
            {"claim": claim.claim, "true": claim.true, **({"detail": claim.detail} if not claim.true else {})}
            for claim in found.claims
        ],
        "repair": None if mended is None else repair_entry(mended),
    }


def repair_entry(mended: Mended) -> dict[str, Any]:
    """Return what the repair cost as JSON: exact scores before and after, the gap to the optimum, and the words."""
    return {
        "before": {"exact": fraction_text(mended.score_before), "value": nearest_float(mended.score_before)},
        "score": exact_entry(mended.design.score),
        "lower_bound": exact_entry(mended.design.lower_bound),
        "largest_change": nearest_float(mended.largest_change),
        "how": mended.design.how,
        "text": repair_text(mended),
    }


def _place(tightest: Tightest) -> dict[str, int | None] | None:
    if tightest.output is None:
        return None
    return {"output": tightest.output, "low": tightest.low, "high": tightest.high}
