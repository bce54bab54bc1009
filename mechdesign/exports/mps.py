"""The free MPS format, in whole numbers."""

from collections.abc import Iterator

import numpy as np

from mechdesign.exports.stated_lp import Block, StatedLP, WideRows, state_lp
from mechdesign.exports.whole_numbers import in_whole_numbers, whole_remarks
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.privacy_rows import Indices
from mechdesign.rational import integer_text

OBJECTIVE = "objective"


def mps_lines(problem: DesignProblem) -> Iterator[str]:
    """Yield the program line by line.

    Raises:
        InputError: for a program of too many rows.
    """
    program = state_lp(problem)
    names = [name for block in program.blocks for name in program.row_names(block)]
    yield from (f"* {line}\n" for line in whole_remarks(program))
    yield f"NAME mechdesign\nROWS\n N {OBJECTIVE}\n"
    senses = (sense for block in program.blocks for sense in _senses(block))
    yield from (f" {sense} {name}\n" for sense, name in zip(senses, names, strict=True))
    yield "COLUMNS\n"
    yield from _column_lines(program, [*names, OBJECTIVE])
    yield "RHS\n"
    yield from _right_side_lines(program)
    if problem.is_worst_case:
        yield "BOUNDS\n FR bounds t\n"
    yield "ENDATA\n"


def _senses(block: Block) -> list[str]:
    return [row.sense for row in block.rows] if isinstance(block, WideRows) else [block.sense] * len(block)


def _right_side_lines(program: StatedLP) -> Iterator[str]:
    for block in program.blocks:
        for row in block.rows if isinstance(block, WideRows) else ():
            if row.rhs:
                whole = in_whole_numbers(row.terms.coefficients, row.rhs)
                yield f" rhs {row.name} {integer_text(whole.rhs)}\n"


def _column_lines(program: StatedLP, row_names: list[str]) -> Iterator[str]:
    """Yield a line for each coefficient, column by column; the objective is the last row."""
    names = program.variable_names
    rows, columns, texts, written = _coefficients(program)
    order = np.lexsort((rows, columns))
    for place in order.tolist():
        yield f" {names[columns[place]]} {row_names[rows[place]]} {written[texts[place]]}\n"


def _coefficients(program: StatedLP) -> tuple[Indices, Indices, Indices, list[str]]:
    """List (row, column, number of the text) of every coefficient, and the texts."""
    numbers: dict[int, int] = {}
    rows: list[Indices] = []
    columns: list[Indices] = []
    texts: list[Indices] = []

    def add(in_rows: Indices, in_columns: Indices, values: list[int]) -> None:
        rows.append(in_rows)
        columns.append(in_columns)
        texts.append(np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64))

    for start, block in zip(program.starts, program.blocks, strict=True):
        first = start - program.n_entries
        if isinstance(block, WideRows):
            for row, wide in enumerate(block.rows, start=first):
                whole = in_whole_numbers(wide.terms.coefficients, wide.rhs).coefficients
                add(np.full(len(whole), row), np.array(wide.terms.variables, dtype=np.int64), list(whole))
        else:
            those = first + np.arange(len(block), dtype=np.int64)
            add(those, block.upper, [block.ratio.denominator] * len(block))
            add(those, block.lower, [-block.ratio.numerator] * len(block))
    whole = in_whole_numbers(program.objective.coefficients).coefficients
    add(
        np.full(len(whole), program.n_rows, dtype=np.int64),
        np.array(program.objective.variables, dtype=np.int64),
        list(whole),
    )
    written = [integer_text(value) for value in numbers]
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(texts), written
