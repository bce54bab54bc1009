"""The CPLEX LP format, in whole numbers."""

from collections.abc import Iterator, Sequence

from mechdesign.exports.stated_lp import EQUAL, GREATER, Block, StatedLP, WideRows, state_lp
from mechdesign.exports.whole_numbers import in_whole_numbers, whole_remarks
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.rational import integer_text

SIGNS = {EQUAL: "=", GREATER: ">="}

TERMS_ON_LINE = 8


def lp_lines(problem: DesignProblem) -> Iterator[str]:
    """Yield the program line by line.

    Raises:
        InputError: for a program of too many rows.
    """
    program = state_lp(problem)
    objective = in_whole_numbers(program.objective.coefficients)
    yield from (f"\\ {line}\n" for line in whole_remarks(program))
    yield "Minimize\n objective:\n"
    yield from _terms_lines(program, program.objective.variables, objective.coefficients)
    yield "Subject To\n"
    for block in program.blocks:
        yield from _block_lines(program, block)
    if problem.is_worst_case:
        yield "Bounds\n t free\n"
    yield "End\n"


def _terms_lines(program: StatedLP, variables: Sequence[int], coefficients: Sequence[int]) -> Iterator[str]:
    """Yield a sum, some terms on each line; a sum without terms is written as 0 times an entry."""
    names = program.variable_names
    pairs = zip(variables or [0], coefficients or [0], strict=True)
    terms = [f" {'-' if c < 0 else '+'} {integer_text(abs(c))} {names[x]}" for x, c in pairs]
    for first in range(0, len(terms), TERMS_ON_LINE):
        yield f" {''.join(terms[first : first + TERMS_ON_LINE])}\n"


def _block_lines(program: StatedLP, block: Block) -> Iterator[str]:
    if isinstance(block, WideRows):
        for row in block.rows:
            whole = in_whole_numbers(row.terms.coefficients, row.rhs)
            yield f" {row.name}:\n"
            yield from _terms_lines(program, row.terms.variables, whole.coefficients)
            yield f"  {SIGNS[row.sense]} {integer_text(whole.rhs)}\n"
        return
    names, sign = program.variable_names, SIGNS[block.sense]
    above, below = integer_text(block.ratio.denominator), integer_text(block.ratio.numerator)
    for name, (upper, lower) in zip(program.row_names(block), block.pairs(), strict=True):
        yield f" {name}: {above} {names[upper]} - {below} {names[lower]} {sign} 0\n"
