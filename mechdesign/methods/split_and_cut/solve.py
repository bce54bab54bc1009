"""The answers of split-and-cut: the exact vertex, and what its floats prove."""

from collections.abc import Iterator
from fractions import Fraction

from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.answer import EXPORT_BITS, LONGEST_VERTEX_BITS, Answer, is_wide
from mechdesign.methods.split_and_cut.generate import Generated, generate
from mechdesign.methods.split_and_cut.proof import prove
from mechdesign.methods.split_and_cut.runs import Forest, forest
from mechdesign.methods.split_and_cut.splits import Splits
from mechdesign.methods.split_and_cut.vertex import Duals, Vertex, exact_vertex
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.clock import Clock
from mechdesign.program.exact.numbers import Exact, exact_float
from mechdesign.program.exact.repair import repair
from mechdesign.program.exact.scaling import Scaling
from mechdesign.program.linear_program import build


def split_and_cut(problem: DesignProblem, exact: bool, clock: Clock) -> Iterator[Answer]:
    """Yield the exact vertex, then where that is not optimal the repair of the floats, with what these prove.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    splits = Splits(build(problem))
    clock.left()
    scaling = Scaling(splits.program)
    last: tuple[Generated, Forest] | None = None
    for generated in generate(splits, scaling, clock):
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
        if answer is not None and not is_wide(problem, answer):
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
    """Repair the matrix that the floats make, and prove what their prices and multipliers do: any prove a bound."""
    point, unit, program = generated.point, scaling.cost_unit, splits.program
    x = [Fraction(value) for value in (splits.heights(point.steps) * scaling.scale).tolist()]
    size, flat = splits.size, [x[v] for v in program.entry_variables]
    repaired = repair(program, [flat[i * size : (i + 1) * size] for i in range(size)], EXPORT_BITS)
    if repaired is None:
        return None
    tight = point.cuts.nonzero()[0].tolist()
    upper = scaling.scale[program.upper[splits.cuts]].tolist()
    duals = Duals(
        [exact_float(y) * unit for y in point.prices.tolist()],
        {cut: _positive(point.cuts[cut]) * unit / exact_float(upper[cut]) for cut in tight},
        {root: _positive(point.floors[root]) * unit for root in splits.roots.tolist()},
    )
    proof = prove(splits, runs, duals, rounded=True)
    how = f"{generated.how}, rounded to 2^-{EXPORT_BITS}"
    return Answer(Mechanism.reduced(*repaired), proof, how, may_improve=True)


def _positive(value: float) -> Exact:
    return exact_float(max(0.0, float(value)))
