"""The answer of a method, before the kernel has looked at it."""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign.certificate.proof import proved_loss
from mechdesign.certificate.score import problem_loss
from mechdesign.certificate.stages import SingleProof, StageProof
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.verify.certificates import Certificate

GAP_LIMIT = Fraction(1, 10**6)
"""A design whose gap is a larger share of its score is not called certified."""

STEP_GAP = Fraction(1, 10**9)
"""Where `alpha^unit` is enclosed by rationals, they are drawn together until the gap is a smaller share of the loss."""

EPSILON_GAP = Fraction(1, 10**8)
"""Where an alpha that is made from epsilon adds more to the gap than this share of the loss, a proof is sought anew."""

VANISHING = Fraction(1, 1 << 128)
"""A gap below this share of the smallest loss is a rounding of the export, whatever the score."""

EXPORT_BITS = 256
"""Denominator, in bits, of a design whose exact vertex is too long to read."""

LONGEST_VERTEX_BITS = 2048
"""A vertex with a longer denominator is rounded unless `exact` is asked."""


STATUSES = ("exact", "certified", "feasible")
"""From the best to the worst."""


@dataclass(frozen=True)
class Answer:
    """A candidate for a problem: mechanism, proof, and how it was reached.

    `is_proposal`: it comes from a formula and not from a search; `design` passes it over where the kernel refuses it or
    its gap is not 0. `may_improve`: it has a gap that a later method may close; `design` tries those whose work is
    moderate, and returns this answer where none ends exactly. `is_stopped`: the time ended the search, and the gap may
    be wide. `stages` prove further respects in which it is best, `single` that no other mechanism has these scores;
    `has_others` says that another one was seen.
    """

    mechanism: Mechanism
    certificate: Certificate
    how: str
    is_proposal: bool = False
    may_improve: bool = False
    is_stopped: bool = False
    stages: tuple[StageProof, ...] = ()
    single: SingleProof | None = None
    has_others: bool = False


def is_readable(vertex: Mechanism) -> bool:
    """Return whether an exact vertex is short enough to be kept."""
    return vertex.denominator.bit_length() <= LONGEST_VERTEX_BITS


def is_wide(problem: DesignProblem, answer: Answer) -> bool:
    """Return whether the gap of an answer is too wide to be called certified."""
    value = problem_loss(answer.mechanism.weights, answer.mechanism.denominator, problem)
    return is_wide_gap(problem, value - proved_loss(problem, answer.certificate), value)


def is_wide_gap(problem: DesignProblem, gap: Fraction, value: Fraction, limit: Fraction = GAP_LIMIT) -> bool:
    """Return whether a gap is more than the `limit`'s share of the loss.

    Where a loss cancels to nearly 0, `VANISHING` of the smallest loss that is not 0 is allowed as well.
    """
    return gap > limit * abs(value) and gap > VANISHING * problem.loss.smallest(problem.size)


def status_of(problem: DesignProblem, score: Fraction, lower_bound: Fraction) -> str:
    """Say how far a proved lower bound settles a score, both on the scale of scores.

    `exact` where they are equal and alpha was given as a number, `certified` where the gap is not wide, else
    `feasible`: private and with all that is asked, but not shown to be nearly the best.
    """
    if score == lower_bound and problem.privacy.is_exact:
        return "exact"
    gap, value = (score - lower_bound) / problem.rescaling, score / problem.rescaling
    return "feasible" if is_wide_gap(problem, gap, value) else "certified"
