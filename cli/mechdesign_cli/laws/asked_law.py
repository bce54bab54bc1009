"""Tell from options whether a law is asked for or serves, design it, and deliver it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

from mechdesign.documents.document import document_text
from mechdesign.documents.laws import law_document
from mechdesign.errors import InputError
from mechdesign.laws import Law, LawProblem, design_law, no_law
from mechdesign.mechanism.layered import LARGEST_MATRIX
from mechdesign.methods.plan import AUTO, make_plan
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.properties import parse_properties
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing.numbers import whole_number
from mechdesign_cli.showing.laws import show_law
from mechdesign_cli.showing.progress import line_a_minute

LAYER = "layer"
"""The method that asks for a law."""

ANY = "any"
DOCUMENT = ".json"
FORMULAS = "formulas"
FROM_AUTO = 128
"""Up to this n `auto` designs a matrix."""

NARROW = Fraction(1, 10**9)
"""`auto` takes a law where its gap at its own alpha is at most this part of the score."""

NOT_SHOWN = ("mechanism", "dual")
"""Keys of a document that a summary leaves out."""

Size = int | Literal["any"] | None


def read_group_size(text: str | None) -> Size:
    """Read a number of people, or `any`."""
    if text is None:
        return None
    return "any" if text.strip().lower() == ANY else whole_number(text)


@dataclass(frozen=True)
class AskedLaw:
    """State what options ask for, of which a law may come.

    `others` are options that no law takes, with whether each was given.
    """

    size: Size
    props: str
    loss: str
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
        for name, given in self.others.items():
            if given:
                return f"a law for every n goes without --{name}, got it; leave it out, or take an n of at most 4095"
        if self.method not in (AUTO, LAYER):
            return f"n must be at most {LARGEST_MATRIX} with --method {self.method}; --method {LAYER} takes any n"
        return no_law(parse_properties(self.props), self.read_loss())

    def read_loss(self) -> Loss:
        """Read the loss; one from a file is none of a law."""
        return Loss.parse(self.loss)


def asked_law(asked: AskedLaw, privacy: Privacy) -> Law | None:
    """Design the law that is asked for, or that serves best; None where a matrix does.

    Raises:
        InputError: where only a law will do and none serves.
    """
    obstacle = asked.obstacle()
    if obstacle:
        if asked.is_wanted:
            raise InputError(obstacle)
        return None
    if not asked.is_wanted and _has_formula(asked, privacy):
        return None
    _require_targets(asked)
    problem = LawProblem(privacy, parse_properties(asked.props), asked.read_loss())
    try:
        with line_a_minute("designing"):
            law = design_law(
                privacy=problem.privacy, properties=problem.properties, loss=problem.loss, time_limit=asked.time_limit
            )
        if asked.n is not None:
            law.require_size(asked.n)
    except InputError:
        if asked.is_wanted:
            raise
        return None
    if asked.is_wanted or asked.n is None or law.own_gap(asked.n) <= NARROW:
        return law
    return None


def _has_formula(asked: AskedLaw, privacy: Privacy) -> bool:
    """Tell whether a closed form is proved optimal at this n under L1 or L2, where a law is certified alone."""
    if asked.read_loss().is_zero_one:
        return False
    assert asked.n is not None
    stated = DesignProblem(asked.n, privacy=privacy, properties=asked.props, loss=asked.loss)
    return make_plan(stated).order[0].family == FORMULAS


def deliver_law(law: Law, asked: AskedLaw, json: bool, summary: bool) -> None:
    """Write the documents, all or none, then print the document, its summary, or the report in words."""
    document = law_document(law, asked.n)
    write_and_say({path: document_text(document).encode() for path in asked.output})
    if json:
        shown = {key: value for key, value in document.items() if not (summary and key in NOT_SHOWN)}
        print(document_text(shown), end="")
    else:
        show_law(law, asked.n)


def _require_targets(asked: AskedLaw) -> None:
    """Refuse, before the work, files that a law cannot be written to."""
    for path in asked.output:
        if path.suffix.lower() != DOCUMENT:
            raise InputError(f"output of a law must end in {DOCUMENT}, got {path}; a matrix has at most 4095 people")
    if asked.plot is not None:
        raise InputError(f"--plot draws a matrix, got {asked.plot} with a law; leave it out, or state a smaller n")
    require_targets(asked.output, None, [])
