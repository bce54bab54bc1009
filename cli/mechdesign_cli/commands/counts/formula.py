"""The command `mechdesign formula`: the best score for every alpha, as an exact function."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from mechdesign.documents.document import document_text, exact_entry
from mechdesign.documents.files import Content
from mechdesign.errors import InputError, LimitReachedError
from mechdesign.formulas import finding
from mechdesign.formulas.any_size.finding import law_formula
from mechdesign.formulas.any_size.formula import LawFormula, law_formula_document
from mechdesign.formulas.document import summary_document
from mechdesign.formulas.formula import Formula as Found
from mechdesign.formulas.formula import read_alpha
from mechdesign.formulas.tables import pieces_table
from mechdesign_catalog.mechanisms.landmarks import landmark_scores
from mechdesign_cli.files.output import SummarizedOutput
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import Inputs, Objective, files_read
from mechdesign_cli.parsing.laws import ANY, read_group_size
from mechdesign_cli.python_text import ENGINE, FIGURES, Code, PythonText, ending
from mechdesign_cli.record import Command, option
from mechdesign_cli.showing.formulas import show_formula, show_law_formula
from mechdesign_cli.showing.messages import print_result
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.progress import line_a_minute

LATEX, TABLE = ".tex", ".csv"

NOT_OF_LAWS = (
    "k",
    "model",
    "radius",
    "distances",
    "unit",
    "prior",
    "aggregate",
    "entries",
    "output",
    "plot",
    "summary",
)
OF_LAWS = "--props, --to, --at, --time-limit and --json"


class FormulaOutput(SummarizedOutput):
    """The output of a formula: its document, its pieces, and a picture."""

    suffixes: ClassVar[tuple[str, ...]] = (".json", LATEX, TABLE)

    output: list[Path] | None = option(
        "Write the document with its proof to .json, the pieces to .tex or .csv (repeatable).", "--output", "-o"
    )
    plot: Path | None = option("Draw the score over alpha to .png, .svg or .pdf.")

    def content(self, found: Found, path: Path) -> Content:
        """Return what a file holds."""
        suffix = path.suffix.lower()
        if suffix == LATEX:
            return found.latex().encode()
        return pieces_table(found).csv_bytes() if suffix == TABLE else found.text.encode()


class Formula(Command):
    """The least score is a rational function of alpha on each of a few ranges, and all of it is proved in integers.

    Each line has a range of a = alpha and the score there. An end that is no fraction is shown with six digits, and as
    a root of a polynomial. A .json file holds matrices and proofs for every alpha. mechdesign check proves it again.
    With --n any, lines are for groups of every size under L0, each with the n from which on it is proved.

    Example: mechdesign formula --n 8 --props WH,CM --at 9/10 --output formula.json --plot formula.png

    Example: mechdesign formula --k 5 --loss L1

    Example: mechdesign formula --n any --props WH,CM --to 17/20
    """

    n: str | None = option("Number of people in a group, or any: the score is 2a/(1+a) + g/n.", metavar="N")
    k: options.DomainSize = None
    properties: options.Properties = "none"
    at: list[str] | None = option("Show the exact score at this alpha too, such as 9/10 (repeatable).", metavar="A")
    to: str | None = option(
        "With --n any: cover all up to this alpha (4/5), or without it what --at names.", metavar="A"
    )
    entries: bool = option("Show the entries of the matrix of each part.", default=False)
    objective: Objective
    inputs: Inputs
    time_limit: options.TimeLimit = None
    files: FormulaOutput

    def run(self) -> None:
        """Find and prove the formula, write the files and print.

        Raises:
            LimitReachedError: after that, where the time did not suffice for every alpha.
        """
        alphas, size = [read_alpha(text, "at") for text in self.at or ()], read_group_size(self.n)
        if size == ANY:
            self._of_every_size(alphas)
            return
        if self.to is not None:
            raise InputError("--to must stand with --n any, got it without; leave it out")
        assert size is None or isinstance(size, int)
        self.files.check(plan_only=False)
        if self.files.json and not self.files.summary and (alphas or self.entries):
            raise InputError("--at and --entries go with the report, --at with --summary too, got one with --json")
        problem = self.objective.formula_problem(self.inputs.read(size, self.k), self.properties)
        self.files.require_targets(files_read(self.inputs.distances, self.objective.loss, self.objective.prior))
        with line_a_minute("marching over alpha"):
            found = finding.formula(problem, time_limit=self.time_limit)
        self.files.write(partial(self.files.content, found), partial(picture, "formula_curve.plot_formula", found))
        if self.files.summary:
            print(document_text(_summary(found, alphas)), end="")
        elif self.files.json:
            print(found.text, end="")
        else:
            show_formula(found, alphas, entries=self.entries)
        _require_complete(found)

    def _of_every_size(self, alphas: Sequence[Fraction]) -> None:
        """Find the formulas of laws, and print them.

        Raises:
            LimitReachedError: after that, where the time did not suffice.
        """
        given = self.given()
        wrong = next((name for name in NOT_OF_LAWS if name in given), "")
        if self.objective.loss.upper() != "L0" or wrong:
            got = f"--{wrong}" if wrong else f"--loss {self.objective.loss}"
            raise InputError(f"--n any must stand with {OF_LAWS} alone, under L0, got {got}; state one n")
        to = None if self.to is None else read_alpha(self.to, "to")
        if to is not None and max(alphas, default=to) > to:
            raise InputError(f"at must be at most {to}, which --to says, got at={max(alphas)}")
        with line_a_minute("marching over alpha"):
            found = law_formula(self.properties, to=to, at=alphas if to is None else (), time_limit=self.time_limit)
        known = alphas if found.is_complete else []
        print_result(self.files.json, law_formula_document, show_law_formula, found, known, write=document_text)
        _require_complete(found)

    def python(self, text: PythonText) -> None:
        """Write the search, and what is shown of it."""
        size = read_group_size(self.n)
        if size == ANY:
            places = {"to": self.to} if self.to or not self.at else {"at": Code(repr(self.at))}
            call = text.use(ENGINE, "law_formula")
            text.call("result", call, properties=self.properties, **places, time_limit=self.time_limit)
            text.add("print(result)", *(f"print(result.gain({alpha!r}))" for alpha in self.at or ()))
            return
        model = self.inputs.python(text, self.k)
        stated = self.arguments("n", "k", "at", "to", "entries") | self.objective.python(text)
        text.call("result", text.use(ENGINE, "formula"), n=size, model=model, **stated)
        for path in self.files.output or ():
            if ending(path) == TABLE:
                text.leave_out(path, "formula")
            else:
                text.write(path, "result.latex().encode()" if ending(path) == LATEX else "result.text.encode()")
        if self.files.plot is not None:
            text.picture(self.files.plot, f"{text.use(FIGURES, 'plot_formula')}(result)")
        text.add("print(result)")
        for alpha in self.at or ():
            text.add(f"print(result.score({alpha!r}))")


def _require_complete(found: Found | LawFormula) -> None:
    if not found.is_complete:
        raise LimitReachedError(f"the time limit was reached; covered so far: {found.covered_text}")


def _summary(found: Found, alphas: Sequence[Fraction]) -> dict[str, Any]:
    """Return the summary, with the landmarks beside the scores at some alphas."""
    document = summary_document(found, alphas)
    for alpha, entry in zip(alphas, document["at"], strict=True):
        scores = landmark_scores(found.problem.at(alpha))
        entry["landmarks"] = [{"name": name, "score": exact_entry(score)} for name, score in scores.items()]
    return document
