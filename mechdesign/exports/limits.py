"""Limits of exports: linear programs that are too long to be of use in a file.

A problem is refused before it is solved.
"""

from mechdesign.errors import InputError
from mechdesign.problem.design_problem import DesignProblem

MOST_ROWS = 1_000_000
"""A program with more rows is of little use in a file: of a million, viprchk takes 0.6 GB."""

MOST_DIGITS = 1_000_000_000
"""Nor is one whose powers of alpha, for the distances of a metric, have more digits in all."""


def count_rows(problem: DesignProblem) -> int:
    """Count the rows of a problem's program, the bounds not among them, without writing those of many entries down."""
    size = problem.size
    count = size + 2 * problem.graph.n_edges * size + problem.is_worst_case * size
    for prop in problem.required:
        count += prop.n_pairs(size) + (size if prop.floor else 0)
        if prop.equal is not None:
            count += size**2 // 2 if prop.is_rotation else len(prop.equal(size)[0])
    return count


def count_digits(problem: DesignProblem) -> int:
    """Estimate how many digits the privacy rows have: those of `alpha^d` grow with d."""
    step = problem.at_alpha.step_alpha_below
    bits = step.numerator.bit_length() + step.denominator.bit_length()
    lengths = int(problem.graph.edge_arrays()[2].sum())
    return 2 * problem.size * lengths * bits * 3 // 10


def require_short(problem: DesignProblem, target: str) -> None:
    """Refuse a problem whose program is too long for a file.

    Raises:
        InputError: with the number of its rows, or of digits.
    """
    way_out = "choose fewer inputs, or .json, which holds the proof in fewer numbers"
    rows = count_rows(problem)
    if rows > MOST_ROWS:
        raise InputError(
            f"{target} must have at most {MOST_ROWS} rows, got {rows} for {problem.model.describe()}; {way_out}"
        )
    digits = count_digits(problem)
    if digits > MOST_DIGITS:
        raise InputError(
            f"{target} must have at most {MOST_DIGITS} digits, got about {digits} for the powers of alpha "
            f"in {rows} rows; choose a larger unit, {way_out}"
        )
