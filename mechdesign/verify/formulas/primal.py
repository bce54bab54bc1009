"""That the matrix of a part does what was asked, and costs the score, for every alpha between its ends."""

from collections.abc import Iterator

from .. import kernel
from .polynomials import add_to, product, times, total_of, trimmed
from .program import Program
from .reading import Coefficients, Part
from .signs import Signs

Score = tuple[Coefficients, Coefficients]


def matrix_defects(program: Program, part: Part, score: Score, signs: Signs) -> Iterator[str]:
    """Yield what a matrix fails."""
    if not signs.is_positive(part.denominator):
        yield "the denominator is not positive"
        return
    for j, column in enumerate(zip(*part.matrix, strict=True)):
        if tuple(total_of(column)) != part.denominator:
            yield f"column {j} does not sum to the denominator"
    for i, row in enumerate(part.matrix):
        for j, entry in enumerate(row):
            if not signs.is_never_negative(entry):
                yield f"entry ({i},{j}) is not shown to be at least 0"
    yield from _row_defects(program, part, signs)
    expected = program.prior is not None
    yield from (_expected_defects if expected else _worst_case_defects)(program, part, score, signs)


def _row_defects(program: Program, part: Part, signs: Signs) -> Iterator[str]:
    """Yield every condition of privacy or of a property that is not met."""
    matrix = part.matrix
    for kind, (i, j, k, h), r, d in program.rows:
        if kind in kernel.EQUALITIES:
            is_met = matrix[i][j] == matrix[k][h]
        else:
            left = times(matrix[i][j], r.denominator)
            add_to(left, matrix[k][h], -r.numerator, d)
            is_met = signs.is_never_negative(trimmed(left))
        if not is_met:
            yield f"the row {kind} on ({i},{j}) and ({k},{h}) is not shown to hold"
    if program.floor:
        for i in range(program.size):
            left = times(matrix[i][i], program.floor.denominator)
            add_to(left, part.denominator, -program.floor.numerator)
            if not signs.is_never_negative(trimmed(left)):
                yield f"the diagonal entry {i} is not shown to reach its floor"
    if program.has_rotation and any(row != other[::-1] for row, other in zip(matrix, matrix[::-1], strict=True)):
        yield "the matrix is not its rotation by a half turn"


def _expected_defects(program: Program, part: Part, score: Score, signs: Signs) -> Iterator[str]:
    """Yield that the expected loss, rescaled, is another than the score."""
    cost, unit = program.cost
    total: list[int] = []
    for costs, row in zip(cost, part.matrix, strict=True):
        for value, entry in zip(costs, row, strict=True):
            if value:
                add_to(total, entry, value)
    s, t = program.rescaling.as_integer_ratio()
    signs.work.charge_product(total, score[1])
    signs.work.charge_product(part.denominator, score[0])
    if times(product(trimmed(total), score[1]), s) != times(product(part.denominator, score[0]), t * unit):
        yield "the score is not that of the matrix"


def _worst_case_defects(program: Program, part: Part, score: Score, signs: Signs) -> Iterator[str]:
    """Yield every input for which the loss, rescaled, may exceed the score."""
    s, t = program.rescaling.as_integer_ratio()
    signs.work.charge_product(part.denominator, score[0])
    most = times(product(part.denominator, score[0]), t * program.loss_denominator)
    for j in range(program.size):
        total: list[int] = []
        for i in range(program.size):
            add_to(total, part.matrix[i][j], program.loss[i][j])
        signs.work.charge_product(total, score[1])
        left = list(most)
        add_to(left, product(trimmed(total), score[1]), -s)
        if not signs.is_never_negative(trimmed(left)):
            yield f"column {j} is not shown to cost at most the score"
