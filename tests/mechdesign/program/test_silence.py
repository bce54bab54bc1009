"""Standard output carries data only: no solver writes a header there, whoever makes it, at its first run."""

import subprocess
import sys

import pytest

SOLVE = """
from mechdesign import DesignProblem, design
print(design(DesignProblem(n=3, alpha="3/4", properties="WH,CM"), method="full", solver={solver!r}).score)
"""


@pytest.mark.parametrize("solver", ["highs", "cvxpy:HIGHS"])
def test_a_process_that_solves_prints_what_it_was_told_alone(solver):
    run = subprocess.run(
        [sys.executable, "-c", SOLVE.format(solver=solver)], capture_output=True, text=True, check=True
    )
    assert len(run.stdout.splitlines()) == 1
