"""The solver of column generation: a certified answer, or none."""

from mechdesign.certificate.by_rows import by_rows
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.answer import EXPORT_BITS, LONGEST_VERTEX_BITS, Answer, is_readable, is_wide
from mechdesign.methods.column_generation.certify import full_matrix, is_short, proof_of
from mechdesign.methods.column_generation.generate import generate
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.clock import Clock
from mechdesign.program.exact.repair import repair
from mechdesign.program.linear_program import build

SPARE_BITS = 256
"""Of a long vertex, beyond those that the repair keeps: no arithmetic is done with numbers that are thrown away."""


def generate_columns(problem: DesignProblem, exact: bool, clock: Clock) -> Answer | None:
    """Design by column generation; None where it ended without a narrow gap (or, with `exact`, any gap)."""
    generated = generate(problem, clock)
    if generated is None or (exact and not generated.is_exact):
        return None
    if generated.is_exact and (exact or is_short(generated, LONGEST_VERTEX_BITS)):
        vertex = Mechanism.from_fractions(full_matrix(generated))
        if exact or is_readable(vertex):
            proof = proof_of(generated, rounded=not problem.step.is_exact)
            return Answer(vertex, by_rows(problem, proof), generated.how)
    matrix = full_matrix(generated, SPARE_BITS + EXPORT_BITS)
    repaired = repair(build(problem, symmetric=generated.frame.folded), matrix, EXPORT_BITS)
    if repaired is None:
        return None
    how = generated.how + f", rounded to 2^-{EXPORT_BITS}"
    proof = by_rows(problem, proof_of(generated, rounded=True))
    # even where the vertex was exact: the one of an LP may be another, with shorter numbers
    answer = Answer(Mechanism.reduced(*repaired), proof, how, may_improve=True)
    return None if is_wide(problem, answer) else answer
