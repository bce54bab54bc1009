"""The plain model of a design in the hands of two solvers, and their CPU seconds for the solve alone.

Plain: every entry of the matrix is a variable, and every row of privacy and of properties is there, as a user states
them. Beside it stands the program that we solve: rotations merged, implied rows left out, entries scaled.
"""

import time
from dataclasses import dataclass

import numpy as np
from questions import Floats, Question, Verdict, privacy_words, problem_of

from mechdesign.program.exact.scaling import Scaling, numeric_program
from mechdesign.program.linear_program import build
from mechdesign.program.solvers.numeric import NumericProgram


@dataclass(frozen=True)
class Solved:
    """A float matrix, the CPU seconds of the solve, and the solver's word for how it ended."""

    matrix: Floats
    cpu: float
    status: str


def plain_highs(question: Question) -> Solved:
    """HiGHS, defaults, presolve on, one thread."""
    return _solved(question, _highs, ours=False)


def plain_clarabel(question: Question) -> Solved:
    """Clarabel, defaults."""
    return _solved(question, _clarabel, ours=False)


def our_clarabel(question: Question) -> Solved:
    """Clarabel on the program that we solve."""
    return _solved(question, _clarabel, ours=True)


def our_highs(question: Question) -> Solved:
    """HiGHS on the program that we solve."""
    return _solved(question, _highs, ours=True)


def judge_plain(question: Question, answer: Solved) -> Verdict:
    """An exact audit of the float matrix, and how the solver ended."""
    words = f"{answer.cpu:.3f} s CPU for the solve, {answer.status}; epsilon {privacy_words(question, answer.matrix)}"
    return Verdict(question.expected_loss(answer.matrix), words)


def _solved(question: Question, run, *, ours: bool) -> Solved:
    program = build(problem_of(question), symmetric=None if ours else False)
    scaling = Scaling(program, 1e-290 if ours else 1.0)
    numeric = numeric_program(program, scaling)
    x, cpu, status = run(numeric)
    variables = program.entry_variables
    return Solved((scaling.scale * x)[variables].reshape(question.size, question.size), cpu, status)


def _highs(numeric: NumericProgram) -> tuple[Floats, float, str]:
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    n, m = len(numeric.cost), len(numeric.row_lower)
    highs.passModel(
        n, m, len(numeric.value), 2, 1, 0.0, numeric.cost, numeric.column_lower, np.full(n, highspy.kHighsInf),
        numeric.row_lower, numeric.row_upper, numeric.start[:-1].astype(np.int32), numeric.index.astype(np.int32),
        numeric.value, np.zeros(n, dtype=np.int32),
    )  # fmt: skip
    began = time.process_time()
    highs.run()
    cpu = time.process_time() - began
    return np.array(highs.getSolution().col_value), cpu, highs.modelStatusToString(highs.getModelStatus())


def _clarabel(numeric: NumericProgram) -> tuple[Floats, float, str]:
    import clarabel
    from scipy import sparse

    n = len(numeric.cost)
    rows = sparse.csr_matrix((numeric.value, numeric.index, numeric.start), shape=(len(numeric.row_lower), n))
    equal = numeric.row_lower == numeric.row_upper
    left = sparse.vstack([rows[equal], -rows[~equal], -sparse.identity(n)]).tocsc()
    right = np.concatenate([numeric.row_lower[equal], -numeric.row_lower[~equal], -numeric.column_lower])
    cones = [clarabel.ZeroConeT(int(equal.sum())), clarabel.NonnegativeConeT(int((~equal).sum()) + n)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    began = time.process_time()
    solver = clarabel.DefaultSolver(sparse.csc_matrix((n, n)), numeric.cost, left, right, cones, settings)
    solution = solver.solve()
    return np.array(solution.x), time.process_time() - began, str(solution.status)
