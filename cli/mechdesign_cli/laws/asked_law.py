"""Tell from options whether a law is asked for or serves, design it, and deliver it."""

import json as json_module
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import typer

from mechdesign.documents.document import document_text
from mechdesign.documents.files import Content
from mechdesign.documents.laws import law_document
from mechdesign.documents.storage import EXPORT_SUFFIXES, export_content
from mechdesign.errors import InputError
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.exports.writing import notes_on, require_short_programs
from mechdesign.laws.finding import AUTO_DEPTH, FROM_AUTO, expected_depth, find_law, has_formula, serving_law
from mechdesign.laws.law import Law
from mechdesign.laws.problem import MATRIX, LawProblem, no_law
from mechdesign.mechanism.layered import LARGEST_MATRIX, MOST_PEOPLE, require_matrix_size
from mechdesign.methods.layers.search import DEEPEST
from mechdesign.methods.plan import AUTO
from mechdesign.methods.registry import METHODS
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.properties import parse_properties
from mechdesign.program.clock import Clock
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing.numbers import whole_number
from mechdesign_cli.showing.laws import show_law
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.progress import line_a_minute

LAYER = "layer"
"""The method that asks for a law."""

ANY = "any"
DOCUMENT = ".json"
NOT_SHOWN = ("mechanism", "dual")
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
class AskedLaw:
    """State what options ask for, of which a law may come.

    `others` are options that no law takes, with whether each was given.
    """

    size: Size
    props: str
    loss: str
    aggregate: str
    method: str
    time_limit: float | None
    others: dict[str, bool]
    output: Sequence[Path] = ()
    plot: Path | None = None

    @property
    def n(self) -> int | None:
        """The one size that is asked for, None for every one."""
        return self.size if isinstance(self.size, int) else None

    @property
    def is_wanted(self) -> bool:
        """Whether only a law will do."""
        return self.size == ANY or self.method == LAYER or (self.n or 0) > LARGEST_MATRIX

    @property
    def may_serve(self) -> bool:
        """Whether a law is worth looking at."""
        needs_matrix = self.plot is not None or any(path.suffix.lower() != DOCUMENT for path in self.output)
        return self.is_wanted or (self.method == AUTO and (self.n or 0) > FROM_AUTO and not needs_matrix)

    def obstacle(self) -> str:
        """Say why no law serves, empty where one may."""
        if self.method not in (AUTO, LAYER):
            got = f"got n={self.size}; leave --method out, or design a matrix for one n"
            return f"n must be at most {LARGEST_MATRIX} with --method {self.method}, {got}"
        if (self.n or 0) > MOST_PEOPLE:
            return f"n must be at most {MOST_PEOPLE}, got n={self.n}"
        for name, given in self.others.items():
            if given:
                return f"a law for every n goes without --{name}, got it; leave it out, or {MATRIX}"
        return no_law(parse_properties(self.props), self.read_loss(), self.aggregate)

    def read_loss(self) -> Loss:
        """Read the loss; one from a file is none of a law."""
        return Loss.parse(self.loss)


def stated_law(asked: AskedLaw, privacy: Privacy) -> LawProblem | None:
    """State the law that is asked for, or that may serve best; None where only a matrix does.

    Raises:
        InputError: where only a law will do and none serves.
    """
    names = [method.name for method in METHODS]
    if asked.method not in (AUTO, LAYER, *names):
        raise InputError(f"method must be {AUTO}, {', '.join(names)} or {LAYER}, got method={asked.method}")
    if not asked.may_serve:
        return None
    obstacle = asked.obstacle()
    if obstacle and asked.is_wanted:
        raise InputError(obstacle)
    if obstacle:
        return None
    problem = LawProblem(privacy, parse_properties(asked.props), asked.read_loss(), asked.aggregate)
    if not asked.is_wanted and asked.n is not None and has_formula(problem, asked.n):
        return None
    _require_targets(asked, problem)
    try:
        expected_depth(problem, _deepest(asked))
    except InputError:
        if asked.is_wanted:
            raise
        return None
    return problem


