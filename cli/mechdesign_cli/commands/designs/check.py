"""Run `mechdesign check`: audit any matrix, ours or another tool's."""

import json as json_module
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.audits.audit import audit
from mechdesign.audits.law_audit import audit_law
from mechdesign.audits.mending import Compared, Mended, compare_with_optimum, mend
from mechdesign.audits.workload_audit import audit_workload
from mechdesign.documents.files import require_other_files
from mechdesign.documents.laws import StoredLaw
from mechdesign.documents.row_designs.document import WorkloadDocument
from mechdesign.documents.storage import StoredMatrix, export, read_stored, require_exportable
from mechdesign.errors import InputError
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import Privacy, privacy_if_given
from mechdesign.problem.properties import parse_properties
from mechdesign.releases.checking import check_release
from mechdesign.releases.record_document import is_record_file, read_stored_record
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import ModelRequest, read_problem
from mechdesign_cli.showing.audits import audit_document, repair_text, report
from mechdesign_cli.showing.laws import law_audit_document, report_law
from mechdesign_cli.showing.messages import say, say_wrote
from mechdesign_cli.showing.progress import line_a_minute
from mechdesign_cli.showing.releases import record_claims_document, report_record
from mechdesign_cli.showing.workload_audits import report_workload, workload_audit_document

FAILED = 1


def check(
    file: Annotated[
        Path, typer.Argument(help="A matrix (.json, .csv, .npz or .npy), a law, or the record of a release.")
    ],
    alpha: options.Alpha = None,
    epsilon: options.Epsilon = None,
    props: options.Properties = "none",
    loss: Annotated[
        str | None,
        typer.Option("--loss", help="With --alpha: compare with the least score; of --repair (L0 if not given)."),
    ] = None,
    tolerance: Annotated[
        str | None,
        typer.Option("--tolerance", help="Judge by what holds for some matrix with every entry so near.", metavar="T"),
    ] = None,
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

    It tests every claim of a design document, a law, a design for a workload, or the record of a release. With --record
    it also tests that released counts belong to the record. Exit code 1 if a claim is false. For floats it first
    prints what holds for some matrix within their precision. The exit code follows the exact verdict, or --tolerance
    if given.

    Example: mechdesign check wm.json --alpha 0.9 --props WH,CM
    """
    of_matrices = (alpha, epsilon, loss, tolerance, model, radius, distances, unit, repair, row_stochastic or None)
    asks_of_matrices = any(option is not None for option in of_matrices) or props != "none"
    if record is not None or is_record_file(file):
        if asks_of_matrices:
            raise InputError(f"options of matrices go with a matrix, got one with the release of {record or file}")
        return _check_release(record or file, None if record is None else file, input, key, json)
    if input is not None or key is not None:
        raise InputError("--input and --key go with the record of a release, got one with a matrix")
    stated = privacy_if_given(alpha, epsilon)
    parse_properties(props)
    _require_privacy_beside(stated is not None, repair, loss)
    stored = read_stored(file)
    if isinstance(stored, WorkloadDocument | StoredLaw):
        if asks_of_matrices:
            kind = "law" if isinstance(stored, StoredLaw) else "workload design"
            raise InputError(f"options of matrices go with a matrix, got one with the {kind} of {file}")
        return _check_law(stored, file, json) if isinstance(stored, StoredLaw) else _check_workload(stored, file, json)
    stored = stored.transposed() if row_stochastic else stored
    chosen = ModelRequest(model, radius=radius, distances=distances, unit=unit).read_for(len(stored.rows[0]))
    if chosen is not None and stored.document is not None:
        raise InputError("model goes with plain matrices, got one beside a design document, which knows its own")
    wanted = None if stated is None else stated.alpha
    found = audit(stored, alpha=wanted, properties=props, model=chosen, tolerance=tolerance)
    mended, compared = None, None
    if stated is not None and repair is not None:
        mended = _repaired(_problem(stored, chosen or found.model, stated, props, loss), stored, file, repair)
    elif stated is not None and loss is not None:
        compared = _compared(_problem(stored, chosen or found.model, stated, props, loss), stored)
    if json:
        is_design = stored.document is not None
        print(json_module.dumps(audit_document(found, file, is_design, mended, compared), indent=1))
    else:
        report(found, file, compared)
    return 0 if found.passed or mended is not None else FAILED


def _compared(problem: DesignProblem, stored: StoredMatrix) -> Compared:
    with line_a_minute("designing"):
        return compare_with_optimum(problem, stored)


def _repaired(problem: DesignProblem, stored: StoredMatrix, file: Path, target: Path) -> Mended:
    """Write a certified repair of a matrix, and say what it cost."""
    require_other_files([target], [file])
    mended = mend(problem, stored)
    export(mended.design, target)
    say(repair_text(mended))
    say_wrote(target)
    return mended


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


def _check_law(stored: StoredLaw, file: Path, json: bool) -> int:
    found = audit_law(stored)
    if json:
        print(json_module.dumps(law_audit_document(found, file), indent=1))
    else:
        report_law(found, file)
    return 0 if found.passed else FAILED


def _require_privacy_beside(is_given: bool, repair: Path | None, loss: str | None) -> None:
    """Refuse a repair or a comparison without the privacy to reach, and a repair that could not be written."""
    for option in ([] if loss is None else ["--loss"]) + ([] if repair is None else ["--repair"]):
        if not is_given:
            raise InputError(f"{option} must know the privacy to reach, got none; add --alpha or --epsilon")
    if repair is None:
        return
    if repair.suffix.lower() != ".json":
        raise InputError(f"--repair must be a .json file, got {repair}")
    require_exportable(repair)


def _problem(
    stored: StoredMatrix, model: Model | None, privacy: Privacy, props: str, loss: str | None
) -> DesignProblem:
    """Make the problem that a matrix is compared with, or repaired for."""
    height, width = len(stored.rows), len(stored.rows[0])
    if height != width or width < 2:
        raise InputError(f"matrix must be square, at least 2 x 2, for --loss and --repair, got {height} x {width}")
    problem = read_problem(model or Model.count(width - 1), privacy, props, loss or "L0", None)
    if stored.document is None:
        return problem
    own = stored.document.problem
    return replace(problem, prior=own.prior, aggregate=own.aggregate)
