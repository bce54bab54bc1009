"""The command `mechdesign local calibrate`: the least epsilon, or the fewest users."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from mechdesign.documents.document import exact_entry
from mechdesign.errors import InputError
from mechdesign.problem.privacy import rounded_down, rounded_up
from mechdesign.rational import fraction_text, number_text
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.calibration import LocalCalibration, RatedReports, calibrate_reports
from mechdesign_catalog.comparisons.choosing import BEST
from mechdesign_cli.files.wish_output import WishOutput
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.wishes import wishes_of
from mechdesign_cli.parsing.workloads import ItemsAndQueries
from mechdesign_cli.python_text import CATALOG, Code, PythonText
from mechdesign_cli.record import Command, option
from mechdesign_cli.showing.tables import print_facts


class Calibrate(Command):
    """You state the error that you accept, and either the number of users or epsilon; the other one is computed.

    The error is the largest standard error of an answer if all items have equal shares, by the exact formula. With
    --mean it is the root mean square error of all answers. A proved bound beside it says what no local mechanism can
    do. Several errors, such as 0.005,0.01,0.02, make a table.

    Example: mechdesign local calibrate --error 0.01 --workload ranges --k 64 --users 100000

    Example: mechdesign local calibrate --error 0.005,0.01,0.02 --workload ranges --k 64 --users 100000 --plot wish.svg

    Example: mechdesign local calibrate --half-width 0.02 --workload histogram --k 24 --epsilon 1
    """

    asked: ItemsAndQueries
    error: str | None = option("The largest standard error of an answer that you accept, such as 0.01; or several.")
    half_width: str | None = option(
        "Instead of --error: half the width of an answer's interval that you accept.", metavar="WIDTH"
    )
    confidence: str | None = option("With --half-width: the confidence of that interval (default 0.95).")
    users: int | None = option("Number of users: find the least epsilon for them.", metavar="USERS")
    privacy: options.PrivacyOptions
    oracle: str = option(
        "An oracle by name; best: of all that are listed; design: one made for the workload.", default=BEST
    )
    mean: bool = option("Judge by the root mean square error of all answers, not by the largest error.", default=False)
    files: WishOutput

    def run(self) -> None:
        """Search and print."""
        workload = self.asked.read()
        if not isinstance(workload, Workload):
            raise InputError("--workload must be given, got none; try --workload histogram")
        self.files.require_targets([])
        found = [calibrate_reports(workload, **wish) for wish in self._wishes()]
        self.files.deliver(found, calibration_document, show_calibration)

    def _wishes(self) -> list[dict[str, Any]]:
        return wishes_of(self.privacy.arguments() | self.arguments(), ("error", "half_width"))

    def python(self, text: PythonText) -> None:
        """Write calibrations of local reports."""
        self.asked.python(text)
        calibrated = text.use(CATALOG, "calibrate_reports")

        def write(name: str, wish: Mapping[str, Any]) -> None:
            text.call(name, calibrated, Code("workload"), **wish)

        self.files.python(text, "local calibrate", self._wishes(), write)


def calibration_document(calibration: LocalCalibration) -> dict[str, Any]:
    """Return what suffices, what does not, and what is impossible."""
    privacy, standing = calibration.privacy, calibration.reports.standing
    entry: dict[str, Any] = {
        "wish": calibration.wish.words,
        "workload": calibration.wish.workload.name,
        "k": calibration.wish.workload.k,
        "n": calibration.users,
        "epsilon": privacy.epsilon,
        "alpha": fraction_text(privacy.alpha),
        "oracle": standing.name,
        "bits": standing.oracle.bits,
        "standard_error": calibration.reports.standard_error,
        "missing": {"oracle": calibration.missing.standing.name, "standard_error": calibration.missing.standard_error},
        "impossible": None if calibration.too_little is None else exact_entry(calibration.too_little),
    }
    if calibration.ends is not None:
        entry["ends"] = {"upper": exact_entry(calibration.ends.upper), "lower": exact_entry(calibration.ends.lower)}
    return entry


def show_calibration(calibration: LocalCalibration) -> None:
    """Print what was asked, what suffices, what does not, and what is impossible."""
    workload, ends = calibration.wish.workload, calibration.ends
    by = _reports_text(calibration.reports, rounded_up)
    without = _reports_text(calibration.missing, rounded_down)
    if ends is not None:
        given, name = f"{calibration.users:,} users", "epsilon"
        enough, too_few = number_text(ends.upper), number_text(ends.lower)
        least = None if calibration.too_little is None else f"epsilon {number_text(calibration.too_little)} or less"
    else:
        given, name = calibration.privacy.describe(), "users"
        enough, too_few = f"{calibration.users:,}", f"{calibration.users - 1:,}"
        least = None if calibration.too_little is None else f"{int(calibration.too_little):,} users or fewer"
    rows = [
        ("asked", f"{workload.k:,} items, {workload.name}, {given}: {calibration.wish.words}"),
        (
            name,
            f"{enough} {'suffices' if ends else 'suffice'}: {by}, {calibration.reports.standing.oracle.bits:,} bits",
        ),
        ("", f"{too_few} {'does' if ends else 'do'} not: {without}"),
    ]
    if least is not None:
        rows.append(("bound", f"with {least} no local mechanism does, with one report a user and unbiased answers"))
    print_facts(rows)


def _reports_text(reports: RatedReports, rounded: Callable[[Fraction], str]) -> str:
    return f"{reports.standing.name}, standard error {rounded(Fraction(reports.standard_error))}"
