"""Laws by options: whether one serves, its design, and its output."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import typer

from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.files import Content
from mechdesign.documents.storage import export_content
from mechdesign.documents.stored import proved_text
from mechdesign.errors import InputError
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.exports.writing import notes_on, require_short_programs
from mechdesign.laws.finding import AUTO_DEPTH, FROM_AUTO, expected_depth, find_law, has_formula, serving_law
from mechdesign.laws.law import Law
from mechdesign.laws.problem import MATRIX, LawProblem, no_law, parse_law_then
from mechdesign.mechanism.layered import LARGEST_MATRIX, MOST_PEOPLE, require_matrix_size
from mechdesign.methods.layers.search import DEEPEST
from mechdesign.methods.method import OWN_SOLVER
from mechdesign.methods.plan import AUTO
from mechdesign.methods.registry import METHODS
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.properties import parse_properties
from mechdesign.program.clock import Clock
from mechdesign_cli.files.design_output import SolvedOutput
from mechdesign_cli.parsing.choices import Objective
from mechdesign_cli.parsing.numbers import whole_number
from mechdesign_cli.parsing.options import Solver
from mechdesign_cli.python_text import ENGINE, FIGURES, Code, NoPythonError, PythonText, ending
from mechdesign_cli.showing.laws import show_law
from mechdesign_cli.showing.messages import print_result, say
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.progress import line_a_minute

LAYER = "layer"
"""The method that asks for a law."""

ANY = "any"
DOCUMENT = ".json"
NOT_SHOWN = ("mechanism", "dual", "stages")
"""Keys of a document that a summary leaves out."""

Size = int | Literal["any"] | None


def read_group_size(text: str | None) -> Size:
    """Read a number of people, or `any`."""
    if text is None:
        return None
    if text.strip().lower() == ANY:
        return "any"
    try:
        return whole_number(text)
    except typer.BadParameter as error:
        raise InputError(f"n {error.message}; --n any is one law for groups of every size") from None


@dataclass(frozen=True)
class LawOptions:
    """The options of a design for counts, of which a law may come."""

    size: Size
    properties: str
    objective: Objective
    solver: Solver
    files: SolvedOutput
    then: Sequence[str] = ()

    @property
    def n(self) -> int | None:
        """The one size that is asked for, None for every one."""
        return self.size if isinstance(self.size, int) else None

    @property
    def is_wanted(self) -> bool:
        """Whether only a law will do."""
        return self.size == ANY or self.solver.method == LAYER or (self.n or 0) > LARGEST_MATRIX

    @property
    def may_serve(self) -> bool:
        """Whether a law is worth looking at."""
        output = self.files.output or ()
        needs_matrix = self.files.plot is not None or any(path.suffix.lower() != DOCUMENT for path in output)
        return self.is_wanted or (self.solver.method == AUTO and (self.n or 0) > FROM_AUTO and not needs_matrix)

    def obstacle(self) -> str:
        """Say why no law serves, empty where one may."""
        if self.solver.method not in (AUTO, LAYER):
            got = f"got n={self.size}; leave --method out, or design a matrix for one n"
            return f"n must be at most {LARGEST_MATRIX} with --method {self.solver.method}, {got}"
        if (self.n or 0) > MOST_PEOPLE:
            return f"n must be at most {MOST_PEOPLE}, got n={self.n}"
        others = {
            "prior": self.objective.has_prior,
            "solver": self.solver.solver.lower() != OWN_SOLVER,
            "exact": self.solver.exact,
            "fractions": self.files.fractions,
        }
        return law_obstacle(self.properties, self.objective, [name for name, given in others.items() if given])


def law_obstacle(properties: str, objective: Objective, others: Sequence[str]) -> str:
    """Say why no law serves, empty where one may; `others` are options that were given and no law takes."""
    if others:
        return f"a law for every n goes without --{others[0]}, got it; leave it out, or {MATRIX}"
    return no_law(parse_properties(properties), Loss.parse(objective.loss), objective.aggregate)


def stated_law(chosen: LawOptions, privacy: Privacy) -> LawProblem | None:
    """State the law that is asked for, or that may serve best; None where only a matrix does.

    Raises:
        InputError: where only a law will do and none serves.
    """
    names = [method.name for method in METHODS]
    if chosen.solver.method not in (AUTO, LAYER, *names):
        raise InputError(f"method must be {AUTO}, {', '.join(names)} or {LAYER}, got method={chosen.solver.method}")
    if not chosen.may_serve:
        return None
    obstacle = chosen.obstacle()
    if obstacle and chosen.is_wanted:
        raise InputError(obstacle)
    if obstacle:
        return None
    loss, aggregate = Loss.parse(chosen.objective.loss), chosen.objective.aggregate
    problem = LawProblem(privacy, parse_properties(chosen.properties), loss, aggregate)
    if not chosen.is_wanted and chosen.n is not None and has_formula(problem, chosen.n):
        return None
    _require_targets(chosen, problem)
    try:
        parse_law_then(chosen.then, problem)
        expected_depth(problem, _deepest(chosen))
    except InputError:
        if chosen.is_wanted:
            raise
        return None
    return problem


def plan_of_law(chosen: LawOptions, problem: LawProblem) -> str:
    """Say in a line what will be designed, and for `auto` when it is taken."""
    depth = expected_depth(problem)
    rows = "row" if depth == 1 else "rows"
    shape = (
        f"the geometric mechanism but for about {depth} {rows} at each end, or more" if depth else "EM by its formula"
    )
    narrow = f"the gap at n = {chosen.n} is at most 1e-9 of the score"
    when = "" if chosen.is_wanted else f"; taken if {AUTO_DEPTH} rows are enough and {narrow}, else a matrix"
    return f"law for every n: {shape} (method {LAYER}){when}"


def _designed(chosen: LawOptions, problem: LawProblem) -> Law | None:
    """Design a law; None where a matrix serves better.

    Raises:
        InputError: where only a law will do and none serves.
    """
    then = parse_law_then(chosen.then, problem)
    with line_a_minute("designing"):
        if not chosen.is_wanted and chosen.n is not None:
            return serving_law(problem, chosen.n, chosen.solver.time_limit, then)
        law = find_law(problem, Clock(chosen.solver.time_limit), _deepest(chosen), then=then)
    if chosen.n is not None:
        law.require_size(chosen.n)
    return law


def _deepest(chosen: LawOptions) -> int:
    """Return how many rows at each end are searched."""
    return DEEPEST if chosen.is_wanted else AUTO_DEPTH


def law_answers(problem: LawProblem, chosen: LawOptions) -> bool:
    """Return of a law, or design and deliver it; False, with nothing written, where a matrix is to be told of, or made.

    Raises:
        InputError: where only a law will do and none serves.
    """
    words = plan_of_law(chosen, problem)
    if chosen.solver.explain:
        say(words)
    if not chosen.solver.plan_only:
        return _delivered(problem, chosen)
    if chosen.is_wanted:
        print_result(chosen.files.json, lambda: {"law": words}, partial(print, words))
    return chosen.is_wanted


def _delivered(problem: LawProblem, chosen: LawOptions) -> bool:
    """Design a law, write its files, all or none, then print the document, its summary, or the report in words.

    A .json is the document of the law; other files are those of its matrix, at the one n that was asked.

    It answers False, and nothing is written, where a matrix serves better.
    """
    law, files = _designed(chosen, problem), chosen.files
    if law is None:
        return False
    document = design_document(law, chosen.n)
    text = proved_text(document)
    others = [path for path in files.output or () if path.suffix.lower() != DOCUMENT]
    matrix = law.design(chosen.n) if others and chosen.n is not None else None

    def content(path: Path) -> Content:
        found = matrix if path in others else None
        return text.encode() if found is None else export_content(found, path)

    exact = exactness_notes(others, "a .json or .npz")
    notes = [] if matrix is None else [*notes_on(matrix.problem, others), *exact]
    files.write(content, partial(picture, "law_picture.plot_law", law), notes)
    summary = {key: value for key, value in document.items() if key not in NOT_SHOWN}
    said = document_text(summary) if files.summary else text
    print_result(files.json, lambda: said, partial(show_law, law, chosen.n), write=str)
    return True


def _require_targets(chosen: LawOptions, problem: LawProblem) -> None:
    """Refuse, before the work, files that a law, or its matrix at one n, cannot be written to."""
    for path in chosen.files.output or ():
        if path.suffix.lower() == DOCUMENT:
            continue
        if chosen.n is None:
            raise InputError(
                f"--output of a law for every n must end in {DOCUMENT}, got {path}; state one n for others"
            )
        require_matrix_size(chosen.n)
        require_short_programs(problem.of_size(chosen.n), [path])
    chosen.files.require_targets([])


def law_python(text: PythonText, chosen: LawOptions, stated: dict[str, object]) -> None:
    """Write a law, and its files; `stated` is what `design_law` takes but for the limit of time.

    Raises:
        NoPythonError: where no law serves.
    """
    if obstacle := chosen.obstacle():
        raise NoPythonError(obstacle)
    n = "law.least" if chosen.n is None else chosen.n
    then = {"then": list(chosen.then)} if chosen.then else {}
    text.call("law", text.use(ENGINE, "design_law"), **stated, **then, time_limit=chosen.solver.time_limit)
    for path in chosen.files.output or ():
        found = Code("law" if ending(path) == DOCUMENT else f"law.design({n})")
        text.call("", text.use(ENGINE, "export"), found, path)
    if chosen.files.plot is not None:
        text.picture(chosen.files.plot, f"{text.use(FIGURES, 'plot_law')}(law)")
    text.add(f"print(law.score({n}), law.optimality({n}), law.holds({n}))")
