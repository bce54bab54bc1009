"""Rows and objectives of a program in whole numbers, and those that a float cannot hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from mechdesign.exports.remarks import remarks
from mechdesign.exports.stated_lp import StatedLP, WideRows
from mechdesign.rational import fraction_text, integer_text

EXACT_FLOATS = 2**53
"""Every whole number up to here is a float."""


@dataclass(frozen=True)
class WholeRow:
    """A row or an objective in whole numbers: `factor` times what it was."""

    coefficients: tuple[int, ...]
    rhs: int
    factor: Fraction

    @property
    def largest(self) -> int:
        """The largest of its numbers in size."""
        return max(map(abs, (*self.coefficients, self.rhs)))


def in_whole_numbers(coefficients: Sequence[Fraction], rhs: Fraction = Fraction(0)) -> WholeRow:
    """Scale a row by the least positive factor that makes its numbers whole.

    >>> in_whole_numbers([Fraction(1), Fraction(-9, 10)])
    WholeRow(coefficients=(10, -9), rhs=0, factor=Fraction(10, 1))
    """
    values = (*coefficients, rhs)
    common = lcm(*(value.denominator for value in values))
    whole = [value.numerator * (common // value.denominator) for value in values]
    divisor = gcd(*whole) or 1
    return WholeRow(tuple(x // divisor for x in whole[:-1]), whole[-1] // divisor, Fraction(common, divisor))


def whole_remarks(program: StatedLP) -> list[str]:
    """List the lines of comment of a program in whole numbers."""
    factor = fraction_text(in_whole_numbers(program.objective.coefficients).factor)
    scaled = f"every row is scaled to whole numbers; the objective is {factor} times the score"
    note = note_of_long_numbers(program)
    return [*remarks(program.problem), scaled, *([note] if note else [])]


def note_of_long_numbers(program: StatedLP) -> str | None:
    """Say where numbers exceed 2^53, which programs that read floats will round; None where none does."""
    places, largest = [], EXACT_FLOATS
    objective = in_whole_numbers(program.objective.coefficients).largest
    if objective > EXACT_FLOATS:
        places.append("the objective")
        largest = objective
    rows, first = 0, ""
    for name, many, size in _long_rows(program):
        rows, first, largest = rows + many, first or name, max(largest, size)
    if rows:
        places.append(f"{rows} of {program.n_rows} rows (the first is {first})")
    if not places:
        return None
    return (
        f"numbers beyond 2^53 are in {' and '.join(places)}, the largest of {len(integer_text(largest))} digits: "
        f"readers that take floats round them, or refuse the file"
    )


def _long_rows(program: StatedLP) -> Iterator[tuple[str, int, int]]:
    """Yield name, number and largest number of rows that hold a long one; those of one ratio together."""
    for block in program.blocks:
        if isinstance(block, WideRows):
            for row in block.rows:
                largest = in_whole_numbers(row.terms.coefficients, row.rhs).largest
                if largest > EXACT_FLOATS:
                    yield row.name, 1, largest
        elif block.ratio.denominator > EXACT_FLOATS and len(block):
            yield next(program.row_names(block)), len(block), block.ratio.denominator
