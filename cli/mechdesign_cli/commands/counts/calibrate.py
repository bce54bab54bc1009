"""The command `mechdesign calibrate`: the least epsilon for an error one can accept."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mechdesign.calibration import Calibration, calibrate
from mechdesign.designs import Design
from mechdesign.documents.document import design_document, document_text, exact_entry
from mechdesign.documents.files import Content
from mechdesign.documents.storage import EXPORT_SUFFIXES, export_content
from mechdesign.documents.stored import proved_text
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.laws.law import Law
from mechdesign.laws.measured import MeasuredLaw
from mechdesign.mechanism.notebook import score_decimal
from mechdesign.problem.properties import ordered
from mechdesign.rational import number_text
from mechdesign_cli.files.design_output import files_python
from mechdesign_cli.files.output import SUFFIXES as TABLE_SUFFIXES
from mechdesign_cli.files.targets import require_targets
from mechdesign_cli.files.wish_output import WishOutput
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import Objective, files_read, read_loss, read_prior
from mechdesign_cli.parsing.wishes import wishes_of
from mechdesign_cli.python_text import ENGINE, PythonText
from mechdesign_cli.record import REQUIRED, Command, option
from mechdesign_cli.showing.messages import print_result
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.progress import line_a_minute
from mechdesign_cli.showing.tables import exact_and_decimal, print_facts

DOCUMENT = ".json"


class CalibratedOutput(WishOutput):
    """The output of calibrations: of one the design at the least epsilon, of several their table."""

    output: options.Outputs = None

    def require_wishes(self, count: int, sources: Sequence[Path]) -> None:
        """Refuse, before any work, files that cannot have what is found."""
        require_targets(self.output or (), self.plot, sources, EXPORT_SUFFIXES if count == 1 else TABLE_SUFFIXES)

    def deliver_design(self, calibration: Calibration) -> None:
        """Write the design to files, all or none, then print both ends as a document or in words."""
        proved, paths = calibration.proved, self.output or []
        needs_matrix = self.plot is not None or any(path.suffix.lower() != DOCUMENT for path in paths)
        matrix = proved.design(calibration.wish.n) if isinstance(proved, Law) and needs_matrix else proved

        def content(path: Path) -> Content:
            if isinstance(proved, Law) and path.suffix.lower() == DOCUMENT:
                return proved_text(design_document(proved, calibration.wish.n)).encode()
            return export_content(matrix, path)

        notes = exactness_notes(paths, "a .json or .npz")
        self.write(content, partial(picture, "design_picture.plot_design", matrix), notes)
        print_result(self.json, calibration_document, show_calibration, calibration, write=document_text)


class Calibrate(Command):
    """Both ends are proved: at the upper epsilon some mechanism is accurate enough; at the lower one none is.

    The ends are at most 0.001 apart. --within and --in ask that a released count be that near the true one, with that
    probability. This holds whatever the true count is, or with a --prior on average over the prior. --score asks for a
    score that mechdesign solve prints, under any --loss. The score of L0 is the share of wrong answers times (n+1)/n.
    Several values, such as --in 0.8,0.9, make a table, which --output writes to .csv or .json.

    Example: mechdesign calibrate --n 40 --props WH,CM --within 2 --in 0.9 --output design.json

    Example: mechdesign calibrate --n 100000 --loss L1 --score 1.5

    Example: mechdesign calibrate --n 20 --within 1 --in 0.8,0.9,0.95 --output wishes.csv --plot wishes.svg
    """

    n: int = option("Number of people in a group; counts are 0..n.", default=REQUIRED, metavar="N")
    properties: options.Properties = "none"
    within: int | None = option("How far from the true count a released one may be.", metavar="COUNT")
    chance: str | None = option(
        "With --within: the probability of such a count, such as 0.9.", "--in", metavar="CHANCE"
    )
    score: str | None = option("Instead of --within: the largest score that you accept, such as 1.5.")
    objective: Objective
    time_limit: options.TimeLimit = None
    files: CalibratedOutput

    def run(self) -> None:
        """Search, write the files and print."""
        aim = self.objective
        wishes = self._wishes()
        self.files.require_wishes(len(wishes), files_read(None, aim.loss, aim.prior))
        stated = {
            **aim.arguments(),
            **({"loss": read_loss(aim.loss)} if "loss" in aim.arguments() else {}),
            **({} if aim.prior is None else {"prior": read_prior(aim.prior)}),
        }
        with line_a_minute("designing"):
            found = [calibrate(self.n, **wish, **stated) for wish in wishes]
        if len(found) == 1:
            self.files.deliver_design(found[0])
        else:
            self.files.deliver(found, calibration_document, show_calibration)

    def _wishes(self) -> list[dict[str, Any]]:
        return wishes_of(self.arguments("n"), ("chance", "score"))

    def python(self, text: PythonText) -> None:
        """Write a calibration and the files of its design, or several and their table."""
        calibrated, wishes = text.use(ENGINE, "calibrate"), self._wishes()

        def write(name: str, wish: Mapping[str, Any]) -> None:
            text.call(name, calibrated, self.n, **wish, **self.objective.python(text))

        if len(wishes) == 1:
            write("result", wishes[0])
            files_python(text, self.files.paths, "result.proved")
            text.add("print(result)")
        else:
            self.files.python(text, "calibrate", wishes, write)


def calibration_document(calibration: Calibration) -> dict[str, Any]:
    """Return both ends, with what is proved at each."""
    wish, best, refuted = calibration.wish, calibration.best, calibration.refuted
    return {
        "wish": wish.words,
        "n": wish.n,
        "properties": ordered(wish.properties),
        "epsilon": {"upper": exact_entry(calibration.upper), "lower": exact_entry(calibration.lower)},
        "wanted_score": exact_entry(wish.score),
        "score_at_upper": exact_entry(best.score),
        "lower_bound_at_lower": exact_entry(refuted.lower_bound),
        "how": best.how,
        "designs": calibration.designs,
    }


def show_calibration(calibration: Calibration) -> None:
    """Print what was asked, both ends, and what is proved at each."""
    wish, best = calibration.wish, calibration.best
    asked = ", ".join(ordered(wish.properties)) or "no properties"
    is_measured = isinstance(best, MeasuredLaw)
    why = (
        "nobody knows the best mechanism between them"
        if is_measured
        else "a design between them has a wide gap of its own"
    )
    aside = "" if calibration.is_close else f"; the ends stay apart, for {why}"
    made = "a design" if isinstance(best, Design) else "a law"
    bound = f"no such mechanism scores below {score_decimal(calibration.refuted.lower_bound, is_lower=True)}"
    print_facts(
        [
            ("asked", f"n = {wish.n}, {asked}: {wish.words}"),
            ("wanted", f"score {exact_and_decimal(wish.score)} at most"),
            ("epsilon", f"{number_text(calibration.upper)} suffices: {made} scores {score_decimal(best.score)}"),
            ("", f"{number_text(calibration.lower)} does not: {bound}{aside}"),
            ("designs", f"{calibration.designs}, {best.how} ({best.method})"),
        ]
    )
