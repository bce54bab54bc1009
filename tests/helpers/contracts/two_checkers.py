"""The verdicts of two checkers of designs: the program beside the kernel, and what the engine proves by itself."""

from fractions import Fraction

from mechdesign import InputError
from mechdesign.certificate.proof import proved_loss
from mechdesign.certificate.row_designs.bounds import proved_bound
from mechdesign.certificate.row_designs.measuring import spread_of
from mechdesign.certificate.score import problem_loss
from mechdesign.certificate.stages import restated_stages
from mechdesign.documents.storage import read_stored
from mechdesign.documents.stored import StoredWorkloadDesign
from mechdesign.errors import NotCertifiedError
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.methods.answer import STATUSES, status_of
from mechdesign.problem.privacy import epsilon_bounds
from mechdesign.problem.properties import properties_of
from mechdesign.verify import __main__ as program

PROVED, FALSE, UNREADABLE = 0, 1, 2
ROUNDING, LEAST, GAP_ROUNDING = Fraction(1, 10**9), Fraction(1, 10**300), Fraction(1, 10**12)


def by_engine(path):
    """What the engine's own proofs, measures and logarithms say of what was read."""
    try:
        stored = read_stored(path)
    except InputError:
        return UNREADABLE
    if isinstance(stored, StoredWorkloadDesign):
        return FALSE if _is_false(_workload_claims, stored) else PROVED
    if stored.document is None:
        return UNREADABLE
    return FALSE if _is_false(_design_claims, stored.document) else PROVED


def _is_false(claims, document):
    try:
        return not all(claims(document))
    except (ValueError, InputError, NotCertifiedError):  # no mechanism, no variance, or a proof that is none
        return True


def _near(value, exact, above=0, below=0):
    """Whether decimals are an exact number but for rounding, to one side where the other is 0."""
    room = ROUNDING * abs(exact) + LEAST
    return exact - below * room <= value <= exact + above * room


def _privacy_claims(document):
    privacy = document.privacy
    low, high = epsilon_bounds(privacy.alpha)
    asked = privacy.given_epsilon
    yield asked is None or high <= asked <= epsilon_bounds(privacy.bound_alpha)[0]
    yield high <= document.parsed.epsilon <= low * (1 + ROUNDING)


def _design_claims(document):
    problem, weights, denominator = document.problem, document.weights, document.denominator
    document.mechanism()
    yield from _privacy_claims(document)
    own = tightest_alpha(weights, problem.graph)
    yield own.alpha is not None and own.alpha >= problem.step_alpha**own.length
    holds = set(properties_of(weights, denominator, problem.properties))
    yield problem.properties <= holds and holds == set(document.parsed.holds)
    yield document.score == problem.rescaling * problem_loss(weights, denominator, problem)
    yield (
        problem.rescaling * proved_loss(problem, document.parsed.certificate) == document.lower_bound <= document.score
    )
    found = [(one.problem, one.score, one.lower_bound) for one in document.stages]
    proved = restated_stages(problem, document.stages, document.mechanism())
    yield found == [(one.problem, one.score, one.lower_bound) for one in proved]
    yield all(one.lower_bound <= one.score for one in document.stages)
    ends = [(problem, document.score, document.lower_bound), *found]
    yield document.parsed.status == max((status_of(*one) for one in ends), key=STATUSES.index)
    decimals = [pair for one in document.parsed.respects for pair in (one.score, one.lower_bound)]
    yield all(_near(value, exact, 1, 1) for exact, value in decimals)


def _workload_claims(document):
    found, (exact, value), (lower, lower_value) = document.parsed, document.parsed.upper, document.parsed.lower
    yield from _privacy_claims(document)
    spread = spread_of(
        document.problem, document.mechanism(), document.parsed.certificate["prior"], at_length=exact is not None
    )
    low, high = spread.objective
    yield exact is None or spread.exact == exact
    yield high <= value <= low + ROUNDING * abs(low) + LEAST
    sides = {"least": (min(spread.low), min(spread.high)), "mean": spread.mean}
    for name, ends in {**sides, "largest": (max(spread.low), max(spread.high))}.items():
        room = ROUNDING * abs(ends[0]) + LEAST
        yield ends[1] - room <= found.inputs[name] <= ends[0] + room
    upper = value if exact is None else exact
    yield proved_bound(document.problem, document.parsed.certificate) == lower <= upper
    yield _near(lower_value, lower, below=1)
    yield found.floor <= max(lower, 0)
    gap = upper / lower - 1 if lower > 0 else None
    yield (gap is None) == (found.gap is None)
    yield gap is None or gap <= found.gap <= gap * (1 + ROUNDING) + GAP_ROUNDING


def by_program(path):
    """The program's verdict."""
    return program.main([str(path)])