def plan_of_law(asked: AskedLaw, problem: LawProblem) -> str:
    """Say in a line what will be designed, and for `auto` when it is taken."""
    depth = expected_depth(problem)
    rows = "row" if depth == 1 else "rows"
    shape = (
        f"the geometric mechanism but for about {depth} {rows} at each end, or more" if depth else "EM by its formula"
    )
    narrow = f"the gap at n = {asked.n} is at most 1e-9 of the score"
    when = "" if asked.is_wanted else f"; taken if {AUTO_DEPTH} rows are enough and {narrow}, else a matrix"
    return f"law for every n: {shape} (method {LAYER}){when}"


def _designed(asked: AskedLaw, problem: LawProblem) -> Law | None:
    """Design a law; None where a matrix serves better.

    Raises:
        InputError: where only a law will do and none serves.
    """
    with line_a_minute("designing"):
        if not asked.is_wanted and asked.n is not None:
            return serving_law(problem, asked.n, asked.time_limit)
        law = find_law(problem, Clock(asked.time_limit), _deepest(asked))
    if asked.n is not None:
        law.require_size(asked.n)
    return law


def _deepest(asked: AskedLaw) -> int:
    """Return how many rows at each end are searched."""
    return DEEPEST if asked.is_wanted else AUTO_DEPTH


def law_answers(
    problem: LawProblem, asked: AskedLaw, plan_only: bool, explain: bool, json: bool, summary: bool
) -> bool:
    """Tell of a law, or design and deliver it; False, with nothing written, where a matrix is to be told of, or made.

    Raises:
        InputError: where only a law will do and none serves.
    """
    words = plan_of_law(asked, problem)
    if explain:
        say(words)
    if not plan_only:
        return _delivered(problem, asked, json, summary)
    if asked.is_wanted:
        print(json_module.dumps({"law": words}, indent=1) if json else words)
    return asked.is_wanted


def _delivered(problem: LawProblem, asked: AskedLaw, json: bool, summary: bool) -> bool:
    """Design a law, write its files, all or none, then print the document, its summary, or the report in words.

    A .json is the document of the law; other files are those of its matrix, at the one n that was asked.

    It answers False, and nothing is written, where a matrix serves better.
    """
    law = _designed(asked, problem)
    if law is None:
        return False
    document = law_document(law, asked.n)
    documents = [path for path in asked.output if path.suffix.lower() == DOCUMENT]
    contents: dict[Path, Content] = {path: document_text(document).encode() for path in documents}
    others = [path for path in asked.output if path not in documents]
    if others and asked.n is not None:
        matrix = law.design(asked.n)
        contents |= {path: export_content(matrix, path) for path in others}
    if asked.plot is not None:
        from mechdesign_figures.plots.law_picture import plot_law
        from mechdesign_figures.plots.parts.saving import picture_bytes

        contents[asked.plot] = picture_bytes(plot_law(law), asked.plot.suffix)
    write_and_say(contents)
    if others and asked.n is not None:
        for note in [*notes_on(problem.of_size(asked.n), others), *exactness_notes(others, "a .json or .npz")]:
            say(note)
    if json:
        shown = {key: value for key, value in document.items() if not (summary and key in NOT_SHOWN)}
        print(document_text(shown), end="")
    else:
        show_law(law, asked.n)
    return True


def _require_targets(asked: AskedLaw, problem: LawProblem) -> None:
    """Refuse, before the work, files that a law, or its matrix at one n, cannot be written to."""
    for path in asked.output:
        if path.suffix.lower() == DOCUMENT:
            continue
        if asked.n is None:
            raise InputError(
                f"--output of a law for every n must end in {DOCUMENT}, got {path}; state one n for others"
            )
        require_matrix_size(asked.n)
        require_short_programs(problem.of_size(asked.n), [path])
    require_targets(asked.output, asked.plot, [], EXPORT_SUFFIXES)
