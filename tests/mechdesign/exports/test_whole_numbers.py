"""Programs in whole numbers: HiGHS reads both formats as the same program, with the design's score as its optimum."""

import math
from collections import Counter
from fractions import Fraction

import highspy
import pytest
from program_cases import CASES
from stated_problem import stated_rows
from wording import refused

from mechdesign import DesignProblem, InputError, Model, design, export
from mechdesign.exports.cplex_lp import lp_lines
from mechdesign.exports.limits import MOST_ROWS, count_rows, require_short
from mechdesign.exports.mps import mps_lines
from mechdesign.exports.stated_lp import state_lp
from mechdesign.exports.whole_numbers import EXACT_FLOATS, in_whole_numbers, note_of_long_numbers
from mechdesign.exports.writing import notes_on

WRITERS = {".lp": lp_lines, ".mps": mps_lines}


def read_by_highs(path):
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    return solver


def rows_read(program):
    """The rows that HiGHS read, each divided by the size of its first coefficient, terms by the names of variables."""
    matrix = program.a_matrix_
    starts, rows, values = list(matrix.start_), list(matrix.index_), list(matrix.value_)
    terms = [{} for _ in program.row_names_]
    for j, name in enumerate(program.col_names_):
        for place in range(starts[j], starts[j + 1]):
            terms[rows[place]][name] = Fraction(values[place])
    sides = zip(program.row_lower_, program.row_upper_, strict=True)
    return Counter(
        _scaled("E" if low == high else "G", Fraction(low), row) for row, (low, high) in zip(terms, sides, strict=True)
    )


def rows_stated(problem):
    """The rows that the definitions state, in the same form."""
    size = problem.size
    names = [f"P_{i}_{j}" for i in range(size) for j in range(size)] + ["t"]
    stated = stated_rows(problem, problem.step_alpha_below)
    return Counter(_scaled(sense, rhs, {names[x]: c for x, c in terms}) for sense, rhs, terms in stated)


def _scaled(sense, rhs, terms):
    size = abs(terms[min(terms)])
    return sense, rhs / size, frozenset((name, c / size) for name, c in terms.items())


READABLE = [
    case for case in CASES if case.problem().step.is_exact
]  # else coefficients are long, and HiGHS refuses them
SHORT = [case for case in READABLE if note_of_long_numbers(state_lp(case.problem())) is None]


def test_nearly_all_cases_have_short_numbers():
    assert len(SHORT) > 90


