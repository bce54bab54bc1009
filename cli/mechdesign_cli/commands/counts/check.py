"""The command `mechdesign check`: an audit of any matrix, ours or another tool's."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from mechdesign.audits.audit import audit, step_of
from mechdesign.audits.curves import audit_curve
from mechdesign.audits.mending import RepairedDesign, ScoreComparison, compare_with_optimum, mend
from mechdesign.documents.files import read_text, require_other_files
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.noise_tables import is_noise_csv
from mechdesign.documents.storage import StoredMatrix, export, read_stored, require_exportable
from mechdesign.documents.stored import StoredLaw, StoredLevelDesign, StoredNoiseTable, StoredWorkloadDesign
from mechdesign.errors import InputError
from mechdesign.formulas.document import check_formula, is_formula_file
from mechdesign.noise_tables.guarantee import LARGE
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.properties import parse_properties
from mechdesign.releases.checking import check_release
from mechdesign.releases.record_document import is_record_file, read_stored_record
from mechdesign.table_releases.checking import check_table_release, is_table_release
from mechdesign_cli.commands.counts.table_compare import parse_curve
from mechdesign_cli.endings import DONE, NO
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import Inputs, Objective, loss_python
from mechdesign_cli.parsing.numbers import whole_number
from mechdesign_cli.python_text import ENGINE, Code, NoPythonError, PythonText, ending
from mechdesign_cli.record import REQUIRED, Command, Group, argument, option
from mechdesign_cli.showing.audits import audit_document, repair_text, report
from mechdesign_cli.showing.cells import drawn_cells
from mechdesign_cli.showing.formulas import formula_claims_document, report_formula
from mechdesign_cli.showing.headlines import headline
from mechdesign_cli.showing.laws import law_audit_document, report_law
from mechdesign_cli.showing.messages import note_written, print_result, say
from mechdesign_cli.showing.noise_tables import (
    claims_of,
    noise_audit_document,
    report_tables,
    show_noise_audit,
    table_claims_document,
)
from mechdesign_cli.showing.progress import line_a_minute
from mechdesign_cli.showing.releases import record_claims_document, report_record
from mechdesign_cli.showing.workload_audits import (
    level_audit_document,
    report_levels,
    report_workload,
    workload_audit_document,
)

LAWS, NOISE_TABLE, OF_QUERIES, OF_FORMULAS = (
    *(("mechdesign-design/3", "mechdesign-design/5"), "mechdesign-noise-table/1"),
    *("mechdesign-workload/", "mechdesign-formula/"),
)
CHECKED = {"mechdesign-release/": "check_release", "mechdesign-table-release/": "check_table_release"}
"""What checks a record, by the beginning of its format."""


class ReleaseFiles(Group, title="Release"):
    """The files of a release that is checked."""

    record: Path | None = option("The record of FILE, which holds released counts.")
    input: Path | None = option("The file whose counts were released.")
    key: Path | None = option("With --input: the secret key of the release.")
    secret: Path | None = option("With --input: the secret of a release of tables.")
    domain: Path | None = option("With --secret: the public items, if the release has all their cells.", metavar="CSV")


class CurveOptions(Group, title="Delta"):
    """Claims of (epsilon, delta), and the privacy curve."""

    curve: str | None = option("Show delta at these epsilons, such as 0.5,1,2.", metavar="LIST")
    delta: str | None = option(
        "With --epsilon: claim (epsilon, delta); alone: find the least epsilon for it.", metavar="DELTA"
    )
    start: str | None = option("Of a noise table: for counts from N on, or large.", metavar="N")
    hide: int | None = option("Of a noise table: results below T are one mark.", metavar="T")

    @property
    def is_given(self) -> bool:
        """Whether the curve is asked for."""
        return bool(self.arguments())

    def read_start(self) -> int | str:
        """Read the start; 0 where none is given.

        Raises:
            InputError: for what is no count, and not `large`.
        """
        if self.start is None or self.start == LARGE:
            return self.start or 0
        return int(whole_number(self.start))


class Check(Command):
    """The tightest epsilon, column sums, properties and scores of a matrix are shown; a document's claims are tested.

    Every claim of a design document, a law, a design for a workload, or the record of a release is tested. With
    --record, so is whether released counts belong to the record. The exit code is 1 if a claim is false. Of a
    plain matrix the verdict comes first; of floats, then, what holds for some matrix within their precision. The exit
    code follows what holds exactly, or --tolerance if given.

    Example: mechdesign check wm.json --alpha 0.9 --props WH,CM
    """

    file: Path = argument(
        "A matrix (.json, .csv, .npz, .npy), a design of any kind, law, formula, noise table, or a release's record.",
        default=REQUIRED,
    )
    properties: options.Properties = "none"
    loss: str | None = option(
        "With --alpha: compare with the least loss; with --repair: the loss to minimise (L0 by default)."
    )
    tolerance: str | None = option("Judge by what holds for some matrix with every entry within T.", metavar="T")
    repair: Path | None = option("Write a certified repair to this .json.")
    row_stochastic: options.RowStochastic = False
    json: options.Json = False
    privacy: options.PrivacyOptions
    inputs: Inputs
    delta: CurveOptions
    release: ReleaseFiles

    def run(self) -> int:
        """Check the file and print; 0 where every claim is true."""
        record = self.release.record
        if (of_tables := record or self.file) and is_table_release(of_tables):
            self._refuse_for(f"release of {of_tables}")
            return self._check_tables(of_tables)
        if record is not None or is_record_file(self.file):
            self._refuse_for(f"release of {record or self.file}")
            return self._check_release()
        if is_formula_file(self.file):
            self._refuse_for(f"formula of {self.file}")
            problem, claims = check_formula(self.file)
            is_true = all(claim.true for claim in claims)
            return self._tell(is_true, formula_claims_document, report_formula, problem, claims, self.file)
        if self.release.arguments():
            raise InputError("--input and --key go with the record of a release, got one with a matrix")
        if self.delta.is_given or is_noise_csv(self.file):
            return self._check_curve()
        stated = self.privacy.read_if_given()
        parse_properties(self.properties)
        self._require_privacy_beside(stated)
        stored = read_stored(self.file)
        if isinstance(stored, StoredNoiseTable):
            return self._check_curve()
        if isinstance(stored, StoredWorkloadDesign | StoredLevelDesign | StoredLaw):
            kind = "law" if isinstance(stored, StoredLaw) else "workload design"
            self._refuse_for(f"{kind} of {self.file}")
            if isinstance(stored, StoredLaw):
                return self._tell(stored.passed, law_audit_document, report_law, stored, self.file)
            if isinstance(stored, StoredLevelDesign):
                return self._tell(stored.passed, level_audit_document, report_levels, stored, self.file)
            return self._tell(stored.passed, workload_audit_document, report_workload, stored, self.file)
        return self._check_matrix(stored.transposed() if self.row_stochastic else stored, stated)

    def _check_curve(self) -> int:
        """Audit the privacy curve of a noise table, or of a matrix for counts."""
        if others := self.given("file", "json", "epsilon", *self.delta.arguments()):
            raise InputError(f"--{next(iter(others))} goes with a plain matrix alone, got it with a privacy curve")
        found = audit_curve(self.file, hide=self.delta.hide or 0)
        if found.table is None and self.delta.start is not None:
            raise InputError("--start goes with a noise table, got it with a matrix")
        start, delta, epsilon = self.delta.read_start(), self.delta.delta, self.privacy.epsilon
        if epsilon is not None and delta is None:
            raise InputError("--delta must be given with --epsilon for a privacy curve, got none")
        claim = None if epsilon is None or delta is None else found.claim(epsilon, delta, start)
        least = () if epsilon is not None or delta is None else (delta, start, found.least_epsilon(delta, start))
        epsilons = parse_curve(self.delta.curve)
        passed = all(one.true for one in claims_of(found, claim))
        return self._tell(passed, noise_audit_document, show_noise_audit, found, self.file, epsilons, claim, least)

    def _refuse_for(self, what: str) -> None:
        """Refuse options for plain matrices beside another document."""
        if self.given("file", "json", *self.release.arguments()):
            raise InputError(f"options for plain matrices go with a plain matrix, got one with the {what}")

    def _check_matrix(self, stored: StoredMatrix, stated: Privacy | None) -> int:
        """Audit a matrix, repair it, or compare it with the best."""
        model = self.inputs.read_for(len(stored.rows[0]))
        if model is not None and stored.document is not None:
            raise InputError("model goes with plain matrices, got one beside a design document, which knows its own")
        wanted = None if stated is None else stated.alpha
        found = audit(stored, alpha=wanted, properties=self.properties, model=model, tolerance=self.tolerance)
        mended, compared = None, None
        if stated is not None and self.repair is not None:
            mended = _repaired(self._problem(stored, model or found.model, stated), stored, self.file, self.repair)
        elif stated is not None and self.loss is not None:
            compared = _compared(self._problem(stored, model or found.model, stated), stored)
        own = None if stored.document is None else stored.document.problem
        claimed = parse_properties(self.properties) | set(() if own is None else own.properties)
        step = own.step_alpha if own is not None else None if wanted is None else step_of(wanted, found.model)
        cells = drawn_cells(found, stored, claimed, step)
        said = headline(found, stored) if own is None else []
        document = partial(audit_document, is_design=own is not None, mended=mended, cells=cells)
        return self._tell(found.passed or mended is not None, document, report, found, self.file, compared, said)

    def _check_release(self) -> int:
        record = self.release.record or self.file
        output = None if self.release.record is None else self.file
        if self.release.secret is not None or self.release.domain is not None:
            raise InputError("--secret and --domain go with a release of tables, got one with a release of groups")
        claims = check_release(record, output, self.release.input, self.release.key)
        found = read_stored_record(record).record
        is_true = all(claim.true for claim in claims)
        return self._tell(is_true, record_claims_document, report_record, found, claims, record)

    def _check_tables(self, record: Path) -> int:
        """Check a release of tables."""
        given = self.release
        if given.key is not None:
            raise InputError("--key goes with a release of groups, got it with one of tables, which has a --secret")
        output = None if given.record is None else self.file
        claims = check_table_release(record, output, given.input, given.secret, given.domain)
        return self._tell(all(claim.true for claim in claims), table_claims_document, report_tables, claims, record)

    def _tell(self, is_true: bool, document: Callable[..., Any], show: Callable[..., None], *of: Any) -> int:
        """Print the document or what `show` prints; return the exit code."""
        print_result(self.json, document, show, *of)
        return DONE if is_true else NO

    def _require_privacy_beside(self, stated: Privacy | None) -> None:
        """Refuse a repair or a comparison without the privacy to reach, and a repair that could not be written."""
        for name in ("loss", "repair"):
            if stated is None and getattr(self, name) is not None:
                raise InputError(f"--{name} needs the privacy to reach, got none; add --alpha or --epsilon")
        if self.repair is None:
            return
        if self.repair.suffix.lower() != ".json":
            raise InputError(f"--repair must be a .json file, got {self.repair}")
        require_exportable(self.repair)

    def _problem(self, stored: StoredMatrix, model: Model | None, privacy: Privacy) -> DesignProblem:
        """Make the problem that a matrix is compared with, or repaired for."""
        height, width = len(stored.rows), len(stored.rows[0])
        if height != width or width < 2:
            raise InputError(f"matrix must be square, at least 2 x 2, for --loss and --repair, got {height} x {width}")
        objective = Objective(loss=self.loss or "L0")
        problem = objective.problem(model or Model.count(width - 1), privacy, self.properties)
        if stored.document is None:
            return problem
        own = stored.document.problem
        return replace(problem, prior=own.prior, aggregate=own.aggregate)

    def python(self, text: PythonText) -> None:
        """Write the audit of a matrix, its repair or comparison, or the check of a release."""
        if self.release.record is not None:
            checked = "check_release" if self.release.secret is None else "check_table_release"
            text.call("claims", text.use(ENGINE, checked), self.release.record, self.file)
            text.add("for claim in claims:", "    print(claim.true, claim.claim)")
            return
        if self._document_python(text):
            return
        turned = ".transposed()" if self.row_stochastic else ""
        text.add(f"matrix = {text.use(ENGINE, 'read_matrix')}({str(self.file)!r}){turned}")
        model = self.inputs.python(text, Code("len(matrix.rows[0])"))
        properties = self.arguments().get("properties")
        alpha: object = self.privacy.alpha
        if self.privacy.epsilon is not None:
            alpha = Code(f"{text.use(ENGINE, 'Privacy')}(epsilon={self.privacy.epsilon!r}).alpha")
        stated = {"alpha": alpha, "properties": properties, "model": model, "tolerance": self.tolerance}
        text.call("result", text.use(ENGINE, "audit"), Code("matrix"), **stated)
        text.add("print(result.epsilon, result.alpha, result.column_sums_exact, result.holds)")
        claims = ["result.claims", *([] if self.tolerance is None else ["result.within.claims"])]
        for listed in claims:
            text.add(f"for claim in {listed}:", "    print(claim.true, claim.claim)")
        if self.repair is not None or self.loss is not None:
            self._problem_python(text, model, properties)

    def _document_python(self, text: PythonText) -> bool:
        """Write the check of a file that is no matrix; tell whether it is one.

        Raises:
            NoPythonError: for a formula.
        """
        said = _format_of(self.file)
        if said.startswith(OF_FORMULAS):
            raise NoPythonError("the check of a formula")
        if self.delta.is_given or said == NOISE_TABLE or (self.file.is_file() and is_noise_csv(self.file)):
            self._curve_python(text)
            return True
        checker = next((name for start, name in CHECKED.items() if said.startswith(start)), None)
        if checker is not None:
            text.call("claims", text.use(ENGINE, checker), self.file)
            text.add("for claim in claims:", "    print(claim.true, claim.claim)")
        elif said in LAWS or said.startswith(OF_QUERIES):
            text.call("result", text.use(ENGINE, "audit"), self.file)
            text.add("for claim in result.claims:", "    print(claim.true, claim.claim)")
        return checker is not None or said in LAWS or said.startswith(OF_QUERIES)

    def _curve_python(self, text: PythonText) -> None:
        """Write the privacy curve of a file, or a claim about it."""
        text.call("curve", text.use(ENGINE, "audit_curve"), self.file, hide=self.delta.hide)
        start, delta, epsilon = self.delta.read_start(), self.delta.delta, self.privacy.epsilon
        if delta is not None:
            asked = f"least_epsilon({delta!r}" if epsilon is None else f"claim({epsilon!r}, {delta!r}"
            text.add(f"print(curve.{asked}, {start!r}))")
        asked = ""
        if self.delta.curve is not None:
            text.use("fractions", "Fraction")
            text.add(f"epsilons = [Fraction(text) for text in {self.delta.curve!r}.split(',')]")
            asked = "epsilons"
        text.add(f"for point in curve.points({asked}):", "    print(point.epsilon, point.start, float(point.delta))")

    def _problem_python(self, text: PythonText, model: object, properties: object) -> None:
        """Write a comparison with the best score, or a repair."""
        if ending(self.file) == ".json":
            raise NoPythonError("the comparison or repair of a document, which has a prior of its own")
        sized = {"model": model} if model is not None else {"n": Code("len(matrix.rows) - 1")}
        stated = {**self.privacy.arguments(), "properties": properties, "loss": loss_python(text, self.loss)}
        text.call("problem", text.use(ENGINE, "DesignProblem"), **sized, **stated)
        if self.repair is None:
            compare = text.use(ENGINE, "compare_with_optimum")
            text.call("compared", compare, Code("problem"), Code("matrix"))
            text.add("print(compared.score, compared.best.lower_bound)")
            return
        text.call("mended", text.use(ENGINE, "mend"), Code("problem"), Code("matrix"))
        text.call("", text.use(ENGINE, "export"), Code("mended.design"), self.repair)


def _compared(problem: DesignProblem, stored: StoredMatrix) -> ScoreComparison:
    with line_a_minute("designing"):
        return compare_with_optimum(problem, stored)


def _repaired(problem: DesignProblem, stored: StoredMatrix, file: Path, target: Path) -> RepairedDesign:
    """Write a certified repair of a matrix, and say what it cost."""
    require_other_files([target], [file])
    mended = mend(problem, stored)
    export(mended.design, target)
    say(repair_text(mended))
    note_written(target)
    return mended


def _format_of(file: Path) -> str:
    """Return the format that a document says it has; "" for another file, or one that is not there."""
    if ending(file) != ".json" or not file.is_file():
        return ""
    data = parse_json(read_text(file), str(file))
    return str(data.get("format", "")) if isinstance(data, dict) else ""
