"""The answers of split-and-cut: the exact vertex, and what its floats prove."""

from collections.abc import Iterator
from fractions import Fraction

from mechdesign.certificate.multipliers import over_one_denominator
from mechdesign.errors import LimitReachedError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.answer import EXPORT_BITS, LONGEST_VERTEX_BITS, Answer, is_wide
from mechdesign.methods.split_and_cut.generate import Generated, Seen, generate
from mechdesign.methods.split_and_cut.proof import prove
from mechdesign.methods.split_and_cut.runs import Forest, forest
from mechdesign.methods.split_and_cut.splits import Splits
from mechdesign.methods.split_and_cut.vertex import Duals, Vertex, exact_vertex
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.clock import Clock
from mechdesign.program.exact.numbers import ZERO, Exact, exact_float
from mechdesign.program.exact.repair import repair
from mechdesign.program.exact.scaling import Scaling
from mechdesign.program.linear_program import build
from mechdesign.verify.certificates import Certificate

LAST_WORDS_SECONDS = 6e-5
"""Measured, for each entry of the matrix: to repair the last point, and to check it and what it proves."""

MOST_LAST_WORDS = 0.25
"""Of the time that is left at the start; where they would take more, nothing is said."""


def split_and_cut(problem: DesignProblem, exact: bool, clock: Clock) -> Iterator[Answer]:
    """Yield the exact vertex, then where that is not optimal the repair of the floats, with what these prove.

    Where the time ends the search, yield the repair of its last point, with the best bound that was seen; its gap may
    be wide.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    splits = Splits(build(problem))
    clock.left()
    scaling, seen = Scaling(splits.program), Seen()
    clock.reserve = _last_words(problem, clock)
    try:
        yield from _answers(splits, scaling, seen, exact, clock)
    except LimitReachedError:
        answer = _stopped(splits, scaling, seen) if clock.reserve and not exact else None
        if answer is None:
            raise
        yield answer
    finally:
        clock.reserve = 0.0


def _last_words(problem: DesignProblem, clock: Clock) -> float:
    """Return how long before a limit the search has to end."""
    seconds = LAST_WORDS_SECONDS * problem.size**2
    return seconds if seconds < MOST_LAST_WORDS * clock.remaining() else 0.0


def _stopped(splits: Splits, scaling: Scaling, seen: Seen) -> Answer | None:
    """Return the repair of the last point with the proof of the last that bounds, or with one that says nothing."""
    matrix = None if seen.last is None else _repaired(splits, scaling, seen.last)
    if seen.last is None or matrix is None:
        return None
    bounding = seen.bounding
    runs = None if bounding is None else forest(splits, bounding.basis)
    if bounding is None or runs is None:
        proof = over_one_denominator([], [ZERO] * splits.size, None, rounded=False)
    else:
        proof = _float_proof(splits, runs, scaling, bounding)
    return Answer(matrix, proof, seen.last.how, is_stopped=True)


def _answers(splits: Splits, scaling: Scaling, seen: Seen, exact: bool, clock: Clock) -> Iterator[Answer]:
    """Yield the answers of a search that comes to its end."""
    last: tuple[Generated, Forest] | None = None
    for generated in generate(splits, scaling, clock, seen):
        runs = None if generated.basis.has_uniform else forest(splits, generated.basis)
        if runs is None:
            continue
        clock.left()
        last = generated, runs
        vertex = exact_vertex(splits, runs)
        clock.left()
        if vertex is not None and min(vertex.weights) >= 0 and vertex.duals.are_nonnegative:
            answer = _exact_answer(splits, runs, vertex, generated.how, exact)
            if answer is not None:
                yield answer
    if last is not None and not exact:
        answer = _float_answer(splits, last[1], scaling, last[0])
        if answer is not None and not is_wide(splits.program.problem, answer):
            yield answer


def _exact_answer(splits: Splits, runs: Forest, vertex: Vertex, how: str, exact: bool) -> Answer | None:
    mechanism = Mechanism.reduced(_matrix(splits, vertex.weights), vertex.denominator)
    if exact or mechanism.denominator.bit_length() <= LONGEST_VERTEX_BITS:
        return Answer(mechanism, prove(splits, runs, vertex.duals, rounded=False), f"{how}, exact vertex", True)
    matrix = [[Fraction(w, mechanism.denominator) for w in row] for row in mechanism.weights]
    repaired = repair(splits.program, matrix, EXPORT_BITS)
    if repaired is None:
        return None
    proof = prove(splits, runs, vertex.duals, rounded=True)
    return Answer(Mechanism.reduced(*repaired), proof, f"{how}, exact vertex, rounded to 2^-{EXPORT_BITS}")


def _matrix(splits: Splits, weights: list[int]) -> list[list[int]]:
    size, flat = splits.size, [weights[v] for v in splits.program.entry_variables]
    return [flat[i * size : (i + 1) * size] for i in range(size)]


def _float_answer(splits: Splits, runs: Forest, scaling: Scaling, generated: Generated) -> Answer | None:
    """Repair the matrix that the floats make, and prove what their prices and multipliers do."""
    matrix = _repaired(splits, scaling, generated)
    if matrix is None:
        return None
    how = f"{generated.how}, rounded to 2^-{EXPORT_BITS}"
    return Answer(matrix, _float_proof(splits, runs, scaling, generated), how, may_improve=True)


def _repaired(splits: Splits, scaling: Scaling, generated: Generated) -> Mechanism | None:
    """Repair the matrix of a point in floats, which may break cuts."""
    x = [Fraction(value) for value in (splits.heights(generated.point.steps) * scaling.scale).tolist()]
    size, flat = splits.size, [x[v] for v in splits.program.entry_variables]
    found = repair(splits.program, [flat[i * size : (i + 1) * size] for i in range(size)], EXPORT_BITS)
    return None if found is None else Mechanism.reduced(*found)


def _float_proof(splits: Splits, runs: Forest, scaling: Scaling, generated: Generated) -> Certificate:
    """Make a proof of a point's prices and multipliers in floats: any prove a bound."""
    point, unit, program = generated.point, scaling.cost_unit, splits.program
    tight = point.cuts.nonzero()[0].tolist()
    upper = scaling.scale[program.upper[splits.cuts]].tolist()
    duals = Duals(
        [exact_float(y) * unit for y in point.prices.tolist()],
        {cut: _positive(point.cuts[cut]) * unit / exact_float(upper[cut]) for cut in tight},
        {root: _positive(point.floors[root]) * unit for root in splits.roots.tolist()},
    )
    return prove(splits, runs, duals, rounded=True)


def _positive(value: float) -> Exact:
    return exact_float(max(0.0, float(value)))
