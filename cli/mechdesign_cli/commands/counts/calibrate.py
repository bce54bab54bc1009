"""The command `mechdesign calibrate`: the least epsilon for an error one can accept."""

from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from mechdesign.calibration import Calibration, calibrate
from mechdesign.documents.document import design_document, document_text, exact_entry
from mechdesign.documents.files import Content
from mechdesign.documents.storage import EXPORT_SUFFIXES, export_content
from mechdesign.documents.stored import proved_text
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.laws.law import Law
from mechdesign.mechanism.notebook import score_decimal
from mechdesign.problem.properties import ordered
from mechdesign.rational import number_text
from mechdesign_cli.files.design_output import files_python
from mechdesign_cli.files.output import Output
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import Objective, files_read, read_loss, read_prior
from mechdesign_cli.python_text import ENGINE, PythonText
from mechdesign_cli.record import REQUIRED, Command, option
from mechdesign_cli.showing.messages import print_result
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.progress import line_a_minute
from mechdesign_cli.showing.tables import exact_and_decimal, print_facts

DOCUMENT = ".json"


class CalibratedOutput(Output):
    """The output of a calibration: the design at the least epsilon, and what is printed."""

    suffixes: ClassVar[tuple[str, ...]] = EXPORT_SUFFIXES

    output: options.Outputs = None

    def deliver(self, calibration: Calibration) -> None:
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

    Example: mechdesign calibrate --n 40 --props WH,CM --within 2 --in 0.9 --output design.json

    Example: mechdesign calibrate --n 100000 --loss L1 --score 1.5
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
        self.files.require_targets(files_read(None, aim.loss, aim.prior))
        stated = {
            **aim.arguments(),
            **({"loss": read_loss(aim.loss)} if "loss" in aim.arguments() else {}),
            **({} if aim.prior is None else {"prior": read_prior(aim.prior)}),
        }
        with line_a_minute("designing"):
            found = calibrate(self.n, **self.arguments("n"), **stated)
        self.files.deliver(found)

    def python(self, text: PythonText) -> None:
        """Write a calibration, and the files of its design."""
        calibrated = text.use(ENGINE, "calibrate")
        text.call("result", calibrated, self.n, **self.arguments("n"), **self.objective.python(text))
        files_python(text, self.files.paths, "result.proved")
        text.add("print(result)")


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
        "designs": calibration.designs,
    }


def show_calibration(calibration: Calibration) -> None:
    """Print what was asked, both ends, and what is proved at each."""
    wish, best = calibration.wish, calibration.best
    asked = ", ".join(ordered(wish.properties)) or "no properties"
    aside = "" if calibration.is_close else "; the ends stay apart, for a design between them has a wide gap of its own"
    bound = f"no mechanism scores below {score_decimal(calibration.refuted.lower_bound, is_lower=True)}"
    print_facts(
        [
            ("asked", f"n = {wish.n}, {asked}: {wish.words}"),
            ("wanted", f"score {exact_and_decimal(wish.score)} at most"),
            ("epsilon", f"{number_text(calibration.upper)} suffices: a design scores {score_decimal(best.score)}"),
            ("", f"{number_text(calibration.lower)} does not: {bound}{aside}"),
            ("designs", f"{calibration.designs}, {best.how} ({best.method})"),
        ]
    )
