"""Ties: whether other mechanisms are as good as a design, and how they differ."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mechdesign.arguments import checked
from mechdesign.canonical import has_canonical
from mechdesign.certificate.score import problem_loss
from mechdesign.certificate.stages import StageProof, entry_aim, negative, proved_stages
from mechdesign.designs import PROBLEM_KEYWORDS, Design, require_counts
from mechdesign.errors import InputError, NotCertifiedError, RefusedError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import Value, facts, one_line, page, score_decimal
from mechdesign.methods.method import OWN_SOLVER, Effort
from mechdesign.methods.plan import make_plan
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.then import parse_then
from mechdesign.program.clock import Clock

if TYPE_CHECKING:  # a small design needs no stages
    from mechdesign.methods.lp.stages import StagedProgram

LOSSES = ("L1", "L2")
RIGHT = "right at "
"""Before the input whose chance to be right is told."""


@dataclass(frozen=True)
class TieRange:
    """The least and the largest value of a number over all best mechanisms, both reached and both proved.

    `name` is a loss, whose score it is, or `right at J`, the chance that the output for input J is J.
    """

    name: str
    low: Fraction
    high: Fraction


@dataclass(frozen=True, repr=False)
class Ties:
    """The ties of a problem: what all its best mechanisms have in common, and what not.

    Attributes:
        problem: what was asked; where it was by epsilon, for the alpha of its designs.
        is_unique: whether there is no other best mechanism.
        ranges: of the losses L1 and L2, and of the chance to be right for each input.
    """

    problem: DesignProblem
    is_unique: bool
    ranges: tuple[TieRange, ...]

    @property
    def words(self) -> str:
        """Say whether there are others."""
        return (
            "no other mechanism at this alpha has this score"
            if self.is_unique
            else "other mechanisms have the same score"
        )

    def facts(self) -> list[tuple[str, Value]]:
        """List the ranges by name, those of an input and its mirror image once where they are the same."""
        texts = {one.name: range_text(one) for one in self.ranges}
        n, names = self.problem.n, {}
        for name in texts:
            j, is_input = name.removeprefix(RIGHT), name.startswith(RIGHT)
            twin = f"{RIGHT}{n - int(j)}" if is_input else name
            if twin in names and twin != name and texts[twin] == texts[name]:
                names[twin] = f"{twin}, {j}"
            else:
                names[name] = name
        return [(told, texts[name]) for name, told in names.items()]

    def __repr__(self) -> str:
        return one_line("Ties", self.problem.describe(), self.words)

    def _repr_html_(self) -> str:
        return page("Ties", facts([("asked", self.problem.describe()), ("ties", self.words), *self.facts()]))


def range_text(one: TieRange) -> str:
    """Write both ends in decimals, or the one number that they are."""
    high = score_decimal(one.high)
    return high if one.low == one.high else f"{score_decimal(one.low, is_lower=True)} to {high}"


MOST_ENTRIES = 49**2
"""Of a larger matrix it is not tested whether it is a vertex."""


def has_certain_ties(found: Design) -> bool:
    """Return whether another mechanism is as good for certain.

    One was seen on the way, or this is no vertex, or the multipliers tell. These are found where a canonical design is
    the usual one; there False says that there is no other, beyond nothing.
    """
    problem = found.problem
    if found.has_others:
        return True
    if found.at_alpha.gap or found.stages or problem.model.name != "count" or problem.size**2 > MOST_ENTRIES:
        return False
    from mechdesign.program.exact.exact_lp import ExactProgram
    from mechdesign.program.exact.numbers import to_exact
    from mechdesign.program.exact.others import is_vertex
    from mechdesign.program.linear_program import build

    program = build(problem.at_alpha.with_aim(problem.loss), symmetric=False)
    values = {v: divmod(node, problem.size) for node, v in enumerate(program.entry_variables)}
    x = [to_exact(found.mechanism.fraction(*values[v])) for v in range(program.n_variables)]
    if not is_vertex(ExactProgram.of(program), x):
        return True
    if has_canonical(problem):
        with suppress(NotCertifiedError):
            return not _staged(problem.at_alpha, [], Effort(OWN_SOLVER, False, Clock(None)))[0].is_single()
    return False


@checked
def find_ties(
    problem: DesignProblem | None = None,
    *,
    then: str | Iterable[str] = (),
    solver: str = OWN_SOLVER,
    time_limit: float | None = None,
    **stated: Any,
) -> Ties:
    """Find whether other mechanisms are as good as the design of a problem, and how far they differ.

    Args:
        problem: for counts.
        then: further respects, as `design` takes them; all that are best in them too are compared.
        solver: as `design` takes it.
        time_limit: seconds; None means none.
        stated: the arguments of `DesignProblem` in place of `problem`.

    Raises:
        InputError: for another model, or a respect that is none.
        NotCertifiedError, LimitReachedError: where an end was not found exactly, or not in time.

    >>> ties = find_ties(n=8, alpha="3/4", properties="WH,CM")
    >>> ties.is_unique, [f"{float(end):.4f}" for end in (ties.ranges[0].low, ties.ranges[0].high)]
    (False, ['1.9193', '2.0835'])
    """
    for name in stated:
        if name not in PROBLEM_KEYWORDS or problem is not None:
            raise InputError(f"{name} must not be given to find_ties with or beside a problem, got it; leave it out")
    asked = (problem or DesignProblem(**stated)).at_alpha
    require_counts(asked, "find_ties")
    further = parse_then(then, asked)
    effort = Effort(solver, False, Clock(time_limit))
    make_plan(asked, "full", solver)  # it fits the memory
    staged, proofs = _staged(asked, further.problems, effort)
    is_unique = staged.is_single()
    vertex = Mechanism.from_fractions(staged.matrix())

    def least(aim: DesignProblem) -> Fraction:
        """Return the proved minimum of a loss over all best mechanisms."""
        if is_unique:
            return problem_loss(vertex.weights, vertex.denominator, aim)
        end = staged.branch()
        end.minimise(aim)
        *_, found = proved_stages(asked, [*proofs[1:], end.proof()], Mechanism.from_fractions(end.matrix()))
        if found.gap:
            raise RefusedError("the end of a range is not what its proof shows")
        return found.score

    ranges = {name: (least(aim), -least(negative(aim))) for name, aim in _measures(asked)}
    mirrored = all(one.symmetry_is_free for one in (asked, *further.problems))
    for j in range(asked.size):
        twin = f"{RIGHT}{asked.n - j}"
        aim = entry_aim(asked, j, j, halved=False)
        ranges[f"{RIGHT}{j}"] = ranges[twin] if mirrored and twin in ranges else (least(aim), -least(negative(aim)))
    return Ties(asked, is_unique, tuple(TieRange(name, *ends) for name, ends in ranges.items()))


def _staged(
    problem: DesignProblem, further: Iterable[DesignProblem], effort: Effort
) -> "tuple[StagedProgram, list[StageProof]]":
    """Cut the LP down to the mechanisms that are best in all respects, with the proof of each."""
    with effort.clock.while_loading():
        from mechdesign.methods.lp.stages import StagedProgram

    staged, proofs = StagedProgram(problem, False, effort), []
    for one in (problem, *further):
        staged.minimise(one)
        proofs.append(staged.proof())
    return staged, proofs


def _measures(problem: DesignProblem) -> Iterator[tuple[str, DesignProblem]]:
    """Yield the losses, expected under the problem's own prior."""
    for name in LOSSES:
        yield name, problem.with_aim(Loss.parse(name), None if problem.is_worst_case else problem.prior)