@pytest.mark.parametrize("case", READABLE[::3], ids=lambda case: case.name)
@pytest.mark.parametrize("suffix", WRITERS)
def test_highs_finds_the_score(case, suffix, tmp_path):
    result = case.design()
    stated = state_lp(result.problem)
    path = tmp_path / f"a{suffix}"
    export(result, path)
    solver = read_by_highs(path)
    read = solver.getLp()
    assert (read.num_row_, read.num_col_) == (stated.n_rows, stated.n_variables)
    assert list(read.row_names_) == [name for block in stated.blocks for name in stated.row_names(block)]
    assert sorted(read.col_names_) == sorted(stated.variable_names)
    solver.run()
    factor = in_whole_numbers(stated.objective.coefficients).factor
    assert solver.getObjectiveValue() / factor == pytest.approx(float(result.score), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("case", SHORT[1::2], ids=lambda case: case.name)
def test_both_formats_hold_the_program_of_the_definitions(case, tmp_path):
    result = case.design()
    problem = result.problem
    factor = in_whole_numbers(state_lp(problem).objective.coefficients).factor
    costs = [] if problem.is_worst_case else [factor * problem.rescaling * c for row in problem.cost for c in row]
    expected = costs or [0] * problem.size**2 + [1]
    for suffix in WRITERS:
        export(result, tmp_path / f"a{suffix}")
        read = read_by_highs(tmp_path / f"a{suffix}").getLp()
        assert rows_read(read) == rows_stated(problem)
        own = dict(
            zip(read.col_names_, zip(read.col_cost_, read.col_lower_, read.col_upper_, strict=True), strict=True)
        )
        bounds = [0] * problem.size**2 + [-math.inf] * problem.is_worst_case
        names = state_lp(problem).variable_names
        assert own == {name: (c, low, math.inf) for name, c, low in zip(names, expected, bounds, strict=True)}


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_loss_that_charges_nothing(suffix, tmp_path):
    export(design(DesignProblem(3, "1/2", loss="L0:9")), tmp_path / f"a{suffix}")
    solver = read_by_highs(tmp_path / f"a{suffix}")
    solver.run()
    assert solver.getObjectiveValue() == 0
    assert solver.getLp().num_col_ == 16


def test_rows_are_scaled_to_the_least_whole_numbers():
    row = in_whole_numbers([Fraction(2, 3), Fraction(-4, 9)], Fraction(8))
    assert (row.coefficients, row.rhs, row.factor) == ((3, -2), 36, Fraction(9, 2))
    assert in_whole_numbers([]).factor == 1
    assert row.largest == 36


def test_long_numbers_are_told():
    short = DesignProblem(4, "9/10", properties="WH,CM")
    assert note_of_long_numbers(state_lp(short)) is None
    at_the_edge = DesignProblem(4, Fraction(1, EXACT_FLOATS))
    assert note_of_long_numbers(state_lp(at_the_edge)) is None
    beyond = DesignProblem(4, Fraction(1, EXACT_FLOATS + 1))
    said = note_of_long_numbers(state_lp(beyond))
    assert said.startswith(
        "numbers beyond 2^53 are in 40 of 45 rows (the first is DP_0_0_0_1), the largest of 16 digits"
    )
    both = DesignProblem(4, "9/10", loss="L30", aggregate="worst", properties="WH:123456789/123456788")
    said = note_of_long_numbers(state_lp(both))
    assert "in 2 of 55 rows (the first is loss_0), the largest of 19 digits" in said
    far = DesignProblem(model=Model.metric([[0, 400], [400, 0]]), alpha="9/10")
    said = note_of_long_numbers(state_lp(far))
    assert (
        "in 4 of 6 rows (the first is DP_0_0_0_1), the largest of 401 digits: readers that take floats round them, or"
        in said
    )
    costly = DesignProblem(4, "9/10", loss="L30")
    assert "in the objective, the largest of 19 digits" in note_of_long_numbers(state_lp(costly))


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_file_tells_too(suffix, tmp_path):
    result = design(DesignProblem(4, Fraction(1, EXACT_FLOATS + 1)))
    path = tmp_path / f"a{suffix}"
    export(result, path)
    head = path.read_text().splitlines()[:8]
    assert sum("beyond 2^53" in line for line in head) == 1
    [note] = notes_on(result.problem, [path, tmp_path / "a.vipr", tmp_path / "a.json"])
    assert note.startswith(f"{path}: numbers beyond 2^53")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_rows_are_counted_without_writing_them(case):
    assert count_rows(case.problem()) == state_lp(case.problem()).n_rows


def test_a_million_rows_are_the_most():
    problem = DesignProblem(model=Model.ldp(100), alpha="1/2")
    assert count_rows(problem) == 100 * 100 * 99 + 100 <= MOST_ROWS
    require_short(problem, "a.vipr")
    larger = DesignProblem(model=Model.ldp(101), alpha="1/2")
    with refused(InputError):
        require_short(larger, "a.vipr")


@pytest.mark.slow
def test_powers_of_alpha_that_fill_a_disk_are_refused():
    points = [[1000 + abs(a - b) if a != b else 0 for a in range(80)] for b in range(80)]
    problem = DesignProblem(model=Model.metric(points), alpha="999/1000", loss="L1")
    assert count_rows(problem) <= MOST_ROWS
    with refused(InputError):
        require_short(problem, "a.lp")
