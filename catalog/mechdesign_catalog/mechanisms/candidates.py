"""Candidates of a comparison, by name: closed forms, named designs, any design, a file."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from mechdesign.canonical import canonical_design
from mechdesign.documents.files import MATRIX_SUFFIXES, split_around_files
from mechdesign.documents.storage import AnyMechanism, BySize, as_count_mechanism, read_count_source
from mechdesign.errors import InputError, argument, shorten
from mechdesign.laws.finding import law_for
from mechdesign.laws.law import Law
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.names import require_known
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import PREFIXES, Loss
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.properties import NAMED_SETS, parse_properties
from mechdesign.rational import Number
from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS

NAMED_DESIGNS: dict[str, tuple[str, str]] = {
    # name: properties under L0, and under every other loss
    "UCM": ("none", "none"),
    "WH": ("WH", "WH"),
    "WM": (NAMED_SETS["WM"], "WH"),
    "FM": ("F", "F"),
    "AM": ("all", "all"),
}
"""Cormode, Kulkarni, Srivastava: unconstrained, weakly honest, weak, fair and all properties."""

DESIGN = "design:"

Designer = Callable[[DesignProblem], Mechanism]


def design_mechanism(problem: DesignProblem) -> Mechanism:
    """Design a new mechanism and certify it: its matrix, or beyond 128 people that of a law where one serves."""
    law = law_for(problem)
    return canonical_design(problem).mechanism if law is None else law.at(problem.n)


@dataclass(frozen=True)
class Candidate:
    """A mechanism: made for any n and alpha, or given, itself or as a file, for its own n.

    Exactly one of `form` (a name on the shelf), `design` (a name in `NAMED_DESIGNS`), `properties` with `loss` (a
    design of one's own), `path` and `given` is set.
    """

    name: str
    form: str | None = None
    design: str | None = None
    properties: frozenset[str] | None = None
    loss: Loss | None = None
    path: Path | None = None
    given: BySize | None = None

    @property
    def is_made(self) -> bool:
        """Whether the mechanism is there already, for its own n and alpha."""
        return self.path is not None or self.given is not None

    def problem(self, n: int, alpha: Fraction, loss: Loss, prior: Prior | None = None) -> DesignProblem | None:
        """Return the problem that it solves; None for closed forms and files.

        `loss` and `prior` are for named designs.
        """
        if self.properties is not None:
            return DesignProblem(n, alpha, properties=self.properties, loss=self.loss or loss, prior=prior)
        if self.design is not None:
            under_l0, otherwise = NAMED_DESIGNS[self.design]
            properties = under_l0 if loss.counts_errors else otherwise
            return DesignProblem(n, alpha, properties=properties, loss=loss, prior=prior)
        return None

    def mechanism(
        self,
        n: int,
        alpha: Fraction,
        loss: Loss,
        prior: Prior | None = None,
        designer: Designer = design_mechanism,
    ) -> Mechanism:
        """Make the matrix for groups of n.

        Raises:
            InputError: where it is not made for n; NoAnswerError: where a design fails.
        """
        if self.is_made:
            return self.read(n)
        if self.form is not None:
            form = CLOSED_FORMS[self.form]
            form.problem(n, alpha)  # refuses a size that the form is not made for
            return form.build(n, alpha)
        problem = self.problem(n, alpha, loss, prior)
        assert problem is not None
        return designer(problem)

    def read(self, n: int) -> Mechanism:
        """Return the matrix of a mechanism that is given, whose n must be that of the groups, or of a law at n."""
        if isinstance(self._source, Law):
            return self._source.at(n)
        if self.own_n != n:
            raise InputError(f"mechanism must have n = {n} like the groups, got n = {self.own_n} in {self.name}")
        return self._source

    @property
    def own_n(self) -> int | None:
        """The n of a mechanism that is given; None for a law."""
        return None if isinstance(self._source, Law) else self._source.n_inputs - 1

    @cached_property
    def _source(self) -> BySize:
        if self.given is not None:
            return self.given
        assert self.path is not None
        return read_count_source(self.path)


Mechanisms = str | Iterable[str | Path | Candidate] | Mapping[str, AnyMechanism | Law]
"""Mechanisms as people have them: names between commas or one by one, or their own by the names they give them."""


def as_candidates(mechanisms: Mechanisms) -> tuple[Candidate, ...]:
    """Return the candidates that names, mechanisms and files stand for.

    Args:
        mechanisms: names as `parse_candidates` takes them, or several as `parse_candidate` does; or by a name of
            your own a `Mechanism`, a `Design` for counts, a `Law`, a file, or one of those names.

    Raises:
        InputError: for an unknown name, with the nearest known one, or what is no mechanism for counts.
    """
    if isinstance(mechanisms, str):
        return parse_candidates(mechanisms)
    if isinstance(mechanisms, Mapping):
        return tuple(_named(name, mechanism) for name, mechanism in mechanisms.items())
    found = (one if isinstance(one, Candidate) else parse_candidate(str(one)) for one in mechanisms)
    return tuple(dict.fromkeys(found))


def _named(name: str, mechanism: AnyMechanism | Law) -> Candidate:
    if isinstance(mechanism, str | Path):
        return replace(parse_candidate(str(mechanism)), name=name)
    if isinstance(mechanism, Law):
        return Candidate(name, given=mechanism)
    matrix = as_count_mechanism(mechanism)
    if tightest_alpha(matrix.weights, NeighbourGraph.path(matrix.n_inputs)).alpha is None:
        raise InputError(f"mechanism must have a finite epsilon, got a zero beside a positive entry in {name}")
    return Candidate(name, given=matrix)


def make_mechanism(
    name: str,
    n: int,
    alpha: Number | None = None,
    *,
    epsilon: Number | None = None,
    loss: str | Loss = "L0",
    prior: str | Prior | None = None,
) -> Mechanism:
    """Make a mechanism for counts by its name.

    Args:
        name: a closed form (`GM`, `EM`, `UM`, `RR`, `EXP`), a named design (`UCM`, `WH`, `WM`, `FM`, `AM`),
            `design:PROPS:LOSS`, or a file, whose alpha is its own.
        n: people in a group.
        alpha: in (0, 1), exact as given.
        epsilon: instead of alpha.
        loss: of a named design.
        prior: of a design; uniform by default.

    Raises:
        InputError: for an unknown name, with the nearest known one, no alpha where one is needed, or another n than
            that of a file.

    >>> make_mechanism("GM", 2, "1/2").fraction(0, 0)
    Fraction(2, 3)
    """
    candidate = parse_candidate(name)
    if candidate.is_made:
        return candidate.read(n)
    wanted = Loss.parse(loss) if isinstance(loss, str) else loss
    believed = Prior.parse(prior) if isinstance(prior, str) else prior
    return candidate.mechanism(n, Privacy(alpha, epsilon).alpha, wanted, believed)


def parse_candidates(text: str) -> tuple[Candidate, ...]:
    """Parse candidates between semicolons: `GM;WM;design:WH,CM:L1;theirs.json`.

    Raises:
        InputError: for an unknown name, with the nearest known one, and for commas between candidates.

    >>> [candidate.name for candidate in parse_candidates("gm;design:WH,CM:L1;UM")]
    ['GM', 'design:WH,CM:L1', 'UM']
    """
    words = split_around_files(text, ";")
    meant = [name for word in words for name in split_names(word)]
    if len(meant) > len(words):
        raise InputError(
            f"mechanisms must be separated by semicolons, got {shorten(text)}; "
            f"write {argument('mechanisms')} '{';'.join(meant)}'"
        )
    return tuple(dict.fromkeys(map(parse_candidate, words)))


def split_names(text: str) -> list[str]:
    """Split names at commas, but not at those within the properties of a design or the name of an existing file.

    >>> split_names("grr, design:WH,CM:L1,oue")
    ['grr', 'design:WH,CM:L1', 'oue']
    """
    words: list[str] = []
    for word in split_around_files(text):
        if words and words[-1].lower().startswith(DESIGN) and _loss_begins(words[-1]) < 0:
            words[-1] += f",{word}"
        else:
            words.append(word)
    return words


def _loss_begins(text: str) -> int:
    """Find where the last `:L` or `:PB` of `design:PROPS:LOSS` stands; -1 where none does."""
    return max(text.upper().rfind(f":{prefix}", len(DESIGN)) for prefix in PREFIXES)


def parse_candidate(text: str) -> Candidate:
    """Parse one candidate; `parse_candidates` says how."""
    if text.lower().startswith(DESIGN):
        colon = _loss_begins(text)
        if colon < 0:
            raise InputError(f"design must be design:PROPS:LOSS (design:WH,CM:L0, design:none:L1), got {shorten(text)}")
        properties = parse_properties(text[len(DESIGN) : colon])
        return Candidate(text, properties=properties, loss=Loss.parse(text[colon + 1 :]))
    if Path(text).suffix.lower() in MATRIX_SUFFIXES:
        return Candidate(text, path=Path(text))
    others = ["design:PROPS:LOSS", f"a file ({', '.join(MATRIX_SUFFIXES)})"]
    name = require_known(text, [*COUNT_FORMS, *NAMED_DESIGNS], "mechanism", others)
    return Candidate(name, design=name) if name in NAMED_DESIGNS else Candidate(name, form=name)


COUNT_FORMS = tuple(name for name, form in CLOSED_FORMS.items() if form.model != "ldp")
"""The closed forms for counts."""
